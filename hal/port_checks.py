"""Validation of port arguments, the same for every backend."""

from hal.ports import CUES, Frame


def check_frame(frame: Frame, count: int) -> None:
    if len(frame) != 3 * count:
        raise ValueError(f"a frame for {count} pixels has {3 * count} bytes, not {len(frame)}")


def check_brightness(brightness: float) -> None:
    if not 0.0 <= brightness <= 1.0:
        raise ValueError(f"brightness is 0.0 to 1.0, not {brightness!r}")


def check_cue(cue: str) -> None:
    if cue not in CUES:
        raise ValueError(f"no cue is called {cue!r}; there are {', '.join(CUES)}")


def check_volume(volume: float) -> None:
    if not 0.0 <= volume <= 1.0:
        raise ValueError(f"volume is 0.0 to 1.0, not {volume!r}")
