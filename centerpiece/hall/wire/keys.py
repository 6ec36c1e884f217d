"""The names of everything in Redis, in one place.

A stream has its plain name, `table:table-7`. What belongs beside it carries that name as its
hash tag, so that in a cluster it lies on the same node: a key without braces is hashed as a
whole, and `{table:table-7}:alive` is hashed by the very same letters.
"""

import re
import zlib
from collections.abc import Iterable

SHARES = 64
"""Into how many parts the tables of a hall are divided among its processes."""

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
"""What a table or a hall may be called."""


def name_of(member: bytes) -> str:
    """A table's name, or an empty one where something else was written."""
    name = member.decode("ascii", "replace")
    return name if NAME.fullmatch(name) else ""


def stream(table: str) -> str:
    """The table's journal, as it was forwarded."""
    return f"table:{table}"


def table_of(stream: bytes) -> str:
    """Whose journal a stream is."""
    return stream.decode().removeprefix("table:")


def alive(table: str) -> str:
    """The table's last sign of life."""
    return f"{{table:{table}}}:alive"


def clash(table: str) -> str:
    """Word of a second hub that calls itself by the same name."""
    return f"{{table:{table}}}:clash"


def archive(table: str) -> str:
    """The beginning of the journal, packed, once it was trimmed from the stream."""
    return f"{{table:{table}}}:archive"


def packed(first: int, last: int) -> str:
    """The part of the archive that holds these events."""
    return f"{first}-{last}"


_PACKED = re.compile(rb"([0-9]{1,18})-([0-9]{1,18})")


def parts(archive: Iterable[bytes]) -> list[tuple[int, int, bytes]]:
    """The parts of an archive: first and last event, and name, in order; what is none is left."""
    found = ((_PACKED.fullmatch(name), name) for name in archive)
    return sorted((int(part[1]), int(part[2]), name) for part, name in found if part)


def last_packed(archive: Iterable[bytes]) -> int:
    """Up to which event an archive holds all of them."""
    last = 0
    for first, end, _ in parts(archive):
        if first <= last + 1:
            last = max(last, end)
    return last


def orders(hall: str) -> str:
    """What the hall tells its tables."""
    return f"hall:{hall}"


def roster(hall: str) -> str:
    """The tables that have joined."""
    return f"{{hall:{hall}}}:tables"


def processes(hall: str) -> str:
    """The hall's processes, by the time of their last sign of life."""
    return f"{{hall:{hall}}}:processes"


def lines(hall: str, share: int) -> str:
    """What the hall has worked out about the tables of a share."""
    return f"{{hall:{hall}}}:lines:{share}"


def share_of(table: str) -> int:
    """The share that a table belongs to; the same for every process and every release."""
    return zlib.crc32(table.encode()) % SHARES


def of_table(table: str) -> list[str]:
    """Everything there is about a table."""
    return [stream(table), alive(table), clash(table), archive(table)]
