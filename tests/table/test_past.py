"""`Past` behaves like a tuple, also when several are grown from the same one."""

from hypothesis import given
from hypothesis import strategies as st

from centerpiece.table.past import Past

additions = st.lists(st.tuples(st.integers(0, 20), st.booleans(), st.integers()), max_size=60)


@given(additions)
def test_a_past_never_changes_whatever_grows_from_it(
    additions: list[tuple[int, bool, int]],
) -> None:
    """Undo adds to an earlier past again."""
    pasts: list[tuple[Past[int], tuple[int, ...]]] = [(Past(), ())]
    for which, last, number in additions:
        past, known = pasts[which % len(pasts)]
        if last and known:
            pasts.append((past.with_last(number), (*known[:-1], number)))
        else:
            pasts.append((past.plus(number), (*known, number)))

        for past, known in pasts:
            assert known == tuple(past)
            assert (len(known), known[::-1]) == (len(past), tuple(reversed(past)))
            assert known[1:5] == tuple(past[1:5])
            assert not known or known[-1] == past[-1]
            assert past == Past(known)
