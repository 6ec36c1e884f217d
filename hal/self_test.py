"""The self-test of a newly built hub: lights, whistle and buttons, without a keyboard or a screen.

It uses the ports only, so it works on any backend.
"""

import queue
from collections.abc import Callable, Iterable, Sequence

from hal.ports import Board, Edge, Zone
from hal.wiring_test import light_steps

STEP_S = 0.6
LOOK_S = 0.1
FIRST_PRESS_S, NEXT_PRESS_S = 10.0, 20.0
MISSING_S = 5.0
AMBER, GREEN, RED = b"\xb0\x60\x00", b"\x00\xa0\x30", b"\xc0\x00\x00"
RING = ("whistle", "advance", "undo")
"""Buttons without lights of their own: each has a third of the ring."""


def run(
    board: Board, zones: Sequence[Zone], buttons: Iterable[str], pause: Callable[[float], object]
) -> dict[str, bool]:
    """Show all lights, whistle, wait for every button; return for each whether it was heard.

    A button is amber until it is pressed, then green; if some were heard, the others are red at the
    end. The wait ends when all are heard, after `FIRST_PRESS_S` without any press, or
    `NEXT_PRESS_S` after the last one. `pause` waits for some seconds.
    """
    edges: queue.SimpleQueue[Edge] = queue.SimpleQueue()
    board.buttons.listen(edges.put)
    for _ in light_steps(board.lights, tuple(zones)):
        pause(STEP_S)
    board.sound.play("whistle")
    heard = dict.fromkeys(buttons, False)
    left = FIRST_PRESS_S
    while left > 0 and not all(heard.values()):
        board.lights.show(_frame(board.lights.count, zones, heard, AMBER))
        pause(LOOK_S)
        left -= LOOK_S
        while not edges.empty():
            edge = edges.get()
            if edge.down and edge.button in heard:
                heard[edge.button] = True
                left = NEXT_PRESS_S
    if any(heard.values()):
        board.sound.play("finish" if all(heard.values()) else "refused")
        board.lights.show(_frame(board.lights.count, zones, heard, RED))
        pause(MISSING_S)
    board.lights.show(bytes(3 * board.lights.count))
    return heard


def sentence(heard: dict[str, bool]) -> str:
    """Return a sentence on the buttons that were not heard, or on all if none is missing."""
    missing = [button for button, was in heard.items() if not was]
    if not missing:
        return "Every button was heard."
    if len(missing) == len(heard):
        return "No button was pressed."
    return f"Not heard: {', '.join(missing)}. `centerpiece doctor --buttons` says which wire it is."


def _frame(count: int, zones: Sequence[Zone], heard: dict[str, bool], missing: bytes) -> bytes:
    """Return a frame in which the buttons heard are green and the others have the colour `missing`.

    `count` is the length of the chain. Zones without a button are dark.
    """
    frame = bytearray(3 * count)
    for zone in zones:
        parts = RING if zone.name == "ring" else (zone.name,)
        for part, button in enumerate(parts):
            if button in heard:
                first = zone.start + zone.count * part // len(parts)
                last = zone.start + zone.count * (part + 1) // len(parts)
                colour = GREEN if heard[button] else missing
                frame[3 * first : 3 * last] = colour * (last - first)
    return bytes(frame)
