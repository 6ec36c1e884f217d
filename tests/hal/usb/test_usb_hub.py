"""A USB hub with the real firmware: cables, supplies and versions that fail."""

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hal.boards import BOARDS, builder, completed
from hal.device_errors import DeviceError, WiringError
from hal.diagnosis import attempts, try_device
from hal.hardware_settings import HardwareSettings, LightSettings, SoundSettings, UsbSettings
from hal.ports import BUTTONS, Board, Edge
from hal.usb.find import find, open_port
from hal.usb.flash import FILES, firmware, flash
from hal.usb.flash import BoardToFlash as RawBoard
from hal.usb.messages import Lines, encode
from hal.usb.usb_sound import UsbLine
from tests.chaos.kills import Running
from tests.deploy.conftest import REPOSITORY
from tests.dfplayer import PtyPlayer
from tests.patience import TIMEOUT_S, until
from tests.pico import MICROPYTHON, SERIAL, Pico, needs_micropython
from tests.troubles import Reports
from tests.web.browsers import SLOW_HANDS

pytestmark = [needs_micropython, pytest.mark.real_time("threads that read and write devices")]

RED, GREEN = b"\xff\0\0" * 87, b"\0\xff\0" * 87


class Table:
    """A board, a hub on it, and the edges received."""

    def __init__(self, pico: Pico, **parts: Any) -> None:
        self.pico = pico
        self.reports = Reports()
        self.settings = HardwareSettings(
            usb=UsbSettings(port=str(pico.port)),
            lights=LightSettings(gamma=1.0, brightness=1.0, max_milliamps=1e6, order="RGB"),
            **{"sound": SoundSettings(driver="none")} | parts,
        )
        self.board: Board = builder("usb")(self.settings, self.reports)
        self.heard: list[Edge] = []
        self.board.buttons.listen(self.heard.append)
        self.link = self.board.buttons._link

    @property
    def moves(self) -> list[tuple[str, bool]]:
        return [(edge.button, edge.down) for edge in self.heard]

    def move(self, button: str, down: bool) -> None:
        """Move a button, and wait until the hub has received the edge."""
        before = len(self.heard)
        self.pico.move(button, down)
        until(lambda: len(self.heard) > before)

    def lost(self) -> None:
        until(lambda: self.link.hello is None)

    def back(self) -> None:
        until(lambda: self.link.hello is not None)


@pytest.fixture
def pico(tmp_path: Path) -> Iterator[Pico]:
    made = Pico(tmp_path)
    yield made
    made.close()


@pytest.fixture
def sit(pico: Pico) -> Iterator[Callable[..., Table]]:
    made: list[Table] = []

    def at(**parts: Any) -> Table:
        made.append(Table(pico, **parts))
        made[-1].back()
        return made[-1]

    yield at
    for table in made:
        table.board.close()


def test_buttons_chain_and_module_share_one_cable(
    tmp_path: Path, pico: Pico, sit: Callable[..., Table]
) -> None:
    """The board identifies itself; without the hub, the chain shows its idle glow."""
    pico.unplug()
    (tmp_path / "uart").unlink()
    module = PtyPlayer(tmp_path / "uart")
    pico.replug()
    table = sit(sound=SoundSettings(startup_s=0.0, answer_s=5.0))
    table.move("undo", True)
    table.board.lights.show(RED)
    table.board.sound.play("whistle")
    module.wait_for(lambda player: player.played == [1])
    until(lambda: RED in pico.shown())
    hello = table.link.hello
    table.board.close()
    until(lambda: pico.shown()[-1][:6] == b"\x04\x04\x04\0\0\0")
    module.close()

    assert (SERIAL, BUTTONS, True) == (hello.serial, hello.buttons, hello.sound)
    assert bytes(261) == pico.shown()[-2]
    assert [("undo", True)] == table.moves


def test_edges_have_the_boards_own_stamps(
    pico: Pico, sit: Callable[..., Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The intervals are right even if the edges arrive late and all at once."""
    monkeypatch.setattr("hal.usb.usb_link.SILENT_S", TIMEOUT_S)
    table = sit()
    until(lambda: table.link.beats)
    held: list[bytes] = []
    pico.to_computer = lambda data: held.append(data) or b""  # type: ignore[func-returns-value]

    def edges() -> list[tuple[str, ...]]:
        return [words for words in Lines().feed(b"".join(held)) if words[0] == "e"]

    pico.press("train")
    until(lambda: len(edges()) == 1)
    seen = time.monotonic()
    until(lambda: time.monotonic() > seen + 0.3)
    pico.release("train")
    until(lambda: len(edges()) == 2)
    (_, _, pressed, _), (_, _, released, _) = edges()
    pico.to_computer = bytes
    pico.say(b"".join(encode(*words) for words in edges()))
    until(lambda: len(table.heard) == 2)

    lasted = (int(released) - int(pressed)) / 1000
    assert lasted >= 0.3
    assert pytest.approx(lasted, rel=0.001) == table.heard[1].now - table.heard[0].now


def test_a_cable_pulled_in_the_middle_of_a_frame_leaves_no_torn_picture(
    pico: Pico, sit: Callable[..., Table]
) -> None:
    """The board shows whole pictures, before and after; the newest when it is back."""
    table = sit()
    table.board.lights.show(RED)
    until(lambda: RED in pico.shown())
    cut: list[bytes] = []

    def half(data: bytes) -> bytes:
        if b"f " not in data:
            return b"" if cut else data
        cut.append(data)
        return data[: len(data) // 2]

    pico.to_board = half
    table.board.lights.show(GREEN)
    until(lambda: cut)
    pico.pull()
    table.lost()
    pico.to_board = bytes
    pico.plug()
    until(lambda: GREEN in pico.shown())

    assert {RED, GREEN, bytes(261)} >= {each for each in pico.shown() if set(each) != {0, 4}}
    assert [] == table.heard


def test_garbage_and_half_messages_press_nothing(pico: Pico, sit: Callable[..., Table]) -> None:
    """On the way there and back; what is whole between them counts."""
    table = sit()
    noise = [b"\xff\x00garbage\n", b"e 1 2", encode("e", "x", 1, 2), b"*0000\n", encode("z")]
    spoil = iter(noise * 100)

    def spoilt(data: bytes) -> bytes:
        return b"\n" + next(spoil) + b"\n" + data if data else data

    pico.to_board = pico.to_computer = spoilt
    for button in ("seat-1", "undo"):
        table.move(button, True)
        table.move(button, False)
    table.board.lights.show(RED)
    until(lambda: RED in pico.shown())

    expected = [(b, down) for b in ("seat-1", "undo") for down in (True, False)]
    assert expected == table.moves


def test_an_edge_that_is_lost_is_told_and_presses_nothing(
    pico: Pico, sit: Callable[..., Table]
) -> None:
    """Its kind is unknown: buttons that are down are forgotten, and the next press counts."""
    table = sit()
    pico.to_computer = lambda data: b"" if b"e 1 " in data else data
    pico.press("seat-1")
    table.reports.wait_for(lambda troubles: len(troubles) == 2)
    pico.to_computer = bytes
    pico.release("seat-1")
    until(lambda: len(table.heard) == 1)
    table.move("seat-2", True)

    assert "Presses were lost on the way" in table.reports.all[0].message
    assert [("seat-1", False), ("seat-2", True)] == table.moves


@pytest.mark.parametrize(
    ("protocol", "words"),
    [("0", "too old .*centerpiece usb flash"), ("2", "too new .*update this program")],
)
def test_another_version_is_a_sentence(pico: Pico, protocol: str, words: str) -> None:
    """And nothing is pressed by what it says."""

    def changed(data: bytes) -> bytes:
        said = [w for w in Lines().feed(data) if w[0] == "hello"]
        return b"".join(encode("hello", protocol, *each[2:]) for each in said) or data

    pico.to_computer = changed
    table = Table(pico)
    until(lambda: any(re.search(words, each.message) for each in table.reports.all))
    pico.press("undo")
    settings = completed(table.settings, BOARDS["usb"])
    table.board.close()
    check = try_device("buttons", attempts(settings)["buttons"])

    assert "fail" == check.verdict
    assert [] == table.heard


def test_a_greeting_that_is_not_whole_is_asked_for_again(pico: Pico) -> None:
    """It is trouble, and the link lives on: the next greeting counts."""

    def short(data: bytes) -> bytes:
        said = [words for words in Lines().feed(data) if words[0] == "hello"]
        return b"".join(encode(*words[:6]) for words in said) or data

    pico.to_computer = short
    table = Table(pico)
    table.reports.wait_for(lambda all_: any("greeting" in each.message for each in all_))
    pico.to_computer = bytes
    table.back()
    table.move("undo", True)
    table.board.close()

    assert [("undo", True)] == table.moves


def test_what_a_module_says_to_a_line_that_is_closed_goes_nowhere(tmp_path: Path) -> None:
    """The pipe's number may be that of another file by then, the journal's even."""
    link = SimpleNamespace(on_sound=None)
    line = UsbLine(link)  # type: ignore[arg-type]
    came, numbers = link.on_sound, {line._out, line._into}
    line.close()
    files = [(tmp_path / str(n)).open("wb") for n in range(4)]
    taken = {file.fileno() for file in files} & numbers
    came(b"$$$")
    for file in files:
        file.close()

    assert taken
    assert [0] * 4 == [(tmp_path / str(n)).stat().st_size for n in range(4)]


def test_a_flood_of_edges_arrives_whole_and_in_order(pico: Pico, sit: Callable[..., Table]) -> None:
    """Every button at once, again and again: each goes down and up in turn, none is stuck."""
    table = sit()
    *flooded, last = BUTTONS
    for turn in range(60):
        for button in flooded:
            pico.move(button, turn % 2 == 0)
    pico.press(last)
    until(lambda: (last, True) in table.moves)

    for button in flooded:
        mine = [edge for edge in table.heard if edge.button == button]
        assert [n % 2 == 0 for n in range(len(mine))] == [edge.down for edge in mine]
        assert sorted(edge.now for edge in mine) == [edge.now for edge in mine]
        assert len(mine) % 2 == 0
    assert [] == table.reports.all


def test_buttons_are_looked_at_at_every_step_of_a_frame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is read, before it is decoded, before it is shown, and after: a step takes 3 ms."""
    monkeypatch.setenv("LOOKS", "1")
    pico = Pico(tmp_path)
    table = Table(pico)
    table.back()
    for frame in (RED, GREEN) * 5:
        table.board.lights.show(frame)
        until(lambda frame=frame: frame == pico.shown()[-1])
    table.board.close()
    pico.close()
    between = (tmp_path / "looks").read_text().split("w")[2:-1]

    assert len(between) >= 9
    assert min(map(len, between)) >= 3


@pytest.mark.parametrize("size", ["0", "2", "-3", "262", "4002", "99999999999", "many"])
def test_an_impossible_chain_is_refused(size: str, pico: Pico, sit: Callable[..., Table]) -> None:
    """The board goes on with the chain that it has."""
    table = sit()
    table.link.send("chain", size)
    table.board.lights.show(RED)
    until(lambda: RED in pico.shown())
    table.move("undo", True)

    assert not (pico.folder / "resets").exists()


def test_a_program_that_fails_resets_the_board(pico: Pico, sit: Callable[..., Table]) -> None:
    """It would stay at MicroPython's prompt for ever; Ctrl-C still leads there."""
    table = sit(sound=SoundSettings(driver="usb"))
    (pico.folder / "broken").touch()
    table.reports.wait_for(lambda all_: bool(all_))

    until((pico.folder / "resets").exists)
    assert "reset\n" == (pico.folder / "resets").read_text()


def test_a_clock_that_wraps_is_not_noticed(tmp_path: Path) -> None:
    """Its count of milliseconds begins anew after 12.4 days."""
    pico = Pico(tmp_path, ticks=(1 << 30) - 1000)
    table = Table(pico)
    table.back()
    until(lambda: table.link.beats)
    stamps = []
    begun = time.monotonic()
    while time.monotonic() < begun + 1.5 or len(stamps) < 4:
        before = time.monotonic()
        table.move("seat-3", len(stamps) % 2 == 0)
        stamps.append((before, table.heard[-1].now, time.monotonic()))
        until(lambda before=before: time.monotonic() > before + 0.2)
    table.board.close()
    pico.close()

    # A turn that was missed would be 12 days; how well the clocks agree, other tests tell.
    assert all(before - TIMEOUT_S <= at <= after for before, at, after in stamps)


def test_two_hubs_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the serial numbers that USB has of them; without one, nobody guesses."""
    other = "e6614c311b7e0000"
    ports = [
        SimpleNamespace(device="/dev/ttyACM1", vid=0x2E8A, serial_number=SERIAL.upper()),
        SimpleNamespace(device="/dev/ttyACM0", vid=0x2E8A, serial_number=other),
        SimpleNamespace(device="/dev/ttyUSB0", vid=0x1A86, serial_number=None),
    ]
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: ports)

    assert "/dev/ttyACM1" == find(UsbSettings(serial=SERIAL))
    assert "/dev/ttyACM0" == find(UsbSettings(serial=other.upper()))
    with pytest.raises(WiringError, match=f"{other} at /dev/ttyACM0, {SERIAL} at /dev/ttyACM1"):
        find(UsbSettings())
    with pytest.raises(DeviceError, match="0815 is not plugged in"):
        find(UsbSettings(serial="0815"))
    del ports[1]
    assert "/dev/ttyACM1" == find(UsbSettings())
    del ports[0]
    with pytest.raises(DeviceError, match="no USB hub is plugged in"):
        find(UsbSettings())


def test_a_cable_that_comes_and_goes_presses_nothing(pico: Pico, sit: Callable[..., Table]) -> None:
    """With and without power loss of the board, whatever is held down meanwhile."""
    table = sit()
    table.board.lights.show(RED)
    for turn in range(4):
        table.move("advance", True)
        (pico.pull if turn % 2 else pico.unplug)()
        table.lost()
        pico.release("advance")
        pico.press("seat-5")
        (pico.plug if turn % 2 else pico.replug)()
        table.back()
        table.move("seat-5", False)
    until(lambda: pico.shown()[-1] == RED)

    assert [("advance", True), ("seat-5", False)] * 4 == table.moves


def test_a_hub_that_is_plugged_in_later_is_found_then(pico: Pico) -> None:
    """It is trouble until then; the doctor says so at once."""
    pico.pull()
    table = Table(pico)
    table.reports.wait_for(lambda troubles: {t.device for t in troubles} >= {"buttons"})
    settings = completed(table.settings, BOARDS["usb"])
    pico.plug()
    table.back()
    table.move("seat-1", True)
    table.board.close()
    well = try_device("buttons", attempts(settings)["buttons"])
    pico.pull()
    gone = try_device("lights", attempts(settings)["lights"])

    assert "is not there" in table.reports.all[0].message
    assert f"The board {SERIAL} answers (firmware 1.1, 14 buttons)." == well.sentence
    assert ("fail", True) == (gone.verdict, "is not there" in gone.sentence)


# Putting the firmware on


@pytest.fixture
def prompt(tmp_path: Path) -> Iterator[Path]:
    """A board that only has MicroPython on it; its files are those of the folder."""
    assert MICROPYTHON is not None
    folder = tmp_path / "flash"
    folder.mkdir()
    outer, slave = os.openpty()
    subprocess.run(["stty", "raw", "-echo"], stdin=slave, check=True)
    board = subprocess.Popen(
        [MICROPYTHON, f"{REPOSITORY}/tests/firmware/prompt.py"],
        stdin=outer,
        stdout=outer,
        cwd=folder,
    )
    (tmp_path / "port").symlink_to(os.ttyname(slave))
    yield tmp_path / "port"
    board.kill()
    board.wait()
    os.close(outer)
    os.close(slave)


def test_the_firmware_is_put_on_a_board_and_its_layout_is_left_alone(
    prompt: Path, tmp_path: Path
) -> None:
    """Over the prompt that every MicroPython has; twice changes nothing."""
    with open_port(str(prompt)) as port:
        first = list(flash(RawBoard(port), firmware()))
        written = {each.name: each.read_bytes() for each in (tmp_path / "flash").iterdir()}
        (tmp_path / "flash/layout.py").write_text("# mine\n")
        (tmp_path / "flash/hub.py").write_text("# older\n")
        second = list(flash(RawBoard(port), firmware()))

    assert [f"{name} is written." for name in FILES] == first
    assert firmware() == written
    assert ["layout.py is left as it is.", "hub.py is written.", "main.py is up to date."] == second
    assert firmware()["hub.py"] == (tmp_path / "flash/hub.py").read_bytes()
    assert "# mine\n" == (tmp_path / "flash/layout.py").read_text()


# A whole game


DOUBLE_MS = 100
TOUCH_S, PAUSE_S = 0.03, 0.11
"""Longer than a bounce, and than the pause within a double tap."""


class Finger:
    """Presses the board's buttons, and checks the hub's page for the result."""

    def __init__(self, pico: Pico, folder: Path) -> None:
        self._pico, self._folder = pico, folder
        self._edges = 0
        self._tail = b""
        self._let_go = 0.0
        pico.to_computer = self._count
        self.start()

    def start(self) -> None:
        config = self._folder / "hub.toml"
        config.write_text(
            f'[hardware.usb]\nport = "{self._pico.port}"\n[hardware.sound]\ndriver = "none"\n'
            f"[gestures]\ndouble_ms = {DOUBLE_MS}\n{SLOW_HANDS}"
        )
        self.hub = Running(self._folder / "data", "--hardware", "usb", "--config", str(config))
        until(lambda: not self.state["trouble"])

    @property
    def state(self) -> Any:
        return self.hub.ask("/api/state")

    def _count(self, data: bytes) -> bytes:
        self._edges += (self._tail + data).count(b"\ne ")
        self._tail = data[-2:]
        return data

    def move(self, button: str, down: bool) -> None:
        before = self._edges
        self._pico.move(button, down)
        until(lambda: self._edges > before)

    def tap(self, button: str, then: Callable[[Any], object]) -> None:
        """Wait as long as fingers do, as taps and double taps differ by time."""
        self._rest(self._let_go, PAUSE_S)
        self.move(button, True)
        self._rest(time.monotonic(), TOUCH_S)
        self.move(button, False)
        self._let_go = time.monotonic()
        until(lambda: then(self.state))

    def _rest(self, since: float, seconds: float) -> None:
        until(lambda: time.monotonic() > since + seconds)

    def hold(self, button: str, then: Callable[[Any], object]) -> None:
        self._rest(self._let_go, PAUSE_S)
        self.move(button, True)
        until(lambda: then(self.state))
        self.move(button, False)


def test_a_whole_game_is_played_through_the_firmware_with_power_cuts_on_both_sides(
    pico: Pico, tmp_path: Path
) -> None:
    """Mexican Train, by the buttons of the board alone; nothing that was shown is lost."""
    finger = Finger(pico, tmp_path)
    try:
        for seat in (1, 2, 3, 4):
            finger.tap(f"seat-{seat}", lambda s, n=seat: len(_sitting(s)) == n)
        while (rounds := finger.state["rounds"]) > 1:
            finger.tap("advance", lambda s, n=rounds: s["rounds"] != n)
        finger.hold("advance", lambda s: s["phase"] == "playing")
        finger.tap("seat-1", lambda s: not s["asks"])
        finger.tap("seat-2", lambda s: s["seats"][1]["marker"])
        finger.hub.kill()  # the computer's plug
        finger.start()
        assert finger.state["seats"][1]["marker"]
        finger.tap("train", lambda s: s["train"]["started"])
        pico.unplug()  # the board's plug
        until(lambda: finger.state["trouble"])
        pico.replug()
        until(lambda: not finger.state["trouble"])
        finger.tap("advance", lambda s: s["asks"])
        finger.tap("seat-1", lambda s: s["phase"] == "scoring")
        finger.tap("seat-7", lambda s: s["counting"]["typed"] == "7")
        finger.tap("advance", lambda s: s["counting"]["seat"] == 3)
        finger.tap("seat-8", lambda s: s["counting"]["typed"] == "8")
        finger.tap("advance", lambda s: s["counting"]["seat"] == 4)
        finger.tap("seat-9", lambda s: s["counting"]["typed"] == "9")
        finger.tap("advance", lambda s: not s["counting"])
        finger.hold("advance", lambda s: s["phase"] == "finished")
        state = finger.state
    finally:
        finger.hub.kill()

    assert ([1], [0, 7, 8, 9]) == (state["winners"], [seat["total"] for seat in _sitting(state)])


def _sitting(state: Any) -> list[Any]:
    return [seat for seat in state["seats"] if seat.get("name") is not None]
