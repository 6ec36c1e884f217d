"""Castle Rock's rule books: a game for one, so little is to be agreed on."""

from typing import ClassVar

from centerpiece.rules.book import Rules, Says


class CastleRockRules(Rules, frozen=True, kw_only=True, tag="castle-rock"):
    """What a patience player can decide."""

    row: int = 3
    won_with: int = 2

    says: ClassVar[dict[str, Says]] = Rules.says | {
        "row": "{value} tiles start the row.",
        "won_with": {
            0: "Remove as many tiles as you can.",
            2: "The game is won when only two tiles remain.",
        },
    }
    says_otherwise: ClassVar[dict[str, str]] = Rules.says_otherwise | {
        "won_with": "The game is won when at most {value} tiles remain.",
    }

    limits: ClassVar[dict[str, tuple[int, int]]] = {"row": (3, 9)}

    def engines_for(self, size: int) -> tuple[int, ...]:
        return ()

    def held_out(self) -> int:
        return 0


_ALONE = {size: {1: 3} for size in (6, 9, 12, 15)}

CLASSIC = CastleRockRules(
    name="classic",
    sets=(9, 12, 6),
    hands={size: _ALONE[size] for size in (6, 9, 12)},
    rounds=1,
    won_with=0,
)

DOUBLE_15 = CastleRockRules(name="double-15", sets=(15,), hands={15: _ALONE[15]}, rounds=1)

PROFILES = (CLASSIC, DOUBLE_15)
