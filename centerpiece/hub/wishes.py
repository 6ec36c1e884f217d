"""What people wish of the hub itself: louder, quiet, good night; phones that pair or are forgotten.

Nothing of it is part of a game. What is to be remembered holds as soon as it is kept.
"""

from collections.abc import Callable

from centerpiece.hub.conversation import Conversation
from centerpiece.hub.orders import Answer, Orders, Told, unheard
from centerpiece.hub.pairing import PairingMinute
from centerpiece.hub.passing import Passing
from centerpiece.hub.preferences import SETTING, AppliedPreferences, Preferences
from centerpiece.hub.signals import Listener, Signals
from centerpiece.storage.settings import PHONES
from centerpiece.text import Problem, Sentence
from hal.ports import Clock


class Wishes:
    """Carries them out, for buttons and pages."""

    def __init__(
        self,
        clock: Clock,
        orders: Orders,
        conversation: Conversation,
        applied: AppliedPreferences,
        passing: Passing,
        signals: Signals,
    ) -> None:
        self._clock = clock
        self._orders = orders
        self._conversation = conversation
        self._applied = applied
        self._passing = passing
        self._signals = signals
        self._on_forget: list[Listener] = []

    # Preferences

    def prefer(self, preferences: Preferences, told: Told = unheard) -> None:
        """Follow preferences, as soon as they are kept."""

        def kept(answer: Answer) -> None:
            if isinstance(answer, Problem):
                self._applied.wish(self._applied.chosen)
            else:
                self._applied.choose(preferences)
            self._signals.news()
            told(answer)

        self._applied.wish(preferences)
        self._orders.keep(SETTING, preferences, kept)

    def louder(self) -> None:
        """The next step of loudness: the face shows it, the whistle lets it be heard."""
        wish = self._applied.wished.louder()

        def tell() -> None:
            self._signals.show_number(0 if wish.muted else min(99, round(wish.volume * 100)))
            self._signals.play("whistle")

        self.prefer(wish, self._if_kept(tell))

    def gentle(self) -> None:
        """Gentle on hands that shake from now on, or no longer."""
        wish = self._applied.wished.gentler()

        def tell() -> None:
            words = (
                "Gentle hands: a tap that trembles is one tap, and holds are short."
                if wish.gentle
                else "Taps and holds are as usual again."
            )
            self._signals.announce(Sentence(words), "join" if wish.gentle else "undo")

        self.prefer(wish, self._if_kept(tell))

    def quiet(self) -> None:
        """Quiet hours from now on, or no longer."""
        wish = self._applied.wished.quiet_now(self._clock.at())

        def tell() -> None:
            quiet = wish.quiet_at(self._clock.at())
            words = "Quiet and dim until {until}." if quiet else "Quiet hours are over."
            self._signals.announce(Sentence(words, {"until": wish.quiet_until}), "join")

        self.prefer(wish, self._if_kept(tell))

    # Phones

    def open_pairing(self) -> None:
        """Let phones pair for one minute. The face shows the number; nobody else is told."""
        self._passing.open_pairing(PairingMinute(self._clock.now()))
        self._signals.play("join")
        self._signals.out_of_date()

    def pairing(self) -> PairingMinute | None:
        """The minute in which phones may pair, while it lasts."""
        pairing = self._passing.pairing
        return pairing if pairing is not None and self._clock.now() < pairing.ends else None

    def pairs_with(self, number: str) -> bool:
        """Whether this is the number on the face. Too many wrong ones, and there is none."""
        pairing = self.pairing()
        if pairing is None:
            return False
        right = pairing.fits(number, self._clock.now())
        if pairing.spoilt:
            self._passing.close_pairing()
            self._passing.refuse(self._clock.now())
            self._signals.play("refused")
        self._signals.out_of_date()
        return right

    def close_pairing(self) -> None:
        """No more phones for now."""
        self._passing.close_pairing()
        self._signals.out_of_date()

    def on_forget(self, listener: Listener) -> None:
        """Called when the buttons have forgotten all phones."""
        self._on_forget.append(listener)

    def forget_phones(self) -> None:
        """Each has to be paired again."""

        def tell() -> None:
            words = Sentence("All phones are forgotten. Each can be paired again.")
            self._signals.announce(words, "undo")

        self._orders.keep(PHONES, [], self._if_kept(tell))
        for listener in self._on_forget:
            listener()

    # The end

    def switch_off(self) -> None:
        """The lights sweep out."""
        self._passing.leave(self._clock.now())
        self._signals.announce(Sentence("Good night. The hub switches itself off."), "goodbye")

    def _if_kept(self, tell: Callable[[], None]) -> Told:
        """For a wish of the panel's: a disk that cannot remember it is told of, and no more."""

        def told(answer: Answer) -> None:
            self._conversation.answered(answer)
            if not isinstance(answer, Problem):
                tell()

        return told
