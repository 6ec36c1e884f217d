"""Block's rule book: its own setting and statement, and two profiles."""

from typing import Literal

from msgspec.structs import replace

from centerpiece.rules.rule_settings import SCORING, STUCK
from centerpiece.rules.rules import Rules


class BlockRules(Rules, frozen=True, kw_only=True, tag="block"):
    title = "Block"

    knock = STUCK.says("When you pass, knock on the table.")
    lightest_takes: Literal["all", "difference"] = SCORING.choice(
        ("all", "Going out, or the lightest hand of a blocked round, scores the others' pips."),
        (
            "difference",
            "Going out scores the others' pips; a lightest hand scores them less its own.",
        ),
    )

    @property
    def scores_own_hand(self) -> bool:
        """False: one player scores what the others hold."""
        return False

    def engines_for(self, size: int) -> tuple[int, ...]:
        """Return no engines: any tile opens."""
        return ()


CLASSIC = BlockRules(
    name="classic",
    sets=(6,),
    hands={6: {2: 7, 3: 5, 4: 5}},
    starter="drawn",
    draw="none",
    wins="highest",
    points_limit=100,
)
DRAW = replace(CLASSIC, name="draw", draw="until-playable")
"""The draw game: a player who cannot play draws until a tile fits."""

PROFILES = (CLASSIC, DRAW)
