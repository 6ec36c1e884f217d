"""How much the property tests search, which tests get a second try, and browsers for all rooms.

By default the same examples are searched in every run, whatever else was imported or changed:
what is red is red for a reason. `HYPOTHESIS_PROFILE=thorough` searches anew, and more.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.patience import TIMEOUT_S
from tests.web.browsers import Running, chromium

_SLOW_STARTERS = (HealthCheck.too_slow, HealthCheck.data_too_large)

settings.register_profile(
    "quick",
    max_examples=40,
    stateful_step_count=30,
    derandomize=True,
    deadline=None,
    suppress_health_check=_SLOW_STARTERS,
)
settings.register_profile(
    "thorough",
    max_examples=1000,
    stateful_step_count=80,
    deadline=None,
    suppress_health_check=_SLOW_STARTERS,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
if settings.get_current_profile_name() == "quick":
    # Examples are drawn from the constants of every module that happens to be loaded, too: an
    # unrelated change, or another order of tests, would search elsewhere.
    providers._get_local_constants = lambda: providers._local_constants

with suppress(ImportError):
    from playwright.sync_api import expect

    expect.set_options(timeout=TIMEOUT_S * 1000)


REAL = re.compile(
    r"^ *(?:from|import) (?:playwright|subprocess|threading|socket|signal"
    r"|tests\.(?:chaos|hall\.servers|web\.browsers|deploy\.conftest"
    r"|dfplayer|pads|patience|pico|pictures|speakers|strips|troubles|wled))\b",
    re.MULTILINE,
)


@cache
def lives_in_real_time(path: Path) -> bool:
    """Whether the tests of this file start a browser, a server, a process or a thread.

    Their imports say so, and a busy machine can keep them waiting. All others live in virtual
    time, where nothing depends on luck.
    """
    return bool(REAL.search(path.read_text("utf-8")))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One further try for what lives in real time, told in the summary; for nothing else."""
    for item in items:
        if lives_in_real_time(item.path):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real one, for all tests of a file."""
    with chromium() as opened:
        yield opened


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    """The service in a process of its own, at a table where nobody has played yet."""
    service = Running(tmp_path)
    yield service
    service.stop()
