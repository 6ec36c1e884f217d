"""A chain of NeoPixels on a Pi's own pin: on SPI, or through Adafruit's classes."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hal.chain_lights import Strip, release_pin
from hal.device_errors import DeviceDenied, DeviceError, DeviceMissing, WiringError
from hal.hardware_settings import ROOT, LightSettings, Method
from hal.pi.spi_strip import LATCH, LEADING, SpiBus, SpiStrip


def opener(settings: LightSettings, way: Method, root: Path = ROOT) -> Callable[[], Strip]:
    """Return the function that opens the chain by `way`, a result of `hal.pi.model.method`.

    That function raises a DeviceError if the chain cannot be opened.
    """

    def open_strip() -> Strip:
        if way == "spi":
            _check_spi_buffer(settings, root)
        # Otherwise Blinka offers, on a terminal, to install libraries by itself.
        os.environ.setdefault("BLINKA_SKIP_DEPENDENCY_CHECK", "1")
        try:
            return _spi_strip(settings, root) if way == "spi" else _pin_strip(settings)
        except Exception as error:
            raise device_error(error, way) from error

    return open_strip


def _pin_strip(settings: LightSettings) -> Strip:
    """Open the chain by rpi_ws281x (up to the Pi 4) or PIO (Pi 5), and write darkness.

    Blinka chooses by board. Release the pin, and raise, if the writing fails.
    """
    import board
    import neopixel

    pin = getattr(board, f"D{settings.pin}")
    strip: Any = neopixel.NeoPixel(
        pin, settings.pixels, auto_write=False, pixel_order=settings.order
    )
    try:
        strip.show()
    except Exception:
        release_pin(strip)
        raise
    return strip  # type: ignore[no-any-return]


def _spi_strip(settings: LightSettings, root: Path) -> Strip:
    """Open the chain on SPI and write darkness; if that fails, release the bus and raise."""
    strip = SpiStrip(SpiBus(root / "dev/spidev0.0"), settings.pixels, settings.order)
    try:
        strip.show()
    except Exception:
        release_pin(strip)
        raise
    return strip


def _check_spi_buffer(settings: LightSettings, root: Path) -> None:
    """Raise WiringError if a frame does not fit the buffer of spidev, as it is sent in one piece.

    A buffer of unknown size passes.
    """
    try:
        size = int((root / "sys/module/spidev/parameters/bufsiz").read_text())
    except (OSError, ValueError):
        return
    needed = settings.pixels * settings.channels * 8 + len(LEADING) + len(LATCH)
    if needed > size:
        raise WiringError(
            f"{settings.pixels} pixels need {needed} bytes in one piece, spidev allows {size}",
            f"add spidev.bufsiz={needed} to /boot/firmware/cmdline.txt, or use fewer pixels",
        )


EXTRAS = {"ws281x": "pi,pi-ws281x", "pio": "pi,pi-pio"}
"""The extras of the installation that contain each method's library."""


def device_error(error: Exception, way: Method) -> DeviceError:
    """Translate an error of a vendor's library into a DeviceError: missing or denied.

    `way` is the method that was tried; it decides what to install.
    """
    text = str(error) or type(error).__name__
    if isinstance(error, ImportError | NotImplementedError) or "was not found" in text:
        return DeviceMissing(
            f"the lights' library for this board is missing ({text})",
            f"install it with `pip install 'centerpiece[{EXTRAS[way]}]'`",
        )
    if isinstance(error, PermissionError) or _mentions(text, "sudo", "permission", "mmap"):
        return DeviceDenied(
            f"the lights may not be opened ({text})",
            "add this user to the groups gpio and spi (`sudo usermod -aG gpio,spi $USER`), "
            "log in again, and keep the data line on GPIO10: the other pins need root",
        )
    if isinstance(error, FileNotFoundError) or _mentions(text, "spi", "pio"):
        return DeviceMissing(
            f"the lights' bus is not there ({text})",
            "set `dtoverlay=spi0-0cs` in /boot/firmware/config.txt (a Pi 5 needs /dev/pio0) "
            "and restart the Pi",
        )
    return DeviceMissing(
        f"the lights cannot be opened ({text})",
        "run `centerpiece doctor --lights` to find out what is missing",
    )


def _mentions(text: str, *words: str) -> bool:
    return any(word in text.lower() for word in words)
