"""The real commands: a hall and a table as two processes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.hall.servers import RealRedis, free_port, until, wiped
from tests.patience import TIMEOUT_S

pytestmark = pytest.mark.real_time("a real Redis, and threads that wait for it")

TOKEN = "for the whole test"


@contextmanager
def process(output: Path, *words: str, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a centerpiece command; end it afterwards."""
    with output.open("wb") as file:
        started = subprocess.Popen(
            [sys.executable, "-m", "centerpiece", *words],
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
        )
    try:
        yield started
    finally:
        started.terminate()
        with suppress(subprocess.TimeoutExpired):
            started.wait(TIMEOUT_S)
        started.kill()


def line_with(output: Path, words: str) -> str:
    """Wait for a line with these words."""

    def look() -> str:
        return next((line for line in output.read_text().splitlines() if words in line), "")

    return str(until(look))


def test_a_hall_starts_a_table_in_another_process(server: RealRedis, tmp_path: Path) -> None:
    """People are seated at the table, started at the desk and ranked in the hall."""
    wiped(server)
    port = free_port()
    config = tmp_path / "table.toml"
    config.write_text(
        f'[table]\nid = "table-5"\n[server]\nport = {port}\n[hall]\nurl = "{server.url}"\n'
    )
    hall_command = ("hall", "--redis", server.url, "--port", "0", "--title", "Whole")
    table_command = ("run", "--config", str(config), "--data", str(tmp_path / "data"))
    with (
        process(tmp_path / "hall", *hall_command, CENTERPIECE_HALL_TOKEN=TOKEN),
        process(tmp_path / "table", *table_command),
    ):
        address = line_with(tmp_path / "hall", "The hall is at").split()[-1].rstrip("/")
        line_with(tmp_path / "table", "ready")
        hub = f"http://127.0.0.1:{port}"
        until(lambda: httpx.get(f"{hub}/api/state").status_code == 200)
        for seat, name in ((1, "Ann"), (2, "Bob")):
            body = {"type": "toggle-seat", "seat": seat, "name": name}
            assert 200 == httpx.post(f"{hub}/api/commands", json=body).status_code
        until(lambda: httpx.get(f"{address}/api/hall?q=ann").json()["tables"])
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        for ask in ({"type": "card", "rules": "mexican-train/rally"}, {"type": "start", "in_s": 1}):
            sent = httpx.post(f"{address}/api/hall/orders", json=ask, headers=bearer)
            assert 200 == sent.status_code, sent.text

        state = until(
            lambda: (s := httpx.get(f"{hub}/api/state").json())["phase"] == "playing" and s
        )
        assert ("rally", 9) == (state["rules"], state["engine"])
        assert 6200 < state["clock"]["remaining_s"] <= 6300
        people = until(lambda: httpx.get(f"{address}/api/hall").json()["people"])
        assert {"Ann", "Bob"} == {person["name"] for person in people}
        assert httpx.get(f"{hub}/api/hall").json()["following"]
        left = httpx.post(f"{hub}/api/hall/leave", json={})
        assert (200, False) == (left.status_code, left.json()["following"])


def test_a_token_that_is_too_short_is_refused(tmp_path: Path) -> None:
    """With a sentence and exit code 2."""
    words = ("hall", "--redis", "redis://127.0.0.1:1")
    with process(tmp_path / "hall", *words, CENTERPIECE_HALL_TOKEN="short") as hall:
        assert 2 == hall.wait(TIMEOUT_S)
    assert "8 characters or more" in (tmp_path / "hall").read_text()
