"""Sound devices as drivers: a module on a serial line, a sound card, none.

Only what is asked for imports its library.
"""

from pathlib import Path

import msgspec

from hal.pi.model import model, serial_port
from hal.ports import Clock, Report, Sound
from hal.settings import ROOT, HardwareSettings, SoundSettings
from hal.sound.no_sound import NoSound


def open_serial(
    settings: HardwareSettings, report: Report, clock: Clock, root: Path = ROOT
) -> Sound:
    """A DFPlayer-class module."""
    from hal.sound.serial_sound import SerialSound

    return SerialSound(with_port(settings.sound, root), report)


def open_alsa(settings: HardwareSettings, report: Report, clock: Clock, root: Path = ROOT) -> Sound:
    """A sound card that plays cues of our own."""
    from hal.cues import samples
    from hal.sound.alsa_sound import AlsaSound

    return AlsaSound(settings.sound, report, samples, root)


def open_none(settings: HardwareSettings, report: Report, clock: Clock) -> Sound:
    """Silence."""
    return NoSound()


def with_port(settings: SoundSettings, root: Path = ROOT) -> SoundSettings:
    """The settings of a module, with the port of the board at hand where they leave it open."""
    return msgspec.structs.replace(settings, port=serial_port(settings.port, model(root)))
