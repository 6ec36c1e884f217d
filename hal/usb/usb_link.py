"""The connection to a board, shared by its buttons, its chain and its sound module.

One thread owns the port: it opens it, greets the board, reads its messages and sends a heartbeat
twice a second. A lost port is opened again. Senders write from their own threads, one whole line
at a time.
"""

import logging
import os
from base64 import b64decode
from collections.abc import Callable
from select import select
from threading import Condition, Event, Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from hal import serial_line
from hal.device_errors import DeviceError, DeviceLost, DeviceMissing
from hal.hardware_settings import UsbSettings
from hal.ports import BUTTONS, DOCKS, Edge
from hal.supervised_thread import start_supervised
from hal.usb.board_clock import BoardClock
from hal.usb.find import find, open_port
from hal.usb.messages import PROTOCOL, Lines, Words, encode

if TYPE_CHECKING:
    from serial import Serial

log = logging.getLogger(__name__)

GREET_EVERY_S, GREET_S = 0.25, 5.0
BEAT_S = 0.5
SILENT_S = 3.0
LOOK_S = 0.5
CLOSING_S = 1.0
LONGEST_QUOTE = 20
"""Letters of a board's words that are shown to people."""
LOST = (*serial_line.LOST, TypeError)
"""pyserial raises TypeError if a port is closed meanwhile."""


class Hello(NamedTuple):
    """The greeting of a board."""

    version: str
    serial: str
    buttons: tuple[str, ...]
    sound: bool
    docks: tuple[str, ...] = ()


class UsbLink:
    """The link to one board, shared by its users. Thread-safe.

    `on_edge` takes edges, `on_state` and `on_docks_state` the trouble of the link (None: it works),
    `on_sound` the bytes of the sound module, empty when the board is lost, `on_docks` the docks
    that have their marker (None: the board cannot read them) and the time; all are called on the
    link's thread.
    """

    def __init__(self, settings: UsbSettings, now: Callable[[], float]) -> None:
        self._settings = settings
        self._now = now
        self._closing = Event()
        self._changed = Condition()
        self._writing = Lock()
        self._port: Serial | None = None
        self._answers: dict[str, Words] = {}
        self.users = self.beats = 0
        self.tried = False
        """True once a board was looked for, with whatever result."""
        self.hello: Hello | None = None
        self.greetings = 0
        """The number of greetings: a new one means that the board has forgotten everything."""
        self.trouble: DeviceError | None = DeviceLost(
            "the USB hub has not answered yet", "wait a moment"
        )
        self.on_edge: Callable[[Edge], None] = _ignore
        self.on_state: Callable[[DeviceError | None], None] = _ignore
        self.on_sound: Callable[[bytes], None] = _ignore
        self.on_docks_state: Callable[[DeviceError | None], None] = _ignore
        self.on_docks: Callable[[dict[str, bool] | None, float], None] = _ignore
        try:
            find(settings)
        except DeviceMissing as missing:
            self.trouble = missing  # may come at any time
        self._woken, self._waker = os.pipe()
        self._thread = start_supervised("USB hub", self._run, self._state, self._closing.wait)

    def send(self, *words: object) -> None:
        """Send a message, or raise the trouble of the link."""
        self.send_line(encode(*words))

    def send_line(self, line: bytes) -> None:
        """Send an encoded line whole; raise a DeviceError without a board, or if that fails."""
        with self._writing:
            port = self._port
            if port is None or self.hello is None:
                raise self.absent()
            try:
                port.write(line)
            except LOST as error:
                raise _gone(error) from error

    def absent(self) -> DeviceError:
        """Return the reason why nothing can be sent."""
        return self.trouble or DeviceLost("the USB hub is gone", "plug it in again")

    def request(self, name: str, line: bytes, seconds: float) -> Words:
        """Send `line` and wait for the reply called `name`; raise a DeviceError without one.

        The wait ends after `seconds`, and at once when the board is lost.
        """
        self._answers.pop(name, None)
        self.send_line(line)
        with self._changed:
            self._changed.wait_for(lambda: name in self._answers or self.hello is None, seconds)
            answer = self._answers.pop(name, None)
        if answer is None:
            raise self.trouble or DeviceLost("the USB hub does not answer", "plug it in again")
        return answer

    def wait(self, seconds: float, until: Callable[[], bool]) -> None:
        """Wait until the condition holds after a change of the link, or for the time given."""
        with self._changed:
            self._changed.wait_for(until, seconds)

    def wake(self) -> None:
        """Make all waiting threads check their conditions."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        self._closing.set()
        os.close(self._waker)  # wakes the thread
        self.wake()
        self._thread.join(CLOSING_S)

    # The thread

    def _run(self) -> None:
        """Open the port and talk to the board, again and again until closed; report failures.

        A board that was there before and is missing now stays "unplugged".
        """
        while not self._closing.is_set():
            try:
                with open_port(find(self._settings)) as port:
                    self._talk(port)
            except DeviceMissing as missing:
                # Of a board that was there before, "unplugged" says enough.
                self._state(self.trouble if self.greetings and self.trouble else missing)
            except (DeviceError, *LOST) as error:
                self._state(error if isinstance(error, DeviceError) else _gone(error))
            self._closing.wait(LOOK_S)
        os.close(self._woken)

    def _state(self, trouble: DeviceError | None, hello: Hello | None = None) -> None:
        """Set the link's trouble and greeting, wake all who wait, and pass on the trouble.

        A `trouble` of None means that the link works. Without a greeting (`hello`) the port counts
        as lost.
        """
        with self._writing:
            if hello is None:
                self._port = None
        with self._changed:
            self.trouble, self.hello, self.tried = trouble, hello, True
            self.greetings += hello is not None
            self._changed.notify_all()
        if hello is None:
            self.on_sound(b"")
        self.on_state(trouble)
        self.on_docks_state(trouble)

    def _talk(self, port: "Serial") -> None:
        """Greet the board, then exchange messages until closed; raise when it is lost."""
        connection = _Connection(self, port, self._now)
        with self._writing:
            self._port = port
        connection.greet()
        while not self._closing.is_set():
            connection.beat()
            connection.receive(self._read(port, connection.due()))

    def _read(self, port: "Serial", seconds: float) -> bytes:
        ready = select([port, self._woken], [], [], max(0.0, seconds))[0]
        return port.read(65_536) if port in ready else b""

    def answered(self, name: str, words: Words) -> None:
        """Deliver a reply to the thread that waits for it."""
        with self._changed:
            self._answers = {name: words}
            self._changed.notify_all()


class _Connection:
    """The state of one connection."""

    def __init__(self, link: UsbLink, port: "Serial", now: Callable[[], float]) -> None:
        self._link = link
        self._port = port
        self._now = now
        self._lines = Lines()
        self._clock = BoardClock()
        self._last_message_at = now()
        self._beat_at = now()
        self._heartbeat: tuple[int, float] = (0, 0.0)
        self._edges = self._down = 0
        self._last = 0.0
        self._names: tuple[str, ...] = ()
        self._docks: tuple[str, ...] = ()
        self._docks_at = 0.0

    def greet(self) -> None:
        """Ask the board who it is until it answers or the link closes; pass its greeting on.

        Raise DeviceLost if it does not answer within `GREET_S` seconds, or does not fit.
        """
        end = self._now() + GREET_S
        while (left := end - self._now()) > 0 and not self._link._closing.is_set():
            self._port.write(b"\n" + encode("hi", PROTOCOL))
            for words in self._lines.feed(self._link._read(self._port, min(left, GREET_EVERY_S))):
                if words[0] == "hello":
                    self._link._state(None, self._accept_hello(words))
                    return
        if not self._link._closing.is_set():
            raise DeviceLost(
                f"what is plugged in at {self._port.port} does not answer as a USB hub",
                "put the firmware on it with `centerpiece usb flash`",
            )

    def due(self) -> float:
        return self._beat_at - self._now()

    def beat(self) -> None:
        """Send a heartbeat if one is due; if nothing has come for `SILENT_S`, raise DeviceLost."""
        now = self._now()
        if now < self._beat_at:
            return
        if now - self._last_message_at > SILENT_S:
            raise DeviceLost("the USB hub has stopped answering", "unplug it and plug it in again")
        self._beat_at = now + BEAT_S
        self._heartbeat = self._heartbeat[0] + 1, self._now()
        self._link.send("t", self._heartbeat[0])

    def receive(self, data: bytes) -> None:
        """Act on the messages in `data`, the board's next bytes; ignore those without sense."""
        arrived = self._now()
        for words in self._lines.feed(data):
            self._last_message_at = arrived
            try:
                self._take(words, arrived)
            except (ArithmeticError, ValueError):
                log.debug("device=usb strange=%.100r", words)

    def _take(self, words: Words, arrived: float) -> None:
        """Act on the message `words`, which came at `arrived`; ignore one of an unknown kind."""
        match words:
            case ("e", number, ticks, down):
                self._edge(int(number), int(ticks), int(down), arrived)
            case ("d", ticks, levels):
                self._tell_docks(levels, self._clock.at(int(ticks), arrived))
            case ("t", number, ticks, edges, down, *docks):
                self._alive(int(number), int(ticks), int(edges), int(down), arrived)
                for levels in docks[:1]:
                    self._tell_docks(levels, arrived)
            case (("ok" | "again"), number):
                self._link.answered(number, words)
            case ("u", data):
                self._link.on_sound(b64decode(data, validate=True))

    def _accept_hello(self, words: Words) -> Hello:
        """Check a greeting, given in words; return it, or raise DeviceLost if the board is unfit.

        Checked are protocol, buttons and docks. Its count of edges is taken over, and buttons that
        are down already give no edge.
        """
        _, protocol, version, serial, names, sound, edges, down, docks = (*words, *[""] * 9)[:9]
        if protocol != str(PROTOCOL):
            raise _other_version(version, protocol)
        self._names = tuple(names.split(","))
        if unknown := sorted(set(self._names) - set(BUTTONS)):
            raise DeviceLost(
                f"the USB hub has a button {unknown[0][:LONGEST_QUOTE]!r} that no hub has",
                "correct layout.py on the board, or update it with `centerpiece usb flash`",
            )
        self._docks = tuple(filter(None, docks.split(",")))
        if unknown := sorted(set(self._docks) - set(DOCKS)):
            raise DeviceLost(
                f"the USB hub has a dock {unknown[0][:LONGEST_QUOTE]!r} that no hub has",
                "correct layout.py on the board",
            )
        try:
            self._edges, self._down = int(edges), int(down)
        except ValueError:
            raise DeviceLost(
                "the USB hub's greeting cannot be read", "update it with `centerpiece usb flash`"
            ) from None
        self._last_message_at = self._now()
        return Hello(version, serial, self._names, sound == "1", self._docks)

    def _edge(self, number: int, ticks: int, down: int, arrived: float) -> None:
        """Pass on an edge for each button that has changed; `down` has a bit for each button.

        A bit is set while its button is down. `number` counts the board's edges, and a gap means
        lost ones (`_missed`). `ticks` is the board's time of it, `arrived` the hub's time of
        arrival.
        """
        if number != self._edges + 1:
            self._missed(number, down)
            return
        at = self._last = max(self._last, self._clock.at(ticks, arrived))
        changed, self._edges, self._down = self._down ^ down, number, down
        for place, name in enumerate(self._names):
            if changed >> place & 1:
                self._link.on_edge(Edge(name, bool(down >> place & 1), at))

    def _alive(self, number: int, ticks: int, edges: int, down: int, arrived: float) -> None:
        """Act on an answer to the heartbeat `number`, which came at the time `arrived`.

        If it is the latest heartbeat, `ticks` is a sample of the board's clock. If the board has
        sent other than the `edges` that came here, some were lost.
        """
        if number == self._heartbeat[0]:
            self._clock.sample(self._heartbeat[1], ticks, arrived)
            self._link.beats += 1
        if edges != self._edges:
            self._missed(edges, down)

    def _tell_docks(self, levels: str, at: float) -> None:
        """Pass on the levels of all docks, read at the time `at`; nothing if there are no docks.

        `levels` is a number with a bit for each dock, set while its marker is home. "-" is passed
        on as None: the board cannot read them.
        """
        if not self._docks:
            return
        at = self._docks_at = max(self._docks_at, at)
        home = None
        if levels != "-":
            closed = int(levels)
            home = {name: bool(closed >> place & 1) for place, name in enumerate(self._docks)}
        self._link.on_docks(home, at)

    def _missed(self, number: int, down: int) -> None:
        """Report lost edges, and take over the board's count of edges and which buttons are `down`.

        Nobody can say what was lost, so by this trouble the service forgets which buttons were
        down.
        """
        self._edges, self._down = number, down
        self._link.on_state(
            DeviceLost("presses were lost on the way from the USB hub", "press again")
        )
        self._link.on_state(None)


def _ignore(*values: object) -> None:
    """Ignore a callback."""


def _gone(error: Exception) -> DeviceLost:
    """Log the loss of the port; return the error to report."""
    log.info("device=usb lost=%r", str(error))
    return DeviceLost("the USB hub was unplugged", "plug it in again and it goes on")


def _other_version(version: str, protocol: str) -> DeviceError:
    """Return the error for a board that speaks another protocol.

    It says what to update: the firmware if the board is older, this program if it is newer.
    """
    older = len(protocol) > 9 or not protocol.isdigit() or int(protocol) < PROTOCOL
    called = f"{version[:LONGEST_QUOTE]} is too {'old' if older else 'new'}"
    return DeviceLost(
        f"the USB hub's firmware {called} for this program",
        "update it with `centerpiece usb flash`" if older else "update this program",
    )


_shared: dict[UsbSettings, UsbLink] = {}
_sharing = Lock()


def acquire(settings: UsbSettings, now: Callable[[], float]) -> UsbLink:
    """Return the link to the board of these settings, created for its first user.

    Each user must `release` it once. `now` is used only for a new link.
    """
    with _sharing:
        link = _shared.get(settings) or UsbLink(settings, now)
        link.users += 1
        _shared[settings] = link
        return link


def release(link: UsbLink) -> None:
    """Give up a link that `acquire` has returned; it is closed when its last user does so."""
    with _sharing:
        link.users -= 1
        if link.users > 0:
            return
        for settings in [each for each, known in _shared.items() if known is link]:
            del _shared[settings]
    link.close()


def identify_board(settings: UsbSettings) -> Hello:
    """Return the greeting of the board of these settings; for the doctor.

    Raise the link's trouble if no board answers in time.
    """
    link = acquire(settings, monotonic)
    try:
        link.wait(GREET_S + 1, lambda: link.tried)
        if link.hello is None:
            raise link.trouble or DeviceLost("the USB hub does not answer", "plug it in again")
        return link.hello
    finally:
        release(link)
