"""The colours of the lights."""

Colour = tuple[int, int, int]

DARK: Colour = (0, 0, 0)
WARM: Colour = (255, 180, 100)
DIM: Colour = (64, 45, 25)
BRIGHT: Colour = (255, 220, 170)
"""The brightest warm white."""
WHITE: Colour = (230, 230, 230)
"""Below full brightness, because an echo must still be brighter."""
SOFT_WHITE: Colour = (190, 190, 190)
GREEN: Colour = (0, 200, 60)
GOLD: Colour = (255, 170, 0)
BLUE: Colour = (0, 80, 255)
VIOLET: Colour = (170, 40, 255)
AMBER: Colour = (255, 110, 0)
RED: Colour = (255, 20, 0)

SUITS: tuple[Colour, ...] = (
    (255, 180, 100),  # 0 warm white
    (90, 180, 255),  # 1 sky
    (0, 170, 50),  # 2 green
    (255, 20, 10),  # 3 red
    (150, 70, 10),  # 4 brown
    (0, 60, 255),  # 5 blue
    (255, 200, 0),  # 6 yellow
    (190, 120, 255),  # 7 lilac
    (0, 160, 140),  # 8 teal
    (130, 0, 200),  # 9 purple
    (255, 90, 0),  # 10 orange
    (200, 0, 50),  # 11 crimson
    (200, 210, 220),  # 12 grey-white
    (150, 255, 0),  # 13 lime
    (255, 80, 140),  # 14 rose
    (10, 20, 120),  # 15 navy
)
HIGH_CONTRAST: tuple[Colour, ...] = tuple((255, 255, 255) for _ in SUITS)

SUIT_SETS = {"coloured": SUITS, "high-contrast": HIGH_CONTRAST}
"""The values of the setting `suits`."""


def mixed(colour: Colour, level: float) -> Colour:
    """Return a colour dimmed to a `level` of 0.0 (dark) to 1.0 (unchanged)."""
    red, green, blue = colour
    return round(red * level), round(green * level), round(blue * level)


def brighter(pixels: bytes) -> bytes:
    """Return the pixels half way to white, as the echo of a press."""
    return bytes(value + (255 - value) // 2 for value in pixels)


def game_colour(number: int) -> Colour:
    """Return the colour of a game in the lobby; `number` counts from 1."""
    return SUITS[number % len(SUITS)]
