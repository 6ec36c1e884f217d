"""Block's rule book: the setting and the statement that it adds, and two profiles."""

from typing import Literal

from msgspec.structs import replace

from centerpiece.rules.rule_settings import SCORING, STUCK
from centerpiece.rules.rules import Rules


class BlockRules(Rules, frozen=True, kw_only=True, tag="block"):
    """What a Block table can agree on."""

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
        """One player scores what the others hold."""
        return False

    def engines_for(self, size: int) -> tuple[int, ...]:
        """Any tile opens, so no round has a double of its own."""
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
"""The draw game: the same, but for what its name says."""

PROFILES = (CLASSIC, DRAW)
