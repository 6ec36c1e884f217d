"""Firmware of a hub on a Raspberry Pi Pico (RP2040, RP2350), for MicroPython.

It makes no decisions. It reports which buttons are down and when that changed, by its own clock,
shows frames and forwards the sound module's bytes. Messages are lines of text with a checksum,
described in docs/pico.md. Without a computer every sixth pixel glows.
"""

import select
import sys
from binascii import a2b_base64, b2a_base64, crc32, hexlify
from time import ticks_diff, ticks_ms, ticks_us

import machine
import rp2

VERSION = "1.1"
PROTOCOL = 1

SILENCE_MS = 3000
LONGEST = 6000
WATCHDOG_MS = 8000
MOST_BYTES = 4000
WRAP = 0x3FFFFFFF
GLOW = 4
LATCH_US = 400
DOCKS_EVERY_MS = 50


def checksum(data):
    return crc32(data) & 0xFFFF


@rp2.asm_pio(
    sideset_init=rp2.PIO.OUT_LOW,
    out_shiftdir=rp2.PIO.SHIFT_LEFT,
    autopull=True,
    pull_thresh=8,
)
def pixel_bits():
    # Ten steps a bit at 8 MHz: high for two of them is a zero, for seven a one.
    wrap_target()  # noqa: F821
    label("bit")  # noqa: F821
    out(x, 1).side(0)[2]  # noqa: F821
    jmp(not_x, "zero").side(1)[1]  # noqa: F821
    jmp("bit").side(1)[4]  # noqa: F821
    label("zero")  # noqa: F821
    nop().side(0)[4]  # noqa: F821
    wrap()  # noqa: F821


class Chain:
    """The pixels: bytes in the order of the wire, written by a state machine."""

    def __init__(self, pin, size):
        self._machine = rp2.StateMachine(
            0, pixel_bits, freq=8_000_000, sideset_base=machine.Pin(pin)
        )
        self._machine.active(1)
        self._ended = ticks_us()
        self.bytes = bytearray(size)
        self.glowing = False

    def resize(self, size):
        if not 3 <= size <= MOST_BYTES or (size % 3 and size % 4):
            raise ValueError("no such chain")
        if size != len(self.bytes):
            self.bytes = bytearray(size)

    def show(self):
        self.glowing = False
        self._write(self.bytes)

    def glow(self):
        """Show the idle glow: a few dim, white pixels."""
        self.glowing = True
        lit = bytearray(len(self.bytes))
        for start in range(0, len(lit) - 2, 18):
            lit[start : start + 3] = bytes((GLOW, GLOW, GLOW))
        self._write(lit)

    def _write(self, data):
        while ticks_diff(ticks_us(), self._ended) < LATCH_US:
            pass  # the pixels have not latched the last picture yet
        self._machine.put(data, 24)
        self._ended = ticks_us()


class Expander:
    """The sixteen inputs of an MCP23017 on I²C, pulled up; 0 to 7 are GPA, 8 to 15 GPB.

    It is set up again after an error, because it may have lost its supply.
    """

    def __init__(self, number, sda, scl, address):
        pins = {"sda": machine.Pin(sda), "scl": machine.Pin(scl)}
        self._bus = machine.I2C(number, freq=100_000, timeout=5_000, **pins)
        self._address = address
        self._ready = False

    def closed(self):
        """Return the inputs that are pulled to ground as bits, None if it does not answer."""
        try:
            if not self._ready:
                for register in (0x0C, 0x0D):
                    self._bus.writeto_mem(self._address, register, b"\xff")
                self._ready = True
            low, high = self._bus.readfrom_mem(self._address, 0x12, 2)
        except OSError:
            self._ready = False
            return None
        return ~(low | high << 8) & 0xFFFF


class Docks:
    """The docks of the train markers: a bit for each, set while its switch is closed."""

    def __init__(self, layout):
        docks = getattr(layout, "DOCKS", ())
        wired = getattr(layout, "DOCKS_ON", None)
        self.names = ",".join([name for name, _ in docks])
        self._expander = Expander(*wired) if docks and wired else None
        self._inputs = [number for _, number in docks]
        if self._expander is None:
            self._inputs = [
                machine.Pin(pin, machine.Pin.IN, machine.Pin.PULL_UP) for pin in self._inputs
            ]
        self._read = None
        self.levels = "-"

    def changed(self):
        """Read the docks twenty times a second; return True if one has changed."""
        if not self.names or (
            self._read is not None and ticks_diff(ticks_ms(), self._read) < DOCKS_EVERY_MS
        ):
            return False
        self._read = ticks_ms()
        before, self.levels = self.levels, self._levels()
        return before != self.levels

    def _levels(self):
        """Return the docks that are closed as a number, "-" if the expander does not answer."""
        if self._expander is None:
            bits = [not pin.value() for pin in self._inputs]
        else:
            closed = self._expander.closed()
            if closed is None:
                return "-"
            bits = [closed >> number & 1 for number in self._inputs]
        return sum([1 << place for place, bit in enumerate(bits) if bit])


class Hub:
    def __init__(self, layout):
        self._names = ",".join([name for name, pin in layout.BUTTONS])
        self._levels = [
            machine.Pin(pin, machine.Pin.IN, machine.Pin.PULL_UP).value for _, pin in layout.BUTTONS
        ]
        self._down = self._scan()
        self._edges = 0
        self._docks = Docks(layout)
        self._chain = Chain(layout.CHAIN, 3 * layout.PIXELS)
        self._uart = None
        if layout.SOUND:
            number, tx, rx = layout.SOUND
            self._uart = machine.UART(number, baudrate=9600, tx=machine.Pin(tx), rx=machine.Pin(rx))
        self._input = sys.stdin.buffer
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._spoilt = False
        self._heard = None
        self._chain.glow()

    def run(self):
        """Work until an exception; a loop that hangs resets the board."""
        watchdog = machine.WDT(timeout=WATCHDOG_MS)
        while True:
            watchdog.feed()
            self.turn()

    def turn(self):
        self._check_buttons()
        if self._docks.changed() and self._heard is not None:
            self._say("d", ticks_ms() & WRAP, self._docks.levels)
        self._read()
        if self._uart is not None and self._uart.any():
            self._say("u", b2a_base64(self._uart.read()).strip().decode())
        if self._heard is not None and ticks_diff(ticks_ms(), self._heard) > SILENCE_MS:
            self._heard = None
            self._chain.glow()

    # Buttons

    def _scan(self):
        down, bit = 0, 1
        for level in self._levels:
            if not level():
                down |= bit
            bit <<= 1
        return down

    def _check_buttons(self):
        down = self._scan()
        if down != self._down:
            self._down = down
            self._edges += 1
            if self._heard is not None:
                self._say("e", self._edges, ticks_ms() & WRAP, down)

    # Messages

    def _say(self, *words):
        body = " ".join([str(word) for word in words])
        sys.stdout.write(f"{body}*{checksum(body.encode()):04x}\n")

    def _read(self):
        """Read and carry out one line; idle 1 ms if none has begun.

        `readline` waits for the end of a line, which the computer writes at once: it takes a few
        microseconds a byte, where a byte read in Python takes fifty. Should the end never come, the
        watchdog resets the board.
        """
        if not self._ready(1):
            return
        line = self._input.readline(LONGEST)
        self._check_buttons()
        if line[-1:] != b"\n":
            self._spoilt = True
        elif self._spoilt:
            self._spoilt = False
        else:
            self._take(line[:-1])

    def _ready(self, wait):
        for _ in self._poll.ipoll(wait):
            return True
        return False

    def _take(self, line):
        body, star, check = line.rpartition(b"*")
        if not star or check != b"%04x" % checksum(body):
            return
        words = body.split(b" ")
        try:
            self._execute(words[0], words[1:])
        except (ValueError, IndexError, MemoryError):
            return  # unknown or impossible in spite of the right checksum
        self._heard = ticks_ms()

    def _execute(self, what, words):
        if what == b"f":
            self._frame(words)
        elif what == b"t":
            beat = ["t", words[0].decode(), ticks_ms() & WRAP, self._edges, self._down]
            if self._docks.names:
                beat.append(self._docks.levels)
            self._say(*beat)
        elif what == b"u":
            if self._uart is not None:
                self._uart.write(a2b_base64(words[0]))
        elif what == b"chain":
            self._chain.resize(int(words[0]))
        elif what == b"hi":
            serial = hexlify(machine.unique_id()).decode()
            sound = int(self._uart is not None)
            greeting = ["hello", PROTOCOL, VERSION, serial, self._names]
            greeting += [sound, self._edges, self._down]
            if self._docks.names:
                greeting.append(self._docks.names)
            self._say(*greeting)
        else:
            raise ValueError(what)

    def _frame(self, words):
        """Apply changed runs of bytes and check the checksum of the whole picture."""
        number, check = words[0].decode(), int(words[1], 16)
        picture = self._chain.bytes
        for run in words[2:]:
            start, _, data = run.partition(b":")
            start, data = int(start), a2b_base64(data)
            if start + len(data) > len(picture):
                raise ValueError("beyond the chain")
            picture[start : start + len(data)] = data
        if checksum(picture) != check:
            self._say("again", number)
            return
        self._check_buttons()  # decoding and showing take about 3 ms each
        if len(words) > 2 or self._chain.glowing:
            self._chain.show()
        self._say("ok", number)
