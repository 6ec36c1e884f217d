"""The newest line of every table, and tables that cannot be read.

One thread writes, others read for the pages: entries are only ever replaced.
"""

from collections.abc import Mapping

from centerpiece.hall.wire.hall_keys import FIRST
from centerpiece.hall.wire.table_line import TableLine, read_line


class LineBoard:
    """The lines of all tables."""

    def __init__(self) -> None:
        self.lines: dict[str, TableLine] = {}
        self.seconds: dict[str, TableLine] = {}
        """Lines of second hubs under a taken name."""
        self.unreadable: set[str] = set()
        self.unsure: set[str] = set()
        """Tables whose hash must be read."""

    def take(self, line: TableLine) -> bool:
        """Store a line from the stream, unless a newer one is known.

        Return False for a foreign line. Every table can write to the stream, so a line is the
        table's own only if it names the journal known for its table, which no other table can read.
        """
        for known in (self.lines, self.seconds):
            before = known.get(line.table)
            if before is not None and before.journal == line.journal:
                if line.seq >= before.seq:
                    known[line.table] = line
                return True
        return False

    def judge(self, table: str, fields: Mapping[bytes, bytes]) -> None:
        """Store the content of a table's hash, which no other table can write.

        That is its line, that of a second hub, or that it cannot be read. `fields` has a line for
        each journal, and the journal that took the name first. A line older than the known one is
        not stored.
        """
        documents = {name.decode(errors="replace"): value for name, value in fields.items()}
        owner = documents.pop(FIRST.decode(), b"").decode(errors="replace")
        lines = {journal: read_line(document) for journal, document in documents.items()}
        known = self.lines.get(table)
        if owner not in lines and lines:
            owner = known.journal if known is not None and known.journal in lines else min(lines)
        line = lines.pop(owner, None)
        if line is not None and (line.table, line.journal) == (table, owner):
            self.unreadable.discard(table)
            if known is None or known.journal != owner or line.seq >= known.seq:
                self.lines[table] = line
        elif owner in documents:
            self.unreadable.add(table)
        others = [each for each in lines.values() if each is not None and each.table == table]
        if others:
            self.seconds[table] = max(others, key=lambda line: line.at)

    def forget(self, table: str) -> None:
        """Drop a table; read its hash again, in case it has come back meanwhile."""
        for known in (self.lines, self.seconds):
            known.pop(table, None)
        self.unreadable.discard(table)
        self.unsure.add(table)

    def tables(self) -> set[str]:
        return {*self.lines, *self.unreadable}
