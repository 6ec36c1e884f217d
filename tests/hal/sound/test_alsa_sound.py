"""The ALSA adapter beyond the port's contract: loading, cards, remedies."""

import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from hal.device_errors import DeviceBusy, DeviceLost, DeviceMissing
from hal.hardware_settings import SoundSettings
from hal.ports import CUES, TRACKS, Clip, ClipSequence
from hal.sound.alsa_sound import PHRASE_PAUSE_S, AlsaSound, check_card, device_error
from hal.sound.no_sound import NoSound
from hal.voice import clips
from hal.voice.library import EDITION, Library
from tests.patience import TIMEOUT_S, until
from tests.speakers import STEP, PipeCard, flat_cue
from tests.troubles import Reports

pytestmark = pytest.mark.real_time("threads that read and write devices")

SETTINGS = SoundSettings(driver="alsa", device="hub", volume=1.0)


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PipeCard]:
    made = PipeCard(tmp_path, monkeypatch)
    yield made
    made.close()


def test_every_cue_is_loaded_before_it_is_asked_for(card: PipeCard) -> None:
    """Loading happens once, in the background."""
    loaded: list[str] = []
    all_loaded = Event()

    def samples(cue: str) -> "array[int]":
        loaded.append(cue)
        if len(loaded) == len(CUES):
            all_loaded.set()
        return flat_cue(cue)

    sound = AlsaSound(SETTINGS, Reports(), samples)
    assert all_loaded.wait(TIMEOUT_S)
    sound.play("whistle")
    card.wait_for(lambda heard: bool(heard))
    sound.close()

    assert sorted(CUES) == sorted(loaded)


def test_a_cue_asked_for_while_loading_does_not_wait_for_the_others(card: PipeCard) -> None:
    """The first whistle of the evening comes before the fanfare is ready."""
    loaded: list[str] = []
    first, go_on = Event(), Event()

    def samples(cue: str) -> "array[int]":
        loaded.append(cue)
        if len(loaded) == 1:
            first.set()
            assert go_on.wait(TIMEOUT_S)
        return flat_cue(cue)

    sound = AlsaSound(SETTINGS, Reports(), samples)
    assert first.wait(TIMEOUT_S)
    sound.play("finish")
    go_on.set()
    card.wait_for(lambda heard: bool(heard))
    sound.close()

    assert ["whistle", "finish"] == loaded[:2]
    level = STEP * TRACKS["finish"]
    assert (level, level) == card.heard[0]


def test_what_is_being_heard_can_be_silenced(card: PipeCard) -> None:
    """A volume holds at once, not only for the next cue."""
    sound = AlsaSound(SETTINGS, Reports(), flat_cue)
    sound.play("whistle")
    card.wait_for(lambda heard: bool(heard))
    channel = sound._mixer.Channel(0)
    before = channel.get_volume()
    sound.set_volume(0.0)
    until(lambda: channel.get_volume() == 0.0)
    sound.close()

    assert 1.0 == before


def test_what_is_said_next_is_held_until_it_has_been_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Pygame lets go of a queued sound twice when a cue comes between: were nobody else to hold it,
    the whole hub would crash.
    """
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")  # as slow as real sound
    monkeypatch.setattr("hal.sound.alsa_sound.CLOSING_S", TIMEOUT_S)
    long = array("h", [STEP]) * (60 * 44_100)
    clips.write(tmp_path / f"nobody's-en-{EDITION}/phrase/long.wav", long)
    library = Library(tmp_path, synthesizer="nobody's")
    sound = AlsaSound(SETTINGS, Reports(), flat_cue, library=library)
    said = ClipSequence("en", (Clip("phrase/long", "long", PHRASE_PAUSE_S),) * 3)
    until(lambda: bool(sound.say(said)))
    channel = sound._mixer.Channel(0)
    until(lambda: channel.get_queue() is not None)

    assert [channel.get_sound(), channel.get_queue()] == list(sound._held)
    sound.close()


def test_both_loudspeakers_play(card: PipeCard) -> None:
    """Cues are mono; an amplifier may listen to either side."""
    sound = AlsaSound(SETTINGS, Reports(), flat_cue)
    sound.play("knock")
    card.wait_for(lambda heard: bool(heard))
    sound.close()

    assert (3 * STEP, 3 * STEP) == card.heard[0]


def test_a_cue_that_cannot_be_made_is_reported(card: PipeCard) -> None:
    """A defect in a sound is trouble on the page, not the end of the evening."""
    reports = Reports()
    broken = Event()
    broken.set()

    def samples(cue: str) -> "array[int]":
        if broken.is_set():
            raise ArithmeticError("no such tone")
        return flat_cue(cue)

    tries: list[float] = []

    def pause(seconds: float) -> None:
        tries.append(seconds)
        if len(tries) == 3:
            broken.clear()

    sound = AlsaSound(SETTINGS, reports, samples, pause=pause)
    reports.wait_for(lambda troubles: any("no such tone" in t.message for t in troubles))
    reports.wait_for(lambda troubles: troubles[-1].message == "" and len(tries) >= 3)
    sound.play("knock")
    card.wait_for(lambda heard: (3 * STEP, 3 * STEP) in heard)
    sound.close()

    assert "" == reports.all[-1].message


def test_a_card_that_stays_away_is_reported_once(card: PipeCard, tmp_path: Path) -> None:
    """Even though it is retried with growing pauses."""
    reports, tries = Reports(), []
    folder = tmp_path / "proc/asound/Hub"
    folder.mkdir(parents=True)

    def pause(seconds: float) -> None:
        tries.append(seconds)
        if len(tries) == 4:
            folder.mkdir()

    settings = SoundSettings(driver="alsa", device="hub:CARD=Hub", volume=1.0)
    sound = AlsaSound(settings, reports, flat_cue, tmp_path, pause)
    folder.rmdir()
    sound.play("knock")
    reports.wait_for(lambda troubles: len(troubles) == 2)
    sound.close()

    assert [0.5, 1.0, 2.0, 4.0] == tries
    assert "'hub:CARD=Hub' is not there" in reports.all[0].message
    assert "" == reports.all[1].message


def test_a_card_that_is_not_there_is_an_error_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence says where the right name is found."""
    monkeypatch.setenv("SDL_AUDIODRIVER", "alsa")
    monkeypatch.setenv("AUDIODEV", "")
    settings = SoundSettings(driver="alsa", device="no-such-card")
    with pytest.raises(DeviceMissing, match="aplay -L"):
        AlsaSound(settings, Reports(), flat_cue, tmp_path)


def test_a_card_in_use_is_not_a_missing_one() -> None:
    """Most often a hub that runs has it."""
    said = "ALSA: Couldn't open audio device: Device or resource busy"

    assert isinstance(device_error(RuntimeError(said), "hw:0"), DeviceBusy)


def test_a_missing_library_is_an_error_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install."""
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(DeviceMissing, match="pygame-ce"):
        AlsaSound(SoundSettings(driver="alsa"), Reports(), flat_cue)


@pytest.mark.parametrize(
    ("device", "folder"),
    [("plughw:CARD=Amp,DEV=0", "Amp"), ("hw:1,0", "card1"), ("plughw:2", "card2")],
)
def test_a_card_is_known_by_name_or_number(
    device: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SDL plays on without a card, so the kernel's list is read."""
    monkeypatch.setenv("SDL_AUDIODRIVER", "alsa")
    with pytest.raises(DeviceLost, match="plug it in"):
        check_card(device, tmp_path)
    (tmp_path / "proc/asound" / folder).mkdir(parents=True)

    check_card(device, tmp_path)


@pytest.mark.parametrize(("device", "driver"), [("default", "alsa"), ("hw:1", "dummy")])
def test_a_card_the_kernel_cannot_name_is_taken_on_trust(
    device: str, driver: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's default, and SDL's other drivers."""
    monkeypatch.setenv("SDL_AUDIODRIVER", driver)

    check_card(device, tmp_path)


def test_a_hub_without_a_voice_still_knows_its_cues() -> None:
    """A misspelt cue is found on every backend."""
    sound = NoSound()
    sound.play("whistle")
    sound.set_volume(0.5)
    sound.close()
    with pytest.raises(ValueError, match="wistle"):
        sound.play("wistle")
    with pytest.raises(ValueError, match="volume"):
        sound.set_volume(7)
