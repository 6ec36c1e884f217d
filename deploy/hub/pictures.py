"""Pictures of the steps of building, rendered from the solids (needs CadQuery, which has VTK)."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import cadquery as cq
from cadquery.occ_impl.assembly import toVTK
from vtkmodules.vtkIOImage import vtkPNGWriter
from vtkmodules.vtkRenderingCore import vtkLight, vtkRenderWindow, vtkWindowToImageFilter

from deploy.hub.geometry import BEZEL, DOCK_DEEP, Hub
from deploy.hub.solids import body, cylinder

WOOD, DARK, OPAL, GREEN, STEEL = "#a87848", "#33302e", "#f5efe2", "#2e6b3c", "#9aa0a6"
COLOURS = {
    "box": "#6b4020",
    "tray": DARK,
    "plate": "#d8d2c8",
    "baffle": DARK,
    "diffuser": OPAL,
    "lid": WOOD,
}
BUTTONS = {"train": "#92bdf2", "whistle": "#f2b632", "advance": "#5fcf7d", "undo": "#ec8b79"}
SEAT = "#e4c894"
SIZE = 900, 640


class Item(NamedTuple):
    shape: cq.Shape
    colour: str
    lifted: float = 0.0


def write(hub: Hub, parts: dict[str, cq.Shape], folder: Path) -> None:
    """Write a picture of each step."""
    folder.mkdir(parents=True, exist_ok=True)
    insides = [
        Item(body(part), _inside(part.name)) for part in hub.insides if "cable" not in part.name
    ]
    box = [Item(parts[name], COLOURS[name]) for name in ("box", "tray")]
    lights = [Item(parts[name], COLOURS[name]) for name in ("plate", "baffle", "diffuser")]
    lid = [Item(parts["lid"], WOOD)]
    raised = {"tray": 40, "plate": 110, "baffle": 140, "diffuser": 170, "lid": 200}
    exploded = [Item(parts[name], COLOURS[name], raised.get(name, 0)) for name in parts]
    exploded += [item._replace(lifted=60) for item in insides]
    exploded += [item._replace(lifted=280) for item in _buttons(hub)]
    strips = [Item(_strip(hub), OPAL)]
    shots = {
        "exploded": (exploded, (1.0, -2.2, 0.7)),
        "drilling": (lid, (0.0, -0.7, 1.6)),
        "lights": ([Item(parts["plate"], COLOURS["plate"]), *strips], (0.0, -0.9, 1.5)),
        "baffle": ([*lights[:2], *strips], (0.0, -0.9, 1.5)),
        "box": ([*box, *insides], (0.3, -1.2, 1.4)),
        "below": ([*lid, *lights, *_buttons(hub)], (0.6, -1.2, -1.1)),
        "closed": ([*box, *lid, *_buttons(hub), *_lit(hub)], (0.5, -1.5, 1.2)),
    }
    for name, (items, eye) in shots.items():
        _shoot(items, eye, folder / f"{name}.png")


def _inside(name: str) -> str:
    return GREEN if name in ("computer", "carrier board") else STEEL


def _buttons(hub: Hub) -> Iterable[Item]:
    for each in hub.buttons:
        colour = BUTTONS.get(each.name, SEAT)
        yield Item(body(replace(each, top=hub.height)), DARK)
        wide = BEZEL[hub.button]
        yield Item(cylinder(each.x, each.y, hub.height, hub.height + 3, wide), colour)
        yield Item(cylinder(each.x, each.y, hub.height + 3, hub.height + 7, wide * 0.7), colour)


def _strip(hub: Hub) -> cq.Shape:
    bottom = hub.pixels[0].bottom + 2
    flat = [body(replace(each, bottom=bottom, top=bottom + 1.5)) for each in hub.pixels]
    return cq.Compound.makeCompound(flat)


def _lit(hub: Hub) -> Iterable[Item]:
    """Yield the lights of a hub in play, as small discs in the windows."""
    shown = {"face": OPAL, "ring": "#ffdf9a", "train": "#00c853"}
    for pixel in hub.pixels:
        disc = cylinder(pixel.x, pixel.y, hub.height, hub.height + 0.2, 8)
        yield Item(disc, shown.get(pixel.name, "#ffe7bd"))
    for dock in hub.dock_places:
        low = hub.height - DOCK_DEEP
        yield Item(cylinder(dock.x, dock.y, low, low + 0.2, dock.diameter), DARK)


def _shoot(items: Iterable[Item], eye: tuple[float, float, float], file: Path) -> None:
    scene = cq.Assembly()
    for item in items:
        at = cq.Location(cq.Vector(0, 0, item.lifted))
        red, green, blue = (int(item.colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
        scene.add(cq.Workplane(item.shape), loc=at, color=cq.Color(red, green, blue, 1))
    renderer = toVTK(scene, tolerance=0.003, angularTolerance=0.2)
    renderer.SetBackground(1, 1, 1)
    lamp = vtkLight()
    lamp.SetPosition(-300, -400, 900 if eye[2] > 0 else -900)
    lamp.SetIntensity(0.5)
    renderer.AddLight(lamp)
    head = vtkLight()
    head.SetLightTypeToHeadlight()
    head.SetIntensity(0.75)
    renderer.AddLight(head)
    window = vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetSize(*SIZE)
    window.SetMultiSamples(8)
    window.AddRenderer(renderer)
    camera = renderer.GetActiveCamera()
    camera.SetFocalPoint(0, 0, 0)
    camera.SetPosition(*(1000 * each for each in eye))
    camera.SetViewUp(0, 0, 1)
    renderer.ResetCamera()
    camera.Zoom(1.2)
    renderer.ResetCameraClippingRange()
    window.Render()
    grab = vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    writer = vtkPNGWriter()
    writer.SetFileName(str(file))
    writer.SetInputConnection(grab.GetOutputPort())
    writer.Write()
