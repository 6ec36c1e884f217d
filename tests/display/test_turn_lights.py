"""The lights while turns are tracked, and while a double is asked for."""

from centerpiece.display import face as faces
from centerpiece.display.colours import SUITS
from centerpiece.display.looks import NEVER, whole
from centerpiece.display.render import Layout, Looks, Scene, looks
from centerpiece.games.registry import GAMES
from centerpiece.panel.ui import Ui
from centerpiece.table import commands as c
from hal.ports import default_zones
from tests.evenings import AT, LiveLedger, opened, order

LAYOUT = Layout(default_zones())
SCENE = Scene(GAMES, LAYOUT)
STILL = Ui()
"""Its monotonic time 0 is the wall clock's AT."""


def lit(ledger: LiveLedger, now: float) -> int:
    """Return the number of lit pixels of the ring."""
    ring = LAYOUT.zone(SCENE.render(ledger.table, STILL, now, ahead=AT).pixels, "ring")
    return sum(any(ring[at : at + 3]) for at in range(0, len(ring), 3))


def until_of(ledger: LiveLedger, now: float) -> float:
    return SCENE.render(ledger.table, STILL, now, ahead=AT).until


def shown(ledger: LiveLedger) -> Looks:
    return looks(GAMES.game_of(ledger.table), ledger.table, STILL, 0.0)


def test_the_ring_empties_with_the_time_of_a_turn() -> None:
    """Full at the beginning, half at half time, dark at the end and after it."""
    ledger = opened(turn_limit_s=60)
    order(ledger, c.PassTurn())
    whole = LAYOUT.size("ring")

    assert [whole, whole // 2, 0, 0] == [lit(ledger, now) for now in (0.0, 30.0, 60.0, 90.0)]


def test_the_ring_asks_for_a_frame_only_when_a_pixel_goes_out() -> None:
    """One frame for each pixel of the ring, and none once it is dark."""
    ledger = opened(turn_limit_s=60)
    order(ledger, c.PassTurn())
    now, frames = 10.0, 0
    while (
        until := SCENE.render(ledger.table, STILL, now, ahead=AT).until
    ) != NEVER and frames < 1000:
        assert until > now
        now, frames = until, frames + 1

    assert 60.0 <= now < 61.0
    assert frames <= LAYOUT.size("ring") + 2


def test_without_a_timer_nothing_ticks() -> None:
    """Tracked turns alone need no timer."""
    ledger = opened(last_tile_deadline="next-player")
    order(ledger, c.PassTurn())

    assert NEVER == SCENE.render(ledger.table, STILL, 0.0, ahead=AT).until


def test_the_seat_to_play_shines_as_the_starter_did() -> None:
    ledger = opened(turn_limit_s=60, starter=2)
    assert "starter" == shown(ledger)[1].person
    order(ledger, c.PassTurn())

    assert ("plays", "starter") == tuple(look.person for look in shown(ledger)[1:3])


def test_the_face_shows_the_double_that_is_asked_for() -> None:
    """Every seat may answer."""
    ledger = opened(engine_choice="highest-held")
    order(ledger, c.PassEngine())

    pixels = SCENE.render(ledger.table, STILL, 0.0, ahead=AT).pixels

    assert faces.pips(11, SUITS[11]) == LAYOUT.zone(pixels, "face")
    assert [whole("asked")] * 4 == list(shown(ledger)[:4])
