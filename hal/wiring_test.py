"""Step-by-step tests of a new wiring: each step shows or plays something and says what to expect.

The steps use the ports only, so they work on any backend.
"""

from collections.abc import Iterator

from hal.ports import CUES, Edge, Lights, Sound, Zone

RED, GREEN, BLUE, WHITE = b"\x80\0\0", b"\0\x80\0", b"\0\0\x80", b"\x80\x80\x80"


def light_steps(lights: Lights, zones: tuple[Zone, ...]) -> Iterator[str]:
    """Show plain colours, the ends of the chain, then each zone; yield what to expect of each.

    The chain shows a step until the next is asked for, and is dark after the last one.
    """
    colours = {"red": RED, "green": GREEN, "blue": BLUE}
    for name, colour in colours.items():
        lights.show(colour * lights.count)
        yield (
            f"Every pixel is {name}. If the colour is another one, change `order` in "
            "[hardware.lights]; if pixels stay dark, the chain is broken before the first dark one."
        )
    lights.show(WHITE + bytes(3 * (lights.count - 2)) + WHITE if lights.count > 1 else WHITE)
    yield (
        f"Only the first and the last pixel ({lights.count}) are lit. If the last one is dark, "
        "the chain is shorter than the config says."
    )
    for zone in zones:
        frame = bytearray(3 * lights.count)
        first = 3 * zone.start
        frame[first : first + 3 * zone.count] = RED + WHITE * (zone.count - 1)
        lights.show(bytes(frame))
        yield (
            f"{zone.name}: {zone.count} pixels are lit, its first one red. If they are elsewhere, "
            f"correct its line in `zones` (now start = {zone.start}, count = {zone.count})."
        )
    lights.show(bytes(3 * lights.count))


def button_steps(pins: dict[str, int], edges: Iterator[Edge]) -> Iterator[str]:
    """Yield a request to press each button in turn, then a last sentence.

    It waits in `edges`, where a press is taken. A wrong button yields what to swap, and the same
    request again. `pins` are the GPIO numbers of the buttons.
    """
    heard = ""
    for button, pin in pins.items():
        ask = f"Press {button} (GPIO{pin})."
        yield heard + ask
        for edge in edges:
            if edge.down and edge.button == button:
                break
            if edge.down:
                yield (
                    f"That was {edge.button} (GPIO{pins[edge.button]}), not {button}: swap the "
                    f"two wires, or the two pins in [hardware.buttons.pins]. {ask}"
                )
        heard = f"{button} is right. "
    yield f"{heard}Every button is where it should be."


def sound_steps(sound: Sound, tracks: dict[str, int]) -> Iterator[str]:
    """Play every cue, in the order of `tracks`, its number by cue; yield what each should be."""
    for cue in sorted(CUES, key=lambda cue: tracks[cue]):
        sound.play(cue)
        yield (
            f"This is {cue} (track {tracks[cue]}). If it is another cue, the card was not copied "
            'in order: format it and copy again, or set numbering = "name".'
        )
