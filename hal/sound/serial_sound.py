"""A DFPlayer-class sound module on a serial port, through pyserial.

One thread owns the port, so the loop never waits for it: it sleeps until bytes arrive, a cue is
asked for or the module is due, and opens a lost port again with growing pauses. What is said to
the module, and when, is `hal.sound.dfplayer`'s business.
"""

import logging
import os
from collections.abc import Callable, Iterator, Mapping
from select import select
from threading import Lock, Thread
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
from hal.voice.tracks import Track, tracks

if TYPE_CHECKING:
    from serial import Serial

log = logging.getLogger(__name__)

CLOSING_S = 1.0
COUNTING_S = 1.5
"""How long a module may take to count the tracks of a folder."""
MISSING = (
    "plug it in or correct [hardware.sound] port; the Pi's own needs `enable_uart=1` in "
    "/boot/firmware/config.txt"
)


class ModuleLine(Protocol):
    """An open way to a module, as pyserial has it: reading never waits."""

    def fileno(self) -> int: ...

    def read(self, size: int) -> bytes: ...

    def write(self, data: bytes) -> int | None: ...

    def close(self) -> None: ...


class SerialSound:
    """The Sound port on a serial line. The port must be there at the start; later it may go and
    come back, and only the cues in between are lost.
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
        port = self._open_line(settings)
        self._woken, self._waker = os.pipe()
        self._thread = Thread(target=self._run, args=(port,), name="sound", daemon=True)
        self._thread.start()

    def play(self, cue: str) -> None:
        check_cue(cue)
        self._tell(cue=cue)

    def say(self, sentence: ClipSequence) -> float | None:
        """By tracks of the card; a clone that only knows the order of copying knows no folders."""
        by_name = self._settings.numbering == "name"
        found = tracks(sentence, self._settings.names) if by_name else ()
        if not found or self._closed:
            return 0.0
        self._tell(tracks=found)
        return sum(track.seconds + track.pause + self._settings.gap_s for track in found)

    def prepare(self, sentence: ClipSequence) -> None:
        """What is on the card is there."""

    def set_volume(self, volume: float) -> None:
        check_volume(volume)
        self._tell(volume=volume)

    def close(self) -> None:
        self._tell(closed=True)
        self._thread.join(CLOSING_S)

    def _tell(
        self,
        cue: str = "",
        volume: float | None = None,
        closed: bool = False,
        tracks: tuple[Track, ...] = (),
    ) -> None:
        with self._lock:
            if self._closed:
                return
            if cue or tracks:  # the later of the two is heard
                self._cue, self._tracks = cue, tracks
            if volume is not None:
                self._volume, self._volume_changed = volume, True
            self._closed = closed
            os.write(self._waker, b"!")

    def _run(self, port: "ModuleLine | None") -> None:
        waits = self._waits()
        while not self._closed:
            try:
                if port is None:
                    port = self._open_line(self._settings)
                    waits = self._waits()
                self._talk(port)
            except (DeviceError, *LOST) as error:
                self._lost(error)
                _hang_up(port)
                port = None
                self._rest(next(waits))
        _hang_up(port)
        with self._lock:  # whoever closes is still waking us
            os.close(self._woken)
            os.close(self._waker)

    def _lost(self, error: Exception) -> None:
        log.info("device=sound lost=%r", str(error))
        self._health.report(
            DeviceLost(
                f"the sound module's port {self._settings.port} was lost",
                "plug it in again and it goes on",
            )
        )

    def _talk(self, port: "ModuleLine") -> None:
        """Speak with the module until the hub is closed; raises when the port is lost."""
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
            self._pass_on(module)

    def _pass_on(self, module: SoundModule) -> None:
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
        """Wait before the next attempt; what is asked for meanwhile is lost."""
        end = self._now() + seconds
        while not self._closed and (left := end - self._now()) > 0:
            self._wait(None, left)
            self._cue, self._tracks = "", ()

    def _wait(self, port: int | None, seconds: float | None) -> list[int]:
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
    """Open the port and wait for a sign of life, or raise what is wrong.

    `words` are folders of the card whose tracks are counted; those of a module that cannot count
    are left out. A module that is not asked to confirm (`ack = false`) gives no sign at all: its
    port is opened, no more.
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
    """How many tracks are in a folder; None if the module does not say."""
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
    """The module's port, opened for this program alone, or a DeviceError with a remedy."""
    return open_serial(settings.port, settings.baud, "the sound module", MISSING)


def _hang_up(port: Any) -> None:
    try:
        if port is not None:
            port.close()
    except LOST:
        pass  # it is gone already
