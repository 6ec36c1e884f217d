"""The hall's orders, carried out at a table: turned into commands, one after the other.

Runs in the hub's own thread, between two presses. What cannot be done is said on the page and
to the hall, and the table plays on. What cannot be done *yet* (new seats in the middle of a
game) waits for the moment when it can. What lasts is kept in the hub's settings, so that a table
that was unplugged goes on where it was.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from centerpiece.hall.wire.orders import (
    PLAY_OFF,
    Announce,
    CallPlayOff,
    ChangeTables,
    FinishRound,
    Given,
    HandCard,
    Order,
    Quiet,
    SeatLate,
    SetClock,
    StartGame,
    pitch_of,
)
from centerpiece.hub.hub import Answer, Hub
from centerpiece.hub.preferences import Preferences
from centerpiece.table import commands as c
from centerpiece.table.events import GameStarted, Redone, Retracted, RulesAgreed, Undone
from centerpiece.table.rounds import remaining, rounds_of
from centerpiece.table.state import Table
from centerpiece.table.undo import Recorded
from centerpiece.text import Problem, Sentence

NEWS_LASTS = 10 * 60.0
START_LASTS = 15 * 60.0
SEATS_LAST = 2 * 3600.0
SETTING = "hall"
NEW_LIMIT = (GameStarted, RulesAgreed, Undone, Redone, Retracted)
"""Events after which the table's own clock may run out at another moment."""


class Memory(msgspec.Struct, frozen=True):
    """What a table keeps about its hall."""

    hall: str
    position: str = "0-0"
    left: bool = False
    card: HandCard | None = None
    hand_card: bool = False
    """The card has not been taken over yet."""
    ends: float | None = None
    start: StartGame | None = None
    seats: dict[int, str] | None = None
    play_off: int | None = None
    """Rounds of the play-off that is to be played here."""
    preferences: dict[str, Any] | None = None
    """How the hub was set before the hall asked for quiet."""
    quiet: Quiet | None = None


class CarryOut:
    """Does at one table what its hall orders."""

    def __init__(self, hub: Hub, hall: str) -> None:
        self.hub = hub
        self.hall = hall
        self.offset = 0.0
        """What has to be added to the hub's clock to get the hall's."""
        self.note = ""
        self.memory = self._recalled()
        hub.on_recorded(self._journaled)
        self._tune()
        self._keep_time()

    def take(self, given: Given) -> None:
        """Carry out one order, once."""
        self._remember(position=given.id)
        self._carry_out(given.order, given.at)
        self.wake()

    def wake(self) -> None:
        """Do what was put off, if it can be done now."""
        self._settle()
        start = self.memory.start
        if start is not None and self.hall_now() >= start.at:
            self._remember(start=None)
            if self.hall_now() - start.at < START_LASTS and self._phase() == "lobby":
                self._do(c.Start())
        self._keep_time()

    def next_due(self) -> float | None:
        """Seconds until `wake` is needed; None if nothing waits for a moment."""
        start = self.memory.start
        return None if start is None else max(0.0, start.at - self.hall_now())

    def hall_now(self) -> float:
        """The hall's clock."""
        return self.hub.clock.at() + self.offset

    def set_offset(self, offset: float) -> None:
        """The two clocks were compared."""
        self.offset = offset
        self._keep_time()

    def leave(self) -> None:
        """Follow no hall any more; the hub is as it was before."""
        if self.memory.preferences is not None:
            self._prefer(msgspec.convert(self.memory.preferences, Preferences))
        position = self.memory.position
        self.memory = Memory(self.hall, position, left=True)
        self._save()
        self._tune()
        self._keep_time()

    def join(self) -> None:
        """Follow the hall (again)."""
        if self.memory.left:
            self.memory = Memory(self.hall)
            self._save()

    # Orders

    def _carry_out(self, order: Order, at: float) -> None:
        age = self.hall_now() - at
        table = self.hub.table_id
        match order:
            case HandCard():
                self._remember(card=order, hand_card=True)
            case StartGame():
                self._remember(start=order, ends=order.ends, hand_card=self.memory.card is not None)
            case SetClock(ends):
                self._remember(ends=ends)
            case FinishRound():
                self._finish_round(at)
            case Announce(text, tables):
                if age < NEWS_LASTS and (not tables or table in tables):
                    self._say(Sentence("{text}", {"text": text}))
            case ChangeTables():
                if age < SEATS_LAST:
                    self._change_tables(order)
            case CallPlayOff():
                if age < SEATS_LAST:
                    self._call_play_off(order)
            case SeatLate(name, wanted, seat):
                if age < START_LASTS and wanted == table:
                    self._do(c.Join(name, seat))
            case Quiet():
                self._quieten(order)

    def _finish_round(self, at: float) -> None:
        """No round after this one: a rule that the journal keeps, for this game only."""
        table = self._table()
        if table.started_at is None or table.started_at + self.offset > at:
            return
        if self._phase() in ("playing", "scoring"):
            if table.number < rounds_of(table):
                self._do(c.ChangeRule("rounds", table.number))
            self._say(Sentence("The hall says: finish this round, it is the last."))

    def _change_tables(self, order: ChangeTables) -> None:
        table = self.hub.table_id
        seats = order.seats.get(table)
        if seats is not None:
            self._remember(seats=seats, play_off=None, hand_card=self.memory.card is not None)
        going = [m for m in order.moves if m.origin == table and m.table != table]
        self._settle()
        if going:
            moves = "; ".join(f"{m.name} to {m.table}, seat {m.seat}" for m in going)
            self._say(Sentence("Change of tables: {moves}.", {"moves": moves}))

    def _call_play_off(self, order: CallPlayOff) -> None:
        names = [move.name for move in order.moves]
        facts = {"place": order.place, "names": names, "table": order.table}
        if order.table == self.hub.table_id:
            seats = {m.seat: m.known_as for m in order.moves}
            self._remember(seats=seats, play_off=order.rounds)
            self._settle()
        self._say(Sentence("Play-off for place {place} at {table}: {names}.", facts))

    def _quieten(self, order: Quiet) -> None:
        before = self.memory.preferences
        if before is None:
            before = msgspec.to_builtins(self.hub.preferences)
        self._remember(quiet=order, preferences=before)
        until = order.light_only_until if order.light_only_from else None
        self._prefer(
            replace(
                self.hub.preferences,
                volume=order.volume,
                quiet_from=order.light_only_from,
                quiet_until=until,
            )
        )
        self._tune()

    # Seats and rules, as soon as the table is in its lobby

    def _settle(self) -> None:
        memory = self.memory
        if memory.seats is not None and self._phase() == "finished":
            self._do(c.OpenLobby())
        if self._phase() != "lobby":
            return
        if memory.seats is not None:
            self._remember(seats=None, play_off=None)
            self._seat(memory.seats)
            if memory.play_off is not None:
                self._agree(memory.card or HandCard(), memory.play_off)
                return
        if memory.hand_card and memory.card is not None:
            self._remember(hand_card=False)
            self._agree(memory.card)

    def _seat(self, wanted: dict[int, str]) -> None:
        for seat in self._table().seats:
            if wanted.get(seat.number) != seat.name:
                self._do(c.ToggleSeat(seat.number))
        taken = {seat.number for seat in self._table().seats}
        for number, name in sorted(wanted.items()):
            if number not in taken:
                self._do(c.Join(name, number))

    def _agree(self, card: HandCard, play_off: int | None = None) -> None:
        changes, name = card.changes, card.name
        if play_off is not None:
            changes, name = {**changes, "rounds": play_off}, PLAY_OFF
        self._do(c.ChooseRules(card.rules, card.set, changes, name))

    # The clock

    def _keep_time(self) -> None:
        """The game's clock is the hall's, whatever the hub's own clock shows."""
        at = self.hub.game_at()
        own, ends = remaining(self.hub.table, at), self.memory.ends
        if own is None or ends is None or self.memory.left:
            self.hub.follow_clock(0.0)
        else:
            self.hub.follow_clock(own - (ends - self.hall_now()))

    def _journaled(self, recorded: Sequence[Recorded]) -> None:
        if any(isinstance(each.event, NEW_LIMIT) for each in recorded):
            self._keep_time()

    # Doing, saying, keeping

    def _table(self) -> Table:
        """As it was decided: the next order follows from the one before, written or not."""
        return self.hub.decided.table

    def _phase(self) -> str:
        return self._table().phase

    def _do(self, command: c.Command) -> None:
        self.hub.order(command, self._told)

    def _told(self, answer: Answer) -> None:
        self._noted(answer)
        if isinstance(answer, Problem):
            why = {"why": answer.sentence}
            self._say(Sentence("The hall's word could not be done: {why}", why))

    def _noted(self, answer: Answer) -> None:
        self.note = str(answer) if isinstance(answer, Problem) else ""

    def _say(self, sentence: Sentence) -> None:
        self.hub.announce(sentence, "time")

    def _prefer(self, preferences: Preferences) -> None:
        self.hub.set_preferences(preferences, self._noted)

    def _tune(self) -> None:
        quiet = self.memory.quiet
        tuned = quiet is not None and quiet.pitches
        self.hub.board.sound.set_pitch(pitch_of(self.hub.table_id) if tuned else 0.0)

    def _recalled(self) -> Memory:
        try:
            memory = msgspec.convert(
                self.hub.settings.setting(SETTING, {"hall": self.hall}), Memory, str_keys=True
            )
        except msgspec.ValidationError:
            memory = Memory(self.hall)
        return memory if memory.hall == self.hall else Memory(self.hall)

    def _remember(self, **changes: Any) -> None:
        self.memory = replace(self.memory, **changes)
        self._save()

    def _save(self) -> None:
        """A disk that takes nothing does not stop the hall; the orders will be read again."""
        self.hub.keep(SETTING, self.memory)
