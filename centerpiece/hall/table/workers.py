"""Threads for what may have to wait: work that fails is begun again, until it is stopped."""

import random
import threading
from collections.abc import Callable, Iterator

from hal.health import pauses
from hal.ports import Clock

LONGEST_PAUSE = 30.0

Work = Callable[[threading.Event], None]
"""Goes on until the event is set, or until it fails."""


class Workers:
    """One thread for each work; `failed` is told its name and what was wrong."""

    def __init__(self, clock: Clock, failed: Callable[[str, Exception], None]) -> None:
        self._clock = clock
        self._failed = failed
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    @property
    def running(self) -> bool:
        """True between start and stop."""
        return bool(self._threads)

    def start(self, **works: Work) -> None:
        """Begin each work in a thread of its own."""
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(
                target=self._run,
                args=(name, work, self._stopping),
                name=f"hall-{name}",
                daemon=True,
            )
            for name, work in works.items()
        ]
        for thread in self._threads:
            thread.start()

    def stop(self, wait: float, wake: Callable[[], None]) -> None:
        """End them: `wake` ends a wait of their own; nobody waits long for those that are stuck."""
        self._stopping.set()
        wake()
        threads, self._threads = self._threads, []
        for thread in threads:
            thread.join(wait)

    def _run(self, name: str, work: Work, stopping: threading.Event) -> None:
        waits = uneven_pauses()
        while not stopping.is_set():
            began = self._clock.now()
            try:
                work(stopping)
            except Exception as error:
                if not stopping.is_set():
                    self._failed(name, error)
            if self._clock.now() - began > LONGEST_PAUSE:
                waits = uneven_pauses()
            stopping.wait(next(waits))


def uneven_pauses() -> Iterator[float]:
    """Seconds between tries, uneven, so that many tables do not come back all at once."""
    return (pause * random.uniform(0.5, 1.5) for pause in pauses(most=LONGEST_PAUSE))
