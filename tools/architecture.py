"""The picture of the rooms, read from the imports: `python tools/architecture.py` writes it.

ARCHITECTURE.md has it between two marks; `tests/test_imports.py` keeps it true.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "ARCHITECTURE.md"
PACKAGES = ("centerpiece", "hal", "sim")
BEGIN, END = "<!-- rooms: made by tools/architecture.py -->", "<!-- end of rooms -->"


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


def files() -> list[Path]:
    """Every module of the program."""
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def module_of(path: Path) -> str:
    """The name a file is imported by."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_in(path: Path) -> Iterator[Import]:
    """All imports of a file, wherever they stand in it."""
    module = module_of(path)

    def walk(node: ast.AST, late: bool, typing_only: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(module, alias.name, child.lineno, late, typing_only)
            elif isinstance(child, ast.ImportFrom):
                for alias in child.names:
                    found = _found(child.module or "", alias.name)
                    yield Import(module, found, child.lineno, late, typing_only)
            else:
                inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                checking = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
                yield from walk(child, late or inside, typing_only or checking)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), False, False)


def _found(base: str, name: str) -> str:
    """What `from base import name` imports: a module, or the module that has the name."""
    place = ROOT / base.replace(".", "/") / name
    return f"{base}.{name}" if place.with_suffix(".py").exists() or place.is_dir() else base


def room_of(module: str) -> str | None:
    """The room a module is in: its folder, or the module itself where it lies in no folder."""
    top, *rest = module.split(".")
    if top not in PACKAGES or not rest:
        return None
    if top != "centerpiece":
        return f"{top}.{rest[0]}"
    if rest[0] == "hall":
        return ".".join(rest[:2]) if len(rest) > 1 else None
    return rest[0]


def rooms() -> dict[str, set[str]]:
    """Which room uses which; late imports count like all others."""
    found: dict[str, set[str]] = {}
    for path in files():
        if (room := room_of(module_of(path))) is None:
            continue
        found.setdefault(room, set())
        for each in imports_in(path):
            target = room_of(each.target)
            if target is not None and target != room:
                found[room].add(target)
    return found


def picture() -> str:
    """The rooms from the ground up, each with those it stands on directly."""
    uses = rooms()
    placed: list[str] = []
    left = set(uses)
    rows = []
    while left:
        ready = sorted(room for room in left if uses[room] <= set(placed))
        if not ready:
            raise SystemExit(f"these rooms import each other: {', '.join(sorted(left))}")
        for room in ready:
            below = {b for other in uses[room] for b in _beneath(other, uses)}
            direct = sorted(uses[room] - below, key=placed.index)
            rows.append(f"    {room:<23}{('◀─ ' + ', '.join(direct)) if direct else ''}".rstrip())
        placed += ready
        left -= set(ready)
    return "\n".join(rows)


def _beneath(room: str, uses: dict[str, set[str]]) -> set[str]:
    """Everything that a room stands on."""
    found: set[str] = set()
    waiting = [room]
    while waiting:
        new = uses[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def written(page: str) -> str:
    """The page with the picture as it is now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{picture()}\n\n{END}{after}"


def main() -> int:
    """Write the picture into ARCHITECTURE.md."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
