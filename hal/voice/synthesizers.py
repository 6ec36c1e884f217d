"""Synthesizers by name: text in, a recording out.

Espeak-ng is built in; other packages add theirs by the entry point group
`centerpiece.synthesizers`: a function of a text, a language and the path of the WAV file to write.
"""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

Synthesizer = Callable[[str, str, Path], None]

ESPEAK = "espeak-ng"
VOICES = {"en": "en-us", "es": "es-419", "fr": "fr-fr", "pt-BR": "pt-br"}
"""Espeak-ng's voice of a language; others, such as German, go by their code."""
WORDS_A_MINUTE = 150
PATIENCE_S = 120.0
"""Long, because at idle priority a busy machine gives a synthesizer little time."""


class CannotSpeak(RuntimeError):
    """A synthesizer is missing or fails; the message says what to do."""


def synthesizer(name: str) -> Synthesizer:
    """Return the synthesizer of this name."""
    if name == ESPEAK:
        if shutil.which(ESPEAK) is None:
            raise CannotSpeak("espeak-ng is not installed; run `sudo apt install espeak-ng`")
        return espeak_ng
    from importlib.metadata import entry_points

    others = entry_points(group="centerpiece.synthesizers")
    if name not in others.names:
        known = ", ".join([ESPEAK, *sorted(others.names)])
        raise CannotSpeak(f"there is no synthesizer {name!r}; there are {known}")
    speak: Synthesizer = others[name].load()
    return speak


def espeak_ng(text: str, language: str, path: Path) -> None:
    """Speak by espeak-ng: robotic, small, fast, a hundred languages."""
    voice = VOICES.get(language, language)
    command = [ESPEAK, "-v", voice, "-s", str(WORDS_A_MINUTE), "-a", "80", "-w", str(path), "--"]
    try:
        subprocess.run([*command, text], check=True, capture_output=True, timeout=PATIENCE_S)
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotSpeak(f"espeak-ng cannot say {text!r} ({error})") from error
