"""A chain of lights that records its frames."""

from collections.abc import Callable

from hal.port_checks import check_brightness, check_frame
from hal.ports import Frame, Report, Trouble


class SimLights:
    """The Lights port in memory, with the newest frames. Can be unplugged."""

    def __init__(self, count: int, report: Report, keep: int = 1000) -> None:
        self._count = count
        self._report = report
        self._keep = keep
        self._newest: Frame = bytes(3 * count)
        self._plugged = True
        self._closed = False
        self.brightness = 1.0
        self.frame: Frame = bytes(3 * count)
        self.frames: list[Frame] = []
        self.watchers: list[Callable[[Frame], None]] = []
        """Callbacks for each frame that is shown."""

    @property
    def count(self) -> int:
        return self._count

    def show(self, frame: Frame) -> None:
        """Show a frame; once closed, nothing happens.

        While unplugged it is only remembered. An equal frame is not recorded again.
        """
        check_frame(frame, self._count)
        if self._closed:
            return
        self._newest = frame
        if self._plugged and frame != self.frame:
            self._write(frame)

    def set_brightness(self, brightness: float) -> None:
        check_brightness(brightness)
        self.brightness = brightness

    def unplug(self) -> None:
        """Make the chain dark and unresponsive, and report it; a second time nothing happens."""
        if self._plugged:
            self._plugged = False
            self._write(bytes(3 * self._count))
            message = "The lights do not answer. Check the plug of the light chain."
            self._report(Trouble("lights", message))

    def plug(self) -> None:
        """Bring the chain back with the newest frame, and report it."""
        if not self._plugged:
            self._plugged = True
            self._write(self._newest)
            self._report(Trouble("lights", ""))

    def close(self) -> None:
        if not self._closed:
            self._write(bytes(3 * self._count))
            self._closed = True

    def _write(self, frame: Frame) -> None:
        self.frame = frame
        self.frames.append(frame)
        del self.frames[: -self._keep]
        for watcher in self.watchers:
            watcher(frame)
