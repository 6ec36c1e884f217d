"""The sticker below a hub: its drawing, and three QR codes with the same in letters.

They join the hub's own network, open its Wi-Fi setup page, and open the game.
"""

from html import escape
from pathlib import Path

import segno
from segno.helpers import make_wifi_data

from centerpiece.config import NetworkSettings

SETUP_ADDRESS = "http://10.42.0.1:8000/"
"""The fixed address of a network that NetworkManager shares."""
SIDE, GAP, TOP = 200, 30, 70
DRAWING = Path(__file__).parents[1] / "web" / "static" / "icon.svg"


def drawing(network: NetworkSettings, page: str) -> str:
    """Return the sticker with the codes that bring a phone to this table, as SVG of 18 × 6.6 cm.

    `network` is the hub's own Wi-Fi; `page` is the address of the game.
    """
    codes = (
        (
            "1 · Join the hub's Wi-Fi",
            make_wifi_data(network.ssid, network.password, "WPA"),
            (network.ssid, network.password),
        ),
        ("2 · Show it your Wi-Fi", SETUP_ADDRESS, (SETUP_ADDRESS, "only in the hub's Wi-Fi")),
        ("3 · Play", page, (page, "in either Wi-Fi")),
    )
    width = 4 * SIDE + 5 * GAP
    height = TOP + SIDE + 80
    parts = "\n".join(
        _code(title, text, words, GAP + (number + 1) * (SIDE + GAP))
        for number, (title, text, words) in enumerate(codes)
    )
    at = f'<svg x="{GAP}" y="{TOP}" width="{SIDE}" height="{SIDE}" '
    hub = DRAWING.read_text("utf-8").replace("<svg ", at, 1)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" \
width="18cm" height="{18 * height / width:.2f}cm" font-family="sans-serif" text-anchor="middle">
<title>How a phone finds this table</title>
<rect width="{width}" height="{height}" rx="16" fill="#fff" stroke="#222" stroke-width="2"/>
{hub}{parts}
</svg>
"""


def _code(title: str, text: str, words: tuple[str, str], x: int) -> str:
    """Return a QR code of `text` as SVG, with a title above and two lines of words below.

    Its left side is at `x`.
    """
    matrix = segno.make_qr(text, error="m").matrix
    size = SIDE / len(matrix)
    dots = "".join(
        f"M{column} {row}h1v1h-1z"
        for row, line in enumerate(matrix)
        for column, dark in enumerate(line)
        if dark
    )
    middle = x + SIDE / 2
    below = TOP + SIDE
    return f"""<text x="{middle}" y="{TOP - 25}" font-size="18" font-weight="bold">\
{escape(title)}</text>
<path transform="translate({x} {TOP}) scale({size:.4f})" d="{dots}" fill="#000"/>
<text x="{middle}" y="{below + 30}" font-size="15">{escape(words[0])}</text>
<text x="{middle}" y="{below + 52}" font-size="15" font-family="monospace">\
{escape(words[1])}</text>\
"""
