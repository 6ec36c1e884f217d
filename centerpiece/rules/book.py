"""The rule book that all games share: its settings, and what can be asked of them.

A game adds its own settings by deriving from `Rules`; a profile is an instance.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, TypeVar

from msgspec.structs import replace

from centerpiece.rules.deal import HANDS, SETS, Hands
from centerpiece.rules.domino_sets import tiles_in
from centerpiece.rules.settings import (
    LAST_TILE,
    PLAYING,
    ROUNDS,
    SCORING,
    WINNING,
    Declared,
)
from centerpiece.text import Refused, Sentence

T = TypeVar("T", bound="Rules")


def _among_several(rules: "Rules") -> bool:
    """Whether anyone can play against anyone: some games are for one."""
    return max(count for table in rules.hands.values() for count in table) > 1


def _with_engines(rules: "Rules") -> bool:
    """Whether a double is set for each round, or found."""
    return bool(rules.engines_for(max(rules.sets)))


def _downwards(rules: "Rules") -> bool:
    """Whether the rounds' doubles go down from one to another."""
    return _with_engines(rules) and rules.engine_choice == "list" and not rules.engines


Penalty = Literal["none", "draw", "keep", "points", "skip"]


class Rules(Declared, frozen=True, kw_only=True, tag_field="game"):
    """One rule book. Where a source is silent, the default here is what `rules.md` gives."""

    title: ClassVar[str]
    """The game's name as people say it, such as Mexican Train."""

    name: str
    base: str = ""
    """The profile a house rule set grew from; empty for a profile."""

    sets: tuple[int, ...] = SETS
    hands: Hands = HANDS

    engine_choice: Literal["list", "fixed", "highest-held"] = ROUNDS.choice(
        ("list", "Each round has its own double."),
        ("fixed", "Every round starts from the same double."),
        ("highest-held", "The highest double that anyone holds starts the round."),
        applies=_with_engines,
        unsaid="list",
    )
    engines: tuple[int, ...] = ROUNDS.number(
        (),
        (0, 15),
        "The {value|double is|doubles are} {value}.",
        {(): "The doubles go down one by one."},
        applies=_with_engines,
        unsaid=(),
    )
    first_engine: int | None = ROUNDS.number(
        None,
        (0, 15),
        "The first round starts from the double {value}.",
        {None: "The first round starts from the set's highest double."},
        applies=_downwards,
    )
    last_engine: int = ROUNDS.number(
        0, (0, 15), "The last round starts from the double {value}.", applies=_downwards
    )
    rounds: int | None = ROUNDS.number(
        None,
        (1, 99),
        "The game has {value} {value|round|rounds}.",
        {None: "There is one round for each double."},
        applies=lambda rules: rules.rounds is not None or _with_engines(rules),
    )
    engine_found: Literal["drawn", "placed"] = ROUNDS.choice(
        ("placed", "The double is laid in the centerpiece before the shuffle."),
        ("drawn", "Everyone draws until someone has the double."),
        applies=_with_engines,
    )
    starter: Literal["rotate", "drawn", "highest-tile"] = ROUNDS.choice(
        ("rotate", "A chosen player starts; each round, the start moves on clockwise."),
        (
            "drawn",
            "Whoever draws the highest tile starts; each round, the start moves on clockwise.",
        ),
        ("highest-tile", "Whoever holds the highest tile starts the round."),
        applies=_among_several,
    )

    draw: Literal["one", "two", "until-playable", "none"] = PLAYING.choice(
        ("one", "A player who cannot play draws one tile, and plays it if it fits."),
        ("two", "A player who cannot play draws two tiles, and plays one of them if it fits."),
        ("until-playable", "A player who cannot play draws until a tile fits or none is left."),
        ("none", "A player who cannot play passes; nothing is drawn."),
        applies=_among_several,
    )
    turn_limit_s: int | None = PLAYING.number(
        None,
        (5, 3600),
        "Each turn may take {value} seconds.",
        {None: "There is no turn timer."},
        unsaid=None,
    )

    last_tile: Literal["must", "courtesy", "optional"] = LAST_TILE.choice(
        ("optional", "The last tile may be announced."),
        ("must", "The last tile must be announced at the centerpiece."),
        ("courtesy", "Announcing the last tile is a courtesy."),
        applies=_among_several,
    )
    last_tile_cue: Literal["whistle", "rooster", "knock"] = LAST_TILE.choice(
        ("whistle", "The last tile is announced with the whistle."),
        ("rooster", "The last tile is announced with the rooster."),
        ("knock", "The last tile is announced with a knock on wood."),
        applies=_among_several,
    )
    last_tile_deadline: Literal["caught", "next-player"] = LAST_TILE.choice(
        ("caught", "An announcement counts until its player is caught."),
        ("next-player", "An announcement counts until the next player's turn is over."),
        applies=lambda rules: rules.last_tile == "must",
    )
    penalty: Penalty = LAST_TILE.choice(
        ("none", "There is no penalty for a forgotten announcement."),
        ("draw", "A player who is caught must draw."),
        ("keep", "A player who is caught must draw, and keep what was drawn without playing it."),
        ("points", "A player who is caught gets penalty points."),
        ("skip", "A player who is caught loses the next turn."),
        applies=lambda rules: (
            _among_several(rules) and (rules.last_tile == "must" or rules.penalty != "none")
        ),
    )
    penalty_points: int = LAST_TILE.number(
        50,
        (1, 500),
        "The penalty is {value} {value|point|points}.",
        applies=lambda rules: rules.penalty == "points",
    )
    penalty_tiles: int = LAST_TILE.number(
        1,
        (1, 9),
        "The penalty is {value} {value|tile|tiles} to draw.",
        applies=lambda rules: rules.penalty in ("draw", "keep"),
    )

    double_blank: int = SCORING.number(
        0,
        (0, 500),
        "A double blank left in the hand counts {value}.",
        applies=lambda rules: (
            _among_several(rules) and (rules.double_blank > 0 or _with_engines(rules))
        ),
    )
    blank_half: int = SCORING.number(
        0, (0, 100), "Each blank half left in the hand counts {value}.", unsaid=0
    )
    doubles_twice: bool = SCORING.choice(
        (False, "Doubles left in the hand count like any other tile."),
        (True, "Doubles left in the hand count twice."),
        unsaid=False,
    )
    out_bonus: int = SCORING.number(0, (-100, 100), "Going out scores {value}.", unsaid=0)
    out_on_double_doubles: bool = SCORING.choice(
        (False, "Going out on a double is nothing special."),
        (True, "Going out on a double doubles everyone else's points."),
        unsaid=False,
    )
    blocked_lowest_zero: bool = SCORING.choice(
        (False, "In a blocked round everyone scores their own hand."),
        (True, "In a blocked round the lowest hand scores zero."),
        unsaid=False,
    )
    hidden_bones: int | None = SCORING.number(
        None,
        (0, 100),
        "A hand that is not shown scores the highest of the round plus {value}.",
        {None: "There is no rule for a hand that is not shown."},
        unsaid=None,
    )

    wins: Literal["lowest", "highest", "rounds"] = WINNING.choice(
        ("lowest", "The lowest total wins."),
        ("highest", "The highest total wins."),
        ("rounds", "Whoever wins the most rounds wins the game."),
        applies=_among_several,
    )
    points_limit: int | None = WINNING.number(
        None,
        (10, 10_000),
        "The game ends when someone reaches {value} points.",
        {None: "There is no points limit."},
        unsaid=None,
    )
    prizes: int = WINNING.number(
        1, (1, 10), "The first {value} places win.", {1: "Only first place wins."}, unsaid=1
    )
    late_score: Literal["highest", "average", "zero"] = WINNING.choice(
        ("highest", "A latecomer joins in the next round with the table's highest total."),
        ("average", "A latecomer joins in the next round with the table's average total."),
        ("zero", "A latecomer joins in the next round with a total of zero."),
        applies=_among_several,
    )
    time_limit_min: int | None = WINNING.number(
        None,
        (1, 24 * 60),
        "The game lasts {value} {value|minute|minutes}; the round in play is played to its end.",
        {None: "There is no time limit."},
        unsaid=None,
    )

    @property
    def game(self) -> str:
        """The game's name, such as `mexican-train`."""
        return str(self.__struct_config__.tag)

    @property
    def full_name(self) -> str:
        """Game and profile, such as `mexican-train/classic`."""
        return f"{self.game}/{self.name}"

    def hand(self, size: int, players: int) -> int | None:
        """Tiles each player draws, or None where the sheet has no such table."""
        return self.hands.get(size, {}).get(players)

    def hand_after_leaving(self, size: int, players: int) -> int | None:
        """As `hand`, but for a table that got smaller: the nearest larger entry still deals."""
        table = self.hands.get(size, {})
        listed = [count for count in table if count >= players]
        return table[min(listed)] if listed else None

    def engines_for(self, size: int) -> tuple[int, ...]:
        """The double of each round; empty for a game without engines."""
        first = size if self.first_engine is None else self.first_engine
        if self.engine_choice == "fixed":
            return (self.engines[0] if self.engines else first,) * (self.rounds or first + 1)
        doubles = self.engines or tuple(range(first, self.last_engine - 1, -1))
        return doubles[: self.rounds]

    @property
    def tells_turns(self) -> bool:
        """Whether the hub has to be told when a turn is over: for a turn timer or a deadline."""
        return self.turn_limit_s is not None or self.last_tile_deadline == "next-player"

    def held_out(self) -> int:
        """Tiles that are out of the deal before it starts: the engine, if there is one."""
        return 1 if _with_engines(self) else 0

    def team_of(self, place: int, players: int) -> int | None:
        """The team of the `place`-th player (from 0) clockwise, in a game of teams."""
        return None

    def contradictions(self) -> list[tuple[str, str, Sentence]]:
        """Pairs of settings that cannot both hold, and why; a game adds its own."""
        return [
            *self._contradicting_sets(),
            *self._contradicting_engines(),
            *self._deadlines(),
            *self._contradicting_deals(),
        ]

    def _contradicting_sets(self) -> Iterator[tuple[str, str, Sentence]]:
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
        if self.last_tile_deadline == "next-player" and self.last_tile != "must":
            why = Sentence("There can be no deadline unless the last tile must be announced.")
            yield "last_tile_deadline", "last_tile", why

    def _contradicting_deals(self) -> Iterator[tuple[str, str, Sentence]]:
        """No line of the hand table may need more tiles than its set has."""
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
    """A book with some settings changed, checked; Refused says what would work instead."""
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
