"""The hub: one way through, from an edge or a command to light, sound and page.

    edge ─▶ gestures ─▶ interpret ─┬─▶ ui            shown at once, promises nothing
    phone ───────────── command ───┴─▶ commit queue ─▶ written ─▶ lights, sound, voice, pages

Everything happens in the caller's thread, one thing after the other, and time is asked of the
board's clock: the same code runs under asyncio (`service.shell`) and in virtual time (`sim.hands`).
The hub says when its picture is out of date; whoever runs it calls `paint` when nothing more
waits to be heard, so that edges that come together are painted once.
"""

import logging
import secrets
from collections.abc import Callable, Sequence
from math import inf
from operator import call
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from centerpiece.display.colours import SUITS, Colour
from centerpiece.display.public_state import public_state
from centerpiece.display.render import Layout, Scene
from centerpiece.hub.announcer import Announcer, choice_shown
from centerpiece.hub.call_all import call_all
from centerpiece.hub.commit_queue import Answer, CommitQueue, Done, OnDone, Saved, ignore
from centerpiece.hub.complete_command import Lots, complete_command, random_lot
from centerpiece.hub.device_controls import Control, control
from centerpiece.hub.game_clock import GameClock, game_on, jumped_while_off
from centerpiece.hub.gestures import Gestures, Timing
from centerpiece.hub.output_settings import OutputSettings
from centerpiece.hub.preferences import PREFERENCES, Preferences
from centerpiece.hub.time_limits import TimeLimits, limited
from centerpiece.hub.voice import Utterance, Voice
from centerpiece.panel.bindings import LONG_HOLDS
from centerpiece.panel.gesture import Gesture
from centerpiece.panel.interpret import PanelCommand, conclude, interpret
from centerpiece.panel.labels import Labels, labels
from centerpiece.panel.lookup import chords, situation
from centerpiece.panel.pairing_minute import OPEN_FOR, PairingMinute
from centerpiece.panel.parade import Parade, of_seat, of_standings
from centerpiece.panel.ui import Leaving, Ui
from centerpiece.storage.clock_jumps import CLOCK_JUMPS
from centerpiece.storage.errors import NotSaved
from centerpiece.storage.journal import Journal
from centerpiece.storage.settings import SettingKey, Settings
from centerpiece.storage.writer import DirectWriter, Writer
from centerpiece.table.binding import Effect
from centerpiece.table.commands import BlowWhistle, Command, NextRound
from centerpiece.table.events import Event, GameStarted, RulesAgreed
from centerpiece.table.game_set import GameSet
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger, Recorded
from centerpiece.text import Problem, Refused, Sentence
from hal.ports import BUTTONS, Board, Edge, Trouble

log = logging.getLogger("centerpiece.hub")

LEAST_STEP = 0.001
TIMING = Timing(holds=LONG_HOLDS, chords=chords())
NEW_LIMITS = frozenset((GameStarted, RulesAgreed))
"""Events that may give the game another time limit."""

Listener = Callable[[], None]
Value = TypeVar("Value")
Change = tuple[SettingKey[Any], Callable[[Any], Any]]
"""A setting, and what becomes of the value that was decided for it last."""


class MovedOn(Refused):
    """The command was meant for a state of the table that has passed."""

    code = "late"


class Hub:
    """A table, its journal and its board, working together.

    Whoever brings a writer passes its reports on to `wrote`; without one the hub writes at once.
    """

    def __init__(
        self,
        game_set: GameSet,
        journal: Journal,
        board: Board,
        table_id: str = "table-1",
        timing: Timing = TIMING,
        suits: tuple[Colour, ...] = SUITS,
        writer: Writer | None = None,
        lots: Lots = random_lot,
    ) -> None:
        self.game_set = game_set
        self.journal = journal
        self.board = board
        self.clock = board.clock
        self.table_id = table_id
        self._lots = lots
        self._ui = Ui()
        self._troubles: dict[str, str] = {}
        self._has_news = False
        self._stale = False
        self._painted_until = inf
        self._before_orders: Listener = lambda: None
        self._on_stale: list[Listener] = []
        self._on_news: list[Listener] = []
        self._on_shutdown: list[Listener] = []
        self._on_recorded: list[Callable[[Sequence[Recorded]], None]] = []

        ledger = journal.recover(game_set)
        writes = writer or DirectWriter(journal)
        self._queue = CommitQueue(Saved(ledger, Settings.of(journal)), writes, self.clock)
        self._game_clock = GameClock(self.clock)
        self._limits = TimeLimits(ledger.table, self.game_at())
        self._gestures = Gestures(timing)
        self._outputs = OutputSettings(board, self._gestures, self._queue)
        self._voice = Voice(game_set, self.clock, self._outputs, ledger.table)
        self._announcer = Announcer(self._outputs, self._voice)
        self._scene = Scene(game_set, Layout(board.zones, board.lights.count), suits)
        if writer is None:
            writes.listen(self.wrote)
        jumps = self.settings[CLOCK_JUMPS]
        self._remember_jump(jumped_while_off(ledger, jumps, journal.last_at(), self.clock.at()))
        self._resume()
        self.paint()

    def _resume(self) -> None:
        """Go on counting a round that was being counted when the power went."""
        table = self.table
        self._ui = self._ui.follow(self.game_set.game_of(table), table, table)
        if (seat := self._ui.dial.counting(table)) is not None:
            words = "The next hand to count is {name}'s."
            self.announce(Sentence(words, {"name": table.name(seat)}))

    # Listeners

    def on_stale(self, listener: Listener) -> None:
        """Call when the picture is out of date, or `next_wake` may be another."""
        self._on_stale.append(listener)

    def on_news(self, listener: Listener) -> None:
        """Call after every change of the public state."""
        self._on_news.append(listener)

    def on_recorded(self, listener: Callable[[Sequence[Recorded]], None]) -> None:
        """Call with events once they are on the disk."""
        self._on_recorded.append(listener)

    def on_shutdown(self, listener: Listener) -> None:
        """Call when the buttons have switched the hub off and its lights are out."""
        self._on_shutdown.append(listener)

    def on_said(self, listener: Callable[[Utterance], None]) -> None:
        """Call with whatever the hub says in words."""
        self._voice.on_said(listener)

    def before_orders(self, hear: Listener) -> None:
        """Call before an order is decided: edges that came earlier are heard first."""
        self._before_orders = hear

    # What comes in

    def hear(self, edge: Edge) -> None:
        """Take in an edge of a button."""
        if self._ui.leaving is not None:
            return
        try:
            call_all(self._gesture, self._gestures.edge(edge))
        finally:
            self._notify()

    def order(
        self,
        command: Command,
        on_done: OnDone = ignore,
        *,
        change: Change | None = None,
        seen: int | None = None,
    ) -> None:
        """Have a command carried out, and a setting changed together with what it leads to.

        `on_done` gets the result once no power cut can take it back. `seen` is the `seq` that the
        command was meant for: it is refused if more has been decided since.
        """
        self._before_orders()
        settings = {} if change is None else self._changed(*change)
        before = self._queue.decided.ledger
        try:
            if seen is not None and seen != before.seq:
                words = (
                    "Something else happened in the meantime: {notice} Look again before you "
                    "repeat it."
                )
                raise MovedOn(words, notice=self.notice)
            events = self._decide(command)
        except Refused as refusal:
            self._queue.add(settings=settings, answer=refusal, on_done=on_done)
        else:
            self._queue.add(events, settings, on_done=on_done, command=command)
            table = self._queue.decided.ledger.table
            self._show(self._ui.follow(self.game_set.game_of(table), before.table, table))
        self._flush()

    def do(self, command: Command) -> int:
        """`order` where the writer writes at once: return the new `seq`, or raise the problem."""
        answers: list[Answer] = []
        self.order(command, answers.append)
        (answer,) = answers
        if isinstance(answer, Problem):
            raise answer
        return answer

    def change(
        self,
        key: SettingKey[Value],
        change: Callable[[Value], Value],
        on_done: OnDone = ignore,
    ) -> None:
        """Change a setting: `change` makes the new value of the one that was decided last.

        There is no other way to set one, so an older value can never come back.
        """
        self._queue.add(settings=self._changed(key, change), on_done=on_done)
        self._flush()

    def wrote(self, error: NotSaved | None) -> None:
        """Take the writer's report: what it was given is on the disk, or is not."""
        done = self._queue.wrote(error)
        if error is not None:
            table = self.table
            ui = replace(self._ui, question=None, question_ends=inf, first_taps={})
            self._show(ui.follow(self.game_set.game_of(table), table, table))
        try:
            call_all(self._finished, done)
        finally:
            self._flush()

    def doubt_the_disk(self) -> None:
        """Have the writer check whether the file is still in its place."""
        self._queue.doubt_the_disk()
        self._notify()

    def trouble(self, trouble: Trouble) -> None:
        """Note that a device failed, or is well again: logged once, shown on the page."""
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
        self._notify()

    def announce(self, sentence: Sentence, cue: str | None = None) -> None:
        """Tell the table something that is no event of the game."""
        if cue is not None:
            self._announcer.play(cue)
        self._show(replace(self._ui, notice=sentence))
        self._notify()

    def read_aloud(self, what: Literal["standings", "card"]) -> None:
        """Say the standings, or the next section of the rule card."""
        if what == "standings":
            self._voice.read_standings()
        else:
            self._voice.read_card()
        self._notify()

    def follow_clock(self, shift: float) -> None:
        """Measure the game's limit by a clock so many seconds ahead of the table's own."""
        if shift != self._limits.shift:
            self._limits.follow(shift)
            self._news()
            self._notify()

    def wake(self) -> None:
        """Do what time has made due."""
        now = self.clock.now()
        try:
            self._remember_jump(self._game_clock.jumped())
            call_all(self._gesture, self._gestures.due(now))
            self._pass_time(now)
            self._queue.wake(now)
            if self._queue.watch(now):
                self._news()
            self._outputs.wake(now)
            for sentence in self._limits.due(self.table, self.game_at()):
                self._announcer.say("time", sentence, "time")
                self._show(replace(self._ui, notice=sentence))
            self._voice.wake(now)
        finally:
            self._notify()

    def next_wake(self) -> float | None:
        """Return when `wake` should be called; None while nothing moves."""
        now, table = self.clock.now(), self.table
        soonest = min(
            self._painted_until,
            self._gestures.deadline(),
            self._ui.next_change(now),
            self._queue.next_wake(),
            self._outputs.change_at,
            self._voice.next_wake(),
            now + self._limits.next_in(table, self.game_at()) if limited(table) else inf,
        )
        return None if soonest == inf else soonest

    # Gestures

    def _gesture(self, gesture: Gesture) -> None:
        """Carry out what a gesture means."""
        # A question that ran out before it does not take it, whenever the hub was woken last.
        self._pass_time(gesture.now)
        now = self.clock.now()
        ui, action = interpret(self._queue.decided.ledger, self._ui, gesture, now)
        self._show(ui)
        if isinstance(action, PanelCommand):
            self._press(action, now)
        elif isinstance(action, Effect):
            self._perform(action, now)
        elif action is not None:
            self._refuse(action.sentence)

    def _press(self, press: PanelCommand, now: float) -> None:
        """Decide a command of a button. A question comes at once, a refusal when its turn comes."""
        before, command = self._queue.decided.ledger, press.command
        echoing = self._ui.echoes.get(press.button, 0.0) > now
        try:
            events = self._decide(command, press.instead_of)
        except Refused as refusal:
            self._show(conclude(self._ui, press, before, refusal, now))
            if refusal.code == "asks":
                return
            self._queue.add(
                answer=refusal, on_done=self._answered, button=press.button, echoing=echoing
            )
        else:
            self._queue.add(
                events,
                on_done=self._answered,
                command=command,
                button=press.button,
                echoing=echoing,
            )
            after = self._queue.decided.ledger
            self._show(conclude(self._ui, press, before, after, now))
        self._flush()

    def _perform(self, effect: Effect, now: float) -> None:
        """Do what the panel asks of the hub itself."""
        if (wanted := control(effect.what, self.clock.at())) is not None:
            self._set(wanted)
            return
        match effect.what:
            case "whistle":
                self._announcer.play("whistle")
            case "pair":
                self.open_pairing()
            case "shutdown":
                self._show(replace(self._ui, leaving=Leaving(now)))
                self.announce(Sentence("Good night. The hub is switching off."), "goodbye")
            case "parade" | "total":
                if (parade := self._parade(effect.seat, now)) is not None:
                    self._show(replace(self._ui, notice=parade.words, standings_read=False))
            case "aloud":
                self._read_standings(now)

    def _set(self, wanted: Control) -> None:
        """Change a setting by a button; confirm it when it is kept."""
        key, change, confirm = wanted

        def on_done(answer: Answer) -> None:
            if isinstance(answer, Problem):
                self._refuse(answer.sentence)
                return
            cue, sentence, number = confirm(self.settings[key])
            self._announcer.play(cue)
            if sentence is not None:
                self._show(replace(self._ui, notice=sentence))
            if number is not None:
                self._show(self._ui.show_number(number, self.clock.now()))

        self.change(key, change, on_done)

    def _parade(self, seat: int, now: float) -> Parade | None:
        """Show the standings, or one seat's total, if there is anything to show."""
        table = self.table
        game = self.game_set.game_of(table)
        try:
            parade = of_seat(game, table, seat, now) if seat else of_standings(game, table, now)
        except Refused as refusal:
            self._refuse(refusal.sentence)
            return None
        self._show(replace(self._ui, parade=parade))
        return parade

    def _read_standings(self, now: float) -> None:
        """Say the standings; asked for once more, the rule card, section by section."""
        if self._parade(0, now) is not None:
            self.read_aloud("card" if self._ui.standings_read else "standings")
            self._show(replace(self._ui, standings_read=True))

    def _answered(self, answer: Answer) -> None:
        if isinstance(answer, Problem):
            self._refuse(answer.sentence)

    def _refuse(self, why: Sentence) -> None:
        """Say why a press has changed nothing."""
        log.info("refused=%r", str(why))
        self._announcer.say("refusals", why, "refused")
        self._show(self._ui.refused(why, self.clock.now()))

    def _pass_time(self, now: float) -> None:
        """Drop what has ended from the ui, and do what its end means."""
        before = self._ui
        self._show(before.at(now))
        after = self._ui
        if before.roulette is not None and after.roulette is None:
            self._announcer.play("round")
        if before.leaving is not None and after.leaving is None:
            call_all(call, self._on_shutdown)
        expired = before.question if after.question is None else None
        if expired is not None and expired.what == "last-tile":
            # A whistle that was blown was blown, whoever it was.
            self._press(PanelCommand(BlowWhistle(), "whistle"), now)

    # Decided, written, shown

    def _decide(self, command: Command, instead_of: int | None = None) -> list[Event]:
        """Return the events that a command leads to, by what was decided before it."""
        self._remember_jump(self._game_clock.jumped())
        decided = self._queue.decided
        table = decided.ledger.table
        command = complete_command(command, table, decided.settings, self._lots)
        at = self.game_at(table)
        if type(command) is NextRound:
            at += self._limits.shift
        return decided.ledger.decide(command, at, instead_of)

    def _changed(
        self, key: SettingKey[Value], change: Callable[[Value], Value]
    ) -> dict[str, bytes]:
        value = change(self._queue.decided.settings[key])
        return {key.name: msgspec.json.encode(value)}

    def _flush(self) -> None:
        """Have the queue written; whatever needs no writing is finished at once."""
        try:
            call_all(self._finished, self._queue.flush())
        finally:
            if self._queue.watch(self.clock.now()):
                self._news()
            self._notify()

    def _finished(self, done: Done) -> None:
        """Show, sound and answer a change that is written; answer one that is lost."""
        before, pending, answer = done
        try:
            if isinstance(answer, NotSaved):
                self._news()
            else:
                if pending.saved.settings[PREFERENCES] != before.settings[PREFERENCES]:
                    self._outputs.follow()
                    self._news()
                if pending.entry.recorded:
                    self._happened(before.ledger.table, done)
        finally:
            pending.on_done(answer)

    def _happened(self, before: Table, done: Done) -> None:
        """Show and announce events that are written."""
        recorded, ledger = done.pending.entry.recorded, done.pending.saved.ledger
        events = [each.event for each in recorded]
        table, now = ledger.table, self.clock.now()
        if not NEW_LIMITS.isdisjoint(map(type, events)):
            self._limits.begin(table, self.game_at())
        ui = self._ui.happened(table, events, now)
        if ui.roulette is not None and ui.roulette is not self._ui.roulette:
            self._voice.hold_back(ui.roulette.ends)
        announcement = self._announcer.happened(before, ledger, events)
        if announcement.notice is not None:
            ui = replace(ui, notice=announcement.notice)
        number = choice_shown(self.game_set, table, done.pending.command)
        self._ui = ui if number is None else ui.show_number(number, now)
        self._news()
        call_all(lambda listener: listener(recorded), self._on_recorded)

    def _show(self, ui: Ui) -> None:
        """Take the next ui; tell of a question and of whatever pages see of it."""
        before, self._ui = self._ui, ui
        if ui is before:
            return
        if ui.question is not None and ui.question is not before.question:
            self._announcer.ask(ui.question)
        if ui.public != before.public:
            self._news()

    def _news(self) -> None:
        """Note that the public state has changed; listeners are told when all is done."""
        self._has_news = True

    def _notify(self) -> None:
        """Tell listeners that there is news, and that the picture is out of date."""
        listeners = self._on_news if self._has_news else []
        if not self._stale:
            listeners = listeners + self._on_stale
        self._has_news, self._stale = False, True
        call_all(call, listeners)

    # Time

    def game_at(self, table: Table | None = None) -> float:
        """Return the time of the game that is on, whatever the wall clock did."""
        jumps = self._queue.decided.settings[CLOCK_JUMPS]
        return self._game_clock.at(self.table if table is None else table, jumps)

    def _remember_jump(self, jump: float) -> None:
        """Remember a jump of the wall clock for the game that is on."""
        ledger = self._queue.decided.ledger
        game = game_on(ledger.table)
        if not jump or game is None:
            return
        at = self.clock.at()

        def on_done(answer: Answer) -> None:
            if isinstance(answer, Problem):
                self._game_clock.look_again(jump)

        self.change(CLOCK_JUMPS, lambda known: known.during(game, jump, ledger.seq, at), on_done)

    # Pairing

    def open_pairing(self) -> None:
        """Let phones pair for one minute. The face shows the number; nobody else is told."""
        number = str(10 + secrets.randbelow(90))
        minute = PairingMinute(number, self.clock.now() + OPEN_FOR)
        self._announcer.play("join")
        self._show(replace(self._ui, pairing=minute))
        self._notify()

    def pairing(self) -> PairingMinute | None:
        """Return the minute in which phones may pair, while it lasts."""
        return self._ui.at(self.clock.now()).pairing

    def pairs_with(self, number: str) -> bool:
        """Return whether this is the number on the face; too many wrong ones end the minute."""
        minute = self.pairing()
        if minute is None:
            return False
        right = minute.fits(number)
        if not right:
            ui = replace(self._ui, pairing=minute.after_wrong())
            if ui.pairing is None:
                self._announcer.play("refused")
                ui = ui.outlined(self.clock.now())
            self._show(ui)
        self._notify()
        return right

    # What can be seen

    @property
    def preferences(self) -> Preferences:
        """Loudness, brightness and how the pages look."""
        return self.settings[PREFERENCES]

    @property
    def settings(self) -> Settings:
        """The settings that are written."""
        return self._queue.written.settings

    @property
    def ledger(self) -> Ledger:
        """What is written of the table."""
        return self._queue.written.ledger

    @property
    def table(self) -> Table:
        """The table as it is written."""
        return self._queue.written.ledger.table

    @property
    def seq(self) -> int:
        """The number of the last event that is written."""
        return self._queue.written.ledger.seq

    @property
    def decided(self) -> Saved:
        """What was decided: only for those who give orders, and never to be shown."""
        return self._queue.decided

    @property
    def ui(self) -> Ui:
        """What is being asked, typed or shown for a while."""
        return self._ui

    @property
    def notice(self) -> Sentence:
        """The last thing that happened or was said."""
        return self._ui.notice or self.ledger.notice()

    def state(self) -> dict[str, Any]:
        """Return the public state."""
        queue, table = self._queue, self.table
        document = public_state(
            queue.written.ledger,
            self.table_id,
            self.game_at(),
            self._ui,
            left=self._limits.left(table, self.game_at()),
            saved=queue.disk_ok and not queue.late,
        )
        document["saving"] = queue.late and queue.disk_ok
        document["settings"] = msgspec.to_builtins(self.preferences)
        document["trouble"] = [
            {"device": device, "message": message} for device, message in self._troubles.items()
        ]
        return document

    def labels(self) -> Labels:
        """Return what every button does now."""
        table = self._queue.decided.ledger.table
        game = self.game_set.game_of(table)
        return labels(situation(game, table, self._ui, self.clock.now()))

    def holds(self) -> dict[str, float]:
        """Return for how many seconds a button, or two together, must be held."""
        timing = self._gestures.timing
        single = {name: timing.holds.get(name, timing.hold) for name in BUTTONS}
        return {**single, **timing.chords}

    def paint(self) -> None:
        """Show the table as it is now."""
        now, table, ui = self.clock.now(), self.table, self._ui
        if held := self._queue.echoing():
            ui = replace(ui, echoes={**ui.echoes, **dict.fromkeys(held, inf)})
        painted = self._scene.render(
            table,
            ui,
            now,
            holding=self._gestures.held("advance"),
            ahead=self.game_at() - now if limited(table) else 0.0,
            shift=self._limits.shift,
        )
        self._stale = False
        # A hub that has run for weeks counts time more coarsely than a look does: without this
        # the next step could be due at the very moment that still shows the one before.
        self._painted_until = max(painted.until, now + LEAST_STEP)
        self.board.lights.show(painted.pixels)
