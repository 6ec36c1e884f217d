"""Conversion of frames to pixel levels: gamma, brightness, white extraction, current limit.

Pure. `tests/hal/test_pixels.py` shows that no frame asks for more than the supply can give.
"""

from operator import sub
from typing import NamedTuple

from hal.hardware_settings import IDLE_MILLIAMPS, LightSettings


class Limit(NamedTuple):
    """The current limit, as a sum of all channel values."""

    units: int

    @classmethod
    def of(cls, settings: LightSettings) -> "Limit":
        """Return the limit that `max_milliamps` leaves beyond the current of dark pixels."""
        usable = settings.max_milliamps - settings.pixels * IDLE_MILLIAMPS
        return cls(int(usable * 255 / settings.milliamps_per_channel))

    def scaled(self, levels: bytes) -> bytes:
        """Return the levels, all dimmed by one factor if their sum exceeds the limit.

        Each lit channel keeps at least one step and only the rest is scaled, so a dim seat does not
        vanish because the face is bright.
        """
        total = sum(levels)
        if total <= self.units:
            return levels
        lit = len(levels) - levels.count(0)
        spare, excess = max(0, self.units - lit), total - lit
        return levels.translate(bytes((0, *(1 + (n - 1) * spare // excess for n in range(1, 256)))))


def curve(gamma: float, brightness: float) -> bytes:
    """Return a table that maps a channel's value in a frame to its pixel level.

    `brightness` is from 0 to 1. A value above zero never becomes zero, or dim colours would lose
    one channel at a time. With a brightness of 0, all do.
    """
    if brightness <= 0:
        return bytes(256)
    top = 255 * min(1.0, brightness)
    return bytes((0, *(max(1, round(top * (n / 255) ** gamma)) for n in range(1, 256))))


def levels(frame: bytes, table: bytes, white: bool) -> bytes:
    """Return the channel levels of a frame: three per pixel, or four if the chain has white."""
    level = frame.translate(table)
    return _with_white(level) if white else level


def _with_white(rgb: bytes) -> bytes:
    """Turn levels of red, green, blue into levels of red, green, blue, white.

    The common part of the three moves to the white diode: truer colour, a third of the current.
    """
    red, green, blue = rgb[0::3], rgb[1::3], rgb[2::3]
    common = bytes(map(min, red, green, blue))
    out = bytearray(len(common) * 4)
    out[0::4] = bytes(map(sub, red, common))
    out[1::4] = bytes(map(sub, green, common))
    out[2::4] = bytes(map(sub, blue, common))
    out[3::4] = common
    return bytes(out)
