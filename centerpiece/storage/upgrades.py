"""Reading stored events; those of older releases are upgraded.

The stored bytes stay as they are. The journal and the hall read the same bytes, each with its own
error messages.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from centerpiece.table.events import RulesAgreed
from centerpiece.table.game_set import GameSet
from centerpiece.text import NOT_JSON

Upgrade = Callable[[dict[str, Any]], dict[str, Any]]
UPGRADES: dict[str, dict[int, Upgrade]] = {}
"""Upgrades of a document to the next version, by kind and by present version."""


class UnreadableEvent(ValueError):
    """An event of an unknown kind, or without an upgrade from its version."""


class NewerEvent(ValueError):
    """An event of a later release."""


class MissingGame(ValueError):
    """An event of a game that is not installed; `str(error)` is the game's name."""


class EventReader:
    """Decodes stored events."""

    def __init__(self, game_set: GameSet) -> None:
        self._decode = msgspec.json.Decoder(game_set.any_event).decode
        self._kinds = {str(kind.__struct_config__.tag): kind for kind in game_set.events}
        self._games = game_set.games

    def read(self, version: int, body: bytes | msgspec.Raw) -> Any:
        """Decode the stored `body` of an event, upgraded if `version` is not today's.

        Raise UnreadableEvent, NewerEvent or MissingGame. Only RulesAgreed is checked for a missing
        game: it comes before any event of the game.
        """
        event = self._read(version, body)
        if type(event) is RulesAgreed and event.rules.get("game") not in self._games:
            raise MissingGame(event.rules.get("game"))
        return event

    def _read(self, version: int, body: bytes | msgspec.Raw) -> Any:
        """Decode the stored `body` of an event, upgraded if its `version` is older than today's.

        Raise UnreadableEvent or NewerEvent.
        """
        try:
            event = self._decode(body)
            if type(event).version == version:
                return event
        except NOT_JSON:
            pass
        try:
            return self._upgraded(version, msgspec.json.decode(body))
        except (*NOT_JSON, LookupError, TypeError) as error:
            raise UnreadableEvent(str(error)) from error

    def _upgraded(self, version: int, document: Any) -> Any:
        """Return the event in the decoded `document`, brought from the format `version` to today's.

        Raise NewerEvent for an unknown kind or a later version, another error if it does not fit.
        """
        name = document["type"]
        kind = self._kinds.get(name)
        if kind is None or version > kind.version:
            raise NewerEvent(name)
        for step in range(version, kind.version):
            document = UPGRADES[name][step](document)
        return msgspec.convert(document, kind, str_keys=True)
