"""The contract of the Docks port, checked for every backend."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from hal.hardware_settings import DockSettings, UsbSettings
from hal.late_devices import LateDocks
from hal.pi.gpio_docks import GpioDocks, request_lines
from hal.ports import SEATS, DockLevel, Docks, NoDocks, Trouble
from hal.system_clock import SystemClock
from hal.usb.usb_docks import UsbDocks
from hal.usb.usb_link import acquire
from sim.docks import SimDocks
from tests.chips import MemoryChip, has_gpio_sim, simulated_chip
from tests.patience import until
from tests.pico import Pico, needs_micropython

pytestmark = pytest.mark.real_time("threads that read devices")

Report = Callable[[Trouble], None]


class Rig(NamedTuple):
    """A backend with ten docks, all markers home, and a way to move them."""

    docks: Docks
    move: Callable[[int, bool], object]
    vanish: Callable[[], object]
    """Takes away what the docks are on, and waits until that can be noticed."""
    come_back: Callable[[], object]
    closed: Callable[[], object] = lambda: None
    """Releases what the backend runs on."""


def simulated(report: Report) -> Rig:
    docks = SimDocks(SystemClock(), report)
    docks.fit(SEATS)
    return Rig(docks, docks.level, docks.unplug, docks.plug)


def gpio(report: Report) -> Rig:
    """Lines of a chip in memory, read by the driver's thread."""
    chip = MemoryChip()
    docks = GpioDocks(DockSettings(), SystemClock().now, chip.open_lines, report)

    def there(here: bool) -> None:
        chip.here = here

    return Rig(
        docks,
        lambda seat, home: chip.move(seat - 1, home),
        lambda: there(False),
        lambda: there(True),
    )


def gpio_opened(report: Report) -> Rig:
    """Switches that open when the marker is home."""
    chip = MemoryChip()
    for line in range(16):
        chip.move(line, False)
    settings = DockSettings(closed_is_home=False)
    docks = GpioDocks(settings, SystemClock().now, chip.open_lines, report)

    def there(here: bool) -> None:
        chip.here = here

    return Rig(
        docks,
        lambda seat, home: chip.move(seat - 1, not home),
        lambda: there(False),
        lambda: there(True),
    )


def kernel(report: Report) -> Rig:
    """Lines of a chip that the kernel simulates, requested with gpiod."""
    if not has_gpio_sim():
        pytest.skip("no gpio-sim in this kernel, or no gpiod")
    with ExitStack() as made:
        chip = made.enter_context(simulated_chip())
        settings = DockSettings(chip=chip.label)
        docks = GpioDocks(settings, SystemClock().now, lambda: request_lines(settings), report)
        closed = made.pop_all().close
    return Rig(
        docks, lambda seat, home: chip.move(seat - 1, home), chip.vanish, chip.appear, closed
    )


def usb(wired: str) -> Callable[[Report], Rig]:
    """The real firmware, run on the desktop behind a serial line."""

    def rig(report: Report) -> Rig:
        folder = TemporaryDirectory()
        board = Pico(Path(folder.name), docks=wired)
        link = acquire(UsbSettings(port=str(board.port)), SystemClock().now)
        docks = UsbDocks(link, report)
        until(lambda: link.hello)
        aside = board.folder / "expander.gone"

        def vanish() -> None:
            board.expander.rename(aside) if wired == "expander" else board.unplug()

        def come_back() -> None:
            aside.rename(board.expander) if wired == "expander" else board.replug()

        def move(seat: int, home: bool) -> None:
            if aside.exists():
                aside.rename(board.expander)
                board.move_marker(seat, home)
                board.expander.rename(aside)
            else:
                board.move_marker(seat, home)

        def closed() -> None:
            board.close()
            folder.cleanup()

        return Rig(docks, move, vanish, come_back, closed)

    return rig


@pytest.fixture
def troubles() -> list[Trouble]:
    return []


@pytest.fixture(
    params=[
        pytest.param(simulated, id="sim"),
        pytest.param(gpio, id="gpio"),
        pytest.param(gpio_opened, id="gpio-opened-by-the-marker"),
        pytest.param(kernel, id="gpio-of-the-kernel"),
        pytest.param(usb("pins"), id="usb-pins", marks=needs_micropython),
        pytest.param(usb("expander"), id="usb-expander", marks=needs_micropython),
    ]
)
def rig(request: pytest.FixtureRequest, troubles: list[Trouble]) -> Iterator[Rig]:
    made = request.param(troubles.append)
    yield made
    made.docks.close()
    made.closed()


class Heard:
    """A listener, with the last level of each seat."""

    def __init__(self, docks: Docks) -> None:
        self.levels: list[DockLevel] = []
        docks.listen(self.levels.append)

    @property
    def last(self) -> dict[int, bool]:
        return {level.seat: level.home for level in self.levels}

    def all_told(self) -> "Heard":
        until(lambda: sorted(self.last) == [*SEATS])
        return self


def test_every_dock_tells_its_level_at_the_start(rig: Rig) -> None:
    """A marker may have been moved while the power was off."""
    rig.move(3, False)
    heard = Heard(rig.docks).all_told()
    until(lambda: not heard.last[3])

    assert {seat: seat != 3 for seat in SEATS} == heard.last


def test_every_dock_tells_its_own_moves(rig: Rig) -> None:
    """None answers for another, and none is told twice."""
    heard = Heard(rig.docks).all_told()
    del heard.levels[:]
    expected = [(seat, home) for seat in SEATS for home in (False, True)]
    for number, (seat, home) in enumerate(expected, start=1):
        rig.move(seat, home)
        until(lambda number=number: len(heard.levels) >= number)

    assert expected == [(level.seat, level.home) for level in heard.levels]


def test_levels_are_stamped_in_order(rig: Rig) -> None:
    """Time never runs backwards."""
    heard = Heard(rig.docks).all_told()
    for home in (False, True, False):
        before = len(heard.levels)
        rig.move(7, home)
        until(lambda before=before: len(heard.levels) > before)
    times = [level.now for level in heard.levels if level.seat == 7]

    assert 4 == len(times)
    assert sorted(times) == times


def test_after_chatter_the_true_level_is_told(rig: Rig) -> None:
    """A backend may miss bounces, but not how they end."""
    heard = Heard(rig.docks).all_told()
    for _ in range(5):
        rig.move(2, False)
        rig.move(2, True)
    rig.move(2, False)
    until(lambda: not heard.last[2])

    assert {seat: seat != 2 for seat in SEATS} == heard.last


def test_an_error_in_a_listener_silences_nobody(rig: Rig) -> None:
    """A backend's only thread survives an exception of the listener."""
    heard: list[DockLevel] = []

    def listener(level: DockLevel) -> None:
        heard.append(level)
        raise RuntimeError("the listener stumbled")

    with suppress(RuntimeError):  # a simulated marker may feel it, a device must not
        rig.docks.listen(listener)
    for seat in (1, 2):
        with suppress(RuntimeError):
            rig.move(seat, False)
    until(lambda: {(1, False), (2, False)} <= {(level.seat, level.home) for level in heard})


def test_docks_that_vanish_and_come_back_tell_everything_again(
    rig: Rig, troubles: list[Trouble]
) -> None:
    """The marker that was moved meanwhile included; the trouble is told, and its end."""
    heard = Heard(rig.docks).all_told()
    rig.vanish()
    until(lambda: any(trouble.message for trouble in troubles))
    del heard.levels[:]
    rig.move(5, False)
    rig.come_back()
    heard.all_told()
    until(lambda: not troubles[-1].message)

    assert {seat: seat != 5 for seat in SEATS} == heard.last
    assert {"docks"} == {trouble.device for trouble in troubles}


def test_nothing_is_heard_after_close(rig: Rig) -> None:
    """Also if it is closed twice."""
    heard = Heard(rig.docks).all_told()
    rig.docks.close()
    before = len(heard.levels)
    rig.move(1, False)
    rig.docks.close()
    rig.move(1, True)

    assert before == len(heard.levels)


def test_a_hub_without_docks_hears_nothing() -> None:
    docks, heard = NoDocks(), []
    docks.listen(heard.append)
    docks.close()
    docks.close()

    assert [] == heard


def test_docks_that_come_late_tell_their_levels() -> None:
    """They were missing when the hub started."""
    chip, troubles = MemoryChip(), []
    chip.here = False
    settings = DockSettings()

    def opened() -> GpioDocks:
        return GpioDocks(settings, SystemClock().now, chip.open_lines)

    with pytest.raises(Exception, match="not there") as missing:
        opened()
    late = LateDocks("docks", missing.value, opened, troubles.append, lambda seconds: None)
    heard = Heard(late)
    chip.here = True
    heard.all_told()
    late.close()

    assert ["The GPIO chip is not there; check its wires.", ""] == [
        trouble.message for trouble in troubles
    ]


def test_the_simulator_has_docks_where_markers_are_moved() -> None:
    """A marker has been home all along before its first move."""
    docks = SimDocks(SimpleNamespace(now=lambda: 5.0), lambda trouble: None)
    heard = Heard(docks)
    docks.lift(4)

    assert [DockLevel(4, True, 4.0), DockLevel(4, False, 5.0)] == heard.levels
    with pytest.raises(ValueError, match="there is no seat 11"):
        docks.lift(11)
