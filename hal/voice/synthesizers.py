"""Synthesizers by name: text in, a recording out.

Espeak-ng is ours; other packages bring theirs by the entry point group `centerpiece.synthesizers`:
a function of a text, a language and the path of the WAV file it is to write.
"""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

Synthesizer = Callable[[str, str, Path], None]

ESPEAK = "espeak-ng"
VOICES = {"en": "en-us", "es": "es-419"}
"""What espeak-ng calls a language; others are called by their two letters."""
WORDS_A_MINUTE = 150
PATIENCE_S = 120.0
"""At the lowest priority a busy machine gives a synthesizer little time."""


class CannotSpeak(RuntimeError):
    """A synthesizer that is not there, or fails; it says what to do."""


def synthesizer(name: str) -> Synthesizer:
    """The synthesizer of this name."""
    if name == ESPEAK:
        if shutil.which(ESPEAK) is None:
            raise CannotSpeak("espeak-ng is not installed; run `sudo apt install espeak-ng`")
        return espeak_ng
    from importlib.metadata import entry_points

    others = entry_points(group="centerpiece.synthesizers")
    if name not in others.names:
        known = ", ".join([ESPEAK, *sorted(others.names)])
        raise CannotSpeak(f"there is no synthesizer {name!r}; there are {known}")
    found: Synthesizer = others[name].load()
    return found


def espeak_ng(text: str, language: str, path: Path) -> None:
    """Debian's own: robotic, small, fast, and it speaks a hundred languages."""
    voice = VOICES.get(language, language)
    command = [ESPEAK, "-v", voice, "-s", str(WORDS_A_MINUTE), "-a", "80", "-w", str(path), "--"]
    try:
        subprocess.run([*command, text], check=True, capture_output=True, timeout=PATIENCE_S)
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotSpeak(f"espeak-ng cannot say {text!r} ({error})") from error
