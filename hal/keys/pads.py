"""Which devices are the hub's: those that the settings name, or whatever looks like a number pad.

To take a device is to take it away from everybody else, so nobody's keyboard is taken unasked.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hal.device_errors import DeviceDenied, DeviceError, DeviceLost, DeviceMissing
from hal.keys.device import KeyDevice
from hal.keys.names import code

FOLDER = Path("/dev/input")
LETTERS = {code(letter) for letter in "QAZP"}
PLUGGED_IN = (0x03, 0x05)
"""The buses of what can be plugged in: USB and Bluetooth."""


class Pads:
    """Looks for devices and keeps those that are open.

    `wanted` are parts of names, or ids such as `04d9:1203`; empty for number pads. `keys` are
    those that mean anything.
    """

    def __init__(self, wanted: tuple[str, ...], keys: frozenset[int], folder: Path) -> None:
        self._wanted = wanted
        self._keys = keys
        self._folder = folder
        self.open: list[KeyDevice] = []
        self._foreign: set[tuple[str, int, int]] = set()
        self._most: Counter[str] = Counter()
        """How many of each name were there at once: one fewer is one that was unplugged."""

    def look(self) -> Iterator[KeyDevice]:
        """Take what has come, and give each; raises what keeps the hub from one of its own."""
        denied = ""
        known = {device.path for device in self.open}
        for path in nodes(self._folder):
            if path in known or (seen := _seen(path)) in self._foreign:
                continue
            try:
                device = self._taken(path)
            except PermissionError:
                denied = str(path)
            except DeviceError:
                raise
            except OSError:
                continue  # it has gone meanwhile, or is no input device
            else:
                if device is None:
                    self._foreign.add(seen)
                    continue
                self.open.append(device)
                self._most |= Counter(each.name for each in self.open)
                yield device
        if (missing := self.missing()) is not None:
            raise _denied(denied) if denied else missing

    def missing(self) -> DeviceError | None:
        """What is not there, although it was, or should be."""
        here = Counter(device.name for device in self.open)
        if gone := sorted(self._most - here):
            return DeviceLost(
                f"{' and '.join(gone)} was unplugged",
                "plug it in again and it goes on",
            )
        for wanted in self._wanted:
            if not any(_is(device, wanted) for device in self.open):
                return DeviceMissing(
                    f"no input device {wanted!r} with keys for the buttons is plugged in",
                    "plug it in, or learn another with `centerpiece doctor --buttons`",
                )
        if not self.open:
            return DeviceMissing(
                "no number pad is plugged in",
                "plug one in, or learn any other keys with `centerpiece doctor --buttons`",
            )
        return None

    def drop(self, device: KeyDevice) -> None:
        """Let go of one that is gone."""
        self.open.remove(device)
        device.close()

    def close(self) -> None:
        for device in self.open:
            device.close()
        self.open = []

    def _taken(self, path: Path) -> KeyDevice | None:
        device = KeyDevice(path)
        try:
            if self._is_ours(device):
                device.grab()
                return device
        except BaseException:
            device.close()
            raise
        device.close()
        return None

    def _is_ours(self, device: KeyDevice) -> bool:
        if not device.keys & self._keys:
            return False
        if self._wanted:
            return any(_is(device, wanted) for wanted in self._wanted)
        return device.bus in PLUGGED_IN and _is_pad(device)


def nodes(folder: Path) -> list[Path]:
    """The files of all input devices, in the order in which they came."""
    found = folder.glob("event*")
    return sorted(found, key=lambda path: (len(path.name), path.name))


def _is(device: KeyDevice, wanted: str) -> bool:
    return wanted.lower() == device.ident or wanted.lower() in device.name.lower()


def _is_pad(device: KeyDevice) -> bool:
    """By its keys, or by its name: many pads claim to have every key of a keyboard."""
    return not device.keys & LETTERS or "pad" in device.name.lower()


def _seen(path: Path) -> tuple[str, int, int]:
    """Another device may come under the name of one that went."""
    try:
        state = path.stat()
    except OSError:
        return path.name, 0, 0
    return path.name, state.st_ino, state.st_ctime_ns


def _denied(path: str) -> DeviceError:
    return DeviceDenied(
        f"{path} may not be opened",
        "add this user to the group input (`sudo usermod -aG input $USER`) and log in again",
    )
