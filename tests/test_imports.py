"""The picture of the rooms: imports point one way, and this says which line broke it.

    text ◀ rules ◀ table ◀ games ◀ panel ◀ display ◀ hub ◀ service ◀ cli ◀ __main__

Storage stands below the hub; web, hall, wifi and reports stand beside the service.
`hal` never imports `centerpiece`; the simulator sees frames, cues and edges, never the game.
Late imports, inside a function, count like all others.
"""

import subprocess
import sys

import pytest

from tools import architecture
from tools.architecture import ROOT, Import, files, imports_in, room_of, rooms

ALL = [found for path in files() for found in imports_in(path)]

CORE = ("text", "rules", "table", "games")
INSIDE = (*CORE, "panel", "display", "speech", "storage", "hub")
MAY: dict[str, tuple[str, ...]] = {
    "text": (),
    "rules": ("text",),
    "table": ("text", "rules"),
    "games": ("text", "rules", "table"),
    "panel": ("text", "rules", "table", "hal.ports"),
    "display": (*CORE, "panel", "hal.ports"),
    "storage": CORE,
    "speech": ("text", "rules", "table", "hal.ports"),
    "hub": (*CORE, "panel", "display", "speech", "storage", "hal.ports"),
    "config": ("text", "hub", "panel", "table", "hal.settings"),
    "service": (*INSIDE, "config", "hal.ports", "hal.boards", "hal.settings"),
    "reports": (*INSIDE, "config"),
    "web": (*INSIDE, "config", "reports", "service", "hal.ports", "hal.cues"),
    "wifi": ("text", "config", "service", "web"),
    "hall.wire": (*INSIDE,),
    "hall.table": (*INSIDE, "config", "web", "hall.wire", "hal.health", "hal.ports"),
    "hall.server": (*INSIDE, "config", "reports", "web", "hall.wire"),
}
"""What a room of `centerpiece` may import. `cli` may import everything, `__main__` too."""
PURE = ("rules", "table", "games", "panel", "display", "speech")

READERS = ("centerpiece/games/registry.py:", "centerpiece/speech/languages.py:")

IMPURE = ("asyncio", "datetime", "http", "io", "logging", "os", "pathlib", "random", "secrets")
IMPURE += ("select", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile")
IMPURE += ("threading", "time", "urllib", "uuid")
"""What opens, waits, logs, reads a clock or rolls dice."""


def within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def broken(*, by: tuple[str, ...], of: tuple[str, ...], but: tuple[str, ...] = ()) -> list[str]:
    """The lines in `by` that import something in `of`, other than what is in `but`."""
    return [
        str(found)
        for found in ALL
        if within(found.module, *by)
        and within(found.target, *of)
        and not within(found.target, *but)
    ]


def test_the_hub_has_no_thread_and_no_lock() -> None:
    """Whatever waits for a disk, a device or a network does so outside of it."""
    waiting = ("asyncio", "concurrent", "queue", "select", "socket", "sqlite3", "threading")

    assert [] == broken(by=("centerpiece.hub",), of=waiting)


def test_there_is_something_to_look_at() -> None:
    """The walk finds the imports it should: a test that sees nothing proves nothing."""
    assert "hub" in rooms()["service"]
    assert len(files()) > 50


def test_in_the_house_itself_are_only_rooms() -> None:
    """A newcomer finds folders, the entry, the settings and the sentences; nothing else."""
    lying = {path.name for path in (ROOT / "centerpiece").iterdir() if path.suffix == ".py"}

    assert {"__init__.py", "__main__.py", "config.py", "text.py"} == lying


@pytest.mark.parametrize("room", MAY)
def test_a_room_opens_only_onto_those_below_it(room: str) -> None:
    """What a room may import is listed, so that a new door is a decision."""
    assert [] == [
        str(found)
        for found in ALL
        if room_of(found.module) == room
        and (target := room_of(found.target)) is not None
        and target not in (room, *MAY[room])
    ]


def test_every_room_of_the_house_is_on_the_list() -> None:
    """A new folder says what it may import."""
    house = {room for path in files() if (room := room_of(architecture.module_of(path)))}

    assert {*MAY, "cli", "__main__"} == {r for r in house if r.split(".")[0] not in ("hal", "sim")}


def test_no_room_imports_one_that_imports_it() -> None:
    """The picture can be drawn from the ground up, and is drawn so in ARCHITECTURE.md."""
    page = architecture.PAGE.read_text(encoding="utf-8")

    assert page == architecture.written(page), "run `python tools/architecture.py`"


def test_every_room_is_a_sentence_in_the_architecture() -> None:
    """Nobody has to open a folder to learn what is in it."""
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
    """No clock, no file, no socket, no thread, no log, no chance.

    Only the map of the games looks what others have installed, and phrases are read from files.
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
        found.target for found in ALL if found.module == "centerpiece.hub.gestures"
    }


def test_hardware_knows_no_game() -> None:
    """`hal` speaks of edges, frames and cues, and of nothing above them."""
    assert [] == broken(by=("hal",), of=("centerpiece", "sim"))


def test_in_the_simulator_only_a_few_know_the_game() -> None:
    """Those who play the people, and the scripts; a fake that peeks hides bugs."""
    may = ("sim.people", "sim.script", "sim.aloud", "sim.hands", "sim.dominoes")

    assert [] == [
        str(found)
        for found in ALL
        if within(found.module, "sim")
        and within(found.target, "centerpiece")
        and not within(found.module, *may)
    ]


def test_the_dominoes_take_nothing_but_rule_books() -> None:
    """So that a mistake of the hub cannot hide behind the same mistake there."""
    assert [] == [
        str(found)
        for found in ALL
        if within(found.module, "sim.dominoes")
        and within(found.target, "centerpiece")
        and not within(found.target, "centerpiece.rules")
        and not (
            within(found.target, "centerpiece.games") and found.target.split(".")[-1] == "rules"
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
    "gpiozero": ("hal.pi", "hal.doctor"),
    "lgpio": ("hal.pi", "hal.doctor"),
    "neopixel": ("hal.pi",),
    "neopixel_spi": ("hal.pi",),
    "adafruit_blinka": ("hal.pi",),
    "board": ("hal.pi",),
    "busio": ("hal.pi",),
    "serial": ("hal.serial_line", "hal.sound", "hal.usb", "hal.doctor"),
    "pygame": ("hal.sound", "hal.doctor"),
    "redis": ("centerpiece.hall.wire",),
    "starlette": ("centerpiece.web", "centerpiece.hall", "centerpiece.wifi"),
    "uvicorn": ("centerpiece.web",),
    "h11": ("centerpiece.web",),
    "segno": ("centerpiece.web", "centerpiece.reports"),
}


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_vendors_library_is_known_to_its_adapter_alone(vendor: str) -> None:
    """Another chip, another library: one folder changes."""
    assert [] == [
        str(found)
        for found in ALL
        if within(found.target, vendor) and not within(found.module, *VENDORS[vendor])
    ]


def test_every_library_from_outside_has_an_adapter() -> None:
    """A library that is not in the list has not been thought about."""
    known = {*sys.stdlib_module_names, *architecture.PACKAGES, *VENDORS, "msgspec"}

    assert [] == [str(found) for found in ALL if found.target.split(".")[0] not in known]


def test_the_web_stack_is_not_imported_before_the_hub_is_alive() -> None:
    """What `run` loads at first has no pages, no Redis and nothing else that is slow to load."""
    slow = ("starlette", "uvicorn", "redis", "segno", "dataclasses", "http.server")
    asked = "import sys, centerpiece.__main__, centerpiece.cli.run; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()

    assert "centerpiece.hub.hub" in loaded
    assert [] == [name for name in loaded if within(name, *slow)]


def _loaded(found: Import) -> bool:
    return not found.late and not found.typing_only


def test_no_module_imports_itself_in_a_circle() -> None:
    """What is imported when a module loads does not lead back to it."""
    graph: dict[str, set[str]] = {}
    for found in ALL:
        if _loaded(found) and within(found.target, *architecture.PACKAGES):
            graph.setdefault(found.module, set()).add(found.target)

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
