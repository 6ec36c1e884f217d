"""The benchmarks' report: bounds that are met, and omissions. No figure is tested."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bench import report
from bench.measure import in_turn, spread

FOUND: dict[str, Any] = {
    "machine": {
        "processor": "a processor",
        "cores": 4,
        "system": "a system",
        "python": "3.11",
        "load": 0.1,
        "date": "today",
        "commit": "abc",
        "seconds": 12.0,
    },
    "results": {
        "whole_games": {"ratio": 13.0},
        "press": {"decided_of_peer": 1.5, "of_floor": 1.3},
        "outliers": {
            "presses": 5000,
            "ours_over_10_ms": 0,
            "stages_ms": {"hop": 0.1, "commit": 1.0},
            "slowest_stages_ms": {"hop": 1.0, "commit": 90.0},
        },
    },
    "left_out": {"hall_lag": "redis-server is not installed"},
}


def test_a_bound_is_met_from_its_own_side() -> None:
    """Some bounds are a maximum, others a minimum."""
    met = {figure: (measured, told) for figure, _, measured, told in report.rows(FOUND)}

    assert met == {
        "a whole game through the hub, of the tiles alone": ("13 ×", "NO"),
        "presses decided, booked and painted, of the peer's": ("1.5 ×", "yes"),
        "press → written → light, of a commit and three hops": ("1.3 ×", "yes"),
        "presses to which we add more than 10 ms": ("0", "yes"),
    }


def test_what_was_left_out_is_told_with_its_reason() -> None:
    """Nothing is missing in silence."""
    assert "Left out: hall_lag: redis-server is not installed" in report.table(FOUND)


def test_the_page_keeps_its_words_and_gets_every_figure_and_the_chart(tmp_path: Path) -> None:
    """The chart is a readable picture."""
    (tmp_path / "performance.md").write_text(f"# Ours\n\n{report.MARK}\nof yesterday")
    report.write(FOUND, tmp_path)
    page = (tmp_path / "performance.md").read_text()

    assert report.table(FOUND) in page
    assert all(row[0] in page for row in report.rows(FOUND))
    assert page.startswith(f"# Ours\n\n{report.MARK}\n")
    assert "of yesterday" not in page
    drawn = ElementTree.parse(tmp_path / "performance.svg").getroot()
    assert {"0.10 ms", "90.00 ms"} <= {text.text for text in drawn.iter() if text.text}


def test_every_row_has_a_path_of_its_own() -> None:
    paths = [row.path for row in report.ROWS]

    assert sorted(set(paths)) == sorted(paths)


def test_what_is_measured_in_turn_warms_up_first() -> None:
    """Every function is called in each round, and the first round is not counted."""
    called: list[str] = []

    def measurement(name: str) -> float:
        called.append(name)
        return float(len(called))

    found = in_turn(2, {"a": lambda: measurement("a"), "b": lambda: measurement("b")})

    assert called == ["a", "b"] * 3
    assert found == {"a": [3.0, 5.0], "b": [4.0, 6.0]}


@pytest.mark.parametrize("count", [1, 2, 100])
def test_a_spread_names_the_middle_and_the_end(count: int) -> None:
    found = spread([float(number) for number in range(count, 0, -1)])

    assert ((count + 1) / 2, float(count)) == (found["p50"], found["max"])
