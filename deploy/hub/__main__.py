"""Write everything to build a hub: `python -m deploy.hub build/case` (or `make case`)."""

import argparse
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from centerpiece.config import load
from deploy.hub import board, checks, parts, template
from deploy.hub.checks import Finding
from deploy.hub.geometry import BEZEL, BOARDS, Hub
from deploy.hub.smaller import settings_for
from hal.pi import wiring


def asked(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m deploy.hub", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--config", type=Path, help="the hub's settings; without it, the standard")
    parser.add_argument("--seats", type=int, choices=range(4, 11), help="a hub with fewer seats")
    parser.add_argument("--button", type=int, choices=BEZEL, default=30, help="diameter in mm")
    parser.add_argument("--across", type=float, help="in mm; without it, the smallest that fits")
    parser.add_argument("--computer", choices=BOARDS, default="pi")
    parser.add_argument("--no-docks", action="store_true")
    parser.add_argument("--docs", type=Path, help="also write what docs/build.md shows, there")
    return parser.parse_args(arguments)


def described(options: argparse.Namespace) -> Hub:
    """Return the hub that was asked for."""
    settings = load(options.config).hardware
    if options.seats:
        settings = settings_for(options.seats)
    hub = Hub(
        settings, button=options.button, docks=not options.no_docks, computer=options.computer
    )
    return replace(hub, across=options.across) if options.across else checks.smallest(hub)


def papers(hub: Hub) -> dict[str, str]:
    """Return the pages on parts and board, by the names of their files."""
    return {
        "parts.md": parts.page(hub),
        "board.md": board.page(hub.settings),
        "board.svg": board.plan(hub.settings),
    }


def write(hub: Hub, folder: Path) -> Iterator[Finding]:
    """Write every file, and yield what the checks found."""
    from deploy.hub import pictures, solids

    folder.mkdir(parents=True, exist_ok=True)
    yield from checks.findings(hub)
    yield from board.findings(hub.settings)
    (folder / "lid.pdf").write_bytes(template.pdf(hub))
    (folder / "lid.dxf").write_text(template.dxf(hub), "ascii")
    for name, text in papers(hub).items():
        (folder / name).write_text(text, "utf-8")
    (folder / "wiring.svg").write_text(wiring.drawing(hub.settings), "utf-8")
    (folder / "wiring.md").write_text(wiring.page(hub.settings), "utf-8")
    whole = solids.wholes(hub)
    solids.export(solids.printed(hub, whole), folder / "print")
    yield from solids.findings(hub, whole, folder / "print")
    pictures.write(hub, whole, folder / "pictures")


def main(arguments: list[str]) -> int:
    options = asked(arguments)
    try:
        hub = described(options)
    except ValueError as error:
        sys.exit(f"error: {error}")
    print(
        f"A hub for {hub.seats} seats: {hub.across:g} mm across, {hub.height:g} mm high, "
        f"{len(hub.buttons)} buttons of {hub.button} mm"
    )
    wrong = 0
    for finding in write(hub, options.folder):
        wrong += bool(finding.wrong)
        print(f"{'✗' if finding.wrong else '✓'} {finding.name:36} {finding.measured}")
        if finding.wrong:
            print(f"  → {finding.wrong}")
    print(f"Everything is in {options.folder}.")
    if options.docs:
        options.docs.mkdir(parents=True, exist_ok=True)
        for file in (
            *(options.folder / name for name in papers(hub)),
            *options.folder.glob("pictures/*"),
        ):
            shutil.copy(file, options.docs)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
