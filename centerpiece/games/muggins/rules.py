"""Muggins' rule book: the settings that it adds, and its profile."""

from typing import ClassVar

from centerpiece.rules.book import Rules, Says


class MugginsRules(Rules, frozen=True, kw_only=True, tag="muggins"):
    """What a Muggins table can agree on."""

    multiple: int = 5
    stealing: bool = True
    teams_of_four: bool = True

    says: ClassVar[dict[str, Says]] = Rules.says | {
        "multiple": "Open ends that add up to a multiple of {value} score that number.",
        "stealing": {
            True: "Points that their player forgets go to whoever calls “Muggins!” first.",
            False: "Points that their player forgets are lost.",
        },
        "teams_of_four": {
            True: "Four play as two teams, partners opposite.",
            False: "Four play each for themselves.",
        },
    }

    limits: ClassVar[dict[str, tuple[int, int]]] = {"multiple": (1, 25)}

    def engines_for(self, size: int) -> tuple[int, ...]:
        """Any tile opens, so there is no engine; the game ends at the points limit."""
        return ()

    def held_out(self) -> int:
        return 0

    def team_of(self, place: int, players: int) -> int | None:
        """Partners sit opposite each other."""
        return place % 2 + 1 if players == 4 and self.teams_of_four else None


CLASSIC = MugginsRules(
    name="classic",
    sets=(6,),
    hands={6: {2: 7, 3: 5, 4: 5}},
    draw="until-playable",
    wins="highest",
    points_limit=250,
)

PROFILES = (CLASSIC,)
