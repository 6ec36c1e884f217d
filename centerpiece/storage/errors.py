"""What can be wrong with a journal, in kinds that callers tell apart, and in words for people.

A disk that is full, locked or away is one thing, a file that is damaged another; what SQLite
reports is told apart here.
"""

import sqlite3
from pathlib import Path

from centerpiece.text import Problem, Sentence

_ELSEWHERE = frozenset(
    (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
    )
)
"""What SQLite reports when the file itself is not to blame."""


class JournalError(Problem):
    """The journal cannot be used; the sentence says what to do."""

    code = "journal"


class ForeignFile(JournalError, ValueError):
    """The file is there, but it is not a journal of ours."""


class CorruptJournal(JournalError, ValueError):
    """The file is ours and damaged, or makes no sense."""


class CardDamage(CorruptJournal):
    """Something is not as it was written: the card is to blame, not a program."""


class NewerJournal(JournalError, ValueError):
    """The file was written by a later version of this program."""


class UnknownGame(JournalError, ValueError):
    """The file has a game in it whose package is not installed."""


class JournalBusy(JournalError, BlockingIOError):
    """Another service is using the file."""


class NotSaved(JournalError, OSError):
    """An event could not be written, so it has not happened."""

    code = "not-saved"


class BackupError(Problem, OSError):
    """A copy cannot be made or used; the message says what to do, and nothing has changed."""

    code = "backup"


def damaged(
    path: Path | str, how: Sentence, kind: type[CorruptJournal] = CorruptJournal
) -> CorruptJournal:
    """What to raise of a file that makes no sense."""
    return kind(
        "{path} is damaged: {how}. It has not been changed. Restore a backup, or move the file "
        "away to start again.",
        path=str(path),
        how=how,
    )


def hurt(path: Path | str, how: Sentence) -> CorruptJournal:
    """What to raise of a file that is not as it was written."""
    return damaged(path, how, CardDamage)


def unusable(path: Path | str, error: sqlite3.Error) -> JournalError:
    """Damage is one thing; a disk that is full, locked or away is another."""
    if kind_of(error) in _ELSEWHERE:
        return JournalError(
            "{path} cannot be used now: {reason}. The file is unharmed.",
            path=str(path),
            reason=reason(error),
        )
    return hurt(path, Sentence("SQLite reports “{problem}”", {"problem": str(error)}))


def not_saved(error: sqlite3.Error) -> NotSaved:
    """What to raise when the disk did not take something."""
    return NotSaved("Not saved: {reason}. Nothing has changed.", reason=reason(error))


def reason(error: sqlite3.Error) -> Sentence:
    """Why the disk did not take something, in words."""
    match kind_of(error):
        case sqlite3.SQLITE_FULL:
            return Sentence("the disk is full; make room and try again")
        case sqlite3.SQLITE_READONLY:
            return Sentence("the disk is read-only")
        case _:
            return Sentence("the disk reports “{problem}”", {"problem": str(error)})


def why(error: Exception) -> object:
    """The same of an error of any kind."""
    return reason(error) if isinstance(error, sqlite3.Error) else str(error)


def kind_of(error: sqlite3.Error) -> int:
    """SQLite's number for what happened, without the details in its higher bits."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
