"""Parser for the kernel's records of input devices: bytes in, changes of keys out. Pure.

A record is a time, a type, a code and a value; its time has the machine's own width
(`struct input_event` in linux/input.h). Records come in packets that end with a report. After an
overrun of the kernel's buffer everything up to the next report is invalid, and the reader must ask
the device which keys are down (`Lost`).
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from hal.keys.names import HATS, hat_key

RECORD = struct.Struct("@LLHHi")

SYN, KEY, ABS = 0, 1, 3
REPORT, DROPPED = 0, 3
REPEAT = 2


class Change(NamedTuple):
    """A key went down or up; `stamp` is the kernel's, in seconds."""

    stamp: float
    key: int
    down: bool


class Lost(NamedTuple):
    """Changes were lost before this moment."""

    stamp: float


class Reader:
    """Parses the records of one device. Auto-repeat is ignored."""

    def __init__(self) -> None:
        self._rest = b""
        self._dropping = False
        self._hats: dict[int, int] = {}

    def feed(self, data: bytes) -> Iterator[Change | Lost]:
        """Yield the changes of keys in `data`, the next bytes of a device; `Lost` after an overrun.

        A record that is cut off is kept until its other bytes come.
        """
        data = self._rest + data
        whole = len(data) - len(data) % RECORD.size
        self._rest = data[whole:]
        for seconds, micros, kind, code, value in RECORD.iter_unpack(data[:whole]):
            stamp = seconds + micros / 1e6
            if kind == SYN and code == DROPPED:
                self._dropping = True
            elif self._dropping:
                if kind == SYN and code == REPORT:
                    self._dropping = False
                    yield Lost(stamp)
            elif kind == KEY and value != REPEAT:
                yield Change(stamp, code, bool(value))
            elif kind == ABS and code in HATS:
                yield from self._turned(stamp, code, value)

    def _turned(self, stamp: float, axis: int, value: int) -> Iterator[Change]:
        """Yield the changes of keys when the cross's `axis` comes to the position `value`.

        Moving to the other end releases the first; nothing if the same end is still pressed.
        """
        before, self._hats[axis] = self._hats.get(axis, 0), value
        for forward in (False, True):
            was, is_now = (_at_end(place, forward) for place in (before, value))
            if was and not is_now:
                yield Change(stamp, hat_key(axis, forward), False)
        for forward in (False, True):
            was, is_now = (_at_end(place, forward) for place in (before, value))
            if is_now and not was:
                yield Change(stamp, hat_key(axis, forward), True)

    def hats(self, places: dict[int, int]) -> None:
        """Set the positions of the crosses, as queried from the device."""
        self._hats = dict(places)


def _at_end(place: int, forward: bool) -> bool:
    return place > 0 if forward else place < 0
