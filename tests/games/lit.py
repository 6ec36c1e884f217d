"""Readings of a hub's ring and face, for tests about one game."""

from centerpiece.display import face as faces
from centerpiece.display.render import Layout, Scene
from centerpiece.games.registry import GAMES
from centerpiece.panel.ui import Ui
from sim.board import build
from sim.clock import VirtualClock
from tests.evenings import LiveLedger

LAYOUT = Layout(build(clock=VirtualClock(), report=lambda trouble: None).zones)
NOW = 10.0
RING = LAYOUT.size("ring")


def _zone(ledger: LiveLedger, name: str) -> bytes:
    painted = Scene(GAMES, LAYOUT).render(ledger.table, Ui(), NOW)
    return LAYOUT.zone(painted.pixels, name)


def ring(ledger: LiveLedger) -> list[int]:
    """Return the brightness of each pixel of the ring."""
    pixels = _zone(ledger, "ring")
    return [sum(pixels[at : at + 3]) for at in range(0, len(pixels), 3)]


def lit(ledger: LiveLedger) -> int:
    """Return the number of lit pixels of the ring."""
    return sum(bright > 0 for bright in ring(ledger))


def brightest(ledger: LiveLedger) -> int:
    """Return the index of the ring's brightest pixel."""
    shown = ring(ledger)
    return shown.index(max(shown))


def shows_digits(ledger: LiveLedger, number: int) -> bool:
    """Return True if the face shows this number, in any colour."""
    expected = faces.number(str(number), (255, 255, 255), NOW).pixels
    return [bool(value) for value in _zone(ledger, "face")[::3]] == [bool(v) for v in expected[::3]]
