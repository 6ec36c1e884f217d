"""Settings of a hub's hardware: pins, pixels, the sound module.

Only values and their validation: nothing is opened and no library is imported, so the simulator,
the doctor and the wiring drawing read the same settings. `check` rejects a hub that cannot be
built, with sentences that a builder can act on.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec

from hal.device_errors import WiringError
from hal.ports import BUTTONS, CUES, DOCKS, SEATS, TRACKS, Zone, default_zones

ROOT = Path("/")
"""Root of the machine's files; tests make up a machine in another folder."""

RESERVED = {
    0: "the HAT's ID memory",
    1: "the HAT's ID memory",
    2: "I²C (SDA)",
    3: "I²C (SCL)",
    8: "SPI (CE0)",
    9: "SPI (MISO)",
    10: "SPI (MOSI), the data line of the lights",
    11: "SPI (SCLK)",
    14: "the UART (TXD), the sound module",
    15: "the UART (RXD), the sound module",
    18: "I²S (bit clock)",
    19: "I²S (word clock)",
    20: "I²S (data in)",
    21: "I²S (data out)",
}
"""Pins that buttons may not use, and their purpose.

Thirteen pins have no second function: 4, 5, 6, 12, 13, 16, 17 and 22 to 27. A hub has fourteen
buttons, and GPIO7 costs least as the fourteenth: it is SPI's second chip select, and a chain of
pixels uses none. `dtoverlay=spi0-0cs` keeps the kernel from claiming it.
It carries seat 10, the button that is used least.
"""

USABLE = tuple(pin for pin in range(28) if pin not in RESERVED)

STRIP_PINS = {
    10: "SPI",
    12: "PWM",
    13: "PWM",
    18: "PWM",
    21: "PCM",
}
"""Pins that rpi_ws281x can drive; all but GPIO10 need root, and 18 and 21 exclude I²S."""

IDLE_MILLIAMPS = 1.0
"""Current of the controller in each dark pixel."""

LARGEST_CHAIN = 1000
LEAST = {"face": 30, "ring": 1}
"""Minimum pixels of a zone; seats and the train need three to show patterns besides colours."""


OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "buttons": {
        **dict.fromkeys(("pins", "pull", "active_low"), ("gpio",)),
        **dict.fromkeys(("keys", "devices"), ("keys",)),
    },
    "lights": {
        **dict.fromkeys(("pin", "method"), ("neopixel",)),
        **dict.fromkeys(("address", "protocol"), ("wled",)),
    },
    "sound": {
        **dict.fromkeys(("port", "baud"), ("serial",)),
        **dict.fromkeys(("tracks", "numbering", "ack", "names", "retries"), ("serial", "usb")),
        **dict.fromkeys(("gap_s", "answer_s", "startup_s", "stale_s"), ("serial", "usb")),
        **dict.fromkeys(("device", "voice", "synthesizer"), ("alsa",)),
    },
    "docks": dict.fromkeys(("chip", "lines", "pull", "closed_is_home"), ("gpio",)),
}
"""Settings of a port that only some drivers use; all others apply to every driver."""

CHOOSY = ("gpio", "keys", "neopixel", "wled", "serial", "alsa", "usb")
"""Drivers that warn about settings meant for another; the simulator accepts those of any hub."""


def default_pins() -> dict[str, int]:
    """Return the pin of each button on the standard hub."""
    return dict(zip(BUTTONS, (5, 6, 12, 13, 16, 17, 22, 23, 24, 7, 25, 26, 27, 4), strict=True))


def number_pad() -> dict[str, str]:
    """Return the button for each key of a number pad, by the key's name.

    Digits are seats, as they are dialled: 0 is seat 10. The two large keys are the most used
    buttons, minus is undo. NumLock is unused: some pads send it by themselves.
    """
    seats = {f"KP{n % 10}": f"seat-{n}" for n in SEATS}
    return seats | {
        "KPENTER": "advance",
        "KPPLUS": "train",
        "KPASTERISK": "whistle",
        "KPMINUS": "undo",
        "BACKSPACE": "undo",
    }


class ButtonSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The buttons: GPIO pins of a Pi ("gpio", BCM numbers), a USB hub ("usb"), keys of a keyboard,
    number pad or gamepad ("keys"), or the simulator ("sim").

    An empty `driver` means the board's default, as with lights and sound.
    `pull` is the resistor inside the Pi; a button to ground needs "up" and reads low when pressed.
    `active_low` is free only with `pull = "none"`.
    `keys` maps keys to buttons, `devices` selects input devices by part of their names or by ids
    such as "04d9:1203"; without it number pads are used.
    """

    driver: str = ""
    pins: dict[str, int] = msgspec.field(default_factory=default_pins)
    pull: Literal["up", "down", "none"] = "up"
    active_low: bool = True
    keys: dict[str, str] = msgspec.field(default_factory=number_pad)
    devices: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise WiringError for settings that the driver cannot use.

        Without a named driver, the pins are checked.
        """
        if self.driver in ("", "gpio"):
            self._check_pins()
        elif self.driver == "keys":
            _check_buttons("keys", self.keys.values(), "key")
            if "" in self.devices:
                raise WiringError(
                    "[hardware.buttons] devices has an empty name, which matches every keyboard",
                    "write a part of the name of yours, or leave devices out for number pads",
                )

    def _check_pins(self) -> None:
        """Raise WiringError for unusable buttons or pins, or a pull that excludes `active_low`."""
        _check_buttons("pins", self.pins, "pin")
        taken: dict[int, str] = {}
        for button, pin in self.pins.items():
            _check_button_pin(button, pin)
            if pin in taken:
                raise WiringError(
                    f"the buttons {taken[pin]!r} and {button!r} are both on GPIO{pin}",
                    "give one of them a pin of its own in [hardware.buttons.pins]",
                )
            taken[pin] = button
        expected = {"up": True, "down": False}.get(self.pull, self.active_low)
        if self.active_low != expected:
            raise WiringError(
                f'[hardware.buttons] pull = "{self.pull}" means active_low = '
                f"{str(expected).lower()}, not {str(self.active_low).lower()}",
                'change one of the two, or use pull = "none" with resistors of your own',
            )


def _check_buttons(table: str, buttons: Iterable[str], one: str) -> None:
    """Raise WiringError for an unknown button, and if a button other than a seat's is missing.

    `table` is the settings' name, and `one` the word for what a button is given there: a pin or a
    key.
    """
    known = set(buttons)
    for button in known - set(BUTTONS):
        raise WiringError(
            f"[hardware.buttons.{table}] names a button {button!r} that no hub has",
            f"use {', '.join(BUTTONS)}",
        )
    for button in BUTTONS:
        if button not in known and not button.startswith("seat-"):
            raise WiringError(
                f"[hardware.buttons.{table}] has no {button!r}",
                f"every hub needs train, whistle, advance and undo, give it a {one}",
            )


def _check_button_pin(button: str, pin: int) -> None:
    """Raise WiringError if the header lacks GPIO number `pin`, or if that is reserved."""
    free = ", ".join(map(str, USABLE))
    if not 0 <= pin <= 27:
        raise WiringError(
            f"the button {button!r} is on GPIO{pin}, but the header has GPIO0 to GPIO27",
            f"use one of {free}",
        )
    if pin in RESERVED:
        raise WiringError(
            f"the button {button!r} is on GPIO{pin}, which is kept for {RESERVED[pin]}",
            f"use one of {free}",
        )


Method = Literal["auto", "ws281x", "pio", "spi"]
Order = Literal["RGB", "GRB", "RGBW", "GRBW"]


def default_inputs() -> dict[str, int]:
    """Return the input of each dock on a port expander: GPA0 to GPA7, GPB0 and GPB1."""
    return dict(zip(DOCKS, range(len(DOCKS)), strict=True))


class DockSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The docks of the train markers: lines of a GPIO chip ("gpio"), a USB hub ("usb"), the
    simulator ("sim"), or "none".

    `chip` is the label, name or path of the chip: a port expander by its kernel driver, or
    "header", the Pi's own pins. `lines` maps docks to the chip's lines, on the header GPIO (BCM)
    numbers; any seat may be left out. The switch goes to ground and is closed while the marker is
    home, unless `closed_is_home` is false. `pull` is the resistor inside the chip.
    """

    driver: str = ""
    chip: str = "mcp23017"
    lines: dict[str, int] = msgspec.field(default_factory=default_inputs)
    pull: Literal["up", "none"] = "up"
    closed_is_home: bool = True

    def check(self) -> None:
        """Raise WiringError for docks or lines that cannot be; only "gpio" has any to check."""
        if self.driver != "gpio":
            return
        taken: dict[int, str] = {}
        for dock, line in self.lines.items():
            if dock not in DOCKS:
                raise WiringError(
                    f"[hardware.docks.lines] names {dock!r}, which no hub has",
                    f"use {DOCKS[0]} to {DOCKS[-1]}",
                )
            if line in taken:
                raise WiringError(
                    f"{taken[line]!r} and {dock!r} are both on line {line}",
                    "give one of them a line of its own in [hardware.docks.lines]",
                )
            if line < 0:
                raise WiringError(
                    f"{dock!r} is on line {line}, which no chip has", "count the lines from 0"
                )
            if self.on_header and (line > 27 or line in RESERVED):
                kept = RESERVED.get(line, "nothing: the header has GPIO0 to GPIO27")
                raise WiringError(
                    f"{dock!r} is on GPIO{line}, which is kept for {kept}",
                    f"use one of {', '.join(map(str, USABLE))} that no button uses",
                )
            taken[line] = dock
        if not self.lines:
            raise WiringError(
                "[hardware.docks.lines] names no dock", 'name one, or set driver = "none"'
            )

    @property
    def on_header(self) -> bool:
        """True if the docks are on the Pi's own pins."""
        return self.chip == "header"


class LightSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The chain of pixels and its limits.

    Its data line is a Pi's pin ("neopixel"), a USB hub ("usb") or a WLED controller at `address`
    ("wled"); "sim" is the simulator, and "none" is a hub without lights.
    `method` is how a Pi drives its pin. `zones` are runs of pixels (`name`, `start`, `count`) in
    any order. `count` is the length of the chain; 0 means that it ends with its last zone.
    `brightness` is the maximum; the table's setting dims below it. `max_milliamps` is what the
    supply can give to the pixels alone.
    """

    driver: str = ""
    zones: tuple[Zone, ...] = msgspec.field(default_factory=default_zones)
    count: int = 0
    pin: int = 10
    method: Method = "auto"
    address: str = ""
    protocol: Literal["ddp", "dnrgb"] = "ddp"
    order: Order = "GRB"
    gamma: float = 2.2
    brightness: float = 0.8
    max_milliamps: float = 2500.0
    milliamps_per_channel: float = 20.0
    fps: int = 60

    @property
    def pixels(self) -> int:
        """The number of pixels in the chain."""
        return self.count or max((zone.start + zone.count for zone in self.zones), default=0)

    @property
    def channels(self) -> int:
        """The number of bytes per pixel on the wire."""
        return len(self.order)

    def check(self) -> None:
        """Raise WiringError for zones, a chain or limits that cannot work.

        One limit is the current: it must be enough for a chain that is nearly dark.
        """
        self._check_zones()
        self._check_chain()
        _check_range("[hardware.lights] gamma", self.gamma, 1.0, 4.0, "2.2 suits most eyes")
        _check_range("[hardware.lights] brightness", self.brightness, 0.0, 1.0, "1.0 is full")
        _check_range("[hardware.lights] fps", self.fps, 1, 60, "60 is smooth")
        _check_range(
            "[hardware.lights] milliamps_per_channel",
            self.milliamps_per_channel,
            1.0,
            100.0,
            "20 fits a WS2812B",
        )
        least = self.least_milliamps()
        if self.max_milliamps < least:
            raise WiringError(
                f"[hardware.lights] max_milliamps is {self.max_milliamps:g}, but {self.pixels} "
                f"pixels draw {least:.0f} mA at the very least",
                "use a larger power supply",
            )

    def least_milliamps(self) -> float:
        """Return the current of the chain with every channel at its lowest step."""
        step = self.milliamps_per_channel / 255
        return self.pixels * (IDLE_MILLIAMPS + self.channels * step)

    def _check_chain(self) -> None:
        """Raise WiringError for a chain that is too long, or shorter than its zones.

        If a Pi may drive it, also for a pin that the method cannot drive.
        """
        if not 1 <= self.pixels <= LARGEST_CHAIN:
            raise WiringError(
                f"[hardware.lights] describes {self.pixels} pixels, expected 1 to {LARGEST_CHAIN}",
                "set zones and count to the pixels of your chain",
            )
        last = max(self.zones, key=lambda zone: zone.start + zone.count)
        if last.start + last.count > self.pixels:
            raise WiringError(
                f"[hardware.lights] count is {self.count}, but zone {last.name!r} ends at pixel "
                f"{last.start + last.count}",
                "count the pixels of your chain, or move the zone",
            )
        if self.driver not in ("", "neopixel"):
            return
        if self.method in ("auto", "spi") and self.pin != 10:
            raise WiringError(
                f'[hardware.lights] method = "{self.method}" drives GPIO10, not GPIO{self.pin}',
                'set pin = 10, or name the method: "ws281x" up to the Pi 4, "pio" on a Pi 5',
            )
        if self.method == "ws281x" and self.pin not in STRIP_PINS:
            raise WiringError(
                f"[hardware.lights] rpi_ws281x cannot drive GPIO{self.pin}",
                "set pin = 10 (or, as root, 12, 13, 18 or 21)",
            )

    def _check_zones(self) -> None:
        """Raise WiringError for zones that are unknown, doubled, too small, or overlap.

        Also if face, train or ring is missing; a hub may lack seats.
        """
        known = {zone.name for zone in default_zones()}
        seen: set[str] = set()
        for zone in self.zones:
            if zone.name not in known:
                raise WiringError(
                    f"[hardware.lights] zones names {zone.name!r}, which does not exist",
                    "use face, seat-1 to seat-10, train and ring",
                )
            if zone.name in seen:
                raise WiringError(
                    f"[hardware.lights] zone {zone.name!r} is there twice", "remove one of them"
                )
            seen.add(zone.name)
            least = LEAST.get(zone.name, 3)
            if zone.start < 0 or zone.count < least:
                raise WiringError(
                    f"[hardware.lights] zone {zone.name!r} has {zone.count} pixels from pixel "
                    f"{zone.start}",
                    f"it needs at least {least}, from 0 or later"
                    + (" (two halves of 3 × 5)" if zone.name == "face" else ""),
                )
        for name in ("face", "train", "ring"):
            if name not in seen:
                raise WiringError(
                    f"[hardware.lights] zones has no {name!r}", "add it, every hub needs one"
                )
        for before, after in pairwise(sorted(self.zones, key=lambda zone: zone.start)):
            if before.start + before.count > after.start:
                raise WiringError(
                    f"[hardware.lights] zones {before.name!r} and {after.name!r} overlap at pixel "
                    f"{after.start}",
                    f"start {after.name!r} at {before.start + before.count} or later",
                )


class SoundSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sound device: a DFPlayer-class module on a serial port ("serial") or a USB hub ("usb"), a
    sound card ("alsa"), "sim" or "none".

    `port = "auto"` is the UART on the Pi's header. `volume` is the maximum; the table's setting is
    relative to it. `numbering` is how the module finds a track: "name" (`/mp3/0001…`) or "order"
    (the order of copying, for clones that only know that). `ack = false` suits clones that never
    answer. `voice` is a folder of recordings; clips that it lacks are made by the `synthesizer`.
    `names` are those on the module's card, as `centerpiece sounds export --names` wrote them.
    `clips` is the cache of spoken clips; the service keeps it beside the journal.
    """

    driver: str = ""
    volume: float = 0.8
    port: str = "auto"
    baud: int = 9600
    tracks: dict[str, int] = msgspec.field(default_factory=TRACKS.copy)
    numbering: Literal["name", "order"] = "name"
    ack: bool = True
    gap_s: float = 0.1
    answer_s: float = 0.5
    startup_s: float = 3.0
    stale_s: float = 1.0
    retries: int = 2
    device: str = "default"
    voice: str = ""
    synthesizer: str = "espeak-ng"
    names: tuple[str, ...] = ()
    clips: str = ""

    def check(self) -> None:
        """Raise WiringError for numbers out of range, an empty port, or an unknown cue.

        Also for a cue without a track.
        """
        _check_range("[hardware.sound] volume", self.volume, 0.0, 1.0, "1.0 is full")
        _check_port("sound", self.port)
        for name, value, least in (
            ("gap_s", self.gap_s, 0.0),
            ("answer_s", self.answer_s, 0.001),
            ("startup_s", self.startup_s, 0.0),
            ("stale_s", self.stale_s, 0.0),
        ):
            _check_range(f"[hardware.sound] {name}", value, least, 60.0, "leave it out if unsure")
        _check_range("[hardware.sound] retries", self.retries, 0, 10, "2 is enough")
        for cue in self.tracks:
            if cue not in CUES:
                raise WiringError(
                    f"[hardware.sound.tracks] names a cue {cue!r} that no hub plays",
                    f"use {', '.join(CUES)}",
                )
        for cue in CUES:
            if not 1 <= self.tracks.get(cue, 0) <= 2999:
                raise WiringError(
                    f"[hardware.sound.tracks] gives {cue!r} the track "
                    f"{self.tracks.get(cue)}, expected 1 to 2999",
                    "number it as the files on the card, or leave the whole table out",
                )


class UsbSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[hardware.usb]`: the board that the driver "usb" opens.

    `serial` is its serial number, needed if two are plugged in (`centerpiece usb` lists them);
    `port` names a serial port instead.
    """

    port: str = "auto"
    serial: str = ""


class HardwareSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The `[hardware]` part of the configuration."""

    buttons: ButtonSettings = ButtonSettings()
    lights: LightSettings = LightSettings()
    sound: SoundSettings = SoundSettings()
    docks: DockSettings = DockSettings()
    usb: UsbSettings = UsbSettings()

    def check(self) -> None:
        """Raise WiringError for the first setting that cannot be built.

        Also for two parts on one pin or port.
        """
        self.buttons.check()
        self.lights.check()
        self.sound.check()
        self.docks.check()
        _check_port("usb", self.usb.port)
        self._check_cables()
        self._check_docks()
        if self.lights.driver in ("", "neopixel"):
            for name, pins in self._other_pins():
                for pin in pins:
                    self._check_strip_pin(pin, name)

    def unused(self) -> Iterator[WiringError]:
        """Yield a warning for each setting that is not the default and that its driver ignores.

        Also for `[hardware.usb]` if no part uses it. The simulator and "none" take settings of any
        hub.
        """
        for port, options in OPTIONS.items():
            part = getattr(self, port)
            usual = type(part)()
            for name, drivers in options.items():
                if part.driver not in CHOOSY or part.driver in drivers:
                    continue
                if getattr(part, name) != getattr(usual, name):
                    yield _for_another(port, name, part.driver, drivers)
        yield from self._unused_usb()

    def _unused_usb(self) -> Iterator[WiringError]:
        """Yield warnings for a board that no part uses, and for one named by port and serial."""
        chosen = {self.buttons.driver, self.lights.driver, self.sound.driver, self.docks.driver}
        if self.usb != UsbSettings() and not chosen & {"usb", "sim", ""}:
            yield WiringError(
                '[hardware.usb] names a board, but the driver of no part is "usb"',
                'set driver = "usb" for each part on the board, or remove [hardware.usb]',
            )
        if self.usb.port != "auto" and self.usb.serial:
            yield WiringError(
                "[hardware.usb] names both a port and a serial number, and the port is taken",
                "remove one of them",
            )

    def _check_docks(self) -> None:
        """Raise WiringError if a dock on the header has the pin of a button or of the lights.

        Docks elsewhere are not checked.
        """
        if self.docks.driver != "gpio" or not self.docks.on_header:
            return
        buttons = self.buttons.pins if self.buttons.driver in ("", "gpio") else {}
        taken = {pin: f"the button {button!r}" for button, pin in buttons.items()}
        if self.lights.driver in ("", "neopixel"):
            taken[self.lights.pin] = "the data line of the lights"
        for dock, line in self.docks.lines.items():
            if line in taken:
                raise WiringError(
                    f"{dock!r} and {taken[line]} are both on GPIO{line}",
                    "move one of them, or put the docks on a port expander (docs/docks.md)",
                )

    def _check_cables(self) -> None:
        """Raise WiringError if a USB hub and a sound module are set to the same serial port.

        "auto" for both is no such case.
        """
        chosen = {self.buttons.driver, self.lights.driver}
        if "usb" in chosen and self.sound.driver == "serial" and self.usb.port == self.sound.port:
            if self.usb.port == "auto":
                return  # a board is found by its ids, the module is on the header
            raise WiringError(
                f"the USB hub and the sound module are both at {self.usb.port}",
                "give one of them a port of its own, or, for a module on the board, set driver = "
                '"usb" in [hardware.sound]',
            )

    def _other_pins(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield each user of pins other than the lights, as words for a message, with its pins."""
        if self.buttons.driver in ("", "gpio"):
            for button, pin in self.buttons.pins.items():
                yield f"the button {button!r}", (pin,)
        yield "I²C", (2, 3)
        yield "the HAT's ID memory", (0, 1)
        if self.sound.driver in ("", "serial"):
            yield "the sound module's UART", (14, 15)
        if self.sound.driver == "alsa":
            yield "the I²S sound card", (18, 19, 20, 21)

    def _check_strip_pin(self, pin: int, name: str) -> None:
        if pin == self.lights.pin:
            raise WiringError(
                f"the lights and {name} are both on GPIO{pin}",
                "move one of them in [hardware] (GPIO10 is best for the lights)",
            )


def _for_another(port: str, name: str, driver: str, drivers: tuple[str, ...]) -> WiringError:
    fitting = " or ".join(f'"{each}"' for each in drivers)
    return WiringError(
        f'[hardware.{port}] {name} is for the driver {fitting}, but the driver is "{driver}"',
        f"remove {name}, or set driver = {fitting}",
    )


def _check_port(section: str, port: str) -> None:
    if not port:
        raise WiringError(
            f"[hardware.{section}] port is empty",
            "leave it out, or name a serial port such as /dev/ttyACM0",
        )


def _check_range(name: str, value: float, least: float, most: float, hint: str) -> None:
    if not least <= value <= most:
        raise WiringError(f"{name} must be {least:g} to {most:g}, not {value:g}", hint)
