"""Chickenfoot's rule books: the settings that it adds, and the four profiles."""

from typing import Literal

from centerpiece.games.mexican_train.rules import CLASSIC as CLASSIC_TRAIN
from centerpiece.rules.book import Rules
from centerpiece.rules.settings import PLAYING


class ChickenfootRules(Rules, frozen=True, kw_only=True, tag="chickenfoot"):
    """What a Chickenfoot table can agree on."""

    title = "Chickenfoot"

    last_tile_cue: Literal["whistle", "rooster", "knock"] = "rooster"
    first_toes: int = PLAYING.number(
        6,
        (1, 9),
        "The first double takes {value} {value|toe|toes} before any other play.",
        {
            6: "The first double takes six toes, three on either side, before any other play.",
            4: "The first double is a Maltese cross: four toes before any other play.",
        },
    )
    later_toes: int = PLAYING.number(
        3, (1, 9), "Every later double takes {value} {value|toe|toes} before any other play."
    )
    undrawn_of_two: int = PLAYING.number(
        0,
        (0, 99),
        "With two players, {value} {value|tile stays|tiles stay} undrawn in the boneyard.",
        unsaid=0,
    )
    undrawn: int = PLAYING.number(
        0,
        (0, 99),
        "With three or more players, {value} {value|tile stays|tiles stay} undrawn in the "
        "boneyard.",
        unsaid=0,
    )

    def stays_undrawn(self, players: int) -> int:
        """How many tiles of the yard nobody may draw."""
        return self.undrawn_of_two if players == 2 else self.undrawn


_FORTY_TWO = {2: 21, 3: 14, 4: 11, 5: 8, 6: 7, 7: 6, 8: 5, 9: 5}

FAMILY = ChickenfootRules(
    name="family",
    sets=(9, 12, 6),
    # The sheet's formula, 42 over the players, cannot be dealt from 28 tiles; for a double-6 set
    # it has a line of its own.
    hands={6: {2: 5, 3: 5}, 9: _FORTY_TWO, 12: _FORTY_TWO},
    engine_found="drawn",
    last_tile="must",
    penalty="draw",
    double_blank=25,
)

CLASSIC = ChickenfootRules(
    name="classic",
    sets=(9, 12),
    hands=CLASSIC_TRAIN.hands,
    double_blank=50,
)

ONLINE = ChickenfootRules(
    name="online",
    sets=(9,),
    hands={9: CLASSIC_TRAIN.hands[9]},
    undrawn_of_two=2,
    undrawn=1,
)

DOUBLE_15 = ChickenfootRules(
    name="double-15",
    sets=(15,),
    hands={15: {2: 20, 3: 14, 4: 11, 5: 9, 6: 7, 7: 5, 8: 5, 9: 4, 10: 4}},
    double_blank=50,
)

PROFILES = (CLASSIC, FAMILY, ONLINE, DOUBLE_15)
