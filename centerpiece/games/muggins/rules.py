"""Muggins' rule book: the settings that it adds, and its profile."""

from centerpiece.rules.book import Rules
from centerpiece.rules.settings import PLAYING


class MugginsRules(Rules, frozen=True, kw_only=True, tag="muggins"):
    """What a Muggins table can agree on."""

    title = "Muggins"

    multiple: int = PLAYING.number(
        5, (1, 25), "Open ends that add up to a multiple of {value} score their total."
    )
    stealing: bool = PLAYING.choice(
        (True, "Points that a player forgets to claim go to whoever calls “Muggins!” first."),
        (False, "Points that a player forgets to claim are lost."),
    )
    teams_of_four: bool = PLAYING.choice(
        (True, "Four players form two teams, with partners opposite each other."),
        (False, "Four players play each for themselves."),
    )

    def engines_for(self, size: int) -> tuple[int, ...]:
        """Any tile opens, so there is no engine; the game ends at the points limit."""
        return ()

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
