"""Presses: from edges to gestures, by the panel map to a deed, and to whoever does it.

A tap acts on its release; the second of two taps takes the first one's effect back and does its
own. What a gesture means depends on what was *decided*, and on what is being asked.
"""

from typing import assert_never

from centerpiece.hub.conversation import Conversation
from centerpiece.hub.every import every
from centerpiece.hub.gestures import Gestures, Heard
from centerpiece.hub.labels import Labels, labels
from centerpiece.hub.orders import Orders, same_round
from centerpiece.hub.signals import Signals
from centerpiece.hub.wishes import Wishes
from centerpiece.table.game_set import GameSet
from centerpiece.table.panel import Ask, Binding, Gesture, Now, Ordered, When, deed
from centerpiece.table.state import Table
from hal.ports import SEATS, Edge

TAKE = Ordered("take")
CONFIRMED = ("fit", "uncounted", "end", "phones")
"""Questions that ask whether somebody is sure: whatever else is pressed, they are not."""
ONCE = -1
"""Instead of the step of a first tap: a finger that trembles means it once."""


class Presses:
    """The buttons of one hub, and what they mean now."""

    def __init__(
        self,
        game_set: GameSet,
        gestures: Gestures,
        orders: Orders,
        conversation: Conversation,
        wishes: Wishes,
        signals: Signals,
    ) -> None:
        self._game_set = game_set
        self._gestures = gestures
        self._orders = orders
        self._conversation = conversation
        self._wishes = wishes
        self._signals = signals
        self._first_taps: dict[str, int | None] = {}

    def hear(self, edge: Edge) -> None:
        """An edge of a button."""
        every(self._heard, self._gestures.edge(edge))

    def wake(self, now: float) -> None:
        """What time has made of buttons that are held."""
        every(self._heard, self._gestures.due(now))

    def forget_taps(self) -> None:
        """What was tapped before belongs to a round that is over, or has not happened."""
        self._first_taps.clear()

    def labels(self) -> Labels:
        """What every button does now."""
        table = self._orders.decided.table
        question = self._conversation.pending()
        seated = SEATS if table.phase == "lobby" else [seat.number for seat in table.players()]
        asked = question.seats if question else ()
        return labels(self._game_set.panel_of(table), self._now(), seated, asked)

    def do(self, ordered: Ordered) -> None:
        """What the panel asks of the hub itself, outside the books."""
        match ordered.what:
            case "never-mind":
                self._conversation.ask_no_more()
            case "parade" | "total":
                self._conversation.tell_totals(ordered)
            case "digit" | "double-blank" | "count" | "take" | "back":
                self._conversation.count(ordered)
            case "volume":
                self._wishes.louder()
            case "gentle":
                self._wishes.gentle()
            case "quiet":
                self._wishes.quiet()
            case "pair":
                self._wishes.open_pairing()
            case "forget-phones":
                self._conversation.ask_no_more()
                self._wishes.forget_phones()
            case "aloud":
                self._conversation.read_aloud()
            case "shutdown":
                self._wishes.switch_off()
            case "whistle":
                pass  # It has sounded, when it was pressed: `Signals.pressed`.
            case _:
                assert_never(ordered.what)

    # Gestures

    def _heard(self, heard: Heard) -> None:
        kind = heard.kind
        if kind == "press":
            self._signals.pressed(heard.button, heard.now)
        elif kind == "tap":
            self._tap(heard.button)
        elif kind == "double":
            self._double(heard.button)
        elif kind == "hold":
            self._gesture(heard.button, "hold")

    def _tap(self, button: str) -> None:
        self._conversation.let_go()
        before = self._orders.decided
        if self._gesture(button, "tap"):
            self._first_taps[button] = ONCE
            return
        after = self._orders.decided
        done = after.seq > before.seq and same_round(before.table, after.table)
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
        taken = self._orders.decided.has_step(step)
        self._gesture(button, "double", step if taken else None)

    def _gesture(self, button: str, gesture: Gesture, instead_of: int | None = None) -> bool:
        """Do what a gesture means now; whether a second tap right after it means nothing more."""
        conversation = self._conversation
        question = conversation.pending()
        binding = self._find(button, gesture)
        if binding is None:
            return False
        what = question.what if question else None
        answers = what is not None and binding.when == what
        if what in CONFIRMED and not answers:
            conversation.ask_no_more()
        wanted = deed(binding, button, question.about if question else None)
        if isinstance(wanted, Ask):
            conversation.ask(wanted)
        elif isinstance(wanted, Ordered):
            self.do(wanted)
        elif conversation.attempt(button, wanted, instead_of) and answers:
            conversation.ask_no_more()
        elif what == "caught" and answers:
            # Who cannot be caught is not: nobody else is accused of it.
            conversation.drop(question)
        answered = answers and self._now().question != what
        return answered or isinstance(wanted, Ask) or wanted == TAKE

    def _find(self, button: str, gesture: Gesture) -> Binding | None:
        return self._game_set.panel_of(self._orders.decided.table).find(
            self._now(), button, gesture
        )

    # What decides about their meaning

    def _now(self) -> Now:
        table = self._orders.decided.table
        question, holds = self._conversation.pending(), self._holds(table)
        dark = frozenset(SEATS).difference(seat.number for seat in table.players())
        if question is not None:
            return Now(table.phase, question.what, question.about, holds, dark=dark)
        skipped = table.skipped if table.turn is None else frozenset()
        return Now(table.phase, None, None, holds, skipped, dark)

    def _holds(self, table: Table) -> frozenset[When]:
        holds: set[When] = {"parade"} if self._conversation.parades() else set()
        if table.phase in ("scoring", "finished"):
            holds.add("counted" if self._conversation.counted() is None else "counting")
        if table.phase == "playing":
            if table.rules.tells_turns:
                holds.add("turns")
            if self._game_set.game_of(table).won_in_play(table):
                holds.add("won")
        return frozenset(holds)
