"""The benchmarks' report: what it calls met, better and worse. The figures are not tested."""

import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bench import charts, report

ROOT = Path(__file__).resolve().parent.parent
SPREAD = {"p50_us": 500.0, "p99_us": 900.0, "max_us": 2000.0}
FOUND: dict[str, Any] = {
    "machine": {
        "processor": "a processor",
        "cores": 4,
        "system": "a system",
        "python": "3.11",
        "load": 0.1,
        "date": "today",
        "commit": "abc",
    },
    "results": {
        "press": {
            "hop_us": 50.0,
            "commit_us": 400.0,
            "to_light": SPREAD,
            "to_sound": SPREAD,
            "to_light_in_memory": {"p50_us": 100.0, "p99_us": 200.0, "max_us": 300.0},
            "stages_us": {"hop": 50.0, "journal": 400.0, "the rest": 50.0},
            "decided_per_s": 30_000.0,
            "edges_per_s": 20_000.0,
            "edges_together_per_s": 30_000.0,
            "commands_in_memory_per_s": 20_000.0,
            "commands_durable_per_s": 2000.0,
        },
        "peer": {"switch_to_light_us": 200.0, "events_per_s": 40_000.0, "memory_kib": 40_000},
        "hardware": {
            "wire_s": 0.0026,
            "edge_to_bytes_s": 0.0006,
            "frame_s GRB": 0.0003,
            "blocked_s": {"slow strip": [0.0001, 0.006]},
        },
        "usb": {
            "round trip": 0.001,
            "edge": 0.002,
            "echo": 0.004,
            "frame": 0.002,
            "loop": 0.001,
            "loop in a flood": 0.0012,
            "wled, 99th of 100": 0.005,
        },
        "recovery": {
            "10": {"with_s": 0.001, "without_s": 0.001},
            "100000": {"with_s": 0.003, "without_s": 0.6},
        },
    },
    "left_out": {"hall": "redis-server is not installed"},
}


def with_press(**changes: Any) -> dict[str, Any]:
    found = deepcopy(FOUND)
    found["results"]["press"] |= changes
    return found


def met() -> dict[str, bool | None]:
    return {each.name: each.met for each in report.figures(FOUND)}


def test_a_bound_is_on_the_ratio_where_there_is_one() -> None:
    """500 of 450 is within a quarter; 30,000 edges are fewer than the peer's 40,000."""
    found = met()

    assert found["press → light, on the disk"] is True
    assert found["press → light, in memory"] is None
    assert found["edges that come together"] is False
    assert found["edges, each painted"] is None
    assert found["recovery of 100,000 events, no snapshot"] is True
    assert found["bare durable commit"] is None
    assert found["edge of a pin → echo at the chain's driver"] is True
    assert found["loop held by slow strip: longest"] is False
    assert found["USB hub: edge on the board → echo on the chain's wire"] is None


def test_the_table_says_what_was_left_out_and_why() -> None:
    """Nothing is missing in silence."""
    assert "left out: hall: redis-server is not installed" in report.table(FOUND)


def test_several_rounds_are_told_by_their_medians_and_the_longest_of_all() -> None:
    rounds = [
        {"to_light": {"p50_us": number, "max_us": 10 * number}, "edges_per_s": number}
        for number in (3, 1, 2)
    ]

    assert {"to_light": {"p50_us": 2, "max_us": 30}, "edges_per_s": 3} == report.merged(rounds)


def test_a_figure_worse_than_noise_is_found() -> None:
    """Compared as a ratio, in the direction that is worse for it."""
    slower = with_press(to_light_in_memory={"p50_us": 140.0, "p99_us": 200.0, "max_us": 300.0})
    fewer = with_press(edges_per_s=10_000.0)

    assert report.compare(FOUND, slower, 0.25) == (
        ["worse   press → light, in memory: 0.5 → 0.7"],
        True,
    )
    assert report.compare(FOUND, fewer, 0.25) == (
        ["worse   edges, each painted: 0.5 → 0.25"],
        True,
    )
    assert report.compare(fewer, FOUND, 0.25)[1] is False


@pytest.mark.parametrize("longest", [2000.0, 4000.0])
def test_noise_is_not_news(longest: float) -> None:
    """A little slower, or a longest press that was twice as long, means nothing."""
    later = with_press(to_light={"p50_us": 560.0, "p99_us": 900.0, "max_us": longest})

    assert report.compare(FOUND, later, 0.25) == (["nothing changed beyond noise"], False)


def test_another_machine_is_compared_by_ratios_only() -> None:
    """There everything may take twice as long, if its floors do."""
    other = with_press(commands_durable_per_s=500.0)
    assert report.compare(FOUND, other, 0.25)[1] is True
    other["machine"]["cores"] = 1

    assert report.compare(FOUND, other, 0.25)[1] is False


def test_comparing_two_files_exits_with_one_if_something_is_worse(tmp_path: Path) -> None:
    """So that a script can ask."""
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(json.dumps(FOUND))
    after.write_text(json.dumps(with_press(edges_per_s=1.0)))

    def compared(*files: Path) -> int:
        words = [sys.executable, "-m", "bench", "compare", *map(str, files)]
        return subprocess.run(words, cwd=ROOT, capture_output=True, timeout=60).returncode

    assert [0, 1] == [compared(before, before), compared(before, after)]


def test_the_page_shows_every_chart_and_every_figure(tmp_path: Path) -> None:
    """And each chart is a picture that can be read."""
    report.write(FOUND, tmp_path)
    page = (tmp_path / "performance.md").read_text()
    pictures = sorted(picture.name for picture in tmp_path.glob("*.svg"))

    assert ["performance-press.svg", "performance-recovery.svg"] == pictures
    assert all(f"]({picture})" in page for picture in pictures)
    assert all(f"| {each.name} |" in page for each in report.figures(FOUND))
    for picture in pictures:
        assert ElementTree.parse(tmp_path / picture).getroot().tag.endswith("svg")


def test_equal_steps_on_a_curve_are_equal_factors() -> None:
    """Both scales are logarithmic: a thousandfold takes three times the way of a tenfold."""
    drawn = charts.curves({"one": [(1, 1), (10, 10), (1000, 1000)]}, "t", "x", "y")
    points = ElementTree.fromstring(drawn).find("{*}polyline").get("points").split()  # type: ignore[union-attr]
    (x0, y0), (x1, y1), (x2, y2) = (map(float, point.split(",")) for point in points)

    assert pytest.approx(3 * (x1 - x0), abs=0.5) == x2 - x0
    assert pytest.approx(3 * (y1 - y0), abs=0.5) == y2 - y0
