"""Installing the firmware on a board over MicroPython's raw REPL, without other tools.

Each file is written beside the old one, verified, and only then renamed over it, so a pulled cable
leaves the old file. `layout.py` describes the wiring of one board and belongs to its owner: it is
written only if there is none.
"""

import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from select import select
from time import monotonic
from typing import TYPE_CHECKING
from zlib import crc32

from hal.device_errors import DeviceLost, DeviceMissing

if TYPE_CHECKING:
    from serial import Serial

FILES = ("layout.py", "hub.py", "main.py")
OWN = "layout.py"
CHUNK = 384
ANSWER_S = 10.0

_INTERRUPT, _RAW, _FRIENDLY, _END = b"\x03", b"\x01", b"\x02", b"\x04"
_PROMPT = b"raw REPL; CTRL-B to exit\r\n>"


def firmware() -> dict[str, bytes]:
    """Return the files for a board by name, from this checkout or the installation.

    Raise DeviceMissing if neither has them.
    """
    for folder in (
        Path(__file__).resolve().parents[2] / "deploy/pico",
        Path(sys.prefix) / "share/centerpiece/pico",
    ):
        if folder.is_dir():
            return {name: (folder / name).read_bytes() for name in FILES}
    raise DeviceMissing(
        "the files of the firmware are not there", "install this program again, all of it"
    )


class BoardToFlash:
    """A board at its raw REPL: runs code and returns its output."""

    def __init__(self, port: "Serial", now: Callable[[], float] = monotonic) -> None:
        self._port = port
        self._now = now
        self._bytes = b""

    def take_over(self) -> None:
        """Stop the running program and switch to the raw REPL.

        Raise DeviceMissing if that is not answered as MicroPython does.
        """
        self._port.write(b"\r" + _INTERRUPT + _INTERRUPT)
        self._port.write(b"\r" + _RAW)
        self._until(_PROMPT)

    def run(self, code: str) -> str:
        """Run Python code on the board; return what it prints.

        Raise DeviceLost if the code raises there, DeviceMissing if the board does not answer.
        """
        self._port.write(code.encode() + _END)
        self._until(b"OK")
        printed, failed = self._until(_END), self._until(_END)
        self._until(b">")
        if failed:
            said = failed.decode("utf-8", "replace").strip().splitlines()[-1]
            raise DeviceLost(
                f"the board could not do it ({said})", "put MicroPython on it again, then retry"
            )
        return printed.decode("utf-8", "replace").strip()

    def restart(self) -> None:
        """Restart the board with the files that it has now."""
        self._port.write(_FRIENDLY + _END)

    def _until(self, end: bytes) -> bytes:
        """Read up to `end`, return what came before it; raise DeviceMissing after `ANSWER_S`.

        What comes after it is kept for the next call.
        """
        deadline = self._now() + ANSWER_S
        while end not in self._bytes:
            left = deadline - self._now()
            if left <= 0:
                raise DeviceMissing(
                    f"what is plugged in at {self._port.port} does not answer as MicroPython does",
                    "put MicroPython on it first: docs/pico.md tells how",
                )
            if select([self._port], [], [], left)[0]:
                self._bytes += self._port.read(4096)
        output, _, self._bytes = self._bytes.partition(end)
        return output


def flash(board: BoardToFlash, files: dict[str, bytes]) -> Iterator[str]:
    """Write the `files` that differ to the board, then restart it; yield a sentence for each file.

    A `layout.py` that is on the board is left as it is. Raise a DeviceError if the board does not
    do as told.
    """
    board.take_over()
    have = board.run("import os; print(*os.listdir())").split()
    for name, data in files.items():
        if name == OWN and name in have:
            yield f"{name} is left as it is."
        elif name in have and _sum(board, name) == crc32(data):
            yield f"{name} is up to date."
        else:
            _write(board, name, data)
            yield f"{name} is written."
    board.restart()


def _write(board: BoardToFlash, name: str, data: bytes) -> None:
    """Write a file beside the old one, verify it, and put it in the old one's place.

    Raise DeviceLost, and leave the old file, if it arrives damaged.
    """
    beside = f"{name}.new"
    board.run(f"from binascii import a2b_base64\nf = open({beside!r}, 'wb')")
    for start in range(0, len(data), CHUNK):
        part = b64encode(data[start : start + CHUNK]).decode()
        board.run(f"f.write(a2b_base64({part!r}))")
    board.run("f.close()")
    if _sum(board, beside) != crc32(data):
        raise DeviceLost(f"{name} arrived on the board damaged", "try again, with another cable")
    # Rename replaces on littlefs but not on FAT; removing first works on both.
    board.run(
        f"import os\nif {name!r} in os.listdir():\n os.remove({name!r})\n"
        f"os.rename({beside!r}, {name!r})"
    )


def _sum(board: BoardToFlash, name: str) -> int:
    """Return the CRC-32 of the file `name` on the board."""
    return int(
        board.run(
            "from binascii import crc32\nc = 0\n"
            f"with open({name!r}, 'rb') as f:\n"
            " while True:\n"
            "  part = f.read(512)\n"
            "  if not part: break\n"
            "  c = crc32(part, c)\n"
            "print(c)"
        )
    )
