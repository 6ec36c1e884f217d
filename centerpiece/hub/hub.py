"""The hub: one way through, from an edge or a command to light, sound and page.

    edge ─▶ gesture ─▶ panel map ─▶ command ─▶ decide ─▶ (writer) ─▶ show: lights, sound, pages

Everything happens in the caller's thread, one thing after the other, and time is asked of the
board's clock: the same code runs under asyncio (`service.shell`) and in virtual time (`sim.hands`).
Nothing is shown that a power cut could take back. So there are two ledgers: commands are decided
on what was *decided*; all that is seen, heard, answered or forwarded comes from what is *written*.
Between the two, orders wait for the writer, which takes whatever waits together and reports back.
What promises nothing comes at once, however long a card stalls: the echo of a pressed button, the
whistle's sound, a question.
The hub says when its picture is out of date; whoever runs it calls `paint` when nothing more
waits to be heard, so that edges that come together are painted once.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import msgspec

from centerpiece.display.colours import SUITS, Colour
from centerpiece.display.looks import NEVER
from centerpiece.display.public_state import PublicState
from centerpiece.display.roulette import Roulette
from centerpiece.display.scene import Layout, Scene
from centerpiece.hub.dial import Dial
from centerpiece.hub.fill_in import FillIn, named
from centerpiece.hub.game_clock import GameClock
from centerpiece.hub.gestures import Gestures, Heard, Timing, gentle
from centerpiece.hub.labels import Labels, labels
from centerpiece.hub.pairing import PairingMinute
from centerpiece.hub.parade import of_seat, of_standings
from centerpiece.hub.passing import Passing
from centerpiece.hub.preferences import SETTING, AppliedPreferences, Preferences
from centerpiece.hub.questions import OpenQuestion
from centerpiece.hub.time_limits import TimeLimits, limited
from centerpiece.storage import card_speed, clock_jumps
from centerpiece.storage.card_speed import Stopwatch
from centerpiece.storage.journal import Entry, Journal, NotSaved
from centerpiece.storage.settings import PHONES, Settings
from centerpiece.storage.writer import DirectWriter, Writer
from centerpiece.table import saved_rules
from centerpiece.table.books import Books
from centerpiece.table.commands import (
    BlowWhistle,
    Command,
    FewerRounds,
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
from centerpiece.table.panel import (
    LONG_HOLDS,
    Ask,
    Binding,
    Gesture,
    Now,
    Ordered,
    When,
    chords,
    deed,
)
from centerpiece.table.questions import AsksBack, Question, ask, open_question
from centerpiece.table.rounds import rounds_of
from centerpiece.table.scoring import standings
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger, Recorded
from centerpiece.text import Problem, Refused, Sentence
from hal.ports import BUTTONS, SEATS, Board, Edge, Trouble

log = logging.getLogger("centerpiece.hub")

LEAST_STEP = 0.001
RETRY_SAVING = 5.0
LATE = 0.5
"""Seconds after which the hub says that it is still saving."""

CHOOSING = frozenset((NextSet, NextProfile, FewerRounds))
"""Commands after which the face shows what was chosen."""

NEW_CLOCK = frozenset((GameStarted, RulesAgreed))
"""Events that may give the game another time limit."""
NEW_NAMES = frozenset((GameStarted, Joined, Renamed, Substituted))
"""Events after which the hub has names to remember."""
NOTED = NEW_CLOCK | {RoundStarted, StarterDrawn}
"""Events that mean something to the hub's own passing things; most presses lead to others."""

TIMING = Timing(holds=LONG_HOLDS, chords=chords())

TAKE = Ordered("take")
CONFIRMED = ("uncounted", "end", "phones")
"""Questions that ask whether somebody is sure: whatever else is pressed, they are not."""
ONCE = -1
"""Instead of the step of a first tap: a finger that trembles means it once."""

Listener = Callable[[], None]
Answer = int | Problem
"""What becomes of an order: the `seq` after it, or why nothing has changed."""
Told = Callable[[Answer], None]


def unheard(answer: Answer) -> None:
    """For those who need not know."""


class Waiting(NamedTuple):
    """An order that was decided, until everything up to it is written."""

    entry: Entry
    ledger: Ledger
    """As it is after it."""
    answer: Answer
    told: Told
    since: float
    command: Command | None = None
    button: str = ""
    """The one that was pressed for it."""


class Hub:
    """A table, its journal and its board, working together.

    Whoever brings a writer passes its reports on to `wrote`; without one the hub writes at once.
    """

    def __init__(
        self,
        books: Books,
        journal: Journal,
        board: Board,
        table_id: str = "table-1",
        timing: Timing = TIMING,
        suits: tuple[Colour, ...] = SUITS,
        writer: Writer | None = None,
    ) -> None:
        self.books = books
        self.journal = journal
        self._writer: Writer = writer or DirectWriter(journal)
        self.settings = Settings(journal)
        self.board = board
        self.clock = board.clock
        self.table_id = table_id
        self._decided = self._written = journal.recover(books)
        self._waiting: list[Waiting] = []
        self._batch: list[Waiting] | None = None
        """What the writer is at work on; None while it rests."""
        self._handed_over_at = NEVER
        self._stopwatch = Stopwatch()
        self._late = False
        self._late_at = NEVER
        self._timing = timing
        self._gestures = Gestures(timing)
        self._scene = Scene(books, Layout(board.zones, board.lights.count), suits)
        self._public_state = PublicState(books, table_id)
        self._game_clock = GameClock(self.clock, self.settings)
        self._limits = TimeLimits(self._game_clock, self._written.table)
        self._fill_in = FillIn(self.settings)
        self._applied = AppliedPreferences(board, self.settings)
        self._passing = Passing()
        self._asked = OpenQuestion()
        self._dial = Dial()
        self._first_taps: dict[str, int | None] = {}
        self._troubles: dict[str, str] = {}
        self._announced: Sentence | None = None
        self._saved = True
        self._try_saving_at = NEVER
        self._painted_until = NEVER
        self._stale = False
        self._on_stale: list[Listener] = []
        self._on_news: list[Listener] = []
        self._on_recorded: list[Callable[[Sequence[Recorded]], None]] = []
        self._on_shutdown: list[Listener] = []
        self._on_forget: list[Listener] = []
        self._hear_first: Listener = lambda: None
        if writer is None:
            self._writer.listen(self.wrote)
        if self._game_clock.recover(self._written, journal.last_at()):
            self.keep(clock_jumps.SETTING, self._game_clock.jumps)
        self._listen_gently()
        self._follow_the_count()
        if self._counted_now() is not None:
            name = self.table.name(self._counted_now() or 0)
            self._announced = Sentence("Counting goes on with the hand of {name}.", {"name": name})
        self.paint()

    # Who wants to know

    def on_stale(self, listener: Listener) -> None:
        """Called when the picture is out of date, or `next_wake` may be another."""
        self._on_stale.append(listener)

    def on_news(self, listener: Listener) -> None:
        """Called after every change of the public state."""
        self._on_news.append(listener)

    def on_recorded(self, listener: Callable[[Sequence[Recorded]], None]) -> None:
        """Called with events once they are on the disk."""
        self._on_recorded.append(listener)

    def on_forget(self, listener: Listener) -> None:
        """Called when the buttons have forgotten all phones."""
        self._on_forget.append(listener)

    def on_shutdown(self, listener: Listener) -> None:
        """Called when the buttons have switched the hub off and its lights are out."""
        self._on_shutdown.append(listener)

    def before_orders(self, hear: Listener) -> None:
        """Called before an order is decided: edges that came earlier are to be heard first."""
        self._hear_first = hear

    # What comes in

    def hear(self, edge: Edge) -> None:
        """Take in an edge of a button."""
        if self._passing.leaving:
            return
        try:
            for heard in self._gestures.edge(edge):
                self._heard(heard)
        finally:
            self._out_of_date()

    def order(
        self, command: Command, told: Told = unheard, keep: Mapping[str, Any] | None = None
    ) -> None:
        """Have a command carried out, and settings kept together with what it leads to.

        `told` hears what became of it, once no power cut can take that back.
        """
        self._hear_first()
        settings = {key: msgspec.json.encode(value) for key, value in (keep or {}).items()}
        try:
            events = self._events(command)
        except Refused as refusal:
            # It may follow from something that is not written yet, so it waits like all answers.
            self._wait(Entry(settings=settings), refusal, told)
        else:
            self._happen(events, settings, told, command)
        finally:
            self._out_of_date()

    def do(self, command: Command) -> int:
        """`order` where the writer writes at once: the new `seq`, or the problem is raised."""
        answers: list[Answer] = []
        self.order(command, answers.append)
        (answer,) = answers
        if isinstance(answer, Problem):
            raise answer
        return answer

    def keep(self, key: str, value: Any, told: Told = unheard) -> None:
        """Remember a setting; `told` hears when it is kept, or why it is not."""
        self._wait(Entry(settings={key: msgspec.json.encode(value)}), told=told)
        if self._batch is not None:
            self._out_of_date()  # `next_wake` may be another

    def wrote(self, error: NotSaved | None) -> None:
        """The writer's report: what it was given is on the disk, or is not."""
        batch, self._batch = self._batch or [], None
        self._stopwatch.note(self.clock.now() - self._handed_over_at)
        try:
            if error is None:
                self._has_room()
                with ExitStack() as showing:  # whatever goes wrong with one, the others are shown
                    for each in reversed(batch):
                        showing.callback(self._show, each)
            else:
                self._drop(batch, error)
        finally:
            self._hand_over()
            if error is not None or any(each.told is not unheard for each in batch):
                self._out_of_date()

    def trouble(self, trouble: Trouble) -> None:
        """A device failed, or is well again. Logged once, shown on the page."""
        known = self._troubles.get(trouble.device, "")
        if trouble.message == known:
            return
        if trouble.message:
            self._troubles[trouble.device] = trouble.message
            if trouble.device == "buttons":
                self._gestures.forget()
            log.warning("device=%s trouble=%r", trouble.device, trouble.message)
        else:
            del self._troubles[trouble.device]
            log.info("device=%s well again", trouble.device)
        self._news()

    def doubt_the_disk(self) -> None:
        """The file may not be in its place any more: the writer looks, and sees to it."""
        self._try_saving_at = self.clock.now()
        self._out_of_date()

    def announce(self, sentence: Sentence, cue: str | None = None) -> None:
        """Tell the table something that is no event of the game."""
        self._announced = sentence
        if cue is not None:
            self._applied.play(cue)
        self._news()

    def wake(self) -> None:
        """Do what time has made due."""
        now = self.clock.now()
        try:
            self._notice_clock()
            for heard in self._gestures.due(now):
                self._heard(heard)
            if (question := self._asked.expired(now)) is not None:
                self._nobody_answered(question)
            for ended in self._passing.ended(now):
                if ended == "roulette":
                    self._applied.play("round")
                else:
                    for listener in self._on_shutdown:
                        listener()
            if now >= self._try_saving_at and self._batch is None:
                self._try_saving_at = now + RETRY_SAVING
                self._write([], [])
            if now >= self._late_at:
                self._watch_writer()
            self._applied.dim_if_due(now)
            for due in self._limits.due(self.table):
                self.announce(due, "time")
        finally:
            self._out_of_date()

    def next_wake(self) -> float | None:
        """When `wake` should be called; None while nothing moves."""
        soonest = min(
            self._painted_until,
            self._try_saving_at if self._batch is None else NEVER,
            self._late_at,
            self._applied.change_at,
            self._gestures.deadline(),
            self._passing.next_end(self.clock.now()),
            self._asked.until,
            self.clock.now() + self._limits.next_in(self.table) if limited(self.table) else NEVER,
        )
        return None if soonest == NEVER else soonest

    # Preferences, pairing, the hall's clock

    @property
    def preferences(self) -> Preferences:
        """Loudness, brightness and how the pages look."""
        return self._applied.chosen

    def set_preferences(self, preferences: Preferences, told: Told = unheard) -> None:
        """Change them, as soon as they are kept."""

        def kept(answer: Answer) -> None:
            self._applied.choose(self._applied.chosen if isinstance(answer, Problem) else wished)
            self._listen_gently()
            self._news()
            told(answer)

        self._applied.wished = wished = preferences
        self.keep(SETTING, preferences, kept)

    def _listen_gently(self) -> None:
        """Where hands shake."""
        self._gestures.follow(gentle(self._timing) if self.preferences.gentle else self._timing)

    def open_pairing(self) -> None:
        """Let phones pair for one minute. The face shows the number; nobody else is told."""
        self._passing.pairing = PairingMinute(self.clock.now())
        self._applied.play("join")
        self._out_of_date()

    def pairing(self) -> PairingMinute | None:
        """The minute in which phones may pair, while it lasts."""
        pairing = self._passing.pairing
        return pairing if pairing is not None and self.clock.now() < pairing.ends else None

    def pairs_with(self, number: str) -> bool:
        """Whether this is the number on the face. Too many wrong ones, and there is none."""
        pairing = self.pairing()
        if pairing is None:
            return False
        right = pairing.fits(number, self.clock.now())
        if pairing.spoilt:
            self._passing.pairing = None
            self._passing.refuse(self.clock.now())
            self._applied.play("refused")
        self._out_of_date()
        return right

    def close_pairing(self) -> None:
        """No more phones for now."""
        self._passing.pairing = None
        self._out_of_date()

    def game_at(self) -> float:
        """The time of the game that is on, whatever the wall clock did."""
        return self._game_clock.at(self.table)

    def follow_clock(self, shift: float) -> None:
        """The game's limit is measured by a clock so many seconds ahead of the table's own."""
        if shift != self._limits.shift:
            self._limits.follow(shift)
            self._out_of_date()
            self._news()

    # What can be seen

    @property
    def ledger(self) -> Ledger:
        """What is written."""
        return self._written

    @property
    def table(self) -> Table:
        """The table as it is."""
        return self._written.table

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self._written.seq

    @property
    def decided(self) -> Ledger:
        """What was decided: only for those who give orders, and never to be shown."""
        return self._decided

    @property
    def notice(self) -> Sentence:
        """The last thing that happened or was said."""
        return self._announced or self._written.notice()

    def state(self) -> dict[str, Any]:
        """The public state."""
        notice = self.notice
        saved = self._saved and not self._late
        document = self._public_state.document(self._written, self.game_at(), saved, notice)
        if (left := self._limits.left(self.table)) is not None:
            document["clock"] = {"remaining_s": max(0, round(left))}
        if (question := self._asked.question) is not None:
            document["asks"] = {"what": question.what, "seats": list(question.seats)}
        document["counting"] = self._dial.told(self._counted_here())
        document["trouble"] = [
            {"device": device, "message": message} for device, message in self._troubles.items()
        ]
        document["said"] = msgspec.to_builtins(notice)
        document["settings"] = self._applied.settings()
        document["saving"] = self._late and self._saved
        return document

    def labels(self) -> Labels:
        """What every button does now."""
        table = self._decided.table
        question = self._asked.question or open_question(table)
        seated = SEATS if table.phase == "lobby" else [seat.number for seat in table.players()]
        asked = question.seats if question else ()
        return labels(self.books.panel_of(table), self._now(), seated, asked)

    def holds(self) -> dict[str, float]:
        """For how many seconds a button, or two together, must be held."""
        timing = self._gestures.timing
        single = {name: timing.holds.get(name, timing.hold) for name in BUTTONS}
        return {**single, **timing.chords}

    def paint(self) -> None:
        """Show the table as it is now, if that differs from what is shown."""
        now, table, passing = self.clock.now(), self._written.table, self._passing
        passing.forget_echoes(now)
        moment = passing.moment(now, self._gestures.held("advance"), self._limits.shift)
        moment = msgspec.structs.replace(moment, **self._what_waits())
        ahead = self._game_clock.at(table) - now if limited(table) else 0.0
        painted = self._scene.paint(table, moment, now, ahead, passing.echoes)
        self._stale = False
        # A hub that has run for weeks counts time more coarsely than a look does: without this
        # the next step could be due at the very moment that still shows the one before.
        self._painted_until = max(painted.until, now + LEAST_STEP)
        self.board.lights.show(painted.pixels)

    def _out_of_date(self) -> None:
        if not self._stale:
            self._stale = True
            for listener in self._on_stale:
                listener()

    def _news(self) -> None:
        for listener in self._on_news:
            listener()

    # Gestures

    def _heard(self, heard: Heard) -> None:
        kind = heard.kind
        if kind == "press":
            self._passing.pressed(heard.button, heard.now)
            if heard.button == "whistle":
                self._applied.play("whistle")
        elif kind == "tap":
            self._tap(heard.button)
        elif kind == "double":
            self._double(heard.button)
        elif kind == "hold":
            self._gesture(heard.button, "hold")

    def _tap(self, button: str) -> None:
        before = self._decided
        if self._gesture(button, "tap"):
            self._first_taps[button] = ONCE
            return
        after = self._decided
        done = after.seq > before.seq and _same_round(before.table, after.table)
        self._first_taps[button] = before.seq + 1 if done else None

    def _double(self, button: str) -> None:
        """The second of two taps takes the first one's effect back and does its own."""
        if self._first_taps.get(button) == ONCE:
            del self._first_taps[button]
            return
        if self._find(button, "double") is None:
            self._tap(button)
            return
        step = self._first_taps.pop(button, None)
        self._gesture(button, "double", step if self._decided.has_step(step) else None)

    def _gesture(self, button: str, gesture: Gesture, instead_of: int | None = None) -> bool:
        """Do what a gesture means now; whether a second tap right after it means nothing more."""
        question = self._asked.question or open_question(self._decided.table)
        binding = self._find(button, gesture)
        if binding is None:
            return False
        what = question.what if question else None
        answers = what is not None and binding.when == what
        if what in CONFIRMED and not answers:
            self._asks_no_more()
        wanted = deed(binding, button, question.about if question else None)
        if isinstance(wanted, Ask):
            self._ask(ask(self._decided.table, wanted.what, wanted.about))
        elif isinstance(wanted, Ordered):
            self._ordered(wanted)
        elif self._attempt(button, wanted, instead_of) and answers:
            self._asks_no_more()
        elif what == "caught" and answers and question is self._asked.question:
            # Who cannot be caught is not: nobody else is accused of it.
            self._asked.close()
        answered = answers and self._now().question != what
        return answered or isinstance(wanted, Ask) or wanted == TAKE

    def _find(self, button: str, gesture: Gesture) -> Binding | None:
        return self.books.panel_of(self._decided.table).find(self._now(), button, gesture)

    def _now(self) -> Now:
        """What decides about the meaning of a gesture."""
        table = self._decided.table
        question = self._asked.question or open_question(table)
        holds: set[When] = set()
        if table.phase in ("scoring", "finished"):
            holds.add("counted" if self._counted_now() is None else "counting")
        elif table.phase == "playing":
            if table.rules.tells_turns:
                holds.add("turns")
            if self.books.game_of(table).won_in_play(table):
                holds.add("won")
        dark = frozenset(SEATS).difference(seat.number for seat in table.players())
        if question is not None:
            return Now(table.phase, question.what, question.about, frozenset(holds), dark=dark)
        skipped = table.skipped if table.turn is None else frozenset()
        return Now(table.phase, None, None, frozenset(holds), skipped, dark)

    # Questions and the count: what waits for somebody, and promises nothing

    def _ask(self, question: Question) -> None:
        self._asked.ask(question, self.clock.now())
        self.announce(question.sentence)

    def _asks_no_more(self) -> None:
        self._asked.close()
        self._announced = None
        self._news()

    def _nobody_answered(self, question: Question) -> None:
        """A whistle that was blown was blown, whoever it was."""
        self._asks_no_more()
        if question.what == "last-tile" and question.about is None:
            self._attempt("whistle", BlowWhistle())

    def _counted_now(self) -> int | None:
        """The seat whose hand is being counted, by what was decided."""
        table = self._decided.table
        return self._dial.seat(self.books.game_of(table), table)

    def _counted_here(self) -> int | None:
        """The same for those who look: not before they can see that the round has ended."""
        seen = _same_round(self._written.table, self._decided.table)
        return self._counted_now() if seen else None

    def _follow_the_count(self) -> None:
        table = self._decided.table
        self._dial.follow(self.books.game_of(table), table)

    def _count(self, ordered: Ordered) -> None:
        """A press of the dial."""
        table = self._decided.table
        try:
            command = self._dial.do(ordered, self.books.game_of(table), table)
        except Refused as refusal:
            self._refuse(refusal.sentence)
            return
        if command is None:
            self._announced = None
        elif self._attempt("advance", command):
            self._dial.clear()
        self._follow_the_count()
        self._news()

    def _tell_totals(self, ordered: Ordered) -> None:
        """The standings place by place, or one seat's total."""
        now, table = self.clock.now(), self._written.table
        game = self.books.game_of(table)
        if ordered.what == "parade" and self._passing.marched_on(now):
            return
        try:
            if ordered.what == "parade":
                parade = of_standings(game, table, now)
            else:
                parade = of_seat(game, table, ordered.seat, now)
        except Refused as refusal:
            self._refuse(refusal.sentence)
            return
        self._passing.march(parade)
        self.announce(parade.words)

    def _what_waits(self) -> dict[str, Any]:
        """For the picture: whom a question asks, whose hand is counted, what is typed of it."""
        question, counted = self._asked.question, self._counted_here()
        return {
            "asked": () if question is None else question.seats,
            "counting": counted,
            "called_for": question is not None and question.what == "uncounted",
            "typed": self._dial.typed if counted is not None else "",
            **({"face_since": self._passing.pressed_at} if counted is not None else {}),
        }

    def _attempt(self, button: str, command: Command, instead_of: int | None = None) -> bool:
        """A command from the panel; whether it was decided. Refusals are shown and sounded."""
        try:
            events = self._events(command, instead_of)
        except AsksBack as asked:
            self._ask(asked.question)
        except Refused as refusal:
            self._wait(Entry(), refusal, self._tell_table, command, button)
        else:
            self._happen(events, {}, self._tell_table, command, button)
            return True
        return False

    def _tell_table(self, answer: Answer) -> None:
        if isinstance(answer, Problem):
            self._refuse(answer.sentence)

    def _refuse(self, why: Sentence) -> None:
        now = self.clock.now()
        self._passing.refuse(now)
        self._asked.wait_longer(now)
        self.announce(why, "refused")

    def _ordered(self, ordered: Ordered) -> None:
        """What the panel asks of the hub itself, outside the books."""
        match ordered.what:
            case "pair":
                self.open_pairing()
            case "forget-phones":
                self._asks_no_more()
                self._forget_phones()
            case "never-mind":
                self._asks_no_more()
            case "parade" | "total":
                self._tell_totals(ordered)
            case "digit" | "double-blank" | "count" | "take" | "back":
                self._count(ordered)
            case "volume":
                self._prefer(self._applied.wished.louder(), self._tell_volume)
            case "quiet":
                wish = self._applied.wished.quiet_now(self.clock.at())
                self._prefer(wish, self._tell_quiet)
            case "shutdown":
                self._passing.leave(self.clock.now())
                self.announce(Sentence("Good night. The hub switches itself off."), "goodbye")

    def _forget_phones(self) -> None:
        def told(answer: Answer) -> None:
            self._tell_table(answer)
            if not isinstance(answer, Problem):
                self.announce(
                    Sentence("All phones are forgotten. Each can be paired again."), "undo"
                )

        self.keep(PHONES, [], told)
        for listener in self._on_forget:
            listener()

    def _prefer(self, wish: Preferences, tell: Callable[[Preferences], None]) -> None:
        """A wish of the panel's: a disk that cannot remember it is told of, and no more."""

        def told(answer: Answer) -> None:
            self._tell_table(answer)
            if not isinstance(answer, Problem):
                tell(wish)

        self.set_preferences(wish, told)

    def _tell_volume(self, chosen: Preferences) -> None:
        self._show_number(0 if chosen.muted else min(99, round(chosen.volume * 100)))
        self._applied.play("whistle")

    def _tell_quiet(self, chosen: Preferences) -> None:
        quiet = chosen.quiet_at(self.clock.at())
        words = "Quiet and dim until {until}." if quiet else "Quiet hours are over."
        self.announce(Sentence(words, {"until": chosen.quiet_until}), "join")

    # Decide

    def _events(self, command: Command, instead_of: int | None = None) -> list[Event]:
        """What a command leads to, by what was decided before it."""
        self._notice_clock()
        table = self._decided.table
        command = self._fill_in.completed(table, command)
        clock = self._limits.game_at if type(command) is NextRound else self._game_clock.at
        return self._decided.decide(command, clock(table), instead_of)

    def _happen(
        self,
        events: list[Event],
        settings: Mapping[str, bytes],
        told: Told,
        command: Command,
        button: str = "",
    ) -> None:
        """Events are decided; whoever wants to know waits until they are written."""
        before = self._decided.table
        entry = self._entered(events, settings)
        if not _same_round(before, self._decided.table):
            # A question, and the first of two taps, belong to the round they came from.
            self._asked.close()
            self._first_taps.clear()
        self._follow_the_count()
        self._wait(entry, self._decided.seq, told, command, button)

    def _notice_clock(self) -> None:
        if self._game_clock.notice(self._decided):
            self.keep(clock_jumps.SETTING, self._game_clock.jumps)

    def _entered(self, events: list[Event], settings: Mapping[str, bytes]) -> Entry:
        """Take events into the decided ledger; what there is to be written of them."""
        at, ledger = self.clock.at(), self._decided
        recorded = ledger.record(events, at)
        for each in recorded:
            ledger = ledger.apply(each)
        self._decided = ledger
        kinds = set(map(type, events))
        if NEW_NAMES.isdisjoint(kinds):
            return Entry(tuple(recorded), settings)
        snapshot = ledger if GameStarted in kinds else None
        return Entry(tuple(recorded), settings, named(ledger.table, at), snapshot)

    # Write

    def _wait(
        self,
        entry: Entry,
        answer: Answer = 0,
        told: Told = unheard,
        command: Command | None = None,
        button: str = "",
    ) -> None:
        now = self.clock.now()
        waiting = Waiting(entry, self._decided, answer, told, now, command, button)
        self._waiting.append(waiting)
        self.settings.decided(entry)
        if self._batch is None:
            self._hand_over()
        if button and self._batch and (self._late or self._passing.echoing(button, now)):
            self._passing.hold_echo(button)

    def _hand_over(self) -> None:
        """Give the writer whatever waits; what needs no writing is shown when its turn comes."""
        while self._waiting and self._batch is None:
            batch, self._waiting = self._waiting, []
            if entries := [each.entry for each in batch if any(each.entry)]:
                if (speed := self._stopwatch.news()) is not None:
                    entries.append(Entry(settings={card_speed.SETTING: msgspec.json.encode(speed)}))
                self._write(batch, entries)
            else:
                for each in batch:
                    self._show(each)
        self._watch_writer()

    def _write(self, batch: list[Waiting], entries: list[Entry]) -> None:
        self._batch, self._handed_over_at = batch, self.clock.now()
        self._writer.write(entries)

    def _watch_writer(self) -> None:
        """Notice when something has waited for long, and when nothing does any more."""
        since = self._batch[0].since if self._batch else NEVER
        late = self.clock.now() >= since + LATE
        self._late_at = NEVER if late else since + LATE
        if late != self._late:
            self._late = late
            for each in (*(self._batch or ()), *self._waiting):
                if late and each.button:
                    self._passing.hold_echo(each.button)
            self._news()

    def _has_room(self) -> None:
        self._try_saving_at = NEVER
        if not self._saved:
            self._saved = True
            self._news()

    def _drop(self, batch: list[Waiting], error: NotSaved) -> None:
        """The disk refuses: what is not written has not happened, and whoever waits is told so."""
        lost, self._waiting = [*batch, *self._waiting], []
        self._decided = self._written
        self.settings.drop()
        self._asked.close()
        self._first_taps.clear()
        self._follow_the_count()
        self._saved = False
        self._try_saving_at = self.clock.now() + RETRY_SAVING
        if lost:
            log.error("journal=%s error=%r", self.journal.path, str(error))
        with ExitStack() as telling:
            for each in reversed(lost):
                telling.callback(self._tell, each, error)
        self._news()

    # Show

    def _show(self, done: Waiting) -> None:
        """It is written: now, and only now, it can be seen, heard, answered and forwarded."""
        before, self._written = self._written.table, done.ledger
        self.settings.written(done.entry)
        if done.entry.recorded:
            self._signal(before, done.ledger.table, done.entry.recorded)
            if type(done.command) in CHOOSING:
                self._show_choice(done.ledger.table, done.command)
        self._tell(done, done.answer)

    def _tell(self, done: Waiting, answer: Answer) -> None:
        self._passing.release_echo(done.button)
        done.told(answer)

    def _signal(self, before: Table, table: Table, recorded: tuple[Recorded, ...]) -> None:
        self._announced = None
        self._passing.happened()
        for each in recorded:
            if type(each.event) in NOTED:
                self._note(table, each.event)
        for each in recorded:
            if (cue := each.event.cue(table)) is not None:
                self._applied.play(cue)
        if self._counts(before) and table.phase == "scoring" and not self._counts(table):
            self._tell_who_leads()
        for listener in self._on_recorded:
            listener(recorded)
        self._news()

    def _counts(self, table: Table) -> bool:
        """Whether hands are still to be counted."""
        return table.phase == "scoring" and bool(self.books.game_of(table).to_count(table))

    def _tell_who_leads(self) -> None:
        """When the last hand is in."""
        table = self._written.table
        first = [line for line in standings(self.books.game_of(table), table) if line.place == 1]
        if not first:
            return
        facts = {"names": [line.seat.name for line in first], "total": first[0].total}
        leads = Sentence("{names} {names|leads|lead} with {total}.", facts)
        told = {"told": self._written.notice(), "more": leads}
        self._announced = Sentence("{told} {more}", told)
        self._applied.play("leader")

    def _note(self, table: Table, event: Event) -> None:
        now = self.clock.now()
        if isinstance(event, RoundStarted):
            self._passing.round_begins(now)
        elif isinstance(event, StarterDrawn):
            seats = tuple(seat.number for seat in table.players())
            self._passing.spin(Roulette(now, seats, event.seat))
        else:
            self._limits.begin(table)

    def _show_choice(self, table: Table, command: Command | None) -> None:
        """On the face: the set, the rounds, or the number of the rules among those offered."""
        if type(command) is NextSet:
            self._show_number(table.size)
        elif type(command) is FewerRounds:
            self._show_number(int(rounds_of(table)))
        else:
            offered = saved_rules.names(self.books, table, table.rules.game)
            self._show_number(offered.index(table.rules.name) + 1)

    def _show_number(self, number: int) -> None:
        """Digits on the face, for a while."""
        self._passing.show(Face("digits", number), self.clock.now())
        self._news()


def _same_round(one: Table, other: Table) -> bool:
    return one.phase == other.phase and len(one.rounds) == len(other.rounds)
