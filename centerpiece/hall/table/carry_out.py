"""The hall's orders, carried out at a table: turned into commands, one after the other.

Runs in the hub's own thread, between two presses. What cannot be done is said on the page and
to the hall, and the table plays on. What cannot be done *yet* (new seats in the middle of a
game) waits for the moment when it can. What lasts is kept in the hub's settings, so that a table
that was unplugged goes on where it was.

No order is lost, and none is done twice: how far the table has read is written together with what
the order led to, or with what is left to do of it. What the disk refuses is done again later.
"""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from centerpiece.hall.wire import hall_orders as o
from centerpiece.hub.commit_queue import Answer
from centerpiece.hub.hub import Hub
from centerpiece.hub.preferences import PREFERENCES, Preferences
from centerpiece.storage.errors import NotSaved
from centerpiece.storage.settings import SettingKey
from centerpiece.table import commands as c
from centerpiece.table.events import GameStarted, Redone, Retracted, RulesAgreed, Undone
from centerpiece.table.rounds import remaining, rounds_of
from centerpiece.table.state import Table
from centerpiece.table.undo import Recorded
from centerpiece.text import Problem, Refused, Sentence

NEWS_LASTS = 10 * 60.0
START_LASTS = 15 * 60.0
SEATS_LAST = 2 * 3600.0
AGAIN_AFTER = 5.0
"""Seconds until what the disk has refused is tried again."""
REMEMBERED = 1_000
"""Orders that are known not to be new, should they come a second time."""
NEW_LIMIT = (GameStarted, RulesAgreed, Undone, Redone, Retracted)
"""Events after which the table's own clock may run out at another moment."""


class Memory(msgspec.Struct, frozen=True):
    """The part of its hall that a table keeps through a power cut."""

    hall: str
    origin: str = ""
    """The first order of the stream that `position` belongs to."""
    position: str = "0-0"
    opened: float | None = None
    left: bool = False
    card: o.HandCard | None = None
    hand_card: bool = False
    """The card has not been taken over yet."""
    ends: float | None = None
    start: o.StartGame | None = None
    seats: dict[int, str] | None = None
    play_off: int | None = None
    """Rounds of the play-off that is to be played here."""
    preferences: dict[str, Any] | None = None
    """How the hub was set before the hall asked for quiet."""
    quiet: o.Quiet | None = None
    hush: bool = False
    """The quiet has not been set yet."""


MEMORY: SettingKey[Memory] = SettingKey("hall", Memory, Memory(""))


class CarryOut:
    """Does at one table what its hall orders. `due` is called when `next_due` has changed."""

    def __init__(self, hub: Hub, hall: str, due: Callable[[], None] = lambda: None) -> None:
        self.hub = hub
        self.hall = hall
        self._due = due
        self.offset = 0.0
        """Seconds to add to the hub's clock to get the hall's."""
        self.note = ""
        self.memory = self._recalled()
        self._unwritten: list[o.Given] = []
        """Orders that a power cut could still take back."""
        self._seen: deque[str] = deque(maxlen=REMEMBERED)
        self._again_at: float | None = None
        self._again = False
        hub.on_recorded(self._journaled)
        self._keep_time()

    def take(self, given: o.Given) -> None:
        """Carry out one order, once, however often it comes."""
        if given.id not in self._seen:
            self._seen.append(given.id)
            self._unwritten.append(given)
            self._obey(given)

    def _obey(self, given: o.Given) -> None:
        known = given.origin == self.memory.origin
        opened = self.memory.opened if known else None
        self.memory = replace(self.memory, origin=given.origin, position=given.id, opened=opened)
        self._carry_out(given.order, given.at)
        self.wake()

    def wake(self) -> None:
        """Do what was put off, if it can be done now."""
        if self._again_at is not None and self.hub.clock.now() >= self._again_at:
            self._try_again()
        self._hush()
        self._settle()
        start = self.memory.start
        if start is not None and self.hall_now() >= start.at:
            if self.hall_now() - start.at < START_LASTS and self._phase() == "lobby":
                self._do(c.Start(), start=None)
            else:
                self._remember(start=None)
        self._keep_time()

    def _try_again(self) -> None:
        """Obey once more where the disk has refused; nobody has to hear it twice."""
        self._again_at, self._again = None, True
        for given in list(self._unwritten):
            self._obey(given)
        self._again = False

    def next_due(self) -> float | None:
        """Seconds until `wake` is needed; None if nothing waits for a moment."""
        start, again = self.memory.start, self._again_at
        dues = [] if start is None else [start.at - self.hall_now()]
        dues += [] if again is None else [again - self.hub.clock.now()]
        return max(0.0, min(dues)) if dues else None

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
        self._unwritten.clear()
        self.memory = Memory(self.hall, self.memory.origin, self.memory.position, left=True)
        self._save()
        self._keep_time()

    def join(self) -> None:
        """Follow the hall (again)."""
        if self.memory.left:
            self.memory = Memory(self.hall)
            self._save()

    # Orders

    def _carry_out(self, order: o.Order, at: float) -> None:
        age = self.hall_now() - at
        table = self.hub.table_id
        match order:
            case o.Open():
                self._remember(opened=self.memory.opened or at)
            case o.HandCard():
                self._remember(card=order, hand_card=True)
            case o.StartGame():
                self._remember(start=order, ends=order.ends, hand_card=self.memory.card is not None)
            case o.SetClock(ends):
                self._remember(ends=ends)
            case o.FinishRound() if self._may_finish_round(at):
                self._finish_round()
            case o.Announce(text, tables) if age < NEWS_LASTS and (not tables or table in tables):
                self._say(Sentence("{text}", {"text": text}))
                self._remember()
            case o.ChangeTables() if age < SEATS_LAST:
                self._change_tables(order)
            case o.CallPlayOff() if age < SEATS_LAST:
                self._call_play_off(order)
            case o.SeatLate(name, wanted, seat) if age < START_LASTS and wanted == table:
                self._do(c.Join(name, seat))
            case o.Quiet():
                self._quieten(order)
            case _:
                self._remember()

    def _may_finish_round(self, at: float) -> bool:
        table = self._table()
        begun = table.started_at is not None and table.started_at + self.offset <= at
        return begun and self._phase() in ("playing", "scoring")

    def _finish_round(self) -> None:
        """No round after this one: a rule that the journal keeps, for this game only."""
        table = self._table()
        if table.number < rounds_of(table):
            self._do(c.ChangeRule("rounds", table.number))
        else:
            self._remember()
        self._say(Sentence("From the hall: finish this round. It is the last one."))

    def _change_tables(self, order: o.ChangeTables) -> None:
        table = self.hub.table_id
        seats = order.seats.get(table)
        if seats is not None:
            self._remember(seats=seats, play_off=None, hand_card=self.memory.card is not None)
        else:
            self._remember()
        going = [m for m in order.moves if m.origin == table and m.table != table]
        self._settle()
        if going:
            moves = "; ".join(f"{m.name} to {m.table}, seat {m.seat}" for m in going)
            self._say(Sentence("Change of tables: {moves}.", {"moves": moves}))

    def _call_play_off(self, order: o.CallPlayOff) -> None:
        names = [move.name for move in order.moves]
        facts = {"place": order.place, "names": names, "table": order.table}
        if order.table == self.hub.table_id:
            seats = {m.seat: m.known_as for m in order.moves}
            self._remember(seats=seats, play_off=order.rounds)
            self._settle()
        else:
            self._remember()
        self._say(Sentence("Play-off for place {place} at {table}: {names}.", facts))

    def _quieten(self, order: o.Quiet) -> None:
        before = self.memory.preferences
        if before is None:
            before = msgspec.to_builtins(self.hub.preferences)
        self._remember(quiet=order, preferences=before, hush=True)

    # What is left to do of an order: hub, seats and rules, the last two in the lobby only

    def _hush(self) -> None:
        order = self.memory.quiet
        if order is None or not self.memory.hush:
            return
        until = order.light_only_until if order.light_only_from else None
        self._prefer(
            replace(
                self.hub.preferences,
                volume=order.volume,
                quiet_from=order.light_only_from,
                quiet_until=until,
            )
        )
        self._remember(hush=False)

    def _settle(self) -> None:
        memory = self.memory
        if memory.seats is not None and self._phase() == "finished":
            self._do(c.OpenLobby())
        if self._phase() != "lobby":
            return
        if memory.seats is not None:
            self._seat(memory.seats)
            if memory.play_off is not None:
                card = memory.card or o.HandCard()
                self._agree(card, memory.play_off, seats=None, play_off=None)
                return
            self._remember(seats=None)
        if memory.hand_card and memory.card is not None:
            self._agree(memory.card, hand_card=False)

    def _seat(self, wanted: dict[int, str]) -> None:
        for seat in self._table().seats:
            if wanted.get(seat.number) != seat.name:
                self._do(c.ToggleSeat(seat.number))
        taken = {seat.number for seat in self._table().seats}
        for number, name in sorted(wanted.items()):
            if number not in taken:
                self._do(c.Join(name, number))

    def _agree(self, card: o.HandCard, rounds: int | None = None, **done: Any) -> None:
        changes, name = card.changes, card.name
        if rounds is not None:
            changes, name = {**changes, "rounds": rounds}, o.PLAY_OFF
        self._do(c.ChooseRules(card.rules, card.set, changes, name), **done)

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
        """Return the table as it was decided: an order follows from the one before."""
        return self.hub.decided.ledger.table

    def _phase(self) -> str:
        return self._table().phase

    def _do(self, command: c.Command, **done: Any) -> None:
        """Have a command carried out; what is done with it is remembered in the same moment."""
        self.memory = replace(self.memory, **done)
        memory = self.memory
        self.hub.order(command, partial(self._told, memory), change=(MEMORY, lambda known: memory))

    def _told(self, memory: Memory, answer: Answer) -> None:
        self._noted(answer)
        self._kept(memory, answer)
        if isinstance(answer, Refused):
            why = {"why": answer.sentence}
            self._say(Sentence("This table could not do what the hall asked: {why}", why))

    def _noted(self, answer: Answer) -> None:
        self.note = str(answer) if isinstance(answer, Problem) else ""

    def _say(self, sentence: Sentence) -> None:
        if not self._again:
            self.hub.announce(sentence, "time")

    def _prefer(self, preferences: Preferences) -> None:
        self.hub.change(PREFERENCES, lambda _: preferences, self._noted)

    def _recalled(self) -> Memory:
        memory = self.hub.settings[MEMORY]
        return memory if memory.hall == self.hall else Memory(self.hall)

    def _remember(self, **changes: Any) -> None:
        """Keep this, and with it how far the orders were read."""
        self.memory = replace(self.memory, **changes)
        self._save()

    def _save(self) -> None:
        memory = self.memory
        self.hub.change(MEMORY, lambda _: memory, partial(self._kept, memory))

    def _kept(self, memory: Memory, answer: Answer) -> None:
        """No power cut takes this back any more; or all of it since the last time is to be done
        again."""
        if isinstance(answer, NotSaved):
            self.memory = self._recalled()
            self._again_at = self.hub.clock.now() + AGAIN_AFTER
            self._due()
            return
        done = [given.id for given in self._unwritten]
        if memory.position in done:
            del self._unwritten[: done.index(memory.position) + 1]
