"""Jumps of the wall clock by game, whose times are then doubtful.

`hub.game_clock` detects a jump; `history` marks the game.
"""

import msgspec

from centerpiece.storage.settings import SettingKey

FIRST_DAY = 1_735_689_600.0
"""The first second of 2025. An earlier clock has not been set since the Pi was switched on."""
JUMP = 1.0
"""Seconds; the gradual corrections of a time server stay far below."""
MOST_GAMES = 100


class ClockJumps(msgspec.Struct, frozen=True):
    """The stored jumps."""

    games: dict[float, float] = {}
    """Seconds by game; a game is identified by its start."""
    seq: int = 0
    at: float = 0.0
    """The last event before the last jump, and the wall clock after the jump."""

    def during(self, game: float, by: float, seq: int, at: float) -> "ClockJumps":
        """Add a jump during a game; drop the oldest games."""
        games = {**self.games}
        games[game] = games.pop(game, 0.0) + by
        return ClockJumps(dict(list(games.items())[-MOST_GAMES:]), seq, at)


CLOCK_JUMPS: SettingKey[ClockJumps] = SettingKey("clock-jumps", ClockJumps, ClockJumps())
