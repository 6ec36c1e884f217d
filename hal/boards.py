"""The boards a hub can be built on (`--hardware NAME`), and the drivers of their parts, by name.

A board says which driver each port has; the settings may name another for any of them, so every
mixture works. A driver is given the settings, whom to tell of trouble and the clock; it opens its
device, or raises the DeviceError that says what is missing. Never is another taken in silence.
Drivers are named here, not imported: a library is loaded when it is asked for.
Other packages bring whole boards by the entry point group `centerpiece.boards`, and drivers by
`centerpiece.buttons`, `centerpiece.lights` and `centerpiece.sound`.
"""

from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from hal.device_errors import DeviceMissing, WiringError

if TYPE_CHECKING:  # to name the boards is cheap
    from collections.abc import Callable, Iterable, Mapping

    from hal.hardware_settings import HardwareSettings
    from hal.ports import Board, Report

Builder: TypeAlias = "Callable[[HardwareSettings, Report], Board]"
Port = Literal["buttons", "lights", "sound"]


class Preset(NamedTuple):
    """A good choice of drivers; the fields are the ports."""

    buttons: str
    lights: str
    sound: str


BOARDS = {
    "sim": Preset("sim", "sim", "sim"),
    "pi": Preset("gpio", "neopixel", "serial"),
    "usb": Preset("usb", "usb", "usb"),
}
DRIVERS: dict[Port, dict[str, str]] = {
    "buttons": {
        "gpio": "hal.pi.pi_drivers:open_buttons",
        "usb": "hal.usb.usb_drivers:open_buttons",
        "keys": "hal.keys.key_drivers:open_buttons",
        "sim": "sim.sim_drivers:open_buttons",
    },
    "lights": {
        "neopixel": "hal.pi.pi_drivers:open_lights",
        "usb": "hal.usb.usb_drivers:open_lights",
        "wled": "hal.wled.wled_drivers:open_lights",
        "none": "hal.no_lights:open_lights",
        "sim": "sim.sim_drivers:open_lights",
    },
    "sound": {
        "serial": "hal.sound.sound_drivers:open_serial",
        "usb": "hal.usb.usb_drivers:open_sound",
        "alsa": "hal.sound.sound_drivers:open_alsa",
        "none": "hal.sound.sound_drivers:open_none",
        "sim": "sim.sim_drivers:open_sound",
    },
}


def builder(name: str) -> Builder:
    """What builds the board of this name."""
    if name in BOARDS:
        return partial(_build, BOARDS[name])
    built: Builder = _named("board", name, {}, known=tuple(BOARDS))
    return built


def drivers(name: str, settings: "HardwareSettings") -> Preset | None:
    """The driver of each port: the settings' own, or the board's. None for boards of others."""
    board = BOARDS.get(name)
    if board is None:
        return None
    return Preset(*(getattr(settings, port).driver or getattr(board, port) for port in DRIVERS))


def opener(port: Port, name: str) -> "Callable[..., Any]":
    """What opens the driver of this name."""
    found: Callable[..., Any] = _named(port, name, DRIVERS[port])
    return found


def _build(board: Preset, settings: "HardwareSettings", report: "Report") -> "Board":
    """Open every device, or raise the DeviceError of the first that cannot be used."""
    import logging
    from contextlib import ExitStack, closing

    from hal.ports import Board
    from hal.system_clock import SystemClock

    settings = completed(settings, board)
    settings.check()
    for unused in settings.unused():
        logging.getLogger(__name__).warning("%s", unused)
    clock = SystemClock()
    opening = {port: opener(port, getattr(settings, port).driver) for port in DRIVERS}
    with ExitStack() as opened:
        # Lights first: Blinka must find the pins as the kernel left them.
        lights, buttons, sound = (
            opened.enter_context(closing(opening[port](settings, report, clock)))
            for port in ("lights", "buttons", "sound")
        )
        opened.pop_all()
    return Board(buttons, lights, sound, clock, settings.lights.zones)


def completed(settings: "HardwareSettings", board: Preset) -> "HardwareSettings":
    """The settings with a driver for every port."""
    from msgspec.structs import replace

    return replace(
        settings,
        **{
            port: replace(part, driver=part.driver or getattr(board, port))
            for port in DRIVERS
            for part in [getattr(settings, port)]
        },
    )


def _named(
    what: str, name: str, ours: "Mapping[str, str]", known: tuple[str, ...] | None = None
) -> Any:
    try:
        return resolve_name(ours[name]) if name in ours else _from_others(what, name, known or ours)
    except ImportError as error:
        raise DeviceMissing(
            f"the {_called(what)} {name!r} cannot be loaded ({error})", "install what it needs"
        ) from error


def _from_others(what: str, name: str, ours: "Iterable[str]") -> Any:
    from importlib.metadata import entry_points

    others = entry_points(group="centerpiece.boards" if what == "board" else f"centerpiece.{what}")
    if name in others.names:
        return others[name].load()
    *known, last = [*ours, *sorted(others.names)]
    place = "--hardware" if what == "board" else f"[hardware.{what}] driver ="
    raise WiringError(
        f"no {_called(what)} is called {name!r}", f"use {place} {', '.join(known)} or {last}"
    )


def _called(what: str) -> str:
    return what if what == "board" else f"driver of the {what}"
