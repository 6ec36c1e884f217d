"""The wiring of a hub as a page and a drawing, both made from its settings.

`python -m hal.pi.wiring docs/` writes `wiring.md` and `wiring.svg`; a test compares the files in
`docs/` with those of the standard hub.
"""

import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

from hal.hardware_settings import IDLE_MILLIAMPS, HardwareSettings
from hal.ports import BUTTONS

HEADER: tuple[int | str, ...] = (
    *("3V3", "5V", 2, "5V", 3, "GND", 4, 14, "GND", 15, 17, 18, 27, "GND", 22, 23, "3V3", 24),
    *(10, "GND", 9, 25, 11, 8, "GND", 7, 0, 1, 5, "GND", 6, 12, 13, "GND", 19, 16, 26, 20),
    *("GND", 21),
)
"""The forty pins from pin 1: a GPIO by its number, or a supply."""

BUSES = {
    0: "HAT ID",
    1: "HAT ID",
    2: "I²C",
    3: "I²C",
    8: "SPI",
    9: "SPI",
    10: "SPI",
    11: "SPI",
    14: "UART",
    15: "UART",
    18: "I²S",
    19: "I²S",
    20: "I²S",
    21: "I²S",
}

PI_MILLIAMPS = 1200
MODULE_MILLIAMPS = 200
FUSE_AMPERES = 5
CAPACITOR = "1000 µF, 6.3 V or more"


def physical(pin: int) -> int:
    """Return the number of a GPIO on the header."""
    return HEADER.index(pin) + 1


def jobs(settings: HardwareSettings) -> dict[int, str]:
    """Return what each GPIO in use is for, by its number."""
    used = {pin: button for button, pin in settings.buttons.pins.items()}
    used[settings.lights.pin] = "lights: data"
    if settings.docks.driver == "gpio":
        lines = settings.docks.lines if settings.docks.on_header else {"I²C: SDA": 2, "I²C: SCL": 3}
        used |= {line: dock for dock, line in lines.items()}
    if settings.sound.driver in ("", "serial"):
        used |= {14: "sound module: its RX", 15: "sound module: its TX"}
    if settings.sound.driver == "alsa":
        used |= {18: "amplifier: BCLK", 19: "amplifier: LRC", 21: "amplifier: DIN"}
    return used


def page(settings: HardwareSettings) -> str:
    """Return the contents of `wiring.md`."""
    return "\n".join(
        (
            "# Wiring",
            "",
            "<!-- made by `python -m hal.pi.wiring docs/`; change the settings, not this page -->",
            "",
            "![The header of the Pi with every wire of the hub](wiring.svg)",
            "",
            *_pins(settings),
            *_parts(settings),
            *_power(settings),
            *_supply(),
            *_shifter(settings),
            *_module(settings),
            *_power_button(),
            *_measure(settings),
            *_system(settings),
            *_order(),
        )
    )


def _pins(settings: HardwareSettings) -> Iterator[str]:
    yield from (
        "## Pins",
        "",
        "Each button sits between its pin and ground; the Pi's own resistor pulls the pin up.",
        "Pins are GPIO (BCM) numbers, with the place on the header beside them.",
        "",
        "| what | GPIO | header pin | remark |",
        "| --- | --- | --- | --- |",
    )
    for button in BUTTONS:
        if (pin := settings.buttons.pins.get(button)) is not None:
            remark = "SPI's second chip select, freed by `dtoverlay=spi0-0cs`" if pin == 7 else ""
            yield f"| {button} | {pin} | {physical(pin)} | {remark} |"
    docks = settings.docks
    if docks.driver == "gpio" and docks.on_header:
        for dock, pin in docks.lines.items():
            yield f"| {dock} | {pin} | {physical(pin)} | a switch to ground, closed by the marker |"
    elif docks.driver == "gpio":
        yield f"| docks: SDA, SCL | 2, 3 | {physical(2)}, {physical(3)} | of the {docks.chip} |"
    pin = settings.lights.pin
    yield f"| lights: data | {pin} | {physical(pin)} | through the level shifter and 330 Ω |"
    if settings.sound.driver in ("", "serial"):
        yield f"| sound module: RX | 14 (TXD) | {physical(14)} | through 1 kΩ, or it hums |"
        yield f"| sound module: TX | 15 (RXD) | {physical(15)} | |"
    yield from (
        "",
        "Thirteen GPIOs have no second job, and a hub has fourteen buttons.",
        "The fourteenth is GPIO7: it is SPI's second chip select, which a chain of pixels never "
        "needs, so UART, SPI, I²C, I²S and the HAT's memory all stay free.",
        "It carries seat 10, the button that is idle most evenings.",
        "",
    )


def _parts(settings: HardwareSettings) -> Iterator[str]:
    lights = settings.lights
    kind = "SK6812 RGBW" if lights.channels == 4 else "WS2812B"
    yield from (
        "## Parts",
        "",
        "| number | part | remark |",
        "| --- | --- | --- |",
        "| 1 | Raspberry Pi Zero 2 W, 3, 4 or 5 | with header and a 16 GB card |",
        f"| {len(settings.buttons.pins)} | arcade buttons, 24 or 30 mm | normally open |",
        f"| {lights.pixels} | {kind} pixels in one chain | {_zones(settings)} |",
        "| 1 | 74AHCT125 level shifter | the Pi speaks 3.3 V, the pixels expect 5 V |",
        "| 1 | capacitor 100 nF | close to the level shifter, from its pin 14 to its pin 7 |",
        "| 1 | resistor 330 Ω | in the data line, at the first pixel |",
        f"| 1 | capacitor {CAPACITOR} | across the supply of the pixels |",
    )
    if settings.sound.driver in ("", "serial"):
        yield "| 1 | DFPlayer Mini, chip YX5200-24SS | with a FAT32 card of 32 GB at most |"
        yield "| 1 | resistor 1 kΩ | in the module's RX line |"
        yield "| 1 | loudspeaker 4 to 8 Ω, 3 W | |"
    if settings.sound.driver == "alsa":
        yield "| 1 | I²S amplifier of the MAX98357A class | with a loudspeaker 4 to 8 Ω, 3 W |"
    if settings.docks.driver == "gpio":
        yield f"| {len(settings.docks.lines)} | reed switches and magnets | docks of the markers |"
        if not settings.docks.on_header:
            yield f"| 1 | {settings.docks.chip.upper()} port expander | for the docks |"
    yield f"| 1 | 5 V supply, {supply_amperes(settings):g} A or more | see below |"
    yield f"| 1 | fuse {FUSE_AMPERES} A, slow, with holder | the first thing behind the supply |"
    yield ""


def _zones(settings: HardwareSettings) -> str:
    seats = [zone for zone in settings.lights.zones if zone.name.startswith("seat-")]
    others = [zone for zone in settings.lights.zones if zone not in seats]
    words = [f"{zone.name} {zone.count}" for zone in others]
    return ", ".join([f"{len(seats)} seats of {seats[0].count}" if seats else "no seats", *words])


def supply_amperes(settings: HardwareSettings) -> float:
    """Return the amperes of the supply to buy: the worst case plus a fifth, in halves."""
    worst = settings.lights.max_milliamps + PI_MILLIAMPS + MODULE_MILLIAMPS
    return -(-worst * 1.2 // 500) / 2


def _power(settings: HardwareSettings) -> Iterator[str]:
    lights = settings.lights
    idle = lights.pixels * IDLE_MILLIAMPS
    white = idle + lights.pixels * lights.channels * lights.milliamps_per_channel
    worst = lights.max_milliamps + PI_MILLIAMPS + MODULE_MILLIAMPS
    yield from (
        "## Power budget",
        "",
        "| what | mA at 5 V |",
        "| --- | --- |",
        f"| {lights.pixels} pixels, dark | {idle:.0f} |",
        f"| {lights.pixels} pixels, all white, without a limit | {white:.0f} |",
        f"| pixels at most (`max_milliamps`) | {lights.max_milliamps:.0f} |",
        f"| Raspberry Pi, busy | {PI_MILLIAMPS} |",
        f"| sound, at its loudest | {MODULE_MILLIAMPS} |",
        f"| **together** | **{worst:.0f}** |",
        "",
        f"A supply of {supply_amperes(settings):g} A has a fifth to spare.",
        "Every frame that would draw more than `max_milliamps` is dimmed as a whole before it is "
        "sent, so set it to what your supply can give, less the Pi and the sound.",
        "The pixels take their 5 V straight from the supply, not through the Pi; "
        "all grounds are joined.",
        "",
    )


def _supply() -> Iterator[str]:
    yield from (
        "## How 5 V gets everywhere",
        "",
        f"Supply, then the fuse ({FUSE_AMPERES} A, slow), then a star: one pair of wires to the "
        "chain's beginning, one to its end, one to the Pi, one to the module.",
        "",
        "| wire | cross-section |",
        "| --- | --- |",
        "| supply, fuse, chain | 0.75 mm² (AWG 18) |",
        "| Pi | 0.5 mm² (AWG 20), or the ribbon cable's pins 2, 4 and all grounds |",
        "| module | 0.2 mm² (AWG 24) |",
        "| buttons, docks, data | 0.14 mm² (AWG 26) |",
        "",
        "The Pi gets its 5 V at the header: **+ at pins 2 and 4, ground at pin 6**, and nothing in "
        "its USB socket meanwhile.",
        "The header has no protection: a wire on the wrong pin ends the Pi.",
        "A Pi 5 cannot ask such a supply what it gives, and takes 3 A for the limit: run `sudo "
        "rpi-eeprom-config --edit` once and add `PSU_MAX_CURRENT=5000`, or it warns and "
        "keeps its USB sockets at 600 mA.",
        "",
    )


def _shifter(settings: HardwareSettings) -> Iterator[str]:
    data = physical(settings.lights.pin)
    yield from (
        "## The level shifter, pin by pin",
        "",
        "74AHCT125, seen from above, the notch on the left: pin 1 is at the lower left, and pins "
        "count counterclockwise.",
        "An enable input that is left open makes the lights flicker.",
        "",
        "| pin | name | goes to |",
        "| --- | --- | --- |",
        "| 1 | 1OE, enable of the first gate | ground: the gate is on |",
        f"| 2 | 1A, input | header pin {data} (GPIO{settings.lights.pin}) |",
        "| 3 | 1Y, output | 330 Ω, then DIN of the first pixel |",
        "| 4, 10, 13 | enable of the other gates | ground |",
        "| 5, 9, 12 | inputs of the other gates | ground |",
        "| 6, 8, 11 | outputs of the other gates | nothing |",
        "| 7 | GND | ground |",
        "| 14 | VCC | 5 V, and 100 nF to pin 7, as short as can be |",
        "",
        "It must be an AH**CT** or H**CT**: an HC125 takes 3.3 V for nothing.",
        "",
    )


def _module(settings: HardwareSettings) -> Iterator[str]:
    if settings.sound.driver not in ("", "serial"):
        return
    yield from (
        "## The sound module, pin by pin",
        "",
        "Seen from above, the notch at the top: pin 1 is at the upper left, pin 8 below it.",
        "",
        "| pin | name | goes to |",
        "| --- | --- | --- |",
        "| 1 | VCC | 5 V |",
        f"| 2 | RX | 1 kΩ, then header pin {physical(14)} (GPIO14) |",
        f"| 3 | TX | header pin {physical(15)} (GPIO15) |",
        "| 6 | SPK1 | loudspeaker |",
        "| 7 | GND | ground |",
        "| 8 | SPK2 | loudspeaker, and never ground |",
        "",
        "Known to be good: DFRobot's DFPlayer Mini, marked YX5200-24SS.",
        "Clones marked MH2024K answer late, which the hub bears with; of those marked GD3200B some "
        'play in another order (`numbering = "order"`), and some do not talk on the serial '
        "line at all: no setting helps, take another one.",
        "",
    )


def _power_button() -> Iterator[str]:
    yield from (
        "## The power button",
        "",
        f"A push button from GPIO3 (header pin {physical(3)}) to ground switches a halted Pi up to "
        "the 4 on again, without pulling the plug; the Pi does this by itself, with no setting.",
        "It does not switch off: hold `advance` and `undo` for five seconds.",
        "A Pi 5 has a button of its own; a second one goes to the two holes marked J2.",
        "GPIO3 is also I²C's clock: pressing it while the hub runs delays a port expander's "
        "answers until it is let go, and does no harm.",
        "",
    )


def _measure(settings: HardwareSettings) -> Iterator[str]:
    yield from (
        "## Before the first power-on",
        "",
        "With a multimeter; Pi and module are not plugged in yet, the supply is off.",
        "",
        "| measure | should be |",
        "| --- | --- |",
        "| 5 V against ground, at the chain | more than 1 kΩ after some seconds |",
        "| header pin 2 against pins 1, 3, 6 and 8 | no connection |",
        "| each button's pin against ground | no connection; pressed, less than 5 Ω |",
        "| each button's pin against those beside it | no connection |",
        "| level shifter: pins 1, 4, 10, 13 against ground | less than 1 Ω |",
        "| SPK1 and SPK2 against ground | no connection |",
        "",
        "Now the supply on, still without Pi and module:",
        "",
        "| measure | should be |",
        "| --- | --- |",
        "| header pin 2 against pin 6 | +4.9 to +5.2 V: with a minus the poles are swapped |",
        "| both ends of the chain | the same, within 0.1 V |",
        "| header pin 1, and every button's pin | 0 V |",
        "",
        "Supply off, Pi in, supply on; last the module.",
        "With all lights on (`centerpiece doctor --lights`), the far end of the chain keeps 4.5 V; "
        "with less, feed it there as well, or lower `max_milliamps` "
        f"({settings.lights.max_milliamps:.0f}).",
        "",
    )


def _system(settings: HardwareSettings) -> Iterator[str]:
    yield from (
        "## Settings of the Pi",
        "",
        "In `/boot/firmware/config.txt`:",
        "",
        "```",
        "# SPI for the lights; no chip select is claimed, so GPIO7 is free for seat 10",
        "dtoverlay=spi0-0cs",
        "# the UART for the sound module",
        "enable_uart=1",
        "",
        "# a steady clock for SPI, and the steady UART on the header",
        "[pi3]",
        "core_freq=250",
        "dtoverlay=disable-bt",
        "[pi02]",
        "core_freq=250",
        "dtoverlay=disable-bt",
        "[pi4]",
        "core_freq=500",
        "core_freq_min=500",
        "dtoverlay=disable-bt",
        "[pi5]",
        "dtparam=uart0=on",
        "[all]",
        "```",
        "",
        "Take `console=serial0,115200` out of `/boot/firmware/cmdline.txt`, and add the user to "
        "the groups `gpio`, `spi`, `dialout` and `audio`.",
        "With an I²S amplifier instead of the module: `dtoverlay=max98357a,no-sdmode`; "
        "its default mute pin is GPIO4, which is a button here.",
        "Docks for the train markers are an option: [docks.md](docks.md).",
        "",
    )


def _order() -> Iterator[str]:
    yield from (
        "## In which order",
        "",
        "1. Supply, ground and the Pi alone: it starts.",
        "2. The chain: `centerpiece doctor --lights` shows each zone.",
        "3. The buttons: `centerpiece doctor --buttons` asks for each in turn.",
        "4. The sound: `centerpiece sounds export DIR`, copy the folder to the card, then "
        "`centerpiece doctor --sound`.",
        "5. `centerpiece doctor` judges the rest.",
        "",
        "The log names the driver of the lights that was chosen for the board.",
        'Should the chain stay dark with it, `method = "spi"` in `[hardware.lights]` takes another '
        "way over the same wire.",
        "",
    )


# The drawing

ROW, TOP, MIDDLE, WIDTH = 26, 70, 360, 720
COLOURS = {
    "button": "#2e7d32",
    "lights": "#b26a00",
    "sound": "#1565c0",
    "bus": "#757575",
    "5V": "#c62828",
    "3V3": "#ad5c00",
    "GND": "#212121",
}


def drawing(settings: HardwareSettings) -> str:
    """Return `wiring.svg`: the header from above, pin 1 at the top left."""
    used = jobs(settings)
    height = TOP + 20 * ROW + 40
    rows = "\n".join(_pin(number, what, used) for number, what in enumerate(HEADER, start=1))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" \
font-family="sans-serif" font-size="14" role="img">
<title>The header of the Raspberry Pi and every wire of the hub</title>
<style>text {{ fill: #212121 }} @media (prefers-color-scheme: dark) {{ text {{ fill: #eee }} \
.board {{ fill: #1b3a1d }} }}</style>
<text x="{MIDDLE}" y="30" text-anchor="middle" font-size="18" font-weight="bold">\
The hub on the Pi's header</text>
<text x="{MIDDLE}" y="50" text-anchor="middle">seen from above, the card at the top; \
every button goes from its pin to any GND</text>
<rect class="board" x="{MIDDLE - 30}" y="{TOP - 6}" width="60" height="{20 * ROW + 4}" rx="6" \
fill="#dcedc8" stroke="#33691e"/>
{rows}
</svg>
"""


def _pin(number: int, what: int | str, used: dict[int, str]) -> str:
    """Return pin `number` of the header as SVG, with its label, and a line to it if it is wired.

    `what` is its GPIO number or its fixed purpose; `used` are the purposes of the GPIOs in use.
    """
    left = number % 2 == 1
    side = -1 if left else 1
    x, y = MIDDLE + side * 14, TOP + (number - 1) // 2 * ROW + 12
    colour, label, wired = _look(what, used)
    end = x + side * (80 if wired else 24)
    anchor = "end" if left else "start"
    line = (
        f'<line x1="{x}" y1="{y}" x2="{end}" y2="{y}" stroke="{colour}" stroke-width="3"/>'
        if wired
        else ""
    )
    weight = ' font-weight="bold"' if wired else ' opacity="0.7"'
    return (
        f'{line}<circle cx="{x}" cy="{y}" r="8" fill="{colour}"/>'
        f'<text x="{x}" y="{y + 3}" text-anchor="middle" font-size="9" style="fill:#fff">'
        f"{number}</text>"
        f'<text x="{end + side * 8}" y="{y + 5}" text-anchor="{anchor}"{weight}>'
        f"{escape(label)}</text>"
    )


def _look(what: int | str, used: dict[int, str]) -> tuple[str, str, bool]:
    """Return the colour and label of a pin, and whether a wire of the hub goes there.

    `what` is its GPIO number or its fixed purpose; `used` are the purposes of the GPIOs in use.
    """
    if isinstance(what, str):
        return COLOURS[what], what, False
    if what not in used:
        return COLOURS["bus"], f"GPIO{what} {BUSES.get(what, 'free')}", False
    job = used[what]
    part = {"lights": "lights", "sound module": "sound", "amplifier": "sound"}
    return COLOURS[part.get(job.partition(":")[0], "button")], f"{job} · GPIO{what}", True


def main(arguments: list[str]) -> None:
    """Write page and drawing of the standard hub into the folder `arguments[0]`, or `docs`."""
    folder = Path(arguments[0] if arguments else "docs")
    settings = HardwareSettings()
    (folder / "wiring.md").write_text(page(settings), "utf-8")
    (folder / "wiring.svg").write_text(drawing(settings), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
