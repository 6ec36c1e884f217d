"""The files of `make case`: templates at full size, parts, and solids that can be printed."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.hub import parts, template
from deploy.hub.__main__ import papers
from deploy.hub.checks import smallest
from deploy.hub.geometry import Hub
from deploy.hub.smaller import settings_for
from hal.ports import BUTTONS

STANDARD = Hub()
DOCS = Path(__file__).parents[3] / "docs" / "build"


def circles(dxf: str) -> list[tuple[str, float, float, float]]:
    words = dxf.split("\n")
    groups = list(zip(words[::2], words[1::2], strict=False))
    found = []
    for at, (code, word) in enumerate(groups):
        if (code, word) == ("0", "CIRCLE"):
            values = dict(groups[at + 1 : at + 5])
            found.append(
                (values["8"], float(values["10"]), float(values["20"]), float(values["40"]))
            )
    return found


def test_the_dxf_has_every_hole_at_full_size() -> None:
    """
    Docks are on a layer of their own, for they are not cut through.
    """
    found = circles(template.dxf(STANDARD))
    large = [(x, y) for layer, x, y, radius in found if layer == "CUT" and radius == 15]

    assert [(round(b.x, 3), round(b.y, 3)) for b in STANDARD.buttons] == large
    assert 10 == sum(layer == "ENGRAVE" for layer, *_ in found)
    assert 14 + 87 + 16 + 10 == len(found)


def test_the_pdf_is_drawn_in_millimetres() -> None:
    """
    One sheet as large as the lid, then A4.
    """
    pdf = template.pdf(STANDARD).decode("ascii")
    sizes = [
        tuple(round(float(points) / 72 * 25.4) for points in pair)
        for pair in re.findall(r"MediaBox \[0 0 (\S+) (\S+)\]", pdf)
    ]

    assert [(326, 326), *[(210, 297)] * 4] == sizes
    assert 5 == pdf.count("2.834646 0 0 2.834646 0 0 cm")
    assert [] == [name for name in BUTTONS if f"({name})" not in pdf]


def test_the_sheets_of_a4_cover_the_whole_lid() -> None:
    """
    Every point of the lid is on a sheet, and those near an edge on two.
    """
    pdf = template.pdf(STANDARD).decode("ascii")
    moves = re.findall(r"1 0 0 1 (\S+) (\S+) cm", pdf)[1:]
    sheets = [(-float(x) + 8, -float(y) + 8, -float(x) + 202, -float(y) + 289) for x, y in moves]
    half = int(STANDARD.across / 2)
    bare = [
        (x, y)
        for x in range(-half, half + 1, 5)
        for y in range(-half, half + 1, 5)
        if not any(left <= x <= right and low <= y <= high for left, low, right, high in sheets)
    ]

    assert [] == bare


def test_a_pdf_finds_its_objects() -> None:
    data = template.pdf(STANDARD)
    start = int(data.rsplit(b"startxref\n", 1)[1].split()[0])
    places = [int(line.split()[0]) for line in data[start:].split(b"\n")[3:] if b" n " in line]

    assert data[start:].startswith(b"xref")
    assert [b"%d 0 obj" % n for n in range(1, len(places) + 1)] == [
        data[place:].split(b"\n", 1)[0] for place in places
    ]


@pytest.mark.parametrize("seats", [4, 10])
def test_the_parts_are_those_of_the_settings(seats: int) -> None:
    hub = Hub(settings_for(seats))
    needs = {need.part: need.number for need in parts.needs(hub)}
    cables = [cable.what for cable in parts.cables(hub)]

    assert seats + 4 == needs["arcade button 30 mm to snap in, normally open"]
    assert seats == needs["magnet 8 × 3 mm"]
    assert [] == [name for name in hub.settings.buttons.pins if name not in cables]


def test_cables_reach() -> None:
    """
    No cable is shorter than the way from its button to its terminal.
    """
    lengths = {cable.what: cable.millimetres for cable in parts.cables(STANDARD)}
    for button in STANDARD.buttons:
        x, y = parts.terminal_at(STANDARD, button.name)

        assert lengths[button.name] > ((button.x - x) ** 2 + (button.y - y) ** 2) ** 0.5


@pytest.mark.parametrize("name", ["parts.md", "board.md", "board.svg"])
def test_the_documents_show_the_standard_hub(name: str) -> None:
    """
    Otherwise: make case ARGS="--docs docs/build", and look at the pictures.
    """
    assert papers(STANDARD)[name] == (DOCS / name).read_text("utf-8")


def test_every_picture_of_the_building_page_is_there() -> None:
    page = (DOCS.parent / "build.md").read_text("utf-8")
    shown = re.findall(r"!\[.+?\]\(build/(\S+)\)", page)

    assert "**Nobody has printed one yet; tell us.**" == page.split("\n")[2]
    assert {path.name for path in DOCS.iterdir() if path.suffix in (".png", ".svg")} == set(shown)


@pytest.mark.long
@pytest.mark.parametrize(("seats", "button"), [(4, 24), (10, 30)])
def test_the_smallest_and_the_largest_hub_can_be_printed(
    seats: int, button: int, tmp_path: Path
) -> None:
    """
    Closed solids, watertight meshes, no supports, on a bed of 220 mm, and nothing collides.
    """
    pytest.importorskip("cadquery", reason="CadQuery is not installed: make case installs it")
    from deploy.hub import solids

    hub = smallest(Hub(settings_for(seats), button=button))
    whole = solids.wholes(hub)
    solids.export(solids.printed(hub, whole), tmp_path)

    assert [] == [found for found in solids.findings(hub, whole, tmp_path) if found.wrong]


@pytest.mark.long
def test_faulty_solids_are_found(tmp_path: Path) -> None:
    """
    A loudspeaker in the wall, a mesh with a hole, and a lid printed upside down.
    """
    cq = pytest.importorskip("cadquery", reason="CadQuery is not installed: make case installs it")
    from deploy.hub import solids

    hub = Hub()
    tray = solids.tray(hub)
    moved = [replace(part, y=part.y - 0.5, bottom=part.bottom - 2) for part in hub.insides]
    object.__setattr__(hub, "insides", tuple(moved))
    clash = solids._clashes(hub, {"tray": tray})
    tray.exportStl(str(tmp_path / "whole.stl"), 0.05, 0.3)
    data = (tmp_path / "whole.stl").read_bytes()
    count = int.from_bytes(data[80:84], "little") - 1
    (tmp_path / "torn.stl").write_bytes(data[:80] + count.to_bytes(4, "little") + data[84:-50])

    assert "tray and carrier board" in clash.wrong
    assert solids.watertight(tmp_path / "whole.stl")
    assert not solids.watertight(tmp_path / "torn.stl")
    assert solids.overhang(tray) < 1
    upside_down = tray.rotate(cq.Vector(), cq.Vector(1, 0, 0), 180)
    assert solids.overhang(upside_down) > 1000
