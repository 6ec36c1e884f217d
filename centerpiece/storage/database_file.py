"""The place of a journal: one file, claimed for one hub, open, and found again by its name.

A file that the card has hurt stays beside a new one with all that is whole (`salvage`); so does
one that is overwritten under a running hub, and one that is taken away is written anew. What
became of it is told (`moved`).
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
    identity,
    log_of,
    may_write,
    set_aside,
    set_log_aside,
    stamp,
    sync,
)
from centerpiece.storage.high_water_mark import MARK, HighWaterMark
from centerpiece.storage.lock import Claim
from centerpiece.storage.opening import NO_PLACE, make_sure_of, opened
from centerpiece.storage.salvage import Remains, remains, was_ours
from centerpiece.storage.schema import JOURNAL_ID, SETTING, Row, SettingRow, empty
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


class DatabaseFile:
    """A file and its log, or (with `:memory:`) neither."""

    def __init__(self, path: Path | str, read_only: bool) -> None:
        self.path = path if path == ":memory:" else Path(path)
        self.moved: Sentence | None = None
        """What became of a file that was not in its place; None if it always was."""
        self.doubts = 0
        """How often the file was changed, and not by us."""
        self.read_only = read_only
        self.stuck = False
        """Whether the disk was read-only when the file was opened."""
        self.lost: Sentence | None = None
        """What is missing of the events that were acknowledged."""
        self._mark: HighWaterMark | None = None
        self._known = ShadowCopy()
        self._claim = None if read_only else self._claimed()
        try:
            self.database = self._open()
        except BaseException:
            self._release()
            raise

    @property
    def may_be_changed(self) -> bool:
        """Whether there is a file, and it is ours to write."""
        return isinstance(self.path, Path) and not self.read_only and not self.stuck

    def remember(self, events: Iterable[Row] = (), settings: Iterable[SettingRow] = ()) -> None:
        """We wrote, or found, what a restart needs, should the file not have it any more."""
        if isinstance(self.path, Path):
            self._known.add(events, settings)
            self._stamp = stamp(self.path)

    def acknowledge(self, seq: int) -> None:
        """Events up to this one are on the disk."""
        if self._mark is not None:
            self._mark.write(seq)

    def sync_mark(self) -> None:
        """Put on the disk how far events were acknowledged."""
        if self._mark is not None:
            self._mark.sync()

    def forget(self, before: int) -> None:
        """A snapshot stands for the events before this one."""
        self._known.forget(before)

    def in_place(self) -> bool:
        """Whether the file that is open, and its log, are those that others find by their names."""
        if not isinstance(self.path, Path):
            return True
        return identity(self.path) == self._file and (
            self._log is None or identity(log_of(self.path)) == self._log
        )

    def log_size(self) -> int:
        """Bytes of the log."""
        log = isinstance(self.path, Path) and log_of(self.path)
        return log.stat().st_size if log and log.exists() else 0

    def touched(self) -> bool:
        """Whether somebody else has written to the file since we did."""
        return isinstance(self.path, Path) and stamp(self.path) != self._stamp

    def keep(self) -> Sentence | None:
        """See that what is written can be found again; what to tell, if it could not.

        Whatever was written is still ours while the file is open, even if it was deleted: all of
        it goes to a new file, which gets the old name unless something else has that now.
        NotSaved: the disk does not take it.
        """
        if not self.in_place():
            assert isinstance(self.path, Path)
            was, free = self.path, identity(self.path) in (None, self._file)
            self._write_anew(was if free else beside(was, "kept"))
            facts = {"path": str(was), "place": self.path.name}
            self.moved = Sentence(_GONE if free else _REPLACED, facts)
        elif self.touched():
            self._look_again()
        return self.moved

    def cut_back(self, seq: int, how: Sentence) -> list[Row]:
        """A new file that ends with an event; its rows. The hurt one is kept beside it.

        OSError or sqlite3.Error: the disk does not take it.
        """
        assert isinstance(self.path, Path)
        found = remains(self.path)
        events = {number: row for number, row in found.events.items() if number <= seq}
        place = self._put_in_place(found._replace(events=events), "damaged", self.database)
        self.database = self._open()
        facts = {"how": how, "seq": seq, "place": place.name}
        self.moved = Sentence(_CUT_BACK, {"path": str(self.path), **facts})
        return list(events.values())

    def open_for_writing(self) -> None:
        """A file that was opened on a read-only disk is opened anew once it can be written."""
        if self.stuck and isinstance(self.path, Path) and may_write(self.path):
            self.database.close()
            try:
                self.database = self._open()
            except JournalError as error:
                reason = error.sentence
                raise NotSaved("Not saved: {reason} Nothing has changed.", reason=reason) from error

    def note_refusal(self, error: sqlite3.Error) -> None:
        """A connection that was refused as read-only stays so; it must be opened anew.

        So it is if somebody else in this process still has the file open as it was then: SQLite
        shares one index of the log among them.
        """
        if kind_of(error) == sqlite3.SQLITE_READONLY and not self.read_only:
            self.stuck = True

    def close(self) -> None:
        """Let go of the file. May be called twice."""
        self.database.close()
        if self._mark is not None:
            self._mark.close()
            if isinstance(self.path, Path) and not log_of(self.path).exists():
                # All of it is in the file, whose rows speak for themselves.
                self.path.with_name(self.path.name + MARK).unlink(missing_ok=True)
            self._mark = None
        self._release()

    def _claimed(self) -> Claim | None:
        """Make sure that nobody else writes here."""
        if not isinstance(self.path, Path):
            return None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return Claim(self.path.parent)
        except BlockingIOError:
            raise JournalBusy(
                "{path} is in use by another centerpiece. Stop that one first, "
                "or choose another place with --data.",
                path=str(self.path),
            ) from None
        except OSError as error:
            raise JournalError(NO_PLACE, path=str(self.path), problem=error.strerror) from error

    def _release(self) -> None:
        if self._claim is not None:
            self._claim.release()
            self._claim = None

    def _open(self) -> sqlite3.Connection:
        """The file, ready for use. A journal that cannot be opened is begun anew."""
        try:
            database = self._open_file()
        except (ForeignFile, CardDamage) as error:
            if not self.may_be_changed:
                raise
            self._begin_anew(error)
            return self._open_file()
        return self._find_lost(database)

    def _open_file(self) -> sqlite3.Connection:
        self.stuck = False
        if isinstance(self.path, Path):
            make_sure_of(self.path, self.read_only)
            self.stuck = not self.read_only and not may_write(self.path)
        database = opened(self.path, self.read_only)
        if isinstance(self.path, Path):
            self._file, self._log = identity(self.path), identity(log_of(self.path))
            self._stamp = stamp(self.path)
            with suppress(sqlite3.Error):
                own = database.execute(SETTING, (JOURNAL_ID,)).fetchone() or (b"", 0)
                self._known.add(settings=[(JOURNAL_ID, *own)])
                if self._mark is not None:
                    self._mark.close()
                self._mark = HighWaterMark(self.path, own[0])
        return database

    def _find_lost(self, database: sqlite3.Connection) -> sqlite3.Connection:
        """The file with whatever its log still has, if events that were acknowledged are missing.

        SQLite stops at the first frame that is damaged. A disk without room for the repair keeps
        no hub from starting.
        """
        self.lost = None
        acknowledged, last = self._mark.read() if self._mark else 0, 0
        with suppress(sqlite3.Error):
            last = database.execute("SELECT max(seq) FROM events").fetchone()[0] or 0
        if acknowledged <= last:
            return database
        assert isinstance(self.path, Path)
        missing = {"first": last + 1, "last": acknowledged}
        self.lost = Sentence("events {first} to {last} were missing", missing)
        if not self.may_be_changed:
            return database
        try:
            found = remains(self.path).up_to_a_whole_action(last, acknowledged)
            place = self._put_in_place(found, "damaged", database)
        except (OSError, sqlite3.Error) as problem:
            log.error("what is whole could not be kept: %s", problem)
            self.moved = self.lost
            return database
        facts = {"how": self.lost, "seq": max(found.events, default=0), "place": place.name}
        self.moved = Sentence(_CUT_BACK, {"path": str(self.path), **facts})
        return self._open_file()

    def _begin_anew(self, error: JournalError) -> None:
        """A new file with what is whole in one that cannot be opened, if that was ours."""
        assert isinstance(self.path, Path)
        try:
            if not was_ours(self.path):
                raise error
            found = remains(self.path)
            place = self._put_in_place(found, "damaged")
        except (OSError, sqlite3.Error) as problem:
            log.error("what is whole could not be kept: %s", problem)
            raise error from problem
        facts = {"count": len(found.events), "place": place.name}
        self.moved = Sentence(_BEGUN_ANEW, {"path": str(self.path), **facts})

    def _look_again(self) -> None:
        """The file was changed: by a program that only tidied up, or by one that overwrote it."""
        assert isinstance(self.path, Path)
        self.doubts += 1
        if self._known.are_in(self.path):
            self._stamp = stamp(self.path)
            return
        try:
            known = self._known.with_remains_of(self.path)
            place = self._put_in_place(known, "overwritten", self.database)
            self.database = self._open()
        except (OSError, sqlite3.Error, JournalError) as error:
            raise NotSaved(_NOT_ANEW, path=str(self.path), why=why(error)) from error
        self.moved = Sentence(_OVERWRITTEN, {"path": str(self.path), "place": place.name})

    def _put_in_place(
        self, found: Remains, word: str, present: sqlite3.Connection | None = None
    ) -> Path:
        """A new file with these rows; where the present one is kept, byte by byte."""
        assert isinstance(self.path, Path)
        unfinished = self.path.with_name(f".{self.path.name}.unfinished")
        unfinished.unlink(missing_ok=True)
        with closing(empty(unfinished)) as database:
            found.write(database)
        sync(unfinished)
        place = set_aside(self.path, word)
        if present is not None:
            present.close()
        for end in LOGS:
            # One that stayed would be played into the new file.
            self.path.with_name(self.path.name + end).unlink(missing_ok=True)
        os.replace(unfinished, self.path)
        sync(self.path.parent)
        return place

    def _write_anew(self, place: Path) -> None:
        """All that the open file holds, under a name that is free."""
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
            if identity(log_of(self.path)) == self._log:
                # It would be played into whatever file has the name.
                for end in LOGS:
                    set_log_aside(self.path.with_name(self.path.name + end))
            self.path = place
            self.database = self._open()
        except (OSError, sqlite3.Error, JournalError) as error:
            raise NotSaved(_NOT_ANEW, path=str(place), why=why(error)) from error
