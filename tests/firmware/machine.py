# ruff: noqa: SIM115
# What MicroPython's machine module is on a board, as far as the firmware uses it; here it is files.
# `pins` has a character for each pin, `uart` is a serial line, `serial` the board's own number.
import os
import select
import sys
from time import ticks_diff, ticks_us

_folder = os.getenv("BOARD")
_pins = open(_folder + "/pins", "rb")
_seen = b""
_looked = ticks_us()
looks = open(_folder + "/looks", "ab") if os.getenv("LOOKS") else None
"""A letter for each time that the pins are read (p) and that the chain is written (w)."""


def unique_id():
    with open(_folder + "/serial", "rb") as file:
        return file.read()


class Pin:
    IN, PULL_UP = 0, 1

    def __init__(self, number, mode=None, pull=None):
        self._number = number

    def value(self):
        global _seen, _looked
        if looks and self._number == 2:
            looks.write(b"p")
        if not _seen or ticks_diff(ticks_us(), _looked) > 100:
            _pins.seek(0)
            _seen, _looked = _pins.read(32), ticks_us()
        return int(_seen[self._number] != 49)


class I2C:
    """An MCP23017: `expander` has a 1 for each input that is at ground; without it, no answer.

    Its inputs read as low until they are pulled up.
    """

    def __init__(self, number, freq, timeout, sda, scl):
        self._pulled = [0, 0]

    def _inputs(self):
        try:
            with open(_folder + "/expander", "rb") as file:
                return file.read()
        except OSError:
            self._pulled = [0, 0]
            raise

    def writeto_mem(self, address, register, data):
        self._inputs()
        self._pulled[register - 0x0C] = data[0]

    def readfrom_mem(self, address, register, count):
        levels = [0, 0]
        for place, closed in enumerate(self._inputs()):
            if closed != 49:
                levels[place // 8] |= 1 << place % 8
        return bytes([levels[place] & self._pulled[place] for place in range(count)])


class UART:
    def __init__(self, number, baudrate, tx, rx):
        self._line = open(_folder + "/uart", "r+b")
        self._poll = select.poll()
        self._poll.register(self._line, select.POLLIN)

    def any(self):
        try:
            os.stat(_folder + "/broken")
        except OSError:
            pass
        else:
            os.remove(_folder + "/broken")
            raise OSError("the line is broken")
        for _ in self._poll.ipoll(0):
            return 1
        return 0

    def read(self):
        return self._line.read(1)

    def write(self, data):
        self._line.write(data)


class WDT:
    def __init__(self, timeout):
        assert timeout <= 8388, "an RP2040 cannot wait longer"

    def feed(self):
        pass


class Timer:
    def __init__(self, period, callback):
        pass


def reset():
    with open(_folder + "/resets", "a") as file:
        file.write("reset\n")
    sys.exit()
