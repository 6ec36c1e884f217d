"""Output settings: applying the preferences to sound, lights and gestures."""

from math import inf

from centerpiece.hub.commit_queue import CommitQueue
from centerpiece.hub.gestures import Gestures, gentle
from centerpiece.hub.preferences import PREFERENCES, Preferences
from hal.ports import Board, ClipSequence


class OutputSettings:
    """Sets volume, brightness and gesture timing of one board from the written preferences."""

    def __init__(self, board: Board, gestures: Gestures, queue: CommitQueue) -> None:
        self._board = board
        self._gestures = gestures
        self._timing = gestures.timing
        self._queue = queue
        self._volume = 1.0
        self._brightness = 1.0
        self.change_at = inf
        """The monotonic time at which quiet hours next begin or end."""
        self.follow()

    @property
    def preferences(self) -> Preferences:
        return self._queue.written.settings[PREFERENCES]

    def follow(self) -> None:
        """Apply preferences that have just been written."""
        timing = gentle(self._timing) if self.preferences.gentle else self._timing
        self._gestures.follow(timing)
        self.dim()

    def play(self, cue: str) -> None:
        """Play a cue at the volume of this moment."""
        self._set_volume()
        self._board.sound.play(cue)

    def aloud(self) -> bool:
        """Return True if anything may be spoken now: the voice is on and there is a volume."""
        preferences = self.preferences
        return preferences.aloud and preferences.volume_at(self._board.clock.at()) > 0.0

    def say(self, sentence: ClipSequence) -> float | None:
        """Pass a sentence to the sound port, and return what that returns: seconds, or None."""
        self._set_volume()
        return self._board.sound.say(sentence)

    def prepare(self, sentence: ClipSequence) -> None:
        """Have clips synthesized before they are needed."""
        self._board.sound.prepare(sentence)

    def _set_volume(self) -> None:
        """Set the volume of this moment, if it has changed."""
        volume = self.preferences.volume_at(self._board.clock.at())
        if volume != self._volume:
            self._volume = volume
            self._board.sound.set_volume(volume)

    def wake(self, now: float) -> None:
        """Begin or end quiet hours when they are due."""
        if now >= self.change_at:
            self.dim()

    def dim(self) -> None:
        """Set brightness and volume for the present time, and note when they next change."""
        self._set_volume()
        clock = self._board.clock
        at = clock.at()
        brightness = self.preferences.brightness_at(at)
        if brightness != self._brightness:
            self._brightness = brightness
            self._board.lights.set_brightness(brightness)
        change = self.preferences.next_change(at)
        self.change_at = inf if change is None else clock.now() + change - at
