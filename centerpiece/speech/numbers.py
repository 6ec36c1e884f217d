"""Numbers as words and as clips, by the entries of a language.

Every number up to 199 is a clip of its own, so that it sounds natural; larger ones are joined from
a few, such as “two hundred” and “forty-seven”. A language is data, by these keys:

- `0` to `99`, `100`, `200` … `900`, `1000`, and `thousands` for `{count}` of them;
- `100+` … `900+`: hundreds with a `{rest}`, such as “zweihundert{rest}” or “cento e {rest}”;
- `thousands+`: `{thousands}` with a `{rest}`; `thousands+small`: a rest below 100, or of hundreds;
- `m 1`, `f 21` and so on: the form before a noun, whose last word replaces that of the number.
"""

from functools import cached_property
from typing import NamedTuple

WHOLE = 200
"""Numbers below this have a clip of their own."""
MOST = 10_000
"""Numbers from here on are said digit by digit."""
HUNDREDS = tuple(range(200, 1000, 100))
THOUSANDS = tuple(range(1000, MOST, 1000))
FORMS = ("m", "f", "n")
FORMED = (1, 2, 21)
"""Numbers whose form before a noun shows that of all others."""


class NumberWords:
    """The number words of one language."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._texts = texts
        self.minus = texts["minus"]

    @cached_property
    def forms(self) -> dict[str, dict[str, str]]:
        """Replacements of the last word before a noun, by the name of the form."""
        return {
            form: {
                _last(self.words(number)): _last(self._texts[f"{form} {number}"])
                for number in FORMED
                if self.words(number) != self._texts[f"{form} {number}"]
            }
            for form in FORMS
        }

    def words(self, number: int, form: str = "") -> str:
        """Return a number in words; one from MOST on digit by digit.

        `form` is the form of the last word before a noun, such as `f`; without it, the word as it
        is counted.
        """
        if number < 0:
            return f"{self.minus} {self.words(-number, form)}"
        if number >= MOST:
            return " ".join(map(self.words, map(int, str(number))))
        text = self._whole(number)
        if form:
            last = _last(text)
            text = text.removesuffix(last) + self.forms.get(form, {}).get(last, last)
        return text

    def _whole(self, number: int) -> str:
        """Return a number from 0 to below MOST in words."""
        head, rest = number // 1000 * 1000, number % 1000
        if not head:
            head, rest = number // 100 * 100, number % 100
        if head and rest:
            return self.before(head, rest).replace("{rest}", self._whole(rest))
        if head > 1000:
            return self._texts["thousands"].replace("{count}", self._whole(head // 1000))
        return self._texts[str(number)]

    def before(self, head: int, rest: int) -> str:
        """Return `head`, hundreds or thousands, in words with `{rest}` where the rest follows."""
        if head < 1000:
            return self._texts[f"{head}+"]
        little = rest < 100 or rest % 100 == 0
        template = self._texts["thousands+small" if little else "thousands+"]
        return template.replace("{thousands}", self._whole(head))


def _last(text: str) -> str:
    return text.rpartition(" ")[2]


class Piece(NamedTuple):
    """One clip of a number: its key and its words."""

    key: str
    words: str


def pieces(numbers: NumberWords, number: int, form: str = "") -> list[Piece]:
    """Return the clips that a number is joined from; one from MOST on is said digit by digit.

    `form` is the form of the last word before a noun.
    """
    if number < 0:
        return [Piece("number/minus", numbers.minus), *pieces(numbers, -number, form)]
    if number >= MOST:
        return [_piece(numbers, int(digit), "") for digit in str(number)]
    parts = []
    words = numbers.words(number, form)
    for unit in (1000, 100):
        whole = number // unit * unit
        rest = number - whole
        if whole and rest and number >= WHOLE:
            parts.append(_beginning(numbers, whole, rest))
            number = rest
    if not words.endswith(numbers.words(number, form)):
        form = ""  # “zweihunderteins” stays as it is before a noun
    return [*parts, _piece(numbers, number, form)]


def _piece(numbers: NumberWords, number: int, form: str) -> Piece:
    plain, words = numbers.words(number), numbers.words(number, form)
    return Piece(f"number/{number}" if words == plain else f"number/{number}-{form}", words)


def _beginning(numbers: NumberWords, whole: int, rest: int) -> Piece:
    """Return the clip of `whole`, hundreds or thousands, before a rest.

    It is the clip of that number alone where the language says both alike, as most do.
    """
    plain = numbers.words(whole)
    words = numbers.before(whole, rest).replace("{rest}", "").strip()
    if words == plain:
        return Piece(f"number/{whole}", words)
    little = "-little" if whole >= 1000 and words != _beginning(numbers, whole, 999).words else ""
    return Piece(f"number/{whole}-and{little}", words)


def all_pieces(numbers: NumberWords) -> list[Piece]:
    """Return all clips that any number can be joined from, those of whole numbers first."""
    clips = [_piece(numbers, number, "") for number in (*range(WHOLE), *HUNDREDS, *THOUSANDS)]
    clips.append(Piece("number/minus", numbers.minus))
    for form in FORMS:
        changed = (_piece(numbers, number, form) for number in range(WHOLE))
        clips += [piece for piece in changed if piece.key.endswith(f"-{form}")]
    known = {clip.key for clip in clips}
    begun = (_beginning(numbers, whole, 1) for whole in (*HUNDREDS, *THOUSANDS))
    begun_more = (_beginning(numbers, whole, 999) for whole in THOUSANDS)
    clips += [piece for piece in dict.fromkeys([*begun, *begun_more]) if piece.key not in known]
    return clips
