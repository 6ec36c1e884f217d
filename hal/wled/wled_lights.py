"""A chain on a WLED controller: frames are sent as datagrams over the local network.

DDP is the protocol that WLED and its relatives support best; DNRGB is WLED's own. Datagrams are
not answered, so opening the chain asks once over HTTP whether a controller is there. It shows a
frame for a few seconds, then returns to its own effects: frames are repeated, and `deinit` tells
it to return at once.
The answer may come from anything: reading ends after `ANSWER_S` seconds or `LARGEST_ANSWER`
bytes, redirects are not followed, and only a number of it is used.
"""

import json
import socket
import struct
import time
from collections.abc import Callable, Iterator

from hal.chain_lights import Strip
from hal.device_errors import DeviceMissing
from hal.hardware_settings import LightSettings

PORTS = {"ddp": 4048, "dnrgb": 21324}
REPEAT_S = 1.0
"""WLED drops a frame after 2.5 s, unless its owner has set another time."""
ANSWER_S = 2.0
LARGEST_ANSWER = 65_536
FORGET_AFTER_S = 3
"""DNRGB's timeout in whole seconds."""

MOST_PIXELS = 100_000
"""More pixels than any controller has: the answer is not WLED's."""
DDP_PIXELS = 480
DNRGB_PIXELS = 489
"""The pixels that fit one datagram."""


def ddp(pixels: bytes, number: int) -> Iterator[bytes]:
    """Yield a frame as DDP datagrams; the last one has the flag to show it.

    `number` counts the frames, from 1 to 15.
    """
    most = 3 * DDP_PIXELS
    for start in range(0, len(pixels), most):
        part = pixels[start : start + most]
        last = start + most >= len(pixels)
        flags, kind, display = 0x41 if last else 0x40, 0x0B, 1
        yield struct.pack(">BBBBIH", flags, number, kind, display, start, len(part)) + part


def dnrgb(pixels: bytes, number: int) -> Iterator[bytes]:
    """Yield a frame as DNRGB datagrams."""
    most = 3 * DNRGB_PIXELS
    for start in range(0, len(pixels), most):
        yield struct.pack(">BBH", 4, FORGET_AFTER_S, start // 3) + pixels[start : start + most]


PROTOCOLS = {"ddp": ddp, "dnrgb": dnrgb}


class WledStrip:
    """An open controller as a strip."""

    def __init__(self, settings: LightSettings, port: int) -> None:
        self._settings = settings
        self._frames = PROTOCOLS[settings.protocol]
        self._number = 0
        self._pixels = bytes(3 * settings.pixels)
        host = settings.address.partition(":")[0]
        _check(settings, _request(settings.address, "json/info"))
        try:
            family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
            self._socket = socket.socket(family, kind)
            self._socket.connect(address)
        except OSError as error:
            raise _missing(settings.address, error) from error
        self.show()

    def __setitem__(self, where: slice, colours: list[tuple[int, ...]]) -> None:
        self._pixels = b"".join(map(bytes, colours))

    def show(self) -> None:
        """Send the frame without waiting for an answer.

        Raise DeviceMissing only if it cannot leave this machine.
        """
        self._number = self._number % 15 + 1
        try:
            for datagram in self._frames(self._pixels, self._number):
                self._socket.send(datagram)
        except OSError as error:
            raise _missing(self._settings.address, error) from error

    def deinit(self) -> None:
        """Return the controller to its own effects; raise DeviceMissing if it does not answer."""
        self._socket.close()
        _request(self._settings.address, "json/state", b'{"live":false}')


def opener(settings: LightSettings, port: int | None = None) -> Callable[[], Strip]:
    """Return the function that opens the controller of the settings."""
    return lambda: WledStrip(settings, PORTS[settings.protocol] if port is None else port)


def _request(address: str, path: str, body: bytes | None = None) -> object:
    """Send an HTTP request for `path`, a POST if there is a `body`; return the JSON of its answer.

    Raise DeviceMissing if there is no answer, or one that is no JSON or has another status than
    200.
    """
    host, _, port = address.partition(":")
    verb, content = ("GET", b"") if body is None else ("POST", body)
    head = (
        f"{verb} /{path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
    )
    try:
        with socket.create_connection((host, int(port or 80)), ANSWER_S) as link:
            link.sendall(head.encode() + content)
            status, _, answer = read_from(link).partition(b"\r\n\r\n")
        if status.split(b" ", 2)[1:2] != [b"200"]:
            raise ValueError("its answer is not a WLED's")
        return json.loads(answer)
    except (OSError, ValueError) as error:
        raise _missing(address, error) from error
    except RecursionError:
        raise _missing(address, ValueError("its answer is nested too deeply")) from None


def read_from(link: socket.socket) -> bytes:
    """Return what comes until the connection ends, `ANSWER_S` seconds or `LARGEST_ANSWER` bytes."""
    until, answer = time.monotonic() + ANSWER_S, b""
    while (left := until - time.monotonic()) > 0 and len(answer) < LARGEST_ANSWER:
        link.settimeout(left)
        try:
            piece = link.recv(LARGEST_ANSWER)
        except TimeoutError:
            break
        if not piece:
            break
        answer += piece
    return answer


def _check(settings: LightSettings, info: object) -> None:
    """Raise DeviceMissing if `info` is no WLED's answer, or if its chain has too few pixels."""
    leds = info.get("leds") if isinstance(info, dict) else None
    count = leds.get("count") if isinstance(leds, dict) else None
    if not isinstance(count, int) or not 0 <= count < MOST_PIXELS:
        raise DeviceMissing(
            f"what answers at {settings.address} is not a WLED",
            "correct [hardware.lights] address",
        )
    if count < settings.pixels:
        raise DeviceMissing(
            f"the WLED at {settings.address} has {count} pixels, the zones need {settings.pixels}",
            "set the length in WLED's LED preferences, or use fewer pixels in [hardware.lights]",
        )


def _missing(address: str, error: Exception) -> DeviceMissing:
    return DeviceMissing(
        f"no WLED answers at {address} ({error})",
        "is it switched on and in the same network? Correct [hardware.lights] address if not",
    )
