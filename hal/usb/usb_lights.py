"""Lights of a USB hub: only changes go over the cable, and each picture is confirmed."""

from hal.chain_lights import ChainLights
from hal.device_errors import DeviceLost
from hal.hardware_settings import LightSettings
from hal.ports import Report
from hal.usb.messages import frame
from hal.usb.usb_link import UsbLink, release

ANSWER_S = 2.0
REPEAT_S = 1.0
"""A still picture is confirmed at this interval: a board that was away shows it again."""


class UsbStrip:
    """The chain of the board on a link, as a strip."""

    def __init__(self, link: UsbLink, settings: LightSettings) -> None:
        self._link = link
        self._order = ["RGBW".index(channel) for channel in settings.order]
        self._picture = bytes(settings.channels * settings.pixels)
        self._shown = b""
        self._greeting = 0
        self._number = 0

    def __setitem__(self, where: slice, colours: list[tuple[int, ...]]) -> None:
        self._picture = bytes(colour[place] for colour in colours for place in self._order)

    def show(self) -> None:
        """Send what has changed since the last picture; raise a DeviceError if that fails.

        After a new greeting, and if the board has missed something, the whole picture is sent.
        """
        if self._greeting != self._link.greetings:
            self._greeting, self._shown = self._link.greetings, b""
        if not self._shown:
            self._link.send("chain", len(self._picture))
        if not self._confirmed():
            self._shown = b""
            if not self._confirmed():
                raise DeviceLost(
                    "the USB hub does not understand what to show",
                    "update it with `centerpiece usb flash`",
                )

    def deinit(self) -> None:
        """Show darkness; without messages the board goes to its idle glow by itself."""
        self._picture = bytes(len(self._picture))
        self.show()

    def _confirmed(self) -> bool:
        """Send the changes since the picture sent last; return whether the board then has it all.

        Raise a DeviceError if there is no answer.
        """
        self._number = self._number % 9999 + 1
        picture = self._picture
        line = frame(self._number, picture, self._shown)
        answer = self._link.request(str(self._number), line, ANSWER_S)
        self._shown = picture
        return answer[0] == "ok"


class UsbLights(ChainLights):
    """The Lights port on a link."""

    def __init__(
        self, link: UsbLink, settings: LightSettings, report: Report, repeat_s: float = REPEAT_S
    ) -> None:
        self._link = link
        super().__init__(
            settings,
            report,
            lambda: UsbStrip(link, settings),
            pause=self._rest,
            repeat_s=repeat_s,
        )

    def close(self) -> None:
        """Darken the chain and give up the link. May be called twice."""
        closed = self._closing.is_set()
        self._closing.set()
        self._link.wake()
        super().close()
        if not closed:
            release(self._link)

    def _rest(self, seconds: float) -> None:
        """Wait for some seconds; end earlier when the board is back or the lights are closed."""
        greetings = self._link.greetings
        self._link.wait(
            seconds, lambda: self._closing.is_set() or self._link.greetings != greetings
        )
