"""The real firmware of a board, under MicroPython's Unix port, behind a cable that can be cut.

The firmware uses its standard input and output; a thread connects them to a pseudo-terminal, which
is the port that the adapter opens. Pins, chain and sound module are files, see `tests/firmware/`:
only `machine` and `rp2` are replaced below it.
"""

import os
import pty
import shutil
import subprocess
import tty
from collections.abc import Callable
from pathlib import Path
from select import select
from threading import Condition, Thread

import pytest

from hal.ports import BUTTONS
from tests.deploy.conftest import REPOSITORY
from tests.patience import TIMEOUT_S

MICROPYTHON = shutil.which("micropython", path=f"{REPOSITORY}/.venv/bin:{os.environ['PATH']}")
FIRMWARE = REPOSITORY / "deploy/pico"
SERIAL = "e6614c311b7e6f35"

needs_micropython = pytest.mark.skipif(
    MICROPYTHON is None, reason="no micropython; `make test-needs` installs it on Debian, as root"
)


class Pico:
    """A board: `port` is its serial port on the computer, while the cable is plugged in.

    `to_board` and `to_computer` may change the bytes on the cable. `docks` are on "pins" or on an
    "expander"; all markers are home at first.
    """

    def __init__(self, folder: Path, serial: str = SERIAL, ticks: int = 0, docks: str = "") -> None:
        self.folder = folder
        self._docks = docks
        self.port = folder / "ttyACM0"
        self._ticks = ticks
        self.to_board: Callable[[bytes], bytes] = bytes
        self.to_computer: Callable[[bytes], bytes] = bytes
        self.carried = 0
        self._changed = Condition()
        self._pins = os.open(folder / "pins", os.O_RDWR | os.O_CREAT)
        os.write(self._pins, b"0" * 16 + b"1" * 16)
        self.expander = folder / "expander"
        self.expander.write_bytes(b"1" * 16)
        (folder / "serial").write_bytes(bytes.fromhex(serial))
        (folder / "wire").touch()
        if not (folder / "uart").exists():
            self._uart = pty.openpty()
            tty.setraw(self._uart[1])
            (folder / "uart").symlink_to(os.ttyname(self._uart[1]))
        self._board: subprocess.Popen[bytes] | None = None
        self.plugged = False
        self.power_on()
        self.plug()

    # Power and cable

    def power_on(self) -> None:
        assert MICROPYTHON is not None
        paths = f"{REPOSITORY}/tests/firmware:.frozen"
        self._board = subprocess.Popen(
            [MICROPYTHON, "-X", "heapsize=160k", f"{REPOSITORY}/tests/firmware/start.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ
            | {
                "BOARD": str(self.folder),
                "FIRMWARE": str(FIRMWARE),
                "MICROPYPATH": paths,
                "TICKS": str(self._ticks),
                "DOCKS": self._docks,
            },
        )

    def power_off(self) -> None:
        """Stop the firmware; its memory is lost."""
        if self._board is not None:
            self._board.kill()
            self._board.wait()
            for end in (self._board.stdin, self._board.stdout):
                if end is not None:
                    end.close()
            self._board = None

    def plug(self) -> None:
        self._outer, slave = pty.openpty()
        tty.setraw(slave)
        self._stopped, self._stop = os.pipe()
        self._thread = Thread(target=self._carry, args=(slave,), daemon=True)
        self._thread.start()
        self.port.symlink_to(os.ttyname(slave))
        self.plugged = True

    def pull(self) -> None:
        """Pull the cable; the board has a supply of its own and goes on."""
        if not self.plugged:
            return
        self.plugged = False
        self.port.unlink()
        os.close(self._stop)
        self._thread.join(TIMEOUT_S)
        os.close(self._outer)
        os.close(self._stopped)

    def unplug(self) -> None:
        """Pull the cable that is also its supply."""
        self.pull()
        self.power_off()

    def replug(self) -> None:
        self.power_on()
        self.plug()

    def close(self) -> None:
        self.unplug()
        os.close(self._pins)

    # Fingers and eyes

    def move(self, button: str, down: bool) -> None:
        os.pwrite(self._pins, b"1" if down else b"0", 2 + BUTTONS.index(button))

    def press(self, button: str) -> None:
        self.move(button, True)

    def release(self, button: str) -> None:
        self.move(button, False)

    def move_marker(self, seat: int, home: bool) -> None:
        level = b"1" if home else b"0"
        if self._docks == "pins":
            os.pwrite(self._pins, level, 15 + seat)
            return
        with self.expander.open("r+b") as file:
            file.seek(seat - 1)
            file.write(level)

    def shown(self) -> list[bytes]:
        """Return every frame that was written to the chain."""
        lines = (self.folder / "wire").read_text().split("\n")[:-1]
        return [bytes.fromhex(line) for line in lines]

    def say(self, data: bytes) -> None:
        """Inject bytes that the board did not send."""
        os.write(self._outer, data)

    def _carry(self, slave: int) -> None:
        board = self._board
        into = out = -1
        if board is not None and board.stdin is not None and board.stdout is not None:
            into, out = board.stdin.fileno(), board.stdout.fileno()
        sources = [self._stopped, self._outer, *([out] if out >= 0 else [])]
        while self._stopped not in (ready := select(sources, [], [])[0]):
            if self._outer in ready:
                self._pass(into, self.to_board(os.read(self._outer, 65_536)))
            if out in ready:
                data = os.read(out, 65_536)
                if not data:
                    sources.remove(out)
                self._pass(self._outer, self.to_computer(data))
        os.close(slave)

    def _pass(self, end: int, data: bytes) -> None:
        try:
            os.write(end, data)
        except OSError:
            return  # nobody is at that end
        with self._changed:
            self.carried += len(data)
            self._changed.notify_all()
