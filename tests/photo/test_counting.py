"""Pips counted from photographs: a few rendered hands, read by the page's own code."""

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from centerpiece.web.static_files import STATIC
from tests.photo.counting import MEASURED_FROM, compared, hand, read
from tests.photo.no_tiles import pictures
from tests.photo.photographs import Photograph, photograph

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

HANDS = ((1001, 1003), pytest.param((1000, 1002), marks=pytest.mark.long))
"""One of each set; a double-9 and a double-15 always."""
PICTURES = (
    ("black", "oak", "form"),
    pytest.param(("noise", "checks", "stone", "page", "animal"), marks=pytest.mark.long),
)
PART, PARTS = 12, 42
"""The hands that `make counting` measures, as many at a time as there are sets and levels."""


def test_a_photograph_is_the_same_for_the_same_seed() -> None:
    """Measurements can be repeated."""
    one, other = hand(5, width=320), hand(5, width=320)

    assert one.truth() == other.truth()
    assert one.image.tobytes() == other.image.tobytes()


def test_what_is_measured_notices_every_kind_of_mistake() -> None:
    """Missing, wrong, doubted, silent, strange: each is told from the others."""
    photo = Photograph(Image.new("RGB", (120, 80)), 6, "easy")
    photo.tiles = [
        {"halves": [1, 2], "corners": [[0, 0], [20, 0], [20, 10], [0, 10]], "cut": False},
        {"halves": [3, 4], "corners": [[40, 0], [60, 0], [60, 10], [40, 10]], "cut": False},
        {"halves": [5, 6], "corners": [[80, 0], [99, 0], [99, 10], [80, 10]], "cut": True},
    ]
    found = [
        {"quad": [[1, 0], [21, 0], [21, 10], [1, 10]], "halves": [2, 1], "sure": False},
        {"quad": [[41, 0], [61, 0], [61, 10], [41, 10]], "halves": [3, 3], "sure": True},
        {"quad": [[0, 50], [20, 50], [20, 60], [0, 60]], "halves": [0, 0], "sure": False},
    ]
    counts = compared(photo, found)

    assert {"tiles": 2, "found": 2, "right": 1, "doubted": 1, "silent": 1, "strange": 1} == {
        key: counts[key] for key in ("tiles", "found", "right", "doubted", "silent", "strange")
    }
    assert 0 == counts["hands right"]
    assert 1 == compared(photo, found[:1])["found"]


@needs_node
@pytest.mark.parametrize("seeds", HANDS)
def test_hands_of_every_set_are_counted(seeds: tuple[int, ...]) -> None:
    """Every tile is found and right, and nothing else is taken for one."""
    for photo, answer in read(hand(seed, width=1200) for seed in seeds):
        counts = compared(photo, answer["tiles"])
        assert counts["tiles"] == counts["right"], (photo.set, photo.level)
        assert 0 == counts["silent"] == counts["strange"], (photo.set, photo.level)


@needs_node
@pytest.mark.parametrize("names", PICTURES)
def test_no_tiles_are_found_where_there_are_none(names: tuple[str, ...]) -> None:
    """Noise, bare tables, letters, boxes, an animal: nothing is made up."""
    every = pictures()
    found = [len(answer["tiles"]) for _, answer in read(every[name] for name in names)]

    assert dict.fromkeys(names, 0) == dict(zip(names, found, strict=True))


def test_every_picture_without_a_tile_is_looked_at() -> None:
    """Some always, the others in the long form."""
    looked_at = [name for part in PICTURES for name in getattr(part, "values", [part])[0]]

    assert sorted(pictures()) == sorted(looked_at)


@needs_node
@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_measured_stays_as_good(part: int) -> None:
    """In every dozen of the hands that nobody tuned on: nine tiles of ten, hardly one silently."""
    counts: Counter[str] = Counter()
    first = MEASURED_FROM + part * PART
    for photo, answer in read(hand(seed) for seed in range(first, first + PART)):
        counts.update(compared(photo, answer["tiles"]))

    assert counts["right"] >= 0.9 * counts["tiles"]
    assert counts["silent"] <= 0.02 * counts["tiles"]


@needs_node
def test_the_parts_of_counting_hold_their_examples() -> None:
    """Choice, plane, bars, polarity, light tables: small examples in the pages' own language."""
    command = ["node", "--test", str(Path(__file__).with_name("counting.test.mjs"))]
    done = subprocess.run(command, capture_output=True, text=True)

    assert 0 == done.returncode, done.stdout


@needs_node
def test_tiles_with_numerals_are_refused() -> None:
    """Nothing is counted, and the reason is told."""
    picture = photograph(2, 9, "fair", 6, width=1200, numerals=True)
    ((_, answer),) = read([picture])

    assert ([], "signs") == (answer["tiles"], answer["why"])


KNOWLEDGE = Path(__file__).with_name("knowledge.mjs")


@needs_node
def test_every_tile_is_there_once() -> None:
    """Doubtful readings give way to tiles that can be; what cannot be is pointed out."""
    done = subprocess.run(["node", str(KNOWLEDGE)], capture_output=True, text=True)

    assert "" == done.stderr
    assert "every tile is there once\n" == done.stdout


@needs_node
@pytest.mark.parametrize(
    ("head", "why"),
    [
        (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00", "null heic"),
        (b"%PDF-1.7 and so on, a document", "null unreadable"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x30\0\0\0\x30\0\x08", "large unreadable"),
        (
            b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\x30\0\x30\0\x03\0\0\0\0\0",
            "large unreadable",
        ),
        (b"", "null unreadable"),
    ],
)
def test_files_that_cannot_be_counted_are_known_by_their_first_bytes(head: bytes, why: str) -> None:
    """A sentence for each kind: HEIC, too large, no picture."""
    script = f"""
      import {{ tooLarge, unreadable }} from "{STATIC}/photo_file.js";
      const file = new Blob([Uint8Array.from({list(head)})]);
      console.log(await tooLarge(file), await unreadable(file));"""
    command = ["node", "--input-type=module", "-e", script]

    assert why == subprocess.run(command, capture_output=True, text=True).stdout.strip()
