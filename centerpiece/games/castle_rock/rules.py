"""Castle Rock's rule books: a game for one, so little is to be agreed on."""

from centerpiece.rules.book import Rules
from centerpiece.rules.settings import PLAYING


class CastleRockRules(Rules, frozen=True, kw_only=True, tag="castle-rock"):
    """What a patience player can decide."""

    title = "Castle Rock"

    row: int = PLAYING.number(3, (3, 9), "The row starts with {value} tiles.")
    won_with: int = PLAYING.number(
        2,
        (0, 99),
        "The game is won when at most {value} {value|tile remains|tiles remain}.",
        {0: "Remove as many tiles as you can."},
    )

    def engines_for(self, size: int) -> tuple[int, ...]:
        return ()


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
