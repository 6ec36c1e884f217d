"""Write the expected spoken numbers: `python -m tests.speech.numbers`; read them aloud first."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from centerpiece.speech.languages import codes, language
from hal.voice.synthesizers import ESPEAK, VOICES

NUMBERS = (*range(1000), 1000, 1100, 1247, 2021, 9999, -5, 12345)


def golden(code: str) -> Path:
    return Path(__file__).parent / f"numbers-{code}.txt"


def told(code: str, numbers: Sequence[int] = NUMBERS) -> list[str]:
    """Return a line for each number: its words, and espeak-ng's phonemes."""
    words = [language(code).numbers.words(number) for number in numbers]
    return [
        f"{number}\t{text}\t{sounds}"
        for number, text, sounds in zip(numbers, words, phonemes(words, code), strict=True)
    ]


def phonemes(texts: list[str], language: str) -> list[str]:
    """Return espeak-ng's phonemes for each of the texts."""
    voice = VOICES.get(language, language)
    spoken = "\n\n".join(f"{text}." for text in texts)
    command = [ESPEAK, "-v", voice, "-x", "-q", "--stdin"]
    done = subprocess.run(command, input=spoken, text=True, capture_output=True, check=True)
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]


if __name__ == "__main__":
    for code in codes():
        golden(code).write_text("\n".join(told(code)) + "\n", encoding="utf-8")
