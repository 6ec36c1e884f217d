"""The report for helpers: readable, for paired phones, and without passwords."""

import asyncio
import logging
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from centerpiece.config import load
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.service import log_limit
from centerpiece.storage.journal import Journal
from centerpiece.web.helpers_report import HIDDEN, findings, report, secrets
from sim.board import build
from sim.clock import VirtualClock
from tests.patience import TIMEOUT_S
from tests.web.browsers import ELSEWHERE, Running

SECRETS = ('say "friend"', "p%40ss-word", "p@ss-word", "from-a-file")


def test_no_password_is_in_the_report(tmp_path: Path) -> None:
    """Wherever it stands: in the settings, in a message, in the doctor's words."""
    (tmp_path / "secret").write_text("from-a-file\n")
    file = tmp_path / "hub.toml"
    file.write_text(
        "[network]\npassword = 'say \"friend\"'\n"
        "[hall]\nurl = 'redis://:p%40ss-word@hall/'\n"
        f"password_file = '{tmp_path / 'secret'}'\n"
    )
    logging.getLogger("centerpiece.try").addHandler(log_limit._RECENT)
    logging.getLogger("centerpiece.try").warning("link=refused password=p@ss-word")

    hub = Hub(GAMES, Journal(":memory:", GAMES), build(clock=VirtualClock()))
    text = report(hub, load(file), "Nobody answers at p%40ss-word, from-a-file.")
    logging.getLogger("centerpiece.try").removeHandler(log_limit._RECENT)
    hub.journal.close()

    assert [] == [secret for secret in SECRETS if secret in text]
    assert "friend" not in text
    assert f"link=refused password={HIDDEN}" in text
    assert f"Nobody answers at {HIDDEN}, {HIDDEN}." in text
    assert ["Versions", "Settings", "Doctor", "Log"] == [
        line[2:] for line in text.splitlines() if line.startswith("# ")
    ]


@pytest.mark.parametrize(
    "login", ["user:p@ss/word", ":p@ss/word#1", "user:p?ss@word", "p@ss/word", "a:b?password=p@ss"]
)
def test_no_login_in_an_address_is_shown(login: str, tmp_path: Path) -> None:
    """Not even one that makes the address a wrong one."""
    file = tmp_path / "hub.toml"
    file.write_text(f"[hall]\nurl = 'redis://{login}@hall/'\n")

    hidden = secrets(load(file))

    assert login in hidden
    assert login.partition(":")[2] in {*hidden, ""}


def test_a_doctor_that_cannot_run_is_no_reason_for_no_report() -> None:
    assert "could not be run" in asyncio.run(findings(["/nonexistent/doctor"]))
    assert "help" in asyncio.run(findings([sys.executable, "-c", "print('help')"]))


@pytest.mark.real_time("a hub and the doctor in processes of their own")
def test_a_paired_phone_downloads_the_report(tmp_path: Path) -> None:
    """The doctor examines the hub while it runs; others get nothing."""
    running = Running(tmp_path)
    try:
        address = f"{running.address}/api/report"
        with urllib.request.urlopen(address, timeout=TIMEOUT_S) as answer:
            text = answer.read().decode()
            assert "attachment" in answer.headers["Content-Disposition"]
        assert "Games are kept in" in text
        assert "msgspec" in text
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(urllib.request.Request(address, headers=ELSEWHERE), timeout=60)
    finally:
        running.stop()
