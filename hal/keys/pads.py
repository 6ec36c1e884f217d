"""The input devices that belong to the hub: those that the settings name, or any number pad.

Opening a device takes it away from everybody else, so no keyboard is taken unless it is named.
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
"""Buses of pluggable devices: USB and Bluetooth."""


class Pads:
    """Finds devices and keeps them open.

    `selectors` are parts of names, or ids such as `04d9:1203`; empty for number pads. `keys` are
    the key codes in use.
    """

    def __init__(self, selectors: tuple[str, ...], keys: frozenset[int], folder: Path) -> None:
        self._selectors = selectors
        self._keys = keys
        self._folder = folder
        self.open: list[KeyDevice] = []
        self._foreign: set[tuple[str, int, int]] = set()
        self._most: Counter[str] = Counter()
        """The most devices of each name seen at once: one fewer means that one was unplugged."""

    def look(self) -> Iterator[KeyDevice]:
        """Open the hub's devices that are new and yield them; then raise if one is missing.

        The error is DeviceDenied if a device may not be opened, else that of `missing`. Raise
        DeviceBusy at once for a device that another program has.
        """
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
                continue  # gone meanwhile, or not an input device
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
        """Return the error for a device that was unplugged or was never found; else None.

        Each selector needs its device. Without selectors one number pad is enough at first, but a
        device that was open and is gone is an error, even if others are left.
        """
        here = Counter(device.name for device in self.open)
        if gone := sorted(self._most - here):
            return DeviceLost(
                f"{' and '.join(gone)} was unplugged",
                "plug it in again and it goes on",
            )
        for selector in self._selectors:
            if not any(_is(device, selector) for device in self.open):
                return DeviceMissing(
                    f"no input device {selector!r} with keys for the buttons is plugged in",
                    "plug it in, or learn another with `centerpiece doctor --buttons`",
                )
        if not self.open:
            return DeviceMissing(
                "no number pad is plugged in",
                "plug one in, or learn any other keys with `centerpiece doctor --buttons`",
            )
        return None

    def drop(self, device: KeyDevice) -> None:
        """Close a device that is gone."""
        self.open.remove(device)
        device.close()

    def close(self) -> None:
        for device in self.open:
            device.close()
        self.open = []

    def _taken(self, path: Path) -> KeyDevice | None:
        """Open the device at `path` and grab it if it is the hub's; else close it, return None.

        Raise DeviceBusy if another program has taken it, OSError if it cannot be opened.
        """
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
        """Return whether a device belongs to the hub: it must have one of the keys in use.

        It must also match a selector or, without selectors, be a number pad that is plugged in.
        """
        if not device.keys & self._keys:
            return False
        if self._selectors:
            return any(_is(device, selector) for selector in self._selectors)
        return device.bus in PLUGGED_IN and _is_pad(device)


def nodes(folder: Path) -> list[Path]:
    """Return the files of all input devices, oldest first."""
    paths = folder.glob("event*")
    return sorted(paths, key=lambda path: (len(path.name), path.name))


def _is(device: KeyDevice, selector: str) -> bool:
    return selector.lower() == device.ident or selector.lower() in device.name.lower()


def _is_pad(device: KeyDevice) -> bool:
    """Recognize a pad by its keys or its name: many pads claim to have every key of a keyboard."""
    return not device.keys & LETTERS or "pad" in device.name.lower()


def _seen(path: Path) -> tuple[str, int, int]:
    """Return what tells the device at `path` from one that had the same path before.

    If it is gone, only the name.
    """
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
