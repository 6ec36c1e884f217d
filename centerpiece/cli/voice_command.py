"""`centerpiece voice`: lists the sentences to record for a voice, or checks a recorded one."""

import argparse

from centerpiece.speech.languages import codes, language
from centerpiece.text import Problem
from hal.device_errors import WiringError
from hal.voice.folder import check, manifest


def command(options: argparse.Namespace) -> int:
    """Print the list, or the faults of a folder; return 0 if there are none."""
    if options.action == "check":
        return _check(options)
    _print_list(options.language)
    return 0


def _print_list(code: str) -> None:
    for key, text in language(_checked(code)).vocabulary().items():
        print(f"{key}.wav\t{text}")
    print("name/….wav\ta file for each name, such as name/cara.wav")


def _check(options: argparse.Namespace) -> int:
    if options.directory is None:
        raise Problem("Say which folder: centerpiece voice check DIR")
    try:
        recorded = manifest(options.directory)
    except WiringError as error:
        raise Problem("{why}", why=str(error)) from None
    words = language(_checked(recorded.language)).vocabulary()
    findings = list(check(options.directory, words))
    for finding in findings:
        print(f"{finding.key}: {finding.fault}")
    wrong = {finding.key for finding in findings if not finding.fault.startswith("missing")}
    missing = len({finding.key for finding in findings}) - len(wrong)
    print(f"{len(words)} clips are needed, {missing} are missing, {len(wrong)} have problems.")
    if missing:
        print("The synthesizer speaks what is missing.")
    return 1 if wrong else 0


def _checked(code: str) -> str:
    if code not in codes():
        raise Problem(
            "no language is called {code}; there are {known}", code=code, known=", ".join(codes())
        )
    return code
