"""Names of all keys in Redis.

All keys of a hall share one hash tag, so that in a cluster they lie on one node: a line and the
stream that announces it are written in one transaction.
"""

import re

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
"""Valid names of tables and halls."""

FIRST = b"first"
"""The field of a table's hash with the journal of the hub that took the name first."""


def orders(hall: str) -> str:
    """Return the key of the stream of the hall's orders."""
    return f"{{hall:{hall}}}:orders"


def lines(hall: str) -> str:
    """Return the key of the capped stream of all tables' lines."""
    return f"{{hall:{hall}}}:lines"


def line(hall: str, table: str) -> str:
    """Return the key of a table's hash: its last line, in a field named after the hub's journal.

    A table's login may write this hash and no other's. Two hubs of one name write two fields.
    """
    return f"{{hall:{hall}}}:line:{table}"


def table_of(key: bytes) -> str:
    """Return the table that a key, or a field of the stream, names; empty if none."""
    text = key.rpartition(b":")[2].decode("ascii", "replace")
    return text if NAME.fullmatch(text) else ""
