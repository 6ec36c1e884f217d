"""Drivers of a USB hub's buttons, lights, sound and docks, which share one cable."""

from msgspec.structs import replace

from hal.hardware_settings import HardwareSettings, SoundSettings
from hal.health import pauses
from hal.ports import Clock, Lights, Report, Sound
from hal.sound.serial_sound import SerialSound
from hal.usb.usb_buttons import UsbButtons
from hal.usb.usb_docks import UsbDocks
from hal.usb.usb_lights import UsbLights
from hal.usb.usb_link import UsbLink, acquire, release
from hal.usb.usb_sound import UsbLine


def open_buttons(settings: HardwareSettings, report: Report, clock: Clock) -> UsbButtons:
    return UsbButtons(acquire(settings.usb, clock.now), report)


def open_lights(settings: HardwareSettings, report: Report, clock: Clock) -> Lights:
    return UsbLights(acquire(settings.usb, clock.now), settings.lights, report)


def open_sound(settings: HardwareSettings, report: Report, clock: Clock) -> Sound:
    return UsbSound(acquire(settings.usb, clock.now), settings.sound, report)


def open_docks(settings: HardwareSettings, report: Report, clock: Clock) -> UsbDocks:
    return UsbDocks(acquire(settings.usb, clock.now), report)


class UsbSound(SerialSound):
    """The Sound port on a module behind a board."""

    def __init__(self, link: UsbLink, settings: SoundSettings, report: Report) -> None:
        self._link = link
        self._used = True
        self._begun = False
        super().__init__(
            replace(settings, port="on the USB hub"),
            report,
            waits=lambda: pauses(0.5, 2.0),
            open_line=self._line,
        )

    def close(self) -> None:
        super().close()
        if self._used:
            self._used = False
            release(self._link)

    def _line(self, settings: SoundSettings) -> UsbLine:
        """Open the line to the module; raise the link's trouble if the board is not there.

        At the first call it is opened in any case.
        """
        line, begun, self._begun = UsbLine(self._link), self._begun, True
        if begun and self._link.hello is None:
            line.close()
            raise self._link.absent()
        return line
