"""The names of everything in Redis, in one place.

All keys of a hall share one hash tag, so that in a cluster they lie on one node: a line and the
stream that announces it are written in one transaction.
"""

import re

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
"""Valid names of tables and halls."""

FIRST = b"first"
"""The field of a table's hash that names the journal of the hub that came first."""


def orders(hall: str) -> str:
    """The stream of the hall's orders."""
    return f"{{hall:{hall}}}:orders"


def lines(hall: str) -> str:
    """The capped stream of all tables' lines."""
    return f"{{hall:{hall}}}:lines"


def line(hall: str, table: str) -> str:
    """A table's hash: its last line, in a field named after the journal of the hub that wrote it.

    By its login a table may write this one and no other's. Two hubs of one name write two fields.
    """
    return f"{{hall:{hall}}}:line:{table}"


def table_of(key: bytes) -> str:
    """The table whose hash this is; empty if its name is none."""
    return name_of(key.rpartition(b":")[2])


def name_of(name: bytes) -> str:
    """A table's name; empty where something else was written."""
    text = name.decode("ascii", "replace")
    return text if NAME.fullmatch(text) else ""
