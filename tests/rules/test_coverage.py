"""Everything that `docs/rules/coverage.md` names exists, and its scenarios show what they claim."""

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from msgspec.structs import replace

import centerpiece
from centerpiece.games.registry import GAMES
from centerpiece.rules.card import laid_out
from centerpiece.rules.rule_settings import Number
from centerpiece.rules.rules import Rules, with_settings
from centerpiece.text import Refused
from sim.script import run_file

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/rules/coverage.md").read_text(encoding="utf-8")
PROFILES = {p.full_name: p for game in GAMES.games.values() for p in game.profiles}


class Row(NamedTuple):
    """A sentence of a rule sheet: where the rule is kept, and what shows it."""

    profile: str
    says: str
    kept: str
    shown: str


def rows() -> list[Row]:
    """Return every line of every table, under the profile of its heading."""
    result, profile = [], ""
    for line in TEXT.splitlines():
        if line.startswith("## "):
            profile = re.findall(r"`(.+?)`", line)[0]
        elif line.startswith("| ") and not line.startswith(("| The sheet", "| ---")):
            result.append(Row(profile, *(cell.strip() for cell in line.strip("|").split("|"))))
    return result


ROWS = rows()


def named(cell: str) -> list[str]:
    return re.findall(r"`(.+?)`", cell)


def test_every_profile_has_its_sheet() -> None:
    """Once, and no other."""
    assert sorted(PROFILES) == sorted({row.profile for row in ROWS})


def test_what_keeps_a_rule_is_on_the_card_or_in_the_code() -> None:
    """It is a statement on the profile's card, a setting or its value, or a file."""
    package = Path(centerpiece.__file__).parent
    wrong = []
    for row in ROWS:
        rules = PROFILES[row.profile]
        game = GAMES.games[rules.game]
        card = laid_out(rules, None, game.example)
        known = {line.name for section in card.sections for line in section.lines}
        for name, setting in game.rules.settings.items():
            known |= {name, *map(str, setting.said)}
        wrong += [row] if not named(row.kept) else []
        wrong += [
            name for name in named(row.kept) if not (name in known or (package / name).is_file())
        ]

    assert [] == wrong


def test_what_shows_a_rule_exists() -> None:
    """It is a scenario of the game or a test; or a reason why there is none."""
    missing = [name for row in ROWS for name in named(row.shown) if not shows(name, row.profile)]

    assert [] == missing
    assert [] == [row for row in ROWS if not named(row.shown) and not row.shown.startswith("— ")]


def switched_off(rules: Rules, name: str) -> Iterator[Rules]:
    """Yield the book with other values of a setting, as far as they do not contradict others."""
    now, setting = getattr(rules, name), rules.settings[name]
    if name == "hands":
        yield replace(rules, hands={n: {p: h - 1 for p, h in now[n].items()} for n in now})
    elif name == "sets":
        yield from (replace(rules, sets=tuple(n for n in now if n != out)) for out in now[1:])
        for size in {6, 9, 12} - set(now):
            hands = {**rules.hands, size: dict.fromkeys(range(1, 11), 2)}
            yield replace(rules, sets=(*now, size), hands=hands)
    else:
        values = [*setting.said, *((now or 0) + n for n in (1, 2) if isinstance(setting, Number))]
        along: dict[str, list[dict[str, str]]] = {
            "last_tile": [{"penalty": "none"}, {"penalty": "draw"}],
            "penalty": [{"last_tile": "must"}],
        }
        for value in values:
            for others in along.get(name, [{}]):
                try:
                    if value != now:
                        yield with_settings(rules, {**others, name: value})
                except Refused:
                    pass


@pytest.mark.parametrize("profile", PROFILES)
def test_a_scenario_fails_without_the_rule_that_it_shows(
    profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each switch, at least one of the named scenarios does.

    Tile by tile, rules are shown by virtual players. A house rule is not the profile's own.
    """
    rules = PROFILES[profile]
    game = GAMES.games[rules.game]
    books, unshown = game.profiles, []
    for row in ROWS:
        scenarios = [ROOT / "tests/scenarios" / name for name in named(row.shown)]
        hub = scenarios and all(path.suffix == ".txt" for path in scenarios)
        if row.profile != profile or not hub or "house rule" in row.kept:
            continue
        for name in sorted(game.rules.settings.keys() & named(row.kept)):
            others = list(switched_off(rules, name))
            for other in others:
                changed = tuple(other if book is rules else book for book in books)
                monkeypatch.setattr(type(game), "profiles", changed)
                if any(run_file(path) for path in scenarios):
                    break
            else:
                unshown += [(name, row.says)] if others else []
            monkeypatch.undo()

    assert [] == unshown


def fails(test: Callable[[], None]) -> bool:
    try:
        test()
    except (Exception, pytest.fail.Exception):
        return True
    return False


def played_by(name: str) -> tuple[ModuleType, Callable[[], None]]:
    """Return the module of a test of the virtual dominoes, and the test."""
    module, _, test = name.partition(".")
    where = import_module(f"tests.sim.dominoes.test_{module}")
    kinds = [kind() for key, kind in vars(where).items() if key.startswith("Test")]
    home = next(home for home in (where, *kinds) if hasattr(home, f"test_{test}"))
    return where, getattr(home, f"test_{test}")


@pytest.mark.parametrize("profile", PROFILES)
def test_virtual_dominoes_show_the_rules_that_they_are_named_for(
    profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each row, a named test fails with one of its switches off in a book that it plays by."""
    unshown = []
    for row in ROWS:
        names = named(row.shown)
        by_tiles = not any(name.endswith((".txt", ".py")) for name in names)
        tests = [played_by(name) for name in names] if by_tiles else []
        tried = shown = False
        for where, test in tests if row.profile == profile else ():
            for key, book in list(vars(where).items()):
                if type(book) is not type(PROFILES[profile]) or signature(test).parameters:
                    continue
                for name in book.settings.keys() & named(row.kept):
                    for other in switched_off(book, name):
                        monkeypatch.setattr(where, key, other)
                        tried, shown = True, shown or fails(test)
                        monkeypatch.undo()
        unshown += [row.says] if tried and not shown else []

    assert [] == unshown


def shows(name: str, profile: str) -> bool:
    """Return True if there is such a scenario, test file, or test of the virtual dominoes."""
    if name.endswith(".txt"):
        scenario = ROOT / "tests/scenarios" / name
        game = profile.split("/")[0]
        return scenario.is_file() and f"rules={game}/" in scenario.read_text(encoding="utf-8")
    if name.endswith(".py"):
        return (ROOT / name).is_file()
    module, test = name.split(".")
    tests = ROOT / f"tests/sim/dominoes/test_{module}.py"
    return f"def test_{test}(" in tests.read_text(encoding="utf-8")
