"""The writer: writes batches to the journal, so that the hub never waits for the disk.

The hub passes a batch and continues; the writer reports when it is on the disk. A batch is one
transaction.
"""

import logging
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Protocol

from centerpiece.storage.errors import NotSaved
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.text import Sentence

log = logging.getLogger("centerpiece.storage")

CLOSE_WITHIN = 5.0
"""Seconds that `close` waits for a disk that stalls."""
REST = 1.0
"""Idle seconds after which SQLite's log is checkpointed."""
MOST_COMMITS = 200
"""Commits without such a pause after which it is checkpointed once the queue is empty."""

Batch = Sequence[JournalEntry]
WriterReport = Callable[[NotSaved | None], None]
"""Called for each batch: None if it is on the disk, else the reason why it is not."""


class Writer(Protocol):
    """Writes batches to a journal.

    `listen` is called once; a batch passed earlier waits for it.
    `write` returns at once. When the batch is on the disk, or the disk has refused it, `report` is
    called, once for each batch and possibly on another thread. Only then may the next batch be
    passed. An empty batch is a probe: it writes and deletes one row to test the disk.
    `close` closes the journal after the present batch, and may be called twice. After it `report`
    is not called again.
    """

    def listen(self, report: WriterReport) -> None: ...

    def write(self, batch: Batch) -> None: ...

    def close(self) -> None: ...


class DirectWriter:
    """Writes at once in the caller's thread, for virtual time; `hold` simulates a stalling card."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._report: WriterReport | None = None
        self._held = False
        self._held_batch: Batch | None = None

    def listen(self, report: WriterReport) -> None:
        self._report = report
        self.go_on()

    def write(self, batch: Batch) -> None:
        """Write a batch and report it at once; before `listen` and after `hold`, keep it."""
        if self._held or self._report is None:
            self._held_batch = batch
        else:
            self._report(_attempt(self._journal, batch))
            self._journal.keep_snapshot()

    def hold(self) -> None:
        """Write nothing until `go_on`."""
        self._held = True

    def go_on(self) -> None:
        """End `hold`; write and report the batch that waits, if there is one."""
        self._held = False
        batch, self._held_batch = self._held_batch, None
        if batch is not None:
            self.write(batch)

    def close(self) -> None:
        self._report = None
        self._journal.close()


class ThreadWriter:
    """Writes on its own thread, which owns the journal from now on.

    It stores snapshots and makes checkpoints while idle, so that no press waits for one.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._batches: SimpleQueue[Batch | None] = SimpleQueue()
        self._thread: Thread | None = None

    def listen(self, report: WriterReport) -> None:
        self._thread = Thread(target=self._work, args=(report,), name="writer", daemon=True)
        self._thread.start()

    def write(self, batch: Batch) -> None:
        self._batches.put(batch)

    def close(self) -> None:
        """Close the journal after the present batch, and wait `CLOSE_WITHIN` seconds at most."""
        if self._thread is None:
            self._journal.close()
            return
        self._batches.put(None)
        self._thread.join(CLOSE_WITHIN)

    def _work(self, report: WriterReport) -> None:
        """Write and report each batch until `close`, then close the journal; runs on the thread.

        After `MOST_COMMITS` commits without an idle moment it makes a checkpoint, unless a batch
        waits.
        """
        while (batch := self._next()) is not None:
            report(_attempt(self._journal, batch))
            if self._journal.unchecked >= MOST_COMMITS and self._batches.empty():
                self._rest()
        self._journal.close()

    def _next(self) -> Batch | None:
        """Wait for the next batch; None once the writer is to end.

        If none comes for `REST` seconds, the snapshot and a checkpoint are made first.
        """
        if self._journal.unchecked:
            try:
                return self._batches.get(timeout=REST)
            except Empty:
                self._rest()
        return self._batches.get()

    def _rest(self) -> None:
        """Store the snapshot that is due and make a checkpoint; an error is only logged."""
        try:
            self._journal.keep_snapshot()
            self._journal.checkpoint()
        except Exception:
            log.exception("no checkpoint could be made")


def _attempt(journal: Journal, batch: Batch) -> NotSaved | None:
    """Write a batch; return None, or the error that says why it was not written. Never raises."""
    try:
        journal.keep(batch)
    except NotSaved as error:
        return error
    except Exception:
        # A bug must not end the writer's thread: nothing would be saved any more.
        log.exception("a batch could not be written")
        why = Sentence("something went wrong in the hub; see the log")
        return NotSaved("Not saved: {reason}. Nothing has changed.", reason=why)
    return None
