"""One language: phrases with gaps, and their conversion to words and clips.

A phrase is a template such as “{name} starts.” The text between two gaps, or between a gap and the
end of a sentence, is one clip; numbers, names and seats are clips too. Punctuation becomes the
pause after a clip.

- `{name}` is filled with a number, a person or a list of people;
- `{tiles:f}` is a number in one of the language's forms, as it stands before a noun;
- `{tiles|tile|tiles}` chooses a form by number, in the order of the language's plural forms.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from centerpiece.speech.numbers import WHOLE, NumberWords, all_pieces, pieces
from centerpiece.table.telling import Fact, Person, SpokenLine
from hal.ports import SEATS, Clip

_HOLE = re.compile(r"\{(\w+)(?::(\w+))?((?:\|[^{}|]*)*)\}")
_SENTENCES = re.compile(r"(?<=[.?!:])\s+")
_PAUSES = {"": 0.03, ",": 0.25, ";": 0.25, ":": 0.25, ".": 0.3, "?": 0.3, "!": 0.3}
"""Seconds of silence after a clip, by the punctuation that follows it."""
_SIGNS = " \N{NARROW NO-BREAK SPACE}\N{NO-BREAK SPACE},;:.!?¡¿"
LONGEST_KEY = 60
OTHERS, PHRASES, NAMES, VERSION = 1, 2, 8, 9
"""The first folders for each kind among a language's ten on a module's card; 0 has the numbers.
The last folder has as many tracks as the version, because a player can only count tracks."""
MOST_TRACKS = 255


class Said(NamedTuple):
    """A message in one language."""

    words: str
    clips: tuple[Clip, ...]


class Conjunction(NamedTuple):
    """The word before the last item of a list; some languages change it before certain sounds."""

    word: str
    other: str = ""
    before: str = ""

    def to(self, name: str) -> str:
        """Return the word to use before this name."""
        changes = self.before and re.match(self.before, name, re.IGNORECASE)
        return self.other if changes else self.word


class Language(NamedTuple):
    """A catalogue, prepared for speaking."""

    code: str
    folder: int
    """The first of this language's ten folders on a module's card."""
    version: int
    """Raised whenever the clips on a module's card change, so that an older card is detected."""
    plural: Callable[[Any], int]
    """Gives the index of the plural form for a number."""
    seat: str
    conjunction: Conjunction
    numbers: NumberWords
    phrases: dict[str, str]
    notices: dict[str, str]
    """Spoken forms of the pages' sentences, by English template."""
    places: Mapping[str, tuple[int, int]] = {}
    """Folder and track of every clip on a module's card."""
    spellings: Mapping[str, str] = {}
    """Names as a synthesizer should read them, by the names as typed."""

    def placed(self) -> "Language":
        """Return a copy that knows the places of its clips on a module's card."""
        return self._replace(places=self._on_card())

    def say(self, lines: Iterable[SpokenLine]) -> Said:
        """Return lines as words and clips; a phrase that this language does not have is skipped.

        A line marked `short` is cut after its first sentence.
        """
        words: list[str] = []
        clips: list[Clip] = []
        for line in lines:
            template = self.phrases.get(line.phrase) or self.notices.get(line.phrase)
            if template is None:
                continue
            if line.short:
                template = _SENTENCES.split(template)[0]
            said = self._filled(template, line.facts)
            words.append(said.words)
            clips += said.clips
        return Said(" ".join(words), tuple(map(self._placed, clips)))

    def person(self, person: Person) -> Clip:
        """Return the clip of a person's name, with its spelling for the voice if there is one.

        A person called after the seat gets the clip of the seat.
        """
        seat = self._seat(person.seat)
        if person.name.casefold() == f"seat {person.seat}":
            return seat
        clip = self._name(person.name, self._placed(seat))
        spelling = self.spellings.get(person.name)
        return self._name(spelling, clip) if spelling else clip

    def _name(self, name: str, instead: Clip) -> Clip:
        return Clip(f"name/{key_of(name)}", name, 0.0, instead, self.folder + NAMES)

    def number(self, number: int, form: str = "") -> list[Clip]:
        return [Clip(key, words, 0.0) for key, words in pieces(self.numbers, number, form)]

    def vocabulary(self) -> dict[str, str]:
        """Return the text of every clip except names, by its key, in the order to record them."""
        clips = dict(all_pieces(self.numbers))
        clips |= {clip.key: clip.text for clip in map(self._seat, SEATS)}
        for word in (self.conjunction.word, self.conjunction.other):
            if word:
                clips.setdefault(_phrase_key(word), word)
        for template in (*self.phrases.values(), *self.notices.values()):
            for text in _fragments(template):
                clips.setdefault(_phrase_key(text), text)
        return clips

    def _on_card(self) -> dict[str, tuple[int, int]]:
        """Return the folder and track on a module's card of every clip, by its key.

        Players, and their clones, can address 99 folders of 255 tracks.
        """
        words = self.vocabulary()
        numbers = [key for key in words if key.startswith("number/")]
        phrases = [key for key in words if key.startswith("phrase/")]
        others = [*numbers[WHOLE:], *(key for key in words if key.startswith("seat/"))]
        places: dict[str, tuple[int, int]] = {}
        for first, keys in ((0, numbers[:WHOLE]), (OTHERS, others), (PHRASES, phrases)):
            for place, key in enumerate(keys):
                more, track = divmod(place, MOST_TRACKS)
                places[key] = self.folder + first + more, track + 1
        return places

    def _placed(self, clip: Clip) -> Clip:
        folder, track = self.places.get(clip.key, (clip.folder, clip.track))
        return clip._replace(folder=folder, track=track)

    def _seat(self, number: int) -> Clip:
        words = self.seat.replace("{number}", self.numbers.words(number))
        return Clip(f"seat/{number}", words, 0.0)

    def _filled(self, template: str, facts: Mapping[str, Fact]) -> Said:
        """Return a template with its gaps filled by `facts`, as words and as clips.

        After the last clip comes the pause of a sentence's end.
        """
        words, clips = "", list[Clip]()
        for text, name, form in _parts(self._chosen(template, facts)):
            if name:
                fact = facts[name]
                more = self._fact(fact, form)
                clips += more
                # In words, not as clips: “zweihunderteinundzwanzig” is one word of two clips.
                words += self.numbers.words(fact, form) if isinstance(fact, int) else _written(more)
            elif text.strip():
                clips = _joined(clips, text)
                words += text
            else:
                words += text
        if clips:
            clips[-1] = clips[-1]._replace(pause=_PAUSES["."])
        return Said(_capitalized(words), tuple(clips))

    def _chosen(self, template: str, facts: Mapping[str, Fact]) -> str:
        """Return the template with the plural forms that its facts ask for; other gaps stay."""

        def choose(hole: re.Match[str]) -> str:
            name, _, forms = hole.groups()
            if not forms:
                return hole[0]
            fact = facts[name]
            count = len(fact) if isinstance(fact, tuple) and not isinstance(fact, Person) else fact
            return forms[1:].split("|")[self.plural(count)]

        return _HOLE.sub(choose, template)

    def _fact(self, fact: Fact, form: str) -> list[Clip]:
        """Return the clips of a number, a person or several people.

        `form` is that of a number before a noun.
        """
        if isinstance(fact, int):
            return self.number(fact, form)
        if isinstance(fact, Person):
            return [self.person(fact)]
        clips = [self.person(each)._replace(pause=_PAUSES[","]) for each in fact]
        if len(clips) > 1:
            word = self.conjunction.to(fact[-1].name)
            clips[-2:-1] = [clips[-2]._replace(pause=0.0), Clip(_phrase_key(word), word, 0.0)]
        clips[-1] = clips[-1]._replace(pause=0.0)
        return clips


def key_of(words: str) -> str:
    """Return words as a file name: small letters of any alphabet, digits and hyphens.

    A long one is cut, with a checksum at its end.
    """
    key = re.sub(r"[^\w]+", "-", words.casefold()).strip("-_")
    if len(key) <= LONGEST_KEY:
        return key
    return f"{key[:LONGEST_KEY]}-{zlib.crc32(key.encode()):08x}"


def _phrase_key(text: str) -> str:
    return f"phrase/{key_of(text)}"


def _parts(template: str) -> Iterator[tuple[str, str, str]]:
    """Yield the parts of a template as (text, name, form): a text, or a gap's name and form."""
    end = 0
    for hole in _HOLE.finditer(template):
        if hole.start() > end:
            yield template[end : hole.start()], "", ""
        yield "", hole[1], hole[2] or ""
        end = hole.end()
    if end < len(template):
        yield template[end:], "", ""


def _joined(clips: list[Clip], text: str) -> list[Clip]:
    """Append the clips of a text to `clips`, and return that list; punctuation becomes pauses."""
    for part in _SENTENCES.split(text):
        words = part.strip(_SIGNS)
        opening = part.strip()[:1]
        if clips and opening in _PAUSES and opening and not part[0].isalnum():
            clips[-1] = clips[-1]._replace(pause=_PAUSES[opening])
        if words:
            spoken = part.lstrip(" ,;:.!?").rstrip()
            pause = _PAUSES.get(spoken[-1], _PAUSES[""])
            if clips and clips[-1].pause == 0.0:
                clips[-1] = clips[-1]._replace(pause=_PAUSES[""])
            clips.append(Clip(_phrase_key(words), _neutral(spoken), pause))
    return clips


def _neutral(spoken: str) -> str:
    """Remove final punctuation other than ? and !, so that the same words share a clip."""
    return spoken if spoken[-1] in "?!" else spoken.rstrip(" ,;:.")


def _fragments(template: str) -> Iterator[str]:
    """Yield all texts between the gaps of a template, in every combination of plural forms."""
    choices = [hole[3][1:].split("|") for hole in _HOLE.finditer(template) if hole[3]]
    for chosen in product(*choices):
        for part, name, _ in _parts(_with_forms(template, iter(chosen))):
            if not name:
                yield from (clip.text for clip in _joined([], part))


def _with_forms(template: str, forms: Iterator[str]) -> str:
    return _HOLE.sub(lambda hole: next(forms) if hole[3] else hole[0], template)


def _written(clips: Sequence[Clip]) -> str:
    """Return the clips of one gap as text, with commas and spaces between them."""
    text = ""
    for clip, following in zip(clips, (*clips[1:], None), strict=True):
        text += clip.text
        if following is not None:
            text += ", " if clip.pause == _PAUSES[","] else " "
    return text


def _capitalized(words: str) -> str:
    return re.sub(r"(^[¿¡]?|[.?!] [¿¡]?)(\w)", lambda m: m[1] + m[2].upper(), words)
