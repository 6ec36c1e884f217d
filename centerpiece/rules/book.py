"""The settings that every game's rule book has, and what can be asked of them.

A game adds its own settings by deriving from `Rules`; a profile is an instance.
Each setting has a sentence in `says`: it is read aloud by the rule card and the set-up page, so
a setting without one is a test failure.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self, TypeVar

import msgspec

from centerpiece.rules.domino_sets import tiles_in
from centerpiece.text import Refused, Sentence

Penalty = Literal["none", "draw", "keep", "points", "skip"]
Hands = dict[int, dict[int, int]]
"""Tiles each player draws: by size of the set, then by number of players."""

Says = str | dict[Any, str]
"""A setting's sentence: a template with `{value}`, or one sentence for each value."""

T = TypeVar("T", bound="Rules")


class Rules(msgspec.Struct, frozen=True, kw_only=True, tag_field="game"):
    """One rule book. Where a source is silent, the default here is what `rules.md` gives."""

    name: str
    base: str = ""
    """The profile a house rule set grew from; empty for a profile."""

    sets: tuple[int, ...]
    hands: Hands

    first_engine: int | None = None
    last_engine: int = 0
    rounds: int | None = None
    engines: tuple[int, ...] = ()
    engine_choice: Literal["list", "fixed", "highest-held"] = "list"
    engine_found: Literal["drawn", "placed"] = "placed"
    starter: Literal["rotate", "drawn", "highest-tile"] = "rotate"

    draw: Literal["one", "two", "until-playable"] = "one"
    last_tile: Literal["must", "courtesy", "optional"] = "optional"
    last_tile_cue: Literal["whistle", "rooster", "knock"] = "whistle"
    last_tile_deadline: Literal["caught", "next-player"] = "caught"
    penalty: Penalty = "none"
    penalty_points: int = 50
    penalty_tiles: int = 1

    double_blank: int = 0
    blank_half: int = 0
    doubles_twice: bool = False
    out_bonus: int = 0
    out_on_double_doubles: bool = False
    blocked_lowest_zero: bool = False
    hidden_bones: int | None = None

    wins: Literal["lowest", "highest", "rounds"] = "lowest"
    points_limit: int | None = None
    prizes: int = 1
    late_score: Literal["highest", "average", "zero"] = "highest"
    time_limit_min: int | None = None
    turn_limit_s: int | None = None

    says: ClassVar[dict[str, Says]] = {
        "sets": "Domino sets: double {value}.",
        "hands": "The hands are dealt by the table below.",
        "first_engine": {None: "The first round's double is the highest of the set."},
        "last_engine": "The last round's double is the double {value}.",
        "rounds": {None: "One round for each double.", 1: "The game has one round."},
        "engines": {(): "The doubles follow each other downwards."},
        "engine_choice": {
            "list": "Each round has its own double.",
            "fixed": "Every round starts from the same double.",
            "highest-held": "The highest double that anyone holds starts the round.",
        },
        "engine_found": {
            "placed": "The double is laid in the centerpiece before the shuffle.",
            "drawn": "All draw until someone draws the double.",
        },
        "starter": {
            "rotate": "A chosen player starts; after that the start moves on clockwise.",
            "drawn": "Whoever draws the highest tile starts; after that clockwise.",
            "highest-tile": "Whoever holds the highest tile starts the round.",
        },
        "draw": {
            "one": "Who cannot play draws one tile, and plays it if it fits.",
            "two": "Who cannot play draws two tiles, and plays one of them if it fits.",
            "until-playable": "Who cannot play draws until a tile fits or none is left.",
        },
        "last_tile": {
            "must": "The last tile must be announced at the centerpiece.",
            "courtesy": "Announcing the last tile is a courtesy.",
            "optional": "The last tile may be announced.",
        },
        "last_tile_cue": {
            "whistle": "The last tile sounds the whistle.",
            "rooster": "The last tile sounds the rooster.",
            "knock": "The last tile is a knock on wood.",
        },
        "last_tile_deadline": {
            "caught": "The announcement counts if it comes before being caught.",
            "next-player": "The announcement counts until the next player has finished.",
        },
        "penalty": {
            "none": "There is no penalty for a forgotten announcement.",
            "draw": "Who is caught draws a tile.",
            "keep": "Who is caught keeps a drawn tile without playing it.",
            "points": "Who is caught gets points.",
            "skip": "Who is caught loses the next turn.",
        },
        "penalty_points": "A penalty in points is {value}.",
        "penalty_tiles": {
            1: "A penalty in tiles is one tile.",
            2: "A penalty in tiles is two tiles.",
        },
        "double_blank": "A double blank left in the hand counts {value}.",
        "blank_half": "Each blank half left in the hand counts {value}.",
        "doubles_twice": {
            False: "Doubles in the hand count like any tile.",
            True: "Doubles in the hand count twice.",
        },
        "out_bonus": "Going out scores {value}.",
        "out_on_double_doubles": {
            False: "Going out on a double is nothing special.",
            True: "Going out on a double doubles everyone else's points.",
        },
        "blocked_lowest_zero": {
            False: "In a blocked round everyone scores the own hand.",
            True: "In a blocked round the lowest hand scores zero.",
        },
        "hidden_bones": {None: "Tiles that are not shown have no rule of their own."},
        "wins": {
            "lowest": "The lowest total wins.",
            "highest": "The highest total wins.",
            "rounds": "Who wins the most rounds wins the game.",
        },
        "points_limit": {None: "There is no points limit."},
        "prizes": {
            1: "There is one winner's place.",
            2: "There are two winners' places, first and second.",
        },
        "late_score": {
            "highest": "A late arrival joins at the next round with the table's highest total.",
            "average": "A late arrival joins at the next round with the table's average total.",
            "zero": "A late arrival joins at the next round with nothing.",
        },
        "time_limit_min": {None: "There is no time limit."},
        "turn_limit_s": {None: "There is no turn timer."},
    }
    says_otherwise: ClassVar[dict[str, str]] = {
        "first_engine": "The first round's double is the double {value}.",
        "rounds": "The game has {value} rounds.",
        "engines": "The doubles are {value}.",
        "penalty_tiles": "A penalty in tiles is {value} tiles.",
        "hidden_bones": "Tiles not shown score the round's highest and {value} more.",
        "points_limit": "The game ends when someone reaches {value} points.",
        "prizes": "There are {value} winners' places.",
        "time_limit_min": "The game lasts {value} minutes; the round in play is finished.",
        "turn_limit_s": "Each turn may take {value} seconds.",
    }
    """What a setting says for a value that `says` does not list."""
    limits: ClassVar[dict[str, tuple[int, int]]] = {}
    """What the numbers of a game's own settings may be."""

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
        """Tiles that are out of the deal before it starts: the engine, where it is placed."""
        return 1

    def team_of(self, place: int, players: int) -> int | None:
        """The team of the `place`-th player (from 0) clockwise, in a game of teams."""
        return None

    def sentence(self, setting: str) -> Sentence:
        """What this book says about one setting."""
        value = getattr(self, setting)
        said = self.says[setting]
        if isinstance(said, dict):
            said = said[value] if value in said else self.says_otherwise[setting]
        shown = ", ".join(map(str, value)) if isinstance(value, tuple) else value
        return Sentence(said, {"value": shown})

    def silent(self) -> frozenset[str]:
        """The settings that have nothing to say as things are; a game adds its own."""
        quiet = {
            setting
            for setting in settings_of(self)
            if getattr(self, setting) in (None, False, 0, ())
            and (setting in QUIET_WHEN_UNSET or isinstance(self.says[setting], str))
        }
        quiet -= {"double_blank", "last_engine"}
        quiet |= self._silent_engines()
        if self.last_tile != "must":
            quiet.add("last_tile_deadline")
            if self.penalty == "none":
                quiet.add("penalty")
        if self.penalty != "points":
            quiet.add("penalty_points")
        if self.penalty not in ("draw", "keep"):
            quiet.add("penalty_tiles")
        if self.prizes == 1:
            quiet.add("prizes")
        if max(count for table in self.hands.values() for count in table) == 1:
            quiet |= AMONG_SEVERAL
        return frozenset(quiet)

    def _silent_engines(self) -> set[str]:
        if not self.engines_for(max(self.sets)):
            unset = {s for s in ("rounds", "double_blank") if not getattr(self, s)}
            return unset | ENGINE_SETTINGS
        if self.engine_choice != "list":
            return {"first_engine", "last_engine"}
        return (
            {"engine_choice", "first_engine", "last_engine"} if self.engines else {"engine_choice"}
        )

    def contradictions(self) -> list[tuple[str, str, Sentence]]:
        """Pairs of settings that cannot both hold, and why; a game adds its own."""
        return [*self._contradicting_sets(), *self._contradicting_engines(), *self._deadlines()]

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
            why = Sentence("The tiles in the hands decide, so none can be listed.")
            yield "engine_choice", "engines", why
        if self.engine_choice == "list":
            first = max(self.sets) if self.first_engine is None else self.first_engine
            if not self.engines and first < self.last_engine:
                why = Sentence(
                    "From the double {first} nothing leads down to the double {last}.",
                    {"first": first, "last": self.last_engine},
                )
                yield "first_engine", "last_engine", why
            doubles = len(self.engines_for(max(self.sets)))
            if 0 < doubles < (self.rounds or 0):
                why = Sentence(
                    "{rounds} rounds need {rounds} doubles, but there are {doubles}.",
                    {"rounds": self.rounds, "doubles": doubles},
                )
                yield "rounds", "engines", why

    def _deadlines(self) -> Iterator[tuple[str, str, Sentence]]:
        if self.last_tile_deadline == "next-player" and self.last_tile != "must":
            why = Sentence("A deadline needs an announcement that must be made.")
            yield "last_tile_deadline", "last_tile", why


SIZES = (6, 9, 12, 15)
"""The sets of dominoes there are."""

ENGINE_SETTINGS = frozenset(
    ("first_engine", "last_engine", "engines", "engine_choice", "engine_found")
)
AMONG_SEVERAL = frozenset(
    (
        "starter",
        "draw",
        "last_tile",
        "last_tile_cue",
        "penalty",
        "wins",
        "late_score",
        "double_blank",
    )
)
"""What makes no sense for somebody who plays alone."""
QUIET_WHEN_UNSET = frozenset(
    (
        "engines",
        "doubles_twice",
        "out_on_double_doubles",
        "blocked_lowest_zero",
        "hidden_bones",
        "points_limit",
        "time_limit_min",
        "turn_limit_s",
    )
)
"""What a rule card does not mention unless the table has agreed on it."""

LIMITS: dict[str, tuple[int, int]] = {
    "engines": (0, 15),
    "first_engine": (0, 15),
    "last_engine": (0, 15),
    "rounds": (1, 99),
    "penalty_points": (1, 500),
    "penalty_tiles": (1, 9),
    "double_blank": (0, 500),
    "blank_half": (0, 100),
    "out_bonus": (-100, 100),
    "hidden_bones": (0, 100),
    "points_limit": (10, 10_000),
    "prizes": (1, 10),
    "time_limit_min": (1, 24 * 60),
    "turn_limit_s": (5, 3600),
}
"""What a number may be; a setting that is not listed takes 0 to 99."""


def settings_of(rules: Rules | type[Rules]) -> tuple[str, ...]:
    """The names of all settings of a book, in the order they are printed."""
    return tuple(f for f in rules.__struct_fields__ if f not in ("name", "base"))


def with_settings(rules: T, changes: dict[str, Any], name: str | None = None) -> T:
    """A book with some settings changed, checked; Refused says what would work instead.

    Lines of the hand table are changed one by one: `{"12": {"4": 17}}` leaves the others as they
    are, and null takes a line out.
    """
    changed = _converted(rules, changes, name)
    for first, second, why in changed.contradictions():
        raise Refused(
            "The settings {first} and {second} contradict each other: {why}",
            first=first,
            second=second,
            why=why,
        )
    _check_deal(changed)
    return changed


def _converted(rules: T, changes: dict[str, Any], name: str | None) -> T:
    """The changed book, each setting good in itself."""
    for setting, value in changes.items():
        _check_setting(rules, setting, value)
    document = {**msgspec.to_builtins(rules), **changes}
    if "hands" in changes:
        document["hands"] = _dealt_anew(rules.hands, changes["hands"])
    if name is not None:
        document |= {"name": name, "base": rules.base or rules.name}
    try:
        return msgspec.convert(document, type(rules), strict=True, str_keys=True)
    except msgspec.ValidationError as error:
        raise Refused(
            "A setting has a value that does not fit: {problem}.",
            problem=str(error).replace("`", "“", 1).replace("`", "”", 1),
        ) from None


def _check_setting(rules: Rules, setting: str, value: Any) -> None:
    known = settings_of(rules)
    if setting not in known:
        raise Refused(
            "There is no setting “{setting}” in {game}. The settings are: {known}.",
            setting=setting,
            game=rules.game,
            known=", ".join(known),
        )
    low, high = (LIMITS | rules.limits).get(setting, (0, 99))
    for number in value if isinstance(value, list | tuple) else (value,):
        if type(number) is int and not low <= number <= high:
            raise Refused(
                "{setting} must be {low} to {high}, not {value}.",
                setting=setting,
                low=low,
                high=high,
                value=number,
            )
    listed = isinstance(value, list | tuple) and bool(value)
    if setting == "sets" and not (listed and all(size in SIZES for size in value)):
        raise Refused("sets must be some of 6, 9, 12, 15, not {value}.", value=value)


def _dealt_anew(hands: Hands, changes: Any) -> Hands:
    """The hand table with some lines changed; null takes one out."""
    dealt = {size: dict(table) for size, table in hands.items()}
    try:
        for size, table in changes.items():
            lines = dealt.setdefault(int(size), {})
            for players, hand in table.items():
                lines[int(players)] = hand
    except (AttributeError, TypeError, ValueError):
        raise Refused(
            "hands must be tiles by set and players, such as {example}, not {value}.",
            example='{"12": {"4": 15}}',
            value=changes,
        ) from None
    return {
        size: {players: table[players] for players in sorted(table) if table[players] is not None}
        for size, table in dealt.items()
    }


def _check_deal(rules: Rules) -> None:
    """No line of the hand table may need more tiles than its set has."""
    for size, table in rules.hands.items():
        for players, hand in table.items():
            needed = players * hand + rules.held_out()
            if hand < 1 or needed > tiles_in(size):
                raise Refused(
                    "The settings hands and sets contradict each other: {players} players with "
                    "{hand} tiles each need {needed} tiles; a double-{size} set has {tiles}.",
                    players=players,
                    hand=hand,
                    needed=needed,
                    size=size,
                    tiles=tiles_in(size),
                )


class HouseRules(msgspec.Struct, frozen=True, kw_only=True):
    """A named set of changes to a profile, as it is saved."""

    name: str
    game: str
    profile: str
    changes: dict[str, Any]
    version: int = 1

    @property
    def full_name(self) -> str:
        """Game and name, such as `mexican-train/Tuesday group`."""
        return f"{self.game}/{self.name}"

    def on(self, rules: Rules) -> Rules:
        """The profile with these changes."""
        return with_settings(rules, self.changes, name=self.name)

    def fitting(self, rules: Rules) -> tuple[dict[str, Any], list[str]]:
        """The changes that this release still understands, and the settings left out.

        A set that was saved by an older release may name settings or values that are gone.
        """
        try:
            self.on(rules)
            return self.changes, []
        except Refused:
            pass
        kept: dict[str, Any] = {}
        for setting, value in self.changes.items():
            try:
                _converted(rules, {setting: value}, None)
            except Refused:
                continue
            kept[setting] = value
        try:
            with_settings(rules, kept)
        except Refused:
            kept = _that_agree(rules, kept)
        return kept, [setting for setting in self.changes if setting not in kept]

    @classmethod
    def of(cls, rules: Rules, profile: Rules, name: str) -> Self:
        """What makes `rules` different from its profile, under a name."""
        before, after = msgspec.to_builtins(profile), msgspec.to_builtins(rules)
        changes = {key: after[key] for key in settings_of(rules) if after[key] != before[key]}
        if "hands" in changes:
            changes["hands"] = _changed_lines(profile.hands, rules.hands)
        return cls(name=name, game=rules.game, profile=profile.name, changes=changes)


def _that_agree(rules: Rules, changes: dict[str, Any]) -> dict[str, Any]:
    """As many of the changes as do not contradict each other, the first ones first."""
    kept: dict[str, Any] = {}
    for setting, value in changes.items():
        try:
            with_settings(rules, {**kept, setting: value})
        except Refused:
            continue
        kept[setting] = value
    return kept


def _changed_lines(before: Hands, after: Hands) -> dict[int, dict[int, int | None]]:
    """The lines of a hand table that differ; None for one that is gone."""
    found: dict[int, dict[int, int | None]] = {}
    for size in sorted({*before, *after}):
        old, new = before.get(size, {}), after.get(size, {})
        lines = {n: new.get(n) for n in sorted({*old, *new}) if old.get(n) != new.get(n)}
        if lines:
            found[size] = lines
    return found
