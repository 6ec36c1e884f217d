"""Buttons on the Pi's own pins, through gpiozero.

Edges are stamped and handed on, nothing else: lgpio has a single notification thread, and an
exception there silences every button. Plain input devices are used rather than gpiozero's
`Button`, which would add a thread for each button's hold timer that nobody needs.
"""

import logging
import os
from collections.abc import Callable
from tempfile import gettempdir
from threading import RLock
from typing import TYPE_CHECKING, Any

from hal.errors import DeviceBusy, DeviceDenied, DeviceError, DeviceMissing
from hal.ports import Edge
from hal.settings import ButtonSettings

if TYPE_CHECKING:
    from gpiozero import DigitalInputDevice

log = logging.getLogger(__name__)


class GpioButtons:
    """The Buttons port on gpiozero.

    `factory` is a gpiozero pin factory, closed with the buttons: only then are the pins free.
    """

    def __init__(self, settings: ButtonSettings, now: Callable[[], float], factory: Any) -> None:
        self._now = now
        self._factory = factory
        self._heard: Callable[[Edge], None] | None = None
        self._lock = RLock()
        self._inputs: dict[str, DigitalInputDevice] = {}
        try:
            for button, pin in settings.pins.items():
                self._inputs[button] = _claim(button, pin, settings, factory)
        except DeviceError:
            self.close()
            raise

    def listen(self, heard: Callable[[Edge], None]) -> None:
        self._heard = heard
        for button, device in self._inputs.items():
            device.when_activated = self._edge(button, True)
            device.when_deactivated = self._edge(button, False)

    def pressed(self) -> tuple[str, ...]:
        """The buttons that are down at this moment: for the doctor, who looks for stuck ones."""
        return tuple(button for button, device in self._inputs.items() if device.is_active)

    def close(self) -> None:
        with self._lock:
            self._heard = None
        for device in self._inputs.values():
            device.close()
        self._inputs = {}
        self._factory.close()

    def _edge(self, button: str, down: bool) -> Callable[[], None]:
        def hand_on() -> None:
            now = self._now()
            with self._lock:
                if self._heard is None:
                    return
                try:
                    self._heard(Edge(button, down, now))
                except Exception:
                    log.exception("device=buttons button=%s whoever listens failed", button)

        return hand_on


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
        return LGPIOFactory()
    except Exception as error:
        raise _judge(error, "the GPIO chip") from error


def _claim(button: str, pin: int, settings: ButtonSettings, factory: Any) -> "DigitalInputDevice":
    from gpiozero import DigitalInputDevice

    pull = {"up": True, "down": False, "none": None}[settings.pull]
    active = None if pull is not None else not settings.active_low
    try:
        return DigitalInputDevice(pin, pull_up=pull, active_state=active, pin_factory=factory)
    except Exception as error:
        raise _judge(error, f"GPIO{pin} for the button {button!r}") from error


def _judge(error: Exception, what: str) -> DeviceError:
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
