"""A sound device that records what it plays; listeners may make it audible."""

from collections.abc import Callable

from hal.port_checks import check_cue, check_volume
from hal.ports import ClipSequence, Report, Trouble


class SimSound:
    """The Sound port in memory: cues played, sentences said. Can be unplugged."""

    def __init__(self, report: Report, keep: int = 1000) -> None:
        self._report = report
        self._keep = keep
        self._plugged = True
        self._closed = False
        self.volume = 1.0
        self.played: list[str] = []
        self.said: list[ClipSequence] = []
        self.listeners: list[Callable[[str, float], None]] = []
        """Callbacks for each cue that is played, with its volume."""
        self.sentence_listeners: list[Callable[[ClipSequence], None]] = []
        """Callbacks for each sentence that is said."""

    def play(self, cue: str) -> None:
        """Record a cue and call the listeners; nothing happens while unplugged or once closed."""
        check_cue(cue)
        if self._plugged and not self._closed:
            self.played.append(cue)
            del self.played[: -self._keep]
            for listener in self.listeners:
                listener(cue, self.volume)

    def say(self, sentence: ClipSequence) -> float | None:
        """Record a sentence, call the listeners, and return its length in seconds.

        While unplugged, or once closed, nothing is recorded, and it is 0.0.
        """
        if not self._plugged or self._closed:
            return 0.0
        self.said.append(sentence)
        for listener in self.sentence_listeners:
            listener(sentence)
        del self.said[: -self._keep]
        return sentence.seconds

    def prepare(self, sentence: ClipSequence) -> None:
        """Do nothing: every clip exists at once."""

    def set_volume(self, volume: float) -> None:
        check_volume(volume)
        self.volume = volume

    def unplug(self) -> None:
        """Make the module fail, and report it: what is played is lost until `plug`."""
        if self._plugged:
            self._plugged = False
            message = "The sound module does not answer. Check its plug."
            self._report(Trouble("sound", message))

    def plug(self) -> None:
        if not self._plugged:
            self._plugged = True
            self._report(Trouble("sound", ""))

    def close(self) -> None:
        self._closed = True
