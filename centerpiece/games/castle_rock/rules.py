"""Castle Rock's rule books: a game for one, so there are few settings."""

from centerpiece.rules.rule_settings import AIM, SETTING_UP, TURN, WINNING, SettingsSection
from centerpiece.rules.rules import Rules

REMOVING = SettingsSection("Removing tiles")


class CastleRockRules(Rules, frozen=True, kw_only=True, tag="castle-rock"):
    title = "Castle Rock"

    aim = AIM.says("Get rid of all the tiles.")

    pile = SETTING_UP.says("Shuffle all tiles face down. They are the pile.")
    row: int = SETTING_UP.number(
        3, (3, 9), "Draw {value} tiles and lay them side by side, face up: they are the row."
    )

    drawing = TURN.says("Draw one tile at a time, and lay it at the right end of the row.")

    middle = REMOVING.says(
        "If the tiles on both sides of a tile share a number, the one in the middle is removed."
    )
    middle_example = REMOVING.says("Example: in 1-3, 6-6, 3-5 the outer two share a 3. Remove 6-6.")
    three = REMOVING.says("If three tiles side by side share a number, all three may be removed.")
    three_example = REMOVING.says(
        "Example: 1-3, 3-4, 3-5 all have a 3. Remove all three, or only the middle one."
    )
    must_remove = REMOVING.says(
        "You decide which way is best. But whenever you can remove something, you must."
    )
    new_row = REMOVING.says(
        "If the row is empty and the pile is not, draw {row} tiles for a new row."
    )

    end = WINNING.says("The game ends when the pile is empty and nothing can be removed.")
    won_with: int = WINNING.number(
        2,
        (0, 99),
        "You have won if no more than {value} {value|tile is|tiles are} left.",
        {0: "Remove as many tiles as you can. You have won if none is left."},
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
