"""The API as an OpenAPI document, generated from the types that requests are decoded with.

So it cannot differ from what the hub accepts.
"""

from collections.abc import Iterable
from typing import Any, Union

import msgspec

from centerpiece import __version__
from centerpiece.hub.preferences import Preferences
from centerpiece.text import Sentence
from centerpiece.web.machine import MachineSwitches
from centerpiece.web.state_types import PublicState

_NAMES = (
    *("command", "preferences", "pair", "read", "number", "failure", "done", "phone"),
    *("machine", "state", "press", "keeper", "marker"),
)
_REF = "#/components/schemas/{name}"
_ERRORS = {
    "403": "not paired, or another origin",
    "404": "nothing there",
    "408": "the request did not arrive in full",
    "409": "refused, with a sentence that says why",
    "413": "too large",
    "415": "not JSON",
    "421": "another host name",
    "422": "malformed, naming the field",
    "429": "too often",
    "503": "not saved: the disk",
}


class Error(msgspec.Struct):
    """An error, for programs (`code`) and for people (`message`)."""

    code: str
    message: str
    said: Sentence


class Failure(msgspec.Struct):
    """The body of every error."""

    error: Error


class CommandDone(msgspec.Struct):
    """The number of the last event after a command."""

    seq: int


class PairedPhone(msgspec.Struct):
    """A paired phone."""

    id: str
    name: str


def openapi(
    commands: Iterable[type], bodies: tuple[type, type, type], simulator: tuple[type, ...]
) -> dict[str, Any]:
    """Return the document: the paths under `/api` that take or answer JSON, with their bodies.

    Streams, files and the hall's paths are not in it. `bodies` are the types to pair with, to read
    aloud and to check a number; `simulator` those that only a simulated hub takes: a press, the
    keeper's key and a marker.
    """
    command: Any = Union[tuple(commands)]  # noqa: UP007
    own = (Failure, CommandDone, PairedPhone, MachineSwitches, PublicState)
    types = [command, Preferences, *bodies, *own, *simulator]
    schemas, parts = msgspec.json.schema_components(types, ref_template=_REF)
    of = dict(zip(_NAMES, schemas, strict=False))
    anything: dict[str, Any] = {"type": "object"}
    changes = {"type": "object", "properties": parts["Preferences"]["properties"]}
    changes["additionalProperties"] = False
    paths: dict[str, Any] = {
        "/api/about": {"get": _call("The hub and this phone", anything)},
        "/api/state": {"get": _call("The public state", of["state"])},
        "/api/commands": {"post": _call("Carry out one command", of["done"], of["command"])},
        "/api/speech": {"post": _call("Say standings, rules or a sample", of["done"], of["read"])},
        "/api/rules": {"get": _call("Games, profiles and house rules", anything)},
        "/api/rulecard": {"get": _call("A rule book in full", anything, query=("rules",))},
        "/api/panel": {"get": _call("What the buttons do", anything)},
        "/api/players": {"get": _call("Names that have played here", anything)},
        "/api/history": {"get": _call("Past games", anything)},
        "/api/history/{number}": {"get": _call("One game", anything, place=("number", "integer"))},
        "/api/season": {
            "get": _call("A season", anything, query=("since", "until", "game", "person"))
        },
        "/api/settings": {
            "get": _call("Loudness, brightness and the like", of["preferences"]),
            "put": _call("Change some of them", of["preferences"], changes),
        },
        "/api/machine": {"put": _call("SSH, and a protected card", anything, of["machine"])},
        "/api/pair": {
            "get": _call("Which phones may write", anything),
            "post": _call("Pair this phone", of["phone"], of["pair"]),
        },
        "/api/pair/number": {"post": _call("For the set-up page", anything, of["number"])},
        "/api/phones/{id}": {"delete": _call("Remove a phone", anything, place=("id", "string"))},
    }
    if simulator:
        paths["/api/keeper"] = {"post": _call("Keep this hub", of["phone"], of["keeper"])}
        paths["/api/hub"] = {"get": _call("The virtual hub's zones and buttons", anything)}
        paths["/api/hub/press"] = {"post": _call("Press a button", of["done"], of["press"])}
        paths["/api/hub/marker"] = {"post": _call("Move a marker", of["done"], of["marker"])}
    for operations in paths.values():
        for operation in operations.values():
            operation["responses"] |= {
                status: _content(why, of["failure"]) for status, why in _ERRORS.items()
            }
    return {
        "openapi": "3.1.0",
        "info": {"title": "centerpiece", "version": __version__},
        "paths": paths,
        "components": {"schemas": parts},
    }


def _call(
    summary: str,
    answered: dict[str, Any],
    body: dict[str, Any] | None = None,
    query: tuple[str, ...] = (),
    place: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """Return the description of one operation, whose answer has the schema `answered`.

    `body` is the schema of the request's body, `query` names optional parameters of the query, all
    texts, and `place` is the name and type of a parameter in the path.
    """
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "query", "schema": {"type": "string"}} for name in query
    ]
    if place is not None:
        name, kind = place
        inside = {"name": name, "in": "path", "required": True, "schema": {"type": kind}}
        parameters.append(inside)
    call: dict[str, Any] = {
        "summary": summary,
        "parameters": parameters,
        "responses": {"200": _content("done", answered)},
    }
    if body is not None:
        call["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return call


def _content(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}
