"""Draw the packages and their imports into ARCHITECTURE.md: `python tools/architecture.py`.

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
    """One import of a module; `late` if it is inside a function."""

    module: str
    target: str
    line: int
    late: bool
    typing_only: bool

    def __str__(self) -> str:
        path = self.module.replace(".", "/")
        return f"{path}.py:{self.line}: {self.module} imports {self.target}"


def files() -> list[Path]:
    """Return the files of all modules."""
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def module_of(path: Path) -> str:
    """Return the module name of a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_in(path: Path) -> Iterator[Import]:
    """Yield all imports of a file, late ones included."""
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
    """Return the module that `from base import name` imports."""
    place = ROOT / base.replace(".", "/") / name
    return f"{base}.{name}" if place.with_suffix(".py").exists() or place.is_dir() else base


def room_of(module: str) -> str | None:
    """Return the folder of a module, or the module itself if it is in none."""
    top, *rest = module.split(".")
    if top not in PACKAGES or not rest:
        return None
    if top != "centerpiece":
        return f"{top}.{rest[0]}"
    if rest[0] == "hall":
        return ".".join(rest[:2]) if len(rest) > 1 else None
    return rest[0]


def rooms() -> dict[str, set[str]]:
    """Return the folders that each folder imports, late imports included."""
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
    """Return the folders bottom up, each with its direct dependencies."""
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
    """Return all dependencies of a folder."""
    found: set[str] = set()
    waiting = [room]
    while waiting:
        new = uses[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def written(page: str) -> str:
    """Return the page with the current picture."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{picture()}\n\n{END}{after}"


def main() -> int:
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
