"""Catalogues of translations, read straight from their `.po` files.

`english.json` has the English texts that have keys, by part: pages, hall, voice, numbers. Other
English texts are templates in the code. `LANG/LC_MESSAGES/centerpiece.po` translates both: a text
with a key has the context `PART KEY`, a spoken notice the context `aloud`, a template none.

A catalogue is read when it is first used. What it lacks, or marks as fuzzy, is in English.
"""

import logging
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from gettext import c2py
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

log = logging.getLogger(__name__)

ENGLISH = "en"
FOLDER = Path(__file__).parent
HEAD = 4096
"""Characters that hold the header of any catalogue."""
COUNTS = 200
"""From here on, a plural form is that of 100 and the last two digits."""
_FIELD = re.compile(r'^(msgctxt|msgid|msgstr) (".*"(?:\n".*")*)\n?', re.MULTILINE)
_FUZZY = re.compile(r"^#,.*\bfuzzy\b", re.MULTILINE)
_BLANK = re.compile(r"\n[ \t]*\n")


class Catalogue(NamedTuple):
    """The translations into one language."""

    code: str
    """As HTML and browsers call the language: `pt-BR`."""
    headers: dict[str, str]
    english: dict[str, dict[str, str]]
    texts: dict[tuple[str, str], str]
    """Translations by context and English text."""

    def part(self, name: str) -> dict[str, str]:
        """Return the texts of a part by key, in English where a translation is missing."""
        return {key: self.text(name, key) for key in self.english[name]}

    def text(self, part: str, key: str) -> str:
        """Return one text of a part."""
        english = self.english[part][key]
        return self.texts.get((f"{part} {key}", english), english)

    def aloud(self) -> dict[str, str]:
        """Return the spoken forms of the pages' sentences by English template."""
        spoken = self.english["aloud"].items()
        return {template: self.texts.get(("aloud", text), text) for template, text in spoken}

    @property
    def name(self) -> str:
        """The language's name in that language."""
        return self.headers["X-Name"]

    def core(self) -> dict[str, str]:
        """Return the translated sentences by English template."""
        return {text: words for (context, text), words in self.texts.items() if not context}

    def plural(self, count: Any) -> int:
        """Return the index of the plural form for a number; other facts have the last."""
        digits = str(count).removeprefix("-")
        return self._index(int(digits)) if digits.isdecimal() else self.forms - 1

    @property
    def forms(self) -> int:
        """The number of plural forms."""
        return int(self._plural_header("nplurals"))

    @property
    def _index(self) -> Callable[[int], int]:
        index: Callable[[int], int] = _rule(self._plural_header("plural"))
        return index

    def _plural_header(self, field: str) -> str:
        found = re.search(rf"\b{field} *= *([^;]+)", self.headers.get("Plural-Forms", ""))
        return found[1].strip() if found else {"nplurals": "2", "plural": "n != 1"}[field]

    def document(self, *parts: str) -> dict[str, Any]:
        """Return the texts for a browser: name, plural forms of small numbers, pages, sentences."""
        return {
            "name": self.name,
            "plurals": [self.plural(count) for count in range(COUNTS)],
            "page": {key: text for part in parts for key, text in self.part(part).items()},
            "core": self.core(),
        }


_RULES: dict[str, Callable[[int], int]] = {}


def _rule(expression: str) -> Callable[[int], int]:
    if expression not in _RULES:
        _RULES[expression] = c2py(expression)
    return _RULES[expression]


class Catalogues:
    """The languages in a folder."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder
        self._read: dict[str, Catalogue] = {}

    @cached_property
    def english(self) -> dict[str, dict[str, str]]:
        """The English texts by part and key."""
        content = (self.folder / "english.json").read_bytes()
        return msgspec.json.decode(content, type=dict[str, dict[str, str]])

    @cached_property
    def headers(self) -> dict[str, dict[str, str]]:
        """The header of each language, by code; these are all languages."""
        found = {path.parts[-3].replace("_", "-"): path for path in self._paths()}
        result = {ENGLISH: self.english["header"]}
        for code, path in found.items():
            try:
                with path.open(encoding="utf-8") as file:
                    result[code] = {"X-Name": code} | header(file.read(HEAD))
            except (OSError, ValueError) as error:
                log.error("catalogue=%s damaged=%s", path, error)
        return dict(sorted(result.items()))

    def get(self, code: str) -> Catalogue:
        """Return a catalogue; an unknown or damaged one has no translations."""
        if code not in self._read:
            self._read[code] = self._load(code)
        return self._read[code]

    def _load(self, code: str) -> Catalogue:
        texts: dict[tuple[str, str], str] = {}
        path = self.folder / code.replace("-", "_") / "LC_MESSAGES" / "centerpiece.po"
        if code in self.headers and code != ENGLISH:
            try:
                texts = dict(entries(path.read_text("utf-8")))
            except (OSError, ValueError) as error:
                log.error("catalogue=%s damaged=%s", path, error)
        headers = self.headers.get(code, self.english["header"])
        return Catalogue(code, headers if texts else self._plain(headers), self.english, texts)

    def _plain(self, headers: dict[str, str]) -> dict[str, str]:
        """Return headers with the English plural forms."""
        return headers | {"Plural-Forms": self.english["header"]["Plural-Forms"]}

    def _paths(self) -> Iterator[Path]:
        return self.folder.glob("*/LC_MESSAGES/centerpiece.po")


CATALOGUES = Catalogues()
"""The languages that come with the program."""


def header(text: str) -> dict[str, str]:
    """Return the fields of a catalogue's header, which is its first entry."""
    fields = _fields(_BLANK.split(text, 1)[0])
    lines = (line.partition(": ") for line in fields["msgstr"].splitlines())
    return {name: value for name, _, value in lines}


def entries(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the finished entries of a catalogue: context and English, and the translation."""
    for block in _BLANK.split(text)[1:]:
        if _FUZZY.search(block):
            continue
        fields = _fields(block)
        if fields["msgstr"]:
            yield (fields.get("msgctxt", ""), fields["msgid"]), fields["msgstr"]


def _fields(block: str) -> dict[str, str]:
    lines = "\n".join(line for line in block.split("\n") if line and not line.startswith("#"))
    fields = {name: "".join(map(_unquoted, q.split("\n"))) for name, q in _FIELD.findall(lines)}
    if lines and ({"msgid", "msgstr"} - fields.keys() or _FIELD.sub("", lines).strip()):
        raise ValueError(f"not an entry: {lines[:80]!r}")
    return {"msgid": "", "msgstr": ""} | fields


def _unquoted(line: str) -> str:
    if "\\" not in line:
        return line[1:-1]
    text: str = msgspec.json.decode(line)
    return text
