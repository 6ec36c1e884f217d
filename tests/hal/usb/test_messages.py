"""The protocol of USB hubs and the conversion of a board's clock, both pure."""

from base64 import b64decode

from hypothesis import given
from hypothesis import strategies as st

from hal.usb.board_clock import WRAP, BoardClock
from hal.usb.messages import LONGEST, Lines, changes, checksum, encode, frame

words = st.lists(st.text("abcdefgh0123456789:,=/+-", min_size=1), min_size=1, max_size=6)


@given(st.lists(words), st.data())
def test_messages_may_be_cut_anywhere(said: list[list[str]], data: st.DataObject) -> None:
    """Messages are parsed however the bytes are split."""
    rest = b"".join(encode(*each) for each in said)
    lines, heard = Lines(), []
    while rest:
        length = data.draw(st.integers(1, len(rest)))
        heard += lines.feed(rest[:length])
        rest = rest[length:]

    assert [tuple(each) for each in said] == heard


@given(st.binary(max_size=200), words)
def test_garbage_says_nothing_and_hides_nothing(noise: bytes, said: list[str]) -> None:
    """A message after noise is heard; noise itself is none."""
    heard = list(Lines().feed(noise + b"\n" + encode(*said)))

    assert [tuple(said)] == heard[-1:]
    assert len(heard) == 1 or any(b"*" in line for line in noise.split(b"\n"))


def test_a_line_without_an_end_does_not_fill_the_memory() -> None:
    """A board that babbles is heard again when it has come to itself."""
    lines = Lines()
    for _ in range(100):
        assert [] == list(lines.feed(b"x" * LONGEST))

    assert [("ok", "1")] == list(lines.feed(b"\n" + encode("ok", 1)))


@given(st.binary(max_size=300), st.data())
def test_a_frame_turns_one_picture_into_the_next(shown: bytes, data: st.DataObject) -> None:
    """Whatever changes; and its checksum is that of the whole."""
    places = st.integers(0, max(0, len(shown) - 1))
    picture = bytearray(shown)
    for place in data.draw(st.lists(places)) if shown else []:
        picture[place] = data.draw(st.integers(0, 255))
    _, _, check, *runs = next(Lines().feed(frame(7, bytes(picture), shown)))
    patched = bytearray(shown)
    for run in runs:
        start, _, coded = run.partition(":")
        part = b64decode(coded)
        patched[int(start) : int(start) + len(part)] = part

    assert picture == patched
    assert f"{checksum(bytes(picture)):04x}" == check


def test_only_what_changes_is_sent() -> None:
    """A seat's echo is a few bytes, not the chain; a chain of another length is sent whole."""
    shown = bytes(261)
    picture = shown[:90] + b"\xff" * 9 + shown[99:200] + b"\x01" + shown[201:]

    assert [(90, b"\xff" * 9), (200, b"\x01")] == list(changes(picture, shown))
    assert [(0, picture)] == list(changes(picture, b""))
    assert [] == list(changes(picture, picture))


@given(
    st.integers(0, WRAP - 1),
    st.floats(-50e-6, 50e-6),
    st.lists(st.tuples(st.floats(0, 0.02), st.floats(0, 0.02)), min_size=120, max_size=120),
)
def test_the_boards_clock_is_ours_with_its_drift(
    first: int, drift: float, delays: list[tuple[float, float]]
) -> None:
    """However slow the cable is, and whenever the count wraps, stamps are right to the doubt that
    the cable leaves; a crystal may be off by fifty millionths."""
    clock = BoardClock()
    for beat, (there, back) in enumerate(delays):
        now = 100.0 + 0.5 * beat
        true = now + there
        ticks = (first + int(1000 * (true - 100.0) * (1 + drift))) % WRAP
        clock.sample(now, ticks, true + back)
        if beat:
            pressed = true - 0.2
            stamp = (first + int(1000 * (pressed - 100.0) * (1 + drift))) % WRAP
            assert abs(clock.at(stamp, true + back) - pressed) < 0.025


def test_a_stamp_is_never_later_than_it_was_heard() -> None:
    """Also before the first sample of the board's clock."""
    clock = BoardClock()
    assert 5.0 == clock.at(123, 5.0)
    clock.sample(1.0, 1000, 1.001)

    assert 1.5 == clock.at(2000, 1.5)


def test_a_clock_that_wraps_during_a_press_does_not_notice() -> None:
    """After 12.4 days the count begins anew."""
    clock = BoardClock()
    clock.sample(10.0, WRAP - 100, 10.0)

    assert [9.95, 10.05, 10.3] == [
        round(clock.at(ticks % WRAP, 99.0), 6) for ticks in (WRAP - 150, WRAP - 50, WRAP + 200)
    ]
