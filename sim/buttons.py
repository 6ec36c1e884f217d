"""Buttons pressed by a program or a page."""

from collections.abc import Callable

from hal.ports import BUTTONS, Clock, Edge

_KNOWN = frozenset(BUTTONS)


class SimButtons:
    """The Buttons port in software; bounces only if `edge` is called for each bounce."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._on_edge: Callable[[Edge], None] | None = None
        self._down: dict[str, bool] = {}

    def listen(self, on_edge: Callable[[Edge], None]) -> None:
        self._on_edge = on_edge

    def press(self, button: str) -> None:
        self.edge(button, True)

    def release(self, button: str) -> None:
        self.edge(button, False)

    def edge(self, button: str, down: bool, now: float | None = None) -> None:
        """Emit one raw edge of a button, stamped `now` or with the clock's time.

        An unknown button raises ValueError. Nobody gets an edge before `listen`, but the button
        counts as down or up.
        """
        if button not in _KNOWN:
            raise ValueError(f"no button is called {button!r}; there are {', '.join(BUTTONS)}")
        self._down[button] = down
        if self._on_edge is not None:
            self._on_edge(Edge(button, down, self._clock.now() if now is None else now))

    def is_down(self, button: str) -> bool | None:
        return self._down.get(button, False)

    def close(self) -> None:
        self._on_edge = None
