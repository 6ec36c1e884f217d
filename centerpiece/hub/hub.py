"""The hub: one way through, from an edge or a command to light, sound and page.

    edge ─▶ gesture ─▶ panel map ─▶ command ─▶ decide ─▶ (writer) ─▶ show: lights, sound, pages
            presses                 orders                          signals

Everything happens in the caller's thread, one thing after the other, and time is asked of the
board's clock: the same code runs under asyncio (`service.shell`) and in virtual time (`sim.hands`).
Here the parts are put together, each with one subject, and the rest of the house finds its door.
The hub says when its picture is out of date; whoever runs it calls `paint` when nothing more
waits to be heard, so that edges that come together are painted once.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from centerpiece.display.colours import SUITS, Colour
from centerpiece.display.looks import NEVER
from centerpiece.display.public_state import PublicState
from centerpiece.display.scene import Layout, Scene
from centerpiece.hub.conversation import Conversation
from centerpiece.hub.game_clock import GameClock
from centerpiece.hub.gestures import Gestures, Timing
from centerpiece.hub.labels import Labels
from centerpiece.hub.orders import Answer, Orders, Told, unheard
from centerpiece.hub.pairing import PairingMinute
from centerpiece.hub.passing import Passing
from centerpiece.hub.preferences import AppliedPreferences, Preferences
from centerpiece.hub.presses import Presses
from centerpiece.hub.signals import Listener, Signals
from centerpiece.hub.speech import Speech, Utterance
from centerpiece.hub.time_limits import TimeLimits, limited
from centerpiece.hub.wishes import Wishes
from centerpiece.storage import clock_jumps
from centerpiece.storage.errors import NotSaved
from centerpiece.storage.journal import Journal
from centerpiece.storage.settings import Settings
from centerpiece.storage.writer import DirectWriter, Writer
from centerpiece.table.commands import Command
from centerpiece.table.game_set import GameSet
from centerpiece.table.panel import LONG_HOLDS, chords
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger, Recorded
from centerpiece.text import Problem, Sentence
from hal.ports import BUTTONS, Board, Edge, Trouble

log = logging.getLogger("centerpiece.hub")

LEAST_STEP = 0.001

TIMING = Timing(holds=LONG_HOLDS, chords=chords())


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
    ) -> None:
        self.game_set = game_set
        self.journal = journal
        self.settings = Settings(journal)
        self.board = board
        self.clock = board.clock
        self.table_id = table_id
        self._scene = Scene(game_set, Layout(board.zones, board.lights.count), suits)
        self._painted_until = NEVER
        self._public_state = PublicState(game_set, table_id)
        self._troubles: dict[str, str] = {}
        self._hear_first: Listener = lambda: None

        ledger, clock = journal.recover(game_set), self.clock
        self._gestures = Gestures(timing)
        self._game_clock = GameClock(clock, self.settings)
        self._limits = TimeLimits(self._game_clock, ledger.table)
        self._applied = AppliedPreferences(board, self._gestures, self.settings)
        self._passing = passing = Passing()
        self._speech = Speech(game_set, clock, self._applied, ledger.table)
        self._signals = signals = Signals(game_set, clock, passing, self._applied, self._speech)
        keeps = writer or DirectWriter(journal)
        self._orders = orders = Orders(
            ledger, self.settings, keeps, clock, self._game_clock, self._limits, signals
        )
        self._conversation = talk = Conversation(
            game_set, clock, orders, passing, signals, self._speech
        )
        self._wishes = wishes = Wishes(clock, orders, talk, self._applied, passing, signals)
        self._presses = Presses(game_set, self._gestures, orders, talk, wishes, signals)
        orders.on_decided(self._follow)
        if writer is None:
            keeps.listen(orders.wrote)
        if self._game_clock.recover(ledger, journal.last_at()):
            self.keep(clock_jumps.SETTING, self._game_clock.jumps)
        talk.resume()
        self.paint()

    def _follow(self, afresh: bool) -> None:
        """What was decided is another; a question and a first tap belong to their own round."""
        self._conversation.follow(afresh)
        if afresh:
            self._presses.forget_taps()

    # Who wants to know

    def on_stale(self, listener: Listener) -> None:
        """Called when the picture is out of date, or `next_wake` may be another."""
        self._signals.on_stale(listener)

    def on_news(self, listener: Listener) -> None:
        """Called after every change of the public state."""
        self._signals.on_news(listener)

    def on_recorded(self, listener: Callable[[Sequence[Recorded]], None]) -> None:
        """Called with events once they are on the disk."""
        self._signals.on_recorded(listener)

    def on_forget(self, listener: Listener) -> None:
        """Called when the buttons have forgotten all phones."""
        self._wishes.on_forget(listener)

    def on_shutdown(self, listener: Listener) -> None:
        """Called when the buttons have switched the hub off and its lights are out."""
        self._signals.on_shutdown(listener)

    def on_said(self, listener: Callable[[Utterance], None]) -> None:
        """Called with whatever the hub says in words."""
        self._speech.on_said(listener)

    def before_orders(self, hear: Listener) -> None:
        """Called before an order is decided: edges that came earlier are to be heard first."""
        self._hear_first = hear

    # What comes in

    def hear(self, edge: Edge) -> None:
        """Take in an edge of a button."""
        if self._passing.leaving:
            return
        try:
            self._presses.hear(edge)
        finally:
            self._signals.out_of_date()

    def order(
        self, command: Command, told: Told = unheard, keep: Mapping[str, Any] | None = None
    ) -> None:
        """Have a command carried out, and settings kept together with what it leads to.

        `told` hears what became of it, once no power cut can take that back.
        """
        self._hear_first()
        try:
            self._orders.order(command, told, keep)
        finally:
            self._signals.out_of_date()

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
        self._orders.keep(key, value, told)

    def wrote(self, error: NotSaved | None) -> None:
        """The writer's report: what it was given is on the disk, or is not."""
        self._orders.wrote(error)

    def doubt_the_disk(self) -> None:
        """The file may not be in its place any more: the writer looks, and sees to it."""
        self._orders.doubt_the_disk()

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
        self._signals.news()

    def announce(self, sentence: Sentence, cue: str | None = None) -> None:
        """Tell the table something that is no event of the game."""
        self._signals.announce(sentence, cue)

    def read_aloud(self, what: Literal["standings", "card"]) -> None:
        """Say how it stands, or the next section of the rule card."""
        if what == "standings":
            self._speech.read_standings()
        else:
            self._speech.read_card()
        self._signals.out_of_date()

    def wake(self) -> None:
        """Do what time has made due."""
        now = self.clock.now()
        try:
            self._orders.notice_clock()
            self._presses.wake(now)
            self._conversation.wake(now)
            self._signals.wake(now)
            self._orders.wake(now)
            self._applied.dim_if_due(now)
            for due in self._limits.due(self.table):
                self._signals.time_is_told(due)
            self._speech.wake(now)
        finally:
            self._signals.out_of_date()

    def next_wake(self) -> float | None:
        """When `wake` should be called; None while nothing moves."""
        now = self.clock.now()
        soonest = min(
            self._painted_until,
            self._gestures.deadline(),
            self._conversation.next_wake(),
            self._passing.next_end(now),
            self._orders.next_wake(),
            self._applied.change_at,
            self._speech.next_wake(),
            now + self._limits.next_in(self.table) if limited(self.table) else NEVER,
        )
        return None if soonest == NEVER else soonest

    # Preferences, pairing, the hall's clock

    @property
    def preferences(self) -> Preferences:
        """Loudness, brightness and how the pages look."""
        return self._applied.chosen

    def set_preferences(self, preferences: Preferences, told: Told = unheard) -> None:
        """Change them, as soon as they are kept."""
        self._wishes.prefer(preferences, told)

    def open_pairing(self) -> None:
        """Let phones pair for one minute. The face shows the number; nobody else is told."""
        self._wishes.open_pairing()

    def pairing(self) -> PairingMinute | None:
        """The minute in which phones may pair, while it lasts."""
        return self._wishes.pairing()

    def pairs_with(self, number: str) -> bool:
        """Whether this is the number on the face. Too many wrong ones, and there is none."""
        return self._wishes.pairs_with(number)

    def close_pairing(self) -> None:
        """No more phones for now."""
        self._wishes.close_pairing()

    def game_at(self) -> float:
        """The time of the game that is on, whatever the wall clock did."""
        return self._game_clock.at(self.table)

    def follow_clock(self, shift: float) -> None:
        """The game's limit is measured by a clock so many seconds ahead of the table's own."""
        if shift != self._limits.shift:
            self._limits.follow(shift)
            self._signals.out_of_date()
            self._signals.news()

    # What can be seen

    @property
    def ledger(self) -> Ledger:
        """What is written."""
        return self._orders.written

    @property
    def table(self) -> Table:
        """The table as it is."""
        return self._orders.written.table

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self._orders.written.seq

    @property
    def decided(self) -> Ledger:
        """What was decided: only for those who give orders, and never to be shown."""
        return self._orders.decided

    @property
    def notice(self) -> Sentence:
        """The last thing that happened or was said."""
        return self._signals.said or self.ledger.notice()

    def state(self) -> dict[str, Any]:
        """The public state."""
        notice, orders = self.notice, self._orders
        saved = orders.saved and not orders.late
        document = self._public_state.document(orders.written, self.game_at(), saved, notice)
        if (left := self._limits.left(self.table)) is not None:
            document["clock"] = {"remaining_s": max(0, round(left))}
        document |= self._conversation.told()
        document["trouble"] = [
            {"device": device, "message": message} for device, message in self._troubles.items()
        ]
        document["said"] = msgspec.to_builtins(notice)
        document["settings"] = self._applied.settings()
        document["saving"] = orders.late and orders.saved
        return document

    def labels(self) -> Labels:
        """What every button does now."""
        return self._presses.labels()

    def holds(self) -> dict[str, float]:
        """For how many seconds a button, or two together, must be held."""
        timing = self._gestures.timing
        single = {name: timing.holds.get(name, timing.hold) for name in BUTTONS}
        return {**single, **timing.chords}

    def paint(self) -> None:
        """Show the table as it is now, if that differs from what is shown."""
        now, table, passing = self.clock.now(), self.table, self._passing
        passing.forget_echoes(now)
        moment = passing.moment(now, self._gestures.held("advance"), self._limits.shift)
        moment = msgspec.structs.replace(moment, **self._conversation.shown())
        ahead = self._game_clock.at(table) - now if limited(table) else 0.0
        painted = self._scene.paint(table, moment, now, ahead, passing.echoes)
        self._signals.painted()
        # A hub that has run for weeks counts time more coarsely than a look does: without this
        # the next step could be due at the very moment that still shows the one before.
        self._painted_until = max(painted.until, now + LEAST_STEP)
        self.board.lights.show(painted.pixels)
