"""The face of the hub: a number as pips or as digits, on two grids of 3 columns and 5 rows.

The pixels of a half run row by row, from the top left. Pips stand as on printed tiles:
symmetrical, 1 to 9 in the middle square, 10 to 15 using the outer rows too.
"""

from functools import cache

from centerpiece.display.colours import DARK, RED, Colour

PIPS = {
    0: "... ... ... ... ...",
    1: "... ... .o. ... ...",
    2: "... ..o ... o.. ...",
    3: "... ..o .o. o.. ...",
    4: "... o.o ... o.o ...",
    5: "... o.o .o. o.o ...",
    6: "... o.o o.o o.o ...",
    7: "... o.o ooo o.o ...",
    8: "... ooo o.o ooo ...",
    9: "... ooo ooo ooo ...",
    10: "o.o o.o o.o o.o o.o",
    11: "o.o o.o ooo o.o o.o",
    12: "ooo ooo ... ooo ooo",
    13: "ooo o.o ooo o.o ooo",
    14: "ooo ooo o.o ooo ooo",
    15: "ooo ooo ooo ooo ooo",
}
DIGITS = {
    0: "ooo o.o o.o o.o ooo",
    1: ".o. oo. .o. .o. ooo",
    2: "ooo ..o ooo o.. ooo",
    3: "ooo ..o ooo ..o ooo",
    4: "o.o o.o ooo ..o ..o",
    5: "ooo o.. ooo ..o ooo",
    6: "ooo o.. ooo o.o ooo",
    7: "ooo ..o ..o ..o ..o",
    8: "ooo o.o ooo o.o ooo",
    9: "ooo o.o ooo ..o ooo",
}
OUTLINE = "ooo o.o o.o o.o ooo"
HALF = 15


def _half(glyph: str, colour: Colour) -> bytes:
    lit, dark = bytes(colour), bytes(DARK)
    return b"".join(lit if dot == "o" else dark for dot in glyph if dot != " ")


@cache
def pips(number: int, colour: Colour) -> bytes:
    """A double: the same pips on both halves. Blank halves are outlined, so as not to be dark."""
    if number == 0:
        return _half(OUTLINE, tuple(value // 4 for value in colour)) * 2  # type: ignore[arg-type]
    return _half(PIPS[number], colour) * 2


@cache
def digits(number: int, colour: Colour) -> bytes:
    """The last two digits of a number; a single digit stands on the right."""
    tens, ones = divmod(number % 100, 10)
    left = _half(DIGITS[tens], colour) if number >= 10 else bytes(3 * HALF)
    return left + _half(DIGITS[ones], colour)


def refused(pixels: bytes) -> bytes:
    """A face with its outer edge in red."""
    edge = (OUTLINE + OUTLINE).replace(" ", "")
    return b"".join(
        bytes(RED) if dot == "o" else pixels[3 * n : 3 * n + 3] for n, dot in enumerate(edge)
    )
