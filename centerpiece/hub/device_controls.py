"""Device controls: buttons that change the hub's own settings, outside any game.

A change takes effect and is confirmed once it is written.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from centerpiece.hub.preferences import PREFERENCES, Preferences
from centerpiece.storage.phones import PHONES, Phone
from centerpiece.storage.settings import SettingKey
from centerpiece.text import Sentence


class Confirmation(NamedTuple):
    """The cue, sentence and number that confirm a changed setting."""

    cue: str
    sentence: Sentence | None = None
    number: int | None = None
    """Digits for the face."""


class Control(NamedTuple):
    """A change of a setting, and a function from its new value to the confirmation."""

    key: SettingKey[Any]
    change: Callable[[Any], Any]
    confirm: Callable[[Any], Confirmation]


def _volume(preferences: Preferences) -> Confirmation:
    number = 0 if preferences.muted else min(99, round(preferences.volume * 100))
    return Confirmation("whistle", number=number)


def _gentle(preferences: Preferences) -> Confirmation:
    if preferences.gentle:
        words = "Easier for shaky hands: a trembling tap counts once, and holds are shorter."
        return Confirmation("join", Sentence(words))
    return Confirmation("undo", Sentence("Taps and holds work normally again."))


def _forgotten(phones: tuple[Phone, ...]) -> Confirmation:
    words = "All phones have been forgotten. Each can be paired again."
    return Confirmation("undo", Sentence(words))


def control(effect: str, at: float) -> Control | None:
    """Return the change of settings behind an effect of the panel; None if there is none.

    `at` is the wall clock's time of the press.
    """

    def quiet(preferences: Preferences) -> Confirmation:
        if not preferences.quiet_at(at):
            return Confirmation("join", Sentence("Quiet hours are over."))
        until = {"until": preferences.quiet_until}
        return Confirmation("join", Sentence("Quiet and dim until {until}.", until))

    match effect:
        case "volume":
            return Control(PREFERENCES, Preferences.next_volume, _volume)
        case "gentle":
            return Control(PREFERENCES, Preferences.gentle_toggled, _gentle)
        case "quiet":
            return Control(PREFERENCES, lambda present: present.quiet_now(at), quiet)
        case "forget-phones":
            return Control(PHONES, lambda present: (), _forgotten)
    return None
