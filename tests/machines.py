"""Machines for the doctor to examine: a good Raspberry Pi, with variations by tests."""

from pathlib import Path

from hal.diagnosis import Machine

GOOD = {
    "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.5\0",
    "dev/gpiochip0": "",
    "dev/gpiomem": "",
    "dev/spidev0.0": "",
    "dev/serial0": "",
    "boot/firmware/config.txt": (
        "# a comment\ndtparam=spi=on\ndtoverlay=spi0-0cs\nenable_uart=1\n"
        "dtoverlay=disable-bt\ncore_freq=500\ncore_freq_min=500\n"
    ),
    "boot/firmware/cmdline.txt": "console=tty1 root=PARTUUID=1 rootwait\n",
    "sys/devices/platform/soc/soc:firmware/get_throttled": "0\n",
}
LIBRARIES = {
    "gpiozero": "2.0.1.post3",
    "lgpio": "0.2.2.0",
    "gpiod": "2.3.0",
    "adafruit-circuitpython-neopixel": "6.4.2",
    "rpi_ws281x": "5.0.0",
    "pyserial": "3.5",
}
GROUPS = frozenset({"gpio", "spi", "dialout"})


def machine(
    root: Path,
    files: dict[str, str] | None = None,
    libraries: dict[str, str] | None = None,
    groups: frozenset[str] = GROUPS,
    user: str = "ann",
) -> Machine:
    """Return a machine with these files, and no others."""
    for name, text in (GOOD if files is None else files).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    have = LIBRARIES if libraries is None else libraries
    return Machine(root, user, groups, lambda name: have.get(name, ""))
