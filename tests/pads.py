"""Input devices for tests: streams of the kernel's records, with only the ioctls replaced.

`Inputs` is a folder of devices. Each `Pad` is a fifo that the adapter opens and reads like the
kernel's own file; ioctls are answered here, by their numbers in linux/input.h. `UinputPad` is a
real device, where the machine allows it.
"""

import errno
import fcntl
import os
import struct
import time
from collections.abc import Iterable
from pathlib import Path
from select import select
from typing import Any

import pytest

from hal.keys import device
from tests.patience import until

SYN_REPORT, SYN_DROPPED = 0, 3
EV_SYN, EV_KEY, EV_ABS = 0, 1, 3

EVIOCGID, EVIOCGNAME_256, EVIOCGKEY_96 = 0x80084502, 0x81004506, 0x80604518
EVIOCGBIT_KEY_96, EVIOCGBIT_ABS_8 = 0x80604521, 0x80084523
EVIOCGRAB, EVIOCSCLOCKID = 0x40044590, 0x400445A0
EVIOCGABS_FIRST, EVIOCGABS_LAST = 0x80184540, 0x8018457F
CLOCK_MONOTONIC = 1

NUMBER_PAD = (*range(71, 84), 14, 55, 69, 96, 98)


def record(kind: int, code: int, value: int, at: float) -> bytes:
    """Encode a `struct input_event` of this machine."""
    seconds = int(at)
    return struct.pack("@llHHi", seconds, round((at - seconds) * 1e6), kind, code, value)


class Pad:
    """A device: plugged in, it is a file in its folder, and its keys can be pressed."""

    def __init__(self, inputs: "Inputs", node: str, name: str, ident: int, keys: Iterable[int]):
        self.path = inputs.folder / node
        self.name, self.ident, self.keys = name, ident, tuple(keys)
        self.bus = 0x03
        self.down: set[int] = set()
        self.hat = 0
        self.grabbed = self.busy = False
        self.clock = 0
        self._inputs = inputs
        self.plug()

    def plug(self) -> None:
        os.mkfifo(self.path)
        self._end = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        self._inputs.pads[self.path.stat().st_ino] = self

    def unplug(self) -> None:
        """Remove its file and end the stream of its readers."""
        del self._inputs.pads[self.path.stat().st_ino]
        self.path.unlink()
        os.close(self._end)
        self.grabbed = False
        self.down.clear()

    def send(self, *records: tuple[int, int, int], at: float | None = None) -> None:
        """Send records and the report that ends them, all with the same stamp."""
        at = time.monotonic() if at is None else at
        whole = (*records, (EV_SYN, SYN_REPORT, 0))
        os.write(self._end, b"".join(record(*each, at) for each in whole))

    def key(self, code: int, value: int, at: float | None = None) -> None:
        (self.down.add if value else self.down.discard)(code)
        self.send((EV_KEY, code, value), at=at)

    def answer(self, number: int, argument: Any) -> int:
        """Answer an ioctl as the kernel does."""
        if number == EVIOCGRAB:
            if self.busy:
                raise OSError(errno.EBUSY, "Device or resource busy")
            self.grabbed = bool(argument)
        elif number == EVIOCSCLOCKID:
            (self.clock,) = struct.unpack("@i", argument)
        elif number == EVIOCGID:
            argument[:] = struct.pack("@4H", self.bus, self.ident >> 16, self.ident & 0xFFFF, 1)
        elif number == EVIOCGNAME_256:
            said = self.name.encode()
            argument[: len(said)] = said
        elif number == EVIOCGBIT_KEY_96:
            argument[:] = _mask(self.keys, 96)
        elif number == EVIOCGKEY_96:
            argument[:] = _mask(self.down, 96)
        elif number == EVIOCGBIT_ABS_8:
            argument[:] = _mask([0x10], 8)
        elif EVIOCGABS_FIRST <= number <= EVIOCGABS_LAST:
            argument[:4] = struct.pack("@i", self.hat)
        else:
            raise OSError(errno.EINVAL, f"no such ioctl {number:#x}")
        return 0


def _mask(codes: Iterable[int], size: int) -> bytes:
    return sum(1 << code for code in codes).to_bytes(size, "little")


class Inputs:
    """The folder of all devices."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder / "input"
        self.folder.mkdir()
        self.pads: dict[int, Pad] = {}
        monkeypatch.setattr(device, "ioctl", self._ioctl)

    def pad(self, node: str = "event3", name: str = "USB Number Pad", ident: int = 0x04D91203):
        return Pad(self, node, name, ident, NUMBER_PAD)

    def _ioctl(self, file: int, number: int, argument: Any = 0) -> int:
        pad = self.pads.get(os.fstat(file).st_ino)
        if pad is None:
            raise OSError(errno.ENODEV, "No such device")
        return pad.answer(number, argument)


class UinputPad:
    """A number pad made with the kernel's uinput; its node appears by itself."""

    def __init__(self, keys: Iterable[int]) -> None:
        self._file = os.open("/dev/uinput", os.O_WRONLY | os.O_NONBLOCK)
        fcntl.ioctl(self._file, 0x40045564, EV_KEY)  # UI_SET_EVBIT
        for key in keys:
            fcntl.ioctl(self._file, 0x40045565, key)  # UI_SET_KEYBIT
        self.name = f"centerpiece test pad {os.getpid()}"
        setup = struct.pack("@4H80sI", 0x03, 0x1209, 0x0001, 1, self.name.encode(), 0)
        fcntl.ioctl(self._file, 0x405C5503, setup)  # UI_DEV_SETUP
        fcntl.ioctl(self._file, 0x5501)  # UI_DEV_CREATE

    def key(self, code: int, value: int) -> None:
        os.write(self._file, record(EV_KEY, code, value, 0) + record(EV_SYN, SYN_REPORT, 0, 0))

    def unplug(self) -> None:
        os.close(self._file)


def all_heard(buttons: Any) -> None:
    """Wait until the adapter has read everything that the devices sent."""
    until(lambda: not select([each.fileno() for each in buttons._pads.open], [], [], 0)[0])
    with buttons._lock:
        pass
