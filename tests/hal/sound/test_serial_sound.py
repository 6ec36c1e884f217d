"""The serial adapter on real pseudo-terminals: ports that are missing, busy, lost and back."""

import os
import sys
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path
from threading import Event

import msgspec
import pytest
import serial

from hal.device_errors import DeviceBusy, DeviceLost, DeviceMissing
from hal.hardware_settings import SoundSettings
from hal.sound.serial_sound import SerialSound, open_port, probe
from tests.dfplayer import Player, PtyPlayer, frame
from tests.patience import TIMEOUT_S
from tests.troubles import Reports

pytestmark = pytest.mark.real_time("threads that read and write devices")

Start = Callable[..., SerialSound]


@pytest.fixture
def module(tmp_path: Path) -> Iterator[PtyPlayer]:
    made = PtyPlayer(tmp_path / "port")
    yield made
    made.close()


@pytest.fixture
def reports() -> Reports:
    return Reports()


@pytest.fixture
def start(module: PtyPlayer, reports: Reports) -> Iterator[Start]:
    """Start the adapter on the module's port, with short timeouts."""
    opened: list[SerialSound] = []

    def start(**changes: object) -> SerialSound:
        quick = SoundSettings(port=str(module.path), volume=1.0, gap_s=0.0, startup_s=0.0)
        settings = msgspec.structs.replace(quick, **changes)
        opened.append(SerialSound(settings, reports, waits=lambda: repeat(0.01)))
        return opened[-1]

    yield start
    for sound in opened:
        sound.close()


def test_the_start_up_message_is_waited_for(module: PtyPlayer, start: Start) -> None:
    """The module says that it has started, and is set up then."""
    start(startup_s=60.0)
    module.say(module.player.power_on())
    module.wait_for(lambda player: player.heard == [(0x09, 2), (0x06, 30)])


@pytest.mark.parametrize("fault", ["deaf", "garbles", "loses"])
def test_a_bad_line_is_made_good(module: PtyPlayer, start: Start, fault: str) -> None:
    """Lost bytes, wrong checksums and no answer at all: the cue is played in the end."""
    sound = start(answer_s=0.05)
    module.wait_for(lambda player: player.volume == 30)
    setattr(module.player, fault, 1)
    sound.play("knock")
    module.wait_for(lambda player: player.played[-1:] == [3])


def test_noise_and_answers_in_pieces_are_understood(
    module: PtyPlayer, start: Start, reports: Reports
) -> None:
    """A removed card is reported, though the message comes byte by byte out of rubbish."""
    start()
    module.wait_for(lambda player: player.volume == 30)
    for byte in b"\x7e\xff\x00" + frame(0x3B, 2):
        module.say(bytes([byte]))
    reports.wait_for(lambda troubles: "no card" in troubles[-1].message if troubles else False)


def test_a_missing_track_is_reported_as_a_sentence(
    module: PtyPlayer, start: Start, reports: Reports
) -> None:
    """The page can say which file to copy."""
    module.player.tracks = 2
    start().play("knock")
    reports.wait_for(lambda troubles: bool(troubles))

    assert (
        "The sound module's card lacks track 3 (knock); "
        "copy the files of `centerpiece sounds export` to it again."
    ) == reports.all[0].message


def test_a_module_that_never_answers_is_reported(
    module: PtyPlayer, start: Start, reports: Reports
) -> None:
    """Once, with what to look at; and again when it is well."""
    module.player.deaf = 10_000
    start(answer_s=0.01)
    reports.wait_for(lambda troubles: len(troubles) == 1)
    module.player.deaf = 0
    module.say(module.player.power_on())
    reports.wait_for(lambda troubles: len(troubles) == 2)

    assert "does not answer" in reports.all[0].message
    assert "" == reports.all[1].message


def test_volume_survives_unplugging(module: PtyPlayer, start: Start, reports: Reports) -> None:
    """A module that comes back is as loud as the table wants it."""
    sound = start()
    sound.set_volume(0.5)
    module.wait_for(lambda player: player.volume == 15)
    module.unplug()
    reports.wait_for(lambda troubles: len(troubles) == 1)
    module.player.volume = None
    module.plug()
    module.wait_for(lambda player: player.volume == 15)


def test_a_port_that_stays_away_is_reported_once(
    module: PtyPlayer, start: Start, reports: Reports
) -> None:
    """However often it is tried, and whatever is played meanwhile."""
    sound = start()
    module.unplug()
    reports.wait_for(lambda troubles: len(troubles) == 1)
    for _ in range(50):
        sound.play("whistle")
    sound.close()

    assert 1 == len(reports.all)
    assert "plug it in again" in reports.all[0].message


def test_a_port_that_is_not_there_is_an_error_at_the_start(tmp_path: Path) -> None:
    """It names the port and the setting that brings it."""
    with pytest.raises(DeviceMissing, match="enable_uart=1") as caught:
        SerialSound(SoundSettings(port=str(tmp_path / "none")), Reports())

    assert str(tmp_path / "none") in str(caught.value)


def test_a_file_that_is_no_port_is_an_error_at_the_start(tmp_path: Path) -> None:
    """A wrong path in the config is told from a missing device."""
    (tmp_path / "file").touch()
    with pytest.raises(DeviceMissing, match=r"must name a serial port"):
        open_port(SoundSettings(port=str(tmp_path / "file")))


def test_a_port_in_use_is_an_error_at_the_start(module: PtyPlayer) -> None:
    """The serial console, say: the sentence says how to switch it off."""
    settings = SoundSettings(port=str(module.path))
    with open_port(settings), pytest.raises(DeviceBusy, match="console"):
        open_port(settings)


def test_a_missing_library_is_an_error_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install."""
    monkeypatch.setitem(sys.modules, "serial", None)
    with pytest.raises(DeviceMissing, match="pip install"):
        open_port(SoundSettings())


def test_the_doctor_hears_a_module_that_answers(module: PtyPlayer) -> None:
    """A sign of life, whichever way it comes."""
    settings = SoundSettings(port=str(module.path), startup_s=0.0, answer_s=5.0)

    probe(settings)

    assert [0x42] == [command for command, _ in module.player.heard][:1]


def test_the_doctor_expects_no_answer_where_none_is_asked_for(module: PtyPlayer) -> None:
    """With `ack = false` the port is opened, and nothing is said."""
    probe(SoundSettings(port=str(module.path), ack=False))

    assert [] == module.player.heard


def test_the_doctor_hears_a_module_without_a_card(module: PtyPlayer) -> None:
    """Opening discards what was said before, so the module speaks when it is asked."""
    module.player = Player(card=False)
    module.player.noise = module.player.power_on()
    settings = SoundSettings(port=str(module.path), startup_s=0.0, answer_s=5.0)

    with pytest.raises(DeviceLost, match="no card"):
        probe(settings)


def test_the_doctor_gives_up_on_a_dead_module(module: PtyPlayer) -> None:
    """It takes a few patient questions, and ends."""
    module.player.deaf = 10_000
    settings = SoundSettings(port=str(module.path), startup_s=0.0, answer_s=0.01, gap_s=0.0)

    with pytest.raises(DeviceLost, match="does not answer"):
        probe(settings)


def test_a_port_that_cannot_even_be_closed_does_not_end_the_thread(
    start: Start, module: PtyPlayer, reports: Reports, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some drivers fail at everything once the plug is out."""
    sound = start()
    module.wait_for(lambda player: player.volume == 30)
    closed = Event()

    def fail(self: serial.Serial) -> None:
        os.close(self.fd)
        self.fd, self.is_open = None, False
        closed.set()
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(serial.Serial, "close", fail)
        module.unplug()
        assert closed.wait(TIMEOUT_S)
    module.plug()
    reports.wait_for(lambda troubles: len(troubles) == 2)
    sound.play("knock")
    module.wait_for(lambda player: player.played == [3])


def test_the_doctor_counts_the_words_on_a_card(module: PtyPlayer) -> None:
    """As many tracks as the version is; a card without words has none."""
    module.player.folders = {19: 2}
    settings = SoundSettings(port=str(module.path), startup_s=0.0, answer_s=5.0)

    assert {19: 2, 29: 0} == probe(settings, words={19: 3, 29: 1})
