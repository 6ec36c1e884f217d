"""The hub: one way through, from an edge or a command to light, sound and page.

    edge ─▶ gesture ─▶ panel map ─▶ command ─▶ decide ─▶ journal ─▶ evolve ─▶ lights, sound, pages

Everything happens in the caller's thread, one thing after the other, and time is asked of the
board's clock: the same code runs under asyncio (`service`) and in virtual time (`sim.script`).
Nothing is shown that a power cut could take back. Two things promise nothing and come at once:
the whistle's sound, and the echo of a pressed button.
"""

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from centerpiece.display.colours import SUITS, Colour
from centerpiece.display.looks import ECHO, NEVER
from centerpiece.display.public_state import public
from centerpiece.display.roulette import Roulette
from centerpiece.display.scene import Layout, Moment, Scene
from centerpiece.hub.fill_in import INCOMPLETE, FillIn
from centerpiece.hub.game_clock import GameClock
from centerpiece.hub.gestures import Gestures, Heard, Timing
from centerpiece.hub.preferences import AppliedPreferences, Preferences
from centerpiece.hub.time_limits import TimeLimits, limited
from centerpiece.storage.journal import Journal, NotSaved
from centerpiece.storage.settings import Settings
from centerpiece.table.books import Books
from centerpiece.table.commands import (
    Command,
    NextProfile,
    NextRound,
    NextSet,
)
from centerpiece.table.events import (
    Event,
    GameStarted,
    Joined,
    Renamed,
    RoundStarted,
    RulesAgreed,
    StarterDrawn,
    Substituted,
)
from centerpiece.table.game import Face
from centerpiece.table.panel import CHORD_HOLDS, LONG_HOLDS, Ask, Gesture, Ordered
from centerpiece.table.state import Table
from centerpiece.table.undo import Recorded
from centerpiece.text import Refused, Sentence
from hal.ports import Board, Edge, Frame, Trouble

log = logging.getLogger("centerpiece.hub")

REFUSED_SHOWN = 0.4
FACE_SHOWN = 3.0
LEAST_STEP = 0.001
PAIRING_OPEN = 60.0
LEAVING_TAKES = 2.5
RETRY_SAVING = 5.0
CLOCK_SET = 0.001
"""Seconds; what time servers correct while a finger is down is less."""

CHOOSING = frozenset((NextSet, NextProfile))
"""Commands after which the face shows what was chosen."""

NEW_CLOCK = frozenset((GameStarted, RulesAgreed))
"""Events that may give the game another time limit."""
NEW_NAMES = frozenset((GameStarted, Joined, Renamed, Substituted))
"""Events after which the hub has names to remember."""
NOTED = NEW_CLOCK | NEW_NAMES | {RoundStarted, StarterDrawn}
"""Events that mean something to the hub itself; most presses lead to others."""

TIMING = Timing(holds=LONG_HOLDS, chords=CHORD_HOLDS)

ANSWERED = -1
"""Instead of the step of a first tap: it answered a question."""


class Asking(NamedTuple):
    """A question that waits for a seat."""

    ask: Ask
    until: float


class Foreseen(NamedTuple):
    """What will happen if a button is let go from `since` on and before `until`."""

    button: str
    since: float
    until: float
    offset: float
    """What the wall clock was ahead of the monotonic one, and the hall's of the table's own."""
    events: list[Event]
    pixels: Frame

    def comes_true(self, edge: Edge, now: float, offset: float) -> bool:
        """Whether this is the edge that was awaited, in time, and nobody has set a clock."""
        own = edge.button == self.button and not edge.down
        in_time = self.since <= edge.now and now < self.until
        return own and in_time and abs(offset - self.offset) < CLOCK_SET


class Hub:
    """A table, its journal and its board, working together."""

    def __init__(
        self,
        books: Books,
        journal: Journal,
        board: Board,
        table_id: str = "table-1",
        timing: Timing = TIMING,
        suits: tuple[Colour, ...] = SUITS,
    ) -> None:
        self.books = books
        self.journal = journal
        self.store = Settings(journal)
        self.board = board
        self.table_id = table_id
        self.clock = board.clock
        self.gestures = Gestures(timing)
        self.scene = Scene(books, Layout(board.zones), suits)
        self.ledger = journal.recover(books)
        self.game_clock = GameClock(self.clock, self.store, self.ledger, journal.last_at())
        self.time_limits = TimeLimits(self.game_clock, self.ledger)
        self.fill_in = FillIn(books, self.store, self.ledger)
        self.applied = AppliedPreferences(board, self.store)
        self.saved = True
        self.troubles: dict[str, str] = {}
        self.announced: Sentence | None = None
        self.changed: list[Callable[[], None]] = []
        """Called after every change of the public state."""
        self.journaled: list[Callable[[list[Recorded]], None]] = []
        """Called with events once they are on the disk."""
        self.on_shutdown: Callable[[], None] = lambda: None
        self.pairing_until = 0.0

        self._echoes: dict[str, float] = {}
        self._asking: Asking | None = None
        self._refused_until = 0.0
        self._began = Moment().began
        self._face: tuple[Face, float] | None = None
        self._roulette: Roulette | None = None
        self._leaving: float | None = None
        self._first_taps: dict[str, int | None] = {}
        self._frame_until = NEVER
        self._stale = False
        """Whether something can be seen that is not painted yet."""
        self._more = False
        """Whether more is to be heard before the next picture is painted."""
        self._foreseen: Foreseen | None = None
        """Good until something else happens, or is shown."""
        self._try_saving_at = NEVER
        self.render()

    # What comes in

    def hear(self, edge: Edge, more: bool = False) -> None:
        """Take in an edge of a button. `more`: another has come, and painting waits for it."""
        self._more = more
        try:
            if self._foreseen is not None and self._fulfilled(edge):
                return
            for heard in self.gestures.edge(edge) if self._leaving is None else ():
                self._stale = True
                self._heard(heard)
        finally:
            if self._stale and not more:
                self.render()

    def foresee(self) -> None:
        """While a finger is on a button, think through what letting it go will do.

        A tap acts when the button is let go: its answer is ready by then, and has only to be
        written down and shown.
        """
        self._foreseen = None
        awaited = self.gestures.awaited()
        if awaited is None or self._asking or self._roulette or self.game_clock.jumped():
            return
        table = self.ledger.table
        command = self.books.panel_of(table).deed(table, awaited.button, "tap")
        if not isinstance(command, Command) or type(command) in INCOMPLETE:
            return
        now, at = self.clock.now(), self.game_clock.at()
        try:
            events = self.ledger.decide(command, at)
            later = self.ledger.decide(command, at + awaited.until - now)
        except Refused:
            return
        if not events or events != later:
            return
        after = self.ledger.after(events)
        if not _same_round(table, after):
            return
        painted = self.scene.imagine(
            after, self._moment(), now, self._game_ahead(after, now), self._echoes
        )
        until = min(awaited.until, painted.until)
        offset = self.clock.at() - now + self.time_limits.shift
        self._foreseen = Foreseen(
            awaited.button, awaited.since, until, offset, events, painted.pixels
        )

    def _fulfilled(self, edge: Edge) -> bool:
        """Write down and show what was foreseen; False if it does not come true.

        The light need not wait for the books: they cannot refuse what is in the journal.
        """
        foreseen, self._foreseen = self._foreseen, None
        now, at = self.clock.now(), self.clock.at()
        offset = at - now + self.time_limits.shift
        if foreseen is None or self._more or not foreseen.comes_true(edge, now, offset):
            return False
        before, table = self.ledger.seq, self.ledger.table
        recorded = self.ledger.record(foreseen.events, at)
        written = False
        try:
            self.journal.append(recorded)
            written = True
            self.board.lights.show(foreseen.pixels)
        except NotSaved as error:
            self._not_saved(error)
            self._refuse(Sentence(str(error)))
        finally:
            self._stale = True
            self.gestures.edge(edge)
            if written:
                self._take_in(foreseen.events, recorded)
            self._remember_tap(edge.button, before, table)
        return True

    def do(self, command: Command, instead_of: int | None = None) -> int:
        """Carry a command out and return the new `seq`. Refused or NotSaved: nothing changed."""
        try:
            return self._carry_out(command, instead_of)
        except NotSaved as error:
            self._not_saved(error)
            raise

    def _carry_out(self, command: Command, instead_of: int | None) -> int:
        asked, note = command, None
        if type(command) in INCOMPLETE:
            command, note = self.fill_in.completed(command)
        clock = self.time_limits.game_at if type(command) is NextRound else self.game_clock.at
        events = self.ledger.decide(command, clock(), instead_of)
        if events:
            self._happen(events, self.clock.at())
            if type(asked) in CHOOSING:
                self._show_choice(asked)
        if note is not None:
            self.announce(note)
        return self.ledger.seq

    def _show_choice(self, asked: Command) -> None:
        if type(asked) is NextSet:
            self._show_number(self.ledger.table.size)
        else:
            self._show_profile()

    def _show_profile(self) -> None:
        """Its number among those that are offered, unless the disk has forgotten them."""
        try:
            self._show_number(self.fill_in.offered().index(self.ledger.table.rules.name) + 1)
        except NotSaved:
            log.warning("the number of the rules could not be looked up")

    def _show_number(self, number: int) -> None:
        """Digits on the face, for a while."""
        self._face = (Face("digits", number), self.clock.now() + FACE_SHOWN)
        self.render()
        self._tell()

    def trouble(self, trouble: Trouble) -> None:
        """A device failed, or is well again. Logged once, shown on the page."""
        known = self.troubles.get(trouble.device, "")
        if trouble.message == known:
            return
        if trouble.message:
            self.troubles[trouble.device] = trouble.message
            log.warning("device=%s trouble=%r", trouble.device, trouble.message)
        else:
            del self.troubles[trouble.device]
            log.info("device=%s well again", trouble.device)
        self._tell()

    def announce(self, sentence: Sentence, cue: str | None = None) -> None:
        """Tell the table something that is no event of the game."""
        self.announced = sentence
        if cue is not None:
            self.applied.play(cue)
        self._tell()

    @property
    def preferences(self) -> Preferences:
        """Loudness, brightness and how the pages look."""
        return self.applied.chosen

    def set_preferences(self, preferences: Preferences) -> None:
        """Change them. NotSaved: nothing changed."""
        self.applied.set(preferences)
        self._tell()

    def wake(self) -> None:
        """Do what time has made due, and paint it once."""
        self._more = True
        try:
            self._come_due(self.clock.now())
        finally:
            self._more = False
            self.render()

    def _come_due(self, now: float) -> None:
        for heard in self.gestures.due(now):
            self._heard(heard)
        if self._asking is not None and now >= self._asking.until:
            self._asking = None
        if self._face is not None and now >= self._face[1]:
            self._face = None
        if self._roulette is not None and now >= self._roulette.ends:
            self._roulette = None
            self.applied.play("round")
        if now >= self._try_saving_at:
            self._try_saving(now)
        if now >= self.applied.change_at:
            self.applied.dim()
        if self._leaving is not None and now >= self._leaving + LEAVING_TAKES:
            self._leaving = None
            self.on_shutdown()
        for due in self.time_limits.due():
            self.announce(due, "time")

    def next_wake(self) -> float | None:
        """When `wake` should be called; None while nothing moves."""
        times = [self._frame_until, self._try_saving_at, self.applied.change_at]
        if (due := self.gestures.deadline()) is not None:
            times.append(due)
        if self._asking is not None:
            times.append(self._asking.until)
        if self._face is not None:
            times.append(self._face[1])
        if self._roulette is not None:
            times.append(self._roulette.ends)
        if self._leaving is not None:
            times.append(self._leaving + LEAVING_TAKES)
        if self.time_limits.runs():
            times.append(self.clock.now() + self.time_limits.next_in())
        soonest = min(times)
        return None if soonest == NEVER else soonest

    # What can be seen

    def state(self) -> dict[str, Any]:
        """The public state."""
        said = self.announced or self.ledger.notice()
        document = public(self.ledger, self.table_id, self.game_clock.at(), self.saved, said)
        if (left := self.time_limits.left()) is not None:
            document["clock"] = {"remaining_s": max(0, round(left))}
        document["trouble"] = [
            {"device": device, "message": message} for device, message in self.troubles.items()
        ]
        document["said"] = msgspec.to_builtins(said)
        document["settings"] = self.applied.settings()
        return document

    def render(self) -> None:
        """Show the table as it is now, if that differs from what is shown."""
        now, table = self.clock.now(), self.ledger.table
        if self._echoes:
            self._echoes = {b: until for b, until in self._echoes.items() if until > now}
        ahead = self._game_ahead(table, now)
        painted = self.scene.paint(table, self._moment(), now, ahead, self._echoes)
        self._stale = False
        self._foreseen = None
        # A hub that has run for weeks counts time more coarsely than a look does: without this
        # the next step could be due at the very moment that still shows the one before.
        self._frame_until = max(painted.until, now + LEAST_STEP)
        self.board.lights.show(painted.pixels)

    def _game_ahead(self, table: Table, now: float) -> float:
        """What the game's clock is ahead of `now`; nobody asks where nothing is limited."""
        return self.game_clock.at() - now if limited(table) else 0.0

    def _moment(self) -> Moment:
        return Moment(
            asking=self._asking is not None,
            refused_until=self._refused_until,
            holding=self.gestures.held("advance"),
            began=self._began,
            face=self._face[0] if self._face else None,
            roulette=self._roulette,
            leaving=self._leaving,
            clock_shift=self.time_limits.shift,
        )

    # Gestures

    def _heard(self, heard: Heard) -> None:
        kind = heard.kind
        if kind == "press":
            self._echoes[heard.button] = heard.now + ECHO
            if heard.button == "whistle":
                self.applied.play("whistle")
        elif kind == "tap":
            self._tap(heard.button)
        elif kind == "double":
            self._double(heard.button)
        elif kind == "hold":
            self._gesture(heard.button, "hold")

    def _tap(self, button: str) -> None:
        if self._asking is not None and button.startswith("seat-"):
            ask, self._asking = self._asking.ask, None
            self._attempt(ask.answer(int(button[5:])))
            self._first_taps[button] = ANSWERED
            return
        before, table = self.ledger.seq, self.ledger.table
        self._gesture(button, "tap")
        self._remember_tap(button, before, table)

    def _remember_tap(self, button: str, before: int, table: Table) -> None:
        """What this tap did, should it be the first of two."""
        done = self.ledger.seq > before and _same_round(table, self.ledger.table)
        self._first_taps[button] = before + 1 if done else None

    def _double(self, button: str) -> None:
        """The second of two taps takes the first one's effect back and does its own."""
        if self._first_taps.get(button) == ANSWERED:
            # An answer given with a nervous finger is one answer.
            del self._first_taps[button]
            return
        table = self.ledger.table
        if not self.books.panel_of(table).means(table, button, "double"):
            self._tap(button)
            return
        step = self._first_taps.pop(button, None)
        self._gesture(button, "double", step if self.ledger.has_step(step) else None)

    def _gesture(self, button: str, gesture: Gesture, instead_of: int | None = None) -> None:
        table = self.ledger.table
        deed = self.books.panel_of(table).deed(table, button, gesture)
        if isinstance(deed, Command):
            self._attempt(deed, instead_of)
        elif isinstance(deed, Ask):
            self._asking = Asking(deed, self.clock.now() + deed.seconds)
        elif isinstance(deed, Ordered):
            self._ordered(deed.what)

    def _attempt(self, command: Command, instead_of: int | None = None) -> None:
        """A command from the panel: refusals are shown and sounded, never raised."""
        try:
            self.do(command, instead_of)
        except Refused as refusal:
            self._refuse(refusal.sentence)
        except NotSaved as error:
            self._refuse(Sentence(str(error)))

    def _refuse(self, why: Sentence) -> None:
        self._refused_until = self.clock.now() + REFUSED_SHOWN
        self.announce(why, "refused")

    def _ordered(self, what: str) -> None:
        now = self.clock.now()
        if what == "pair":
            self.pairing_until = now + PAIRING_OPEN
            self.announced = Sentence("The next phone may pair, for one minute.")
            self.applied.play("join")
            self._tell()
        elif what == "volume":
            self._adjust(self.preferences.louder())
            shown = 0 if self.preferences.muted else min(99, round(self.preferences.volume * 100))
            self._show_number(shown)
            self.applied.play("whistle")
        elif what == "quiet":
            self._adjust(self.preferences.quiet_now(self.clock.at()))
            quiet = self.preferences.quiet_at(self.clock.at())
            words = "Quiet and dim until {until}." if quiet else "Quiet hours are over."
            self.announce(Sentence(words, {"until": self.preferences.quiet_until}), "join")
        elif what == "shutdown":
            self._leaving = now
            self.announced = Sentence("Good night. The hub switches itself off.")
            self.applied.play("goodbye")
            self._tell()

    def _adjust(self, preferences: Preferences) -> None:
        """A wish of the panel's: a disk that cannot remember it is told, and no more."""
        try:
            self.set_preferences(preferences)
        except NotSaved as error:
            self._refuse(Sentence(str(error)))

    # What happens

    def _happen(self, events: list[Event], at: float) -> None:
        """Journal first; then, and only then, the books, the lights and the sound."""
        recorded = self.ledger.record(events, at)
        self.journal.append(recorded)
        self._take_in(events, recorded)

    def _take_in(self, events: list[Event], recorded: list[Recorded]) -> None:
        """Let the table know what is in the journal."""
        if not self.saved:
            self.saved = True
            self._try_saving_at = NEVER
        self.announced = None
        ledger, before = self.ledger, self.ledger.table
        for each in recorded:
            ledger.apply(each)
        if not _same_round(before, ledger.table):
            # A question, and the first of two taps, belong to the round they came from.
            self._asking = None
            self._first_taps.clear()
        self._roulette = None
        noted = not NOTED.isdisjoint(map(type, events))
        if noted:
            self._after(events, recorded[0].at)
        if not self._more:
            self.render()
        for event in events:
            if (cue := event.cue(ledger.table)) is not None:
                self.applied.play(cue)
        for listener in self.journaled:
            listener(recorded)
        self._tell()
        if noted and GameStarted in map(type, events):
            self._shorten_recovery()

    def _after(self, events: list[Event], at: float) -> None:
        for event in events:
            if isinstance(event, RoundStarted):
                self._began = self.clock.now()
            elif isinstance(event, StarterDrawn):
                seats = tuple(seat.number for seat in self.ledger.table.players())
                self._roulette = Roulette(self.clock.now(), seats, event.seat)
                self._began = self._roulette.ends
            elif type(event) in NEW_CLOCK:
                self.time_limits.begin()
            if type(event) in NEW_NAMES:
                self.fill_in.remember_players(at)

    def _shorten_recovery(self) -> None:
        """A disk that does not take the snapshot costs the next start some time, and no more."""
        try:
            self.journal.shorten(self.ledger)
        except NotSaved:
            log.warning("the snapshot for a quicker start could not be kept")

    def _not_saved(self, error: NotSaved) -> None:
        self.saved = False
        self._try_saving_at = self.clock.now() + RETRY_SAVING
        log.error("journal=%s error=%r", self.journal.path, str(error))
        self._tell()

    def _try_saving(self, now: float) -> None:
        if self.journal.writable():
            self.saved = True
            self._try_saving_at = NEVER
            self._tell()
        else:
            self._try_saving_at = now + RETRY_SAVING

    def _tell(self) -> None:
        for listener in self.changed:
            listener()


def _same_round(one: Table, other: Table) -> bool:
    return one.phase == other.phase and len(one.rounds) == len(other.rounds)
