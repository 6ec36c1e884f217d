"""`centerpiece voice`: what to read aloud for your own voice, and what a recorded one lacks."""

import argparse

from centerpiece.speech.languages import codes, language
from centerpiece.text import Problem
from hal.device_errors import WiringError
from hal.voice.folder import check, manifest


def command(options: argparse.Namespace) -> int:
    """Print the list, or what is wrong with a folder; 0 when nothing is."""
    if options.action == "check":
        return _check(options)
    _print_list(options.language)
    return 0


def _print_list(code: str) -> None:
    for key, text in language(_known(code)).vocabulary().items():
        print(f"{key}.wav\t{text}")
    print("name/….wav\ta file for each name, such as name/cara.wav")


def _check(options: argparse.Namespace) -> int:
    if options.directory is None:
        raise Problem("Say which folder: centerpiece voice check DIR")
    try:
        told = manifest(options.directory)
    except WiringError as error:
        raise Problem("{why}", why=str(error)) from None
    words = language(_known(told.language)).vocabulary()
    findings = list(check(options.directory, words))
    for finding in findings:
        print(f"{finding.key}: {finding.wrong}")
    wrong = {finding.key for finding in findings if not finding.wrong.startswith("missing")}
    missing = len({finding.key for finding in findings}) - len(wrong)
    print(f"{len(words)} clips are needed, {missing} are missing, {len(wrong)} have problems.")
    if missing:
        print("The synthesizer speaks what is missing.")
    return 1 if wrong else 0


def _known(code: str) -> str:
    if code not in codes():
        raise Problem(
            "no language is called {code}; there are {known}", code=code, known=", ".join(codes())
        )
    return code
