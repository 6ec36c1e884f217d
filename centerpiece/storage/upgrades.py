"""Written events, read: those of older releases are brought up to date on the way.

What was written stays as it is. The journal and a hall read the same bytes by the same rules;
each says in its own words what could not be read.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from centerpiece.table.events import RulesAgreed
from centerpiece.table.game_set import GameSet
from centerpiece.text import NOT_JSON

Upgrade = Callable[[dict[str, Any]], dict[str, Any]]
UPGRADES: dict[str, dict[int, Upgrade]] = {}
"""How an event of an older version becomes the next: by kind, then by the version it has."""


class UnreadableEvent(ValueError):
    """Not an event of ours, or one to which no way leads from its version."""


class NewerEvent(ValueError):
    """Written by a later release."""


class MissingGame(ValueError):
    """Of a game that is not installed here; its name is all there is to tell."""


class EventReader:
    """Turns what was written into events."""

    def __init__(self, game_set: GameSet) -> None:
        self._decode = msgspec.json.Decoder(game_set.any_event).decode
        self._kinds = {str(kind.__struct_config__.tag): kind for kind in game_set.events}
        self._games = game_set.games

    def read(self, version: int, body: bytes | msgspec.Raw) -> Any:
        """The event as this release knows it; one of the errors above if it does not.

        Which game is played is agreed on before anything happens in it.
        """
        event = self._read(version, body)
        if type(event) is RulesAgreed and event.rules.get("game") not in self._games:
            raise MissingGame(event.rules.get("game"))
        return event

    def _read(self, version: int, body: bytes | msgspec.Raw) -> Any:
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
        name = document["type"]
        kind = self._kinds.get(name)
        if kind is None or version > kind.version:
            raise NewerEvent(name)
        for step in range(version, kind.version):
            document = UPGRADES[name][step](document)
        return msgspec.convert(document, kind, str_keys=True)
