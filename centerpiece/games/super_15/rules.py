"""Super 15's rule book: the settings that it adds, and its profile."""

from typing import ClassVar

from centerpiece.rules.book import Rules, Says


class Super15Rules(Rules, frozen=True, kw_only=True, tag="super-15"):
    """What a Super 15 table can agree on; each number's power can be left out."""

    branches: int = 6
    everyone_draws_on: int | None = 15
    again_on: int | None = 14
    spell_on: int | None = 13
    reverse_on: int | None = 3
    double_skips: bool = True

    says: ClassVar[dict[str, Says]] = Rules.says | {
        "branches": "{value} branches grow from the first double.",
        "everyone_draws_on": {None: "No number makes everyone draw."},
        "again_on": {None: "No number gives another turn."},
        "spell_on": {None: "There are no spells."},
        "reverse_on": {None: "The direction never changes."},
        "double_skips": {
            True: "After a double the next player loses a turn.",
            False: "A double costs nobody a turn.",
        },
    }
    says_otherwise: ClassVar[dict[str, str]] = Rules.says_otherwise | {
        "everyone_draws_on": "A play that leaves a {value} makes every other player draw.",
        "again_on": "A play that leaves a {value} gives another turn.",
        "spell_on": "A {value} casts a spell; doubles may be played on any {value}.",
        "reverse_on": "A {value} turns the direction round, except with two players.",
    }

    limits: ClassVar[dict[str, tuple[int, int]]] = {
        "branches": (1, 9),
        "everyone_draws_on": (0, 15),
        "again_on": (0, 15),
        "spell_on": (0, 15),
        "reverse_on": (0, 15),
    }

    def engines_for(self, size: int) -> tuple[int, ...]:
        """Any double starts, so there is no engine to be set."""
        return ()

    def held_out(self) -> int:
        return 0


DOUBLE_15 = Super15Rules(
    name="double-15",
    sets=(15,),
    hands={15: dict.fromkeys(range(2, 11), 9)},
    draw="two",
    wins="rounds",
    rounds=1,
)

PROFILES = (DOUBLE_15,)
