"""WLED: the datagrams, the HTTP request at the start, and the return to its own effects."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from itertools import cycle
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from hal.chain_lights import ChainLights
from hal.device_errors import DeviceMissing, WiringError
from hal.hardware_settings import HardwareSettings, LightSettings
from hal.health import ignore_trouble
from hal.ports import Zone
from hal.system_clock import SystemClock
from hal.wled.wled_drivers import open_lights
from hal.wled.wled_lights import ANSWER_S, ddp, dnrgb, opener, read_from
from tests.wled import Wled

pytestmark = pytest.mark.real_time("threads that read and write devices")

ZONES = (Zone("face", 0, 30), Zone("train", 30, 3), Zone("ring", 33, 600))
COUNT = 633
FRAME = bytes(n % 251 for n in range(3 * COUNT))


@pytest.fixture
def wled() -> Iterator[Wled]:
    made = Wled(COUNT)
    yield made
    made.unplug()


def settings(wled: Wled, protocol: Any = "ddp") -> LightSettings:
    return LightSettings(
        zones=ZONES,
        address=wled.address,
        protocol=protocol,
        gamma=1.0,
        brightness=1.0,
        max_milliamps=1e6,
    )


def test_a_long_frame_goes_in_pieces_and_is_shown_with_the_last() -> None:
    """DDP: 480 pixels a datagram, the offset in bytes; the flag to show is on the last only."""
    first, second = ddp(FRAME, 7)

    assert bytes.fromhex("40 07 0b 01 00000000 05a0") + FRAME[:1440] == first
    assert bytes.fromhex("41 07 0b 01 000005a0 01cb") + FRAME[1440:] == second


def test_wleds_own_protocol_counts_pixels_and_says_when_to_forget() -> None:
    """DNRGB: 489 pixels a datagram."""
    first, second = dnrgb(FRAME, 7)

    assert bytes.fromhex("04 03 0000") + FRAME[: 3 * 489] == first
    assert bytes.fromhex("04 03 01e9") + FRAME[3 * 489 :] == second


@pytest.mark.parametrize("protocol", ["ddp", "dnrgb"])
def test_a_frame_is_repeated_until_the_hub_stops(wled: Wled, protocol: str) -> None:
    """It would be forgotten otherwise; at the end the controller goes back to its own effects."""
    chosen = settings(wled, protocol)
    lights = ChainLights(chosen, ignore_trouble, opener(chosen, wled.udp_port), repeat_s=0.0)
    lights.show(FRAME)
    wled.wait_for(lambda frames: frames.count(FRAME) >= 3)
    lights.close()

    assert [{"live": False}] == wled.wishes


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"name": "a printer"}, "is not a WLED"),
        ([], "is not a WLED"),
        (b"<html>", "no WLED answers"),
        ({"leds": {"count": 60}}, "has 60 pixels, the zones need 633"),
        (b'{"leds": {"count": ' + b"9" * 60_000, "no WLED answers"),
        (b'{"leds": {"count": -' + b"9" * 4_000 + b"}}", "is not a WLED"),
        (b"[" * 60_000, "nested too deeply"),
        (b'{"leds": "' + b"x" * 1_000_000 + b'"}', "no WLED answers"),
        (b'{"leds": "\xff"}', "no WLED answers"),
    ],
)
def test_what_cannot_be_the_lights_is_an_error_at_the_start(
    wled: Wled, answer: Any, words: str
) -> None:
    """Datagrams would vanish there in silence."""
    wled.answer = answer
    with pytest.raises(DeviceMissing, match=words):
        opener(settings(wled))()


class Anybody:
    """A server at the address that sends arbitrary bytes."""

    def __init__(self, *pieces: bytes, endless: bool = False) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.asked: list[bytes] = []
        self._pieces = pieces
        self._endless = endless
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        with suppress(OSError):
            while True:
                link, _ = self._listener.accept()
                with link:
                    self.asked.append(link.recv(4096).partition(b"\r\n")[0])
                    for piece in cycle(self._pieces) if self._endless else self._pieces:
                        link.sendall(piece)

    def close(self) -> None:
        self._listener.close()


@pytest.mark.parametrize(
    ("pieces", "endless"),
    [
        ((b"no HTTP at all\r\n",), False),
        ((b"",), False),
        ((b"HTTP/1.1 302 Found\r\nLocation: http://{address}/elsewhere\r\n\r\n",), False),
        ((b"HTTP/1.1 500 Oh\r\n\r\n" + b'{"leds": {"count": 633}}',), False),
        ((b"X-Header: and so on\r\n",), True),
    ],
    ids=["no HTTP", "nothing", "somewhere else", "an error", "headers without end"],
)
def test_whoever_answers_is_believed_nothing(pieces: tuple[bytes, ...], endless: bool) -> None:
    """One request, no redirects, and the lights' thread is back soon."""
    who = Anybody(*pieces, endless=endless)
    chosen = LightSettings(zones=ZONES, address=who.address)
    with pytest.raises(DeviceMissing, match="no WLED answers"):
        opener(chosen)()
    who.close()

    assert [b"GET /json/info HTTP/1.0"] == who.asked


def test_an_answer_that_drips_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The timeout is for the whole answer, not for each byte."""
    now = [0.0]

    class Dripping:
        def settimeout(self, seconds: float) -> None:
            assert 0 < seconds <= ANSWER_S

        def recv(self, most: int) -> bytes:
            now[0] += 0.9 * ANSWER_S / 3
            return b"x"

    monkeypatch.setattr("hal.wled.wled_lights.time", SimpleNamespace(monotonic=lambda: now[0]))
    assert b"xxxx" == read_from(Dripping())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lights", "words"),
    [(LightSettings(), "no address"), (LightSettings(address="x", order="GRBW"), "not GRBW")],
)
def test_settings_that_cannot_work_say_so(lights: LightSettings, words: str) -> None:
    """Before anything is opened."""
    with pytest.raises(WiringError, match=words):
        open_lights(HardwareSettings(lights=lights), ignore_trouble, SystemClock())
