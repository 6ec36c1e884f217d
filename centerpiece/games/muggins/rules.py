"""Muggins' rule book: the settings that it adds, and its profile."""

from centerpiece.rules.rule_settings import AIM, SCORING, SETTING_UP, TURN, WINNING, SettingsSection
from centerpiece.rules.rules import Rules

SPINNER = SettingsSection("The spinner")
IN_PLAY = SettingsSection("Points while you play")


def _for_four(rules: "MugginsRules") -> bool:
    return any(4 in table for table in rules.hands.values())


def _in_teams(rules: "MugginsRules") -> bool:
    return rules.teams_of_four and _for_four(rules)


class MugginsRules(Rules, frozen=True, kw_only=True, tag="muggins"):
    title = "Muggins"

    aim = AIM.says(
        "Score points: while you play, and by going out.",
        applies=lambda rules: rules.wins != "rounds",
    )

    up_to_six = SETTING_UP.says(
        "If your set is larger, first take out every tile with more than 6 pips on one half.",
        applies=lambda rules: rules.sets == (6,),
    )
    teams_of_four: bool = SETTING_UP.choice(
        (True, "Four players play as two teams. Partners sit opposite each other."),
        (False, "Four players play each for themselves."),
        applies=_for_four,
    )

    opening = TURN.says("Any tile may open the round. It need not be a double.")

    spinner = SPINNER.says(
        "The first double is the spinner. It is laid crosswise. Play on both of its sides "
        "first. After that, you may play on its two ends as well."
    )
    later_doubles = SPINNER.says(
        "Later doubles are laid crosswise, too, but the line only goes straight on from them."
    )

    multiple: int = IN_PLAY.number(
        5,
        (1, 25),
        "After your turn, add up all open ends. If the total is a multiple of {value}, you score "
        "that many points.",
        {1: "After your turn, add up all open ends. You score that many points."},
    )
    double_ends = IN_PLAY.says("A double at an open end counts both its halves.")
    stealing: bool = IN_PLAY.choice(
        (
            True,
            "If you forget to record your points, an opponent may call “Muggins!” and take them.",
        ),
        (False, "If you forget to record your points, they are lost."),
    )

    out_takes = SCORING.says("Whoever goes out scores the pips that their opponents have left.")
    blocked_takes = SCORING.says(
        "In a blocked round, whoever has the fewest pips scores those of their opponents. If "
        "two are equal, nobody scores."
    )
    rounding = SCORING.says(
        "These pips are rounded to the nearest multiple of {multiple}.",
        applies=lambda rules: rules.multiple > 1,
    )
    partners = SCORING.says(
        "A team counts its pips together in a blocked round. A partner's pips are never scored.",
        applies=_in_teams,
    )
    team_total = WINNING.says("Partners share one total.", applies=_in_teams)
    first_there = WINNING.says(
        "Points you make during play count at once. Whoever gets there in play has won.",
        applies=lambda rules: rules.points_limit is not None,
    )

    @property
    def scores_own_hand(self) -> bool:
        """False: one player scores what all the others hold."""
        return False

    def engines_for(self, size: int) -> tuple[int, ...]:
        """Return no engines: any tile opens, and the game ends at the points limit."""
        return ()

    def team_of(self, place: int, players: int) -> int | None:
        """Return team 1 or 2 by turns, so that four players sit opposite their partners.

        None with another number of players, and where the rules have no teams.
        """
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
