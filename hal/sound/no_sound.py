"""The Sound port of a hub without sound: lights and page show the same."""

from hal.port_checks import check_cue, check_volume
from hal.ports import ClipSequence


class NoSound:
    """The Sound port that makes no sound."""

    def play(self, cue: str) -> None:
        check_cue(cue)

    def say(self, sentence: ClipSequence) -> float | None:
        return 0.0

    def prepare(self, sentence: ClipSequence) -> None:
        """Nothing is ever said."""

    def set_volume(self, volume: float) -> None:
        check_volume(volume)

    def close(self) -> None:
        """Nothing was opened."""
