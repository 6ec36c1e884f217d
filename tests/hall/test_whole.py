"""The real commands: a hall and a table as two processes, and what is said between them."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.hall.servers import RealRedis, free_port, until, wiped
from tests.patience import TIMEOUT_S

pytestmark = pytest.mark.real_time("a real Redis, and threads that wait for it")

TOKEN = "for the whole test"


@contextmanager
def process(*words: str, **environment: str) -> Iterator["subprocess.Popen[str]"]:
    """A centerpiece command that is ended in the end."""
    started = subprocess.Popen(
        [sys.executable, "-m", "centerpiece", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
    )
    try:
        yield started
    finally:
        started.terminate()
        try:
            started.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait(TIMEOUT_S)
        assert started.stdout is not None
        started.stdout.close()


def line_with(process: "subprocess.Popen[str]", words: str) -> str:
    """The first line it prints that has these words; the rest is read and dropped."""
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if words in line:
            threading.Thread(target=_drain, args=(process.stdout,), daemon=True).start()
            return line.strip()
    raise AssertionError(f"it never said {words!r}:\n{''.join(said)}")


def _drain(output: Any) -> None:
    try:
        for _ in output:
            pass
    except ValueError:
        return


def test_a_hall_starts_a_table_in_another_process(server: RealRedis, tmp_path: Path) -> None:
    """Seats at the table, a start at the desk, the leaderboard in the hall; then it leaves."""
    wiped(server)
    port = free_port()
    config = tmp_path / "table.toml"
    config.write_text(
        f'[table]\nid = "table-5"\n[server]\nport = {port}\n[hall]\nurl = "{server.url}"\n'
    )
    hall_command = ("hall", "--redis", server.url, "--port", "0", "--title", "Whole")
    table_command = ("run", "--config", str(config), "--data", str(tmp_path / "data"))
    with (
        process(*hall_command, CENTERPIECE_HALL_TOKEN=TOKEN) as hall,
        process(*table_command) as table,
    ):
        address = line_with(hall, "The hall is at").split()[-1].rstrip("/")
        line_with(table, "ready")
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


def test_a_token_that_is_too_short_is_refused() -> None:
    """One sentence, no traceback, exit code 2."""
    with process("hall", "--redis", "redis://127.0.0.1:1", CENTERPIECE_HALL_TOKEN="short") as hall:
        assert "8 characters or more" in line_with(hall, "characters")
        assert 2 == hall.wait(TIMEOUT_S)
