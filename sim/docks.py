"""Docks with train markers that a program or a page moves."""

from collections.abc import Callable, Iterable

from hal.ports import SEATS, Clock, DockLevel, Report, Trouble

ALL_ALONG = 1.0
"""Seconds for which a marker has been home when it is moved for the first time."""


class SimDocks:
    """The Docks port in software; can be unplugged.

    A seat has a dock from the first move of its marker on, or once it is `fit`: without that, its
    button alone opens the train. A marker bounces only if `level` is called for each bounce.
    """

    def __init__(self, clock: Clock, report: Report) -> None:
        self._clock = clock
        self._report = report
        self._plugged = True
        self._on_level: Callable[[DockLevel], None] | None = None
        self.home: dict[int, bool] = {}
        """For each seat with a dock whether its marker is in it."""
        self.watchers: list[Callable[[], None]] = []
        """Callbacks after each move."""

    def listen(self, on_level: Callable[[DockLevel], None]) -> None:
        """Have levels reported to a callback, at once those of all docks there are."""
        self._on_level = on_level
        self._tell_all()

    def fit(self, seats: Iterable[int], home: bool = True) -> None:
        """Give seats a dock, with the marker in it or not."""
        for seat in seats:
            self.level(seat, home)

    def lift(self, seat: int) -> None:
        self.level(seat, False)

    def dock(self, seat: int) -> None:
        self.level(seat, True)

    def level(self, seat: int, home: bool, now: float | None = None) -> None:
        """Move a seat's marker into its dock, if `home`, or out of it, at the time `now`.

        The default is the clock's time. The first move of a seat also reports that its marker had
        been home all along. While unplugged, only the watchers learn of it. An unknown seat raises
        ValueError.
        """
        if seat not in SEATS:
            raise ValueError(f"there is no seat {seat}; there are {SEATS[0]} to {SEATS[-1]}")
        at = self._clock.now() if now is None else now
        if seat not in self.home and self._on_level is not None:
            self._on_level(DockLevel(seat, True, at - ALL_ALONG))
        self.home[seat] = home
        if self._plugged:
            self._tell(seat, at)
        for watcher in self.watchers:
            watcher()

    def unplug(self) -> None:
        """Make the docks fail: how markers move is not heard until `plug`."""
        if self._plugged:
            self._plugged = False
            self._report(Trouble("docks", "The docks do not answer. Check their cable."))

    def plug(self) -> None:
        """Repair the docks: report it, and where all markers are now."""
        if not self._plugged:
            self._plugged = True
            self._report(Trouble("docks", ""))
            self._tell_all()

    def close(self) -> None:
        self._on_level = None

    def _tell_all(self) -> None:
        for seat in self.home:
            self._tell(seat, self._clock.now())

    def _tell(self, seat: int, now: float) -> None:
        if self._on_level is not None:
            self._on_level(DockLevel(seat, self.home[seat], now))
