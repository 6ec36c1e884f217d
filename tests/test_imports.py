"""Imports between folders point one way; a failure names the line that does not.

    text ◀ rules ◀ table ◀ games ◀ panel ◀ display ◀ hub ◀ service ◀ cli ◀ __main__

Storage stands below the hub; web, hall, wifi and reports stand beside the service. `hal` never
imports `centerpiece`; the simulator sees frames, cues and edges, never the game. Late imports,
inside a function, count like all others.
"""

import subprocess
import sys

import pytest

from tools import architecture
from tools.architecture import ROOT, Import, files, imports_in, room_of, rooms

ALL = [imported for path in files() for imported in imports_in(path)]

CORE = ("text", "rules", "table", "games")
INSIDE = (*CORE, "panel", "display", "speech", "storage", "hub")
MAY: dict[str, tuple[str, ...]] = {
    "text": (),
    "locale": (),
    "rules": ("text",),
    "table": ("text", "rules"),
    "games": ("text", "rules", "table"),
    "panel": ("text", "rules", "table", "hal.ports"),
    "display": (*CORE, "panel", "hal.ports"),
    "storage": CORE,
    "speech": ("text", "locale", "rules", "table", "hal.ports"),
    "hub": (*CORE, "panel", "display", "speech", "storage", "hal.ports"),
    "config": ("text", "hub", "panel", "table", "hal.hardware_settings"),
    "service": (
        *(*INSIDE, "config", "hal.ports", "hal.boards", "hal.hardware_settings"),
        *("hal.health", "hal.supervised_thread"),
    ),
    "reports": (*INSIDE, "config"),
    "web": (*INSIDE, "locale", "config", "reports", "service", "hal.ports", "hal.cues"),
    "wifi": ("text", "config", "service", "web"),
    "hall.wire": (*INSIDE,),
    "hall.table": (*INSIDE, "config", "web", "hall.wire", "hal.health", "hal.ports"),
    "hall.server": (*INSIDE, "locale", "config", "reports", "web", "hall.wire"),
}
"""The folders that each folder of `centerpiece` may import; `cli` and `__main__` may import all."""
PURE = ("rules", "table", "games", "panel", "display", "speech")

READERS = ("centerpiece/games/registry.py:",)

IMPURE = ("asyncio", "datetime", "http", "io", "logging", "os", "pathlib", "random", "secrets")
IMPURE += ("select", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile")
IMPURE += ("threading", "time", "urllib", "uuid")
"""What opens, waits, logs, reads a clock or rolls dice."""


def within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def broken(*, by: tuple[str, ...], of: tuple[str, ...], but: tuple[str, ...] = ()) -> list[str]:
    """Return the lines in `by` that import something in `of`, except what is in `but`."""
    return [
        str(imported)
        for imported in ALL
        if within(imported.module, *by)
        and within(imported.target, *of)
        and not within(imported.target, *but)
    ]


def test_the_hub_has_no_thread_and_no_lock() -> None:
    """Waiting for a disk, a device or a network is done outside of it."""
    waiting = ("asyncio", "concurrent", "queue", "select", "socket", "sqlite3", "threading")

    assert [] == broken(by=("centerpiece.hub",), of=waiting)


def test_there_is_something_to_look_at() -> None:
    """The walk finds known imports, so the other tests cannot pass by finding nothing."""
    assert "hub" in rooms()["service"]
    assert len(files()) > 50


def test_in_the_house_itself_are_only_rooms() -> None:
    """At the top are folders, the entry, the settings and the sentences; nothing else."""
    lying = {path.name for path in (ROOT / "centerpiece").iterdir() if path.suffix == ".py"}

    assert {"__init__.py", "__main__.py", "config.py", "text.py"} == lying


@pytest.mark.parametrize("room", MAY)
def test_a_room_opens_only_onto_those_below_it(room: str) -> None:
    """Allowed imports are listed, so that a new dependency is a decision."""
    assert [] == [
        str(imported)
        for imported in ALL
        if room_of(imported.module) == room
        and (target := room_of(imported.target)) is not None
        and target not in (room, *MAY[room])
    ]


def test_every_room_of_the_house_is_on_the_list() -> None:
    house = {room for path in files() if (room := room_of(architecture.module_of(path)))}

    assert {*MAY, "cli", "__main__"} == {r for r in house if r.split(".")[0] not in ("hal", "sim")}


def test_no_room_imports_one_that_imports_it() -> None:
    """So they can be drawn in order, as in ARCHITECTURE.md."""
    page = architecture.PAGE.read_text(encoding="utf-8")

    assert page == architecture.written(page), "run `python tools/architecture.py`"


def test_every_room_is_a_sentence_in_the_architecture() -> None:
    page = architecture.PAGE.read_text(encoding="utf-8")
    folders = {
        path.relative_to(ROOT).as_posix()
        for package in architecture.PACKAGES
        for path in (ROOT / package).rglob("__init__.py")
        for path in [path.parent]
        if not path.relative_to(ROOT).as_posix().startswith("centerpiece/games/")
    }

    assert [] == sorted(folder for folder in folders if f"`{folder}/`" not in page)


def test_the_pure_rooms_open_nothing_wait_for_nothing_and_roll_no_dice() -> None:
    """No clock, file, socket, thread, log or randomness.

    One exception: the registry of games looks for installed packages.
    """
    assert [] == [
        line
        for line in broken(by=tuple(f"centerpiece.{room}" for room in PURE), of=IMPURE)
        if not line.startswith(READERS)
    ]


def test_gestures_are_pure() -> None:
    """Edges in, gestures out: only the shape of an edge comes from outside."""
    gesture = "centerpiece.panel.gesture"
    assert {"collections.abc", "math", "typing", gesture, "hal.ports"} == {
        imported.target for imported in ALL if imported.module == "centerpiece.hub.gestures"
    }


def test_hardware_knows_no_game() -> None:
    """`hal` has edges, frames and cues, and nothing above them."""
    assert [] == broken(by=("hal",), of=("centerpiece", "sim"))


def test_in_the_simulator_only_a_few_know_the_game() -> None:
    """Only virtual people and scripts; a simulated device that looks at the game hides bugs."""
    may = ("sim.people", "sim.script", "sim.aloud", "sim.hands", "sim.dominoes")

    assert [] == [
        str(imported)
        for imported in ALL
        if within(imported.module, "sim")
        and within(imported.target, "centerpiece")
        and not within(imported.module, *may)
    ]


def test_the_dominoes_take_nothing_but_rule_books() -> None:
    """So that a mistake of the hub is not repeated there."""
    assert [] == [
        str(imported)
        for imported in ALL
        if within(imported.module, "sim.dominoes")
        and within(imported.target, "centerpiece")
        and not within(imported.target, "centerpiece.rules")
        and not (
            within(imported.target, "centerpiece.games")
            and imported.target.split(".")[-1] == "rules"
        )
    ]


def test_only_the_command_line_knows_the_simulator() -> None:
    """Adapters are chosen once, by name, when the program starts."""
    assert [] == [
        line
        for line in broken(by=("centerpiece",), of=("sim", "hal.pi", "hal.sound"))
        if not line.startswith("centerpiece/cli/")
    ]


VENDORS = {
    "gpiod": ("hal.pi",),
    "gpiozero": ("hal.pi", "hal.diagnosis"),
    "lgpio": ("hal.pi", "hal.diagnosis"),
    "neopixel": ("hal.pi",),
    "neopixel_spi": ("hal.pi",),
    "adafruit_blinka": ("hal.pi",),
    "board": ("hal.pi",),
    "busio": ("hal.pi",),
    "serial": ("hal.serial_line", "hal.sound", "hal.usb", "hal.diagnosis"),
    "pygame": ("hal.sound", "hal.diagnosis"),
    "redis": ("centerpiece.hall.wire",),
    "starlette": ("centerpiece.web", "centerpiece.hall", "centerpiece.wifi"),
    "uvicorn": ("centerpiece.web",),
    "h11": ("centerpiece.web",),
    "segno": ("centerpiece.web", "centerpiece.reports"),
    "openskill": ("centerpiece.reports",),
}


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_vendors_library_is_known_to_its_adapter_alone(vendor: str) -> None:
    """Replacing a chip and its library changes one folder."""
    assert [] == [
        str(imported)
        for imported in ALL
        if within(imported.target, vendor) and not within(imported.module, *VENDORS[vendor])
    ]


def test_every_library_from_outside_has_an_adapter() -> None:
    """A library that is not listed has not been decided on."""
    known = {*sys.stdlib_module_names, *architecture.PACKAGES, *VENDORS, "msgspec"}

    assert [] == [str(imported) for imported in ALL if imported.target.split(".")[0] not in known]


def test_the_web_stack_is_not_imported_before_the_hub_is_alive() -> None:
    """At first `run` loads no pages, no Redis and nothing else that is slow to load."""
    slow = ("starlette", "uvicorn", "redis", "segno", "openskill", "dataclasses", "http.server")
    code = "import sys, centerpiece.__main__, centerpiece.cli.run; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()

    assert "centerpiece.hub.hub" in loaded
    assert [] == [name for name in loaded if within(name, *slow)]


def _loaded(imported: Import) -> bool:
    return not imported.late and not imported.typing_only


def test_no_module_imports_itself_in_a_circle() -> None:
    """Only imports that run when a module loads count."""
    graph: dict[str, set[str]] = {}
    for imported in ALL:
        if _loaded(imported) and within(imported.target, *architecture.PACKAGES):
            graph.setdefault(imported.module, set()).add(imported.target)

    def reaches(start: str, goal: str, seen: set[str]) -> bool:
        for following in graph.get(start, ()):
            if following == goal:
                return True
            if following not in seen:
                seen.add(following)
                if reaches(following, goal, seen):
                    return True
        return False

    assert [] == [module for module in graph if reaches(module, module, set())]
