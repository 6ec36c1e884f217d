"""One input device of the kernel: its identity, its keys and their changes.

Uses the standard library only: the device is a file, queried by ioctl numbers that
linux/input.h builds from four fields. Its time stamps are switched to the monotonic clock.
"""

import errno
import os
import struct
from collections.abc import Iterator
from fcntl import ioctl
from pathlib import Path

from hal.device_errors import DeviceBusy
from hal.keys.key_records import Change, Lost, Reader
from hal.keys.names import HATS, hat_key

_WRITE, _READ = 1, 2
_KEY, _ABS = 1, 3
_KEYS = 0x300
_CLOCK_MONOTONIC = 1


def request(direction: int, number: int, size: int) -> int:
    """Return the ioctl number of a request to an input device."""
    return direction << 30 | size << 16 | ord("E") << 8 | number


IDENTITY, GRAB, CLOCK = request(_READ, 0x02, 8), request(_WRITE, 0x90, 4), request(_WRITE, 0xA0, 4)
NAME, DOWN = request(_READ, 0x06, 256), request(_READ, 0x18, _KEYS // 8)
HAS_KEYS, HAS_AXES = request(_READ, 0x20 + _KEY, _KEYS // 8), request(_READ, 0x20 + _ABS, 8)


def axis_request(axis: int) -> int:
    """Return the ioctl number that queries the position of an axis."""
    return request(_READ, 0x40 + axis, 24)


class KeyDevice:
    """An open device. Every method but `close` raises OSError once it is unplugged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            bus, vendor, product, _ = struct.unpack("@4H", self._ask(IDENTITY, 8))
            name = self._ask(NAME, 256).partition(b"\0")[0]
            self._axes = frozenset(_bits(self._ask(HAS_AXES, 8))) & frozenset(HATS)
            self.keys = frozenset(_bits(self._ask(HAS_KEYS, _KEYS // 8))) | {
                hat_key(axis, forward) for axis in self._axes for forward in (False, True)
            }
        except BaseException:
            os.close(self._file)
            raise
        self.bus = bus
        self.name = name.decode("utf-8", "replace").strip()
        self.ident = f"{vendor:04x}:{product:04x}"
        self.down: set[int] = set()
        self._reader = Reader()

    def fileno(self) -> int:
        return self._file

    def grab(self) -> None:
        """Take the device exclusively, so that it types nowhere else, and make stamps monotonic.

        Raise DeviceBusy if another program has taken it.
        """
        try:
            ioctl(self._file, GRAB, 1)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            raise DeviceBusy(
                f"another program has {self.name}",
                "stop it (a hub that runs: `sudo systemctl stop centerpiece`)",
            ) from error
        self.set_clock()

    def set_clock(self) -> None:
        """Switch the stamps to the monotonic clock."""
        ioctl(self._file, CLOCK, struct.pack("@i", _CLOCK_MONOTONIC))

    def settle(self) -> None:
        """Discard pending changes, and read into `down` which keys are down now."""
        try:
            while os.read(self._file, 4096):
                pass
        except BlockingIOError:
            pass
        self._reader = Reader()
        self.down = self._held()

    def is_down(self, key: int) -> bool:
        """Read the state of a key now; a hat's is the one of its last change."""
        return key in self.down if key >= _KEYS else key in _bits(self._ask(DOWN, _KEYS // 8))

    def read(self) -> Iterator[Change]:
        """Yield the changes of keys that have come, without waiting; auto-repeat is left out.

        `down` follows each change. After a buffer overrun, the changes are the differences between
        `down` and the keys that are down now.
        """
        try:
            data = os.read(self._file, 4096)
        except BlockingIOError:
            return
        if not data:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
        for record in self._reader.feed(data):
            for change in self._compared(record.stamp) if isinstance(record, Lost) else [record]:
                (self.down.add if change.down else self.down.discard)(change.key)
                yield change

    def close(self) -> None:
        """Close the device; the kernel releases the grab."""
        os.close(self._file)

    def _compared(self, stamp: float) -> list[Change]:
        """Return the changes that lead from `down` to the keys that are down now, releases first.

        All have the time `stamp`.
        """
        held = self._held()
        return [
            *(Change(stamp, key, False) for key in sorted(self.down - held)),
            *(Change(stamp, key, True) for key in sorted(held - self.down)),
        ]

    def _held(self) -> set[int]:
        """Read from the device which keys and which directions of crosses are down now."""
        places = {axis: self._place(axis) for axis in self._axes}
        self._reader.hats(places)
        turned = {hat_key(axis, place > 0) for axis, place in places.items() if place}
        return set(_bits(self._ask(DOWN, _KEYS // 8))) | turned

    def _place(self, axis: int) -> int:
        (place,) = struct.unpack_from("@i", self._ask(axis_request(axis), 24))
        return int(place)

    def _ask(self, number: int, size: int) -> bytes:
        answer = bytearray(size)
        ioctl(self._file, number, answer)
        return bytes(answer)


def _bits(mask: bytes) -> Iterator[int]:
    for place, byte in enumerate(mask):
        for bit in range(8):
            if byte >> bit & 1:
                yield 8 * place + bit
