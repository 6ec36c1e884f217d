"""The looks of a seat: each a colour and a pattern, without flashing."""

from itertools import combinations, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.display.colours import (
    AMBER,
    BLUE,
    BRIGHT,
    DARK,
    DIM,
    GOLD,
    GREEN,
    SOFT_WHITE,
    SUITS,
    VIOLET,
    WARM,
    WHITE,
    Colour,
    mixed,
)
from centerpiece.display.looks import CALLED_FOR, LOOKS, NEVER, Seen, paint, recognized, whole

TRAIN = ("closed", "open", "double", "double-waits", "misplaced")
PERSON = ("plays", "starter", "last-tile", "skipped", "out")
ALL = ("asked", "counting", "uncounted", "winner", "place", "leader")
EVERY = [
    whole("off"),
    *map(whole, TRAIN),
    *map(whole, ALL),
    *(Seen(*pair) for pair in product(TRAIN, PERSON)),
    CALLED_FOR,
]
"""All that a zone can show."""
every = pytest.mark.parametrize("seen", EVERY, ids="/".join)
nows = st.floats(0.0, 1e5)


def film(seen: Seen, seconds: float = 12.0, since: float = 0.0) -> list[tuple[float, bytes]]:
    """Paint looks for some time; return the pixels and the times of each change."""
    now, shots = since, []
    while now < since + seconds:
        painted = paint(seen, 3, now, since)
        shots.append((now - since, painted.pixels))
        now = painted.until
    return shots


def lit(pixels: bytes) -> tuple[bool, ...]:
    return tuple(any(pixels[at : at + 3]) for at in range(0, len(pixels), 3))


def luminance(pixels: bytes) -> tuple[float, ...]:
    """Return how bright each pixel is to the eye."""
    weights = (0.2126, 0.7152, 0.0722)
    return tuple(
        sum(weight * value for weight, value in zip(weights, pixels[at : at + 3], strict=True))
        for at in range(0, len(pixels), 3)
    )


def alike_in_grey(one: Seen, other: Seen) -> bool:
    """Return whether two looks are equally bright at all times: only colour tells them apart."""
    for now in (n / 20 for n in range(80)):
        both = (luminance(paint(seen, 3, now).pixels) for seen in (one, other))
        if any(
            max(here, there) > 1.25 * min(here, there) for here, there in zip(*both, strict=True)
        ):
            return False
    return True


def test_there_is_a_look_for_every_line_of_the_table() -> None:
    """Scripts, pages and documents use these names."""
    assert ("off", *TRAIN, *PERSON, *ALL) == LOOKS


@pytest.mark.parametrize("family", [TRAIN, PERSON, ALL])
def test_no_two_looks_of_a_place_differ_by_colour_alone(family: tuple[str, ...]) -> None:
    for one, other in combinations(family, 2):
        assert not alike_in_grey(whole(one), whole(other)), f"{one} and {other}"


def test_marker_and_last_tile_are_seen_at_once() -> None:
    """The outer pixels are the train, the middle one is the person."""
    for train, person in product(TRAIN, PERSON):
        left, middle, right = (
            [paint(seen, 3, now).pixels for now in (0.1, 0.3, 0.6, 0.9)]
            for seen in (whole(train), whole(person), Seen(train, person))
        )

        assert [(t[:3], p[3:6], t[6:]) for t, p in zip(left, middle, strict=True)] == [
            (shown[:3], shown[3:6], shown[6:]) for shown in right
        ]


A_FAINT_AMBER, A_FAINT_GOLD = mixed(AMBER, 0.3), mixed(GOLD, 0.3)


@pytest.mark.parametrize(
    ("look", "colours"),
    [
        ("off", {DARK}),
        ("closed", {DARK}),
        ("open", {GREEN}),
        ("double", {WHITE, DARK}),
        ("double-waits", {SOFT_WHITE}),
        ("plays", {DIM}),
        ("last-tile", {GOLD, A_FAINT_GOLD}),
        ("skipped", {VIOLET, DARK}),
        ("out", {BLUE}),
        ("asked", {AMBER, DARK}),
        ("uncounted", {A_FAINT_AMBER}),
        ("leader", {GOLD}),
        ("place", {BRIGHT}),
        ("winner", set(SUITS[1:])),
    ],
)
def test_the_colours_are_those_of_the_table(look: str, colours: set[Colour]) -> None:
    """A breath has one colour at many levels, and is tested as such."""
    shots = [pixels for _, pixels in film(whole(look))]

    assert colours == {tuple(p[at : at + 3]) for p in shots for at in range(0, 9, 3)}


def test_what_is_asked_of_a_seat_is_seen_beside_the_person() -> None:
    """`asked` blinks in the outer two pixels, a missing hand in the whole seat."""
    shown = [lit(pixels) for _, pixels in film(whole("asked"), 1.0)]
    called_for = [lit(pixels) for _, pixels in film(CALLED_FOR, 1.0)]

    assert [(True, False, True), (False, False, False)] == shown
    assert [(True, True, True), (False, False, False)] == called_for


def test_a_last_tile_is_two_short_pulses_and_a_pause() -> None:
    """It is never dark."""
    shots = [(at, pixels[3:6] == bytes(GOLD)) for at, pixels in film(whole("last-tile"), 1.75)]

    assert [(0.0, True), (0.25, False), (0.5, True), (0.75, False)] == [
        (pytest.approx(at), bright) for at, bright in shots
    ]
    assert all(any(pixels[3:6]) for _, pixels in film(whole("last-tile")))


@given(st.floats(0.0, 10.0))
def test_a_breath_that_is_yet_to_come_is_waited_for(ahead: float) -> None:
    """After a draw that was cut short, the start of the round is in the future."""
    starter = whole("starter")
    painted = paint(starter, 3, 1000.0, 1000.0 + ahead)
    rest, breath = (paint(starter, 3, 1000.0 + ahead + late, 1000.0 + ahead) for late in (9, 1))

    assert painted.pixels == rest.pixels != breath.pixels
    assert 1000.0 + ahead < painted.until < 1000.0 + ahead + 0.1


def test_the_starter_breathes_once_when_the_round_begins() -> None:
    """Then it needs no timer any more."""
    shots = film(whole("starter"), since=50.0)
    levels = [pixels[3] for _, pixels in shots]
    lowest = levels.index(min(levels))

    assert sorted(levels[: lowest + 1], reverse=True) == levels[: lowest + 1]
    assert sorted(levels[lowest:]) == levels[lowest:]
    assert bytes(WARM) == shots[0][1][3:6] == shots[-1][1][3:6]
    assert 2.0 == pytest.approx(shots[-1][0])
    assert NEVER == paint(whole("starter"), 3, 52.1, 50.0).until


def test_the_hand_that_is_counted_breathes_again_and_again() -> None:
    """Slowly, in amber, never dark."""
    shots = film(whole("counting"), 6.0)
    full = [at for at, pixels in shots if pixels == bytes(AMBER) * 3]

    assert [0.0, 3.0] == pytest.approx(full)
    assert all(all(lit(pixels)) for _, pixels in shots)


@every
def test_nothing_flashes_more_than_twice_a_second(seen: Seen) -> None:
    """A flash is bright and dark again; no pixel has more than two in any second."""
    shots = film(seen, 10.0)
    for pixel in range(3):
        levels = [(at, sum(p[3 * pixel : 3 * pixel + 3])) for at, p in shots]
        levels = [each for n, each in enumerate(levels) if not n or levels[n - 1][1] != each[1]]
        turns = [
            at
            for (_, before), (at, here), (_, after) in zip(
                levels, levels[1:], levels[2:], strict=False
            )
            if before < here > after
        ]
        assert all(later - at >= 1.0 - 1e-6 for at, later in zip(turns, turns[2:], strict=False))


@every
@given(now=nows, since=st.floats(0.0, 3.0))
def test_the_time_of_the_next_change_is_exact(seen: Seen, now: float, since: float) -> None:
    """The pixels stay the same until then, and then differ."""
    painted = paint(seen, 3, now, now - since)
    if painted.until == NEVER:
        assert painted.pixels == paint(seen, 3, now + 1e4, now - since).pixels
        return
    assert now < painted.until <= now + 1.0 + 1e-6
    for part in (0.25, 0.5, 0.999):
        between = now + part * (painted.until - now)
        if between < painted.until - 1e-5:
            assert painted.pixels == paint(seen, 3, between, now - since).pixels

    assert painted.pixels != paint(seen, 3, painted.until, now - since).pixels


@every
@given(now=nows)
def test_looks_are_recognized_by_their_pixels_alone(seen: Seen, now: float) -> None:
    """The dark half of a blink is recognized as dark."""
    pixels = paint(seen, 3, now, 0.0).pixels
    expected = {"uncounted" if seen == CALLED_FOR else look for look in seen}
    left, middle, right = lit(pixels)
    if not any(pixels):
        expected = {"off"}
    elif seen in map(Seen._make, product(TRAIN, PERSON)):
        outer = seen.train if left or right else "closed"
        expected = {outer, *([seen.person] if middle else [])}
    if middle or (left or right) == ("asked" in seen):
        assert expected == set(recognized(pixels))
    echoed = paint(seen, 3, now, 0.0, echo=True).pixels
    assert ("echo",) == recognized(echoed)


@every
def test_an_echo_is_the_look_of_before_and_brighter(seen: Seen) -> None:
    """A dark seat has an echo too: every press can be seen."""
    plain, echo = paint(seen, 3, 5.1).pixels, paint(seen, 3, 5.1, echo=True).pixels

    assert all(after > before or after == 255 for before, after in zip(plain, echo, strict=True))
    assert plain != echo


@pytest.mark.parametrize("count", [1, 2, 4, 6, 7, 12])
def test_looks_fill_a_zone_of_any_size(count: int) -> None:
    """The three parts are spread over the pixels of any chain."""
    for seen in EVERY:
        three = paint(seen, 3, 7.1).pixels
        spread = [paint(seen, count, 7.1).pixels[3 * at : 3 * at + 3] for at in range(count)]

        assert {three[at : at + 3] for at in (0, 3, 6)} >= set(spread)
        if count % 3 == 0:
            assert [three[at // (count // 3) * 3 :][:3] for at in range(count)] == spread


def test_a_single_pixel_shows_what_matters_most() -> None:
    """An open train, unless its person's look is urgent; with a closed train, the person."""
    shown = {
        pair: paint(Seen(*pair), 1, 7.1).pixels
        for pair in (("open", "plays"), ("open", "last-tile"), ("closed", "starter"))
    }

    assert [bytes(GREEN), bytes(GOLD), bytes(WARM)] == list(shown.values())


@every
def test_what_moves_ticks_at_thirty_frames_a_second_at_most(seen: Seen) -> None:
    for look in seen:
        times = [at for at, _ in film(whole(look))]
        assert all(later - earlier >= 1 / 30 for earlier, later in pairwise(times))
