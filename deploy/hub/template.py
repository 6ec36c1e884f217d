"""The drilling template of the lid: PDF at 1 : 1, on one sheet and on A4, and DXF for a laser."""

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from deploy.hub.geometry import M3, WINDOW, Hub, Point

POINTS = 72 / 25.4
A4, MARGIN, OVERLAP = (210.0, 297.0), 8.0, 10.0


class Hole(NamedTuple):
    """A circle to drill; one that is engraved only is a dock."""

    x: float
    y: float
    diameter: float
    label: str = ""
    engraved: bool = False


def holes(hub: Hub) -> Iterator[Hole]:
    """Yield every hole of the lid."""
    for each in hub.buttons:
        yield Hole(each.x, each.y, each.diameter, each.name)
    for pixel in hub.pixels:
        yield Hole(pixel.x, pixel.y, WINDOW)
    for screw in (*hub.lid_screws, *hub.light_screws):
        yield Hole(screw.x, screw.y, M3)
    for dock in hub.dock_places:
        yield Hole(dock.x, dock.y, dock.diameter, dock.name, engraved=True)


def dxf(hub: Hub) -> str:
    """Return the lid as DXF (R12, millimetres): what is cut and what is engraved are two layers."""
    words: list[object] = [0, "SECTION", 2, "ENTITIES"]
    words += [0, "POLYLINE", 8, "CUT", 66, 1, 70, 1]
    for x, y in hub.outline():
        words += [0, "VERTEX", 8, "CUT", 10, f"{x:.3f}", 20, f"{y:.3f}"]
    words += [0, "SEQEND"]
    for hole in holes(hub):
        layer = "ENGRAVE" if hole.engraved else "CUT"
        words += [0, "CIRCLE", 8, layer, 10, f"{hole.x:.3f}", 20, f"{hole.y:.3f}"]
        words += [40, f"{hole.diameter / 2:.3f}"]
    words += [0, "ENDSEC", 0, "EOF"]
    return "\n".join(map(str, words)) + "\n"


def pdf(hub: Hub) -> bytes:
    """Return the template as PDF: first the whole lid, then the same on sheets of A4."""
    drawing = "\n".join(_drawing(hub))
    whole = hub.across + 2 * MARGIN
    pages = [_page(drawing, (whole, whole), (-whole / 2, -whole / 2), 0)]
    step = A4[0] - 2 * MARGIN - OVERLAP, A4[1] - 2 * MARGIN - OVERLAP
    across, down = (ceil((hub.across - OVERLAP) / each) for each in step)
    for row in range(down):
        for column in range(across):
            left = -across * step[0] / 2 + column * step[0] - MARGIN - OVERLAP / 2
            low = down * step[1] / 2 - (row + 1) * step[1] - MARGIN - OVERLAP / 2
            pages.append(_page(drawing, A4, (left, low), MARGIN))
    return _file(pages)


def _drawing(hub: Hub) -> Iterator[str]:
    yield "0.2 w"
    corners = [f"{u:.3f} {v:.3f}" for u, v in hub.outline()]
    yield f"{corners[0]} m {' '.join(f'{corner} l' for corner in corners[1:])} s"
    yield "0.1 w"
    for hole in holes(hub):
        yield "[2 1] 0 d" if hole.engraved else "[] 0 d"
        yield _circle(hole.x, hole.y, hole.diameter / 2)
        yield "[] 0 d"
        arm = min(5.0, hole.diameter / 4)
        yield _line(hole.x - arm, hole.y, hole.x + arm, hole.y)
        yield _line(hole.x, hole.y - arm, hole.x, hole.y + arm)
        if hole.label:
            size = "2 mm deep" if hole.engraved else f"{hole.diameter:g} mm"
            yield _text(hole.x - 0.65 * len(hole.label), hole.y + 3, hole.label)
            yield _text(hole.x - 0.65 * len(size), hole.y - 5, size)
    # Crosses to lay sheets over each other, and a line to measure.
    for x in range(-150, 151, 50):
        for y in range(-150, 151, 50):
            yield _line(x - 2, y, x + 2, y)
            yield _line(x, y - 2, x, y + 2)
    yield _line(-50, 30, 50, 30)
    yield _text(-20, 31, "100 mm: measure this line before you drill")


def _page(drawing: str, size: Point, corner: Point, margin: float) -> tuple[Point, str]:
    clip = f"{margin} {margin} {size[0] - 2 * margin} {size[1] - 2 * margin} re W n"
    move = f"1 0 0 1 {-corner[0]:.3f} {-corner[1]:.3f} cm"
    return size, f"{POINTS:.6f} 0 0 {POINTS:.6f} 0 0 cm\n{clip}\n{move}\n{drawing}"


def _line(x: float, y: float, u: float, v: float) -> str:
    return f"{x:.3f} {y:.3f} m {u:.3f} {v:.3f} l S"


def _circle(x: float, y: float, radius: float) -> str:
    k = 0.552285 * radius
    r = radius
    curves = (
        (r, k, k, r, 0, r),
        (-k, r, -r, k, -r, 0),
        (-r, -k, -k, -r, 0, -r),
        (k, -r, r, -k, r, 0),
    )
    path = [f"{x + r:.3f} {y:.3f} m"]
    for a, b, c, d, e, f in curves:
        path.append(f"{x + a:.3f} {y + b:.3f} {x + c:.3f} {y + d:.3f} {x + e:.3f} {y + f:.3f} c")
    return " ".join(path) + " s"


def _text(x: float, y: float, words: str) -> str:
    return f"BT /F1 2.6 Tf {x:.3f} {y:.3f} Td ({words}) Tj ET"


def _file(pages: list[tuple[Point, str]]) -> bytes:
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, ((wide, tall), content) in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {wide * POINTS:.2f} {tall * POINTS:.2f}]"
            f" /Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    out, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\n"
    return (out + f"startxref\n{out.rindex('xref')}\n%%EOF\n").encode("ascii")
