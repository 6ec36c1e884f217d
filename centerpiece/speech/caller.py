"""The caller: spoken lines for events, questions and refusals.

A line is the name of a phrase and its facts. `language` turns it into words, and `hub.voice` times
it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from centerpiece.speech.language import Language, Said
from centerpiece.speech.topics import Topics
from centerpiece.table import events as e
from centerpiece.table.events import Event
from centerpiece.table.game import Game
from centerpiece.table.question import Question
from centerpiece.table.rounds import hand, rounds_of
from centerpiece.table.scoring import (
    Standing,
    all_missing,
    counted,
    last_hand_counted,
    may_play_off,
    rules_of,
    share_a_prize,
    standings,
)
from centerpiece.table.state import Table
from centerpiece.table.telling import (
    Call,
    Fact,
    Happened,
    Person,
    SpokenLine,
    Tell,
    Topic,
    always,
    in_words,
    named,
    of_seat,
    person,
)
from centerpiece.text import Sentence

TAKEN = "knock"
"""The cue for a counted hand whose words come too late; otherwise it would be silent."""


class Message(NamedTuple):
    """Lines that are spoken together."""

    lines: tuple[SpokenLine, ...]
    cue: str | None = None
    """Played instead if the words come too late."""
    asked_for: bool = False
    """True if somebody waits for it, who would rather hear it late than never."""

    def say(self, language: Language) -> Said:
        return language.say(self.lines)

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats of the people it names."""
        facts = [fact for line in self.lines for fact in line.facts.values()]
        people = [f for f in facts if isinstance(f, Person)]
        people += [p for f in facts if not isinstance(f, int | Person) for p in f]
        return tuple(sorted({person.seat for person in people}))


def message(calls: Iterable[Call], topics: Topics, cue: str | None = None) -> Message | None:
    """Return the lines of calls, each as long as chosen for its topic, as a message.

    None if nothing is left to say, because topics are off or have no short form. `cue` is played if
    the words cannot be.
    """
    lines: list[SpokenLine] = []
    for call in calls:
        length = topics.of(call.topic)
        lines += {"off": (), "short": call.short, "full": call.full}[length]
    return Message(tuple(lines), cue) if lines else None


def of_events(happened: Happened, topics: Topics) -> Message | None:
    """Return the message for events; None if nothing is to be said.

    If a hand was entered, it has a cue, played if the words cannot be.
    """
    calls = [call for event in happened.events for call in _of_event(happened, event)]
    calls += _counted(happened)
    taken = any(isinstance(event, e.ScoreEntered) for event in happened.events)
    return message(calls, topics, TAKEN if taken else None)


def of_notice(topic: Topic, sentence: Sentence, table: Table, notices: Iterable[str]) -> Call:
    """Return the call that speaks a sentence of the pages, in short its first sentence.

    If the sentence is not in `notices`, which can be spoken, it is a generic refusal.
    """
    if sentence.template not in notices:
        return Call(topic, (SpokenLine("refused"),), (SpokenLine("refused"),))
    facts = _people(sentence.facts, table)
    full = SpokenLine(sentence.template, facts)
    return Call(topic, (full,), (full._replace(short=True),))


def of_question(question: Question, table: Table, phrases: Iterable[str]) -> Call:
    """Return the call for a question; an empty one if its phrase is not in `phrases`.

    A player who plays alone is not asked aloud who went out.
    """
    phrase = question.spoken or f"ask.{question.what}"
    line = SpokenLine(phrase, _people(question.sentence.facts, table))
    alone = question.what == "out" and len(question.seats) == 1
    if alone or line.phrase not in phrases:
        return Call("questions", ())
    more = (SpokenLine("ask.out.how"),) if question.what == "out" else ()
    return Call("questions", (line, *more), (line,))


def of_standings(game: Game, table: Table) -> Message:
    """Return the standings as a message, or that there are none."""
    lines = tuple(_in_order(game, table, "leads"))
    return Message(lines or (SpokenLine("standings.none"),), asked_for=True)


def of_sample(table: Table, seat: int) -> Message:
    """Return the name of the player at `seat`; with seat 0, two numbers that sound alike."""
    if seat:
        return Message((named(table, "name", seat),), asked_for=True)
    who = next((person.number for person in table.seats), 1)
    numbers = tuple(
        SpokenLine("hand", {"name": person(table, who), "points": points}) for points in (15, 50)
    )
    return Message(numbers, asked_for=True)


# One event


def tells(game: Game, event: Event) -> Tell | None:
    """Return the function that makes calls of an event, a shared one or the game's own.

    None if nothing is said about such an event.
    """
    return _TELL.get(type(event)) or game.spoken.get(type(event))


def _of_event(happened: Happened, event: Event) -> Iterator[Call]:
    if tell := tells(happened.game, event):
        yield from tell(happened, event)


def _round_started(happened: Happened, event: e.RoundStarted) -> Iterator[Call]:
    """Yield the call for a new round: its number, the double, the tiles to draw, who starts.

    A play-off has only a line of its own.
    """
    table = happened.table
    if event.among:
        yield always("round", SpokenLine("round.tie", {"names": _all(table, event.among)}))
        return
    last = event.number > 1 and event.number == rounds_of(table)
    number = SpokenLine("round.last" if last else "round", {"number": event.number})
    engine, brief, starter = [], [], []
    if event.engine is not None:
        engine.append(_double("engine", event.engine))
        brief.append(_double("engine", event.engine, ".short"))
    if event.starter is not None and not event.asks:
        starter.append(named(table, "starts", event.starter))
    dealt, asked = hand(table), tuple(_asked_first(table))
    tiles = (SpokenLine("tiles", {"tiles": dealt}),) if dealt else ()
    full = (number, *engine, *tiles, *starter, *asked)
    yield Call("round", full, (number, *brief, *starter, *asked))


def _asked_first(table: Table) -> Iterator[SpokenLine]:
    """Yield the question about the double or the starter, if the table asks one."""
    if table.asks_which_double():
        yield _double("who.holds", table.asked or 0)
    elif table.asks_who_starts():
        yield SpokenLine("who.starts")


def _double(phrase: str, engine: int, more: str = "") -> SpokenLine:
    """Return a line about the double of a number, by a phrase that may end in `more`.

    The double blank has a phrase of its own.
    """
    if engine == 0:
        return SpokenLine(f"{phrase}.blank{more}")
    return SpokenLine(f"{phrase}{more}", {"engine": engine})


def _engine_found(happened: Happened, event: e.EngineFound) -> Iterator[Call]:
    """Yield the call for the starting double, with who laid it if that is known."""
    if event.seat is None:
        yield always("round", _double("engine", event.engine, ".short"))
    else:
        line = _double("starts.with", event.engine)
        facts = {**line.facts, "name": person(happened.table, event.seat)}
        yield always("round", line._replace(facts=facts))


def _engine_passed(happened: Happened, event: e.EnginePassed) -> Iterator[Call]:
    nobody = (SpokenLine("nobody.holds"),) if event.asked > event.engine else ()
    yield always("round", *nobody, _double("who.holds", event.asked))


def _penalized(happened: Happened, event: e.Penalized) -> Iterator[Call]:
    """Yield the call for a penalty, and for being caught.

    The short form leaves out the catch, unless it has no penalty.
    """
    name = person(happened.table, event.seat)
    caught = (SpokenLine("caught", {"name": name}),) if event.caught else ()
    tiles, points = happened.table.rules.penalty_tiles, event.points
    line = {
        "draw": SpokenLine("caught.draw", {"name": name, "tiles": tiles}),
        "keep": SpokenLine("caught.draw", {"name": name, "tiles": tiles}),
        "points": SpokenLine("caught.points", {"name": name, "points": points}),
        "skip": SpokenLine("caught.skip", {"name": name}),
    }
    penalty = (line[event.kind],) if event.kind else ()
    yield Call("last_tile", (*caught, *penalty), penalty or caught)


def _went_out(happened: Happened, event: e.WentOut) -> Iterator[Call]:
    doubled = event.on_double and happened.table.rules.out_on_double_doubles
    line = named(happened.table, "out.double" if doubled else "out", event.seat)
    yield Call("hands", (line,), (line._replace(short=True),))


def _score_entered(happened: Happened, event: e.ScoreEntered) -> Iterator[Call]:
    """Yield the call for a hand, in points; one that replaces another is a change."""
    table, entry = happened.table, event.entry
    rules = rules_of(table, table.rounds[event.round - 1])
    facts: dict[str, Fact] = {"name": person(table, event.seat), "points": counted(rules, entry)}
    if event.was is not None:
        more: dict[str, Fact] = {"round": event.round, "was": counted(rules, event.was)}
        brief = SpokenLine("changed.short", facts)
        yield Call("changes", (SpokenLine("changed", facts | more),), (brief,))
    elif entry.hidden:
        yield always("hands", SpokenLine("hand.hidden", {"name": facts["name"]}))
    elif entry.tiles is not None:
        facts["tiles"] = entry.tiles
        if entry.pips_known:
            yield Call("hands", (SpokenLine("hand.tiles", facts),), (SpokenLine("hand", facts),))
        else:
            yield always("hands", SpokenLine("hand.tiles.only", facts))
    else:
        full = SpokenLine("hand.blank" if entry.double_blank else "hand", facts)
        yield Call("hands", (full,), (SpokenLine("hand", facts),))


def _out_changed(happened: Happened, event: e.OutChanged) -> Iterator[Call]:
    """Yield the call for a correction of who went out, or that the round was blocked."""
    facts: dict[str, Fact] = {"round": event.round}
    if event.seat is None:
        yield always("changes", SpokenLine("changed.blocked", facts))
    else:
        facts["name"] = person(happened.table, event.seat)
        yield always("changes", SpokenLine("changed.out", facts))


def _finished(happened: Happened, event: e.GameFinished) -> Iterator[Call]:
    """Yield the call for the end of a game: winners or a tie, second place and play-off.

    Nothing if an event of the game itself has a call for the winner.
    """
    others = (other for other in happened.events if type(other) in happened.game.spoken)
    if any(call.topic == "winner" for other in others for call in _of_event(happened, other)):
        return
    table, over = happened.table, SpokenLine("over")
    if not event.winners:
        yield always("winner", over)
        return
    lines = {line.seat.number: line for line in standings(happened.game, table)}
    facts: dict[str, Fact] = {"names": _all(table, event.winners)}
    facts["total"] = lines[event.winners[0]].total
    shared = may_play_off(share_a_prize(table.rules, tuple(lines.values())))
    play_off = (SpokenLine("play.off"),) if shared else ()
    second = tuple(_in_order(happened.game, table, "wins"))[1:2]
    prize = second if table.rules.prizes > 1 else ()
    if len(event.winners) > 1 and not _one_team(table, event.winners):
        yield always("winner", over, SpokenLine("tie", facts), *play_off)
        return
    yield Call(
        "winner",
        (over, SpokenLine("wins", facts), *second, *play_off),
        (SpokenLine("wins.short", facts), *prize, *play_off),
    )


def _winners_changed(happened: Happened, event: e.WinnersChanged) -> Iterator[Call]:
    if event.winners:
        names = {"names": _all(happened.table, event.winners)}
        yield always("changes", SpokenLine("changed.winner", names))
    else:
        yield always("changes", SpokenLine("changed.nobody"))


def _substituted(happened: Happened, event: e.Substituted) -> Iterator[Call]:
    was = Person(event.was, event.seat)
    yield always(
        "people", SpokenLine("plays.for", {"name": Person(event.name, event.seat), "was": was})
    )


# The standings


def _counted(happened: Happened) -> list[Call]:
    """Return the call for the standings if these events have completed the round's hands.

    Otherwise nothing; nothing either while nobody leads.
    """
    game, before, table = happened.game, happened.before, happened.table
    if not last_hand_counted(game, before, table):
        return []
    first = _leaders(game, table)
    if not first:
        return []
    was = _leaders(game, before)
    phrase = "leads" if not was else "leads.still" if was == first else "leads.now"
    lines = tuple(_in_order(game, table, phrase))
    if _totals_are_hands(game, table):
        lines = (SpokenLine("leads.first", {"names": lines[0].facts["names"]}),)
    return [Call("standings", lines, (lines[0]._replace(short=True),))]


def _totals_are_hands(game: Game, table: Table) -> bool:
    """Return True if every total has just been heard as a hand.

    So it is after the first round, where neither penalties nor bonuses changed the totals.
    """
    entries = table.rounds[0].entries
    rules = rules_of(table, table.rounds[0])
    return len(table.rounds) == 1 and all(
        line.total == (counted(rules, entry) if (entry := entries.get(line.seat.number)) else 0)
        for line in standings(game, table)
    )


def _leaders(game: Game, table: Table) -> list[int]:
    return [line.seat.number for line in standings(game, table) if line.place == 1]


def _in_order(game: Game, table: Table, first: str) -> Iterator[SpokenLine]:
    """Yield a line for each place of the standings, the best first; a shared place is one line.

    `first` is the phrase for the best place. While hands are missing, it is another one, which
    names them.
    """
    placed: dict[int, list[Standing]] = {}
    for line in standings(game, table):
        if line.place is not None:
            placed.setdefault(line.place, []).append(line)
    for number, place in enumerate(sorted(placed)):
        lines = placed[place]
        names = tuple(Person(line.seat.name, line.seat.chair) for line in lines)
        phrase = first if number == 0 else "follows" if number == 1 else "then"
        facts: dict[str, Fact] = {"names": names, "total": lines[0].total}
        if number == 0 and table.phase != "finished" and (open := all_missing(game, table)):
            phrase = "leads.without"
            facts |= {"round": open[0][0], "missing": _all(table, open[0][1])}
        yield SpokenLine(phrase, facts)


# People


def _all(table: Table, seats: Sequence[int]) -> tuple[Person, ...]:
    return tuple(person(table, seat) for seat in seats)


def _one_team(table: Table, winners: Sequence[int]) -> bool:
    teams = {seat.team for seat in table.seats if seat.number in winners}
    return len(teams) == 1 and None not in teams


def _people(facts: Mapping[str, Any], table: Table) -> dict[str, Fact]:
    """Return the facts of a sentence that can be spoken: numbers and people; others are dropped.

    A text, or a list of texts, is taken for names.
    """
    seats = {seat.name: seat.chair for seat in table.seats}

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


_TELL: dict[type[Event], Tell] = {
    e.RoundStarted: _round_started,
    e.StarterDesignated: of_seat("round", "starts"),
    e.StarterDrawn: of_seat("round", "lot"),
    e.EngineFound: _engine_found,
    e.EnginePassed: _engine_passed,
    e.LastTileCalled: of_seat("last_tile", "last.tile", "last.tile.short"),
    e.Penalized: _penalized,
    e.WentOut: _went_out,
    e.RoundBlocked: in_words("hands", "blocked"),
    e.ScoreEntered: _score_entered,
    e.OutChanged: _out_changed,
    e.GameFinished: _finished,
    e.WinnersChanged: _winners_changed,
    e.GameReopened: in_words("changes", "changed.goes.on"),
    e.Undone: in_words("changes", "undone", ""),
    e.Redone: in_words("changes", "redone", ""),
    e.Joined: of_seat("people", "joins"),
    e.Left: of_seat("people", "leaves"),
    e.Substituted: _substituted,
    e.Parked: of_seat("people", "away"),
    e.Returned: of_seat("people", "back"),
}
"""The function that makes calls of each shared event; other events are not spoken."""
