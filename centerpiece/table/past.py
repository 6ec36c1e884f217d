"""An immutable sequence that grows at its end in constant time; a tuple would be copied each time.

A longer past shares the list of the shorter one, which never looks beyond its own length. A second
branch from the same past gets a list of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar, overload

Item = TypeVar("Item")


class Past(Sequence[Item], Generic[Item]):
    """The first items of a shared list that only grows."""

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._items = [*items]
        self._length = len(self._items)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, at: int) -> Item: ...

    @overload
    def __getitem__(self, at: slice) -> "Past[Item]": ...

    def __getitem__(self, at: int | slice) -> "Item | Past[Item]":
        if isinstance(at, slice):
            return Past(self._items[: self._length][at])
        return self._items[range(self._length)[at]]

    def __iter__(self) -> Iterator[Item]:
        return islice(self._items, self._length)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Past) and [*self] == [*other]

    def plus(self, item: Item) -> "Past[Item]":
        """Return a past with one more item at its end."""
        return self._shared(self._length, item)

    def with_last(self, item: Item) -> "Past[Item]":
        """Return a past with its last item replaced."""
        return self._shared(self._length - 1, item)

    def _shared(self, length: int, item: Item) -> "Past[Item]":
        """Return a past of the first `length` items and this one.

        It uses the same list if no other item follows them there, otherwise a copy.
        """
        longer: Past[Item] = Past.__new__(Past)
        longer._items = self._items
        if len(self._items) > length:
            longer._items = self._items[:length]
        longer._items.append(item)
        longer._length = length + 1
        return longer
