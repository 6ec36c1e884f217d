"""Invariants of a table under any sequence of commands."""

import tempfile
from pathlib import Path
from typing import Union

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from centerpiece.games.mexican_train.game import StartTrain, ToggleDouble, ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.storage.journal import Journal
from centerpiece.table import commands as c
from centerpiece.table.commands import Command, Redo, Undo
from centerpiece.table.events import Event
from centerpiece.table.undo import Recorded
from centerpiece.text import Refused
from tests.evenings import (
    AT,
    LiveLedger,
    ledger_facts,
    opened,
    order,
    replayed,
    seen,
    tried,
    without_whistles,
)
from tests.strategies import (
    any_tables,
    check_legal,
    check_page,
    evenings,
    in_a_round,
    wild_commands,
)

READ = msgspec.json.Decoder(Union[GAMES.events]).decode  # noqa: UP007


def through_json(recorded: Recorded) -> Recorded:
    """Return the same record, written and read again."""
    event: Event = READ(msgspec.json.encode(recorded.event))
    return Recorded(recorded.seq, recorded.at, recorded.step, event)


@given(evenings)
def test_replaying_the_bytes_gives_the_live_table(commands: list[Command]) -> None:
    """So a power cut between two presses does not change the game."""
    live = LiveLedger()
    journal = tried(live, commands)

    assert ledger_facts(live) == ledger_facts(replayed(map(through_json, journal)))


@settings(max_examples=max(10, settings().max_examples // 4))
@given(evenings)
def test_replaying_a_journal_file_gives_the_live_table(commands: list[Command]) -> None:
    """The same through SQLite."""
    live = LiveLedger()
    recorded = tried(live, commands)
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "table.db", GAMES)
        for each in recorded:
            journal.append([each])
        journal.close()
        again = Journal(Path(folder) / "table.db", GAMES)
        recovered = again.recover(GAMES)
        again.close()

    assert ledger_facts(live) == ledger_facts(recovered)


@given(evenings)
def test_a_journal_cut_after_any_event_is_that_prefix(commands: list[Command]) -> None:
    """Nothing before the cut is missing, and nothing after it is left."""
    live = LiveLedger()
    journal: list[Recorded] = []
    states = {0: ledger_facts(live)}
    for command in commands:
        journal += tried(live, [command])
        states[live.seq] = ledger_facts(live)

    for length in range(len(journal) + 1):
        cut = replayed(journal[:length])
        assert length == cut.seq
        check_page(cut)
        if length in states:
            assert states[length] == ledger_facts(cut)


@given(evenings)
def test_undo_restores_the_table_before_and_redo_the_one_after(commands: list[Command]) -> None:
    """At every point of an evening."""
    ledger = LiveLedger()
    for command in commands:
        before = ledger.table
        if isinstance(command, Undo | Redo | c.BlowWhistle) or not tried(ledger, [command]):
            continue
        after, past = ledger.table, ledger.past
        order(ledger, Undo())
        assert before == ledger.table
        order(ledger, Redo())
        assert (after, past) == (ledger.table, ledger.past)


@given(evenings)
def test_undo_takes_no_whistle_back_that_was_blown_in_the_round(commands: list[Command]) -> None:
    """Everybody has heard it."""
    ledger = LiveLedger()
    tried(ledger, commands)
    order(ledger, *[c.BlowWhistle()] * (ledger.table.phase == "playing"))
    before = ledger.table
    assume(before.phase == "playing" and ledger.to_undo() is not None)
    order(ledger, Undo())

    after = ledger.table
    assert after.whistles >= 1 or (after.phase, after.number) != ("playing", before.number)


@given(evenings)
def test_everything_can_be_undone_and_done_again(commands: list[Command]) -> None:
    """Undo goes back over all steps of a game, and redo restores each of them."""
    ledger = LiveLedger()
    tried(ledger, without_whistles(commands))
    assume(not ledger.future)
    tables = [ledger.table]
    while ledger.past:
        order(ledger, Undo())
        check_legal(ledger.table)
        tables.append(ledger.table)
    for table in reversed(tables[:-1]):
        order(ledger, Redo())
        assert table == ledger.table

    with pytest.raises(Refused, match="nothing to redo"):
        order(ledger, Redo())


@given(evenings)
def test_what_people_do_leaves_a_legal_table(commands: list[Command]) -> None:
    """Table and public state are consistent after every step."""
    ledger = LiveLedger()
    for command in commands:
        tried(ledger, [command])
        check_legal(ledger.table)
    check_page(ledger)


@given(any_tables(), st.lists(wild_commands, max_size=20))
def test_no_command_does_worse_than_being_refused(
    opening: Command, commands: list[Command]
) -> None:
    """Nonsense is refused in a sentence; it neither raises nor corrupts the table."""
    ledger = LiveLedger()
    for command in (opening, *commands):
        before = ledger.table
        try:
            order(ledger, command)
        except Refused as refused:
            assert str(refused).endswith((".", "?", ".)"))  # noqa: PT017
            assert before is ledger.table
        check_legal(ledger.table)
        check_page(ledger)


@given(evenings, st.data())
def test_retracting_a_first_tap_equals_never_having_tapped(
    commands: list[Command], data: st.DataObject
) -> None:
    """Actions of others between the two taps stay."""
    tap = data.draw(
        st.one_of(
            st.builds(ToggleMarker, st.integers(1, 4)),
            st.just(StartTrain()),
        )
    )
    between = data.draw(st.lists(in_a_round(), max_size=4))
    where = tap.seat if isinstance(tap, ToggleMarker) else 0
    ledger, never = LiveLedger(), LiveLedger()
    tried(ledger, commands)
    tried(never, commands)
    assume(ledger.table.phase == "playing")
    taken = tried(ledger, [tap])
    assume(taken)
    # Only commands that are valid with and without the first tap.
    for command in between:
        if isinstance(command, ToggleMarker | StartTrain) and command == tap:
            continue
        one = _asked(ledger, command)
        if one is not None and one == _asked(never, command):
            order(ledger, command)
            order(never, command)
    try:
        events = ledger.decide(ToggleDouble(where), AT, instead_of=taken[0].step)
    except Refused:
        return
    for recorded in ledger.record(events, AT):
        ledger.apply(recorded)
    order(never, ToggleDouble(where))

    assert never.table == ledger.table
    assert [step.before for step in never.past] == [step.before for step in ledger.past]
    order(never, Undo())
    order(ledger, Undo())
    assert never.table == ledger.table


def _asked(ledger: LiveLedger, command: Command) -> list[Event] | None:
    try:
        return ledger.decide(command, AT)
    except Refused:
        return None


Hands = tuple[int, tuple[int, ...]]
"""The seat that went out, and the pips of the five hands."""
hands: st.SearchStrategy[Hands] = st.tuples(
    st.integers(1, 4), st.tuples(*[st.integers(1, 60) for _ in range(5)])
)


def counted(rounds: list[Hands], slip: tuple[int, int] | None = None) -> LiveLedger:
    """Play a whole game with a late arrival; `slip` is a hand that is first counted wrong."""
    ledger = opened("mexican-train/rally", starter=1, rounds=len(rounds))
    for number, (out, pips) in enumerate(rounds, start=1):
        if number == 1 < len(rounds):
            order(ledger, c.Join("Eve"))
        order(ledger, c.GoOut(out))
        for seat in range(1, 5 + (number > 1)):
            if seat != out:
                wrong = 61 if (number, seat) == slip else pips[seat - 1]
                order(ledger, c.EnterScore(seat, wrong, confirm=True))
        order(ledger, c.NextRound())
    return ledger


@given(st.lists(hands, min_size=1, max_size=3), st.data())
def test_a_correction_equals_having_counted_right(rounds: list[Hands], data: st.DataObject) -> None:
    """Totals, places, winners and a late arrival's score are as if there had been no slip."""
    number = data.draw(st.integers(1, len(rounds)))
    out, pips = rounds[number - 1]
    seat = data.draw(st.sampled_from([n for n in range(1, 5 + (number > 1)) if n != out]))
    right, ledger = counted(rounds), counted(rounds, (number, seat))
    order(ledger, c.CorrectScore(seat, pips[seat - 1], confirm=True, round=number))

    for key in ("phase", "seats", "winners", "tie", "missing", "left_out"):
        assert seen(right)[key] == seen(ledger)[key]
