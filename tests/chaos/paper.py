"""The table of `docs/reliability.md`: a line for each attack's last full run.

A run of some attacks leaves the lines of the others as they are; the commit in each says which
program was attacked. What is not between the two marks is nobody's but the author's.
"""

import subprocess
from pathlib import Path

from tests.chaos.result import Result

ROOT = Path(__file__).parents[2]
PAPER = ROOT / "docs/reliability.md"
BEGIN, END = "<!-- attacks: written by `make chaos ARGS=--write` -->", "<!-- end of attacks -->"
HEAD = (
    "| attack | tries | failures | worst time | took | commit | figures |",
    "| --- | ---: | ---: | ---: | ---: | --- | --- |",
)


def line(name: str, result: Result, took_s: float, commit: str) -> str:
    """Return an attack as a line of Markdown."""
    return (
        f"| {name} | {result.tries:,} | {len(result.failures)} "
        f"| {result.worst_s * 1e3:,.1f} ms | {took_s:,.0f} s | {commit} | {result.figures} |"
    )


def with_line(paper: str, new: str, order: list[str]) -> str:
    """Return the document with an attack's line added or replaced."""
    before, _, rest = paper.partition(BEGIN)
    between, _, after = rest.partition(END)
    lines = {_name(each): each for each in between.splitlines() if each.startswith("| ")}
    lines[_name(new)] = new
    rows = [lines[name] for name in order if name in lines]
    return "\n".join((before + BEGIN, "", *HEAD, *rows, "", END)) + after


def _name(row: str) -> str:
    return row.split("|")[1].strip()


def commit() -> str:
    """Return the version under test."""
    result = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return f"`{result.stdout.strip()}`" if result.returncode == 0 else ""
