"""A chain of NeoPixels on SPI's data line, by the kernel's own spidev: no library, no root, any Pi.

Each bit is a byte on the bus. At 6.4 MHz a one is high for 781 ns and a zero for 312 ns; the chips
ask for at least 700 ns, and at most 380 ns. The bus may be a little slower than asked for.
"""

import os
import struct
from fcntl import ioctl
from itertools import chain
from pathlib import Path

MODE, BITS_PER_WORD, SPEED = 0x40016B01, 0x40016B03, 0x40046B04
"""ioctl numbers of linux/spi/spidev.h."""
HERTZ = 6_400_000
ONE, ZERO = 0b11111000, 0b11000000
PULSES = tuple(
    bytes(ONE if level >> bit & 1 else ZERO for bit in range(7, -1, -1)) for level in range(256)
)
LEADING, LATCH = bytes(16), bytes(240)
"""The line may rest high before; the chips show the frame after 300 µs of low."""


class SpiBus:
    """An open spidev."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            ioctl(self._file, MODE, struct.pack("@B", 0))
            ioctl(self._file, BITS_PER_WORD, struct.pack("@B", 8))
            ioctl(self._file, SPEED, struct.pack("@I", HERTZ))
        except OSError:
            self.deinit()
            raise

    def write(self, data: bytes) -> None:
        """Send bytes in one piece; spidev refuses more than its buffer takes."""
        os.write(self._file, data)

    def deinit(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class SpiStrip:
    """A `Strip` on a bus; `order` is that of the channels on the wire."""

    def __init__(self, bus: SpiBus, pixels: int, order: str) -> None:
        self.pin = bus
        self._order = order
        self._levels = bytes(pixels * len(order))

    def __setitem__(self, where: slice, colours: list[tuple[int, ...]]) -> None:
        """Set all pixels to `colours`, whatever the slice, as red, green, blue and any white."""
        levels = bytes(chain.from_iterable(colours))
        channels, on_the_wire = len(self._order), bytearray(len(levels))
        for place, channel in enumerate(self._order):
            on_the_wire[place::channels] = levels["RGBW".index(channel) :: channels]
        self._levels = bytes(on_the_wire)

    def show(self) -> None:
        self.pin.write(LEADING + b"".join(map(PULSES.__getitem__, self._levels)) + LATCH)

    def deinit(self) -> None:
        """Blank the chain and close the bus."""
        self._levels = bytes(len(self._levels))
        self.show()
        self.pin.deinit()
