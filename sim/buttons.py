"""Buttons pressed by a program or a page."""

from collections.abc import Callable

from hal.ports import BUTTONS, Clock, Edge

_KNOWN = frozenset(BUTTONS)


class SimButtons:
    """Buttons without springs: they do not bounce unless `edge` is used to make them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._on_edge: Callable[[Edge], None] | None = None

    def listen(self, on_edge: Callable[[Edge], None]) -> None:
        self._on_edge = on_edge

    def press(self, button: str) -> None:
        """Push a button down."""
        self.edge(button, True)

    def release(self, button: str) -> None:
        """Let a button go."""
        self.edge(button, False)

    def edge(self, button: str, down: bool) -> None:
        """One raw edge, now. A button that was down before listening began is let go in silence."""
        if button not in _KNOWN:
            raise ValueError(f"no button is called {button!r}; there are {', '.join(BUTTONS)}")
        if self._on_edge is not None:
            self._on_edge(Edge(button, down, self._clock.now()))

    def close(self) -> None:
        self._on_edge = None
