"""The rule book that all games share: its settings, and the values derived from them.

A game adds its own settings by deriving from `Rules`; a profile is an instance.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, TypeVar

from msgspec.structs import replace

from centerpiece.rules.deal import HANDS, SETS, Hands, among_several
from centerpiece.rules.domino_sets import tiles_in
from centerpiece.rules.rule_settings import (
    AIM,
    CLOCK,
    LAST_TILE,
    LATE,
    ROUND_END,
    SCORING,
    SETTING_UP,
    STARTING,
    STUCK,
    TURN,
    WINNING,
    Declared,
)
from centerpiece.text import Refused, Sentence

T = TypeVar("T", bound="Rules")


def _with_engines(rules: "Rules") -> bool:
    """True if rounds start from a double, be it set or found."""
    return bool(rules.engines_for(max(rules.sets)))


def _held_decides(rules: "Rules") -> bool:
    """True if the doubles in the hands decide how a round starts."""
    return rules.engine_choice == "highest-held" and _with_engines(rules)


def _engine_known(rules: "Rules") -> bool:
    """True if the book says which double starts a round."""
    return rules.engine_choice != "highest-held" and _with_engines(rules)


def _downwards(rules: "Rules") -> bool:
    """True if the doubles of the rounds count down."""
    return _with_engines(rules) and rules.engine_choice == "list" and not rules.engines


def _all_doubles(rules: "Rules") -> bool:
    """True if every double of the set has a round; otherwise first and last one say how many."""
    return _downwards(rules) and rules.first_engine is None and rules.last_engine == 0


def _to_the_last(rules: "Rules") -> bool:
    """True if the doubles count down to the last, and do not stop after some rounds."""
    first = max(rules.sets) if rules.first_engine is None else rules.first_engine
    rounds = 99 if rules.rounds is None else rules.rounds
    return _downwards(rules) and rounds > max(1, first - rules.last_engine)


def _several_rounds(rules: "Rules") -> bool:
    return (len(rules.engines_for(max(rules.sets))) or rules.rounds) != 1


def _finder_starts(rules: "Rules") -> bool:
    """True if the player who draws the double of the round lays it and starts."""
    return rules.engine_found == "drawn" and _engine_known(rules)


def _start_moves(rules: "Rules") -> bool:
    """True if the players take turns at starting."""
    return among_several(rules) and not rules.starter_found(2)


def _deals_double_blank(rules: "Rules") -> bool:
    """False if the double blank lies in the middle in every round, so nobody holds it."""
    engines = rules.engines_for(max(rules.sets))
    return _held_decides(rules) or not engines or any(engines)


def _must_announce(rules: "Rules") -> bool:
    return among_several(rules) and rules.last_tile == "must"


Penalty = Literal["none", "draw", "keep", "points", "skip"]


class Rules(Declared, frozen=True, kw_only=True, tag_field="game"):
    """A rule book, in the order of its card.

    Where a source is silent, the default here is what most tables do.
    """

    title: ClassVar[str]
    """The game's name as people say it, such as Mexican Train."""

    name: str
    base: str = ""
    """The profile a house rule set grew from; empty for a profile."""

    aim = AIM.says(
        "Get rid of your tiles, above all the high ones.",
        applies=lambda rules: rules.scores_own_hand and rules.wins == "lowest",
    )
    aim_to_go_out = AIM.says(
        "Be the first to get rid of all your tiles.",
        applies=lambda rules: rules.wins == "rounds" and among_several(rules),
    )

    sets: tuple[int, ...] = SETS
    table_of: int | None = SETTING_UP.number(
        None,
        (2, 10),
        "{value} players should sit at each table.",
        {
            None: "Any number of players that can be dealt to may sit at a table.",
            6: "Six players should sit at each table.",
        },
        applies=among_several,
        unsaid=None,
    )
    rounds: int | None = SETTING_UP.number(
        None,
        (1, 99),
        "The game has {value} {value|round|rounds}.",
        {None: "There is one round for each double.", 1: "The game is a single round."},
        applies=lambda rules: (
            (rules.rounds or 0) > (0 if among_several(rules) else 1)
            or (rules.rounds is None and _all_doubles(rules))
        ),
    )
    engine_choice: Literal["list", "fixed", "highest-held"] = SETTING_UP.choice(
        ("list", "Each round has its own double."),
        ("fixed", "Every round starts from the same double."),
        (
            "highest-held",
            "The highest double that anyone holds is laid in the centerpiece; whoever held it "
            "starts the round.",
        ),
        applies=lambda rules: (
            _held_decides(rules) or (_with_engines(rules) and _several_rounds(rules))
        ),
        unsaid="list",
    )
    engines: tuple[int, ...] = SETTING_UP.number(
        (),
        (0, 15),
        "The {value|starting double is|starting doubles are, in this order:} {value}.",
        {(): "The doubles go down one by one."},
        applies=_engine_known,
        unsaid=(),
    )
    first_engine: int | None = SETTING_UP.number(
        None,
        (0, 15),
        "The first round starts from the double {value}.",
        {None: "The first round starts from the highest double of the set."},
        applies=lambda rules: _engine_known(rules) and not rules.engines,
    )
    next_engine = SETTING_UP.says(
        "Every round after that starts from the next lower double.",
        applies=lambda rules: _downwards(rules) and _several_rounds(rules),
    )
    last_engine: int = SETTING_UP.number(
        0,
        (0, 15),
        "The last round starts from the double {value}.",
        {0: "The last round starts from the double blank."},
        applies=_to_the_last,
    )
    engine_found: Literal["drawn", "placed"] = SETTING_UP.choice(
        ("placed", "Lay the starting double in the centerpiece before you shuffle."),
        (
            "drawn",
            "The starting double is shuffled with the other tiles. Whoever draws it lays it in "
            "the centerpiece and starts. As long as nobody has it, everyone draws one more "
            "tile.",
        ),
        applies=_engine_known,
    )
    hands: Hands = HANDS
    boneyard = SETTING_UP.says(
        "The tiles that are left are the boneyard.",
        applies=lambda rules: among_several(rules) and rules.draw != "none",
    )

    starter: Literal["rotate", "drawn", "highest-tile"] = STARTING.choice(
        ("rotate", "Agree on who starts."),
        ("drawn", "Everyone draws a tile. Whoever has the highest one starts. Shuffle them again."),
        ("highest-tile", "Whoever holds the tile with the most pips starts the round."),
        applies=lambda rules: (
            among_several(rules) and not (_held_decides(rules) or _finder_starts(rules))
        ),
    )
    finder_starts = STARTING.says(
        "Whoever has drawn the starting double starts.",
        applies=lambda rules: among_several(rules) and _finder_starts(rules),
    )
    start_moves = STARTING.says(
        "After that, the start moves on clockwise, round by round.",
        applies=lambda rules: _start_moves(rules) and _several_rounds(rules),
    )
    clockwise = STARTING.says("Play goes clockwise.", applies=among_several)

    turn = TURN.says("On your turn, play one tile that matches an open end.", applies=among_several)

    must_play = STUCK.says("If you can play, you must.", applies=among_several)
    draw: Literal["one", "two", "until-playable", "none"] = STUCK.choice(
        ("one", "If you cannot play, draw one tile, and play it if it fits."),
        ("two", "If you cannot play, draw two tiles, and play one of them if it fits."),
        ("until-playable", "If you cannot play, draw until a tile fits, or until none is left."),
        ("none", "If you cannot play, you pass. You do not draw."),
        applies=among_several,
    )
    stuck = STUCK.says(
        "If you still cannot play, or nothing is left to draw, you pass.",
        applies=lambda rules: among_several(rules) and rules.draw != "none",
    )

    last_tile: Literal["must", "courtesy", "optional"] = LAST_TILE.choice(
        ("optional", "You may announce your last tile."),
        ("must", "When you have one tile left, you must announce it at the centerpiece."),
        ("courtesy", "When you have one tile left, it is a courtesy to announce it."),
        applies=among_several,
    )
    last_tile_cue: Literal["whistle", "rooster", "knock"] = LAST_TILE.choice(
        ("whistle", "The last tile is announced with the whistle."),
        ("rooster", "The last tile is announced with the rooster."),
        ("knock", "The last tile is announced with a knock on wood."),
        applies=among_several,
    )
    last_tile_deadline: Literal["caught", "next-player"] = LAST_TILE.choice(
        ("caught", "You may announce your last tile until you are caught."),
        ("next-player", "You must announce your last tile before the next player's turn is over."),
        applies=lambda rules: (
            _must_announce(rules)
            and (rules.penalty != "none" or rules.last_tile_deadline == "next-player")
        ),
    )
    penalty: Penalty = LAST_TILE.choice(
        ("none", "There is no penalty for a forgotten announcement."),
        ("draw", "Whoever is caught without an announcement must draw."),
        (
            "keep",
            "Whoever is caught without an announcement must draw, and keep what was drawn "
            "without playing it.",
        ),
        ("points", "Whoever is caught without an announcement gets penalty points."),
        ("skip", "Whoever is caught without an announcement loses the next turn."),
        applies=_must_announce,
    )
    penalty_points: int = LAST_TILE.number(
        50,
        (1, 500),
        "The penalty is {value} {value|point|points}.",
        applies=lambda rules: _must_announce(rules) and rules.penalty == "points",
    )
    penalty_tiles: int = LAST_TILE.number(
        1,
        (1, 9),
        "The penalty is {value} {value|tile|tiles}.",
        applies=lambda rules: _must_announce(rules) and rules.penalty in ("draw", "keep"),
    )

    out = ROUND_END.says(
        "The round ends when somebody plays their last tile, even if it is a double.",
        applies=among_several,
    )
    blocked = ROUND_END.says(
        "The round also ends when nobody can play any more: it is blocked.", applies=among_several
    )

    scored: bool = SCORING.choice(
        (True, "Scores are kept."),
        (False, "No scores are kept: when a round is over, the next one begins."),
        applies=lambda rules: among_several(rules) and rules.wins == "lowest",
        unsaid=True,
    )
    own_hand = SCORING.says(
        "When the round is over, you score the pips on the tiles that you have left.",
        applies=lambda rules: rules.scores_own_hand,
    )
    out_bonus: int = SCORING.number(
        0,
        (-100, 100),
        "Whoever went out scores {value} {value|point|points}.",
        {0: "Whoever went out scores nothing."},
        applies=lambda rules: rules.scores_own_hand,
    )
    round_won = SCORING.says(
        "Whoever goes out wins the round. If it is blocked, the lowest hand wins it.",
        applies=lambda rules: among_several(rules) and rules.wins == "rounds",
    )
    double_blank: int = SCORING.number(
        0,
        (0, 500),
        "The double blank counts {value} {value|point|points}.",
        {0: "The double blank counts nothing."},
        applies=lambda rules: (
            rules.counts_hands
            and _deals_double_blank(rules)
            and (rules.double_blank > 0 or _with_engines(rules))
        ),
    )
    blank_half: int = SCORING.number(
        0,
        (0, 100),
        "The blank half of any other tile counts {value} {value|point|points}.",
        applies=lambda rules: rules.counts_hands,
        unsaid=0,
    )
    doubles_twice: bool = SCORING.choice(
        (False, "Doubles count like any other tile."),
        (True, "Doubles count twice."),
        applies=lambda rules: rules.counts_hands,
        unsaid=False,
    )
    out_on_double_doubles: bool = SCORING.choice(
        (False, "Going out on a double changes nothing."),
        (True, "If somebody goes out on a double, everyone else's points are doubled."),
        applies=lambda rules: rules.scores_own_hand,
        unsaid=False,
    )
    blocked_lowest_zero: bool = SCORING.choice(
        (False, "In a blocked round, everyone scores their own tiles."),
        (True, "In a blocked round, the lowest hand scores nothing."),
        applies=lambda rules: rules.scores_own_hand,
        unsaid=False,
    )
    hidden_bones: int | None = SCORING.number(
        None,
        (0, 100),
        "Show your tiles when you count them. If you do not, you score the highest hand of the "
        "round plus {value}.",
        {None: "There is no rule for tiles that are not shown."},
        applies=lambda rules: rules.scores_own_hand,
        unsaid=None,
    )

    scorekeeper: bool = SCORING.choice(
        (False, "Everybody tells their own points."),
        (
            True,
            "A scorekeeper checks and writes down everybody's points, after each round and at the "
            "end.",
        ),
        applies=lambda rules: rules.scores_own_hand,
        unsaid=False,
    )

    endless = WINNING.says(
        "You play as many rounds as you like.",
        applies=lambda rules: (
            not _with_engines(rules) and rules.rounds is None and rules.points_limit is None
        ),
    )
    points_limit: int | None = WINNING.number(
        None,
        (10, 10_000),
        "The game ends when somebody has {value} points.",
        {None: "No number of points ends the game."},
        applies=among_several,
        unsaid=None,
    )
    wins: Literal["lowest", "highest", "rounds"] = WINNING.choice(
        ("lowest", "The lowest total wins."),
        ("highest", "The highest total wins."),
        ("rounds", "Whoever wins the most rounds wins the game."),
        applies=lambda rules: (
            among_several(rules) and (rules.wins != "rounds" or _several_rounds(rules))
        ),
    )
    one_round_won = WINNING.says(
        "Whoever wins the round wins the game.",
        applies=lambda rules: (
            among_several(rules) and rules.wins == "rounds" and not _several_rounds(rules)
        ),
    )
    prizes: int = WINNING.number(
        1,
        (1, 10),
        "The first {value} places win a prize.",
        {
            1: "Only the first place wins a prize.",
            2: "The two best totals are first and second.",
        },
        applies=among_several,
        unsaid=1,
    )
    tie = WINNING.says(
        "If players tie at the end, one more round among them decides.", applies=among_several
    )
    all_tables = WINNING.says(
        "At a rally, the score sheets of all tables are compared.",
        applies=lambda rules: among_several(rules) and rules.prizes > 1,
    )

    late_score: Literal["highest", "average", "zero"] = LATE.choice(
        ("highest", "A latecomer joins in the next round, with the same total as whoever is last."),
        ("average", "A latecomer joins in the next round, with the average of all totals."),
        ("zero", "A latecomer joins in the next round, with no points."),
        applies=lambda rules: (
            among_several(rules) and rules.wins != "rounds" and _several_rounds(rules)
        ),
    )

    turn_limit_s: int | None = CLOCK.number(
        None,
        (5, 3600),
        "Each turn may take {value} seconds.",
        {None: "There is no time limit for a turn."},
        applies=among_several,
        unsaid=None,
    )
    time_limit_min: int | None = CLOCK.number(
        None,
        (1, 24 * 60),
        "The game lasts {value} {value|minute|minutes}. A round that is being played then is "
        "played to its end.",
        {None: "There is no time limit for the game."},
        unsaid=None,
    )

    @property
    def counts_hands(self) -> bool:
        """True if the pips left in the hands matter for the score."""
        return among_several(self) and self.scored

    @property
    def scores_own_hand(self) -> bool:
        """True if players score their own hands: the usual way."""
        return self.counts_hands

    @property
    def game(self) -> str:
        """The game's name, such as `mexican-train`."""
        return str(self.__struct_config__.tag)

    @property
    def full_name(self) -> str:
        """Game and profile, such as `mexican-train/classic`."""
        return f"{self.game}/{self.name}"

    def hand(self, size: int, players: int) -> int | None:
        """Return the tiles that each of so many players draws; None if no hand is listed."""
        return self.hands.get(size, {}).get(players)

    def hand_after_leaving(self, size: int, players: int) -> int | None:
        """Return the tiles of each hand for `players`, who may be fewer than the hands list.

        It is that of the next larger number listed; None if there is none.
        """
        table = self.hands.get(size, {})
        listed = [count for count in table if count >= players]
        return table[min(listed)] if listed else None

    def engines_for(self, size: int) -> tuple[int, ...]:
        """Return the double of each round with a double-`size` set; empty without engines.

        There may be fewer than the rounds agreed on.
        """
        first = size if self.first_engine is None else self.first_engine
        if self.engine_choice == "fixed":
            return (self.engines[0] if self.engines else first,) * (self.rounds or first + 1)
        doubles = self.engines or tuple(range(first, self.last_engine - 1, -1))
        return doubles[: self.rounds]

    def starter_found(self, number: int) -> bool:
        """Return True if the tiles decide who starts round `number`, so nobody can know before."""
        if self.starter == "highest-tile" or _held_decides(self) or _finder_starts(self):
            return True
        return self.starter == "drawn" and number == 1

    @property
    def tracks_turns(self) -> bool:
        """True if the hub has to be told when a turn is over: for a turn timer or a deadline."""
        return self.turn_limit_s is not None or self.last_tile_deadline == "next-player"

    def held_out(self) -> int:
        """Return the number of tiles taken out before the deal: the engine, if there is one."""
        return 1 if _with_engines(self) else 0

    def team_of(self, place: int, players: int) -> int | None:
        """Return the team of the player at `place` (from 0), clockwise; None without teams."""
        return None

    def contradictions(self) -> list[tuple[str, str, Sentence]]:
        """Return pairs of settings that cannot both hold, and the reason; a game adds its own."""
        return [
            *self._contradicting_sets(),
            *self._contradicting_engines(),
            *self._deadlines(),
            *self._contradicting_deals(),
        ]

    def _contradicting_sets(self) -> Iterator[tuple[str, str, Sentence]]:
        """Yield the contradictions of sets without hands, and of doubles that the sets lack."""
        for size in self.sets:
            if not self.hands.get(size):
                why = Sentence("No hand is listed for a double-{size} set.", {"size": size})
                yield "sets", "hands", why
        high = [engine for engine in self.engines if engine > max(self.sets)]
        if high:
            why = Sentence("None of the sets has a double {value}.", {"value": high[0]})
            yield "engines", "sets", why
        if self.first_engine is not None and self.first_engine > min(self.sets):
            why = Sentence(
                "A double-{size} set has no double {engine} to start from.",
                {"size": min(self.sets), "engine": self.first_engine},
            )
            yield "first_engine", "sets", why

    def _contradicting_engines(self) -> Iterator[tuple[str, str, Sentence]]:
        """Yield the contradictions among choice, list and number of the starting doubles."""
        listed = len(self.engines)
        if self.engine_choice == "fixed" and listed > 1:
            facts = {"listed": listed}
            why = Sentence("A single double starts every round, but {listed} are listed.", facts)
            yield "engine_choice", "engines", why
        if self.engine_choice == "highest-held" and listed:
            why = Sentence("The tiles in the hands decide, so no double can be listed.")
            yield "engine_choice", "engines", why
        if self.engine_choice == "list":
            first = max(self.sets) if self.first_engine is None else self.first_engine
            if not self.engines and first < self.last_engine:
                why = Sentence(
                    "The doubles cannot go down from {first} to {last}.",
                    {"first": first, "last": self.last_engine},
                )
                yield "first_engine", "last_engine", why
            doubles = len(self.engines_for(max(self.sets)))
            if 0 < doubles < (self.rounds or 0):
                why = Sentence(
                    "{rounds} rounds need {rounds} doubles, but there {doubles|is|are} only "
                    "{doubles}.",
                    {"rounds": self.rounds, "doubles": doubles},
                )
                yield "rounds", "engines", why

    def _deadlines(self) -> Iterator[tuple[str, str, Sentence]]:
        """Yield the contradictions of a deadline or penalty for a last tile.

        Both need a last tile that must be announced.
        """
        if self.last_tile_deadline == "next-player" and self.last_tile != "must":
            why = Sentence("There can be no deadline unless the last tile must be announced.")
            yield "last_tile_deadline", "last_tile", why
        if self.penalty != "none" and self.last_tile != "must":
            why = Sentence("There can be no penalty unless the last tile must be announced.")
            yield "penalty", "last_tile", why

    def _contradicting_deals(self) -> Iterator[tuple[str, str, Sentence]]:
        """Yield a contradiction for each hand that needs more tiles than its set has."""
        for size, table in self.hands.items():
            for players, hand in table.items():
                needed = players * hand + self.held_out()
                if needed > tiles_in(size):
                    why = Sentence(
                        "{players} {players|player|players} with {hand} {hand|tile|tiles} each "
                        "would need {needed} tiles; a double-{size} set has {tiles}.",
                        {
                            "players": players,
                            "hand": hand,
                            "needed": needed,
                            "size": size,
                            "tiles": tiles_in(size),
                        },
                    )
                    yield "hands", "sets", why


def with_settings(rules: T, changes: Mapping[str, Any], name: str | None = None) -> T:
    """Return a checked book with some settings changed; with a `name`, as house rules called so.

    Refused for unknown settings, bad values and settings that contradict each other.
    """
    changed = rules.changed(changes)
    for first, second, why in changed.contradictions():
        raise Refused(
            "The settings {first} and {second} contradict each other: {why}",
            first=first,
            second=second,
            why=why,
        )
    if name is None:
        return changed
    return replace(changed, name=name, base=rules.base or rules.name)
