"""The kernel's names of keys, without their KEY_ and BTN_.

A key without a name here goes by its number, such as `#563`, so every key of every device can be
a button. A gamepad's cross is an axis with three positions; each of its four directions counts as
a key of its own (`HAT0LEFT`).
"""

import re

_RUNS = {
    1: "ESC 1 2 3 4 5 6 7 8 9 0 MINUS EQUAL BACKSPACE TAB Q W E R T Y U I O P LEFTBRACE RIGHTBRACE "
    "ENTER LEFTCTRL A S D F G H J K L SEMICOLON APOSTROPHE GRAVE LEFTSHIFT BACKSLASH Z X C V B N M "
    "COMMA DOT SLASH RIGHTSHIFT KPASTERISK LEFTALT SPACE CAPSLOCK F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 "
    "NUMLOCK SCROLLLOCK KP7 KP8 KP9 KPMINUS KP4 KP5 KP6 KPPLUS KP1 KP2 KP3 KP0 KPDOT",
    86: "102ND F11 F12",
    96: "KPENTER RIGHTCTRL KPSLASH SYSRQ RIGHTALT",
    102: "HOME UP PAGEUP LEFT RIGHT END DOWN PAGEDOWN INSERT DELETE",
    113: "MUTE VOLUMEDOWN VOLUMEUP POWER KPEQUAL KPPLUSMINUS PAUSE",
    121: "KPCOMMA",
    125: "LEFTMETA RIGHTMETA COMPOSE",
    140: "CALC",
    163: "NEXTSONG PLAYPAUSE PREVIOUSSONG STOPCD",
    179: "KPLEFTPAREN KPRIGHTPAREN",
    183: "F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24",
    288: "TRIGGER THUMB THUMB2 TOP TOP2 PINKIE BASE BASE2 BASE3 BASE4 BASE5 BASE6",
    304: "SOUTH EAST C NORTH WEST Z TL TR TL2 TR2 SELECT START MODE THUMBL THUMBR",
    544: "DPAD_UP DPAD_DOWN DPAD_LEFT DPAD_RIGHT",
}

HATS = range(0x10, 0x18)
"""The axes of up to four crosses, two each: left to right, then up to down."""
_HAT_KEYS = 0x1000


def hat_key(axis: int, forward: bool) -> int:
    """Return the key code for one end of a cross's axis."""
    return _HAT_KEYS + 2 * (axis - HATS.start) + forward


def _named() -> dict[str, int]:
    """Return the code of each key that has a name; the directions of crosses are keys too."""
    codes = {
        name: first + place
        for first, names in _RUNS.items()
        for place, name in enumerate(names.split())
    }
    for axis in HATS:
        ends = ("UP", "DOWN") if (axis - HATS.start) % 2 else ("LEFT", "RIGHT")
        for forward, end in enumerate(ends):
            codes[f"HAT{(axis - HATS.start) // 2}{end}"] = hat_key(axis, bool(forward))
    return codes


_CODES = _named()
_NAMES = {code: name for name, code in _CODES.items()}


def code(name: str) -> int | None:
    """Return the code of a key by its name or number (`#563`); None for an unknown name.

    KEY_ and BTN_ before the name are optional, and so are capitals.
    """
    plain = name.upper().removeprefix("KEY_").removeprefix("BTN_")
    if numbered := re.fullmatch(r"#(\d{1,4})", plain):
        return int(numbered[1])
    return _CODES.get(plain)


def name(code: int) -> str:
    """Return the name of a key as in the config."""
    return _NAMES.get(code, f"#{code}")
