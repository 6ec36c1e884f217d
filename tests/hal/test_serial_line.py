"""Serial ports that cannot be opened: the same sentences, whatever is at their other end."""

import termios

import pytest
import serial

from hal.device_errors import DeviceBusy, DeviceDenied, DeviceError, DeviceMissing
from hal.serial_line import device_error


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (serial.SerialException(1, "x"), DeviceDenied, "group dialout"),
        (serial.SerialException(13, "x"), DeviceDenied, "group dialout"),
        (OSError(11, "x"), DeviceBusy, "stop that program"),
        (OSError(2, "x"), DeviceMissing, "is not there; look for it"),
        (ValueError("x"), DeviceMissing, "must name a serial port"),
        (termios.error(5, "Input/output error"), DeviceMissing, "must name a serial port"),
    ],
)
def test_every_error_of_a_port_is_a_sentence_with_a_remedy(
    error: Exception, kind: type[DeviceError], words: str
) -> None:
    """pyserial lets some of the system's errors through as they are; port and device are named."""
    judged = device_error(error, "/dev/ttyACM0", "the harp", "look for it")

    assert kind is type(judged)
    assert str(judged).startswith("the harp's port /dev/ttyACM0 ")
    assert words in str(judged)
