"""Piper as a synthesizer of the centerpiece: one function.

Piper is a program of its own, with a file for each voice. Here a voice is found by the language:
`en.onnx` in the folder that PIPER_VOICES names, or else in `piper` in the home folder.
"""

import os
import subprocess
from pathlib import Path

from hal.voice.clip_requests import ClipRequest
from hal.voice.synthesizers import CannotSpeak

SLOW = 1.25
"""How much longer each sound lasts if the table wants a calm voice."""


def speak(request: ClipRequest, path: Path) -> None:
    """Write the request's text to a WAV file; raise CannotSpeak to have the next best said."""
    folder = Path(os.environ.get("PIPER_VOICES", Path.home() / "piper"))
    voice = folder / f"{request.language}.onnx"
    if not voice.exists():
        raise CannotSpeak(f"Piper has no voice for {request.language!r}: put one at {voice}")
    length = ["--length_scale", str(SLOW)] if request.calm else []
    command = ["piper", "--model", str(voice), "--output_file", str(path), *length]
    try:
        subprocess.run(
            command, input=request.text.encode(), check=True, capture_output=True, timeout=120
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotSpeak(f"Piper cannot say {request.text!r} ({error})") from error
