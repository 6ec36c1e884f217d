"""One shape for every error: `{"error": {"code": "…", "message": "…"}}`.

A message is a sentence for the person at the phone. Where it comes from the core it travels with
its template and facts (`said`), so that the page can tell it in another language.
"""

import logging
import re
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from centerpiece.storage.journal import NotSaved
from centerpiece.text import Refused, Sentence

log = logging.getLogger("centerpiece.web")

_WORDS = {
    404: Sentence("There is nothing here. The table is at /."),
    405: Sentence("This address cannot be used that way."),
    500: Sentence("Something went wrong in the hub. Nothing was lost; try again."),
}
_NOT_SAVED = "Not saved: {reason}. Nothing has changed."
_CODES = {404: "not-found", 405: "method", 500: "internal"}


class WebError(Exception):
    """A request that cannot be answered: a status, a code for programs, words for people."""

    def __init__(
        self, status: int, code: str, template: str, *, wait: int | None = None, **facts: Any
    ) -> None:
        self.status = status
        self.code = code
        self.sentence = Sentence(template, facts)
        self.wait = wait
        """Seconds after which another try makes sense."""
        super().__init__(str(self.sentence))


def answer(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON response that nobody keeps."""
    kept = {"Cache-Control": "no-store"} | (headers or {})
    return Response(msgspec.json.encode(body), status, kept, "application/json")


def failure(
    status: int, code: str, sentence: Sentence, headers: dict[str, str] | None = None
) -> Response:
    """The one shape."""
    error = {"code": code, "message": str(sentence), "said": sentence}
    return answer({"error": error}, status, headers)


async def on_web_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, WebError)
    headers = {} if error.wait is None else {"Retry-After": str(error.wait)}
    return failure(error.status, error.code, error.sentence, headers)


async def on_refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return failure(409, error.code, error.sentence)


async def on_not_saved(request: Request, error: Exception) -> Response:
    before, _, after = _NOT_SAVED.partition("{reason}")
    reason = str(error).removeprefix(before).removesuffix(after)
    said = Sentence(_NOT_SAVED, {"reason": Sentence(reason)})
    return failure(503, "not-saved", said, {"Retry-After": "5"})


async def on_http_error(request: Request, error: Exception) -> Response:
    """What the router raises: no such page, no such method."""
    assert isinstance(error, HTTPException)
    status = error.status_code
    words = _WORDS.get(status) or Sentence(HTTPStatus(status).phrase + ".")
    headers = dict(error.headers or {})
    return failure(status, _CODES.get(status, "http"), words, headers)


async def on_crash(request: Request, error: Exception) -> Response:
    """A mistake of ours. It is logged once, without the request's cookies or body."""
    log.error("path=%s crashed", request.url.path, exc_info=error)
    return failure(500, _CODES[500], _WORDS[500])


HANDLERS: dict[Any, Any] = {
    WebError: on_web_error,
    Refused: on_refused,
    NotSaved: on_not_saved,
    HTTPException: on_http_error,
}


def malformed(error: Exception) -> WebError:
    """What a request had wrong, naming the field."""
    if isinstance(error, RecursionError):
        return WebError(422, "malformed", "The request is nested too deeply.")
    if not isinstance(error, msgspec.ValidationError):
        return WebError(422, "malformed", "The request is not JSON: {problem}.", problem=str(error))
    what, _, where = str(error).partition(" - at ")
    field = where.strip("`").removeprefix("$").removeprefix(".")
    if missing := re.search(r"missing required field `(\w+)`", what):
        return WebError(422, "malformed", "The field “{field}” is missing.", field=missing[1])
    if unknown := re.search(r"unknown field `(.+)`", what):
        return WebError(422, "malformed", "There is no field “{field}” here.", field=unknown[1])
    if field == "type" and (name := re.search(r"'(.*)'", what)):
        return WebError(422, "malformed", "There is no command “{name}”.", name=name[1])
    if not field:
        return WebError(422, "malformed", "A request is one JSON object.")
    return WebError(
        422,
        "malformed",
        "The field “{field}” does not fit: {problem}.",
        field=field,
        problem=what.replace("`", ""),
    )
