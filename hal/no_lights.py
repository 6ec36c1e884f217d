"""The Lights port of a hub without lights: the page shows the same."""

from hal.hardware_settings import HardwareSettings
from hal.port_checks import check_brightness, check_frame
from hal.ports import Clock, Frame, Report


class NoLights:
    """The Lights port that shows nothing."""

    def __init__(self, count: int) -> None:
        self._count = count

    @property
    def count(self) -> int:
        return self._count

    def show(self, frame: Frame) -> None:
        check_frame(frame, self._count)

    def set_brightness(self, brightness: float) -> None:
        check_brightness(brightness)

    def close(self) -> None:
        """Nothing was opened."""


def open_lights(settings: HardwareSettings, report: Report, clock: Clock) -> NoLights:
    return NoLights(settings.lights.pixels)
