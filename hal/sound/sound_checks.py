"""What every voice refuses, in the same words."""

from hal.ports import CUES


def check_cue(cue: str) -> None:
    if cue not in CUES:
        raise ValueError(f"no cue is called {cue!r}; there are {', '.join(CUES)}")


def check_volume(volume: float) -> None:
    if not 0.0 <= volume <= 1.0:
        raise ValueError(f"volume is 0.0 to 1.0, not {volume!r}")
