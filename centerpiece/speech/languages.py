"""The languages that the hub speaks: a phrase file each, beside this module.

Another language is one more file. Only those that are asked for are read.
"""

import os
from functools import cache

import msgspec

from centerpiece.speech.language import Language

FALLBACK = "en"
_FOLDER = os.path.dirname(__file__)
_DECODER = msgspec.json.Decoder(Language)


@cache
def codes() -> tuple[str, ...]:
    """The languages that there are, by their two letters."""
    found = (name for name in os.listdir(_FOLDER) if name.endswith(".json"))
    return tuple(sorted(name.removesuffix(".json") for name in found))


@cache
def pages(code: str) -> dict[str, str]:
    """The words of the pages for the hub's sentences, by their English; none for English."""
    path = os.path.join(os.path.dirname(_FOLDER), "web", "static", f"{code}.json")
    if not os.path.exists(path):
        return {}
    with open(path, "rb") as file:
        core: dict[str, str] = msgspec.json.decode(file.read()).get("core", {})
    return core


@cache
def language(code: str) -> Language:
    """A language; English for one that has no phrase file."""
    name = code if code in codes() else FALLBACK
    with open(os.path.join(_FOLDER, f"{name}.json"), "rb") as file:
        read = _DECODER.decode(file.read())
    return msgspec.structs.replace(read, places=read.on_card())
