"""Which games the wall clock jumped in, and by how much: their times are doubtful.

`hub.game_clock` notices a jump; history marks the game.
"""

import msgspec

from centerpiece.storage.settings import SettingKey

FIRST_DAY = 1_735_689_600.0
"""The first second of 2025: an earlier clock has not been set since the Pi was switched on."""
JUMP = 1.0
"""Seconds; what time servers correct bit by bit stays far below."""
MOST_GAMES = 100


class ClockJumps(msgspec.Struct, frozen=True):
    """What is remembered of a clock that jumps."""

    games: dict[float, float] = {}
    """By how much it jumped during each game; a game is known by the moment it began."""
    seq: int = 0
    at: float = 0.0
    """The last event before the last jump, and what the clock showed after it."""

    def during(self, game: float, by: float, seq: int, at: float) -> "ClockJumps":
        """Add a jump during a game; the oldest games are forgotten."""
        games = {**self.games}
        games[game] = games.pop(game, 0.0) + by
        return ClockJumps(dict(list(games.items())[-MOST_GAMES:]), seq, at)


CLOCK_JUMPS: SettingKey[ClockJumps] = SettingKey("clock-jumps", ClockJumps, ClockJumps())
