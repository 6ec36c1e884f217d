"""The conversation with the table: a question that waits, a hand that is typed, totals told.

Nothing of it is an event, and a power cut forgets it. It is about what was *decided*, so that a
card that stalls keeps nobody waiting; what there is to see of it waits until its round is seen.
"""

from typing import Any

from centerpiece.hub.dial import Dial
from centerpiece.hub.orders import Answer, Orders, same_round
from centerpiece.hub.parade import Parade, of_seat, of_standings
from centerpiece.hub.passing import Passing
from centerpiece.hub.questions import OpenQuestion
from centerpiece.hub.signals import Signals
from centerpiece.hub.speech import Speech
from centerpiece.table.commands import BlowWhistle, Command
from centerpiece.table.game_set import GameSet
from centerpiece.table.panel import Ask, Ordered
from centerpiece.table.questions import AsksBack, Question, ask, open_question
from centerpiece.text import Problem, Refused, Sentence
from hal.ports import Clock


class Conversation:
    """What one hub waits to be told, and tells when it is asked."""

    def __init__(
        self,
        game_set: GameSet,
        clock: Clock,
        orders: Orders,
        passing: Passing,
        signals: Signals,
        speech: Speech,
    ) -> None:
        self._game_set = game_set
        self._clock = clock
        self._orders = orders
        self._passing = passing
        self._signals = signals
        self._speech = speech
        self._reads = False
        self._asked = OpenQuestion()
        self._dial = Dial()

    def resume(self) -> None:
        """After a start: a round that was being counted is counted on."""
        self.follow(afresh=False)
        if (seat := self.counted()) is not None:
            name = self._orders.written.table.name(seat)
            words = Sentence("Counting goes on with the hand of {name}.", {"name": name})
            self._signals.announce(words)

    def follow(self, afresh: bool) -> None:
        """What was decided is another: in another round, what was asked is forgotten, and what
        fits may be something else."""
        question = self._asked.question
        if afresh or (question is not None and question.what == "fit"):
            self._asked.close()
        table = self._orders.decided.table
        self._dial.follow(self._game_set.game_of(table), table)

    # Questions

    @property
    def question(self) -> Question | None:
        """What the hub asks, beside what the table itself has to be told."""
        return self._asked.question

    def pending(self) -> Question | None:
        """What is to be answered first of all, whoever asks it."""
        return self._asked.question or open_question(self._orders.decided.table)

    def ask(self, wanted: Ask) -> None:
        """A button asks first."""
        self._ask(ask(self._orders.decided.table, wanted.what, wanted.about))

    def ask_no_more(self) -> None:
        """It is answered, or taken back."""
        self._asked.close()
        self._signals.asked_no_more()

    def drop(self, question: Question | None) -> None:
        """Ask this no longer, and leave what was said in its place."""
        if question is self._asked.question:
            self._asked.close()

    def wake(self, now: float) -> None:
        """Nobody has answered. A whistle that was blown was blown, whoever it was."""
        if (question := self._asked.expired(now)) is not None:
            self._signals.asked_no_more()
            if question.what == "last-tile":
                self.attempt("whistle", BlowWhistle())

    def next_wake(self) -> float:
        """When the question is taken back."""
        return self._asked.until

    def _ask(self, question: Question) -> None:
        self._asked.ask(question, self._clock.now())
        self._signals.asked(question)

    # Commands of the panel

    def attempt(self, button: str, command: Command, instead_of: int | None = None) -> bool:
        """Give an order; whether it was decided. It may be asked back, or refused aloud."""
        try:
            return self._orders.press(button, command, self.answered, instead_of)
        except AsksBack as asked:
            self._ask(asked.question)
            return False

    def answered(self, answer: Answer) -> None:
        """What became of something that was pressed."""
        if isinstance(answer, Problem):
            self._refuse(answer.sentence)

    def _refuse(self, why: Sentence) -> None:
        self._asked.wait_longer(self._clock.now())
        self._signals.refused(why)

    # The count

    def counted(self) -> int | None:
        """The seat whose hand is being counted."""
        table = self._orders.decided.table
        return self._dial.seat(self._game_set.game_of(table), table)

    def counted_here(self) -> int | None:
        """The same for those who look: not before they can see that the round has ended."""
        seen = same_round(self._orders.written.table, self._orders.decided.table)
        return self.counted() if seen else None

    def count(self, ordered: Ordered) -> None:
        """A press of the dial."""
        table = self._orders.decided.table
        try:
            command = self._dial.do(ordered, self._game_set.game_of(table), table)
        except Refused as refusal:
            self._refuse(refusal.sentence)
            return
        if command is not None and self.attempt("advance", command):
            self._dial.clear()
        self.follow(afresh=False)
        if command is None:
            self._signals.asked_no_more()
        else:
            self._signals.news()

    # Totals

    def tell_totals(self, ordered: Ordered) -> None:
        """The standings place by place, or one seat's total."""
        everybody = ordered.what == "parade"
        if everybody and self._passing.marched_on(self._clock.now()):
            return
        if parade := self._parade(None if everybody else ordered.seat):
            self._reads = False
            self._signals.announce(parade.words)

    def parades(self) -> bool:
        """Whether the standings parade, or did when the button was pressed that is still down."""
        return self._passing.parades(self._clock.now())

    def let_go(self) -> None:
        """The button that was pressed is down no longer."""
        self._passing.let_go()

    def read_aloud(self) -> None:
        """The standings are told in words; and when that is wished again, the rule card, section
        by section."""
        if self._parade():
            if self._reads:
                self._speech.read_card()
            else:
                self._speech.read_standings()
            self._reads = True

    def _parade(self, seat: int | None = None) -> Parade | None:
        """Sends the standings, or one seat's total, over the hub; refuses where nothing counts."""
        now, table = self._clock.now(), self._orders.written.table
        game = self._game_set.game_of(table)
        try:
            parade = of_seat(game, table, seat, now) if seat else of_standings(game, table, now)
        except Refused as refusal:
            self._refuse(refusal.sentence)
            return None
        self._passing.march(parade)
        return parade

    # What there is to see of it

    def told(self) -> dict[str, Any]:
        """For the public state: who is asked what, and what is typed."""
        question, counting = self._asked.question, self._dial.told(self.counted_here())
        if question is None:
            return {"counting": counting}
        asks = {"what": question.what, "seats": list(question.seats)}
        return {"asks": asks, "counting": counting}

    def shown(self) -> dict[str, Any]:
        """For the picture: whom a question asks, whose hand is counted, what is typed of it."""
        question, counted = self._asked.question, self.counted_here()
        return {
            "asked": () if question is None else question.seats,
            "counting": counted,
            "called_for": question is not None and question.what == "uncounted",
            "typed": self._dial.typed if counted is not None else "",
            **({"face_since": self._passing.pressed_at} if counted is not None else {}),
        }
