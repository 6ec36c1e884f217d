"""Chickenfoot's rule books: the settings that it adds, and the four profiles."""

from typing import Literal

from centerpiece.games.mexican_train.rules import CLASSIC as CLASSIC_TRAIN
from centerpiece.rules.rule_settings import LAST_TILE, STUCK, SettingsSection
from centerpiece.rules.rules import Rules

FEET = SettingsSection("Chickenfeet")


class ChickenfootRules(Rules, frozen=True, kw_only=True, tag="chickenfoot"):
    title = "Chickenfoot"

    last_tile_cue: Literal["whistle", "rooster", "knock"] = "rooster"
    undrawn_of_two: int = STUCK.number(
        0,
        (0, 99),
        "With two players, the last {value} tiles are not drawn.",
        {1: "With two players, the last tile is not drawn."},
        applies=lambda rules: rules.draw != "none" and _dealt(rules, 2),
        unsaid=0,
    )
    undrawn: int = STUCK.number(
        0,
        (0, 99),
        "With three or more players, the last {value} tiles are not drawn.",
        {1: "With three or more players, the last tile is not drawn."},
        applies=lambda rules: rules.draw != "none" and _dealt(rules, *range(3, 11)),
        unsaid=0,
    )

    toes = FEET.says("A tile that is laid against a double is a toe.")
    first_toes: int = FEET.number(
        6,
        (1, 9),
        "The double in the centerpiece comes first. It takes {value} {value|toe|toes} before "
        "anything else may be played.",
        {
            6: "The double in the centerpiece comes first: a double chickenfoot. It takes six "
            "toes before anything else may be played: on either side one at a right angle, and "
            "two diagonally beside it.",
            4: "The double in the centerpiece comes first: a Maltese cross. It takes four toes, "
            "one on each edge, before anything else may be played.",
        },
    )
    later_toes: int = FEET.number(
        3,
        (1, 9),
        "Every later double is laid crosswise. It takes {value} {value|toe|toes} before anything "
        "else may be played.",
        {
            3: "Every later double is laid crosswise. It takes three toes before anything else may "
            "be played, all on its free side: one at a right angle, and two diagonally beside it.",
        },
    )
    next_foot = FEET.says("After that, every toe is an open end until the next double.")
    double_called: bool = FEET.choice(
        (False, "Nothing has to be called with a double."),
        (True, "Whoever plays a double calls “Chickie!”."),
        unsaid=False,
    )

    chicken_little: bool = LAST_TILE.choice(
        (False, "Nothing has to be called with the last tile."),
        (True, "Whoever announces a last tile says “Chicken Little”."),
        unsaid=False,
    )

    def stays_undrawn(self, players: int) -> int:
        """Return the number of tiles in the yard that nobody may draw, with so many `players`."""
        return self.undrawn_of_two if players == 2 else self.undrawn


def _dealt(rules: ChickenfootRules, *players: int) -> bool:
    """Return True if the rules have a hand for any of these numbers of players."""
    return any(count in players for table in rules.hands.values() for count in table)


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
    chicken_little=True,
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
    double_called=True,
)

DOUBLE_15 = ChickenfootRules(
    name="double-15",
    sets=(15,),
    hands={15: {2: 20, 3: 14, 4: 11, 5: 9, 6: 7, 7: 5, 8: 5, 9: 4, 10: 4}},
    double_blank=50,
)

PROFILES = (CLASSIC, FAMILY, ONLINE, DOUBLE_15)
