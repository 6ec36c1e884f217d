"""From a frame as the eye should see it to the values each pixel is given.

Pure: gamma and brightness, white extraction, and the current limit. `tests/hal/pi/test_pixels.py`
holds that no frame ever asks for more than the power supply can give.
"""

from operator import sub
from typing import NamedTuple

from hal.hardware_settings import IDLE_MILLIAMPS, LightSettings


class Limit(NamedTuple):
    """A power supply in the unit that frames are made of: the sum of all channel values."""

    units: int

    @classmethod
    def of(cls, settings: LightSettings) -> "Limit":
        usable = settings.max_milliamps - settings.pixels * IDLE_MILLIAMPS
        return cls(int(usable * 255 / settings.milliamps_per_channel))

    def scaled(self, levels: bytes) -> bytes:
        """`levels`, all dimmed by one factor if their sum is more than the supply can give.

        What is lit stays lit: each lit channel keeps one step, and only what lies above it is
        scaled, so a dim seat does not vanish because the face is bright.
        """
        total = sum(levels)
        if total <= self.units:
            return levels
        lit = len(levels) - levels.count(0)
        spare, wanted = max(0, self.units - lit), total - lit
        return levels.translate(bytes((0, *(1 + (n - 1) * spare // wanted for n in range(1, 256)))))


def curve(gamma: float, brightness: float) -> bytes:
    """The table from what the eye should see to the level a pixel is given.

    A value above zero never becomes zero, or dim colours would drop out one channel at a time.
    """
    if brightness <= 0:
        return bytes(256)
    top = 255 * min(1.0, brightness)
    return bytes((0, *(max(1, round(top * (n / 255) ** gamma)) for n in range(1, 256))))


def levels(frame: bytes, table: bytes, white: bool) -> bytes:
    """The channel levels of a frame: three a pixel, or four where the chain has white pixels."""
    level = frame.translate(table)
    return _with_white(level) if white else level


def _with_white(rgb: bytes) -> bytes:
    """Let the white diode show what red, green and blue have in common: truer, and a third of
    the current."""
    red, green, blue = rgb[0::3], rgb[1::3], rgb[2::3]
    common = bytes(map(min, red, green, blue))
    out = bytearray(len(common) * 4)
    out[0::4] = bytes(map(sub, red, common))
    out[1::4] = bytes(map(sub, green, common))
    out[2::4] = bytes(map(sub, blue, common))
    out[3::4] = common
    return bytes(out)
