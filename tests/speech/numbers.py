"""Writes the goldens of spoken numbers: `python -m tests.speech.numbers`; read them aloud first."""

from pathlib import Path

from centerpiece.speech.languages import codes, language
from hal.voice.synthesizers import phonemes

NUMBERS = (*range(1000), 1000, 1100, 1247, 2021, 9999, -5, 12345)


def golden(code: str) -> Path:
    return Path(__file__).parent / f"numbers-{code}.txt"


def told(code: str) -> list[str]:
    """A line for each number: its words, and how espeak-ng says them."""
    words = [language(code).numbers.words(number) for number in NUMBERS]
    return [
        f"{number}\t{text}\t{sounds}"
        for number, text, sounds in zip(NUMBERS, words, phonemes(words, code), strict=True)
    ]


if __name__ == "__main__":
    for code in codes():
        golden(code).write_text("\n".join(told(code)) + "\n", encoding="utf-8")
