"""The preferences of a hub and its pages: volume, brightness, text size, quiet hours, language.

They are no part of a game, so undo does not reach them. Times of day are the hub's local time,
because quiet hours belong to the room it stands in.
"""

import time
from typing import Annotated, Literal

import msgspec

from centerpiece.speech.topics import Topics
from centerpiece.storage.settings import SettingKey

TimeOfDay = Annotated[str, msgspec.Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
DAY = 24 * 3600
QUIET_LASTS = 10 * 3600
STEPS = (1.0, 0.66, 0.33)
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
Spellings = Annotated[dict[Name, Name], msgspec.Meta(max_length=200)]


class Preferences(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A hub's preferences. Volume and brightness are shares of what the device was set to."""

    volume: Share = 1.0
    muted: bool = False
    quiet_from: TimeOfDay | None = None
    quiet_until: TimeOfDay | None = None
    brightness: Share = 1.0
    quiet_brightness: Share = 0.4
    """Share of the brightness in quiet hours."""
    order: Literal["clockwise", "counterclockwise"] = "clockwise"
    """The direction in which pages list the seats from left to right."""
    large_text: bool = False
    gentle: bool = False
    """For hands that shake: quickly repeated taps count once, holds and chords are shorter."""
    language: Annotated[str, msgspec.Meta(pattern="^[a-z]{2}(-[A-Z]{2})?$")] = "en"
    aloud: bool = True
    """False turns the voice off; cues still sound."""
    speech: Topics = Topics()
    calm: bool = False
    """For older ears: the voice speaks slower, and is lower."""
    attention: bool = False
    """In a loud room, a chime comes before a sentence that no cue has announced."""
    spellings: Spellings = {}
    """Names as the voice should read them, by the names as typed."""

    def volume_at(self, at: float) -> float:
        return 0.0 if self.muted or self.quiet_at(at) else self.volume

    def brightness_at(self, at: float) -> float:
        return self.brightness * (self.quiet_brightness if self.quiet_at(at) else 1.0)

    def next_change(self, at: float) -> float | None:
        """Return when, after the wall clock time `at`, quiet hours begin or end.

        None without quiet hours.
        """
        if self.quiet_from is None or self.quiet_until is None:
            return None
        now = time.localtime(at)
        passed = now.tm_hour * 3600 + now.tm_min * 60 + now.tm_sec
        ahead = [(_seconds(t) - passed) % DAY or DAY for t in (self.quiet_from, self.quiet_until)]
        return at - at % 1 + min(ahead)

    def next_volume(self) -> "Preferences":
        """Return the preferences with the next lower volume, or full after silence.

        The steps are full, two thirds, one third and silent.
        """
        if self.muted or self.volume == 0:
            return msgspec.structs.replace(self, volume=1.0, muted=False)
        lower = [step for step in STEPS if step < self.volume - 0.01]
        changes = {"volume": lower[0]} if lower else {"muted": True}
        return msgspec.structs.replace(self, **changes)

    def gentle_toggled(self) -> "Preferences":
        """Return the preferences with the thresholds for hands that shake switched on or off."""
        return msgspec.structs.replace(self, gentle=not self.gentle)

    def quiet_now(self, at: float) -> "Preferences":
        """Return the preferences with daily quiet hours from the minute of `at` on.

        If it is quiet already, they are removed.
        """
        if self.quiet_at(at):
            return msgspec.structs.replace(self, quiet_from=None, quiet_until=None)
        begin, end = (time.strftime("%H:%M", time.localtime(t)) for t in (at, at + QUIET_LASTS))
        return msgspec.structs.replace(self, quiet_from=begin, quiet_until=end)

    def quiet_at(self, at: float) -> bool:
        """Return True if quiet hours hold at the wall clock time `at`; they may pass midnight.

        Always False without quiet hours.
        """
        begin, end = self.quiet_from, self.quiet_until
        if begin is None or end is None:
            return False
        clock = time.strftime("%H:%M", time.localtime(at))
        return begin <= clock < end if begin <= end else clock >= begin or clock < end


def _seconds(time_of_day: str) -> int:
    hours, minutes = time_of_day.split(":")
    return int(hours) * 3600 + int(minutes) * 60


PREFERENCES: SettingKey[Preferences] = SettingKey("preferences", Preferences, Preferences())
