"""Docks on lines of a GPIO chip: a port expander on I²C, or the Pi's free pins.

The chip is the kernel's (`dtoverlay=mcp23017,noints`), its lines are requested with gpiod. They are
read twenty times a second: a level counts after 300 ms, and so the expander needs no interrupt
wire. A chip that no longer answers is looked for by its label and opened again, then all levels are
told.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, RLock
from typing import Any, Protocol

from hal.device_errors import DeviceBusy, DeviceDenied, DeviceError, DeviceLost, DeviceMissing
from hal.hardware_settings import ROOT, DockSettings, HardwareSettings
from hal.health import Health, ignore_trouble, reopen
from hal.pi.model import HEADER_CHIPS
from hal.ports import Clock, DockLevel, Report
from hal.supervised_thread import start_supervised

log = logging.getLogger(__name__)

READ_EVERY_S = 0.05


class DockLines(Protocol):
    """Requested lines of a chip."""

    def closed(self) -> dict[int, bool]:
        """Return for each line whether its switch is closed; raise OSError if the chip is gone."""
        ...

    def close(self) -> None: ...


class GpioDocks:
    """The Docks port on lines that `open_lines` requests.

    `pause` waits for some seconds and returns whether the docks are being closed.
    """

    def __init__(
        self,
        settings: DockSettings,
        now: Callable[[], float],
        open_lines: Callable[[], DockLines],
        report: Report = ignore_trouble,
        pause: Callable[[float], bool] | None = None,
    ) -> None:
        self._settings = settings
        self._now = now
        self._open_lines = open_lines
        self._health = Health("docks", report)
        self._closing = Event()
        self._pause = pause or self._closing.wait
        self._lock = RLock()
        self._on_level: Callable[[DockLevel], None] | None = None
        self._told: dict[int, bool] = {}
        self._lines: DockLines | None = open_lines()

    def listen(self, on_level: Callable[[DockLevel], None]) -> None:
        self._on_level = on_level
        start_supervised("docks", self._watch, self._health.report, self._pause)

    def home(self) -> dict[int, bool]:
        """Return for each seat with a dock whether its marker is home.

        Empty while the chip is lost; raise OSError when it stops answering.
        """
        with self._lock:
            if self._lines is None:
                return {}
            closed, settings = self._lines.closed(), self._settings
        return {
            int(dock.removeprefix("dock-")): closed[line] == settings.closed_is_home
            for dock, line in settings.lines.items()
        }

    def close(self) -> None:
        self._closing.set()
        with self._lock:
            self._on_level = None
            self._release()

    # The thread

    def _watch(self) -> None:
        """Read the docks every `READ_EVERY_S` seconds and pass on changes, until closed.

        A chip that does not answer is reported and opened again.
        """
        while True:
            try:
                self._tell(self.home())
            except OSError as error:
                self._reopen(error)
            if self._pause(READ_EVERY_S):
                return

    def _tell(self, home: dict[int, bool]) -> None:
        """Pass on the levels in `home` that differ from those passed on last, each by seat.

        Nothing is passed on after `close`. An error of the listener is logged.
        """
        now = self._now()
        for seat, level in home.items():
            with self._lock:
                if self._told.get(seat) == level or self._on_level is None:
                    continue
                self._told[seat] = level
                try:
                    self._on_level(DockLevel(seat, level, now))
                except Exception:
                    log.exception("device=docks seat=%d whoever listens failed", seat)

    def _reopen(self, error: OSError) -> None:
        """Report that the chip is lost, release its lines, and request them after growing pauses.

        End when that works, or when the docks are closed. `error` is what reading has raised.
        """
        self._health.report(
            DeviceLost(
                f"the docks do not answer ({error.strerror or error})",
                "check their cable; the buttons open and close trains, and the docks are tried "
                "again by themselves",
            )
        )
        with self._lock:
            self._release()
        if reopen("docks", self._open_again, self._pause) and not self._closing.is_set():
            self._health.report(None)

    def _open_again(self) -> None:
        """Request the lines again, unless the docks have been closed."""
        with self._lock:
            if self._on_level is not None:
                self._lines = self._open_lines()

    def _release(self) -> None:
        lines, self._lines, self._told = self._lines, None, {}
        if lines is not None:
            with suppress(Exception):
                lines.close()


class GpiodLines:
    """Lines requested with gpiod as inputs, low when their switch is closed."""

    def __init__(self, gpiod: Any, chip: Path, lines: tuple[int, ...], pull: str) -> None:
        line = gpiod.line
        settings = gpiod.LineSettings(
            direction=line.Direction.INPUT,
            bias=line.Bias.PULL_UP if pull == "up" else line.Bias.AS_IS,
            active_low=True,
        )
        self._lines, self._closed = lines, line.Value.ACTIVE
        self._request = gpiod.request_lines(
            str(chip), consumer="centerpiece docks", config={lines: settings}
        )

    def closed(self) -> dict[int, bool]:
        values = self._request.get_values(self._lines)
        return {
            line: value == self._closed for line, value in zip(self._lines, values, strict=True)
        }

    def close(self) -> None:
        self._request.release()


def request_lines(settings: DockSettings, root: Path = ROOT) -> DockLines:
    """Request the lines of the docks, or raise a DeviceError that says what is wrong.

    The chip is looked for below `root`.
    """
    try:
        import gpiod
    except ImportError as error:
        raise DeviceMissing(
            f"the docks need gpiod ({error})", "install it with `pip install 'centerpiece[pi]'`"
        ) from error
    called = "the Pi's header" if settings.on_header else f"the GPIO chip {settings.chip!r}"
    try:
        chip = _chip(gpiod, settings.chip, root)
        if chip is not None:
            return GpiodLines(gpiod, chip, tuple(settings.lines.values()), settings.pull)
    except OSError as error:
        raise _device_error(error, called) from error
    known = ", ".join(f"{label!r}" for _, label in _chips(gpiod, root)) or "none"
    raise DeviceMissing(
        f"{called} for the docks is not there (there are: {known})",
        "check its wires and address, and `dtoverlay=mcp23017,addr=0x20,noints` in "
        "/boot/firmware/config.txt",
    )


def _chip(gpiod: Any, wanted: str, root: Path) -> Path | None:
    """Return the path of the GPIO chip with the label, name or path `wanted`; else None.

    "header" is the chip behind the Pi's header. Raise PermissionError if a chip may not be opened.
    """
    labels = HEADER_CHIPS if wanted == "header" else (wanted,)
    for path, label in _chips(gpiod, root):
        if label in labels or wanted in (path.name, f"/{path.relative_to(root)}"):
            return path
    return None


def _chips(gpiod: Any, root: Path) -> Iterator[tuple[Path, str]]:
    """Yield the path and the label of every GPIO chip.

    Raise PermissionError for one that may not be opened; skip one that is just going.
    """
    for path in sorted((root / "dev").glob("gpiochip*")):
        try:
            with gpiod.Chip(str(path)) as chip:
                label = chip.get_info().label
        except PermissionError:
            raise
        except OSError:  # it is just going, or it is no chip
            continue
        yield path, label


def _device_error(error: OSError, what: str) -> DeviceError:
    """Translate an error of gpiod into a DeviceError: denied, busy or missing.

    `what` names the chip in the sentence.
    """
    reason = error.strerror or str(error)
    if isinstance(error, PermissionError):
        return DeviceDenied(
            f"{what} for the docks may not be opened ({reason})",
            "add this user to the group gpio (`sudo usermod -aG gpio $USER`) and log in again",
        )
    if isinstance(error, BlockingIOError) or "busy" in reason.lower():
        return DeviceBusy(
            f"a line of {what} is in use by something else ({reason})",
            "stop the other program (a hub that runs: `sudo systemctl stop centerpiece`), or give "
            "the dock another line in [hardware.docks.lines]",
        )
    return DeviceMissing(
        f"the lines of {what} for the docks cannot be requested ({reason})",
        "compare [hardware.docks.lines] with the lines of the chip (`gpioinfo`)",
    )


def open_docks(
    settings: HardwareSettings, report: Report, clock: Clock, root: Path = ROOT
) -> GpioDocks:
    """Open the docks on the chip that the settings name; raise a DeviceError if that fails."""
    docks = settings.docks
    return GpioDocks(docks, clock.now, lambda: request_lines(docks, root), report)
