"""The languages that the hub speaks: their catalogues, prepared for speaking.

A catalogue is read when its language is first used.
"""

from functools import cache

from centerpiece.locale.catalogue import CATALOGUES, ENGLISH
from centerpiece.speech.language import Conjunction, Language
from centerpiece.speech.numbers import NumberWords


@cache
def codes() -> tuple[str, ...]:
    """Return the codes of all languages."""
    return tuple(CATALOGUES.headers)


@cache
def pages(code: str) -> dict[str, str]:
    """Return the translations of the pages' sentences to a language, by English template."""
    return CATALOGUES.get(code).core()


_READ: dict[str, Language] = {}


def language(code: str) -> Language:
    """Return the language of a code; English if there is no catalogue for it."""
    code = code if code in codes() else ENGLISH
    if code not in _READ:
        _READ[code] = _language(code)
    return _READ[code]


def in_use() -> tuple[Language, ...]:
    """Return English and the other languages that were asked for since the start."""
    return tuple({ENGLISH: language(ENGLISH), **_READ}.values())


def _language(code: str) -> Language:
    """Return the language of a code, from its catalogue, ready to speak."""
    catalogue = CATALOGUES.get(code)
    headers = catalogue.headers
    grammar = catalogue.part("grammar")
    return Language(
        code=code,
        folder=int(headers["X-Card-Folder"]),
        version=int(headers["X-Card-Version"]),
        plural=catalogue.plural,
        seat=grammar["seat"],
        conjunction=Conjunction(
            grammar["and"], headers.get("X-Other-And", ""), headers.get("X-Other-And-Before", "")
        ),
        numbers=NumberWords(catalogue.part("number")),
        phrases=catalogue.part("voice"),
        notices=catalogue.aloud(),
    ).placed()
