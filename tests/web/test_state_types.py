"""The declared type of the public state is the type of what the hub answers."""

from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, NotRequired, Union, get_args, get_origin, is_typeddict

import msgspec
import pytest

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.web.state_types import PublicState
from sim.script import run_file
from tools import page_types

SCENARIOS = Path(__file__).parent.parent / "scenarios"


@pytest.mark.parametrize("game", GAMES.games)
def test_every_answer_has_the_declared_type(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """During a whole evening of each game; no field is undeclared."""
    states: list[dict[str, Any]] = []
    answer = Hub.state
    monkeypatch.setattr(Hub, "state", lambda hub: states.append(answer(hub)) or states[-1])
    evening = next(path for path in sorted(SCENARIOS.glob(f"{game}-*.txt")))

    run_file(evening)

    assert len(states) > 10
    for state in states:
        msgspec.convert(state, PublicState)
        assert [] == list(undeclared(state, PublicState))


def undeclared(value: Any, kind: Any, path: str = "state") -> Iterator[str]:
    """Yield the fields of a document that its type does not name."""
    if isinstance(value, dict) and is_typeddict(kind):
        for name, item in value.items():
            declared = kind.__annotations__.get(name)
            if declared is None:
                yield f"{path}.{name}"
            else:
                yield from undeclared(item, declared, f"{path}.{name}")
    elif isinstance(value, list) and get_origin(kind) is list:
        for item in value:
            yield from undeclared(item, get_args(kind)[0], path)
    elif get_origin(kind) in (Union, UnionType, NotRequired):
        for choice in get_args(kind):
            yield from undeclared(value, choice, path)


def test_the_scripts_are_checked_against_this_type() -> None:
    """If this fails: python tools/page_types.py"""
    assert page_types.declarations() == page_types.DECLARATIONS.read_text("utf-8")
