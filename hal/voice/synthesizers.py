"""Synthesizers by name: text in, a recording out.

Espeak-ng is built in, alone or with mbrola's voices; other packages add theirs by the entry point
group `centerpiece.synthesizers`: a function of a `ClipRequest` and the path of the WAV file to
write. `docs/examples/piper` is a complete one.
"""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from hal.voice.clip_requests import ClipRequest

Synthesizer = Callable[[ClipRequest, Path], None]

ESPEAK = "espeak-ng"
VOICES = {"en": "en-us", "es": "es-419", "fr": "fr-fr", "pt-BR": "pt-br"}
"""Espeak-ng's voice of a language; others, such as German, go by their code."""
VARIANTS = {"en": "f2"}
"""The variant of that voice, where its plain form is misheard; `make voice` measures it."""
MBROLA = "mbrola"
MBROLA_VOICES = {
    "de": "de6",
    "en": "us2",
    "es": "mx2",
    "fr": "fr4",
    "it": "it4",
    "nl": "nl2",
    "pt-BR": "br4",
}
"""Mbrola's voice of a language; Debian has each as a package, in non-free."""
WORDS_A_MINUTE, MBROLA_WORDS_A_MINUTE = 150, 130
PITCH = 50
"""On espeak-ng's scale of 0 to 99."""
CALM_RATE, CALM_PITCH = 0.8, 0.5
"""What a calm voice has of both. Slower alone is misheard more often, slower and lower less."""
PATIENCE_S = 120.0
"""Long, because at idle priority a busy machine gives a synthesizer little time."""


class CannotSpeak(RuntimeError):
    """A synthesizer is missing or fails; the message says what to do."""


def synthesizer(name: str) -> Synthesizer:
    """Return the synthesizer called `name`; raise CannotSpeak if it is unknown or not installed."""
    if name in (ESPEAK, MBROLA):
        for program in (ESPEAK, name):
            if shutil.which(program) is None:
                raise CannotSpeak(f"{program} is not installed; run `sudo apt install {program}`")
        return espeak_ng if name == ESPEAK else mbrola
    from importlib.metadata import entry_points

    others = entry_points(group="centerpiece.synthesizers")
    if name not in others.names:
        known = ", ".join([ESPEAK, MBROLA, *sorted(others.names)])
        raise CannotSpeak(f"there is no synthesizer {name!r}; there are {known}")
    speak: Synthesizer = others[name].load()
    return speak


def espeak_ng(request: ClipRequest, path: Path) -> None:
    """Speak by espeak-ng: robotic, small, fast, a hundred languages."""
    voice, variant = VOICES.get(request.language, request.language), VARIANTS.get(request.language)
    _run(f"{voice}+{variant}" if variant else voice, WORDS_A_MINUTE, request, path)


def mbrola(request: ClipRequest, path: Path) -> None:
    """Speak the text of a request into the file `path` by a voice of mbrola.

    Languages without one are spoken by espeak-ng alone. Raise CannotSpeak if the voice is not
    installed.
    """
    voice = MBROLA_VOICES.get(request.language)
    if voice is None:
        espeak_ng(request, path)
        return
    try:
        _run(f"mb-{voice}", MBROLA_WORDS_A_MINUTE, request, path)
    except CannotSpeak as error:
        raise CannotSpeak(f"{error}; is mbrola-{voice} installed?") from error


def _run(voice: str, rate: int, request: ClipRequest, path: Path) -> None:
    """Have espeak-ng speak the text of a request into the file `path`, by `voice`.

    `rate` is in words a minute; a calm request is slower and lower. Raise CannotSpeak if it fails.
    """
    speed, pitch = rate, PITCH
    if request.calm:
        speed, pitch = round(rate * CALM_RATE), round(PITCH * CALM_PITCH)
    command = [ESPEAK, "-v", voice, "-s", str(speed), "-p", str(pitch), "-a", "80", "-w", str(path)]
    try:
        subprocess.run(
            [*command, "--", request.text], check=True, capture_output=True, timeout=PATIENCE_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotSpeak(f"{ESPEAK} cannot say {request.text!r} ({error})") from error
