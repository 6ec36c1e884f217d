"""Backups of a table's file: made while the hub runs, and checked before they count as made.

A backup is one plain file made by SQLite's backup API, log included. No file is overwritten unless
forced; the file that a restore replaces is kept beside it. Restoring copies rows, not files
(`untrusted_file`), so triggers, views or anything else in the file are left behind. Every step ends
with a complete file in place, so a power cut leaves either the old file or the new one.

Root acts as the owner of the table's folder (`folder_owner`), and passes files in and out through a
private folder of that owner.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from centerpiece.games.registry import GAMES
from centerpiece.storage.database_file import last_event
from centerpiece.storage.errors import BackupError, reason
from centerpiece.storage.files import LOGS, copy_all, has_content, log_of, set_aside, sync
from centerpiece.storage.folder_owner import acting_as_owner
from centerpiece.storage.high_water_mark import note_last_event, noted_last_event
from centerpiece.storage.journal import Damage, Journal
from centerpiece.storage.lock import Claim
from centerpiece.storage.salvage import add_missing
from centerpiece.storage.untrusted_file import Contents, take_rows
from centerpiece.text import Sentence


def save(own: Path, copy: Path, force: bool = False) -> Contents:
    """Copy the table's file `own`, in use or not, to `copy`; return what the copy holds.

    Raise BackupError if the copy could not be written or restored, if it exists and `force` is not
    set, or if both are one file. Damaged events do not stop the copying: the result lists them.
    """
    if copy.exists() and not force:
        raise BackupError(
            "{file} is already there; choose another name, or replace it with --force", file=copy
        )
    if copy.exists() and own.exists() and copy.samefile(own):
        raise BackupError("{file} is the table's own file; choose another name", file=copy)
    try:
        with _beside(copy) as unfinished, acting_as_owner(own.parent) as owner:
            made = unfinished if owner is None else owner.folder / copy.name
            content = _made(own, made, copy)
            if owner is not None:
                owner.fetch(made, unfinished)
            return content
    except sqlite3.Error as error:
        raise BackupError("{file} was not written: {why}", file=copy, why=reason(error)) from error


def _made(own: Path, made: Path, copy: Path) -> Contents:
    """Write a copy of `own` to `made`, and restore it elsewhere to try it; return what that gives.

    The restored file is deleted again. Events that `own` has lost count as damage. Raise
    BackupError, which names the file `copy`, if the copy cannot be restored.
    """
    with contextlib.closing(Journal(own, GAMES, read_only=True)) as journal:
        copy_all(journal.database, made)
        lost = journal.file.lost
        with contextlib.suppress(sqlite3.Error):
            lost = _complete(made, own, lost)
        tried = made.with_name(f".{made.name}.tried")
        try:
            content = take_rows(made, tried, phones=False, named=copy)
        finally:
            for end in ("", *LOGS, "-journal"):
                tried.with_name(tried.name + end).unlink(missing_ok=True)
        return content if lost is None or content.damage else content.without(lost)


def _complete(made: Path, own: Path, lost: Sentence | None) -> Sentence | None:
    """Add the events to a copy that only the log of `own` still has; return those still missing.

    `made` is the copy. `lost` names the missing events by their first and last number; without any,
    None, nothing is added and None is returned. The number of the last event is noted in the copy
    in any case.
    """
    with contextlib.closing(sqlite3.connect(made)) as database, database:
        last = 0
        if lost is not None:
            last = int(str(lost.facts["last"]))
            lost = add_missing(own, database, lost)
        note_last_event(database, max(last, noted_last_event(database), last_event(database)))
    return lost


def restore(
    copy: Path, own: Path, force: bool = False, phones: bool = False
) -> tuple[Contents, Path | None]:
    """Replace the table's file `own` by the intact rows of `copy`.

    Return what was restored, and where the earlier file is kept, None if there was none. Raise
    BackupError, and change nothing, if `copy` cannot be used, while a hub runs here, or if `own`
    has content and `force` is not set. Paired phones are restored only with `phones`, because a
    file from other people must not let their phones write.
    """
    if not copy.is_file():
        raise BackupError("{file} is not there; give the name of a backup", file=copy)
    occupied = has_content(own)
    if occupied and copy.samefile(own):
        raise BackupError("{file} is the table's own file; choose another name", file=copy)
    if occupied and not force:
        raise BackupError(
            "{file} holds games already; restore with --force, and they are kept beside it",
            file=own,
        )
    own.parent.mkdir(parents=True, exist_ok=True)
    with acting_as_owner(own.parent) as owner:
        try:
            file = copy if owner is None else owner.bring(copy, ("", *LOGS))
        except OSError as error:
            words = "{file} cannot be restored ({why}); use another copy"
            raise BackupError(words, file=copy, why=error.strerror) from error
        with _alone(own), _beside(own) as unfinished:
            restored = take_rows(file, unfinished, phones, named=copy)
            earlier = occupied or has_content(log_of(own))
            kept = _set_aside(own) if earlier else None
    return restored, kept


def contents(file: Path) -> Contents:
    """Read all events of a file; return their number and what is damaged or missing."""
    with contextlib.closing(Journal(file, GAMES, read_only=True)) as journal:
        events, damage = 0, []
        for each in journal.scan():
            if isinstance(each, Damage):
                damage.append(each)
            else:
                events += 1
        content = Contents(events, tuple(damage))
        return content if journal.file.lost is None else content.without(journal.file.lost)


def _counted(database: sqlite3.Connection) -> int:
    return int(database.execute("SELECT count(*) FROM events").fetchone()[0])


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Yield a temporary path; at the end the file written there is synced and replaces `target`.

    On an error the temporary file is removed and `target` stays as it was; an OSError becomes a
    BackupError.
    """
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        unfinished.unlink(missing_ok=True)
        yield unfinished
        sync(unfinished)
        os.replace(unfinished, target)
        sync(target.parent)
    except BackupError:
        raise
    except OSError as error:
        raise BackupError(
            "{file} was not written: {why}", file=target, why=error.strerror
        ) from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


@contextlib.contextmanager
def _alone(own: Path) -> Iterator[None]:
    """Lock the folder of `own` against a hub until the end; raise BackupError if one runs."""
    try:
        claim = Claim(own.parent)
    except BlockingIOError:
        raise BackupError(
            "{file} is in use; stop the hub first: sudo systemctl stop centerpiece", file=own
        ) from None
    try:
        yield
    finally:
        claim.release()


def _set_aside(own: Path) -> Path:
    """Copy the present file and its log under another name; return that name.

    Then delete the log under the old name, after writing it into the file if that is intact. The
    file itself stays.
    """
    kept = set_aside(own, "before")
    with contextlib.suppress(sqlite3.Error):
        _merge_log(kept)
        # Checkpoint the log into the file: a power cut before the replacement then loses nothing.
        with contextlib.closing(sqlite3.connect(own)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for end in LOGS:
        # SQLite would apply a leftover log to whatever file gets the name.
        own.with_name(own.name + end).unlink(missing_ok=True)
    return kept


def _merge_log(kept: Path) -> None:
    """Write the file `kept` and its log as one file, then delete the log.

    Raise sqlite3.Error, and leave both as they are, if SQLite cannot read them or finds another
    number of events afterwards.
    """
    whole = kept.with_name(f".{kept.name}.unfinished")
    address = f"{kept.absolute().as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True)) as parts:
        copy_all(parts, whole)
        with contextlib.closing(sqlite3.connect(whole)) as together:
            if _counted(together) != _counted(parts):
                raise sqlite3.DatabaseError("the copy has other events")
    os.replace(whole, kept)
    for end in LOGS:
        kept.with_name(kept.name + end).unlink(missing_ok=True)
    sync(kept.parent)
