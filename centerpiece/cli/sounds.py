"""`centerpiece sounds`: writes cues and words as files for a sound module's card."""

import argparse
from collections.abc import Iterator

from centerpiece.speech.language import MOST_TRACKS, NAMES, VERSION, Language, key_of
from centerpiece.speech.languages import codes, language
from centerpiece.text import Problem
from hal.cues import export as write
from hal.voice.module_card import Words
from hal.voice.module_card import export as write_words
from hal.voice.synthesizers import CannotSpeak


def export(options: argparse.Namespace) -> int:
    """Write cues and words for a card, and print each path; return 0.

    Raise Problem if a file cannot be written, or if the words cannot be spoken: the cues are there
    then.
    """
    names = _names(options.names)
    try:
        for path in write(options.directory):
            print(path)
        for path in _words(options, names):
            print(path)
    except CannotSpeak as error:
        raise Problem("The cues were written, the words were not: {why}", why=str(error)) from None
    except OSError as error:
        raise Problem(
            "{folder} cannot be written: {why}; choose another folder",
            folder=options.directory,
            why=error.strerror,
        ) from None
    return 0


def _names(text: str) -> list[str]:
    """Return the names in `text`, separated by commas.

    Raise Problem if a card has no room for them.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if len(names) > MOST_TRACKS:
        raise Problem(
            "--names: a card has room for {most} names, not {number}; leave some out",
            most=MOST_TRACKS,
            number=len(names),
        )
    return names


def _words(options: argparse.Namespace, names: list[str]) -> Iterator[str]:
    """Write the words of each language asked for, and yield their paths.

    If there are names, the last line says which setting tells the hub of them.
    """
    for code in _languages(options.words):
        yield from write_words(options.directory, card_of(language(code), names), options.voice)
    if names:
        listed = ", ".join(f'"{key_of(name)}"' for name in names)
        yield f"Tell the hub of the names: [hardware.sound] names = [{listed}]"


def _languages(text: str | None) -> list[str]:
    """Return the language codes in `text`, separated by commas; without a text, all languages.

    “none” is left out. Raise Problem for an unknown code.
    """
    chosen = list(codes()) if text is None else text.split(",")
    for code in chosen:
        if code not in (*codes(), "none"):
            raise Problem(
                "--words: there is no language {code}; the languages are {known}",
                code=code,
                known=", ".join(codes()),
            )
    return [code for code in chosen if code != "none"]


def card_of(spoken: Language, names: list[str]) -> Words:
    """Return the content of a card in the language `spoken`: each clip's place, key and text.

    A place is a folder and a track. The `names` have a folder of their own.
    """
    texts = spoken.vocabulary()
    clips = {place: (key, texts[key]) for key, place in spoken.places.items()}
    for track, name in enumerate(names, start=1):
        clips[spoken.folder + NAMES, track] = (f"name/{key_of(name)}", name)
    return Words(spoken.code, clips, spoken.folder + VERSION, spoken.version)
