"""Real traffic with mistakes in it, for everything that reads what others send."""

from hypothesis import strategies as st

PIECES = st.one_of(
    st.binary(max_size=20),
    st.text("0123456789-+.e", min_size=1, max_size=30).map(str.encode),
    st.sampled_from((b"", b"9" * 5000, b"-1", b"1e999", b"null", b"[" * 2000, b"\xff\xfe", b"\n")),
)


@st.composite
def mutated(draw: st.DrawFn, traffic: bytes) -> bytes:
    """Return the traffic with a few places cut out or replaced."""
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(traffic)))
        end = draw(st.integers(start, min(len(traffic), start + 40)))
        traffic = traffic[:start] + draw(PIECES) + traffic[end:]
    return traffic
