"""A chain on a WLED controller: frames go there as datagrams, over the local network.

DDP is what WLED and its kin understand best; DNRGB is WLED's own. Datagrams have no answer, so
whether a controller is there is asked once over HTTP when the chain is opened. It shows what it is
sent for a few seconds, then goes back to its own effects: frames are repeated, and at the end it
is told to go back at once.
"""

import json
import socket
import struct
import urllib.request
from collections.abc import Callable, Iterator

from hal.chain_lights import Strip
from hal.errors import DeviceMissing
from hal.settings import LightSettings

PORTS = {"ddp": 4048, "dnrgb": 21324}
REPEAT_S = 1.0
"""WLED forgets after 2.5 s, unless its owner has set another time."""
ANSWER_S = 2.0
FORGET_AFTER_S = 3
"""What DNRGB says of that, in whole seconds."""

DDP_PIXELS = 480
DNRGB_PIXELS = 489
"""As many as fit one datagram."""


def ddp(pixels: bytes, number: int) -> Iterator[bytes]:
    """A frame as DDP datagrams; the last of them has the flag to show it."""
    most = 3 * DDP_PIXELS
    for start in range(0, len(pixels), most):
        part = pixels[start : start + most]
        last = start + most >= len(pixels)
        flags, kind, display = 0x41 if last else 0x40, 0x0B, 1
        yield struct.pack(">BBBBIH", flags, number, kind, display, start, len(part)) + part


def dnrgb(pixels: bytes, number: int) -> Iterator[bytes]:
    """A frame as DNRGB datagrams."""
    most = 3 * DNRGB_PIXELS
    for start in range(0, len(pixels), most):
        yield struct.pack(">BBH", 4, FORGET_AFTER_S, start // 3) + pixels[start : start + most]


PROTOCOLS = {"ddp": ddp, "dnrgb": dnrgb}


class WledStrip:
    """An open controller, as a strip."""

    def __init__(self, settings: LightSettings, port: int) -> None:
        self._settings = settings
        self._frames = PROTOCOLS[settings.protocol]
        self._number = 0
        self._pixels = bytes(3 * settings.pixels)
        host = settings.address.partition(":")[0]
        _check(settings, _asked(settings.address, "json/info"))
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
        self._number = self._number % 15 + 1
        try:
            for datagram in self._frames(self._pixels, self._number):
                self._socket.send(datagram)
        except OSError as error:
            raise _missing(self._settings.address, error) from error

    def deinit(self) -> None:
        """Let the controller go back to what it showed before."""
        self._socket.close()
        _asked(self._settings.address, "json/state", b'{"live":false}')


def opener(settings: LightSettings, port: int | None = None) -> Callable[[], Strip]:
    """How to open the controller of the settings."""
    return lambda: WledStrip(settings, PORTS[settings.protocol] if port is None else port)


def _asked(address: str, path: str, body: bytes | None = None) -> object:
    request = urllib.request.Request(
        f"http://{address}/{path}", body, {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
            return json.loads(answer.read(65_536))
    except (OSError, ValueError) as error:
        raise _missing(address, error) from error


def _check(settings: LightSettings, info: object) -> None:
    leds = info.get("leds") if isinstance(info, dict) else None
    count = leds.get("count") if isinstance(leds, dict) else None
    if not isinstance(count, int):
        raise DeviceMissing(
            f"what answers at {settings.address} is no WLED",
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
