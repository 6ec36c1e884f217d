"""A DFPlayer-class sound module on a serial port, through pyserial.

One thread owns the port, so the loop never waits for it: it sleeps until bytes arrive, a cue is
played or the module is due, and reopens a lost port with growing pauses. The protocol is in
`hal.sound.dfplayer`.
"""

import logging
import os
from collections.abc import Callable, Iterator, Mapping
from select import select
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from hal.device_errors import DeviceError, DeviceLost
from hal.hardware_settings import SoundSettings
from hal.health import Health, pauses
from hal.port_checks import check_cue, check_volume
from hal.ports import ClipSequence, Report
from hal.serial_line import LOST, open_serial
from hal.sound.dfplayer import (
    COUNT_IN_FOLDER,
    ERROR,
    MessageParser,
    ModuleMessage,
    SoundModule,
    encode,
)
from hal.supervised_thread import start_supervised
from hal.voice.tracks import Track, tracks

if TYPE_CHECKING:
    from serial import Serial

log = logging.getLogger(__name__)

CLOSING_S = 1.0
COUNTING_S = 1.5
"""Time that a module gets to count the tracks of a folder."""
MISSING = (
    "plug it in or correct [hardware.sound] port; the Pi's own needs `enable_uart=1` in "
    "/boot/firmware/config.txt"
)


class ModuleLine(Protocol):
    """An open connection to a module, as pyserial has it: reading never blocks."""

    def fileno(self) -> int: ...

    def read(self, size: int) -> bytes: ...

    def write(self, data: bytes) -> int | None: ...

    def close(self) -> None: ...


class SerialSound:
    """The Sound port on a serial line.

    The port must be there at the start; later it may go and come back, and only the cues in between
    are lost.
    """

    def __init__(
        self,
        settings: SoundSettings,
        report: Report,
        now: Callable[[], float] = monotonic,
        waits: Callable[[], Iterator[float]] = pauses,
        open_line: Callable[[SoundSettings], "ModuleLine"] | None = None,
    ) -> None:
        self._settings = settings
        self._open_line = open_line or open_port
        self._now = now
        self._waits = waits
        self._health = Health("sound", report)
        self._lock = Lock()
        self._volume = 1.0
        self._cue = ""
        self._tracks: tuple[Track, ...] = ()
        self._volume_changed = False
        self._closed = False
        self._first: ModuleLine | None = self._open_line(settings)
        self._woken, self._waker = os.pipe()
        self._thread = start_supervised("sound", self._run, self._health.report)

    def play(self, cue: str) -> None:
        check_cue(cue)
        self._post(cue=cue)

    def say(self, sentence: ClipSequence) -> float | None:
        """Speak by tracks of the module's card; return the seconds, or 0.0 if nothing is said.

        Nothing is said if a part is not on the card, after `close`, and with `numbering = "order"`:
        such clones know no folders.
        """
        by_name = self._settings.numbering == "name"
        chosen = tracks(sentence, self._settings.names) if by_name else ()
        if not chosen or self._closed:
            return 0.0
        self._post(tracks=chosen)
        return sum(track.seconds + track.pause + self._settings.gap_s for track in chosen)

    def prepare(self, sentence: ClipSequence) -> None:
        """Do nothing: the clips are on the card."""

    def set_volume(self, volume: float) -> None:
        check_volume(volume)
        self._post(volume=volume)

    def close(self) -> None:
        self._post(closed=True)
        self._thread.join(CLOSING_S)

    def _post(
        self,
        cue: str = "",
        volume: float | None = None,
        closed: bool = False,
        tracks: tuple[Track, ...] = (),
    ) -> None:
        """Leave a cue, a sentence's `tracks`, a volume or the close for the thread, and wake it.

        Ignored after `close`. Of a cue and a sentence only the later one is heard.
        """
        with self._lock:
            if self._closed:
                return
            if cue or tracks:  # the later of the two is heard
                self._cue, self._tracks = cue, tracks
            if volume is not None:
                self._volume, self._volume_changed = volume, True
            self._closed = closed
            os.write(self._waker, b"!")

    def _run(self) -> None:
        """Talk to the module until closed; reopen a lost port with growing pauses."""
        waits = self._waits()
        port, self._first = self._first, None
        try:
            while not self._closed:
                try:
                    if port is None:
                        port = self._open_line(self._settings)
                        waits = self._waits()
                    self._converse(port)
                except (DeviceError, *LOST) as error:
                    self._lost(error)
                    _close_port(port)
                    port = None
                    self._rest(next(waits))
        finally:
            _close_port(port)
        with self._lock:  # `close` may still be writing to the waker
            os.close(self._woken)
            os.close(self._waker)

    def _lost(self, error: Exception) -> None:
        """Log the error and report that the port was lost."""
        log.info("device=sound lost=%r", str(error))
        self._health.report(
            DeviceLost(
                f"the sound module's port {self._settings.port} was lost",
                "plug it in again and it goes on",
            )
        )

    def _converse(self, port: "ModuleLine") -> None:
        """Exchange messages with the module until closed; raise when the port is lost.

        The module's trouble is reported meanwhile.
        """
        module = SoundModule(self._settings, self._volume, self._now())
        while not self._closed:
            now = self._now()
            if due := module.next(now):
                port.write(due)
            self._health.report(module.trouble())
            wake = module.wake(now)
            ready = self._wait(port.fileno(), None if wake is None else max(0.0, wake - now))
            if port.fileno() in ready:
                module.receive(port.read(4096), self._now())
            self._forward(module)

    def _forward(self, module: SoundModule) -> None:
        """Pass a changed volume on to the module, and the cue that waits or else the sentence."""
        with self._lock:
            cue, self._cue = self._cue, ""
            tracks, self._tracks = self._tracks, ()
            changed, self._volume_changed = self._volume_changed, False
        if changed:
            module.set_volume(self._volume)
        if cue:
            module.play(cue, self._now())
        elif tracks:
            module.say(tracks, self._now())

    def _rest(self, seconds: float) -> None:
        """Wait for some seconds, or until closed; drop what is played or said meanwhile."""
        end = self._now() + seconds
        while not self._closed and (left := end - self._now()) > 0:
            self._wait(None, left)
            self._cue, self._tracks = "", ()

    def _wait(self, port: int | None, seconds: float | None) -> list[int]:
        """Wait for input on `port` or a wake-up; return the handles ready, none at a timeout.

        The timeout is `seconds`; None waits without end. A `port` of None waits for the wake-up
        only.
        """
        sources = [self._woken] if port is None else [self._woken, port]
        ready, _, _ = select(sources, [], [], seconds)
        if self._woken in ready:
            os.read(self._woken, 4096)
        return ready


def probe(
    settings: SoundSettings,
    now: Callable[[], float] = monotonic,
    words: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """Open the module's port and wait for a sign of life, or raise what is wrong.

    Return the number of tracks for each folder of the card in `words`, without those that the
    module cannot count. With `ack = false` the module gives no sign: the port is only opened,
    nothing counted.
    """
    with open_port(settings) as port:
        if not settings.ack:
            return {}
        module = SoundModule(settings, 1.0, now())
        while not (module.heard_from or module.trouble()):
            if due := module.next(now()):
                port.write(due)
            wake = module.wake(now())
            ready, _, _ = select([port], [], [], max(0.0, (wake or 0.0) - now()))
            if ready:
                module.receive(port.read(4096), now())
        if trouble := module.trouble():
            raise trouble
        counts = {folder: _counted(port, folder, now) for folder in words or {}}
        return {folder: count for folder, count in counts.items() if count is not None}


def _counted(port: "Serial", folder: int, now: Callable[[], float]) -> int | None:
    """Return the number of tracks in a folder of the card; 0 if the module reports an error.

    None if it does not answer within `COUNTING_S` seconds.
    """
    parser, until = MessageParser(), now() + COUNTING_S
    port.write(encode(ModuleMessage(COUNT_IN_FOLDER, folder), False))
    while (left := until - now()) > 0:
        ready, _, _ = select([port], [], [], left)
        for message in parser.feed(port.read(4096) if ready else b""):
            if message.command == COUNT_IN_FOLDER:
                return message.number
            if message.command == ERROR:
                return 0
    return None


def open_port(settings: SoundSettings) -> "Serial":
    """Open the module's port exclusively, or raise a DeviceError with a remedy."""
    return open_serial(settings.port, settings.baud, "the sound module", MISSING)


def _close_port(port: Any) -> None:
    try:
        if port is not None:
            port.close()
    except LOST:
        pass  # already gone
