"""The hub: one path from an edge or a command to light, sound and page.

    edge ─▶ gestures ─▶ interpret ─┬─▶ ui            shown at once, promises nothing
    phone ───────────── command ───┴─▶ commit queue ─▶ written ─▶ lights, sound, voice, pages

It is synchronous and reads only the board's clock, so the same code runs under asyncio
(`service.shell`) and in virtual time (`sim.hands`). It reports when its picture is stale; its owner
calls `paint` when no more edges wait, so that edges that come together are painted once.
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
from centerpiece.hub.dock_levels import DockLevels, MarkerSeen
from centerpiece.hub.game_clock import GameClock, game_on, jumped_while_off
from centerpiece.hub.gestures import Gestures, Timing
from centerpiece.hub.output_settings import OutputSettings
from centerpiece.hub.preferences import PREFERENCES, Preferences
from centerpiece.hub.shaky_hands import ShakyHands
from centerpiece.hub.time_limits import TimeLimits, limited
from centerpiece.hub.voice import Utterance, Voice
from centerpiece.panel.bindings import LONG_HOLDS
from centerpiece.panel.button_questions import dock_question, question
from centerpiece.panel.gesture import Gesture
from centerpiece.panel.interpret import PanelCommand, conclude, interpret
from centerpiece.panel.labels import Labels, labels
from centerpiece.panel.lookup import chords, panel_of, situation
from centerpiece.panel.markers import Markers, misplaced_told
from centerpiece.panel.pairing_minute import OPEN_FOR, PairingMinute
from centerpiece.panel.parade import Parade, of_seat, of_standings
from centerpiece.panel.ui import Leaving, Ui
from centerpiece.storage.clock_jumps import CLOCK_JUMPS
from centerpiece.storage.errors import NotSaved
from centerpiece.storage.journal import Journal
from centerpiece.storage.phones import PHONES
from centerpiece.storage.settings import SettingKey, Settings
from centerpiece.storage.writer import DirectWriter, Writer
from centerpiece.table.binding import Effect
from centerpiece.table.commands import BlowWhistle, Command, NextRound, Undo
from centerpiece.table.events import Event, GameStarted, RoundStarted, RulesAgreed
from centerpiece.table.game import signs_of
from centerpiece.table.game_set import GameSet
from centerpiece.table.question import AsksBack
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger, Recorded
from centerpiece.text import Problem, Refused, Sentence
from hal.ports import BUTTONS, Board, DockLevel, Edge, Trouble

log = logging.getLogger("centerpiece.hub")

LEAST_STEP = 0.001
TIMING = Timing(holds=LONG_HOLDS, chords=chords())
NEW_LIMITS = frozenset((GameStarted, RulesAgreed))
"""Events that may give the game another time limit."""

Listener = Callable[[], None]
Value = TypeVar("Value")
Change = tuple[SettingKey[Any], Callable[[Any], Any]]
"""A setting, and a function from its last decided value to the new one."""


class MovedOn(Refused):
    """The command was meant for an earlier state of the table."""

    code = "late"


class Hub:
    """A table, its journal and its board, working together.

    The caller passes its `writer`'s reports to `wrote`; without a writer the hub writes at once.
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
        self._gestures = Gestures(timing, board.buttons.is_down)
        self._docks = DockLevels()
        self._shaky_hands = ShakyHands()
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
        """Continue counting hands if the power went during it; otherwise do nothing."""
        table = self.table
        self._ui = self._ui.follow(self.game_set.game_of(table), table, table)
        if (hand := self._ui.dial.hand_shown(table)) is not None:
            words = "The next hand to count is {name}'s."
            self.tell(Sentence(words, {"name": table.name(hand.seat)}))

    # Listeners

    def on_stale(self, listener: Listener) -> None:
        """Call `listener` when the picture is out of date or `next_wake` may have changed."""
        self._on_stale.append(listener)

    def on_news(self, listener: Listener) -> None:
        """Call `listener` after every change of the public state."""
        self._on_news.append(listener)

    def on_recorded(self, listener: Callable[[Sequence[Recorded]], None]) -> None:
        """Call `listener` with events once they are on the disk."""
        self._on_recorded.append(listener)

    def on_shutdown(self, listener: Listener) -> None:
        """Call `listener` after the buttons have switched the hub off and its lights are out."""
        self._on_shutdown.append(listener)

    def on_said(self, listener: Callable[[Utterance], None]) -> None:
        """Call `listener` with everything the hub says in words."""
        self._voice.on_said(listener)

    def before_orders(self, listener: Listener) -> None:
        """Call `listener` before an order is decided, so that earlier edges are handled first."""
        self._before_orders = listener

    # Inputs

    def hear(self, edge: Edge) -> None:
        """Handle an edge of a button; ignored while the hub is switching off."""
        if self._ui.leaving is not None:
            return
        self._gestures.digits = self._ui.dial.hand is not None
        try:
            call_all(self._see_marker, self._docks.due(edge.now))
            call_all(self._gesture, self._gestures.edge(edge))
            self._compare_docks()
        finally:
            self._notify()

    def hear_dock(self, level: DockLevel) -> None:
        """Handle the level of a dock; ignored while the hub is switching off."""
        if self._ui.leaving is not None:
            return
        try:
            call_all(self._see_marker, self._docks.hear(level))
        finally:
            self._notify()

    def order(
        self,
        command: Command,
        on_done: OnDone = ignore,
        *,
        change: Change | None = None,
        seen: int | None = None,
        order_key: str = "",
    ) -> None:
        """Carry out a command, and change a setting in the same transaction.

        `on_done` gets the result once it is written, also a refusal: nothing is raised. `seen` is
        the `seq` for which the command was meant: it is refused if another has been decided after
        that. With an `order_key` it is done once, however often it arrives. The setting is changed
        even if the command is refused.
        """
        self._before_orders()
        if self._queue.repeat(order_key, on_done):
            self._flush()
            return
        settings = {} if change is None else self._changed(*change)
        before = self._queue.decided.ledger
        dropped: Sentence | None = None
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
            self._queue.add(events, settings, on_done=on_done, order_key=order_key, command=command)
            table, was = self._queue.decided.ledger.table, self._ui
            game = self.game_set.game_of(table)
            self._show(was.overtaken(game, before.table, table, self.clock.now()))
            dropped = was.dial.dropped(self._ui.dial, table)
            self._compare_docks()
        self._flush()
        if dropped is not None:
            self._refuse(dropped)

    def do(self, command: Command) -> int:
        """Carry out a command with a writer that writes at once; return the new `seq`.

        A refusal or a failed write is raised. Not for use in `on_done` and listeners: what they
        order waits until they have all been called.
        """
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
        order_key: str = "",
    ) -> None:
        """Change a setting: `change` is given its last decided value and returns the new one.

        Settings are changed only this way, so an older value can never come back. `on_done` gets
        the result once it is written; with an `order_key` it is done once.
        """
        if not self._queue.repeat(order_key, on_done):
            settings = self._changed(key, change)
            self._queue.add(settings=settings, on_done=on_done, order_key=order_key)
        self._flush()

    def wrote(self, error: NotSaved | None) -> None:
        """Handle the writer's report on its batch; `error` is None if the batch is on the disk.

        After an error, what was decided is lost, an open question is closed, and all orders are
        answered.
        """
        decided = self._queue.decided
        done = self._queue.wrote(error)
        if self._queue.decided is not decided:  # Something that was decided is lost.
            table = self.table
            ui = replace(self._ui, question=None, question_ends=inf, first_taps={})
            self._show(ui.follow(self.game_set.game_of(table), table, table))
            self._compare_docks()
        try:
            call_all(self._finished, done)
        finally:
            self._flush()

    def doubt_the_disk(self) -> None:
        """Have the next `wake` check that the file is still in its place."""
        self._queue.doubt_the_disk()
        self._notify()

    def trouble(self, trouble: Trouble) -> None:
        """Note that a device failed or, with an empty message, recovered: log it and show it.

        The same message again does nothing. Failed buttons or docks forget what they were.
        """
        if trouble.message == self._troubles.get(trouble.device, ""):
            return
        if trouble.message:
            self._troubles[trouble.device] = trouble.message
            if trouble.device == "buttons":
                self._gestures.forget()
            elif trouble.device == "docks":
                self._docks.forget()
                self._show(replace(self._ui, markers=Markers()))
            log.warning("device=%s trouble=%r", trouble.device, trouble.message)
        else:
            del self._troubles[trouble.device]
            log.info("device=%s well again", trouble.device)
        self._news()
        self._notify()

    def tell(self, sentence: Sentence, cue: str | None = None) -> None:
        """Show a notice that is no event of the game, with a cue if given; it is not spoken."""
        if cue is not None:
            self._announcer.play(cue)
        self._show(replace(self._ui, notice=sentence))
        self._notify()

    def read_aloud(self, what: Literal["standings", "card", "sample"], seat: int = 0) -> None:
        """Have the voice say the standings, the next section of the rule card, or a sample.

        A sample is the name of the player at `seat`; without a seat, two numbers. The voice speaks
        at the next wake, or not at all if it is off.
        """
        if what == "standings":
            self._voice.read_standings()
        elif what == "card":
            self._voice.read_card()
        else:
            self._voice.read_sample(seat)
        self._notify()

    def follow_clock(self, shift: float) -> None:
        """Measure the game's limit by a clock `shift` seconds ahead of the table's own."""
        if shift != self._limits.shift:
            self._limits.follow(shift)
            self._news()
            self._notify()

    def wake(self) -> None:
        """Do everything that is due: gestures, docks, time, disk, quiet hours, warnings, voice."""
        now = self.clock.now()
        try:
            self._notice_clock()
            call_all(self._see_marker, self._docks.due(now))
            call_all(self._gesture, self._gestures.due(now))
            self._pass_time(now)
            self._compare_docks()
            self._look_at_docks(now)
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
        """Return the monotonic time at which to call `wake`; None while nothing is due."""
        now, table = self.clock.now(), self.table
        soonest = min(
            self._painted_until,
            self._gestures.deadline(),
            self._docks.deadline(),
            self._ui.next_change(now),
            self._ui.markers.look_at,
            self._queue.next_wake(),
            self._outputs.change_at,
            self._voice.next_wake(),
            now + self._limits.next_in(table, self.game_at()) if limited(table) else inf,
        )
        return None if soonest == inf else soonest

    # Gestures

    def _gesture(self, gesture: Gesture) -> None:
        """Interpret a gesture and carry out what it means; a refusal is shown, not raised.

        If a command comes `first`, such as taking what was typed, the gesture is then interpreted
        again.
        """
        # A late wake-up must not give this gesture to a question that has run out before it.
        self._pass_time(gesture.now)
        now = self.clock.now()
        ui, action = interpret(self._queue.decided.ledger, self._ui, gesture, now)
        self._show(ui)
        if isinstance(action, PanelCommand):
            accepted = self._press(action, now)
            if accepted and action.first:
                self._gesture(gesture)
            elif accepted:
                self._notice_shaky_hands(gesture, action.command, now)
        elif isinstance(action, Effect):
            self._perform(action, now)
        elif action is not None:
            self._refuse(action.sentence)

    def _notice_shaky_hands(self, gesture: Gesture, command: Command, now: float) -> None:
        """Offer gentle hands, once, if double taps are undone again and again in a round.

        Nothing is offered outside a round, or if they are on.
        """
        table = self._queue.decided.ledger.table
        shaky = self._shaky_hands.notice(gesture, command, len(table.rounds))
        if shaky and table.rounds and not self.preferences.gentle:
            self._show(self._ui.ask(question(table, "gentle"), now))

    def _press(self, press: PanelCommand, now: float) -> bool:
        """Decide the command of a press; return True unless it was refused or asks back.

        A question that comes back is asked at once; a refusal waits its turn in the queue.
        """
        before, command = self._queue.decided.ledger, press.command
        echoing = self._ui.echoes.get(press.button, 0.0) > now
        try:
            events = self._decide(command, press.instead_of)
        except Refused as refusal:
            self._show(conclude(self._ui, press, before, refusal, now))
            if refusal.code == "asks":
                return False
            accepted = False
            self._queue.add(
                answer=refusal, on_done=self._answered, button=press.button, echoing=echoing
            )
        else:
            accepted = True
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
        return accepted

    def _perform(self, effect: Effect, now: float) -> None:
        """Carry out an effect of the panel on the hub itself; an unknown one does nothing."""
        if (setting := control(effect.what, self.clock.at())) is not None:
            self._set(setting)
            return
        match effect.what:
            case "whistle":
                self._announcer.play("whistle")
            case "count" if (hand := self._ui.dial.hand) is not None:
                sentence = hand.sentence(self.table)
                self._announcer.say("hands", sentence, "join")
                self._show(replace(self._ui, notice=sentence))
            case "pair":
                self.open_pairing()
            case "shutdown":
                self._show(replace(self._ui, leaving=Leaving(now)))
                self.tell(Sentence("Good night. The hub is switching off."), "goodbye")
            case "parade" | "total":
                if (parade := self._parade(effect.seat, now)) is not None:
                    self._show(replace(self._ui, notice=parade.words, standings_read=False))
            case "aloud":
                self._read_standings(now)

    def _set(self, setting: Control) -> None:
        """Change a setting by a button; confirm it when it is written, or show why it was not."""
        key, change, confirm = setting

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
        """Show the standings, or with a `seat` that one's total, and return the parade.

        If there is none, show the refusal and return None.
        """
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
        """Show the standings and have them said; when repeated, the next section of the rule card.

        If there are no standings yet, show the refusal.
        """
        if self._parade(0, now) is not None:
            self.read_aloud("card" if self._ui.standings_read else "standings")
            self._show(replace(self._ui, standings_read=True))

    def _answered(self, answer: Answer) -> None:
        """Show the answer to a button's command if it is a problem; a `seq` needs nothing."""
        if isinstance(answer, Problem):
            self._refuse(answer.sentence)

    def _refuse(self, why: Sentence) -> None:
        """Show a refusal, and have its cue and words heard; nothing is raised."""
        log.info("refused=%r", str(why))
        self._announcer.say("refusals", why, "refused")
        self._show(self._ui.refused(why, self.clock.now()))

    def _pass_time(self, now: float) -> None:
        """Remove what has expired at the time `now` from the ui, and act on its end.

        After the roulette comes the cue of a round, after the good night the shutdown, and a
        whistle that nobody has claimed is recorded.
        """
        before = self._ui
        self._show(before.at(now))
        after = self._ui
        if before.roulette is not None and after.roulette is None:
            self._announcer.play("round")
        if before.leaving is not None and after.leaving is None:
            call_all(call, self._on_shutdown)
        expired = before.question if after.question is None else None
        if expired is not None and expired.what == "last-tile":
            # The whistle was blown although nobody said for whom.
            self._press(PanelCommand(BlowWhistle(), "whistle"), now)

    # Docks

    def _see_marker(self, seen: MarkerSeen) -> None:
        """Note a dock's settled level, and order what a move of its marker means.

        The first level of a dock is no move.
        """
        awaited = not (seen.moved or seen.home) and self._nothing_played()
        markers = self._ui.markers.seen(seen.seat, seen.home, awaited)
        self._show(replace(self._ui, markers=markers))
        if seen.moved:
            self._move_marker(seen.seat, seen.home, seen.now)
        self._compare_docks()

    def _move_marker(self, seat: int, home: bool, now: float) -> None:
        self._gesture(Gesture("home" if home else "lift", f"dock-{seat}", now))

    def _nothing_played(self) -> bool:
        """Return True if nothing of the present round has been told; False without a round."""
        for step in reversed(self._queue.decided.ledger.past):
            if any(isinstance(event, RoundStarted) for event in step.events):
                return True
            if any(event.in_play for event in step.events):
                return False
        return False

    def _compare_docks(self) -> None:
        """Note where the markers and the decided table differ; does nothing without docks."""
        if not self._ui.markers.home:
            return
        table = self._queue.decided.ledger.table
        markers = self._ui.markers.compared(table, self._open_trains(table), self.clock.now())
        if markers is not self._ui.markers:
            self._show(replace(self._ui, markers=markers))

    def _look_at_docks(self, now: float) -> None:
        """Say where a marker and the table differ; at the second look let the table follow.

        Nothing happens while no look is due.
        """
        markers = self._ui.markers
        if now < markers.look_at:
            return
        self._show(replace(self._ui, markers=markers.looked(now)))
        table = self._queue.decided.ledger.table
        for seat in sorted(markers.misplaced):
            home = markers.home[seat]
            if markers.said:
                self._move_marker(seat, home, now)
            else:
                told = misplaced_told(table, seat, home)
                self._announcer.say("play", told, "knock")
                self._show(replace(self._ui, notice=told))
        self._compare_docks()

    def _open_trains(self, table: Table) -> frozenset[int] | None:
        """Return the seats with open trains on a table; None in a game without markers."""
        game = self.game_set.game_of(table)
        return signs_of(game, table).open_trains if panel_of(game).has_docks else None

    def _check_docks(self, before: Ledger, events: Sequence[Event], at: float) -> None:
        """Raise AsksBack before an undo after which a train and its marker would differ.

        `events` are those of the undo. Nothing happens without docks, and where the two differ
        already or the marker is awaited.
        """
        markers, after = self._ui.markers, before
        if not markers.home:
            return
        for recorded in before.record(events, at):
            after = after.apply(recorded)
        known, then = (
            markers.differing(ledger.table, self._open_trains(ledger.table))
            for ledger in (before, after)
        )
        for seat in sorted(then - known - markers.awaited):
            raise AsksBack(dock_question(after.table, seat, markers.home[seat]))

    # Deciding, writing, showing

    def _decide(self, command: Command, instead_of: int | None = None) -> list[Event]:
        """Return the events of a command, judged by the decided state, or raise Refused.

        What a button leaves open is filled in; an undo may ask back because of a marker.
        `instead_of` is the step of a first tap that this command replaces.
        """
        self._notice_clock()
        decided = self._queue.decided
        table = decided.ledger.table
        command = complete_command(command, table, decided.settings, self._lots)
        at = self.game_at(table)
        if type(command) is NextRound:
            at += self._limits.shift
        events = decided.ledger.decide(command, at, instead_of)
        if type(command) is Undo and not command.dock:
            self._check_docks(decided.ledger, events, at)
        return events

    def _changed(
        self, key: SettingKey[Value], change: Callable[[Value], Value]
    ) -> dict[str, bytes]:
        """Return a setting's new value as bytes to be stored; nothing is changed yet."""
        value = change(self._queue.decided.settings[key])
        return {key.name: msgspec.json.encode(value)}

    def _flush(self) -> None:
        """Have the queue written; finish at once what needs no writing."""
        try:
            call_all(self._finished, self._queue.flush())
        finally:
            if self._queue.watch(self.clock.now()):
                self._news()
            self._notify()

    def _finished(self, done: Done) -> None:
        """Show, announce and answer a written change; of one that the disk refused, answer only."""
        before, pending, answer = done
        try:
            if isinstance(answer, NotSaved):
                self._news()
            else:
                after = pending.saved.settings
                if after[PREFERENCES] != before.settings[PREFERENCES]:
                    self._outputs.follow()
                    self._voice.follow()
                    self._news()
                if after[PHONES] != before.settings[PHONES]:
                    self._news()
                if pending.entry.recorded:
                    self._happened(before.ledger.table, done)
        finally:
            pending.on_done(answer)

    def _happened(self, before: Table, done: Done) -> None:
        """Show and announce written events, and call the listeners of events.

        `before` is the written table before them.
        """
        recorded, ledger = done.pending.entry.recorded, done.pending.saved.ledger
        events = [each.event for each in recorded]
        table, now = ledger.table, self.clock.now()
        if not NEW_LIMITS.isdisjoint(map(type, events)):
            self._limits.begin(table, self.game_at())
        # Whoever hears of it may order in turn: the ui is up to date before anybody does.
        shown, self._ui = self._ui, self._ui.happened(table, events, now)
        roulette = self._ui.roulette
        if roulette is not None and roulette is not shown.roulette:
            self._voice.hold_back(roulette.ends)
        announcement = self._announcer.happened(before, ledger, events)
        if announcement.notice is not None:
            self._ui = replace(self._ui, notice=announcement.notice)
        if (number := choice_shown(self.game_set, table, done.pending.command)) is not None:
            self._ui = self._ui.show_number(number, now)
        self._news()
        call_all(lambda listener: listener(recorded), self._on_recorded)

    def _show(self, ui: Ui) -> None:
        """Replace the ui; say its question if that is new, and note changes that pages show."""
        before, self._ui = self._ui, ui
        if ui is before:
            return
        if ui.question is not None and ui.question is not before.question:
            self._announcer.ask(ui.question)
        if ui.public != before.public:
            self._news()

    def _news(self) -> None:
        """Note that the public state has changed, for the next `_notify`."""
        self._has_news = True

    def _notify(self) -> None:
        """Call the listeners for news if there is any, and those for a picture out of date.

        The latter are called once until the picture is painted.
        """
        listeners = self._on_news if self._has_news else []
        if not self._stale:
            listeners = listeners + self._on_stale
        self._has_news, self._stale = False, bool(self._on_stale)
        call_all(call, listeners)

    # Time

    def game_at(self, table: Table | None = None) -> float:
        """Return the time of the game on a table, without the wall clock's jumps.

        The table is by default the written one.
        """
        jumps = self._queue.decided.settings[CLOCK_JUMPS]
        return self._game_clock.at(self.table if table is None else table, jumps)

    def _notice_clock(self) -> None:
        """Look for a jump of the wall clock; if there is one, apply quiet hours anew and store it.

        In a game this waits while the disk does not work.
        """
        if not self._queue.disk_ok and game_on(self.table) is not None:
            return
        if jump := self._game_clock.jumped():
            self._outputs.dim()
            self._remember_jump(jump)

    def _remember_jump(self, jump: float) -> None:
        """Store a jump of the wall clock for the running game; without one do nothing.

        A jump that could not be stored is seen again.
        """
        ledger = self._queue.decided.ledger
        game = game_on(ledger.table)
        if not jump or game is None:
            return
        at = self.clock.at()

        def on_done(answer: Answer) -> None:
            if isinstance(answer, Problem):
                self._game_clock.look_again(jump)

        self.change(CLOCK_JUMPS, lambda jumps: jumps.during(game, jump, ledger.seq, at), on_done)

    # Pairing

    def open_pairing(self) -> None:
        """Let phones pair for one minute with a new number that only the face shows."""
        number = str(10 + secrets.randbelow(90))
        minute = PairingMinute(number, self.clock.now() + OPEN_FOR)
        self._announcer.play("join")
        self._show(replace(self._ui, pairing=minute))
        self._notify()

    def pairing(self) -> PairingMinute | None:
        return self._ui.at(self.clock.now()).pairing

    def pairs_with(self, number: str) -> bool:
        """Return True if `number` is the one on the face; False outside a pairing minute.

        A wrong number is counted, and too many end the minute.
        """
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

    # Outputs

    @property
    def preferences(self) -> Preferences:
        return self.settings[PREFERENCES]

    @property
    def settings(self) -> Settings:
        """The written settings."""
        return self._queue.written.settings

    @property
    def ledger(self) -> Ledger:
        """The written ledger."""
        return self._queue.written.ledger

    @property
    def table(self) -> Table:
        """The written table."""
        return self._queue.written.ledger.table

    @property
    def seq(self) -> int:
        """The number of the last written event."""
        return self._queue.written.ledger.seq

    @property
    def decided(self) -> Saved:
        """The decided state: only for judging orders, never to be shown."""
        return self._queue.decided

    @property
    def ui(self) -> Ui:
        return self._ui

    @property
    def notice(self) -> Sentence:
        """A sentence about the last thing that happened or was said."""
        return self._ui.notice or self.ledger.notice()

    def state(self) -> dict[str, Any]:
        """Return the public state of the written table, with settings and troubles of the hub."""
        queue, table = self._queue, self.table
        document = public_state(
            queue.written.ledger,
            self.table_id,
            self.game_at(),
            self._ui,
            now=self.clock.now(),
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
        """Return what each button does now, by gesture."""
        table = self._queue.decided.ledger.table
        game = self.game_set.game_of(table)
        return labels(situation(game, table, self._ui, self.clock.now()))

    def docked(self) -> list[int]:
        """Return the seats whose train markers may be in docks now; none outside a round.

        None either in a game without markers.
        """
        table = self._queue.decided.ledger.table
        if table.phase != "playing" or self._open_trains(table) is None:
            return []
        return [seat.number for seat in table.players()]

    def holds(self) -> dict[str, float]:
        """Return the seconds that each button, or chord, must be held now."""
        self._gestures.digits = self._ui.dial.hand is not None
        single = {name: self._gestures.hold_of(name) for name in BUTTONS}
        return {**single, **self._gestures.timing.chords}

    def paint(self) -> None:
        """Show the present frame on the lights, and note when it must be painted again."""
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
        # After weeks of uptime a float's steps are coarser than a frame's: without this the next
        # frame could be due at the very moment that still shows this one.
        self._painted_until = max(painted.until, now + LEAST_STEP)
        self.board.lights.show(painted.pixels)
