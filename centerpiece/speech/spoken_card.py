"""The rule card read aloud, one section at a time, in the words of the pages.

It has too many sentences to be recorded or to fit on a module's card, so a synthesizer says each
as a whole.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from centerpiece.rules.card import laid_out
from centerpiece.speech.caller import Message
from centerpiece.speech.language import Language, Said, key_of
from centerpiece.speech.languages import pages
from centerpiece.table.game import Game
from centerpiece.table.state import Table
from centerpiece.table.telling import SpokenLine
from centerpiece.text import Sentence
from hal.ports import Clip

_HOLE = re.compile(r"\{(\w+)((?:\|[^{}|]*)*)\}")
_PARTS = re.compile(r"(?<=[.?!]) (?=\S)")
_TILE = re.compile(r"(?<=\d)-(?=\d)")
PAUSE = 0.35


class SpokenSection(NamedTuple):
    """A heading of the card and the sentences under it."""

    title: str
    sentences: tuple[Sentence, ...]
    cue: None = None
    asked_for: bool = True
    seats: tuple[int, ...] = ()

    @property
    def otherwise(self) -> Message:
        """Fallback for a voice without a synthesizer."""
        return Message((SpokenLine("card.elsewhere"),))

    def say(self, language: Language) -> Said:
        """Return the section in a language, as words and clips: its heading, then its sentences."""
        words = pages(language.code)
        texts = [f"{words.get(self.title, self.title)}."]
        texts += [filled(language, words, sentence) for sentence in self.sentences]
        # With a plain hyphen, espeak-ng says “1 dash 3”, and “1 minus 3” in Portuguese.
        texts = [_TILE.sub("\N{NON-BREAKING HYPHEN}", text) for text in texts]
        clips = tuple(Clip(f"card/{key_of(text)}", text, PAUSE) for text in texts)
        return Said(" ".join(texts), clips)


def sections(game: Game, table: Table) -> tuple[SpokenSection, ...]:
    """Return the sections of the card of the table's rules."""
    card = laid_out(table.rules, None, game.example)
    return tuple(
        SpokenSection(section.title, tuple(line.sentence for line in section.lines))
        for section in card.sections
    )


def filled(language: Language, words: Mapping[str, str], sentence: Sentence) -> str:
    """Return a sentence as the pages show it in this language.

    `words` are the translations by English template. What is not translated stays English; a gap
    without a fact stays a gap.
    """

    def fill(hole: re.Match[str]) -> str:
        name, forms = hole.groups()
        if name not in sentence.facts:
            return hole[0]
        fact = sentence.facts[name]
        if forms:
            count = len(fact) if isinstance(fact, list | tuple) else fact
            return str(forms[1:].split("|")[language.plural(count)])
        return _in_words(language, words, fact)

    template = words.get(sentence.template)
    if template is None:
        parts = _PARTS.split(sentence.template)
        template = " ".join(words.get(part, part) for part in parts)
    return _HOLE.sub(fill, template)


def _in_words(language: Language, words: Mapping[str, str], fact: Any) -> str:
    """Return a fact as text: sentences are translated by `words`, lists joined with “and”."""
    if isinstance(fact, Sentence):
        return filled(language, words, fact)
    if isinstance(fact, list | tuple):
        items = [_in_words(language, words, each) for each in fact]
        if len(items) < 2:
            return "".join(items)
        return f"{', '.join(items[:-1])} {language.conjunction.to(items[-1])} {items[-1]}"
    return str(fact)
