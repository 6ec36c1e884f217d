"""The database file of a journal: opened, locked for one hub, and repaired.

A damaged or overwritten file is kept beside a new one with all intact rows (`salvage`). A file that
was deleted under a running hub is written anew. `incident` says what happened.
"""

import logging
import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from centerpiece.storage.errors import (
    CardDamage,
    ForeignFile,
    JournalBusy,
    JournalError,
    NotSaved,
    kind_of,
    why,
)
from centerpiece.storage.files import (
    LOGS,
    beside,
    copy_all,
    has_content,
    identity,
    log_of,
    may_write,
    set_aside,
    set_log_aside,
    stamp,
    sync,
)
from centerpiece.storage.high_water_mark import (
    LAST_EVENT,
    MARK,
    HighWaterMark,
    note_last_event,
    noted_last_event,
)
from centerpiece.storage.lock import Claim, noted_address
from centerpiece.storage.opening import NO_PLACE, ensure_exists, opened
from centerpiece.storage.salvage import Remains, remains, was_ours
from centerpiece.storage.schema import INSERT, JOURNAL_ID, SETTING, Row, SettingRow, empty
from centerpiece.storage.shadow_copy import ShadowCopy
from centerpiece.text import Sentence

log = logging.getLogger("centerpiece.storage")

_NOT_ANEW = "Not saved: {path} was removed and could not be written again: {why}."
_GONE = "{path} was removed while the hub was running. It has been written again in full."
_REPLACED = (
    "{path} was replaced while the hub was running. Its old content and what is played now are "
    "in {place}; after a restart the hub uses the new file."
)
_OVERWRITTEN = (
    "{path} was overwritten while the hub was running. It has been written again in full; what "
    "was written over it is in {place}."
)
_CUT_BACK = (
    "The card has damaged {path}: {how}. The table goes on as it was at event {seq}; compare "
    "the scores. The damaged file is kept as {place}. A card that loses data should be "
    "replaced."
)
_BEGUN_ANEW = (
    "The card has damaged {path}: it could not be opened. {count} {count|event|events} could "
    "be saved from it. The damaged file is kept as {place}. A card that loses data should be "
    "replaced."
)
_MISSING = (
    "{path} is missing, although a hub was using it. {count} {count|event|events} could be saved "
    "from its log, and a new file has been begun. If the old one was moved, stop the hub and "
    "restore it."
)


class DatabaseFile:
    """An SQLite file and its log, or a database in memory."""

    def __init__(self, path: Path | str, read_only: bool) -> None:
        self.path = path if path == ":memory:" else Path(path)
        self.incident: Sentence | None = None
        """A sentence about damage, deletion or replacement of the file; else None."""
        self.foreign_changes = 0
        """The number of changes by other programs."""
        self.read_only = read_only
        self.disk_read_only = False
        """True if the disk was read-only when the file was opened. Then no other connection may
        stay open for long: all in one process share the index of the log, which stays read-only."""
        self.lost: Sentence | None = None
        """The acknowledged events that are missing from the file; None if none are."""
        self._closed = False
        """True while the file could not be opened again; every write then tries anew."""
        self._mark: HighWaterMark | None = None
        self._shadow = ShadowCopy()
        self._claim = None if read_only else self._claimed()
        try:
            self.database = self._open()
        except BaseException:
            self._release()
            raise

    @property
    def may_be_changed(self) -> bool:
        """True if the journal is in a file that we may write."""
        return isinstance(self.path, Path) and not self.read_only and not self.disk_read_only

    def remember(self, events: Iterable[Row] = (), settings: Iterable[SettingRow] = ()) -> None:
        """Add rows that were just written to the file to the copy of it in memory.

        The present size and time of the file are noted, so that `touched` reports only later
        changes. A database in memory needs neither.
        """
        if isinstance(self.path, Path):
            self._shadow.add(events, settings)
            self._stamp = stamp(self.path)

    def acknowledge(self, seq: int) -> None:
        """Note that events up to this one are on the disk."""
        if self._mark is not None:
            self._mark.write(seq)

    def sync_mark(self) -> None:
        if self._mark is not None:
            self._mark.sync()

    def forget(self, before: int) -> None:
        """Drop events from the shadow copy that a snapshot replaces."""
        self._shadow.forget(before)

    def in_place(self) -> bool:
        """Return whether the paths of the file and its log still lead to the files that are open.

        False if another program has deleted or replaced one of them. A database in memory is always
        in place.
        """
        if not isinstance(self.path, Path):
            return True
        return identity(self.path) == self._identity and (
            self._log_identity is None or identity(log_of(self.path)) == self._log_identity
        )

    def log_size(self) -> int:
        """Return the bytes of SQLite's log; 0 if they are unknown."""
        found = stamp(log_of(self.path)) if isinstance(self.path, Path) else None
        return found[0] if found else 0

    def touched(self) -> bool:
        """Return whether another program has written to the file since we did."""
        return isinstance(self.path, Path) and stamp(self.path) != self._stamp

    def ensure_in_place(self) -> None:
        """Write the file anew if another program has deleted, replaced or overwritten it.

        `incident` then says so; else nothing happens. The rows can still be read while the file is
        open, even if it was deleted: all of them go to a new file, which gets the old name unless
        another file has that now. Raise NotSaved if the disk refuses.
        """
        if self._closed:
            self._reopen()
            self._stamp = None  # it may have been replaced meanwhile
        if not self.in_place():
            assert isinstance(self.path, Path)
            was, free = self.path, identity(self.path) in (None, self._identity)
            self._write_anew(was if free else beside(was, "kept"))
            facts = {"path": str(was), "place": self.path.name}
            self.incident = Sentence(_GONE if free else _REPLACED, facts)
        elif self.touched():
            self._check_change()

    def cut_back(self, seq: int, how: Sentence) -> list[Row]:
        """Replace the file by a new one that ends with event `seq`; return the rows of its events.

        The damaged file is kept beside the new one, and `incident` tells of it with the cause
        `how`. Raise OSError or sqlite3.Error if the disk refuses.
        """
        assert isinstance(self.path, Path)
        intact = remains(self.path)
        events = {number: row for number, row in intact.events.items() if number <= seq}
        place = self._replace(intact._replace(events=events), "damaged", self.database)
        self.database = self._open()
        facts = {"how": how, "seq": seq, "place": place.name}
        self.incident = Sentence(_CUT_BACK, {"path": str(self.path), **facts})
        return list(events.values())

    def open_for_writing(self) -> None:
        """Reopen a file that was opened on a read-only disk, if it can be written now."""
        if self.disk_read_only and isinstance(self.path, Path) and may_write(self.path):
            self.database.close()
            self._reopen()

    def _reopen(self) -> None:
        """Open the file again; if that fails, raise NotSaved, and the next write tries again."""
        self._closed = True
        try:
            self.database = self._open()
        except JournalError as error:
            reason = error.sentence
            raise NotSaved("Not saved: {reason} Nothing has changed.", reason=reason) from error

    def note_refusal(self, error: sqlite3.Error) -> None:
        """Note a write that SQLite has refused as read-only: the next probe opens the file again.

        `error` is SQLite's; any other kind changes nothing. Opening helps only once no other
        connection in this process has the file open: SQLite shares one index of the log among them.
        """
        if kind_of(error) == sqlite3.SQLITE_READONLY and not self.read_only:
            self.disk_read_only = True

    def close(self) -> None:
        """Close and unlock the file. May be called twice.

        The number of the last event is noted in the file first, unless it may not be changed or
        another program has changed it. The mark beside the file is deleted if the file has no log
        any more.
        """
        if self.may_be_changed and self.in_place() and not self.touched():
            with suppress(sqlite3.Error):
                note_last_event(self.database, last_event(self.database))
        self.database.close()
        if self._mark is not None:
            self._mark.close()
            if (
                isinstance(self.path, Path)
                and self.may_be_changed
                and identity(log_of(self.path)) is None
            ):
                # Without a log no event can be lost from one, and the file knows its last.
                with suppress(OSError):
                    self.path.with_name(self.path.name + MARK).unlink(missing_ok=True)
            self._mark = None
        self._release()

    def _claimed(self) -> Claim | None:
        """Lock the folder of the file, made if missing, so that no second hub writes there.

        Raise JournalBusy if another hub has locked it, JournalError if the disk refuses. A database
        in memory has no lock: None.
        """
        if not isinstance(self.path, Path):
            return None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return Claim(self.path.parent)
        except BlockingIOError:
            address = noted_address(self.path.parent)
            words = (
                "{path} is in use by another centerpiece, {address}. "
                "Stop that one first, or choose another place with --data."
                if address
                else "{path} is in use by another centerpiece. "
                "Stop that one first, or choose another place with --data."
            )
            raise JournalBusy(
                words,
                path=str(self.path),
                address=address,
            ) from None
        except OSError as error:
            raise JournalError(NO_PLACE, path=str(self.path), problem=error.strerror) from error

    def _release(self) -> None:
        if self._claim is not None:
            self._claim.release()
            self._claim = None

    def _open(self) -> sqlite3.Connection:
        """Open the file; replace a damaged one by its intact rows, and recover lost events.

        Raise a JournalError for a file that was never a journal of ours, and for a damaged one that
        may not be changed or cannot be replaced.
        """
        try:
            database = self._open_file()
        except (ForeignFile, CardDamage) as error:
            if not self.may_be_changed:
                raise
            self._start_over(error)
            return self._open_file()
        return self._recover_lost(database)

    def _open_file(self) -> sqlite3.Connection:
        """Open the file, which is created if it is missing; no damage is repaired here.

        Note the identity of the file and its log, the journal's random name, and the mark that
        belongs to it.
        """
        self.disk_read_only = False
        if isinstance(self.path, Path):
            ensure_exists(self.path, self.read_only)
            self.disk_read_only = not self.read_only and not may_write(self.path)
        database = opened(self.path, self.read_only)
        if isinstance(self.path, Path):
            self._identity, self._log_identity = identity(self.path), identity(log_of(self.path))
            self._stamp, self._closed = stamp(self.path), False
            with suppress(sqlite3.Error):
                own = database.execute(SETTING, (JOURNAL_ID,)).fetchone() or (b"", 0)
                self._shadow.add(settings=[(JOURNAL_ID, *own)])
                if self._mark is not None:
                    self._mark.close()
                self._mark = HighWaterMark(self.path, own[0])
        return database

    def _recover_lost(self, database: sqlite3.Connection) -> sqlite3.Connection:
        """Look in the log for acknowledged events that are missing; return the connection to use.

        SQLite stops at the first damaged frame of its log, behind which there may be intact ones.
        With what is found the file is replaced; without room for a new file the events are added to
        the present one, or else left out. In a file that may not be changed they are only noted in
        `lost`.
        """
        self.lost = None
        acknowledged, last = self._mark.read() if self._mark else 0, 0
        with suppress(sqlite3.Error):
            acknowledged = max(acknowledged, noted_last_event(database))
            last = last_event(database)
        if acknowledged <= last:
            return database
        assert isinstance(self.path, Path)
        missing = {"first": last + 1, "last": acknowledged}
        self.lost = Sentence("events {first} to {last} were missing", missing)
        if not self.may_be_changed:
            return database
        intact = None
        try:
            intact = remains(self.path).up_to_a_whole_action(last, acknowledged)
            place = self._replace(intact, "damaged", database)
        except (OSError, sqlite3.Error) as problem:
            log.error("intact rows could not be saved: %s", problem)
            self.incident = self.lost
            return database if intact is None else self._add_events(database, intact, last)
        facts = {"how": self.lost, "seq": max(intact.events, default=0), "place": place.name}
        self.incident = Sentence(_CUT_BACK, {"path": str(self.path), **facts})
        return self._open_file()

    def _add_events(
        self, database: sqlite3.Connection, intact: Remains, last: int
    ) -> sqlite3.Connection:
        """Add the events of `intact` after number `last` to the present file; return it reopened.

        This needs no room on the disk: the log has its full size already. The file is reopened
        because copying it has ended SQLite's locks on it. Events that the disk refuses are left
        out.
        """
        if not self._closed:
            rows = [row for seq, row in sorted(intact.events.items()) if seq > last]
            with suppress(sqlite3.Error), database:
                database.execute("BEGIN")
                database.executemany(INSERT, rows)
            database.close()
        return self._open_file()

    def _start_over(self, error: JournalError) -> None:
        """Replace a file that cannot be opened by its intact rows, if it was a journal of ours.

        Raise `error`, the reason why it cannot be opened, if it was none, or if the disk refuses.
        If the file is missing and only its log is left, rows without event 1 are given up, and the
        journal begins anew.
        """
        assert isinstance(self.path, Path)
        try:
            if has_content(self.path) and not was_ours(self.path):
                raise error
            intact, words = remains(self.path), _BEGUN_ANEW
            if not self.path.exists():
                words = _MISSING
                if 1 not in intact.events:  # the end of a game whose beginning is gone
                    intact = intact._replace(events={})
            place = self._replace(intact, "damaged")
        except (OSError, sqlite3.Error) as problem:
            log.error("intact rows could not be saved: %s", problem)
            raise error from problem
        facts = {"count": len(intact.events), "place": place.name}
        self.incident = Sentence(words, {"path": str(self.path), **facts})

    def _check_change(self) -> None:
        """Find out whether a change by another program has lost rows; if so, write the file anew.

        If all rows of the copy in memory are still in the file, it was a mere checkpoint, and
        nothing is written. Raise NotSaved if the disk refuses.
        """
        assert isinstance(self.path, Path)
        self.foreign_changes += 1
        if self._shadow.is_in(self.path):
            self._stamp = stamp(self.path)
            return
        try:
            rows = self._shadow.with_remains_of(self.path)
            place = self._replace(rows, "overwritten", self.database)
            self.database = self._open()
        except (OSError, sqlite3.Error, JournalError) as error:
            raise NotSaved(_NOT_ANEW, path=str(self.path), why=why(error)) from error
        self.incident = Sentence(_OVERWRITTEN, {"path": str(self.path), "place": place.name})

    def _replace(self, rows: Remains, word: str, present: sqlite3.Connection | None = None) -> Path:
        """Put a new file with `rows` in place of the present one; return where that one is kept.

        `word`, such as "damaged", becomes part of the kept file's name. `present` is the open
        connection to the present file, if there is one, and is closed. The new file is not opened.
        """
        assert isinstance(self.path, Path)
        unfinished = self.path.with_name(f".{self.path.name}.unfinished")
        unfinished.unlink(missing_ok=True)
        rows.settings.pop(LAST_EVENT, None)  # that of the present file
        with closing(empty(unfinished)) as database:
            rows.write(database)
        sync(unfinished)
        place = set_aside(self.path, word)
        if present is not None:
            present.close()
            self._closed = True
        for end in LOGS:
            # SQLite would apply an old log to the new file.
            if end != MARK:
                self.path.with_name(self.path.name + end).unlink(missing_ok=True)
        os.replace(unfinished, self.path)
        sync(self.path.parent)
        # Last, so that a power cut before is reported.
        self.path.with_name(self.path.name + MARK).unlink(missing_ok=True)
        return place

    def _write_anew(self, place: Path) -> None:
        """Write all rows of the open connection to a new file at `place`, and use that from now on.

        The folder is made and locked if need be. Raise NotSaved if the disk refuses.
        """
        assert isinstance(self.path, Path)
        unfinished = place.with_name(f".{place.name}.unfinished")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            if self._claim is None or not self._claim.holds(place.parent):
                self._release()
                self._claim = Claim(place.parent)
            unfinished.unlink(missing_ok=True)
            copy_all(self.database, unfinished)
            os.replace(unfinished, place)
            sync(place.parent)
            self.database.close()
            was, self.path, self._closed = self.path, place, True
            if identity(log_of(was)) == self._log_identity:
                # SQLite would apply it to whatever file has the name.
                for end in LOGS:
                    set_log_aside(was.with_name(was.name + end))
            self.database = self._open()
        except (OSError, sqlite3.Error, JournalError) as error:
            raise NotSaved(_NOT_ANEW, path=str(place), why=why(error)) from error


def last_event(database: sqlite3.Connection) -> int:
    """Return the number of the last event in an open file."""
    return max(0, database.execute("SELECT max(seq) FROM events").fetchone()[0] or 0)
