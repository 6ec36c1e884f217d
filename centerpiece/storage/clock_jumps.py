"""Which games the wall clock jumped in, and by how much: their times are doubtful.

`hub.game_clock` notices a jump; history marks the game.
"""

import msgspec

from centerpiece.storage.settings import Settings

FIRST_DAY = 1_735_689_600.0
"""The first second of 2025: an earlier clock has not been set since the Pi was switched on."""
JUMP = 1.0
"""Seconds; what time servers correct bit by bit stays far below."""
MOST_GAMES = 100
SETTING = "clock-jumps"


class Jumps(msgspec.Struct):
    """What is remembered of a clock that jumps."""

    games: dict[float, float] = {}
    """By how much it did during each game, known by the moment it began."""
    seq: int = 0
    at: float = 0.0
    """The last event before the last jump, and what the clock showed after it."""


def jumps(store: Settings) -> Jumps:
    """What is remembered; nothing if it makes no sense any more."""
    try:
        return msgspec.convert(store.setting(SETTING, {}), Jumps, strict=False, str_keys=True)
    except msgspec.ValidationError:
        return Jumps()
