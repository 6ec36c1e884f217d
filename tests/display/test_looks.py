"""The looks of a seat: a colour and a pattern each, and nothing that flashes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.display.looks import LOOKS, NEVER, paint, recognized

MOVING = [look for look in LOOKS if paint(look, 3, 1.0, 0.5).until != NEVER]
nows = st.floats(0.0, 1e5)


def film(look: str, seconds: float = 12.0, since: float = 0.0) -> list[tuple[float, bytes]]:
    """A look over some time: when it changed, and to what."""
    now, shots = since, []
    while now < since + seconds:
        painted = paint(look, 3, now, since)
        shots.append((now - since, painted.pixels))
        now = painted.until
    return shots


def lit(pixels: bytes) -> tuple[bool, ...]:
    return tuple(any(pixels[at : at + 3]) for at in range(0, len(pixels), 3))


def brightness(pixels: bytes) -> tuple[int, ...]:
    return tuple(max(pixels[at : at + 3]) for at in range(0, len(pixels), 3))


def grey(look: str) -> list[tuple[float, tuple[int, ...]]]:
    """A look as someone sees it who sees no colours: which pixels, how bright, and when."""
    shots = [(at, tuple(level // 64 for level in brightness(p))) for at, p in film(look)]
    return [shot for n, shot in enumerate(shots) if not n or shots[n - 1][1] != shot[1]]


def test_there_is_a_look_for_every_line_of_the_table() -> None:
    """The names that scripts, pages and people use."""
    assert (
        "off",
        "closed",
        "starter",
        "open",
        "double",
        "last-tile",
        "out",
        "winner",
        "asked",
    ) == LOOKS


@pytest.mark.parametrize("one", LOOKS)
@pytest.mark.parametrize("other", LOOKS)
def test_no_two_looks_differ_by_colour_alone(one: str, other: str) -> None:
    """Without any colours, every look is still itself."""
    assert (one == other) == (grey(one) == grey(other))


@pytest.mark.parametrize("one", LOOKS)
@pytest.mark.parametrize("other", LOOKS)
def test_no_two_looks_have_the_same_colours(one: str, other: str) -> None:
    """Nor do they differ by pattern alone; only darkness has none."""

    def colours(look: str) -> set[tuple[int, ...]]:
        found = {p[at : at + 3] for _, p in film(look) for at in range(0, 9, 3)}
        brightest = max(max(colour) for colour in found) or 1
        return {tuple(round(v * 255 / brightest) for v in c) for c in found if max(c) > 40}

    assert (one == other) == (colours(one) == colours(other))


@given(st.floats(0.0, 10.0))
def test_a_breath_that_is_yet_to_come_is_waited_for(ahead: float) -> None:
    """A draw that was cut short leaves the start of the round in the future."""
    painted = paint("starter", 3, 1000.0, 1000.0 + ahead)
    rest, breath = (paint("starter", 3, 1000.0 + ahead + late, 1000.0 + ahead) for late in (9, 1))

    assert painted.pixels == rest.pixels != breath.pixels
    assert 1000.0 + ahead < painted.until < 1000.0 + ahead + 0.1


def test_the_patterns_are_those_of_the_table() -> None:
    """Which of the three pixels are lit, and how they move."""
    first = {look: lit(film(look)[0][1]) for look in LOOKS}

    assert {
        "off": (False, False, False),
        "closed": (False, True, False),
        "starter": (True, True, True),
        "open": (True, True, True),
        "double": (True, True, True),
        "last-tile": (True, False, False),
        "out": (True, False, True),
        "winner": (True, True, True),
        "asked": (True, False, True),
    } == first
    assert ["starter", "double", "last-tile", "winner", "asked"] == MOVING
    outer, middle, _ = brightness(paint("starter", 3, 100.0).pixels)
    assert outer < middle / 2
    walk = [lit(pixels).index(True) for _, pixels in film("last-tile")]
    assert [0, 1, 2, 1, 0, 1, 2, 1] == walk[:8]


def test_the_starter_breathes_once_when_the_round_begins() -> None:
    """One slow breath, and then no timer any more."""
    shots = film("starter", since=50.0)
    levels = [brightness(pixels)[1] for _, pixels in shots]
    lowest = levels.index(min(levels))

    assert sorted(levels[: lowest + 1], reverse=True) == levels[: lowest + 1]
    assert sorted(levels[lowest:]) == levels[lowest:]
    assert 255 == levels[0] == levels[-1]
    assert 2.0 == pytest.approx(shots[-1][0])
    assert NEVER == paint("starter", 3, 52.1, 50.0).until


@pytest.mark.parametrize("look", LOOKS)
def test_nothing_flashes_more_than_twice_a_second(look: str) -> None:
    """A flash is bright and dark again: in any second no pixel has more than two of them."""
    shots = film(look, 10.0)
    for pixel in range(3):
        levels = [(at, sum(p[3 * pixel : 3 * pixel + 3])) for at, p in shots]
        turns = [
            at
            for (_, before), (at, here), (_, after) in zip(
                levels, levels[1:], levels[2:], strict=False
            )
            if before < here > after
        ]
        seconds = [start / 10 for start in range(90)]
        assert all(sum(start <= at < start + 1.0 for at in turns) <= 2 for start in seconds)


@pytest.mark.parametrize("look", LOOKS)
@given(now=nows, since=st.floats(0.0, 3.0))
def test_the_next_change_is_told_exactly(look: str, now: float, since: float) -> None:
    """Until then the picture stays; then it is another."""
    painted = paint(look, 3, now, now - since)
    if painted.until == NEVER:
        assert painted.pixels == paint(look, 3, now + 1e4, now - since).pixels
        return
    assert now < painted.until <= now + 1.0
    for part in (0.25, 0.5, 0.999):
        between = now + part * (painted.until - now)
        assert painted.pixels == paint(look, 3, between, now - since).pixels

    assert painted.pixels != paint(look, 3, painted.until, now - since).pixels


@pytest.mark.parametrize("look", LOOKS)
@given(now=nows)
def test_a_look_is_recognized_by_its_pixels_alone(look: str, now: float) -> None:
    """The eye of a script sees what was painted; the dark half of a blink is dark."""
    pixels = paint(look, 3, now, 0.0).pixels

    assert recognized(pixels, now) == (look if any(pixels) else "off")
    echoed = paint(look, 3, now, 0.0, echo=True).pixels
    assert "echo" == recognized(echoed, now)


@pytest.mark.parametrize("look", LOOKS)
def test_an_echo_is_the_look_of_before_and_brighter(look: str) -> None:
    """Also on a dark seat: a button heard is a button seen."""
    plain, echo = paint(look, 3, 5.1).pixels, paint(look, 3, 5.1, echo=True).pixels

    assert all(after > before or after == 255 for before, after in zip(plain, echo, strict=True))
    assert plain != echo


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 7, 12])
@pytest.mark.parametrize("look", LOOKS)
def test_a_look_fills_a_zone_of_any_size(look: str, count: int) -> None:
    """Another chain, another number of pixels: the pattern is spread over them."""
    assert 3 * count == len(paint(look, count, 1.0).pixels)


@pytest.mark.parametrize("look", MOVING)
def test_what_moves_ticks_at_thirty_frames_a_second_at_most(look: str) -> None:
    """A calm thing on a table."""
    times = [at for at, _ in film(look)]

    assert all(later - earlier >= 1 / 30 for earlier, later in pairwise(times))
