"""The face of the hub: a number as pips or as digits, on two grids of 3 columns and 5 rows.

The pixels of a half run row by row, from the top left. Pips are arranged as on printed tiles:
symmetrical, 1 to 9 in the middle square, 10 to 15 also in the outer rows.
Two digits are shown side by side; longer numbers scroll from right to left, slowly enough to be
read and for no pixel to flash more than twice a second.
"""

from functools import cache, lru_cache

from centerpiece.display.colours import DARK, RED, Colour, mixed
from centerpiece.display.looks import BLINK, NEVER, Painted, in_turn
from centerpiece.panel.parade import APART, COLUMNS, REST, STEP

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
    "0": "ooo o.o o.o o.o ooo",
    "1": ".o. oo. .o. .o. ooo",
    "2": "ooo ..o ooo o.. ooo",
    "3": "ooo ..o ooo ..o ooo",
    "4": "o.o o.o ooo ..o ..o",
    "5": "ooo o.. ooo ..o ooo",
    "6": "ooo o.. ooo o.o ooo",
    "7": "ooo ..o ..o ..o ..o",
    "8": "ooo o.o ooo o.o ooo",
    "9": "ooo o.o ooo ..o ooo",
    "-": "... ... ooo ... ...",
    " ": "... ... ... ... ...",
    "_": "... ... ... ... ooo",
}
OUTLINE = "ooo o.o o.o o.o ooo"
HALF = 15
FAINT = 0.25
"""Brightness of typed digits in the dim half of their blink, still readable."""


def _half(glyph: str, colour: Colour) -> bytes:
    lit, dark = bytes(colour), bytes(DARK)
    return b"".join(lit if dot == "o" else dark for dot in glyph if dot != " ")


@cache
def pips(number: int, colour: Colour) -> bytes:
    """Return the pixels of a double: the same pips on both halves; blank halves get an outline."""
    if number == 0:
        return _half(OUTLINE, tuple(value // 4 for value in colour)) * 2  # type: ignore[arg-type]
    return _half(PIPS[number], colour) * 2


@cache
def digits(text: str, colour: Colour) -> bytes:
    """Return the pixels of up to two digits, aligned to the right; a cursor for an empty text."""
    two = text.rjust(2) if text else " _"
    return b"".join(_half(DIGITS[sign], colour) for sign in two)


def number(text: str, colour: Colour, now: float, since: float = 0.0) -> Painted:
    """Return a number of any length, painted for the time `now`.

    A number of more than two digits scrolls past repeatedly, beginning at `since`.
    """
    if len(text) <= 2:
        return Painted(digits(text, colour), NEVER)
    return Painted(*in_turn(_scrolling(text, colour), now, since))


def typed(text: str, colour: Colour, now: float, since: float) -> Painted:
    """Return digits being typed, painted for the time `now`: they blink.

    They are bright first after the latest press, at `since`; an empty text is a cursor.
    """
    blinks = int(max(0.0, now - since) / BLINK + 1e-6)
    shown = number(text, mixed(colour, FAINT) if blinks % 2 else colour, now, since)
    return shown._replace(until=min(shown.until, since + (blinks + 1) * BLINK))


@lru_cache(maxsize=64)
def _scrolling(text: str, colour: Colour) -> tuple[tuple[bytes, float], ...]:
    """Return the frames of a number scrolling past, each with its seconds; the last is dark."""
    rows = [".".join(DIGITS[sign].split()[row] for sign in text) for row in range(5)]
    last = COLUMNS * (len(text) - 2)
    frames = []
    for column in range(last + 1):
        halves = (
            [row[column : column + 3] for row in rows],
            [row[column + 4 : column + 7] for row in rows],
        )
        pixels = b"".join(_half(" ".join(half), colour) for half in halves)
        frames.append((pixels, REST if column in (0, last) else STEP))
    return (*frames, (bytes(6 * HALF), APART))


def refused(pixels: bytes) -> bytes:
    """Return the pixels of a face with its outer edge in red."""
    edge = (OUTLINE + OUTLINE).replace(" ", "")
    return b"".join(
        bytes(RED) if dot == "o" else pixels[3 * n : 3 * n + 3] for n, dot in enumerate(edge)
    )
