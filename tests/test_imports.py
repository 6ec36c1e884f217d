"""The picture of the packages: imports point one way, and this says which line broke it.

rules ◀ table ◀ games ◀ present ◀ hub, service, web, hall ◀ __main__
hal never imports centerpiece; the simulator sees frames, cues and edges, never the game.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("centerpiece", "hal", "sim")
FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


class Import(NamedTuple):
    """One import: from which module, of what, on which line; `late` inside a function."""

    module: str
    target: str
    line: int
    late: bool
    typing_only: bool

    def __str__(self) -> str:
        path = self.module.replace(".", "/")
        return f"{path}.py:{self.line}: {self.module} imports {self.target}"


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_in(path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    module = module_of(path)
    is_package = path.name == "__init__.py"

    def walk(node: ast.AST, late: bool, typing_only: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(module, alias.name, child.lineno, late, typing_only)
            elif isinstance(child, ast.ImportFrom):
                base = child.module or ""
                if child.level:
                    here = module.split(".")[: None if is_package else -1]
                    here = here[: len(here) - child.level + 1]
                    base = ".".join([*here, *filter(None, [base])])
                for alias in child.names:
                    target = f"{base}.{alias.name}"
                    known = (ROOT / target.replace(".", "/")).with_suffix(".py").exists()
                    folder = (ROOT / target.replace(".", "/") / "__init__.py").exists()
                    found = target if known or folder else base
                    yield Import(module, found, child.lineno, late, typing_only)
            else:
                inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                checking = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
                yield from walk(child, late or inside, typing_only or checking)

    yield from walk(tree, False, False)


ALL = [found for path in FILES for found in imports_in(path)]


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


IMPURE = ("asyncio", "datetime", "http", "io", "logging", "os", "pathlib", "random", "secrets")
IMPURE += ("select", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile")
IMPURE += ("threading", "time", "urllib", "uuid")
"""What opens, waits, logs, reads a clock or rolls dice."""


def test_there_is_something_to_look_at() -> None:
    """The walk finds the imports it should: a test that sees nothing proves nothing."""
    assert any(str(i) for i in ALL if (i.module, i.target) == ("sim.script", "centerpiece.hub"))
    assert len(FILES) > 50


@pytest.mark.parametrize(
    ("by", "of"),
    [
        ("rules", ("table", "games", "present")),
        ("table", ("games", "present")),
        ("games", ("present",)),
    ],
)
def test_the_pure_packages_point_one_way(by: str, of: tuple[str, ...]) -> None:
    """Rules know nothing; the books know rules; games know books; pictures know games."""
    assert [] == broken(by=(f"centerpiece.{by}",), of=tuple(f"centerpiece.{each}" for each in of))


def test_the_pure_packages_know_no_shell() -> None:
    """Nothing pure reaches for hub, journal, service, web, hall, hardware or simulator."""
    pure = tuple(f"centerpiece.{each}" for each in ("rules", "table", "games", "present"))

    assert [] == broken(by=pure, of=("centerpiece",), but=pure)
    assert [] == broken(by=pure, of=("hal", "sim"), but=("hal.ports",))


def test_the_pure_packages_open_nothing_wait_for_nothing_and_roll_no_dice() -> None:
    """No clock, no file, no socket, no thread, no log, no chance."""
    pure = ("centerpiece.rules", "centerpiece.table", "centerpiece.games", "centerpiece.present")

    assert [] == broken(by=pure, of=IMPURE)


def test_gestures_are_pure() -> None:
    """Edges in, gestures out: only the shape of an edge comes from outside."""
    assert {"collections.abc", "math", "typing", "msgspec", "hal.ports"} == {
        found.target for found in ALL if found.module == "centerpiece.gestures"
    }


def test_the_hub_and_its_service_know_no_pages_and_no_hall() -> None:
    """The hub is alive before the web stack is even imported."""
    assert [] == broken(
        by=("centerpiece.hub", "centerpiece.service", "centerpiece.journal", "centerpiece.store"),
        of=("centerpiece.web", "centerpiece.hall", "starlette", "uvicorn", "redis"),
    )


def test_hardware_knows_no_game() -> None:
    """`hal` speaks of edges, frames and cues, and of nothing above them."""
    assert [] == broken(by=("hal",), of=("centerpiece", "sim"))


def test_in_the_simulator_only_a_few_know_the_game() -> None:
    """Those who play the people, and the scripts; a fake that peeks hides bugs."""
    may = ("sim.bridge", "sim.players", "sim.script", "sim.simulate", "sim.demo", "sim.dominoes")

    assert [] == [
        str(found)
        for found in ALL
        if within(found.module, "sim")
        and within(found.target, "centerpiece")
        and not within(found.module, *may)
    ]


def test_the_dominoes_take_nothing_but_rule_books() -> None:
    """So that a mistake of the hub cannot hide behind the same mistake there."""
    books = [
        str(found)
        for found in ALL
        if within(found.module, "sim.dominoes")
        and within(found.target, "centerpiece")
        and not within(found.target, "centerpiece.rules")
        and not (
            within(found.target, "centerpiece.games") and found.target.split(".")[-1] == "rules"
        )
    ]

    assert [] == books


def test_only_the_one_who_chooses_knows_real_and_simulated_hubs() -> None:
    """Adapters are chosen once, by name, when the program starts."""
    chooser = ("centerpiece.__main__", "centerpiece.running")

    assert [] == [
        str(found)
        for found in ALL
        if within(found.module, "centerpiece")
        and not within(found.module, *chooser)
        and within(found.target, "sim", "hal.board", "hal.gpio_buttons", "hal.neopixel_lights")
        and not _of_the_simulator(found)
    ]


def _of_the_simulator(found: Import) -> bool:
    """What asks for the simulator by name: its own commands, and the virtual hub's page."""
    own = ("centerpiece.simulating", "centerpiece.web.virtual")
    return found.late or within(found.module, *own)


VENDORS = {
    "gpiozero": ("hal.gpio_buttons", "hal.doctor"),
    "lgpio": ("hal.gpio_buttons", "hal.doctor"),
    "neopixel": ("hal.neopixel_lights",),
    "neopixel_spi": ("hal.neopixel_lights",),
    "adafruit_blinka": ("hal.neopixel_lights",),
    "board": ("hal.neopixel_lights",),
    "busio": ("hal.neopixel_lights",),
    "serial": ("hal.serial_sound", "hal.dfplayer", "hal.doctor"),
    "pygame": ("hal.alsa_sound", "hal.doctor"),
    "redis": ("centerpiece.hall",),
    "starlette": ("centerpiece.web", "centerpiece.hall", "centerpiece.setup_network"),
    "uvicorn": ("centerpiece.web", "centerpiece.hall", "centerpiece.setup_network"),
    "segno": ("centerpiece.web", "centerpiece.running", "centerpiece.sticker"),
}


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_vendors_library_is_known_to_its_adapter_alone(vendor: str) -> None:
    """Another chip, another library: one file changes."""
    assert [] == [
        str(found)
        for found in ALL
        if within(found.target, vendor) and not within(found.module, *VENDORS[vendor])
    ]


def test_every_library_from_outside_has_an_adapter() -> None:
    """A library that is not in the list has not been thought about."""
    known = {*sys.stdlib_module_names, *PACKAGES, *VENDORS, "msgspec"}

    assert [] == [str(found) for found in ALL if found.target.split(".")[0] not in known]


def test_the_web_stack_is_not_imported_before_the_hub_is_alive() -> None:
    """What `run` loads at first has no pages, no Redis and nothing else that is slow to load."""
    slow = ("starlette", "uvicorn", "redis", "segno", "dataclasses", "http.server")
    asked = "import sys, centerpiece.__main__, centerpiece.running; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()

    assert "centerpiece.hub" in loaded
    assert [] == [name for name in loaded if within(name, *slow)]


def test_no_module_imports_itself_in_a_circle() -> None:
    """What is imported when a module loads does not lead back to it."""
    graph: dict[str, set[str]] = {}
    for found in ALL:
        if not found.late and not found.typing_only and within(found.target, *PACKAGES):
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
