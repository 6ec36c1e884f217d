"""The newest line of every table, and what is wrong with a table's name.

One thread takes lines in; pages look at it from their own: entries are only ever replaced.
"""

from collections.abc import Mapping

from centerpiece.hall.wire.hall_keys import FIRST
from centerpiece.hall.wire.table_line import TableLine, read_line
from centerpiece.text import Sentence

_UNREADABLE = Sentence(
    "Its messages cannot be read. Check its hub and its version, then free its name."
)


class LineBoard:
    """The lines of all tables, as they say themselves."""

    def __init__(self) -> None:
        self.lines: dict[str, TableLine] = {}
        self.seconds: dict[str, TableLine] = {}
        """The lines of second hubs under a name that another has."""
        self.wrong: dict[str, Sentence] = {}
        """Tables under whose names lies something that cannot be read."""
        self.unsure: set[str] = set()
        """Names for which to look at what the table itself has written."""

    def take(self, line: TableLine) -> bool:
        """Take in a line from the stream; return False if its hub is not known by that name.

        The stream is open to all tables, so only a journal's name, which no other table can read,
        tells that a line is the table's own.
        """
        for known in (self.lines, self.seconds):
            before = known.get(line.table)
            if before is not None and before.journal == line.journal:
                if line.seq >= before.seq:
                    known[line.table] = line
                return True
        return False

    def judge(self, table: str, fields: Mapping[bytes, bytes]) -> None:
        """Take in what stands under a table's own name, which nobody else can write."""
        documents = {name.decode(errors="replace"): value for name, value in fields.items()}
        owner = documents.pop(FIRST.decode(), b"").decode(errors="replace")
        found = {journal: read_line(document) for journal, document in documents.items()}
        known = self.lines.get(table)
        if owner not in found and found:
            owner = known.journal if known is not None and known.journal in found else min(found)
        self._note(table, owner, found.get(owner), documents.get(owner))
        others = [
            line
            for journal, line in found.items()
            if journal != owner and line is not None and line.table == table
        ]
        if others:
            self.seconds[table] = max(others, key=lambda line: line.at)

    def _note(self, table: str, owner: str, line: TableLine | None, document: bytes | None) -> None:
        """Show the line of a table's first hub, or say what is wrong with it."""
        if line is not None and (line.table, line.journal) == (table, owner):
            self.wrong.pop(table, None)
            known = self.lines.get(table)
            if known is None or known.journal != owner or line.seq >= known.seq:
                self.lines[table] = line
        elif document is not None:
            self.fault(table)

    def fault(self, table: str) -> None:
        """Say that something under a table's name cannot be read."""
        self.wrong[table] = _UNREADABLE

    def forget(self, table: str) -> None:
        """Drop all that is known of a table, and look whether it has come back meanwhile."""
        for known in (self.lines, self.seconds, self.wrong):
            known.pop(table, None)
        self.unsure.add(table)

    def tables(self) -> set[str]:
        """Return the names of all tables."""
        return {*self.lines, *self.wrong}
