"""What always holds of the books, whatever is asked of them."""

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
    """The same record, written and read again."""
    event: Event = READ(msgspec.json.encode(recorded.event))
    return Recorded(recorded.seq, recorded.at, recorded.step, event)


@given(evenings)
def test_replaying_the_bytes_gives_the_live_table(asked: list[Command]) -> None:
    """A power cut between two presses does not change the game."""
    live = LiveLedger()
    journal = tried(live, asked)

    assert ledger_facts(live) == ledger_facts(replayed(map(through_json, journal)))


@settings(max_examples=max(10, settings().max_examples // 4))
@given(evenings)
def test_replaying_a_journal_file_gives_the_live_table(asked: list[Command]) -> None:
    """The same through SQLite, pragmas and all."""
    live = LiveLedger()
    recorded = tried(live, asked)
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
def test_a_journal_cut_after_any_event_is_that_prefix(asked: list[Command]) -> None:
    """Whatever was cut off is as if it had not happened yet; what is left is all there."""
    live = LiveLedger()
    journal: list[Recorded] = []
    states = {0: ledger_facts(live)}
    for command in asked:
        journal += tried(live, [command])
        states[live.seq] = ledger_facts(live)

    for length in range(len(journal) + 1):
        cut = replayed(journal[:length])
        assert length == cut.seq
        check_page(cut)
        if length in states:
            assert states[length] == ledger_facts(cut)


@given(evenings)
def test_undo_restores_the_table_before_and_redo_the_one_after(asked: list[Command]) -> None:
    """Undo then redo is the identity, at every point of an evening."""
    ledger = LiveLedger()
    for command in asked:
        before = ledger.table
        if isinstance(command, Undo | Redo | c.BlowWhistle) or not tried(ledger, [command]):
            continue
        after, past = ledger.table, ledger.past
        order(ledger, Undo())
        assert before == ledger.table
        order(ledger, Redo())
        assert (after, past) == (ledger.table, ledger.past)


@given(evenings)
def test_undo_takes_no_whistle_back_that_was_blown_in_the_round(asked: list[Command]) -> None:
    """What was heard was heard, whatever is taken back."""
    ledger = LiveLedger()
    tried(ledger, asked)
    order(ledger, *[c.BlowWhistle()] * (ledger.table.phase == "playing"))
    before = ledger.table
    assume(before.phase == "playing" and ledger.can_undo)
    order(ledger, Undo())

    after = ledger.table
    assert after.whistles >= 1 or (after.phase, after.number) != ("playing", before.number)


@given(evenings)
def test_everything_can_be_undone_and_done_again(asked: list[Command]) -> None:
    """Undo reaches back over all steps of a game, and redo brings every one of them back."""
    ledger = LiveLedger()
    tried(ledger, without_whistles(asked))
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
def test_what_people_do_leaves_a_legal_table(asked: list[Command]) -> None:
    """After every step the books are in order and the page adds up."""
    ledger = LiveLedger()
    for command in asked:
        tried(ledger, [command])
        check_legal(ledger.table)
    check_page(ledger)


@given(any_tables(), st.lists(wild_commands, max_size=20))
def test_no_command_does_worse_than_being_refused(opening: Command, asked: list[Command]) -> None:
    """Nonsense gets a sentence; it neither raises nor leaves anything illegal behind."""
    ledger = LiveLedger()
    for command in (opening, *asked):
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
    asked: list[Command], data: st.DataObject
) -> None:
    """Whatever others did between the two taps stays; the first tap leaves no trace."""
    tap = data.draw(
        st.one_of(
            st.builds(ToggleMarker, st.integers(1, 4)),
            st.just(StartTrain()),
        )
    )
    between = data.draw(st.lists(in_a_round(), max_size=4))
    where = tap.seat if isinstance(tap, ToggleMarker) else 0
    ledger, never = LiveLedger(), LiveLedger()
    tried(ledger, asked)
    tried(never, asked)
    assume(ledger.table.phase == "playing")
    taken = tried(ledger, [tap])
    assume(taken)
    # Only what can be done either way: the first tap decides nothing for the others.
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
"""Who went out, and what the five of them have left."""
hands: st.SearchStrategy[Hands] = st.tuples(
    st.integers(1, 4), st.tuples(*[st.integers(1, 60) for _ in range(5)])
)


def counted(rounds: list[Hands], slip: tuple[int, int] | None = None) -> LiveLedger:
    """A whole game with somebody who comes late; by a slip one hand is counted wrong at first."""
    ledger = opened("mexican-train/rally", starter=1, rounds=len(rounds))
    for number, (out, pips) in enumerate(rounds, start=1):
        order(ledger, c.GoOut(out))
        for seat in range(1, 5 + (number > 1)):
            if seat != out:
                wrong = 61 if (number, seat) == slip else pips[seat - 1]
                order(ledger, c.EnterScore(seat, wrong, confirm=True))
        if number == 1:
            order(ledger, c.Join("Eve"))
        order(ledger, c.NextRound())
    return ledger


@given(st.lists(hands, min_size=1, max_size=3), st.data())
def test_a_correction_equals_having_counted_right(rounds: list[Hands], data: st.DataObject) -> None:
    """Totals, places, winners and a late arrival's score: as if the slip had never been."""
    number = data.draw(st.integers(1, len(rounds)))
    out, pips = rounds[number - 1]
    seat = data.draw(st.sampled_from([n for n in range(1, 5 + (number > 1)) if n != out]))
    right, ledger = counted(rounds), counted(rounds, (number, seat))
    order(ledger, c.CorrectScore(seat, pips[seat - 1], confirm=True, round=number))

    for key in ("phase", "seats", "winners", "tie", "missing", "left_out"):
        assert seen(right)[key] == seen(ledger)[key]
