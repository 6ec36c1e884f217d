"""Finding the serial port of a USB hub by USB ids and the board's serial number."""

from typing import TYPE_CHECKING, NamedTuple

from hal.device_errors import DeviceMissing, WiringError
from hal.hardware_settings import UsbSettings
from hal.serial_line import open_serial, pyserial

if TYPE_CHECKING:
    from serial import Serial

VENDOR = 0x2E8A
"""Raspberry Pi's USB vendor id, which MicroPython's serial port has on every Pico."""


BAUD = 115_200
COMES = "plug it in and it goes on"


class FoundBoard(NamedTuple):
    """A port that may belong to a hub."""

    port: str
    serial: str


def boards() -> list[FoundBoard]:
    """Return every board with Raspberry Pi's USB id that is plugged in.

    Raise DeviceMissing if pyserial is not installed.
    """
    pyserial("the USB hub")
    from serial.tools.list_ports import comports

    return sorted(
        FoundBoard(port.device, (port.serial_number or "").lower())
        for port in comports()
        if port.vid == VENDOR
    )


def find(settings: UsbSettings) -> str:
    """Return the port of the board; raise a DeviceError if there is none, or more than one.

    A port named in the settings is returned unchecked. Otherwise, if they name a serial number,
    only the board with that number counts.
    """
    if settings.port != "auto":
        return settings.port
    plugged = boards()
    if settings.serial:
        for board in plugged:
            if board.serial == settings.serial.lower():
                return board.port
        raise DeviceMissing(
            f"the USB hub {settings.serial} is not plugged in",
            f"plug it in, or correct [hardware.usb] serial ({_listed(plugged)})",
        )
    if not plugged:
        raise DeviceMissing("no USB hub is plugged in", COMES)
    if len(plugged) > 1:
        raise WiringError(
            f"there is more than one USB hub ({_listed(plugged)})",
            "name the serial number of this table's in [hardware.usb] serial",
        )
    return plugged[0].port


def open_port(port: str) -> "Serial":
    """Open the port exclusively, or raise a DeviceError with a remedy."""
    return open_serial(port, BAUD, "the USB hub", COMES)


def _listed(plugged: list[FoundBoard]) -> str:
    return ", ".join(f"{board.serial} at {board.port}" for board in plugged) or "none is"
