"""Which serial port is the hub's: by the ids of USB, and by the board's own serial number."""

import errno
from typing import TYPE_CHECKING, Any, NamedTuple

from hal.errors import DeviceBusy, DeviceDenied, DeviceError, DeviceLost, DeviceMissing, WiringError
from hal.settings import UsbSettings

if TYPE_CHECKING:
    from serial import Serial

VENDOR = 0x2E8A
"""Raspberry Pi's number in USB, which MicroPython's serial port has on every Pico."""


class Found(NamedTuple):
    """A port that may be a hub's."""

    port: str
    serial: str


def boards() -> list[Found]:
    """Every board of the kind that is plugged in."""
    from serial.tools.list_ports import comports

    return sorted(
        Found(port.device, (port.serial_number or "").lower())
        for port in comports()
        if port.vid == VENDOR
    )


def find(settings: UsbSettings) -> str:
    """The port to open; a DeviceError that says what is missing, or what there is to choose."""
    if settings.port != "auto":
        return settings.port
    _import()
    plugged = boards()
    if settings.serial:
        for found in plugged:
            if found.serial == settings.serial.lower():
                return found.port
        raise DeviceMissing(
            f"the USB hub {settings.serial} is not plugged in",
            f"plug it in, or correct [hardware.usb] serial ({_listed(plugged)})",
        )
    if not plugged:
        raise DeviceMissing("no USB hub is plugged in", "plug it in and it goes on")
    if len(plugged) > 1:
        raise WiringError(
            f"there is more than one USB hub ({_listed(plugged)})",
            "name the serial number of this table's in [hardware.usb] serial",
        )
    return plugged[0].port


def open_port(port: str) -> "Serial":
    """The port, opened for this program alone, or a DeviceError with a remedy."""
    serial = _import()
    try:
        opened: Serial = serial.Serial(port, 115200, timeout=0, write_timeout=1, exclusive=True)
    except (OSError, ValueError) as error:
        raise _judge(error, port) from error
    return opened


def _import() -> Any:
    try:
        import serial
    except ImportError as error:
        raise DeviceMissing(
            "the USB hub needs pyserial", "install it with `pip install 'centerpiece[pi]'`"
        ) from error
    return serial


def _judge(error: Exception, port: str) -> DeviceError:
    number = getattr(error, "errno", None)
    if number in (errno.EACCES, errno.EPERM):
        return DeviceDenied(
            f"the USB hub's port {port} may not be opened",
            "add this user to the group dialout (`sudo usermod -aG dialout $USER`) "
            "and log in again",
        )
    if number in (errno.EAGAIN, errno.EBUSY):
        return DeviceBusy(
            f"the USB hub's port {port} is in use by another program",
            "stop that program (a hub that runs: `sudo systemctl stop centerpiece`)",
        )
    if number == errno.ENOENT:
        return DeviceMissing(f"the USB hub's port {port} is not there", "plug it in and it goes on")
    return DeviceLost(f"the USB hub's port {port} cannot be opened ({error})", "plug it in again")


def _listed(plugged: list[Found]) -> str:
    return ", ".join(f"{found.serial} at {found.port}" for found in plugged) or "none is"
