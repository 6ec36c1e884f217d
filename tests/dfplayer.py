"""A simulated sound module of the DFPlayer class, with its faults.

`Player` is the module itself: bytes in, bytes out, faults on request. `PtyPlayer` puts it behind a
real pseudo-terminal that can be unplugged and plugged in again under the same path. It encodes
frames independently of the code that it is used to test.
"""

import os
import pty
import tty
from collections.abc import Callable
from pathlib import Path
from select import select
from threading import Condition, Thread

from hal.ports import CUES
from tests.patience import TIMEOUT_S


def frame(command: int, number: int = 0, feedback: int = 0) -> bytes:
    """Encode a frame as the module's manual describes it."""
    high, low = divmod(number, 256)
    total = 0xFF + 0x06 + command + feedback + high + low
    check = (0x10000 - total) % 0x10000
    return bytes([0x7E, 0xFF, 6, command, feedback, high, low, check // 256, check % 256, 0xEF])


class Player:
    """The module's firmware.

    Faults: `deaf` ignores these commands; `garbles` sends answers with a wrong checksum; `loses`
    drops a byte of answers; `mute` never answers; `echoes` confirms everything twice; `busy`
    refuses everything; `noise` comes before every answer; `endless` never reports the end of a
    track. `folders` has the number of tracks in each folder.
    """

    def __init__(self, card: bool = True, tracks: int = len(CUES)) -> None:
        self.card = card
        self.tracks = tracks
        self.heard: list[tuple[int, int]] = []
        self.played: list[int] = []
        self.said: list[tuple[int, int]] = []
        self.folders: dict[int, int] = {}
        self.endless = False
        self.volume: int | None = None
        self.deaf = self.garbles = self.loses = 0
        self.mute = self.echoes = self.busy = False
        self.noise = b""
        self._bytes = b""

    def power_on(self) -> bytes:
        """Return the message that the module sends once it has started."""
        return frame(0x3F, 2 if self.card else 0)

    def receive(self, data: bytes) -> bytes:
        """Take some bytes; return the answers to all whole frames among them."""
        self._bytes += data
        answer = b""
        while len(self._bytes) >= 10:
            command, self._bytes = self._bytes[:10], self._bytes[10:]
            answer += self._answer(command)
        return answer

    def _answer(self, command: bytes) -> bytes:
        what, feedback, number = command[3], command[4], command[5] * 256 + command[6]
        if command != frame(what, number, feedback):
            return self._spoil(frame(0x40, 4))
        if self.deaf:
            self.deaf -= 1
            return b""
        self.heard.append((what, number))
        if self.mute:
            self._obey(what, number)
            return b""
        if self.busy:
            return self._spoil(frame(0x40, 1))
        said = self._obey(what, number)
        ack = frame(0x41) if feedback else b""
        return self._spoil(ack + ack * self.echoes + said)

    def _obey(self, what: int, number: int) -> bytes:
        if what == 0x06:
            self.volume = number
        if what == 0x42:
            return frame(0x42, 0x0200)
        if what == 0x4E:
            return frame(0x4E, self.folders.get(number, 0))
        if what == 0x0F:
            return self._speak(*divmod(number, 256))
        if what not in (0x03, 0x12):
            return b""
        if not self.card:
            return frame(0x40, 1)
        if number > self.tracks:
            return frame(0x40, 6)
        self.played.append(number)
        return b""

    def _speak(self, folder: int, track: int) -> bytes:
        """Finish a track as soon as it began, so that tests need not wait."""
        if not self.card or track > self.folders.get(folder, 0):
            return frame(0x40, 6)
        self.said.append((folder, track))
        return b"" if self.endless else frame(0x3D, 100 * folder + track)

    def _spoil(self, answer: bytes) -> bytes:
        if self.garbles and answer:
            self.garbles -= 1
            answer = answer[:7] + bytes([answer[7] ^ 0x55]) + answer[8:]
        if self.loses and answer:
            self.loses -= 1
            answer = answer[:4] + answer[5:]
        return self.noise + answer if answer else answer


class PtyPlayer:
    """A player behind `path`, which looks like any serial port."""

    def __init__(self, path: Path, player: Player | None = None) -> None:
        self.path = path
        self.player = player or Player()
        self._changed = Condition()
        self._master = -1
        self.plug()

    def plug(self) -> None:
        """Plug the module in, without its start-up message.

        Opening a port discards what came before; a test sends that message when the port is open.
        """
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        self.path.symlink_to(os.ttyname(slave))
        self._stopped, self._stop = os.pipe()
        self._thread = Thread(target=self._run, args=(slave,), daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        """Unplug the module: the path vanishes, and open files of it fail."""
        self.path.unlink()
        os.close(self._stop)
        self._thread.join(TIMEOUT_S)
        os.close(self._master)
        os.close(self._stopped)

    def say(self, data: bytes) -> None:
        """Send an unrequested message."""
        with self._changed:
            os.write(self._master, data)

    def wait_for(self, what: Callable[[Player], bool]) -> None:
        """Wait until the player has reached an expected state."""
        with self._changed:
            came = self._changed.wait_for(lambda: what(self.player), TIMEOUT_S)
        assert came, f"still waiting; heard {self.player.heard}, played {self.player.played}"

    def close(self) -> None:
        if self.path.is_symlink():
            self.unplug()

    def _run(self, slave: int) -> None:
        # The far end is held open here too, or the port would look unplugged while nobody has it.
        while self._stopped not in (ready := select([self._stopped, self._master], [], [])[0]):
            assert ready == [self._master]
            with self._changed:  # whoever is woken finds the answer already on its way
                os.write(self._master, self.player.receive(os.read(self._master, 256)))
                self._changed.notify_all()
        os.close(slave)
