"""Carrying out the hall's orders at a table, as commands.

Runs in the hub's own thread, between two presses. A refused command is shown on the page and to
the hall, and the table plays on. What must wait (new seats in the middle of a game) is done when
possible. All of it is kept in the hub's settings, so that it survives a power cut.

Orders are carried out exactly once: the position in the stream is written together with the events
that an order led to, or with what is left to do of it. What the disk refuses is tried again later.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from centerpiece.hall.wire import hall_orders as o
from centerpiece.hall.wire.table_line import MOST_GAMES
from centerpiece.hub.commit_queue import Answer
from centerpiece.hub.hub import Hub
from centerpiece.hub.preferences import PREFERENCES, Preferences
from centerpiece.storage.clock_jumps import CLOCK_JUMPS
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
"""Seconds until what the disk refused is tried again."""
REMEMBERED = 1_000
"""Latest orders of which a second delivery is ignored."""
NEW_LIMIT = (GameStarted, RulesAgreed, Undone, Redone, Retracted)
"""Events that may change when the table's own clock runs out."""


class Memory(msgspec.Struct, frozen=True):
    """State that survives a power cut."""

    hall: str
    origin: str = ""
    """The first order of the stream that `position` belongs to."""
    position: str = "0-0"
    opened: float | None = None
    left: bool = False
    card: o.HandCard | None = None
    hand_card: bool = False
    """The card is still to be taken over."""
    ends: float | None = None
    start: o.StartGame | None = None
    seats: dict[int, str] | None = None
    play_off: int | None = None
    """Rounds of the play-off to be played here."""
    preferences: Preferences | None = None
    """The hub's preferences before the hall asked for quiet."""
    quiet: o.Quiet | None = None
    """The quiet that is still to be set."""


MEMORY: SettingKey[Memory] = SettingKey("hall", Memory, Memory(""))
GAME_OFFSETS: SettingKey[Mapping[float, float]] = SettingKey("hall-offsets", dict[float, float], {})
"""The offset to the hall's clock at the start of each game; the hub's clock may be set later."""


class CarryOut:
    """Carries out a hall's orders at one table; calls `on_due` when `next_due` has changed."""

    def __init__(self, hub: Hub, hall: str, on_due: Callable[[], None] = lambda: None) -> None:
        self.hub = hub
        self.hall = hall
        self._on_due = on_due
        self.offset = 0.0
        self._compared = False
        """The offset has been measured."""
        self.note = ""
        self.memory = self._saved()
        self._unwritten: list[o.GivenOrder] = []
        """Orders that a power cut could still undo."""
        self._seen: deque[str] = deque(maxlen=REMEMBERED)
        self._retry_at: float | None = None
        self._retrying = False
        hub.on_recorded(self._recorded)
        self._set_clock()

    def take(self, given: o.GivenOrder) -> None:
        """Carry out an order once, however often it is delivered."""
        if given.id not in self._seen:
            self._seen.append(given.id)
            self._unwritten.append(given)
            self._obey(given)

    def _obey(self, given: o.GivenOrder) -> None:
        """Note the position, carry out the order, and do what had to wait."""
        known = given.origin == self.memory.origin
        opened = self.memory.opened if known else None
        self.memory = replace(self.memory, origin=given.origin, position=given.id, opened=opened)
        self._carry_out(given.order, given.at)
        self.wake()

    def wake(self) -> None:
        """Do what had to wait, if it is possible now; otherwise it waits on.

        A start whose time has come is dropped if it is too late or the table is not in the lobby.
        """
        if self._retry_at is not None and self.hub.clock.now() >= self._retry_at:
            self._retry()
        self._set_quiet()
        self._settle()
        start = self.memory.start
        if start is not None and self.hall_now() >= start.at:
            if self.hall_now() - start.at < START_LASTS and self._table().phase == "lobby":
                self._do(c.Start(), start=None)
            else:
                self._save(start=None)
        self._set_clock()

    def _retry(self) -> None:
        """Carry out again what the disk refused, without announcing it a second time."""
        self._retry_at, self._retrying = None, True
        for given in list(self._unwritten):
            self._obey(given)
        self._retrying = False

    def next_due(self) -> float | None:
        """Return the seconds until `wake` must be called; None if nothing waits for a time."""
        start, retry_at = self.memory.start, self._retry_at
        dues = [] if start is None else [start.at - self.hall_now()]
        dues += [] if retry_at is None else [retry_at - self.hub.clock.now()]
        return max(0.0, min(dues)) if dues else None

    def hall_now(self) -> float:
        return self.hub.clock.at() + self.offset

    def set_offset(self, offset: float) -> None:
        """Set the seconds to add to the hub's clock to get the hall's."""
        self.offset, self._compared = offset, True
        self._remember_offset()
        self._set_clock()

    def leave(self) -> None:
        """Stop following the hall and restore the hub's preferences.

        What had to wait, or was refused by the disk, is dropped.
        """
        if self.memory.preferences is not None:
            self._prefer(self.memory.preferences)
        self._unwritten.clear()
        self.memory = Memory(self.hall, self.memory.origin, self.memory.position, left=True)
        self._save()
        self._set_clock()

    def join(self) -> None:
        """Follow the hall again, from its first order; do nothing unless the table has left it."""
        if self.memory.left:
            self.memory = Memory(self.hall)
            self._save()

    def _carry_out(self, order: o.Order, at: float) -> None:
        """Carry out an order of the time `at`, or store it for `wake`.

        An order that came too late, or is for another table, is only noted as done.
        """
        age = self.hall_now() - at
        table = self.hub.table_id
        match order:
            case o.Open():
                self._save(opened=self.memory.opened or at)
            case o.HandCard():
                self._save(card=order, hand_card=True)
            case o.StartGame():
                self._save(start=order, ends=order.ends, hand_card=self.memory.card is not None)
            case o.SetClock(ends):
                self._save(ends=ends)
            case o.FinishRound() if self._began_before(at):
                self._finish_round()
            case o.Announce(text, tables) if age < NEWS_LASTS and (not tables or table in tables):
                self._say(Sentence("{text}", {"text": text}))
                self._save()
            case o.ChangeTables() if age < SEATS_LAST:
                self._change_tables(order)
            case o.CallPlayOff() if age < SEATS_LAST:
                self._call_play_off(order)
            case o.SeatLate(name, at_table, seat) if age < START_LASTS and at_table == table:
                self._do(c.Join(name, seat))
            case o.Quiet():
                before = self.memory.preferences or self.hub.preferences
                self._save(quiet=order, preferences=before)
            case _:
                self._save()

    def _began_before(self, at: float) -> bool:
        """Return whether a game is in play and began before `at`, a time by the hall's clock."""
        began = self._table().started_at
        playing = self._table().phase in ("playing", "scoring")
        if not playing or began is None:
            return False
        return began + self.hub.settings[GAME_OFFSETS].get(began, self.offset) <= at

    def _finish_round(self) -> None:
        """Make this round the last, by a rule of this game that the journal keeps; announce it.

        If it is the last in any case, it is only announced.
        """
        table = self._table()
        if table.number < rounds_of(table):
            self._do(c.ChangeRule("rounds", table.number))
        else:
            self._save()
        self._say(Sentence("From the hall: finish this round. It is the last one."))

    def _change_tables(self, order: o.ChangeTables) -> None:
        """Store this table's new seats, if it has any, and take them if possible.

        Announce which people go to other tables, if some do.
        """
        table, changes = self.hub.table_id, {}
        if (seats := order.seats.get(table)) is not None:
            hand_card = self.memory.card is not None
            changes = {"seats": seats, "play_off": None, "hand_card": hand_card}
        self._save(**changes)
        self._settle()
        going = [m for m in order.moves if m.origin == table and m.table != table]
        if going:
            moves = "; ".join(f"{m.name} to {m.table}, seat {m.seat}" for m in going)
            self._say(Sentence("Change of tables: {moves}.", {"moves": moves}))

    def _call_play_off(self, order: o.CallPlayOff) -> None:
        """Announce a play-off; if it is here, store its seats and take them if possible."""
        names = [move.name for move in order.moves]
        facts = {"place": order.place, "names": names, "table": order.table}
        seats = {move.seat: move.known_as for move in order.moves}
        here = order.table == self.hub.table_id
        self._save(**({"seats": seats, "play_off": order.rounds} if here else {}))
        self._settle()
        self._say(Sentence("Play-off for place {place} at {table}: {names}.", facts))

    def _set_quiet(self) -> None:
        """Set volume and quiet hours if the hall has asked for them and they are not set yet."""
        if (order := self.memory.quiet) is not None:
            hours = {
                "quiet_from": order.light_only_from,
                "quiet_until": order.light_only_until if order.light_only_from else None,
            }
            self._prefer(replace(self.hub.preferences, volume=order.volume, **hours))
            self._save(quiet=None)

    def _settle(self) -> None:
        """Take the ordered seats and rules, if there are any; both are possible in the lobby only.

        For seats, a finished game is closed; during a game, nothing is done.
        """
        memory = self.memory
        if memory.seats is not None and self._table().phase == "finished":
            self._do(c.OpenLobby())
        if self._table().phase != "lobby":
            return
        if memory.seats is not None:
            self._seat(memory.seats)
            if memory.play_off is not None:
                card = memory.card or o.HandCard()
                self._agree(card, memory.play_off, seats=None, play_off=None)
                return
            self._save(seats=None)
        if memory.hand_card and memory.card is not None:
            self._agree(memory.card, hand_card=False)

    def _seat(self, names: dict[int, str]) -> None:
        """Seat the people of `names`, by the numbers of their seats, and nobody else."""
        for seat in self._table().seats:
            if names.get(seat.number) != seat.name:
                self._do(c.ToggleSeat(seat.number))
        taken = {seat.number for seat in self._table().seats}
        for number, name in sorted(names.items()):
            if number not in taken:
                self._do(c.Join(name, number))

    def _agree(self, card: o.HandCard, rounds: int | None = None, **done: Any) -> None:
        changes, name = card.changes, card.name
        if rounds is not None:
            changes, name = {**changes, "rounds": rounds}, o.PLAY_OFF
        self._do(c.ChooseRules(card.rules, card.set, changes, name), **done)

    def _set_clock(self) -> None:
        """Let the game's clock run out with the hall's, whatever the hub's own clock shows.

        Without a clock of the hall or of the game, or after leaving the hall, the game's own holds.
        """
        own, ends = remaining(self.hub.table, self.hub.game_at()), self.memory.ends
        if own is None or ends is None or self.memory.left:
            self.hub.follow_clock(0.0)
        else:
            self.hub.follow_clock(own - (ends - self.hall_now()))

    def _remember_offset(self) -> None:
        """Store the offset at the start of the game: the present one, without jumps since then.

        Nothing is stored twice for a game, without a game, or before the clocks were compared.
        """
        start = self.hub.ledger.table.started_at
        offsets = self.hub.settings[GAME_OFFSETS]
        if self._compared and start is not None and start not in offsets:
            offset = self.offset + self.hub.settings[CLOCK_JUMPS].games.get(start, 0.0)
            latest = dict([*offsets.items(), (start, offset)][-2 * MOST_GAMES :])
            self.hub.change(GAME_OFFSETS, lambda _: latest)

    def _recorded(self, recorded: Sequence[Recorded]) -> None:
        if any(isinstance(each.event, NEW_LIMIT) for each in recorded):
            self._set_clock()
            self._remember_offset()

    def _table(self) -> Table:
        """Return the decided table, since orders build on those not written yet."""
        return self.hub.decided.ledger.table

    def _do(self, command: c.Command, **changes: Any) -> None:
        """Order a command; the memory, with `changes`, is written atomically with its events."""
        self.memory = memory = replace(self.memory, **changes)
        self.hub.order(command, partial(self._on_done, memory), change=(MEMORY, lambda _: memory))

    def _on_done(self, memory: Memory, answer: Answer) -> None:
        """Note the answer to a command that was ordered with this memory; announce a refusal."""
        self._set_note(answer)
        self._on_saved(memory, answer)
        if isinstance(answer, Refused):
            why = {"why": answer.sentence}
            self._say(Sentence("This table could not do what the hall asked: {why}", why))

    def _set_note(self, answer: Answer) -> None:
        self.note = str(answer) if isinstance(answer, Problem) else ""

    def _say(self, sentence: Sentence) -> None:
        if not self._retrying:
            self.hub.tell(sentence, "time")

    def _prefer(self, preferences: Preferences) -> None:
        self.hub.change(PREFERENCES, lambda _: preferences, self._set_note)

    def _saved(self) -> Memory:
        memory = self.hub.settings[MEMORY]
        return memory if memory.hall == self.hall else Memory(self.hall)

    def _save(self, **changes: Any) -> None:
        """Write the memory with these changes, and with it the position in the stream."""
        self.memory = memory = replace(self.memory, **changes)
        self.hub.change(MEMORY, lambda _: memory, partial(self._on_saved, memory))

    def _on_saved(self, memory: Memory, answer: Answer) -> None:
        """Forget the orders that were written with this memory.

        If the disk refused, set a retry of all orders that are not written.
        """
        if isinstance(answer, NotSaved):
            self.memory = self._saved()
            self._retry_at = self.hub.clock.now() + AGAIN_AFTER
            self._on_due()
            return
        ids = [given.id for given in self._unwritten]
        if memory.position in ids:
            del self._unwritten[: ids.index(memory.position) + 1]
