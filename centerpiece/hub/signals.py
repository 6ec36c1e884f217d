"""How the table is told: the one place for what happened, was refused, was asked, was said.

Each comes here once and goes on from here to light, sound, the sentence of the pages, and whoever
listens. What happened comes only when it is written; what promises nothing comes at once.
"""

import logging
from collections.abc import Callable, Sequence

from centerpiece.display.roulette import Roulette
from centerpiece.hub.every import every
from centerpiece.hub.passing import Passing
from centerpiece.hub.preferences import AppliedPreferences
from centerpiece.hub.speech import Speech
from centerpiece.table import saved_rules
from centerpiece.table.commands import Command, FewerRounds, NextProfile, NextSet, TakeFitting
from centerpiece.table.events import Event, RoundStarted, StarterDrawn
from centerpiece.table.game import Face
from centerpiece.table.game_set import GameSet
from centerpiece.table.questions import Question
from centerpiece.table.rounds import rounds_of
from centerpiece.table.scoring import all_in, standings
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger, Recorded
from centerpiece.text import Sentence
from hal.ports import Clock

log = logging.getLogger("centerpiece.hub")

Listener = Callable[[], None]

CHOOSING = frozenset((NextSet, NextProfile, FewerRounds, TakeFitting))
"""Commands after which the face shows what was chosen."""


class Signals:
    """Tells the table of one hub."""

    def __init__(
        self,
        game_set: GameSet,
        clock: Clock,
        passing: Passing,
        applied: AppliedPreferences,
        speech: Speech,
    ) -> None:
        self._game_set = game_set
        self._clock = clock
        self._passing = passing
        self._applied = applied
        self._speech = speech
        self.said: Sentence | None = None
        """The last thing that was said, unless something has happened since."""
        self._stale = False
        self._on_stale: list[Listener] = []
        self._on_news: list[Listener] = []
        self._on_recorded: list[Callable[[Sequence[Recorded]], None]] = []
        self._on_shutdown: list[Listener] = []

    # What there is to tell

    def happened(
        self, before: Table, ledger: Ledger, recorded: Sequence[Recorded], command: Command | None
    ) -> None:
        """Events are written; before them the table was another."""
        table = ledger.table
        self.said = None
        self._passing.happened()
        self._speech.happened(before, table, recorded)
        for each in recorded:
            self._note(table, each.event)
        for each in recorded:
            if (cue := each.event.cue(table)) is not None:
                self.play(cue)
        if all_in(self._game_set.game_of(table), before, table):
            self._tell_who_leads(ledger)
        try:
            every(lambda listener: listener(recorded), self._on_recorded)
        finally:
            self.news()
        if type(command) in CHOOSING:
            self._show_choice(table, command)

    def refused(self, why: Sentence) -> None:
        """A press has changed nothing."""
        log.info("refused=%r", str(why))
        self._passing.refuse(self._clock.now())
        self._speech.told("refusals", why)
        self.announce(why, "refused")

    def asked(self, question: Question) -> None:
        """The hub waits for an answer."""
        self._speech.asked(question)
        self.announce(question.sentence)

    def asked_no_more(self) -> None:
        """It waits no longer, or what was said of it no longer holds."""
        self.said = None
        self.news()

    def time_is_told(self, sentence: Sentence) -> None:
        """A limit comes nearer."""
        self._speech.told("time", sentence)
        self.announce(sentence, "time")

    def announce(self, sentence: Sentence, cue: str | None = None) -> None:
        """Anything else that is no event of the game."""
        self.said = sentence
        if cue is not None:
            self.play(cue)
        self.news()

    def pressed(self, button: str, now: float) -> None:
        """A reflex: the button echoes, the whistle sounds."""
        self._passing.pressed(button, now)
        if button == "whistle":
            self.play("whistle")

    def play(self, cue: str) -> None:
        """Sound a cue, as loud as people want it."""
        self._applied.play(cue)
        self._speech.cue(cue)

    def show_number(self, number: int) -> None:
        """Digits on the face, for a while."""
        self._passing.show(Face("digits", number), self._clock.now())
        self.news()

    def waits(self, button: str, long: bool) -> None:
        """What a button was pressed for is not written yet: until then it echoes.

        An echo that is over does not come back, unless the wait is a `long` one.
        """
        if button and (long or self._passing.echoing(button, self._clock.now())):
            self._passing.hold_echo(button)

    def waits_no_longer(self, button: str) -> None:
        """It is written, or dropped."""
        self._passing.release_echo(button)

    def wake(self, now: float) -> None:
        """What was shown for a while is over."""
        for ended in self._passing.ended(now):
            if ended == "roulette":
                self.play("round")
            else:
                every(_call, self._on_shutdown)

    # Who wants to know

    def on_stale(self, listener: Listener) -> None:
        """Called when the picture is out of date, or the next wake may be another."""
        self._on_stale.append(listener)

    def on_news(self, listener: Listener) -> None:
        """Called after every change of the public state."""
        self._on_news.append(listener)

    def on_recorded(self, listener: Callable[[Sequence[Recorded]], None]) -> None:
        """Called with events once they are written."""
        self._on_recorded.append(listener)

    def on_shutdown(self, listener: Listener) -> None:
        """Called when the lights have swept out."""
        self._on_shutdown.append(listener)

    def news(self) -> None:
        """The public state is another."""
        every(_call, self._on_news)

    def out_of_date(self) -> None:
        """The picture may be another."""
        if not self._stale:
            self._stale = True
            every(_call, self._on_stale)

    def painted(self) -> None:
        """The picture is the right one again."""
        self._stale = False

    # The passing things of events

    def _note(self, table: Table, event: Event) -> None:
        if type(event) is RoundStarted:
            self._passing.round_begins(self._clock.now())
        elif type(event) is StarterDrawn:
            seats = tuple(seat.number for seat in table.players())
            roulette = Roulette(self._clock.now(), seats, event.seat)
            self._passing.spin(roulette)
            self._speech.hold_back(roulette.ends)

    def _tell_who_leads(self, ledger: Ledger) -> None:
        """When the last hand is in."""
        table = ledger.table
        first = [
            line for line in standings(self._game_set.game_of(table), table) if line.place == 1
        ]
        if not first:
            return
        facts = {"names": [line.seat.name for line in first], "total": first[0].total}
        leads = Sentence("{names} {names|leads|lead} with {total}.", facts)
        self.said = Sentence("{told} {more}", {"told": ledger.notice(), "more": leads})
        self.play("leader")

    def _show_choice(self, table: Table, command: Command | None) -> None:
        """On the face: the set, the rounds, or the number of the rules among those offered."""
        if type(command) is NextSet:
            self.show_number(table.size)
        elif type(command) is FewerRounds:
            self.show_number(int(rounds_of(table)))
        else:
            offered = saved_rules.names(self._game_set, table, table.rules.game)
            self.show_number(offered.index(table.rules.name) + 1)


def _call(listener: Listener) -> None:
    listener()
