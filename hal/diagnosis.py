"""Checks of a hub's hardware, for the doctor.

Each check is a value with a verdict and a remedy; nothing is printed or changed here. The files
that a part depends on are checked first, below a root that tests can make up; if they are in
order, the device is opened for real and closed again.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hal.boards import DRIVERS, Port, opener
from hal.device_errors import DeviceBusy, DeviceError, WiringError
from hal.hardware_settings import ROOT, DockSettings, HardwareSettings
from hal.health import ignore_trouble, sentence
from hal.pi.model import has_pio, method, model, on_a_pi
from hal.sound.sound_drivers import with_port
from hal.system_clock import SystemClock

Verdict = Literal["ok", "warn", "fail"]


class Check(NamedTuple):
    """The result of one check, and the remedy if it is not "ok"."""

    name: str
    verdict: Verdict
    sentence: str
    remedy: str = ""


class Machine(NamedTuple):
    """A machine as the checks see it: its files, user, groups and installed libraries."""

    root: Path
    user: str
    groups: frozenset[str]
    version: Callable[[str], str]
    """Returns the installed version of a library, or an empty string."""

    @classmethod
    def here(cls) -> "Machine":
        """Describe this machine and the current user."""
        import grp
        import os
        import pwd

        mine = {os.getegid(), *os.getgroups()}
        groups = frozenset(group.gr_name for group in grp.getgrall() if group.gr_gid in mine)
        return cls(ROOT, pwd.getpwuid(os.geteuid()).pw_name, groups, installed)

    def text(self, *paths: str) -> str:
        """Return the content of the first of these files that can be read, or an empty string.

        The paths are below `root`.
        """
        for path in paths:
            try:
                return (self.root / path).read_text("utf-8", "replace")
            except OSError:
                continue
        return ""

    def has(self, path: str) -> bool:
        return (self.root / path.lstrip("/")).exists()


def installed(library: str) -> str:
    """Return the installed version of a library; empty if it is not installed."""
    from importlib import metadata

    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return ""


Attempts = dict[Port, Callable[[], str]]
"""For each port a function that tries the device: it returns a sentence of success or raises."""


def attempts(
    settings: HardwareSettings,
    root: Path = ROOT,
    words: Mapping[int, int] | None = None,
    **more: Any,
) -> Attempts:
    """Return for each port a function that opens its device for a moment.

    Without docks there is none for them. `words` maps folders of a sound module's card to their
    expected number of tracks, which tells the version of the words. `more` is passed on to the
    buttons' driver.
    """

    def opened(port: Port, **options: Any) -> Any:
        name = getattr(settings, port).driver
        return closing(opener(port, name)(settings, ignore_trouble, SystemClock(), **options))

    def pins() -> str:
        with opened("buttons", root=root, **more) as buttons:
            if down := ", ".join(name for name in settings.buttons.pins if buttons.is_down(name)):
                raise WiringError(
                    f"these buttons are pressed, although nobody should be touching them: {down}",
                    "let go of them, or look for a short between their wires",
                )
        return f"All {len(settings.buttons.pins)} can be read, and none is pressed."

    def keys() -> str:
        with opened("buttons", **more) as buttons:
            if missing := buttons.missing():
                raise missing
            return f"Used as buttons: {', '.join(buttons.devices())}."

    def lines() -> str:
        with opened("docks", root=root) as docks:
            home = docks.home()
        away = ", ".join(str(seat) for seat, is_home in home.items() if not is_home)
        if away:
            return f"All {len(home)} can be read; not home are the markers of these seats: {away}."
        return f"All {len(home)} can be read, and every marker is home."

    def board() -> str:
        from hal.usb.usb_link import identify_board

        hello = identify_board(settings.usb)
        if settings.sound.driver == "usb" and not hello.sound:
            raise WiringError(
                f"the board {hello.serial} has no sound module in its layout.py",
                'wire one, or set driver = "none" in [hardware.sound]',
            )
        if settings.docks.driver == "usb" and not hello.docks:
            raise WiringError(
                f"the board {hello.serial} has no docks in its layout.py",
                'list them there, or set driver = "none" in [hardware.docks]',
            )
        return (
            f"The board {hello.serial} answers (firmware {hello.version}, "
            f"{len(hello.buttons)} buttons)."
        )

    def module() -> str:
        from hal.sound.serial_sound import probe

        counts = probe(with_port(settings.sound, root), words=words)
        if not settings.sound.ack:
            return "The module's port can be opened."
        return f"The module answers. {words_on_card(counts, words or {})}".strip()

    def anything(port: Port, words: str) -> Callable[[], str]:
        named = {"root": root} if getattr(settings, port).driver in ROOTED else {}

        def attempt() -> str:
            with opened(port, **named):
                return words

        return attempt

    pixels = settings.lights.pixels
    own: dict[tuple[Port, str], Callable[[], str]] = {
        ("buttons", "gpio"): pins,
        ("buttons", "keys"): keys,
        ("sound", "serial"): module,
        ("docks", "gpio"): lines,
        **{(port, "usb"): board for port in DRIVERS},
    }
    usual: dict[Port, str] = {
        "buttons": "They can be heard.",
        "lights": f"The chain of {pixels} pixels can be written.",
        "sound": "It can be opened.",
    }
    if settings.docks.driver != "none":
        usual["docks"] = "They can be read."
    return {
        port: own.get((port, getattr(settings, port).driver), anything(port, words))
        for port, words in usual.items()
    }


def words_on_card(counts: Mapping[int, int], today: Mapping[int, int]) -> str:
    """Return a sentence on the words on a module's card; empty if nothing could be counted.

    Both `counts` and `today` map a folder to its number of tracks, which tells the version. Raise
    WiringError if that of `counts` is older or newer than `today`; a card without words is allowed.
    """
    spoken = {folder: count for folder, count in counts.items() if count}
    if not counts:
        return ""
    if not spoken:
        return "Its card has no words: `centerpiece sounds export` makes one that speaks."
    for folder, count in spoken.items():
        if count != today[folder]:
            age = "older" if count < today[folder] else "newer"
            raise WiringError(
                f"the words on the module's card are {age} than this hub "
                f"(version {count}, not {today[folder]})",
                "copy the files of `centerpiece sounds export` to it again",
            )
    return "The words on its card are up to date."


ROOTED = ("neopixel", "alsa")
"""Drivers that read files of the machine and take their `root`."""


def checks(
    settings: HardwareSettings, machine: Machine, tries: Attempts, running: bool = False
) -> Iterator[Check]:
    """Yield checks of settings, board, supply and devices; a `running` hub's are not opened.

    Wrong settings end the checks. A device with a failed check of its files is not opened, and none
    is after one that another program uses.
    """
    try:
        settings.check()
    except DeviceError as error:
        yield failed("settings", error)
        return
    yield Check("settings", "ok", "The pins, zones and tracks of the config fit together.")
    for unused in settings.unused():
        yield failed("settings", unused)._replace(verdict="warn")
    board = model(machine.root)
    if board:
        yield Check("board", "ok", f"This is a {board}.")
        yield from _power(machine)
    kept = Check("", "ok", "In use by the running hub.") if running else None
    for name in tries:
        results = list(_check_files(name, settings, machine, board))
        yield from results
        if any(check.verdict == "fail" for check in results):
            continue
        if kept:
            yield kept._replace(name=name)
            continue
        check = try_device(name, tries[name])
        yield check
        if check.verdict == "warn":
            # The same program may have the others too, and lights would show both programs' frames.
            kept = Check("", "warn", f"Not tried, because the {name} are in use.", check.remedy)


def try_device(name: str, attempt: Callable[[], str]) -> Check:
    """Return the check of the device `name`: what `attempt` returns, or its DeviceError.

    A device that another program uses is only a warning. Any other exception is raised.
    """
    try:
        return Check(name, "ok", attempt())
    except DeviceBusy as error:
        return failed(name, error)._replace(verdict="warn")
    except DeviceError as error:
        return failed(name, error)


def failed(name: str, error: DeviceError) -> Check:
    """Turn an error into a failed check."""
    return Check(name, "fail", sentence(error.problem), sentence(error.remedy))


# Checks, each of one part


def _check_files(
    name: Port, settings: HardwareSettings, machine: Machine, board: str
) -> Iterator[Check]:
    """Yield the checks of the files that the port `name` depends on, if its driver has any.

    `board` is the Pi's model, or empty. An error of the settings is a failed check.
    """
    driver = getattr(settings, name).driver
    parts = DOCK_PARTS if name == "docks" else PARTS
    if driver not in DRIVERS[name] or driver not in parts:
        return
    try:
        yield from parts[driver](settings, machine, board)
    except DeviceError as error:
        yield failed(name, error)


CHIP_LIBRARIES = ("lgpio", "adafruit-lgpio")
METHOD_LIBRARIES = {
    "ws281x": "rpi_ws281x",
    "pio": "Adafruit-Blinka-Raspberry-Pi5-Neopixel",
}


def _library(machine: Machine, library: str) -> Check:
    """Return the check that a library is installed; it fails if it is not."""
    if version := machine.version(library):
        return Check("library", "ok", f"{library} {version} is installed.")
    return Check(
        "library",
        "fail",
        f"{library} is not installed.",
        f"Install it with `pip install '{library}'`.",
    )


def _pin_library(machine: Machine) -> Check:
    """Return the check that lgpio is installed and no empty placeholder.

    Two rival libraries for the pins, both installed, are a warning instead.
    """
    versions = {name: version for name in CHIP_LIBRARIES if (version := machine.version(name))}
    if machine.version("RPi.GPIO") and machine.version("rpi-lgpio"):
        return Check(
            "library",
            "warn",
            "RPi.GPIO and rpi-lgpio are both installed and conflict.",
            "Remove one: `pip uninstall RPi.GPIO`.",
        )
    for name, version in versions.items():
        if version.startswith("0.0."):
            return Check(
                "library",
                "fail",
                f"{name} {version} is an empty placeholder.",
                "Install the real one: `pip install 'lgpio>=0.2.2'`, from Python 3.13 on "
                "`pip install adafruit-lgpio`.",
            )
        return Check("library", "ok", f"{name} {version} is installed.")
    return Check(
        "library",
        "fail",
        "lgpio is not installed.",
        "Install it with `pip install lgpio`, from Python 3.13 on `pip install adafruit-lgpio`.",
    )


def _group(machine: Machine, group: str, device: str) -> Check:
    """Return the check that the user may use a device, as root or as a member of `group`."""
    if machine.user == "root" or group in machine.groups:
        return Check("permission", "ok", f"{machine.user} may use {device}.")
    return Check(
        "permission",
        "fail",
        f"{machine.user} is not in the group {group} and cannot use {device}.",
        f"Run `sudo usermod -aG {group} {machine.user}` and log in again.",
    )


def _buttons(settings: HardwareSettings, machine: Machine, board: str) -> Iterator[Check]:
    """Yield checks of libraries, group and chip for buttons on GPIO.

    If the kernel keeps GPIO7 for SPI and a button is there, also a failed one. Raise WiringError
    off a Pi.
    """
    on_a_pi("buttons", board)
    yield _library(machine, "gpiozero")
    yield _pin_library(machine)
    yield _group(machine, "gpio", "the buttons")
    yield _device(machine, "buttons", "/dev/gpiochip0", "Update Raspberry Pi OS.")
    on_ce1 = [name for name, pin in settings.buttons.pins.items() if pin == 7]
    config = _config(machine)
    claimed = "dtparam=spi=on" in config and not re.search(r"dtoverlay=spi0-[01]cs", config)
    if on_ce1 and claimed:
        yield Check(
            "buttons",
            "fail",
            f"The kernel keeps GPIO7, the pin of {on_ce1[0]}, as SPI's second chip select.",
            "Add `dtoverlay=spi0-0cs` to /boot/firmware/config.txt and restart.",
        )


def _docks(settings: HardwareSettings, machine: Machine, board: str) -> Iterator[Check]:
    """Yield checks of library and group for docks on GPIO.

    On a Pi with the usual port expander, also a failed one if the overlay that announces it is
    missing or wrong.
    """
    yield _library(machine, "gpiod")
    yield _group(machine, "gpio", "the docks")
    if not board or settings.docks.chip != DockSettings().chip:
        return
    overlay = re.search(r"^dtoverlay=mcp23017(.*)$", _config(machine), re.MULTILINE)
    wrong = ""
    if overlay is None:
        wrong = "The kernel has not been told of the port expander."
    elif "noints" not in overlay[1]:
        wrong = (
            "The port expander's overlay takes a pin for interrupts, by default GPIO4, a button."
        )
    if wrong:
        yield Check(
            "docks",
            "fail",
            wrong,
            "Write `dtparam=i2c_arm=on` and `dtoverlay=mcp23017,addr=0x20,noints` in "
            "/boot/firmware/config.txt and restart.",
        )


def _keys(settings: HardwareSettings, machine: Machine, board: str) -> Iterator[Check]:
    yield _group(machine, "input", "the keys")


def _usb(settings: HardwareSettings, machine: Machine, board: str) -> Iterator[Check]:
    yield _library(machine, "pyserial")
    yield _group(machine, "dialout", "the USB hub")


def _lights(settings: HardwareSettings, machine: Machine, board: str) -> Iterator[Check]:
    """Yield checks of libraries, group and device file for a chain on a Pi's pin.

    Which ones depends on board and method. Raise WiringError off a Pi.
    """
    driven_by = METHOD_LIBRARIES.get(method(settings.lights.method, board))
    if driven_by is not None:
        for library in ("adafruit-circuitpython-neopixel", "gpiod", driven_by):
            yield _library(machine, library)
    yield _group(machine, "spi", "the lights")
    restart = "to /boot/firmware/config.txt and restart."
    if has_pio(board) and settings.lights.method != "spi":
        yield _device(
            machine,
            "lights",
            "/dev/pio0",
            "Update the firmware with `sudo rpi-eeprom-update -a` and the system with "
            "`sudo apt full-upgrade`.",
        )
        return
    if driven_by == METHOD_LIBRARIES["ws281x"]:
        # Plain Debian's kernel has none, and the library crashes rather than say so.
        yield _device(
            machine,
            "lights",
            "/dev/gpiomem",
            "Leave out `method` in [hardware.lights], or use Raspberry Pi OS.",
        )
    if settings.lights.pin == 10:
        yield _device(machine, "lights", "/dev/spidev0.0", f"Add `dtoverlay=spi0-0cs` {restart}")
        yield _core_clock(machine, board, restart)
    else:
        yield Check(
            "lights",
            "warn",
            f"GPIO{settings.lights.pin} can only drive the lights as root.",
            "Move the data line to GPIO10 and set pin = 10.",
        )


def _core_clock(machine: Machine, board: str, restart: str) -> Check:
    """Return the check for a fixed core clock: SPI's follows it, and pixels tolerate little drift.

    A clock that may change is a warning; `restart` ends the sentence of its remedy.
    """
    required = ("core_freq=500", "core_freq_min=500") if " 4" in board else ("core_freq=250",)
    config = _config(machine)
    missing = [line for line in required if line not in config]
    if not missing:
        return Check("lights", "ok", "The clock of SPI is steady.")
    return Check(
        "lights",
        "warn",
        "The clock of SPI may change while the lights are written, and they flicker.",
        f"Add `{'` and `'.join(missing)}` {restart}",
    )


HEADER = ("/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0")
"""Names of the UART on a Pi's header."""


def _module(settings: HardwareSettings, machine: Machine, board: str) -> Iterator[Check]:
    """Yield checks of library, group and port of a sound module, and of a console on its line.

    A UART whose speed changes with the core's clock is a warning.
    """
    port = with_port(settings.sound, machine.root).port
    yield _library(machine, "pyserial")
    yield _group(machine, "dialout", "the sound module")
    setting = "dtparam=uart0=on" if has_pio(board) else "enable_uart=1"
    remedy = "Plug it in, or correct [hardware.sound] port."
    if port in HEADER:
        remedy = f"Add `{setting}` to /boot/firmware/config.txt and restart, or correct the port."
    yield _device(machine, "sound module", port, remedy)
    console = re.search(
        r"console=(serial0|ttyAMA0|ttyS0)\b",
        machine.text("boot/firmware/cmdline.txt", "boot/cmdline.txt"),
    )
    if console and port in HEADER:
        yield Check(
            "sound module",
            "fail",
            f"The serial console ({console[0]}) talks on the sound module's line.",
            "Switch it off: raspi-config, Interface Options, Serial Port, no login shell; "
            "then restart.",
        )
    else:
        yield Check("sound module", "ok", "No console talks on its line.")
    if not has_pio(board) and port == "/dev/serial0" and "disable-bt" not in _config(machine):
        yield Check(
            "sound module",
            "warn",
            "Bluetooth keeps the better UART, and the other one's speed follows the core's clock.",
            "Add `dtoverlay=disable-bt` to /boot/firmware/config.txt and restart.",
        )


def _card(settings: HardwareSettings, machine: Machine, board: str) -> Iterator[Check]:
    """Yield checks of library, group and card for sound by ALSA.

    If an amplifier's overlay takes GPIO4 and a button is there, also a failed one.
    """
    yield _library(machine, "pygame-ce")
    yield _group(machine, "audio", "the sound card")
    cards = machine.text("proc/asound/cards")
    if re.search(r"^ *\d+ \[", cards, re.MULTILINE):
        yield Check("sound card", "ok", "The kernel knows a sound card.")
    else:
        yield Check(
            "sound card",
            "fail",
            "The kernel knows no sound card.",
            "Plug one in, or add the overlay of an amplifier, such as "
            "`dtoverlay=max98357a,no-sdmode`, to /boot/firmware/config.txt and restart."
            if board
            else 'Plug one in, or set driver = "none" in [hardware.sound].',
        )
    amplifier = re.search(r"^dtoverlay=max98357a(.*)$", _config(machine), re.MULTILINE)
    if amplifier and not re.search("no-sdmode|sdmode-pin", amplifier[1]):
        taken = [name for name, pin in settings.buttons.pins.items() if pin == 4]
        if taken:
            yield Check(
                "sound card",
                "fail",
                f"The amplifier's overlay takes GPIO4, the pin of {taken[0]}.",
                "Write `dtoverlay=max98357a,no-sdmode` in /boot/firmware/config.txt and restart.",
            )


def _power(machine: Machine) -> Iterator[Check]:
    """Yield the check of the supply: the firmware remembers every voltage drop since the start.

    A drop is a warning. Nothing is yielded on a machine without such a record.
    """
    status = machine.text("sys/devices/platform/soc/soc:firmware/get_throttled").strip()
    if not status:
        return
    if int(status, 16) & 0x10001:
        yield Check(
            "power",
            "warn",
            "The supply of the Pi has dropped below 4.63 V.",
            "Use a stronger supply, and give the lights wires of their own from it.",
        )
    else:
        yield Check("power", "ok", "The supply of the Pi has been steady since it started.")


PARTS = {
    "gpio": _buttons,
    "keys": _keys,
    "usb": _usb,
    "neopixel": _lights,
    "serial": _module,
    "alsa": _card,
}
"""For each driver, the checks before its device is tried."""
DOCK_PARTS = {"gpio": _docks, "usb": _usb}


def _device(machine: Machine, name: str, path: str, remedy: str) -> Check:
    if machine.has(path):
        return Check(name, "ok", f"{path} is there.")
    return Check(name, "fail", f"{path} is not there.", remedy)


def _config(machine: Machine) -> str:
    """Return config.txt without its comments."""
    lines = machine.text("boot/firmware/config.txt", "boot/config.txt").splitlines()
    return "\n".join(line.strip() for line in lines if not line.lstrip().startswith("#"))
