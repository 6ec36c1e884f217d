"""Counting rendered photographs with the page's own code, and comparing with the truth."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.photo.photographs import LEVELS, Photograph, photograph

SETS = (6, 9, 12, 15)
MEASURED_FROM = 1_000_000
"""Seeds from here on are measured; those below are for tuning and for the quick tests."""
SEVENS = 2 / 5
"""The part of the hands that has seven tiles; the others have 1 to 15."""

READER = Path(__file__).with_name("read.mjs")


def hand(seed: int, width: int = 1600) -> Photograph:
    """The photograph of a seed: sets and levels in turn, two of five hands with seven tiles."""
    size = SETS[seed % len(SETS)]
    level = tuple(LEVELS)[seed // len(SETS) % len(LEVELS)]
    sevens = seed // (len(SETS) * len(LEVELS)) % 5 < 5 * SEVENS
    return photograph(seed, size, level, 7 if sevens else None, width)


def read(photographs: Iterable[Photograph]) -> Iterator[tuple[Photograph, dict[str, Any]]]:
    """Run the page's code on each image."""
    command = ["node", str(READER)]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader,
    ):
        assert reader.stdin is not None
        assert reader.stdout is not None
        pixels = Path(folder, "pixels")
        for photo in photographs:
            pixels.write_bytes(photo.image.tobytes())
            asked = {
                "pixels": str(pixels),
                "width": photo.image.width,
                "height": photo.image.height,
                "set": photo.set,
            }
            reader.stdin.write(json.dumps(asked).encode() + b"\n")
            reader.stdin.flush()
            yield photo, json.loads(reader.stdout.readline())
        reader.stdin.close()


def compared(photo: Photograph, found: list[dict[str, Any]]) -> Counter[str]:
    """Count a hand's tiles that are `found`, `right`, `doubted`, `silent` (wrong, no warning)."""
    counts = Counter(hands=1)
    left = list(found)
    for tile in photo.tiles:
        here = next((each for each in left if _same_place(tile["corners"], each["quad"])), None)
        if here is not None:
            left.remove(here)
        right = here is not None and sorted(tile["halves"]) == sorted(here["halves"])
        counts["silent"] += here is not None and here["sure"] and not right
        if not tile["cut"]:
            counts["tiles"] += 1
            counts["found"] += here is not None
            counts["right"] += right
            counts["doubted"] += here is not None and not here["sure"]
    counts["strange"] = len(left)
    counts["silent"] += sum(each["sure"] for each in left)
    whole = counts["right"] == counts["tiles"] and not left
    counts["hands right"] = int(whole)
    if len(photo.tiles) == 7:
        counts["sevens"] = 1
        counts["sevens right"] = int(whole)
    return counts


def _same_place(one: list[list[float]], other: list[list[float]]) -> bool:
    """Tell whether the centre of each lies in the other."""
    return _inside(one, _middle(other)) and _inside(other, _middle(one))


def _middle(corners: list[list[float]]) -> tuple[float, float]:
    return sum(x for x, _ in corners) / 4, sum(y for _, y in corners) / 4


def _inside(corners: list[list[float]], point: tuple[float, float]) -> bool:
    turns = [
        (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    return all(turn >= 0 for turn in turns) or all(turn <= 0 for turn in turns)
