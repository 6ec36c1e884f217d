"""Numbers as words and as clips, by the rules of a language.

Every number up to 199 is a clip of its own, so that it sounds natural; larger ones are joined from
a few, such as “two hundred” and “forty-seven”. A language is data: its words for small numbers,
tens, hundreds and thousands, and the text between tens and units.
"""

from typing import NamedTuple

import msgspec

WHOLE = 200
"""Numbers below this have a clip of their own."""
MOST = 10_000
"""Numbers from here on are said digit by digit."""
HUNDREDS = tuple(range(200, 1000, 100))
THOUSANDS = tuple(range(1000, MOST, 1000))


class NumberWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The number words of one language."""

    small: tuple[str, ...]
    """From 0 on, as many as follow no rule."""
    tens: tuple[str, ...]
    """10, 20, and so on to 90."""
    between: str
    """The text between tens and units."""
    hundreds: tuple[str, ...]
    """100 to 900."""
    hundred_and: str
    """100 if something follows."""
    thousand: str
    thousands: str
    """With `{count}`."""
    minus: str
    forms: dict[str, dict[str, str]] = {}
    """Replacements of the last word before a noun, by the name of the form."""

    def words(self, number: int, form: str = "") -> str:
        """Return a number in words."""
        if number < 0:
            return f"{self.minus} {self.words(-number, form)}"
        if number >= MOST:
            return " ".join(map(self.words, map(int, str(number))))
        text = " ".join(self._parts(number))
        for word, other in self.forms.get(form, {}).items():
            if text.rpartition(" ")[2] == word:
                return text.removesuffix(word) + other
        return text

    def _parts(self, number: int) -> list[str]:
        thousands, rest = divmod(number, 1000)
        hundreds, rest = divmod(rest, 100)
        parts = []
        if thousands == 1:
            parts.append(self.thousand)
        elif thousands:
            parts.append(self.thousands.replace("{count}", self.words(thousands)))
        if hundreds:
            joined = hundreds == 1 and rest
            parts.append(self.hundred_and if joined else self.hundreds[hundreds - 1])
        if rest or not parts:
            parts.append(self._below_hundred(rest))
        return parts

    def _below_hundred(self, number: int) -> str:
        if number < len(self.small):
            return self.small[number]
        tens, units = divmod(number, 10)
        ten = self.tens[tens - 1]
        return f"{ten}{self.between}{self.small[units]}" if units else ten


class Piece(NamedTuple):
    """One clip of a number: its key and its words."""

    key: str
    words: str


def pieces(numbers: NumberWords, number: int, form: str = "") -> list[Piece]:
    """Return the clips that a number is joined from."""
    if number < 0:
        return [Piece("number/minus", numbers.minus), *pieces(numbers, -number, form)]
    if number >= MOST:
        return [_piece(numbers, int(digit), "") for digit in str(number)]
    parts = []
    for unit in (1000, 100):
        whole = number // unit * unit
        if whole and number >= WHOLE:
            parts.append(whole)
            number -= whole
    if number or not parts:
        parts.append(number)
    return [_piece(numbers, part, form if part is parts[-1] else "") for part in parts]


def _piece(numbers: NumberWords, number: int, form: str) -> Piece:
    plain, words = numbers.words(number), numbers.words(number, form)
    return Piece(f"number/{number}" if words == plain else f"number/{number}-{form}", words)


def all_pieces(numbers: NumberWords) -> list[Piece]:
    """Return all clips that any number can be joined from, those of whole numbers first."""
    clips = [_piece(numbers, number, "") for number in (*range(WHOLE), *HUNDREDS, *THOUSANDS)]
    clips.append(Piece("number/minus", numbers.minus))
    for form in numbers.forms:
        changed = (_piece(numbers, number, form) for number in range(WHOLE))
        clips += [piece for piece in changed if piece.key.endswith(f"-{form}")]
    return clips
