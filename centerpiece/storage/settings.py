"""What a hub remembers beside its games: names and settings. Same file, no history.

It is read once, when the hub starts, and known by heart from then on; the writer keeps it.
A row that has changed on the disk is as good as forgotten.
"""

import contextlib
import logging
from typing import Any

import msgspec

from centerpiece.storage.checksum import of_player, of_setting
from centerpiece.storage.journal import Entry, Journal
from centerpiece.storage.schema import PLAYERS, SETTINGS
from centerpiece.text import NOT_JSON

log = logging.getLogger("centerpiece.storage")

PHONES = "phones"
"""Under this name the phones are remembered that may write."""

Players = dict[str, tuple[int, float]]
"""Names, with the seat and when it was."""


class Settings:
    """The small things in the journal's file."""

    def __init__(self, journal: Journal) -> None:
        self._values = _values(journal)
        self._players = _players(journal)
        self._decided = self._players
        """Names as they will be when everything is written."""

    def setting(self, key: str, default: Any = None) -> Any:
        """A remembered value."""
        if key in self._values:
            with contextlib.suppress(*NOT_JSON):
                return msgspec.json.decode(self._values[key])
        return default

    def players(self) -> list[str]:
        """Names that have played here, the latest first."""
        return _latest(self._players)

    def last_at_seat(self, seat: int) -> str | None:
        """Who sat there last, by what was decided."""
        known = self._decided
        return next((name for name in _latest(known) if known[name][0] == seat), None)

    def decided(self, entry: Entry) -> None:
        """This will be on the disk."""
        self._decided = _with(self._decided, entry)

    def written(self, entry: Entry) -> None:
        """This is on the disk now."""
        self._values.update(entry.settings)
        self._players = _with(self._players, entry)

    def drop(self) -> None:
        """What was decided and is not written will not be."""
        self._decided = self._players


def _values(journal: Journal) -> dict[str, bytes]:
    values = {}
    for encoded, value, crc in journal.ask(SETTINGS):
        key = encoded.decode(errors="replace")
        if crc == of_setting(key, value):
            values[key] = value
        else:
            log.error("setting=%s is damaged and left out", key)
    return values


def _players(journal: Journal) -> Players:
    players = {}
    for encoded, seat, seen, crc in journal.ask(PLAYERS):
        if crc == of_player(name := encoded.decode(errors="replace"), seat, seen):
            players[name] = (seat, seen)
    return players


def _with(players: Players, entry: Entry) -> Players:
    if not entry.players:
        return players
    return players | {name: (seat, seen) for name, seat, seen in entry.players}


def _latest(players: Players) -> list[str]:
    return sorted(players, key=lambda name: (-players[name][1], players[name][0]))
