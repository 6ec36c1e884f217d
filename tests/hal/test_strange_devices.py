"""Whatever a device sends is data: nothing ends the thread that reads it."""

import io
import os
import pty
import tty
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from select import select
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.device_errors import DeviceError, DeviceLost, DeviceMissing
from hal.hardware_settings import LightSettings, SoundSettings, UsbSettings
from hal.keys.key_records import Change, Reader
from hal.ports import BUTTONS, Edge
from hal.sound.dfplayer import SoundModule
from hal.stamps import LATEST, edge_time
from hal.supervised_thread import start_supervised
from hal.usb import usb_link
from hal.usb.messages import Lines, encode
from hal.usb.usb_link import LOST, UsbLink
from hal.wled import wled_lights
from tests.dfplayer import Player
from tests.mutations import mutated
from tests.pads import EV_ABS, EV_KEY, EV_SYN, SYN_DROPPED, record
from tests.patience import TIMEOUT_S, until

HELLO = ("hello", "1", "1.0", "e6614c311b7e6f35", ",".join(BUTTONS), "1", "0", "0")
BOARD = encode(*HELLO) + (
    b"e 1 4 1*eed6\nt 1 4 1 1*55b6\ne 2 14 0*070e\nok 1*3810\nt 2 503 2 0*dc8f\n"
    b"t 3 1004 2 0*2d3f\nok 2*69aa\nt 4 1504 2 0*19e1\nok 3*593c\n"
)
"""What the firmware sent while two buttons were pressed and a picture was shown."""
MODULE = Player().power_on() + b"".join(
    Player().receive(bytes.fromhex(sent))
    for sent in ("7eff0609010002fef1ef", "7eff060601001efed6ef", "7eff0612010001fee7ef")
)
KEYS = b"".join(
    record(*each, at=5.0)
    for each in ((EV_KEY, 79, 1), (EV_SYN, 0, 0), (EV_SYN, SYN_DROPPED, 0), (EV_ABS, 16, -1))
)
PAGE = b'HTTP/1.0 200 OK\r\nServer: x\r\n\r\n{"name": "table", "leds": {"count": 633}}'


@st.composite
def strange_lines(draw: st.DrawFn) -> bytes:
    """Return some of the board's lines, one word of each replaced, with right checksums."""
    said = b""
    for known in draw(st.lists(st.sampled_from(list(Lines().feed(BOARD))), max_size=6)):
        words = list(known)
        place = draw(st.integers(0, len(words) - 1))
        words[place] = draw(st.sampled_from(("9" * 5000, "-1", "", "1e9", "x" * 5000, "_1", "0")))
        said += encode(*draw(st.sampled_from((words, list(known)))))
    return said


@pytest.fixture
def no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = SimpleNamespace(join=lambda seconds: None)
    monkeypatch.setattr(usb_link, "start_supervised", lambda *work: idle)


@pytest.mark.usefixtures("no_thread")
@given(st.lists(st.one_of(mutated(BOARD), strange_lines()), min_size=1, max_size=4))
def test_a_usb_hub(said: list[bytes]) -> None:
    """At worst it is lost; edges are of buttons that exist, and complaints are short."""
    heard: list[Edge] = []
    troubles: list[DeviceError | None] = []
    ticks = iter(range(1_000_000))
    link = UsbLink(UsbSettings(port="/dev/board"), lambda: next(ticks) / 10)
    link.on_edge, link.on_state = heard.append, troubles.append
    pieces = iter(said)

    def read(port: object, seconds: float) -> bytes:
        for piece in pieces:
            return piece
        raise OSError("unplugged")

    link._read = read  # type: ignore[method-assign]
    board: Any = SimpleNamespace(port="/dev/board", write=len)
    try:
        link._talk(board)
    except (DeviceError, *LOST) as error:
        troubles.append(error if isinstance(error, DeviceError) else None)
    finally:
        link.close()
        os.close(link._woken)

    assert {edge.button for edge in heard} <= {*BUTTONS}
    assert all(len(str(trouble)) < 300 for trouble in troubles)


@given(st.lists(st.one_of(mutated(MODULE), st.binary()), max_size=4))
def test_a_sound_module(said: list[bytes]) -> None:
    """It goes on being spoken to, and is waited for no longer than a real one."""
    module = SoundModule(SoundSettings(), 1.0, 0.0)
    for now, data in enumerate(said, 3):
        module.play("whistle", now)
        module.next(now)
        module.receive(data, now)
        wake = module.wake(now)
        assert wake is None or wake < now + 60
        assert len(str(module.trouble())) < 300


@given(st.lists(st.one_of(mutated(KEYS), st.binary()), max_size=4))
def test_a_keyboard(said: list[bytes]) -> None:
    """Each change has a time near the present one."""
    reader = Reader()
    for data in said:
        for change in reader.feed(data):
            assert isinstance(change, Change) or not reader._dropping
            assert 5.0 - LATEST <= edge_time(change.stamp, 5.0) <= 5.0


@given(st.one_of(mutated(PAGE), st.binary()))
def test_a_wled(said: bytes) -> None:
    """Its page is a controller's, or it is none."""
    settings = LightSettings(address="wled.local")
    answer = io.BytesIO(said).read
    link = SimpleNamespace(sendall=len, settimeout=bool, recv=answer, close=lambda: None)

    with pytest.MonkeyPatch.context() as patch, suppress(DeviceMissing):
        patch.setattr(wled_lights.socket, "create_connection", lambda *to: closing(link))
        wled_lights._check(settings, wled_lights._request("wled.local", "json/info"))


@pytest.fixture
def board(tmp_path: Path) -> Iterator[int]:
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    (tmp_path / "board").symlink_to(os.ttyname(theirs))
    yield ours
    os.close(ours)
    os.close(theirs)


@pytest.mark.real_time("a thread that reads a device")
@pytest.mark.parametrize("place", [1, 6, 7], ids=["protocol", "edges", "down"])
def test_a_greeting_with_a_number_of_5000_digits(tmp_path: Path, board: int, place: int) -> None:
    """It is trouble, and the next greeting is heard by the same thread."""
    strange = list(HELLO)
    strange[place] = "9" * 5000
    link = UsbLink(UsbSettings(port=str(tmp_path / "board")), monotonic)

    def greet(hello: Sequence[str]) -> None:
        if select([board], [], [], 0)[0] and b"hi" in os.read(board, 4096):
            os.write(board, encode(*hello))

    try:
        until(lambda: greet(strange) or link.tried)
        assert isinstance(link.trouble, DeviceLost)
        until(lambda: greet(HELLO) or link.hello)
    finally:
        link.close()


@pytest.mark.real_time("a thread that is restarted")
def test_a_thread_that_fails_is_trouble_and_begins_again() -> None:
    """As often as it fails, also if nobody can be told; until its work is done."""
    fails = iter([ZeroDivisionError("no"), KeyError("neither"), None])
    troubles: list[str] = []
    pauses: list[float] = []

    def work() -> None:
        if (error := next(fails)) is not None:
            raise error

    def report(trouble: DeviceError) -> None:
        troubles.append(str(trouble))
        raise OSError("the page is gone")

    thread = start_supervised("buttons", work, report, pauses.append)
    thread.join(TIMEOUT_S)

    assert not thread.is_alive()
    assert ["ZeroDivisionError", "KeyError"] == [t.split("(")[1].split(")")[0] for t in troubles]
    assert pauses == sorted(pauses)
    assert 2 == len(pauses)


def test_the_recorded_traffic_is_real() -> None:
    """All of it is understood."""
    assert 10 == len(list(Lines().feed(BOARD)))
