"""Contrast of the pages' colours, as WCAG computes it, from the stylesheets."""

import re
from pathlib import Path

import pytest

import centerpiece.web

STATIC = Path(centerpiece.web.__file__).parent / "static"
GROUNDS = ("paper", "card", "gold-ground", "open-ground")
SEATS = tuple(f"seat-{number}" for number in range(1, 11))
WORDS = {
    **dict.fromkeys((*SEATS, "ink"), GROUNDS),
    "quiet": ("paper", "card"),
    "brass": ("paper", "card"),
    "open": ("paper", "card", "open-ground"),
    "gold": ("gold-ground",),
    "red": ("paper", "card", "red-ground"),
    "on-main": ("main",),
}
"""What is written or drawn in a colour, and the grounds that it lies on."""


def colours(rules: str) -> dict[str, str]:
    """Return the colours that rules define, by name."""
    return dict(re.findall(r"--([\w-]+): *(#[0-9a-f]{6})\b", rules))


def themes() -> dict[str, dict[str, str]]:
    """Return the colours by day and by night, of the hub and of the tablet."""
    day, night = (STATIC / "style.css").read_text().split("*, ::before")[0].split("@media")
    hub, tablet = ((STATIC / f"{name}.css").read_text().split("}")[0] for name in ("hub", "table"))
    known = {"day": colours(day), "night": colours(day) | colours(night)}
    return known | {"tablet": known["day"] | colours(tablet), "hub": colours(hub)}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["day", "night", "tablet", "hub"])
def test_words_and_players_stand_out_from_their_ground(theme: str) -> None:
    """Seven to one, which old eyes and poor light need."""
    known = themes()[theme]
    pairs = [(one, ground) for one, grounds in WORDS.items() for ground in grounds]
    faint = [
        f"{one} on {ground}: {contrast(known[one], known[ground]):.1f}"
        for one, ground in pairs
        if {one, ground} <= known.keys() and contrast(known[one], known[ground]) < 7
    ]

    assert [] == faint
    assert set(SEATS) <= known.keys() or theme == "hub"
