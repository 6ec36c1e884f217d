"""A run is red for a reason: the same examples every time, a second try for real time only."""

import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import lives_in_real_time

TESTS = Path(__file__).parent
REAL = {
    "web/test_phone_page.py",
    "hall/test_whole.py",
    "chaos/test_attacks.py",
    "deploy/test_switch.py",
}
VIRTUAL = {"hub/test_hub.py", "table/test_properties.py", "web/test_api.py", "test_scenarios.py"}


def test_what_lives_in_virtual_time_gets_no_second_try() -> None:
    """
    Where nothing depends on luck, a failure is a fault.
    """
    tried_again = {
        path.relative_to(TESTS).as_posix()
        for path in TESTS.rglob("test_*.py")
        if lives_in_real_time(path)
    }

    assert tried_again >= REAL
    assert tried_again.isdisjoint(VIRTUAL)


@pytest.mark.skipif(
    settings.get_current_profile_name() != "quick", reason="a thorough run searches anew"
)
def test_the_examples_are_the_same_whatever_was_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Another order of tests, or a constant somewhere in the project, searches nowhere else.
    """
    found: list[tuple[int, str]] = []

    @given(st.integers(), st.text())
    def example(number: int, text: str) -> None:
        found.append((number, text))

    example()
    first, found = found, []
    module = ModuleType("full_of_constants")
    module.__file__ = str(tmp_path / "full_of_constants.py")
    numbers = ", ".join(str(number) for number in range(70_000, 70_900))
    Path(module.__file__).write_text(f"NUMBERS = [{numbers}]\nWORDS = ['wordy', 'words']\n")
    monkeypatch.setitem(sys.modules, "full_of_constants", module)
    example()

    assert first == found
