"""`centerpiece voice`: lists, records, checks or makes the clips of a voice."""

import argparse
import tempfile
from pathlib import Path

from centerpiece.speech.language import key_of
from centerpiece.speech.languages import codes, language
from centerpiece.text import Problem
from hal.cues import RATE
from hal.device_errors import DeviceMissing, WiringError
from hal.voice import clips, microphone
from hal.voice.clip_requests import ClipRequest
from hal.voice.folder import MANIFEST, check, manifest, recording_faults
from hal.voice.renderer import ClipRenderer
from hal.voice.synthesizers import CannotSpeak, synthesizer

BAR = 30


def command(options: argparse.Namespace) -> int:
    """Print the list, check a folder, or record or make its clips.

    Return 0, or 1 if the check finds a clip with a fault. Raise Problem if a folder is needed and
    none is given.
    """
    if options.action == "record-list":
        _print_list(options.language)
        return 0
    if options.directory is None:
        raise Problem("Say which folder: centerpiece voice {action} DIR", action=options.action)
    return {"check": _check, "record": _record, "make": _make}[options.action](options)


def _print_list(code: str) -> None:
    for key, text in language(_checked(code)).vocabulary().items():
        print(f"{key}.wav\t{text}")
    print("name/….wav\ta file for each name, such as name/cara.wav")


def _check(options: argparse.Namespace) -> int:
    """Print the faults of a folder; return 1 if a clip has one, else 0.

    Missing clips are printed as well, but are no fault.
    """
    words = language(_language_of(options.directory)).vocabulary()
    findings = list(check(options.directory, words))
    for finding in findings:
        print(f"{finding.key}: {finding.fault}")
    wrong = {finding.key for finding in findings if not finding.fault.startswith("missing")}
    missing = len({finding.key for finding in findings}) - len(wrong)
    print(f"{len(words)} clips are needed, {missing} are missing, {len(wrong)} have problems.")
    if missing:
        print("The synthesizer speaks what is missing.")
    return 1 if wrong else 0


def _record(options: argparse.Namespace) -> int:
    """Have one clip after the other read aloud, until all are there or the person stops; return 0.

    Clips that are recorded already are passed over. Raise Problem if there is no microphone.
    """
    try:
        microphone.check()
        words = _begun(options)
        print("Enter begins and ends a recording. s: leave it to the synthesizer, q: stop here.")
        for number, (key, text) in enumerate(words.items()):
            path = options.directory / f"{key}.wav"
            print(f"\n{_bar(number, len(words))}\n    {text}")
            if not path.exists() and not _recorded(path):
                break
    except DeviceMissing as error:
        raise Problem("{why}", why=str(error)) from None
    except EOFError:
        print()
    done = sum((options.directory / f"{key}.wav").exists() for key in words)
    print(f"{done} of {len(words)} are recorded. The synthesizer speaks what is missing.")
    return 0


def _recorded(path: Path) -> bool:
    """Record a clip into `path` until the person likes it; return False if they want to stop.

    If they leave it to the synthesizer, there is no file.
    """
    while (answer := input("Enter, s or q: ")) == "":
        with tempfile.TemporaryDirectory() as folder:
            raw = Path(folder) / "raw.wav"
            microphone.record(raw, lambda: input("Recording. Enter: "))
            if faults := list(recording_faults(raw)):
                print(f"Once more, please: {faults[0]}.")
                continue
            sound = clips.finished(*clips.read(raw))
        clips.write(path, sound)
        prompt = f"{len(sound) / RATE:.1f} s. Enter: next, p: play, r: again: "
        while (answer := input(prompt)) == "p":
            microphone.play(path)
        if answer != "r":
            break
        path.unlink()
    return answer != "q"


def _make(options: argparse.Namespace) -> int:
    """Have a synthesizer make every clip that is missing; return 0.

    Raise Problem if the synthesizer cannot speak.
    """
    try:
        words = _begun(options)
        renderer = ClipRenderer(options.directory, None, synthesizer(options.synthesizer))
        code = _language_of(options.directory)
        for number, (key, text) in enumerate(words.items()):
            print(f"\r{_bar(number, len(words))}", end="", flush=True)
            path = options.directory / f"{key}.wav"
            if not path.exists():
                clips.write(path, renderer.render(ClipRequest("", key, text, code)))
    except CannotSpeak as error:
        raise Problem("{why}", why=str(error)) from None
    print(f"\r{_bar(len(words), len(words))}")
    return 0


def _bar(done: int, needed: int) -> str:
    filled = BAR * done // needed
    return f"{'█' * filled}{'·' * (BAR - filled)} {done} of {needed}"


def _begun(options: argparse.Namespace) -> dict[str, str]:
    """Return the texts that a voice needs, by key, with those of the names asked for first.

    A folder that has no manifest yet gets one, in the language asked for; else the manifest's
    language counts.
    """
    if not (options.directory / MANIFEST).exists():
        options.directory.mkdir(parents=True, exist_ok=True)
        head = f'language = "{_checked(options.language)}"\nlicence = "ours"\n'
        (options.directory / MANIFEST).write_text(head, encoding="utf-8")
    names = filter(None, map(str.strip, options.names.split(",")))
    words = language(_language_of(options.directory)).vocabulary()
    return {f"name/{key_of(name)}": name for name in names} | words


def _language_of(directory: Path) -> str:
    try:
        return _checked(manifest(directory).language)
    except WiringError as error:
        raise Problem("{why}", why=str(error)) from None


def _checked(code: str) -> str:
    if code not in codes():
        raise Problem(
            "no language is called {code}; there are {known}", code=code, known=", ".join(codes())
        )
    return code
