"""Buttons on the Pi's own pins, through gpiozero.

Edges are handed on with the kernel's own stamps, nothing else: Python may get to them much later,
and chatter that is stamped late looks like taps. lgpio has a single notification thread, and an
exception there silences every button. Plain input devices are used rather than gpiozero's
`Button`, which would add a thread for each button's hold timer that nobody needs.

A chip that goes away tells nobody: lgpio's thread spins on the error and prints it without end. So
one thread of ours looks after the lines once a second, lets go of a chip that does not answer, and
takes it up again when it is back.
"""

import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from tempfile import gettempdir
from threading import Event, RLock, Thread
from typing import TYPE_CHECKING, Any

from hal.device_errors import DeviceBusy, DeviceDenied, DeviceError, DeviceLost, DeviceMissing
from hal.hardware_settings import ButtonSettings
from hal.health import Health, ignore_trouble, pauses
from hal.ports import Edge, Report
from hal.stamps import edge_time

if TYPE_CHECKING:
    from gpiozero import DigitalInputDevice

log = logging.getLogger(__name__)

LOOK_AFTER = 1.0
"""Seconds between two looks at a chip that works."""


class GpioButtons:
    """The Buttons port on gpiozero.

    `open_factory` gives a gpiozero pin factory, which is closed with the buttons: only then are
    the pins free. `pause` waits so many seconds, and says whether the buttons are being closed.
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
        self._heard: Callable[[Edge], None] | None = None
        self._lock = RLock()
        self._factory: Any = None
        self._inputs: dict[str, DigitalInputDevice] = {}
        self._handlers: list[Callable[[float, int], None]] = []
        """gpiozero keeps weak references to them only."""
        self._claim()

    def listen(self, heard: Callable[[Edge], None]) -> None:
        self._heard = heard
        self._attach()
        Thread(target=self._look_after, name="buttons", daemon=True).start()

    def pressed(self) -> tuple[str, ...]:
        """The buttons that are down at this moment: for the doctor, who looks for stuck ones."""
        return tuple(button for button, device in self._inputs.items() if device.is_active)

    def close(self) -> None:
        self._closing.set()
        with self._lock:
            self._heard = None
            self._let_go()

    # The chip

    def _claim(self) -> None:
        self._factory = self._open_factory()
        try:
            for button, pin in self._settings.pins.items():
                self._inputs[button] = _claim(button, pin, self._settings, self._factory)
        except DeviceError:
            self._let_go()
            raise

    def _attach(self) -> None:
        for button, device in self._inputs.items():
            handler = self._handler(button)
            self._handlers.append(handler)
            device.pin.when_changed = handler

    def _let_go(self) -> None:
        """Also of a chip that is gone, to which nothing can be given back."""
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
            # It gave up at the first pin; without them it closes the chip, and lgpio's thread ends.
            factory.pins.clear()
            with suppress(Exception):
                factory.close()

    def _look_after(self) -> None:
        while not self._pause(LOOK_AFTER):
            try:
                with self._lock:
                    if self._factory is not None:
                        _probe(self._inputs)
            except Exception as error:
                self._bring_back(error)

    def _bring_back(self, error: Exception) -> None:
        said = str(error) or type(error).__name__
        self._health.report(
            DeviceLost(
                f"the buttons do not answer ({said})",
                "the game goes on with the phones: they are tried again by themselves",
            )
        )
        with self._lock:
            self._let_go()
        for wait in pauses():
            if self._pause(wait):
                return
            try:
                with self._lock:
                    if self._heard is None:
                        return
                    self._claim()
                    self._attach()
            except DeviceError as still:
                log.debug("device=buttons still=%s", still)
            else:
                self._health.report(None)
                return

    # Its edges

    def _handler(self, button: str) -> Callable[[float, int], None]:
        released_is = self._settings.active_low
        factory, now = self._factory, self._now

        def hand_on(ticks: float, state: int) -> None:
            late = factory.ticks_diff(factory.ticks(), ticks)
            at = edge_time(now(), late)
            with self._lock:
                if self._heard is None:
                    return
                try:
                    self._heard(Edge(button, bool(state) != released_is, at))
                except Exception:
                    log.exception("device=buttons button=%s whoever listens failed", button)

        return hand_on


def _probe(inputs: "dict[str, DigitalInputDevice]") -> None:
    """Raise what is wrong with the lines, or with lgpio's thread that should tell of them."""
    for device in inputs.values():
        _ = device.pin.state
    notifier = getattr(sys.modules.get("lgpio"), "_notify_thread", None)
    if notifier is not None and not notifier.is_alive():
        raise DeviceLost("lgpio's thread has ended", "it is started again")


def lgpio_factory() -> Any:
    """gpiozero's lgpio pins: the one library that knows every model, the Pi 5 included."""
    # lgpio leaves a FIFO in its directory, and moves the whole process there: come back at once.
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
        _revive(sys.modules["lgpio"])
        return LGPIOFactory()
    except Exception as error:
        raise _device_error(error, "the GPIO chip") from error


def _revive(lgpio: Any) -> None:
    """The thread that hands on lgpio's edges is started once, when it is imported."""
    notifier = getattr(lgpio, "_notify_thread", None)
    if notifier is not None and not notifier.is_alive():
        lgpio._notify_thread = type(notifier)()


def _claim(button: str, pin: int, settings: ButtonSettings, factory: Any) -> "DigitalInputDevice":
    from gpiozero import DigitalInputDevice

    pull = {"up": True, "down": False, "none": None}[settings.pull]
    active = None if pull is not None else not settings.active_low
    try:
        return DigitalInputDevice(pin, pull_up=pull, active_state=active, pin_factory=factory)
    except Exception as error:
        raise _device_error(error, f"GPIO{pin} for the button {button!r}") from error


def _device_error(error: Exception, what: str) -> DeviceError:
    """gpiozero and lgpio raise a dozen kinds of errors; a builder needs one of three remedies."""
    said = str(error) or type(error).__name__
    if isinstance(error, PermissionError) or "permission" in said.lower():
        return DeviceDenied(
            f"{what} may not be opened ({said})",
            "add this user to the group gpio (`sudo usermod -aG gpio $USER`) and log in again",
        )
    if "busy" in said.lower() or "in use" in said.lower():
        return DeviceBusy(
            f"{what} is in use by something else ({said})",
            "stop the other program (a hub that runs: `sudo systemctl stop centerpiece`), or free "
            "the pin (GPIO7 needs `dtoverlay=spi0-0cs` in /boot/firmware/config.txt)",
        )
    return DeviceMissing(
        f"{what} cannot be opened ({said})",
        "is this a Raspberry Pi? Run with --hardware sim on a desktop",
    )
