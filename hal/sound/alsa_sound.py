"""Sound through the machine's sound card, by SDL's mixer in pygame-ce.

Cues are loaded ahead and the stream stays open, because amplifiers of the MAX98357A class pop
whenever it opens or closes. A thread loads and plays the cues and reopens a lost card, so the loop
never waits for a driver; a cue that is not loaded yet is loaded when it is played.
A sentence is assembled a few clips at a time while it plays, which takes little memory, and a cue
waits for one clip to be read at most.
"""

import logging
import os
import re
from array import array
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Event
from typing import TYPE_CHECKING, Any

from hal.cues import RATE
from hal.device_errors import DeviceBusy, DeviceError, DeviceLost, DeviceMissing
from hal.hardware_settings import ROOT, SoundSettings
from hal.health import Health, pauses
from hal.port_checks import check_cue, check_volume
from hal.ports import CUES, Clip, ClipSequence, Report
from hal.supervised_thread import start_supervised
from hal.voice.clips import joined

if TYPE_CHECKING:
    from hal.voice.library import Library

log = logging.getLogger(__name__)

PERIOD = 256
"""Frames per period of the card: 5.8 ms."""

PHRASE_PAUSE_S = 0.2
"""A pause of at least this length ends a phrase: the next clips are read separately."""
POLL_S = 0.05
"""Interval at which the thread checks whether the next phrase can be queued."""
CLOSING_S = 1.0
GOES_ON = "it is tried again and the game goes on"


class AlsaSound:
    """The Sound port on ALSA; `samples` makes a cue, as `hal.cues` does."""

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
        self._sentence = ClipSequence("", ())
        self._starts = True
        """True if the next clip starts a sentence."""
        self._clips: deque[Clip] = deque()
        self._held: deque[Any] = deque(maxlen=2)
        """The phrase that plays and the one queued behind it.

        pygame frees a queued sound twice if a cue comes between, unless a reference is held.
        """
        self._root = root
        self._health = Health("sound", report)
        self._closing = Event()
        self._pause = pause or self._closing.wait
        self._changed = Condition()
        self._cue = ""
        self._volume = settings.volume
        self._volume_changed = False
        """True if the volume of what is playing must change."""
        self._make = samples
        self._samples: dict[str, bytes] = {}
        self._mixer: Any = None
        self._sounds: dict[str, Any] = {}
        self._open()
        self._thread = start_supervised("sound", self._run, self._health.report, self._closing.wait)

    def play(self, cue: str) -> None:
        """Start a cue on the thread; drop the cue that waits and the rest of a sentence."""
        check_cue(cue)
        with self._changed:
            self._cue = cue
            self._clips.clear()
            self._changed.notify()

    def say(self, sentence: ClipSequence) -> float | None:
        """Start a sentence on the thread; return its length in seconds, 0.0 if it cannot be said.

        None, and nothing is started, while one of its clips is still being made.
        """
        if self._library is None or self._closing.is_set():
            return 0.0
        seconds = self._library.seconds(sentence)
        if seconds:
            with self._changed:
                self._sentence, self._clips = sentence, deque(sentence.clips)
                self._starts = True
                self._changed.notify()
        return seconds

    def prepare(self, sentence: ClipSequence) -> None:
        if self._library is not None:
            self._library.prepare(sentence)

    def set_volume(self, volume: float) -> None:
        """Change the volume at once, also in the middle of a sentence."""
        check_volume(volume)
        with self._changed:
            self._volume, self._volume_changed = volume * self._settings.volume, True
            self._changed.notify()

    def close(self) -> None:
        with self._changed:
            self._closing.set()
            self._changed.notify()
        self._thread.join(CLOSING_S)
        if self._library is not None:
            self._library.close()

    def _run(self) -> None:
        """Play what is asked for until closed; after an error close the card, pause, go on."""
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
        """Set a changed volume; then play a cue, or else a phrase, or else load a cue.

        A lost card is opened first. Wait if there is nothing to do, and do nothing once closed.
        """
        if self._mixer is None:
            self._reopen()
        unloaded = next((cue for cue in CUES if cue not in self._sounds), "")
        with self._changed:
            while not (
                self._cue
                or self._clips
                or self._volume_changed
                or unloaded
                or self._closing.is_set()
            ):
                self._changed.wait()
                unloaded = next((cue for cue in CUES if cue not in self._sounds), "")
            cue, self._cue = self._cue, ""
            volume_changed, self._volume_changed = self._volume_changed, False
            clips = bool(self._clips)
        if self._closing.is_set():
            return
        if volume_changed:
            self._mixer.Channel(0).set_volume(self._volume)
        if cue:
            self._sound(cue)
        elif clips:
            self._speak()
        elif unloaded:
            self._load(unloaded)

    def _speak(self) -> None:
        """Play the next phrase, or queue it behind the one that plays; raise without a card.

        If one is queued already, only wait a moment. A phrase is dropped if a cue or another
        sentence comes while it is read.
        """
        check_card(self._settings.device, self._root)
        channel = self._mixer.Channel(0)
        with self._changed:
            if not self._starts and (queued := channel.get_queue()) is not None:
                if channel.get_busy():
                    self._changed.wait(POLL_S)  # still playing, with the next phrase queued
                else:
                    channel.play(queued)  # queued just as the one before ended, so not started
                return
            starts, self._starts = self._starts, False
        sound = self._mixer.Sound(buffer=_stereo(self._next_phrase()))
        with self._changed:
            if not (self._cue or self._starts):  # else something has come between
                channel.set_volume(self._volume)
                (channel.play if starts else channel.queue)(sound)
                self._held.append(sound)

    def _next_phrase(self) -> "array[int]":
        """Take the clips up to the next long pause out of the sentence, and join them.

        Long is `PHRASE_PAUSE_S` or more. The phrase ends earlier if a cue or another sentence comes
        meanwhile.
        """
        assert self._library is not None
        parts: list[tuple[array[int], float]] = []
        while not parts or parts[-1][1] < PHRASE_PAUSE_S:
            with self._changed:
                if not self._clips or self._cue or self._starts:
                    break
                clip, sentence = self._clips.popleft(), self._sentence
            parts.append((self._library.samples(sentence, clip), clip.pause))
        return joined(parts)

    def _sound(self, cue: str) -> None:
        """Play a cue, which is loaded first if need be; raise DeviceLost without a card."""
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
        """Open the card again and report that it works; drop the cue and sentence from before."""
        self._open()
        self._cue = ""  # from before the card was back
        self._clips.clear()
        self._health.report(None)

    def _fail(self, error: Exception) -> None:
        """Report an error and close the card; if the card is closed already, only log the error."""
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
    """Open SDL's mixer on the ALSA device `device`, without conversion of the format.

    Raise a DeviceError if pygame-ce is not installed or the device cannot be opened.
    """
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
    """Turn SDL's error, which only repeats ALSA's text, into a DeviceError: busy or missing."""
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
    """Convert mono samples to the mixer's stereo format."""
    both = array("h", bytes(4 * len(mono)))
    both[0::2] = both[1::2] = mono
    return both.tobytes()


def check_card(device: str, root: Path) -> None:
    """Raise DeviceLost if the kernel does not know the card in `device`: SDL plays on without.

    The kernel's files are below `root`. A device without a card's name, and any driver but ALSA,
    pass unchecked.
    """
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
