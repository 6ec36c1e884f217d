"""Drivers on the Pi's own pins: buttons on GPIO, a chain of NeoPixels.

They open their devices at once, so that anything missing is reported at start.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hal.chain_lights import ChainLights
from hal.hardware_settings import ROOT, HardwareSettings
from hal.pi.gpio_buttons import GpioButtons, lgpio_factory
from hal.pi.model import method, model, on_a_pi
from hal.pi.neopixel_lights import opener
from hal.ports import Clock, Lights, Report


def open_buttons(
    settings: HardwareSettings,
    report: Report,
    clock: Clock,
    pin_factory: Callable[[], Any] = lgpio_factory,
    root: Path = ROOT,
) -> GpioButtons:
    """Open the buttons on a Pi's pins; raise WiringError off a Pi, a DeviceError if that fails.

    `pin_factory` opens gpiozero's pins.
    """
    on_a_pi("buttons", model(root))
    return GpioButtons(settings.buttons, clock.now, pin_factory, report)


def open_lights(
    settings: HardwareSettings, report: Report, clock: Clock, root: Path = ROOT
) -> Lights:
    """Open the chain on a Pi's pin; raise WiringError off a Pi, a DeviceError if that fails."""
    way = method(settings.lights.method, model(root))
    return ChainLights(settings.lights, report, opener(settings.lights, way, root))
