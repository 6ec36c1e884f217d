"""Hypothesis profiles, retries of real-time tests, and browsers for all test folders.

By default a property test tries the same examples whenever the same modules are loaded.
`HYPOTHESIS_PROFILE=thorough` searches anew, and more; `brief` tries a quarter, for `make quick`.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

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
settings.register_profile("brief", settings.get_profile("quick"), max_examples=10)
settings.register_profile(
    "thorough",
    max_examples=1000,
    stateful_step_count=80,
    deadline=None,
    suppress_health_check=_SLOW_STARTERS,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

with suppress(ImportError):
    from playwright.sync_api import expect

    expect.set_options(timeout=TIMEOUT_S * 1000)


@pytest.fixture(autouse=True)
def same_umask() -> Iterator[None]:
    """Restore the umask, which some commands narrow for their whole process."""
    before = os.umask(0o022)
    os.umask(before)
    yield
    os.umask(before)


LONG_UNTIL = float(os.environ.get("LONG_UNTIL", "inf"))
"""After this time, in seconds since 1970, no long test is started."""
NO_TIME = "no time left for it"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Retry real-time tests once, with a note in the summary; retry nothing else."""
    for item in items:
        if marked := item.get_closest_marker("real_time"):
            (_reason,) = marked.args
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip long tests after `LONG_UNTIL`."""
    if item.get_closest_marker("long") and time.time() > LONG_UNTIL:
        pytest.skip(NO_TIME)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the long tests that were run, by file, if their time was limited."""
    if LONG_UNTIL == float("inf"):
        return
    begun, left_out = Counter[str](), Counter[str]()
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if getattr(report, "when", "") == "setup" and "long" in report.keywords:
            late = report.skipped and NO_TIME in str(report.longrepr)
            (left_out if late else begun)[report.nodeid.partition("::")[0]] += 1
    for path in sorted(begun | left_out):
        terminalreporter.write_line(f"long: {path}: {begun[path]} run, {left_out[path]} left out")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser, for all tests of a file.

    Not longer: while it is open, its event loop is the thread's, and no other test can have one.
    """
    with chromium() as opened:
        yield opened


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    """The service in a process of its own, at a table where nobody has played yet."""
    service = Running(tmp_path)
    yield service
    service.stop()
