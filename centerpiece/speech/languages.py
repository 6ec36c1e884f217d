"""The languages that the hub speaks, with one phrase file each beside this module.

Another language is one more file. A file is read when its language is first used.
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
    """Return the two-letter codes of all languages."""
    files = (name for name in os.listdir(_FOLDER) if name.endswith(".json"))
    return tuple(sorted(name.removesuffix(".json") for name in files))


@cache
def pages(code: str) -> dict[str, str]:
    """Return the pages' translations of the hub's sentences by English template."""
    path = os.path.join(os.path.dirname(_FOLDER), "web", "static", f"{code}.json")
    if not os.path.exists(path):
        return {}
    with open(path, "rb") as file:
        core: dict[str, str] = msgspec.json.decode(file.read()).get("core", {})
    return core


@cache
def language(code: str) -> Language:
    """Return a language; English if there is no phrase file for it."""
    name = code if code in codes() else FALLBACK
    with open(os.path.join(_FOLDER, f"{name}.json"), "rb") as file:
        read = _DECODER.decode(file.read())
    return msgspec.structs.replace(read, places=read.on_card())
