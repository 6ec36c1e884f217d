"""Builds the real hub from its settings: `--hardware pi`.

Everything is tried at once, so that what is missing is a sentence at start, never a silent
fallback. Only the adapters that the settings ask for import their libraries.
"""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from hal.pi.gpio_buttons import GpioButtons, lgpio_factory
from hal.pi.model import driver, model, serial_port
from hal.pi.neopixel_lights import NeopixelLights, opener
from hal.ports import Board, Report, Sound
from hal.settings import ROOT, HardwareSettings, SoundSettings
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
    board = model(root)
    clock = SystemClock()
    with ExitStack() as opened:
        way = driver(settings.lights.driver, board)
        lights = NeopixelLights(settings.lights, report, opener(settings.lights, way, root))
        opened.callback(lights.close)
        buttons = GpioButtons(settings.buttons, clock.now, pin_factory())
        opened.callback(buttons.close)
        sound = _sound(settings.sound, report, board, root)
        opened.pop_all()
    return Board(buttons, lights, sound, clock, settings.lights.zones)


def _sound(settings: SoundSettings, report: Report, board: str, root: Path) -> Sound:
    if settings.kind == "serial":
        from hal.sound.serial_sound import SerialSound

        port = serial_port(settings.port, board)
        return SerialSound(msgspec.structs.replace(settings, port=port), report)
    if settings.kind == "alsa":
        from hal.cues import wav
        from hal.sound.alsa_sound import AlsaSound

        return AlsaSound(settings, report, wav, root)
    return NoSound()
