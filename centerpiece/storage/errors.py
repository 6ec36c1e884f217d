"""The errors of a journal, and their translation from SQLite's.

A disk that is full, locked or unavailable is told apart from a damaged file.
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
"""SQLite's error codes for which the file itself is not to blame."""


class JournalError(Problem):
    """The journal cannot be used; the sentence says what to do."""

    code = "journal"


class ForeignFile(JournalError, ValueError):
    """The file is not a journal of ours."""


class CorruptJournal(JournalError, ValueError):
    """The file is ours, but damaged or inconsistent."""


class CardDamage(CorruptJournal):
    """The file differs from what was written: the card is to blame, not a program."""


class NewerJournal(JournalError, ValueError):
    """The file was written by a later version of this program."""


class UnknownGame(JournalError, ValueError):
    """The file contains a game whose package is not installed."""


class JournalBusy(JournalError, BlockingIOError):
    """Another hub is using the file."""


class NotSaved(JournalError, OSError):
    """An event could not be written, so it has not happened."""

    code = "not-saved"


class BackupError(Problem, OSError):
    """A backup cannot be made or used; nothing has changed."""

    code = "backup"


def damaged(
    path: Path | str, how: Sentence, kind: type[CorruptJournal] = CorruptJournal
) -> CorruptJournal:
    """Return the error for a damaged or inconsistent file; `how` is a phrase that says in what.

    `kind` is the class of the error: `CardDamage` if the card is to blame.
    """
    return kind(
        "{path} is damaged: {how}. It has not been changed. Restore a backup, or move the file "
        "away to start again.",
        path=str(path),
        how=how,
    )


def card_damage(path: Path | str, how: Sentence) -> CorruptJournal:
    """Return the error for a file that differs from what was written."""
    return damaged(path, how, CardDamage)


def unusable(path: Path | str, error: sqlite3.Error) -> JournalError:
    """Return the error to raise for an error of SQLite about the file `path`.

    For a disk that is full, locked or unavailable it says that the file is unharmed; anything else
    is damage by the card.
    """
    if kind_of(error) in _ELSEWHERE:
        return JournalError(
            "{path} cannot be used now: {reason}. The file is unharmed.",
            path=str(path),
            reason=reason(error),
        )
    return card_damage(path, Sentence("SQLite reports “{problem}”", {"problem": str(error)}))


def not_saved(error: sqlite3.Error) -> NotSaved:
    return NotSaved("Not saved: {reason}. Nothing has changed.", reason=reason(error))


def reason(error: sqlite3.Error) -> Sentence:
    """Return SQLite's reason as a phrase for people."""
    match kind_of(error):
        case sqlite3.SQLITE_FULL:
            return Sentence("the disk is full; make room and try again")
        case sqlite3.SQLITE_READONLY:
            return Sentence("the disk is read-only")
        case _:
            return Sentence("the disk reports “{problem}”", {"problem": str(error)})


def why(error: Exception) -> object:
    """Return the reason of any error: a phrase if it is SQLite's, else its message."""
    return reason(error) if isinstance(error, sqlite3.Error) else str(error)


def kind_of(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code, without the extended bits."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
