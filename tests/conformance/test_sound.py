"""The contract of the Sound port, checked for every backend."""

from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path
from threading import Event
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from hal.hardware_settings import HardwareSettings, SoundSettings, UsbSettings
from hal.ports import CUES, Clip, ClipSequence, Sound
from hal.sound.alsa_sound import AlsaSound
from hal.sound.serial_sound import SerialSound
from hal.system_clock import SystemClock
from hal.usb.usb_drivers import open_sound
from hal.usb.usb_link import acquire, release
from hal.voice import clips
from hal.voice.library import EDITION, Library
from sim.sound import SimSound
from tests.dfplayer import Player, PtyPlayer
from tests.patience import TIMEOUT_S, until
from tests.pico import Pico, needs_micropython
from tests.speakers import STEP, PipeCard, flat_cue
from tests.troubles import Reports

pytestmark = pytest.mark.real_time("threads that read and write devices")

SEAT = Clip("seat/1", "seat one", 0.0, None, 11, 20)
SENTENCE = ClipSequence(
    "en",
    (
        Clip("number/3", "three", 0.0, None, 10, 4),
        Clip("phrase/tiles-each", "tiles each", 0.25, None, 12, 1),
        Clip("name/ann", "Ann", 0.0, SEAT, 18),
    ),
)
PLACES = {(10, 4): "number/3", (12, 1): "phrase/tiles-each", (11, 20): "seat/1"}
SPOKEN = ("number/3", "phrase/tiles-each", "name/ann")


class Rig(NamedTuple):
    """A backend, and a way to hear it: `heard` is every cue so far, in order."""

    sound: Sound
    heard: Callable[[], list[str]]
    wait_for: Callable[[Callable[[list[str]], bool]], None]
    loudness: Callable[[], float]
    unplug: Callable[[], None]
    plug: Callable[[], None]
    reports: Reports
    said: Callable[[], list[str]]
    """The key of every clip so far."""
    wait_said: Callable[[Callable[[list[str]], bool]], None]
    names: bool = True
    """True if it can say names, not only seats."""


QUICK = SoundSettings(volume=1.0, gap_s=0.0, startup_s=0.0, answer_s=2.0)


def on_a_module(
    sound: Sound, module: PtyPlayer, reports: Reports, device: PtyPlayer | Pico
) -> Iterator[Rig]:
    """Return a backend on a module, with the device that can be unplugged."""
    module.player.folders = {10: 200, 11: 30, 12: 200}

    def heard(player: Player | None = None) -> list[str]:
        return [CUES[track - 1] for track in (player or module.player).played]

    def loudness() -> float:
        return (module.player.volume or 0) / 30

    def said(player: Player | None = None) -> list[str]:
        return [PLACES[place] for place in (player or module.player).said]

    yield Rig(
        sound,
        heard,
        lambda what: module.wait_for(lambda player: what(heard(player))),
        loudness,
        device.unplug,
        device.plug if isinstance(device, PtyPlayer) else device.replug,
        reports,
        said,
        lambda what: module.wait_for(lambda player: what(said(player))),
        False,
    )
    sound.close()
    device.close()
    module.close()


def serial(tmp_path: Path, ack: bool) -> Iterator[Rig]:
    module, reports = PtyPlayer(tmp_path / "port"), Reports()
    settings = replace(QUICK, port=str(module.path), ack=ack)
    sound = SerialSound(settings, reports, waits=lambda: repeat(0.01))
    return on_a_module(sound, module, reports, module)


def serial_with_ack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    return serial(tmp_path, True)


def serial_without_ack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    return serial(tmp_path, False)


def usb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    """A module behind the real firmware; unplugging the cable cuts its supply too."""
    module, reports = PtyPlayer(tmp_path / "uart"), Reports()
    board = Pico(tmp_path)
    settings = HardwareSettings(sound=QUICK, usb=UsbSettings(port=str(board.port)))
    link = acquire(settings.usb, SystemClock().now)
    until(lambda: link.hello)
    sound = open_sound(settings, reports, SystemClock())
    release(link)
    return on_a_module(sound, module, reports, board)


def alsa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    card = PipeCard(tmp_path, monkeypatch)
    (tmp_path / "proc/asound/Hub").mkdir(parents=True)
    reports = Reports()
    mended = Event()
    mended.set()
    settings = SoundSettings(driver="alsa", device="hub:CARD=Hub", volume=1.0)
    folder = tmp_path / "clips" / f"nobody's-en-{EDITION}"
    for number, key in enumerate(SPOKEN, start=1):
        clips.write(folder / f"{key}.wav", clips.array("h", [-STEP * number] * 4000))
    sound = AlsaSound(
        settings,
        reports,
        flat_cue,
        tmp_path,
        pause=lambda seconds: mended.wait(TIMEOUT_S),
        library=Library(tmp_path / "clips", synthesizer="nobody's"),
    )

    def cues(levels: list[tuple[int, int]]) -> list[str]:
        return [CUES[round(left / STEP) - 1] for left, right in levels if left == right > 0]

    def said(levels: list[tuple[int, int]]) -> list[str]:
        return [SPOKEN[round(-left / STEP) - 1] for left, right in levels if left == right < 0]

    def unplug() -> None:
        mended.clear()
        (tmp_path / "proc/asound/Hub").rmdir()

    def plug() -> None:
        (tmp_path / "proc/asound/Hub").mkdir()
        mended.set()

    yield Rig(
        sound,
        lambda: cues(card.heard),
        lambda what: card.wait_for(lambda levels: what(cues(levels))),
        lambda: card.heard[-1][0] / (STEP * len(CUES)),
        unplug,
        plug,
        reports,
        lambda: said(card.heard),
        lambda what: card.wait_for(lambda levels: what(said(levels))),
    )
    mended.set()
    sound.close()
    card.close()


def simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    reports = Reports()
    sound = SimSound(reports)

    def wait_for(what: Callable[[list[str]], bool]) -> None:
        assert what(sound.played)

    def said() -> list[str]:
        return [clip.key for sentence in sound.said for clip in sentence.clips]

    def wait_said(what: Callable[[list[str]], bool]) -> None:
        assert what(said())

    yield Rig(
        sound,
        lambda: sound.played,
        wait_for,
        lambda: sound.volume,
        sound.unplug,
        sound.plug,
        reports,
        said,
        wait_said,
    )


@pytest.fixture(
    params=[
        simulated,
        serial_with_ack,
        serial_without_ack,
        pytest.param(usb, marks=needs_micropython),
        alsa,
    ]
)
def rig(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Rig]:
    yield from request.param(tmp_path, monkeypatch)


def play_and_hear(rig: Rig, cue: str) -> None:
    rig.sound.play(cue)
    rig.wait_for(lambda heard: heard[-1:] == [cue])


def test_every_cue_can_be_heard(rig: Rig) -> None:
    """Each cue sounds, in the order of asking, and none for another."""
    for cue in CUES:
        play_and_hear(rig, cue)

    assert list(CUES) == rig.heard()
    assert [] == rig.reports.all


def test_an_unknown_cue_is_refused(rig: Rig) -> None:
    with pytest.raises(ValueError, match="wistle"):
        rig.sound.play("wistle")
    play_and_hear(rig, "knock")

    assert ["knock"] == rig.heard()


@pytest.mark.parametrize("volume", [1.0, 0.5])
def test_volume_holds_for_all_later_cues(rig: Rig, volume: float) -> None:
    """Half the volume is half as loud, for every cue from then on."""
    rig.sound.set_volume(volume)
    rig.sound.play(CUES[-1])
    rig.wait_for(lambda heard: len(heard) == 1)

    assert volume == pytest.approx(rig.loudness(), abs=0.02)


@pytest.mark.parametrize("volume", [-0.1, 1.1])
def test_a_volume_beyond_its_range_is_refused(rig: Rig, volume: float) -> None:
    with pytest.raises(ValueError, match="volume"):
        rig.sound.set_volume(volume)


def test_nothing_sounds_after_close(rig: Rig) -> None:
    """Also if it is closed twice."""
    play_and_hear(rig, "round")
    rig.sound.close()
    rig.sound.play("finish")
    rig.sound.set_volume(0.1)
    rig.sound.close()

    assert ["round"] == rig.heard()


def test_a_device_that_fails_is_reported_once_and_comes_back(rig: Rig) -> None:
    """Only the cues in between are lost, and play never raises."""
    play_and_hear(rig, "round")
    rig.unplug()
    rig.sound.play("join")
    rig.reports.wait_for(lambda troubles: bool(troubles))
    rig.sound.play("undo")
    rig.plug()
    rig.reports.wait_for(lambda troubles: troubles[-1].message == "")
    play_and_hear(rig, "finish")

    failed, well = rig.reports.all
    assert ("sound", "sound", "") == (failed.device, well.device, well.message)
    assert failed.message.endswith(".")
    assert "join" not in rig.heard()
    assert ["round", "finish"] == [cue for cue in rig.heard() if cue != "undo"]


def say(rig: Rig) -> list[str]:
    """Say the sentence once its clips exist; return the keys expected to be heard."""
    for _ in range(int(TIMEOUT_S / 0.01)):
        if (seconds := rig.sound.say(SENTENCE)) is not None:
            break
        Event().wait(0.01)
    assert seconds
    return [*SPOKEN[:-1], "name/ann" if rig.names else "seat/1"]


def test_a_sentence_is_said_clip_by_clip(rig: Rig) -> None:
    """In order, with its length; people without a recorded name are called by their seat."""
    rig.sound.prepare(SENTENCE)
    wanted = say(rig)
    rig.wait_said(lambda said: said == wanted)
    play_and_hear(rig, "knock")

    assert wanted == rig.said()
    assert [] == rig.reports.all


def test_a_cue_waits_for_no_word(rig: Rig) -> None:
    """The cue comes at once, and the rest of the sentence is dropped."""
    wanted = say(rig)
    play_and_hear(rig, "whistle")
    said = len(rig.said())
    play_and_hear(rig, "knock")

    assert said == len(rig.said())
    assert wanted[:said] == rig.said()


def test_nothing_is_said_after_close(rig: Rig) -> None:
    rig.sound.close()

    assert 0.0 == rig.sound.say(SENTENCE)
    assert [] == rig.said()
