"""The sound module of a USB hub: the board forwards its bytes both ways."""

import os
from base64 import b64encode
from contextlib import suppress
from threading import Lock

from hal.usb.usb_link import UsbLink


class UsbLine:
    """The module's line with pyserial's interface, on a pipe; it fails once the board is lost."""

    def __init__(self, link: UsbLink) -> None:
        self._link = link
        self._out, self._into = os.pipe()
        os.set_blocking(self._out, False)
        os.set_blocking(self._into, False)
        self._lock = Lock()
        self._closed = self._lost = False
        link.on_sound = self._came

    def fileno(self) -> int:
        return self._out

    def read(self, size: int) -> bytes:
        data = os.read(self._out, size)
        if self._lost:
            raise self._link.absent()
        return data

    def write(self, data: bytes) -> int:
        self._link.send("u", b64encode(data).decode())
        return len(data)

    def close(self) -> None:
        """Take no more bytes of the module, and close the pipe."""
        self._link.on_sound = _ignore
        with self._lock:
            self._closed = True
            os.close(self._out)
            os.close(self._into)

    def _came(self, data: bytes) -> None:
        """Take bytes of the module from the link; empty ones mean that the board is lost.

        They are dropped if the pipe is full or the line closed.
        """
        # The link's thread may be here while the line is closed; by then the pipe's number may be
        # that of another file.
        with self._lock, suppress(OSError):  # the pipe is full
            if not self._closed:
                self._lost = self._lost or not data
                os.write(self._into, data or b"!")


def _ignore(data: bytes) -> None:
    """Ignore bytes of the module."""
