"""Drivers of sound: a module on a serial line, a sound card, none.

Each imports its library only when it is opened.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hal.hardware_settings import ROOT, HardwareSettings, SoundSettings
from hal.health import ignore_trouble
from hal.pi.model import model, serial_port
from hal.ports import Clock, Report, Sound
from hal.sound.no_sound import NoSound

if TYPE_CHECKING:
    from hal.voice.library import Library


def open_serial(
    settings: HardwareSettings, report: Report, clock: Clock, root: Path = ROOT
) -> Sound:
    """Open a DFPlayer-class module on a serial port; raise a DeviceError if that fails.

    With port "auto", the Pi is looked at below `root` to find its UART.
    """
    from hal.sound.serial_sound import SerialSound

    return SerialSound(with_port(settings.sound, root), report)


def open_alsa(settings: HardwareSettings, report: Report, clock: Clock, root: Path = ROOT) -> Sound:
    """Open a sound card, with the voice's clips if the settings have a cache for them.

    Raise a DeviceError if that fails.
    """
    from hal.cues import samples
    from hal.sound.alsa_sound import AlsaSound

    return AlsaSound(settings.sound, report, samples, root, library=library(settings.sound, report))


def library(settings: SoundSettings, report: Report = ignore_trouble) -> "Library | None":
    """Open the clips of the voice in the settings, start their thread; None without a cache."""
    if not settings.clips:
        return None
    from hal.voice.library import Library

    return Library(Path(settings.clips), settings.voice, settings.synthesizer, report=report)


def open_none(settings: HardwareSettings, report: Report, clock: Clock) -> Sound:
    return NoSound()


def with_port(settings: SoundSettings, root: Path = ROOT) -> SoundSettings:
    """Fill in the board's port where the settings say "auto"; raise WiringError off a Pi."""
    return msgspec.structs.replace(settings, port=serial_port(settings.port, model(root)))
