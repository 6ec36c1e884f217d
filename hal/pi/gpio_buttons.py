"""Buttons on the Pi's own pins, through gpiozero.

Edges carry the kernel's stamps: Python may process them much later, and chatter with late stamps
looks like taps. lgpio has a single notification thread, and an exception there silences every
button. Plain input devices replace gpiozero's `Button`, which would add a hold thread per button.

A lost chip raises no event: lgpio's thread spins on the error and prints it without end. So a
thread of this module probes the lines once a second, closes a chip that does not answer, and opens
it again when it is back.
"""

import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir
from threading import Event, RLock
from typing import TYPE_CHECKING, Any

from hal.device_errors import DeviceBusy, DeviceDenied, DeviceError, DeviceLost, DeviceMissing
from hal.hardware_settings import ROOT, ButtonSettings
from hal.health import Health, ignore_trouble, reopen
from hal.pi.model import HEADER_CHIPS
from hal.ports import Edge, Report
from hal.stamps import edge_time
from hal.supervised_thread import start_supervised

if TYPE_CHECKING:
    from gpiozero import DigitalInputDevice

log = logging.getLogger(__name__)

PROBE_S = 1.0
"""Seconds between two probes of a working chip."""


class GpioButtons:
    """The Buttons port on gpiozero.

    `open_factory` returns a gpiozero pin factory; closing it with the buttons frees the pins.
    `pause` waits for some seconds and returns whether the buttons are being closed.
    """

    def __init__(
        self,
        settings: ButtonSettings,
        now: Callable[[], float],
        open_factory: Callable[[], Any],
        report: Report = ignore_trouble,
        pause: Callable[[float], bool] | None = None,
    ) -> None:
        self._settings = settings
        self._now = now
        self._open_factory = open_factory
        self._health = Health("buttons", report)
        self._closing = Event()
        self._pause = pause or self._closing.wait
        self._on_edge: Callable[[Edge], None] | None = None
        self._lock = RLock()
        self._factory: Any = None
        self._inputs: dict[str, DigitalInputDevice] = {}
        self._handlers: list[Callable[[float, int], None]] = []
        """Referenced here because gpiozero only keeps weak references."""
        self._claim()

    def listen(self, on_edge: Callable[[Edge], None]) -> None:
        """Pass on edges from now on, and start the thread that probes the chip."""
        self._on_edge = on_edge
        self._attach()
        start_supervised("buttons", self._watch_chip, self._health.report, self._pause)

    def is_down(self, button: str) -> bool | None:
        """Return whether a button is down now; None if the chip is gone or lacks it."""
        with self._lock:
            device = self._inputs.get(button)
            try:
                return None if device is None else bool(device.is_active)
            except Exception:  # the chip is gone, and its thread reports it
                return None

    def close(self) -> None:
        self._closing.set()
        with self._lock:
            self._on_edge = None
            self._release()

    # The chip

    def _claim(self) -> None:
        """Open the chip and every button's pin; if one fails, release all, raise a DeviceError."""
        self._factory = self._open_factory()
        try:
            for button, pin in self._settings.pins.items():
                self._inputs[button] = _claim(button, pin, self._settings, self._factory)
        except DeviceError:
            self._release()
            raise

    def _attach(self) -> None:
        for button, device in self._inputs.items():
            handler = self._handler(button)
            self._handlers.append(handler)
            device.pin.when_changed = handler

    def _release(self) -> None:
        """Release all pins and close the chip; ignore errors, as the chip may be gone."""
        inputs, self._inputs, self._handlers = self._inputs, {}, []
        factory, self._factory = self._factory, None
        for device in inputs.values():
            with suppress(Exception):
                device.close()
        if factory is None:
            return
        try:
            factory.close()
        except Exception:
            # It failed at a pin; without pins it closes the chip, which ends lgpio's thread.
            factory.pins.clear()
            with suppress(Exception):
                factory.close()

    def _watch_chip(self) -> None:
        """Probe the chip every `PROBE_S` seconds until closed; reopen it if it does not answer."""
        while not self._pause(PROBE_S):
            try:
                with self._lock:
                    if self._factory is not None:
                        _probe(self._inputs)
            except Exception as error:
                self._reopen(error)

    def _reopen(self, error: Exception) -> None:
        """Report that the chip is lost, release it, and try to open it after growing pauses.

        End when that works, or when the buttons are closed. `error` is what the probe has raised.
        """
        text = str(error) or type(error).__name__
        self._health.report(
            DeviceLost(
                f"the buttons do not answer ({text})",
                "the game goes on with the phones: they are tried again by themselves",
            )
        )
        with self._lock:
            self._release()
        if reopen("buttons", self._open_again, self._pause) and not self._closing.is_set():
            self._health.report(None)

    def _open_again(self) -> None:
        """Claim the pins again and follow them, unless the buttons have been closed."""
        with self._lock:
            if self._on_edge is not None:
                self._claim()
                self._attach()

    # Its edges

    def _handler(self, button: str) -> Callable[[float, int], None]:
        """Return the callback for gpiozero that passes on a button's edges, with kernel stamps.

        It passes on nothing before `listen` or after `close`, and logs an error of the listener.
        """
        released_is = self._settings.active_low

        def forward(stamp: float, state: int) -> None:
            at = edge_time(stamp, self._now())
            with self._lock:
                if self._on_edge is None:
                    return
                try:
                    self._on_edge(Edge(button, bool(state) != released_is, at))
                except Exception:
                    log.exception("device=buttons button=%s whoever listens failed", button)

        return forward


def _probe(inputs: "dict[str, DigitalInputDevice]") -> None:
    """Raise if the pins cannot be read, or if lgpio's notification thread has ended."""
    for device in inputs.values():
        _ = device.pin.state
    notifier = getattr(sys.modules.get("lgpio"), "_notify_thread", None)
    if notifier is not None and not notifier.is_alive():
        raise DeviceLost("lgpio's thread has ended", "it is started again")


def lgpio_factory(root: Path = ROOT) -> Any:
    """Return gpiozero's pin factory on lgpio, or raise a DeviceError.

    Only lgpio supports every model, the Pi 5 included. The chip is found by its label below `root`:
    one that comes back may have another number.
    """
    # lgpio leaves a FIFO in its directory and changes the process's directory to it: change back.
    here = os.getcwd()
    os.environ.setdefault("LG_WD", os.environ.get("RUNTIME_DIRECTORY") or gettempdir())
    try:
        from gpiozero.pins.lgpio import LGPIOFactory
    except (ImportError, AttributeError) as error:  # an empty lgpio 0.0.0.2 lacks its attributes
        raise DeviceMissing(
            f"the buttons need gpiozero and lgpio ({error})",
            "install them with `pip install 'centerpiece[pi]'`",
        ) from error
    finally:
        os.chdir(here)
    try:
        lgpio = sys.modules["lgpio"]
        _revive(lgpio)
        return LGPIOFactory(chip=_header_chip(lgpio, root))
    except Exception as error:
        raise _device_error(error, "the GPIO chip") from error


def _header_chip(lgpio: Any, root: Path) -> int | None:
    """Return the number of the chip behind the header, or None, which lets gpiozero choose."""
    for path in sorted((root / "dev").glob("gpiochip*")):
        with suppress(Exception):  # it is just going, or it is no chip
            number = int(path.name.removeprefix("gpiochip"))
            handle = lgpio.gpiochip_open(number)
            try:
                label = lgpio.gpio_get_chip_info(handle)[3]
            finally:
                lgpio.gpiochip_close(handle)
            if label in HEADER_CHIPS:
                return number
    return None


def _revive(lgpio: Any) -> None:
    """Restart lgpio's notification thread, which lgpio itself starts only once, at import."""
    notifier = getattr(lgpio, "_notify_thread", None)
    if notifier is not None and not notifier.is_alive():
        lgpio._notify_thread = type(notifier)()


def _claim(button: str, pin: int, settings: ButtonSettings, factory: Any) -> "DigitalInputDevice":
    """Open the GPIO number `pin` as the input of a button, or raise a DeviceError."""
    from gpiozero import DigitalInputDevice

    pull = {"up": True, "down": False, "none": None}[settings.pull]
    active = None if pull is not None else not settings.active_low
    try:
        return DigitalInputDevice(pin, pull_up=pull, active_state=active, pin_factory=factory)
    except Exception as error:
        raise _device_error(error, f"GPIO{pin} for the button {button!r}") from error


def _device_error(error: Exception, what: str) -> DeviceError:
    """Translate an error of gpiozero or lgpio into a DeviceError: denied, busy or missing.

    `what` names the pin or chip in the sentence.
    """
    text = str(error) or type(error).__name__
    if isinstance(error, PermissionError) or "permission" in text.lower():
        return DeviceDenied(
            f"{what} may not be opened ({text})",
            "add this user to the group gpio (`sudo usermod -aG gpio $USER`) and log in again",
        )
    if "busy" in text.lower() or "in use" in text.lower():
        return DeviceBusy(
            f"{what} is in use by something else ({text})",
            "stop the other program (a hub that runs: `sudo systemctl stop centerpiece`), or free "
            "the pin (GPIO7 needs `dtoverlay=spi0-0cs` in /boot/firmware/config.txt)",
        )
    return DeviceMissing(
        f"{what} cannot be opened ({text})",
        "is this a Raspberry Pi? Run with --hardware sim on a desktop",
    )
