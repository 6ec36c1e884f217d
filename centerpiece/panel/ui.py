"""The ui: the open question and all that is typed or shown for a while, as one frozen value.

A power cut forgets it and nothing else. Its methods return the next value and change nothing. Times
are monotonic; an end that never comes is infinite.
"""

from collections.abc import Iterable, Mapping
from math import inf
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from centerpiece.panel.dial import NOTHING, Dial, Hand
from centerpiece.panel.markers import Markers
from centerpiece.panel.pairing_minute import PairingMinute
from centerpiece.panel.parade import Parade
from centerpiece.panel.roulette import Roulette
from centerpiece.table.events import Event, RoundStarted, StarterDrawn
from centerpiece.table.game import Face, Game
from centerpiece.table.question import Question, open_question
from centerpiece.table.state import Table
from centerpiece.text import Sentence

ECHO = 0.08
"""Seconds that a pressed button echoes."""
REFUSED_SHOWN = 0.4
FACE_SHOWN = 3.0
LEAVING_TAKES = 2.5
"""Seconds that the lights take to sweep out."""
LATE = 2.0
"""Seconds in which a press still belongs to what has just gone: a question, or a hand."""
REPEATED = -1
"""In `first_taps`: the second tap would give the same answer again, and is ignored."""
SAME_PRESS = 1.0
"""Seconds in which two people who press the same button mean it once."""


class Lapsed(NamedTuple):
    """A question that ended without an answer: nobody gave one in time, or it was taken back."""

    question: Question
    at: float
    ran_out: bool


class LostHand(NamedTuple):
    """A hand that was no longer to be counted while somebody typed it.

    Presses that began before `until` were meant for it.
    """

    hand: Hand
    until: float


class ShownFace(NamedTuple):
    """A number on the face for a few seconds."""

    face: Face
    since: float

    @property
    def ends(self) -> float:
        return self.since + FACE_SHOWN


class Leaving(NamedTuple):
    """The lights sweep out; the hub takes no more presses."""

    since: float

    @property
    def ends(self) -> float:
        return self.since + LEAVING_TAKES


class Ui(msgspec.Struct, frozen=True, gc=False):
    """The transient state of one hub."""

    question: Question | None = None
    """The question that a button or a command asked; those of the table are `open_question`."""
    asked_at: float = -inf
    question_ends: float = inf
    lapsed: Lapsed | None = None
    """The last question that ran out or was taken back."""
    lost_hand: LostHand | None = None
    dial: Dial = Dial()
    first_taps: Mapping[str, int] = {}
    """For each button the step of its last tap, which a double tap replaces; or REPEATED."""
    notice: Sentence | None = None
    """The last message, unless something has happened since."""
    parade: Parade | None = None
    paused: bool = False
    """True while `whistle` is still down that was pressed during a parade."""
    standings_read: bool = False
    """True once the standings were read aloud, so that the rule card comes next."""
    echoes: Mapping[str, float] = {}
    """Buttons just pressed, with the end of their echo."""
    pressed_at: float = 0.0
    refused_until: float = 0.0
    """The end of the red outline of the face."""
    face: ShownFace | None = None
    began: float = -1e9
    """The start of the round."""
    dealing: bool = False
    """True until the first press in a round: the face shows how many tiles to draw."""
    roulette: Roulette | None = None
    pairing: PairingMinute | None = None
    leaving: Leaving | None = None
    markers: Markers = Markers()

    # Time

    def next_change(self, now: float) -> float:
        """Return the time at which `at` next gives another value, or the parade moves on.

        inf if never.
        """
        soonest = self.question_ends
        for timed in (self.face, self.roulette, self.pairing, self.leaving):
            if timed is not None:
                soonest = min(soonest, timed.ends)
        if self.parade is not None:
            soonest = min(soonest, self.parade.next_change(now))
        return min(soonest, *self.echoes.values()) if self.echoes else soonest

    def at(self, now: float) -> "Ui":
        """Return the ui at the time `now`: question, echoes and displays that have ended go."""
        if now < self.next_change(now):
            return self
        ui = self
        if now >= self.question_ends:
            ui = self.drop_question(self.question_ends, ran_out=True)
        ended = {
            name: None
            for name in ("face", "roulette", "pairing", "leaving", "parade")
            if (timed := getattr(self, name)) is not None and now >= timed.ends
        }
        echoes = {button: until for button, until in self.echoes.items() if until > now}
        return replace(ui, echoes=echoes, **ended)

    # Presses

    def pressed(self, button: str, now: float) -> "Ui":
        """Return the ui with a pressed button's echo. Any button but `advance` ends a parade."""
        echoes = {**self.echoes, button: now + ECHO} if self.echoes else {button: now + ECHO}
        if button == "advance" or self.parade is None:
            paused = self.paused if button == "advance" else False
            return replace(self, echoes=echoes, pressed_at=now, dealing=False, paused=paused)
        paused = button == "whistle" and now < self.parade.ends
        return replace(
            self, echoes=echoes, pressed_at=now, dealing=False, paused=paused, parade=None
        )

    def moved(self, seat: int, now: float) -> "Ui":
        """Return the ui with an echo at `seat`, whose marker was moved."""
        return replace(self, echoes={**self.echoes, f"seat-{seat}": now + ECHO}, dealing=False)

    def tapped(self, button: str, step: int | None) -> "Ui":
        """Return a copy of the ui that notes `step`, the undo step of the last tap of `button`.

        A double tap replaces that step. None forgets the last tap of this button.
        """
        taps = dict(self.first_taps)
        taps.pop(button, None)
        if step is not None:
            taps[button] = step
        return replace(self, first_taps=taps)

    # Questions

    def pending(self, table: Table) -> Question | None:
        """Return the question to be answered first: the ui's own, or the table's, or None."""
        return self.question or open_question(table)

    def ask(self, question: Question, now: float) -> "Ui":
        """Return the ui with this question open, in place of another, and shown as its notice."""
        ends = inf if question.open_for is None else now + question.open_for
        return replace(
            self, question=question, asked_at=now, question_ends=ends, notice=question.sentence
        )

    def close_question(self) -> "Ui":
        """Return the ui without its question, with the notice kept."""
        return replace(self, question=None, question_ends=inf)

    def dismiss_question(self) -> "Ui":
        """Return the ui without question and notice: it was answered or taken back."""
        return replace(self, question=None, question_ends=inf, notice=None)

    def drop_question(self, at: float, ran_out: bool = False) -> "Ui":
        """Return the ui without its question, which ended unanswered at the time `at`, as `lapsed`.

        `ran_out` is True if its time was over, not if it was taken back.
        """
        lapsed = None if self.question is None else Lapsed(self.question, at, ran_out)
        return replace(self.dismiss_question(), lapsed=lapsed)

    def late_for(self) -> Lapsed | None:
        """Return the question that ended shortly before the latest press; None if there is none.

        None also while another question is open.
        """
        lapsed = self.lapsed
        if lapsed is None or self.question is not None or self.pressed_at >= lapsed.at + LATE:
            return None
        return lapsed

    def refused(self, why: Sentence, now: float) -> "Ui":
        """Return the ui with the reason as notice and a red edge for a moment.

        An open question gets its time anew.
        """
        ends = self.question_ends
        if self.question is not None and self.question.open_for is not None:
            ends = now + self.question.open_for
        return replace(self, notice=why, refused_until=now + REFUSED_SHOWN, question_ends=ends)

    def outlined(self, now: float) -> "Ui":
        return replace(self, refused_until=now + REFUSED_SHOWN)

    @property
    def public(self) -> tuple[Question | None, float, Dial, Sentence | None, Markers]:
        """The parts that the public state shows."""
        return self.question, self.question_ends, self.dial, self.notice, self.markers

    # The table

    def follow(self, game: Game, before: Table, table: Table) -> "Ui":
        """Return the ui without what no longer fits `table`, the decided one after `before`.

        A question and a first tap belong to their own round; an offer of other rules (`fit`) may
        not fit after any change; digits belong to their hand.
        """
        if not same_round(before, table):
            ui = replace(self, question=None, question_ends=inf, lapsed=None, first_taps={})
        elif self.question is not None and self.question.what == "fit":
            ui = self.close_question()
        else:
            ui = self
        dial = ui.dial.follow(game, table)
        return ui if dial is ui.dial else replace(ui, dial=dial)

    def overtaken(self, game: Game, before: Table, table: Table, now: float) -> "Ui":
        """Return the ui after a command from elsewhere, which may end the counting of a hand.

        Such a hand is noted, so that digits meant for it are refused for a moment.
        """
        ui, hand = self.follow(game, before, table), self.dial.hand
        if hand is None or ui.dial is self.dial:
            return ui
        typing = self.dial.typed != NOTHING
        return replace(ui, lost_hand=LostHand(hand, now + LATE if typing else now))

    def happened(self, table: Table, events: Iterable[Event], now: float) -> "Ui":
        """Return the ui after written events, without notice, parade and roulette from before.

        A new round shows what is dealt, a drawn starter the roulette.
        """
        ui = self
        if self.notice is not None or self.parade is not None or self.roulette is not None:
            ui = replace(self, notice=None, parade=None, roulette=None)
        for event in events:
            if type(event) is RoundStarted:
                ui = replace(ui, began=now, dealing=True)
            elif type(event) is StarterDrawn:
                roulette = Roulette(now, tuple(s.number for s in table.players()), event.seat)
                ui = replace(ui, roulette=roulette, began=roulette.ends)
        return ui

    def parades(self, now: float) -> bool:
        """Return True during a parade, and while a whistle that was pressed in one is down."""
        return self.paused or (self.parade is not None and now < self.parade.ends)

    def show_number(self, number: int, now: float) -> "Ui":
        return replace(self, face=ShownFace(Face("digits", number), now))


def same_round(one: Table, other: Table) -> bool:
    """Return True if both tables are in the same phase of the same round.

    Then questions and taps at one still mean the same at the other.
    """
    return one.phase == other.phase and len(one.rounds) == len(other.rounds)
