"""Sound through the machine's own sound card: SDL's mixer, in pygame-ce.

The cues are loaded ahead, and the stream stays open, because amplifiers of the MAX98357A class
pop whenever it opens or closes. A thread loads and plays the cues and brings a lost card back, so
the loop never waits for a driver; a cue asked for before its turn is loaded on the spot.
A sentence is put together a few clips at a time while it is heard, so that it takes little memory
and a cue never waits for more than one clip to be read.
"""

import logging
import os
import re
from array import array
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Event, Thread
from typing import TYPE_CHECKING, Any

from hal.device_errors import DeviceBusy, DeviceError, DeviceLost, DeviceMissing
from hal.hardware_settings import ROOT, SoundSettings
from hal.health import Health, pauses
from hal.port_checks import check_cue, check_volume
from hal.ports import CUES, Clip, ClipSequence, Report

if TYPE_CHECKING:
    from hal.voice.library import Library

log = logging.getLogger(__name__)

RATE = 44_100
PERIOD = 256
"""Frames handed to the card at a time: 5.8 ms."""

PHRASE_PAUSE_S = 0.2
"""A pause after which the rest of a sentence may be read from the card."""
LOOKS_S = 0.05
"""How often a thread looks whether it can go on speaking."""
CLOSING_S = 1.0
GOES_ON = "it is tried again and the game goes on"


class AlsaSound:
    """The Sound port on ALSA; `samples` gives a cue, as `hal.cues` does."""

    def __init__(
        self,
        settings: SoundSettings,
        report: Report,
        samples: Callable[[str], "array[int]"],
        root: Path = ROOT,
        pause: Callable[[float], object] | None = None,
        library: "Library | None" = None,
    ) -> None:
        self._settings = settings
        self._library = library
        self._language = ""
        self._begins = True
        """Whether the next clip is the first of a sentence."""
        self._clips: deque[Clip] = deque()
        self._held: deque[Any] = deque(maxlen=2)
        """What is being said, and what is queued behind it: pygame frees a queued sound twice when
        a cue comes between, unless somebody else holds it."""
        self._root = root
        self._health = Health("sound", report)
        self._closing = Event()
        self._pause = pause or self._closing.wait
        self._asked = Condition()
        self._cue = ""
        self._volume = settings.volume
        self._turned = False
        """Whether what is being heard is to be louder, softer or silent."""
        self._make = samples
        self._samples: dict[str, bytes] = {}
        self._mixer: Any = None
        self._sounds: dict[str, Any] = {}
        self._open()
        self._thread = Thread(target=self._run, name="sound", daemon=True)
        self._thread.start()

    def play(self, cue: str) -> None:
        check_cue(cue)
        with self._asked:
            self._cue = cue
            self._clips.clear()
            self._asked.notify()

    def say(self, sentence: ClipSequence) -> float | None:
        if self._library is None or self._closing.is_set():
            return 0.0
        seconds = self._library.seconds(sentence)
        if seconds:
            with self._asked:
                self._language, self._clips = sentence.language, deque(sentence.clips)
                self._begins = True
                self._asked.notify()
        return seconds

    def prepare(self, sentence: ClipSequence) -> None:
        if self._library is not None:
            self._library.prepare(sentence)

    def set_volume(self, volume: float) -> None:
        """Also of what is being heard: who wants silence in the middle of a sentence has it."""
        check_volume(volume)
        with self._asked:
            self._volume, self._turned = volume * self._settings.volume, True
            self._asked.notify()

    def close(self) -> None:
        with self._asked:
            self._closing.set()
            self._asked.notify()
        self._thread.join(CLOSING_S)
        if self._library is not None:
            self._library.close()

    def _run(self) -> None:
        waits = pauses()
        while not self._closing.is_set():
            try:
                self._work()
            except Exception as error:
                self._fail(error)
                self._pause(next(waits))
            else:
                waits = pauses()
        self._quit()

    def _work(self) -> None:
        """Play what was asked for; else load what is not loaded yet; else wait."""
        if self._mixer is None:
            self._reopen()
        unloaded = next((cue for cue in CUES if cue not in self._sounds), "")
        with self._asked:
            while not (
                self._cue or self._clips or self._turned or unloaded or self._closing.is_set()
            ):
                self._asked.wait()
                unloaded = next((cue for cue in CUES if cue not in self._sounds), "")
            cue, self._cue = self._cue, ""
            turned, self._turned = self._turned, False
            clips = bool(self._clips)
        if self._closing.is_set():
            return
        if turned:
            self._mixer.Channel(0).set_volume(self._volume)
        if cue:
            self._sound(cue)
        elif clips:
            self._speak()
        elif unloaded:
            self._load(unloaded)

    def _speak(self) -> None:
        """The next few clips: at once, or behind those that are being heard."""
        check_card(self._settings.device, self._root)
        channel = self._mixer.Channel(0)
        with self._asked:
            if not self._begins and (queued := channel.get_queue()) is not None:
                if channel.get_busy():
                    self._asked.wait(LOOKS_S)  # what is heard, and what follows, lasts longer
                else:
                    channel.play(queued)  # queued just as the one before ended: nobody began it
                return
            begins, self._begins = self._begins, False
        sound = self._mixer.Sound(buffer=_stereo(self._breath()))
        with self._asked:
            if not (self._cue or self._begins):  # else something has come between
                channel.set_volume(self._volume)
                (channel.play if begins else channel.queue)(sound)
                self._held.append(sound)

    def _breath(self) -> "array[int]":
        """Clips up to the next pause, as one sound."""
        sound = array("h")
        while True:
            with self._asked:
                if not self._clips or self._cue or self._begins:
                    return sound
                clip, language = self._clips.popleft(), self._language
            assert self._library is not None
            sound.extend(self._library.samples(language, clip))
            sound.frombytes(bytes(2 * round(clip.pause * RATE)))
            if clip.pause >= PHRASE_PAUSE_S:
                return sound

    def _sound(self, cue: str) -> None:
        check_card(self._settings.device, self._root)
        sound = self._sounds.get(cue) or self._load(cue)
        channel = self._mixer.Channel(0)
        channel.set_volume(self._volume)
        channel.play(sound)

    def _load(self, cue: str) -> Any:
        if cue not in self._samples:
            self._samples[cue] = _stereo(self._make(cue))
        self._sounds[cue] = self._mixer.Sound(buffer=self._samples[cue])
        return self._sounds[cue]

    def _open(self) -> None:
        check_card(self._settings.device, self._root)
        self._mixer = _mixer(self._settings.device)

    def _reopen(self) -> None:
        self._open()
        self._cue = ""  # asked for while there was nobody to play it
        self._clips.clear()
        self._health.report(None)

    def _fail(self, error: Exception) -> None:
        if self._mixer is None:
            log.info("device=sound still=%r", str(error))
        elif isinstance(error, DeviceError):
            self._health.report(DeviceLost(error.problem, f"{error.remedy}; {GOES_ON}"))
        else:
            self._health.report(DeviceLost(f"the sound card fails ({error})", GOES_ON))
        self._quit()

    def _quit(self) -> None:
        if self._mixer is not None:
            self._mixer.quit()
        self._mixer = None
        self._sounds = {}


def _mixer(device: str) -> Any:
    """SDL's mixer on one ALSA device, opened as it is: nothing is changed behind our back."""
    os.environ.setdefault("SDL_AUDIODRIVER", "alsa")
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    if device != "default":
        os.environ["AUDIODEV"] = device
    try:
        from pygame import error as failure
        from pygame import mixer
    except ImportError as error:
        raise DeviceMissing(
            f"sound by ALSA needs pygame-ce ({error})",
            "install it with `pip install 'centerpiece[pi]'`, "
            "on a 32-bit system with `apt install python3-pygame`",
        ) from error
    try:
        mixer.init(RATE, -16, 2, PERIOD, allowedchanges=0)
    except failure as error:
        raise device_error(error, device) from error
    return mixer


def device_error(error: Exception, device: str) -> DeviceError:
    """What it means that a card cannot be opened; SDL only passes on ALSA's words."""
    if "busy" in str(error).lower():
        return DeviceBusy(
            f"the sound card {device!r} is in use by another program",
            "stop that program; a hub that runs: `sudo systemctl stop centerpiece`",
        )
    return DeviceMissing(
        f"the sound card {device!r} cannot be opened ({error})",
        "`aplay -L` lists the names for [hardware.sound] device, "
        "and this user must be in the group audio",
    )


def _stereo(mono: "array[int]") -> bytes:
    """The cue in the mixer's own format; cues are mono, and both loudspeakers play them."""
    both = array("h", bytes(4 * len(mono)))
    both[0::2] = both[1::2] = mono
    return both.tobytes()


def check_card(device: str, root: Path) -> None:
    """Raise DeviceLost if the kernel does not know the card: SDL plays on into the void."""
    if os.environ.get("SDL_AUDIODRIVER", "alsa") != "alsa":
        return
    named = re.search(r"CARD=(\w+)", device) or re.search(r"hw:(\w+)", device)
    if named is None:
        return  # a name of its own from asound.conf: only opening it can tell
    card = named[1]
    folder = f"card{card}" if card.isdigit() else card
    if not (root / "proc/asound" / folder).exists():
        raise DeviceLost(
            f"the sound card {device!r} is not there",
            "plug it in, or correct [hardware.sound] device (`aplay -L` lists the names)",
        )
