"""Exclusive serial ports through pyserial, with DeviceErrors that say what to do.

The caller gives the name of the device, such as "the sound module", and the remedy for a missing
port.
"""

import errno
import termios
from typing import TYPE_CHECKING, Any

from hal.device_errors import DeviceBusy, DeviceDenied, DeviceError, DeviceMissing

if TYPE_CHECKING:
    from serial import Serial

LOST = (OSError, termios.error)
"""pyserial passes on some failures of the system as they are."""


def open_serial(port: str, baud: int, name: str, missing: str) -> "Serial":
    """Open a serial port exclusively, with reads that never wait, or raise a DeviceError.

    `name` is the device's in a sentence, `missing` the remedy if the port is not there.
    """
    serial = pyserial(name)
    try:
        opened: Serial = serial.Serial(port, baud, timeout=0, write_timeout=1, exclusive=True)
    except (*LOST, ValueError) as error:
        raise device_error(error, port, name, missing) from error
    return opened


def pyserial(name: str) -> Any:
    """Import pyserial; if it is not installed, raise a DeviceError that says how to install it.

    `name` is what needs it.
    """
    try:
        import serial
    except ImportError as error:
        raise DeviceMissing(
            f"{name} needs pyserial", "install it with `pip install 'centerpiece[pi]'`"
        ) from error
    return serial


def device_error(error: Exception, port: str, name: str, missing: str) -> DeviceError:
    """Translate a failure to open `port` into a DeviceError: missing, denied or busy.

    `name` is the device's in a sentence, `missing` the remedy if the port is not there.
    """
    number = getattr(error, "errno", None)
    if number == errno.ENOENT:
        return DeviceMissing(f"{name}'s port {port} is not there", missing)
    if number in (errno.EACCES, errno.EPERM):
        return DeviceDenied(
            f"{name}'s port {port} may not be opened",
            "add this user to the group dialout (`sudo usermod -aG dialout $USER`) "
            "and log in again",
        )
    if number in (errno.EAGAIN, errno.EBUSY):
        return DeviceBusy(
            f"{name}'s port {port} is in use by another program",
            "stop that program: a hub that runs (`sudo systemctl stop centerpiece`), or the "
            "serial console (switch it off in raspi-config)",
        )
    return DeviceMissing(
        f"{name}'s port {port} cannot be used ({error})",
        "plug it in again, or correct its port in [hardware]: it must name a serial port such as "
        "/dev/serial0 or /dev/ttyACM0",
    )
