"""The face: numbers as pips and as digits, each recognizable without colour."""

from collections.abc import Callable

import pytest

from centerpiece.display.colours import HIGH_CONTRAST, RED, SUITS, Colour
from centerpiece.display.face import HALF, digits, number, pips, refused, typed
from centerpiece.display.looks import NEVER, Painted
from centerpiece.panel.parade import scrolling_time

Show = Callable[[str, Colour, float, float], Painted]

WHITE: Colour = (255, 255, 255)
NUMBERS = range(16)

PICTURES = {
    0: "### #.# #.# #.# ###",
    1: "... ... .#. ... ...",
    2: "... ..# ... #.. ...",
    3: "... ..# .#. #.. ...",
    4: "... #.# ... #.# ...",
    5: "... #.# .#. #.# ...",
    6: "... #.# #.# #.# ...",
    7: "... #.# ### #.# ...",
    8: "... ### #.# ### ...",
    9: "... ### ### ### ...",
    10: "#.# #.# #.# #.# #.#",
    11: "#.# #.# ### #.# #.#",
    12: "### ### ... ### ###",
    13: "### #.# ### #.# ###",
    14: "### ### #.# ### ###",
    15: "### ### ### ### ###",
}


def halves(pixels: bytes) -> tuple[str, str]:
    """Return the lit pixels as text: five rows of three for each half."""
    dots = "".join("#" if any(pixels[at : at + 3]) else "." for at in range(0, len(pixels), 3))
    rows = [dots[at : at + 3] for at in range(0, len(dots), 3)]
    return " ".join(rows[:5]), " ".join(rows[5:])


@pytest.mark.parametrize("number", NUMBERS)
def test_a_double_shows_its_number_on_both_halves(number: int) -> None:
    """A blank has an outline, so that it is not taken for darkness."""
    assert (PICTURES[number], PICTURES[number]) == halves(pips(number, SUITS[number]))


@pytest.mark.parametrize("number", range(1, 16))
def test_a_number_has_as_many_pips_as_it_says(number: int) -> None:
    assert number == PICTURES[number].count("#")


@pytest.mark.parametrize("number", NUMBERS)
def test_pips_are_symmetrical(number: int) -> None:
    """They look the same from the other side of the table."""
    assert PICTURES[number] == PICTURES[number][::-1]


def test_every_number_has_a_shape_of_its_own() -> None:
    """Double twelve and double blank differ without colour."""
    shapes = {halves(pips(number, WHITE)) for number in NUMBERS}

    assert len(NUMBERS) == len(shapes)


@pytest.mark.parametrize("number", range(1, 10))
def test_small_numbers_stand_in_the_middle_square(number: int) -> None:
    """The outer rows are for numbers above nine."""
    rows = PICTURES[number].split()

    assert ("...", "...") == (rows[0], rows[-1])


def test_every_suit_has_a_colour_of_its_own_and_one_set_has_none() -> None:
    """Sixteen colours; the high-contrast set is white throughout."""
    assert (16, 16) == (len(SUITS), len(set(SUITS)))
    assert {WHITE} == set(HIGH_CONTRAST)


@pytest.mark.parametrize(
    ("text", "left", "right"),
    [
        ("", "... ... ... ... ...", "... ... ... ... ###"),
        ("0", "... ... ... ... ...", "### #.# #.# #.# ###"),
        ("7", "... ... ... ... ...", "### ..# ..# ..# ..#"),
        ("-5", "... ... ### ... ...", "### #.. ### ..# ###"),
        ("04", "### #.# #.# #.# ###", "#.# #.# ### ..# ..#"),
        ("12", ".#. ##. .#. .#. ###", "### ..# ### #.. ###"),
        ("36", "### ..# ### ..# ###", "### #.. ### #.# ###"),
        ("89", "### #.# ### #.# ###", "### #.# ### ..# ###"),
    ],
)
def test_digits_stand_side_by_side(text: str, left: str, right: str) -> None:
    """A single digit is on the right; an empty number is a cursor."""
    assert (left, right) == halves(digits(text, WHITE))
    assert NEVER == number(text, WHITE, 3.0).until


def test_every_two_digits_look_different() -> None:
    """People can follow a count press by press."""
    assert 100 == len({digits(str(number), WHITE) for number in range(100)})


def film(text: str, show: Show = number, seconds: float = 12.0) -> list[tuple[float, bytes]]:
    """Paint a number for some time; return its pixels and the times of each change."""
    now, shots = 50.0, []
    while now < 50.0 + seconds:
        painted = show(text, WHITE, now, 50.0)
        shots.append((now - 50.0, painted.pixels))
        now = painted.until
    return shots


@pytest.mark.parametrize("text", ["112", "100", "-47", "0427"])
def test_a_long_number_passes_by_and_every_digit_is_seen(text: str) -> None:
    """First its first two digits, then column by column; a dark moment separates the repeats."""
    shots = film(text, seconds=scrolling_time(len(text)))
    pairs = [digits(text[at : at + 2], WHITE) for at in range(len(text) - 1)]
    seen = [pixels for _, pixels in shots]

    assert pairs == [pixels for pixels in seen if pixels in pairs]
    assert pairs[0] == seen[0] == number(text, WHITE, 50.0 + scrolling_time(len(text)), 50.0).pixels
    assert ("... ... ... ... ...",) * 2 == halves(seen[-1])
    assert 1.0 == pytest.approx(shots[1][0]), "time to read where it begins"


def test_no_other_number_passes_by_like_this_one() -> None:
    """112 is not 12, and 100 is not 0."""
    films = {
        tuple(pixels for _, pixels in film(str(n), seconds=scrolling_time(len(str(n)))))
        for n in range(100, 1000)
    }

    assert 900 == len(films)


def test_what_is_typed_blinks_and_can_always_be_read() -> None:
    """Bright at once, then fainter, half a second each."""
    shots = film("47", typed, 2.0)

    assert [0.0, 0.5, 1.0, 1.5] == pytest.approx([at for at, _ in shots])
    assert [255, 64, 255, 64] == [max(pixels) for _, pixels in shots]
    assert 1 == len({halves(pixels) for _, pixels in shots})


@pytest.mark.parametrize("show", [number, typed])
@pytest.mark.parametrize("text", ["", "8", "80", "112", "888", "0427", "606060"])
def test_no_pixel_of_the_face_flashes_more_than_twice_a_second(show: Show, text: str) -> None:
    """The same holds while a number scrolls."""
    shots = film(text, show, 20.0)
    for at in range(0, 6 * HALF, 3):
        levels = [(when, pixels[at]) for when, pixels in shots]
        levels = [each for n, each in enumerate(levels) if not n or levels[n - 1][1] != each[1]]
        peaks = [
            when
            for (_, before), (when, here), (_, after) in zip(
                levels, levels[1:], levels[2:], strict=False
            )
            if before < here > after
        ]
        assert all(
            later - when >= 1.0 - 1e-4 for when, later in zip(peaks, peaks[2:], strict=False)
        )


@pytest.mark.parametrize("number", NUMBERS)
def test_a_refusal_is_a_red_outline_on_any_suit(number: int) -> None:
    """Pure red on the edge; the middle stays as it was."""
    plain = pips(number, SUITS[number])
    shown = refused(plain)
    edge = [n for n, dot in enumerate(PICTURES[0].replace(" ", "") * 2) if dot == "#"]

    for n in range(2 * HALF):
        pixel = shown[3 * n : 3 * n + 3]
        assert (bytes(RED) if n in edge else plain[3 * n : 3 * n + 3]) == pixel
