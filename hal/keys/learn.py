"""Learning which key is which button, from somebody who presses one after the other.

Devices are not grabbed meanwhile, so that somebody with only one keyboard can end it.
"""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from select import select
from typing import NamedTuple

from hal.device_errors import DeviceMissing
from hal.keys.device import KeyDevice
from hal.keys.names import name
from hal.keys.pads import FOLDER, nodes
from hal.ports import BUTTONS


class KeyPress(NamedTuple):
    """A key that went down, and the device it is on."""

    key: int
    device: str
    ident: str


class Lesson:
    """The mapping learned so far: `keys` and `devices` as in the config."""

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}
        self.devices: dict[str, str] = {}
        """Names by id."""

    def steps(self, presses: Iterator[KeyPress]) -> Iterator[str]:
        """Yield a request to press the key of each button in turn, then a last sentence.

        It waits in `presses`. A key that is taken already means that there is no such seat, as hubs
        may have fewer than ten; any other button is asked for again.
        """
        result = ""
        for button in BUTTONS:
            yield f"{result}Press the key for {button}{self._or_none(button)}."
            for press in presses:
                key = name(press.key)
                if key not in self.keys:
                    self.keys[key] = button
                    self.devices[press.ident] = press.device
                    result = f"{button} is {key} on {press.device}. "
                    break
                if button.startswith("seat-"):
                    result = f"There is no {button}. "
                    break
                yield f"{key} is {self.keys[key]} already. Press another key for {button}."
        yield f"{result}All done."

    def _or_none(self, button: str) -> str:
        spare = self.keys and button.startswith("seat-")
        return f", or one that you pressed before if there is no {button}" if spare else ""


def presses(folder: Path = FOLDER) -> Iterator[KeyPress]:
    """Yield every key that goes down on any device in `folder`, without end.

    Raise DeviceMissing if no device can be opened, OSError when one is unplugged. A device plugged
    in later is not read.
    """
    with ExitStack() as opened:
        devices = list(_all(folder, opened))
        if not devices:
            raise DeviceMissing(
                f"no device with keys can be opened in {folder}",
                "plug one in; as another user than root, you must be in the group input",
            )
        while True:
            for device in select(devices, [], [])[0]:
                for change in device.read():
                    if change.down:
                        yield KeyPress(change.key, device.name, device.ident)


def _all(folder: Path, opened: ExitStack) -> Iterator[KeyDevice]:
    """Yield all devices in `folder` that have keys; skip those that may not be opened.

    `opened` closes them at its end.
    """
    for path in nodes(folder):
        try:
            device = opened.enter_context(closing(KeyDevice(path)))
        except OSError:
            continue
        if device.keys:
            device.settle()
            yield device
