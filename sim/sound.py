"""A voice that only remembers what it said."""

from collections.abc import Callable

from hal.ports import CUES, Report, Trouble


class SimSound:
    """The cues that were played. Can be unplugged."""

    def __init__(self, report: Report | None = None, keep: int = 1000) -> None:
        self._report = report
        self._keep = keep
        self._plugged = True
        self._closed = False
        self.volume = 1.0
        self.semitones = 0.0
        self.played: list[str] = []
        self.listeners: list[Callable[[str, float], None]] = []
        """Called with every cue that is really heard, and how loud."""

    def play(self, cue: str) -> None:
        if cue not in CUES:
            raise ValueError(f"no cue is called {cue!r}; there are {', '.join(CUES)}")
        if self._plugged and not self._closed:
            self.played.append(cue)
            del self.played[: -self._keep]
            for listener in self.listeners:
                listener(cue, self.volume)

    def set_volume(self, volume: float) -> None:
        if not 0.0 <= volume <= 1.0:
            raise ValueError(f"volume is 0.0 to 1.0, not {volume!r}")
        self.volume = volume

    def set_pitch(self, semitones: float) -> None:
        """A pitch of its own, so that tables in a hall can be told apart."""
        self.semitones = semitones

    def unplug(self) -> None:
        """The module is gone; cues are lost until it is back."""
        if self._plugged:
            self._plugged = False
            self._tell("The sound module does not answer. Check its plug.")

    def plug(self) -> None:
        """The module is back."""
        if not self._plugged:
            self._plugged = True
            self._tell("")

    def close(self) -> None:
        self._closed = True

    def _tell(self, message: str) -> None:
        if self._report is not None:
            self._report(Trouble("sound", message))
