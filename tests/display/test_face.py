"""The face: numbers as pips and as digits, each recognizable without its colour."""

import pytest

from centerpiece.display.colours import HIGH_CONTRAST, RED, SUITS
from centerpiece.display.face import HALF, digits, pips, refused

WHITE = (255, 255, 255)
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
    """What is lit, as text: five rows of three for each half."""
    dots = "".join("#" if any(pixels[at : at + 3]) else "." for at in range(0, len(pixels), 3))
    rows = [dots[at : at + 3] for at in range(0, len(dots), 3)]
    return " ".join(rows[:5]), " ".join(rows[5:])


@pytest.mark.parametrize("number", NUMBERS)
def test_a_double_shows_its_number_on_both_halves(number: int) -> None:
    """As it is drawn here; a blank is an outline, so that it is not taken for darkness."""
    assert (PICTURES[number], PICTURES[number]) == halves(pips(number, SUITS[number]))


@pytest.mark.parametrize("number", range(1, 16))
def test_a_number_has_as_many_pips_as_it_says(number: int) -> None:
    """Whoever does not know the picture can count."""
    assert number == PICTURES[number].count("#")


@pytest.mark.parametrize("number", NUMBERS)
def test_pips_are_symmetrical(number: int) -> None:
    """Turned upside down, from the other side of the table, it is the same tile."""
    assert PICTURES[number] == PICTURES[number][::-1]


def test_every_number_has_a_shape_of_its_own() -> None:
    """Nothing rests on colour: double twelve is not double blank."""
    shapes = {halves(pips(number, WHITE)) for number in NUMBERS}

    assert len(NUMBERS) == len(shapes)


@pytest.mark.parametrize("number", range(1, 10))
def test_small_numbers_stand_in_the_middle_square(number: int) -> None:
    """The outer rows are for those above nine."""
    rows = PICTURES[number].split()

    assert ("...", "...") == (rows[0], rows[-1])


def test_every_suit_has_a_colour_of_its_own_and_one_set_has_none() -> None:
    """Sixteen colours; the high-contrast set is white throughout."""
    assert (16, 16) == (len(SUITS), len(set(SUITS)))
    assert {WHITE} == set(HIGH_CONTRAST)


@pytest.mark.parametrize(
    ("number", "left", "right"),
    [
        (0, "... ... ... ... ...", "### #.# #.# #.# ###"),
        (7, "... ... ... ... ...", "### ..# ..# ..# ..#"),
        (12, ".#. ##. .#. .#. ###", "### ..# ### #.. ###"),
        (34, "### ..# ### ..# ###", "#.# #.# ### ..# ..#"),
        (56, "### #.. ### ..# ###", "### #.. ### #.# ###"),
        (89, "### #.# ### #.# ###", "### #.# ### ..# ###"),
        (105, "### #.# #.# #.# ###", "### #.. ### ..# ###"),
    ],
)
def test_digits_stand_side_by_side(number: int, left: str, right: str) -> None:
    """A single digit on the right; of large numbers the last two."""
    assert (left, right) == halves(digits(number, WHITE))


def test_every_two_digits_look_different() -> None:
    """So that a count can be followed press by press."""
    assert 100 == len({digits(number, WHITE) for number in range(100)})


@pytest.mark.parametrize("number", NUMBERS)
def test_a_refusal_is_a_red_outline_on_any_suit(number: int) -> None:
    """Red, and not whatever red and blue make; the middle stays as it was."""
    plain = pips(number, SUITS[number])
    shown = refused(plain)
    edge = [n for n, dot in enumerate(PICTURES[0].replace(" ", "") * 2) if dot == "#"]

    for n in range(2 * HALF):
        pixel = shown[3 * n : 3 * n + 3]
        assert (bytes(RED) if n in edge else plain[3 * n : 3 * n + 3]) == pixel
