"""Builds the real hub from its settings: `--hardware pi`.

Everything is tried at once, so that what is missing is a sentence at start, never a silent
fallback. Each device has an opener of its own, which the doctor tries one by one. Only the adapters
that the settings ask for import their libraries.
"""

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec

from hal.pi.gpio_buttons import GpioButtons, lgpio_factory
from hal.pi.model import driver, model, serial_port
from hal.pi.neopixel_lights import NeopixelLights, opener
from hal.ports import Board, Lights, Report, Sound
from hal.settings import ROOT, ButtonSettings, HardwareSettings, LightSettings, SoundSettings
from hal.sound.no_sound import NoSound
from hal.system_clock import SystemClock


def build(
    settings: HardwareSettings,
    report: Report,
    root: Path = ROOT,
    pin_factory: Callable[[], Any] = lgpio_factory,
) -> Board:
    """Open every device, or raise the DeviceError of the first that cannot be used."""
    settings.check()
    with ExitStack() as opened:
        lights = opened.enter_context(closing(open_lights(settings.lights, report, root)))
        buttons = opened.enter_context(closing(open_buttons(settings.buttons, report, pin_factory)))
        sound = open_sound(settings.sound, report, root)
        opened.pop_all()
    return Board(buttons, lights, sound, SystemClock(), settings.lights.zones)


def open_lights(settings: LightSettings, report: Report, root: Path = ROOT) -> Lights:
    way = driver(settings.driver, model(root))
    return NeopixelLights(settings, report, opener(settings, way, root))


def open_buttons(
    settings: ButtonSettings, report: Report, pin_factory: Callable[[], Any] = lgpio_factory
) -> GpioButtons:
    return GpioButtons(settings, SystemClock.now, pin_factory, report)


def open_sound(settings: SoundSettings, report: Report, root: Path = ROOT) -> Sound:
    if settings.kind == "serial":
        from hal.sound.serial_sound import SerialSound

        return SerialSound(with_port(settings, root), report)
    if settings.kind == "alsa":
        from hal.cues import samples
        from hal.sound.alsa_sound import AlsaSound

        return AlsaSound(settings, report, samples, root)
    return NoSound()


def with_port(settings: SoundSettings, root: Path = ROOT) -> SoundSettings:
    """The settings of a module, with the port of the board at hand where they leave it open."""
    return msgspec.structs.replace(settings, port=serial_port(settings.port, model(root)))
