"""The caller: what is said of what has happened, as a good one at a table would.

Events, questions and refusals come in, lines go out: phrases by name and what fills them. The
words are the language's business, and when they are heard the hub's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from centerpiece.games.castle_rock.game import PatienceEnded
from centerpiece.games.castle_rock.rules import CastleRockRules
from centerpiece.games.chickenfoot.game import FootOpened, ToePlayed
from centerpiece.games.mexican_train.game import DoubleOpened
from centerpiece.games.muggins.game import MugginsCalled, PointsWon
from centerpiece.games.super_15.game import (
    NextSkipped,
    OthersDrew,
    Reversed,
    SpellBroken,
    SpellCast,
    TurnLost,
    TurnTaken,
)
from centerpiece.speech.language import Fact, Language, Line, Person, Said
from centerpiece.speech.topics import Topic, Topics
from centerpiece.table import events as e
from centerpiece.table.events import Event
from centerpiece.table.game import Game
from centerpiece.table.questions import Question
from centerpiece.table.rounds import hand, rounds_of
from centerpiece.table.scoring import Standing, counted, rules_of, standings
from centerpiece.table.state import TRAIN, Table
from centerpiece.text import Sentence

TAKEN = "knock"
"""Sounded instead of a hand that cannot be told in time: nothing else would sound."""


class Call(NamedTuple):
    """What there is to say of one thing, in full and in short; nothing where it is not worth it."""

    topic: Topic
    full: tuple[Line, ...]
    short: tuple[Line, ...] = ()


class Message(NamedTuple):
    """What is to be said at once."""

    lines: tuple[Line, ...]
    cue: str | None = None
    """Sounded instead, if it cannot be said in time."""

    def say(self, language: Language) -> Said:
        """The message in a language."""
        return language.say(self.lines)

    @property
    def seats(self) -> tuple[int, ...]:
        """Whom it concerns; nobody in particular where it is empty."""
        facts = [fact for line in self.lines for fact in line.facts.values()]
        people = [f for f in facts if isinstance(f, Person)]
        people += [p for f in facts if not isinstance(f, int | Person) for p in f]
        return tuple(sorted({person.seat for person in people}))


class Happened(NamedTuple):
    """The events of one order, and the table before and after them."""

    game: Game
    before: Table
    table: Table
    events: tuple[Event, ...]


def message(calls: Iterable[Call], topics: Topics, cue: str | None = None) -> Message | None:
    """What is said of all that, by what people want to hear."""
    lines: list[Line] = []
    for call in calls:
        length = topics.of(call.topic)
        lines += {"off": (), "short": call.short, "full": call.full}[length]
    return Message(tuple(lines), cue) if lines else None


def of_events(happened: Happened, topics: Topics) -> Message | None:
    """What is said of events; each hand has a sound of its own, should words be late."""
    calls = [call for event in happened.events for call in _of_event(happened, event)]
    calls += _counted(happened)
    taken = any(isinstance(event, e.ScoreEntered) for event in happened.events)
    return message(calls, topics, TAKEN if taken else None)


def of_notice(topic: Topic, sentence: Sentence, table: Table, known: Iterable[str]) -> Call:
    """What the pages show, said aloud; what no voice knows (`known`) cannot be done, simply."""
    if sentence.template not in known:
        return Call(topic, (Line("refused"),), (Line("refused"),))
    facts = _people(sentence.facts, table)
    full = Line(sentence.template, facts)
    return Call(topic, (full,), (full._replace(short=True),))


def of_question(question: Question, table: Table, known: Iterable[str]) -> Call:
    """What the hub asks; a question that no voice knows is seen, not heard."""
    line = Line(f"ask.{question.what}", _people(question.sentence.facts, table))
    if line.phrase not in known:
        return Call("questions", ())
    more = (Line("ask.out.how"),) if question.what == "out" else ()
    return Call("questions", (line, *more), (line,))


def of_standings(game: Game, table: Table) -> Message:
    """On demand: all of them."""
    lines = tuple(_in_order(game, table, "leads"))
    return Message(lines or (Line("standings.none"),))


# One event


def _of_event(happened: Happened, event: Event) -> Iterator[Call]:
    tell = _TELL.get(type(event))
    if tell is not None:
        yield from tell(happened, event)


def _always(topic: Topic, *lines: Line) -> Call:
    return Call(topic, lines, lines)


def _round_started(happened: Happened, event: e.RoundStarted) -> Iterator[Call]:
    table = happened.table
    if event.among:
        yield _always("round", Line("round.tie", {"names": _all(table, event.among)}))
        return
    last = event.number > 1 and event.number == rounds_of(table)
    number = Line("round.last" if last else "round", {"number": event.number})
    engine, brief, starter = [], [], []
    if event.engine is not None:
        engine.append(_double("engine", event.engine))
        brief.append(_double("engine", event.engine, ".short"))
    if event.starter is not None and not event.asks:
        starter.append(_named(table, "starts", event.starter))
    dealt, asked = hand(table), tuple(_asked_first(table))
    tiles = (Line("tiles", {"tiles": dealt}),) if dealt else ()
    full = (number, *engine, *tiles, *starter, *asked)
    yield Call("round", full, (number, *brief, *starter, *asked))


def _asked_first(table: Table) -> Iterator[Line]:
    if table.asks_which_double():
        yield _double("who.holds", table.asked or 0)
    elif table.asks_who_starts():
        yield Line("who.starts")


def _double(phrase: str, engine: int, more: str = "") -> Line:
    """The double blank has a name, not a number."""
    if engine == 0:
        return Line(f"{phrase}.blank{more}")
    return Line(f"{phrase}{more}", {"engine": engine})


def _engine_found(happened: Happened, event: e.EngineFound) -> Iterator[Call]:
    if event.seat is None:
        yield _always("round", _double("engine", event.engine, ".short"))
    else:
        line = _double("starts.with", event.engine)
        facts = {**line.facts, "name": _person(happened.table, event.seat)}
        yield _always("round", line._replace(facts=facts))


def _engine_passed(happened: Happened, event: e.EnginePassed) -> Iterator[Call]:
    nobody = (Line("nobody.holds"),) if event.asked > event.engine else ()
    yield _always("round", *nobody, _double("who.holds", event.asked))


def _penalized(happened: Happened, event: e.Penalized) -> Iterator[Call]:
    name = _person(happened.table, event.seat)
    caught = (Line("caught", {"name": name}),) if event.caught else ()
    tiles, points = happened.table.rules.penalty_tiles, event.points
    line = {
        "draw": Line("caught.draw", {"name": name, "tiles": tiles}),
        "keep": Line("caught.draw", {"name": name, "tiles": tiles}),
        "points": Line("caught.points", {"name": name, "points": points}),
        "skip": Line("caught.skip", {"name": name}),
    }
    penalty = (line[event.kind],) if event.kind else ()
    yield Call("last_tile", (*caught, *penalty), penalty or caught)


def _points_won(happened: Happened, event: PointsWon) -> Iterator[Call]:
    table, game = happened.table, happened.game
    awards = table.rounds[-1].awards if table.rounds else ()
    points = awards[-1].points if awards else event.points
    facts: dict[str, Fact] = {"name": _person(table, event.seat), "points": points}
    phrase = "muggins" if event.taken else "points"
    if game.won_in_play(table):
        phrase = "points.game"
    yield _always("play", Line(phrase, facts))


def _double_opened(happened: Happened, event: DoubleOpened) -> Iterator[Call]:
    if event.where == TRAIN:
        yield Call("play", (Line("double.open.train"),))
    else:
        yield Call("play", (_named(happened.table, "double.open", event.where),))


def _toe_played(happened: Happened, event: ToePlayed) -> Iterator[Call]:
    if getattr(happened.table.play, "toes", None) is None:
        yield Call("play", (Line("foot.done"),))


def _went_out(happened: Happened, event: e.WentOut) -> Iterator[Call]:
    doubled = event.on_double and happened.table.rules.out_on_double_doubles
    phrase = "out.double" if doubled else "out"
    yield _always("hands", _named(happened.table, phrase, event.seat))


def _score_entered(happened: Happened, event: e.ScoreEntered) -> Iterator[Call]:
    table, entry = happened.table, event.entry
    rules = rules_of(table, table.rounds[event.round - 1])
    facts: dict[str, Fact] = {"name": _person(table, event.seat), "points": counted(rules, entry)}
    if event.was is not None:
        more: dict[str, Fact] = {"round": event.round, "was": counted(rules, event.was)}
        brief = Line("changed.short", facts)
        yield Call("changes", (Line("changed", facts | more),), (brief,))
    elif entry.hidden:
        yield _always("hands", Line("hand.hidden", {"name": facts["name"]}))
    elif entry.tiles is not None:
        full = Line("hand.tiles", facts | {"tiles": entry.tiles})
        yield Call("hands", (full,), (Line("hand", facts),))
    else:
        full = Line("hand.blank" if entry.double_blank else "hand", facts)
        yield Call("hands", (full,), (Line("hand", facts),))


def _out_changed(happened: Happened, event: e.OutChanged) -> Iterator[Call]:
    facts: dict[str, Fact] = {"round": event.round}
    if event.seat is None:
        yield _always("changes", Line("changed.blocked", facts))
    else:
        facts["name"] = _person(happened.table, event.seat)
        yield _always("changes", Line("changed.out", facts))


def _finished(happened: Happened, event: e.GameFinished) -> Iterator[Call]:
    """The winner; a patience has told its own end."""
    if any(isinstance(other, PatienceEnded) for other in happened.events):
        return
    table, over = happened.table, Line("over")
    if not event.winners:
        yield _always("winner", over)
        return
    lines = {line.seat.number: line for line in standings(happened.game, table)}
    facts: dict[str, Fact] = {"names": _all(table, event.winners)}
    facts["total"] = lines[event.winners[0]].total
    if len(event.winners) > 1 and not _one_team(table, event.winners):
        yield _always("winner", over, Line("tie", facts))
        return
    others = list(_in_order(happened.game, table, "wins"))[1:2]
    yield Call("winner", (over, Line("wins", facts), *others), (Line("wins.short", facts),))


def _patience(happened: Happened, event: PatienceEnded) -> Iterator[Call]:
    facts: dict[str, Fact] = {"left": event.left}
    if event.left <= cast(CastleRockRules, happened.table.rules).won_with:
        facts["name"] = _person(happened.table, event.seat)
        yield _always("winner", Line("patience.won", facts))
    else:
        yield _always("winner", Line("patience", facts))


def _winners_changed(happened: Happened, event: e.WinnersChanged) -> Iterator[Call]:
    if event.winners:
        names = {"names": _all(happened.table, event.winners)}
        yield _always("changes", Line("changed.winner", names))
    else:
        yield _always("changes", Line("changed.nobody"))


def _substituted(happened: Happened, event: e.Substituted) -> Iterator[Call]:
    was = Person(event.was, event.seat)
    yield _always("people", Line("plays.for", {"name": Person(event.name, event.seat), "was": was}))


# The standings


def _counted(happened: Happened) -> list[Call]:
    """When the last hand is in: who leads, and how it stands."""
    game, before, table = happened.game, happened.before, happened.table
    if not (_counts(game, before) and table.phase == "scoring" and not _counts(game, table)):
        return []
    first = _leaders(game, table)
    if not first:
        return []
    was = _leaders(game, before)
    phrase = "leads" if not was else "leads.still" if was == first else "leads.now"
    lines = tuple(_in_order(game, table, phrase))
    return [Call("standings", lines, lines[:1])]


def _counts(game: Game, table: Table) -> bool:
    return table.phase == "scoring" and bool(game.to_count(table))


def _leaders(game: Game, table: Table) -> list[int]:
    return [line.seat.number for line in standings(game, table) if line.place == 1]


def _in_order(game: Game, table: Table, first: str) -> Iterator[Line]:
    """Place by place; those who share one, together. Nobody is said to follow a whole crowd."""
    placed: dict[int, list[Standing]] = {}
    for line in standings(game, table):
        if line.place is not None:
            placed.setdefault(line.place, []).append(line)
    for number, place in enumerate(sorted(placed)):
        lines = placed[place]
        names = tuple(Person(line.seat.name, line.seat.number) for line in lines)
        phrase = first if number == 0 else "follows" if number == 1 else "then"
        yield Line(phrase, {"names": names, "total": lines[0].total})


# People


def _person(table: Table, number: int) -> Person:
    return Person(table.name(number), number)


def _all(table: Table, seats: Sequence[int]) -> tuple[Person, ...]:
    return tuple(_person(table, seat) for seat in seats)


def _named(table: Table, phrase: str, number: int) -> Line:
    return Line(phrase, {"name": _person(table, number)})


def _one_team(table: Table, winners: Sequence[int]) -> bool:
    teams = {seat.team for seat in table.seats if seat.number in winners}
    return len(teams) == 1 and None not in teams


def _people(facts: Mapping[str, Any], table: Table) -> dict[str, Fact]:
    """The facts of a sentence that can be said: numbers, and people by their names."""
    seats = {seat.name: seat.number for seat in table.seats}

    def person(name: str) -> Person:
        return Person(name, seats.get(name, 0))

    said: dict[str, Fact] = {}
    for key, fact in facts.items():
        if isinstance(fact, int):
            said[key] = fact
        elif isinstance(fact, str):
            said[key] = person(fact)
        elif isinstance(fact, list | tuple) and all(isinstance(each, str) for each in fact):
            said[key] = tuple(map(person, fact))
    return said


Tell = Callable[[Happened, Any], Iterable[Call]]


def _seat(topic: Topic, full: str, short: str | None = None) -> Tell:
    """Something that happened to one seat; the same in short, unless another phrase is given."""

    def tell(happened: Happened, event: Any) -> Iterator[Call]:
        brief = full if short is None else short
        lines = (_named(happened.table, brief, event.seat),) if brief else ()
        yield Call(topic, (_named(happened.table, full, event.seat),), lines)

    return tell


def _phrase(topic: Topic, full: str, short: str | None = None) -> Tell:
    """Something that is always said in the same words."""
    brief = full if short is None else short
    call = Call(topic, (Line(full),), (Line(brief),) if brief else ())
    return lambda happened, event: (call,)


_TELL: dict[type[Event], Tell] = {
    e.RoundStarted: _round_started,
    e.StarterDesignated: _seat("round", "starts"),
    e.StarterDrawn: _seat("round", "lot"),
    e.EngineFound: _engine_found,
    e.EnginePassed: _engine_passed,
    e.LastTileCalled: _seat("last_tile", "last.tile", "last.tile.short"),
    e.Penalized: _penalized,
    e.WentOut: _went_out,
    e.RoundBlocked: _phrase("hands", "blocked"),
    e.ScoreEntered: _score_entered,
    e.OutChanged: _out_changed,
    e.GameFinished: _finished,
    e.WinnersChanged: _winners_changed,
    e.GameReopened: _phrase("changes", "changed.goes.on"),
    e.Undone: _phrase("changes", "undone", ""),
    e.Redone: _phrase("changes", "redone", ""),
    e.Joined: _seat("people", "joins"),
    e.Left: _seat("people", "leaves"),
    e.Substituted: _substituted,
    e.Parked: _seat("people", "away"),
    e.Returned: _seat("people", "back"),
    PointsWon: _points_won,
    MugginsCalled: _seat("play", "muggins.called"),
    DoubleOpened: _double_opened,
    FootOpened: lambda happened, event: (Call("play", (Line("foot", {"toes": event.needed}),)),),
    ToePlayed: _toe_played,
    OthersDrew: _seat("play", "all.draw", ""),
    Reversed: _phrase("play", "reversed", ""),
    TurnLost: _seat("play", "skipped", ""),
    NextSkipped: _phrase("play", "skipped.next", ""),
    SpellCast: _phrase("play", "spell", ""),
    SpellBroken: _phrase("play", "spell.broken", ""),
    TurnTaken: _seat("play", "turn", ""),
    PatienceEnded: _patience,
}
"""What is said of which event; of all others nothing."""

TOLD = frozenset(_TELL)
"""Events of which there is something to say."""
