"""Boards (`--hardware NAME`) and the drivers of their parts, looked up by name.

A board has a default driver for each port, and the settings may name another, so every mixture
works. A driver is called with the settings, the function that takes trouble reports and the clock;
it opens its device or raises a DeviceError that says what is missing. It never falls back to
another driver. A WiringError ends the start, because no waiting mends the settings; any other
DeviceError is reported as trouble, and the device is taken up when it comes (`hal.late_devices`).
Drivers are named here, not imported, so a library is loaded only when its driver is chosen.
Other packages add boards by the entry point group `centerpiece.boards`, and drivers by
`centerpiece.buttons`, `centerpiece.lights`, `centerpiece.sound` and `centerpiece.docks`.
"""

from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from hal.device_errors import DeviceMissing, WiringError

if TYPE_CHECKING:  # listing the boards must stay cheap
    from collections.abc import Callable, Iterable, Mapping

    from hal.hardware_settings import HardwareSettings
    from hal.ports import Board, Report

Builder: TypeAlias = "Callable[[HardwareSettings, Report], Board]"
Port = Literal["buttons", "lights", "sound", "docks"]


class Preset(NamedTuple):
    """The default driver of each port of a board."""

    buttons: str
    lights: str
    sound: str
    docks: str = "none"


BOARDS = {
    "sim": Preset("sim", "sim", "sim", "sim"),
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
    "docks": {
        "gpio": "hal.pi.gpio_docks:open_docks",
        "usb": "hal.usb.usb_drivers:open_docks",
        "none": "hal.no_docks:open_docks",
        "sim": "sim.sim_drivers:open_docks",
    },
}


def builder(name: str) -> Builder:
    """Return the function that builds the board `name` from settings and a trouble receiver.

    Raise WiringError for an unknown name, DeviceMissing for a board of another package that cannot
    be imported.
    """
    if name in BOARDS:
        return partial(_build, BOARDS[name])
    built: Builder = _named("board", name, {}, known=tuple(BOARDS))
    return built


def drivers(name: str, settings: "HardwareSettings") -> Preset | None:
    """Return the driver of each port: that of the settings or, where they name none, the board's.

    `name` is that of the board; for a board of another package the result is None.
    """
    board = BOARDS.get(name)
    if board is None:
        return None
    return Preset(*(getattr(settings, port).driver or getattr(board, port) for port in DRIVERS))


def opener(port: Port, name: str) -> "Callable[..., Any]":
    """Return the function that opens the driver `name` of a port; raise WiringError if unknown.

    Raise DeviceMissing for a driver that cannot be imported.
    """
    open_driver: Callable[..., Any] = _named(port, name, DRIVERS[port])
    return open_driver


def _build(board: Preset, settings: "HardwareSettings", report: "Report") -> "Board":
    """Open every device of a board; log each setting that no driver uses.

    A device that is missing gets a stand-in, which opens it later (`open_or_wait`). Raise
    WiringError if the settings cannot be built, and close what was opened.
    """
    import logging
    from contextlib import ExitStack, closing

    from hal.late_devices import open_or_wait
    from hal.ports import Board
    from hal.system_clock import SystemClock

    settings = completed(settings, board)
    settings.check()
    for unused in settings.unused():
        logging.getLogger(__name__).warning("%s", unused)
    clock = SystemClock()
    opening = {port: opener(port, getattr(settings, port).driver) for port in DRIVERS}
    pixels = settings.lights.pixels
    with ExitStack() as opened:
        # Lights first: Blinka must find the pins as the kernel left them.
        lights, buttons, sound, docks = (
            opened.enter_context(
                closing(
                    open_or_wait(
                        port, partial(opening[port], settings, report, clock), report, pixels
                    )
                )
            )
            for port in ("lights", "buttons", "sound", "docks")
        )
        opened.pop_all()
    return Board(buttons, lights, sound, clock, settings.lights.zones, docks)


def completed(settings: "HardwareSettings", board: Preset) -> "HardwareSettings":
    """Return the settings with the board's default driver where they name none."""
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
    """Import the board or driver `name`; `what` is "board" or the driver's port.

    `ours` are the names with their places in this program, and `known` the names to list in an
    error, by default those. Raise WiringError if the name is unknown, DeviceMissing if it cannot be
    imported.
    """
    try:
        return resolve_name(ours[name]) if name in ours else _from_others(what, name, known or ours)
    except ImportError as error:
        raise DeviceMissing(
            f"the {_called(what)} {name!r} cannot be loaded ({error})", "install what it needs"
        ) from error


def _from_others(what: str, name: str, ours: "Iterable[str]") -> Any:
    """Load the board or driver `name` of another package; `what` is "board" or the driver's port.

    Raise WiringError for an unknown name; it lists `ours`, the names in this program, and all
    others.
    """
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
