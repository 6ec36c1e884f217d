"""The writer: the one way to the disk while a hub runs, so that nobody else ever waits for it.

The hub hands over whatever waits, together, and goes on with its work; the writer says when it is
kept. A batch is one transaction: it is kept as a whole, or not at all.
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
"""Seconds to wait at the end for a disk that stalls."""
REST = 1.0
"""Seconds without work after which the log is moved into the file."""
MOST_COMMITS = 200
"""After so many without a rest it is done as soon as nothing waits."""

Batch = Sequence[JournalEntry]
Report = Callable[[NotSaved | None], None]
"""Told of each batch: it is kept (None), or why it is not."""


class Writer(Protocol):
    """Keeps batches in a journal.

    `listen` is called once; what is handed over before it waits until then.
    `write` takes a batch and returns at once. When it is on the disk, or the disk has refused it,
    `report` is called, once for each batch and possibly on another thread. Only then is the next
    batch handed over. An empty batch is a question: would anything be kept now?
    `close` lets go of the journal once the batch at hand is written, and may be called twice.
    After it `report` is not called again.
    """

    def listen(self, report: Report) -> None: ...

    def write(self, batch: Batch) -> None: ...

    def close(self) -> None: ...


class DirectWriter:
    """Writes at once, in the caller's thread: for virtual time. It can be held up, as cards are."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._report: Report | None = None
        self._held = False
        self._waits: Batch | None = None

    def listen(self, report: Report) -> None:
        self._report = report
        self.go_on()

    def write(self, batch: Batch) -> None:
        if self._held or self._report is None:
            self._waits = batch
        else:
            self._report(_attempt(self._journal, batch))
            self._journal.keep_snapshot()

    def hold(self) -> None:
        """Write nothing for a while."""
        self._held = True

    def go_on(self) -> None:
        """Write what has waited, and whatever comes."""
        self._held = False
        batch, self._waits = self._waits, None
        if batch is not None:
            self.write(batch)

    def close(self) -> None:
        self._report = None
        self._journal.close()


class ThreadWriter:
    """Writes on a thread of its own, to which the journal belongs from now on.

    It keeps snapshots and makes checkpoints while nothing waits: no press has to wait for one.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._batches: SimpleQueue[Batch | None] = SimpleQueue()
        self._thread: Thread | None = None

    def listen(self, report: Report) -> None:
        self._thread = Thread(target=self._work, args=(report,), name="writer", daemon=True)
        self._thread.start()

    def write(self, batch: Batch) -> None:
        self._batches.put(batch)

    def close(self) -> None:
        if self._thread is None:
            self._journal.close()
            return
        self._batches.put(None)
        self._thread.join(CLOSE_WITHIN)

    def _work(self, report: Report) -> None:
        while (batch := self._next()) is not None:
            report(_attempt(self._journal, batch))
            if self._journal.unchecked >= MOST_COMMITS and self._batches.empty():
                self._journal.checkpoint()
        self._journal.close()

    def _next(self) -> Batch | None:
        """Wait for the next batch; use a rest for a checkpoint."""
        if self._journal.unchecked:
            try:
                return self._batches.get(timeout=REST)
            except Empty:
                self._journal.keep_snapshot()
                self._journal.checkpoint()
        return self._batches.get()


def _attempt(journal: Journal, batch: Batch) -> NotSaved | None:
    try:
        journal.keep(batch)
    except NotSaved as error:
        return error
    except Exception:
        # A mistake of ours must not silence the writer: then nothing would ever be kept again.
        log.exception("a batch could not be written")
        why = Sentence("something went wrong in the hub; see the log")
        return NotSaved("Not saved: {reason}. Nothing has changed.", reason=why)
    return None
