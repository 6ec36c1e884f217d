"""The attack: orders whose connection is reset, sent again with their key, as browsers do.

Each is reset at a random moment, before or after the hub has written it; some hubs are killed and
started again before the second request. Done once means one event more, whatever happened.
"""

import json
import socket
import struct
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

from tests.chaos.kills import OPEN, Running
from tests.chaos.result import Result
from tests.patience import TIMEOUT_S

LATEST_S = 0.03
"""Seconds after which a connection is reset; by then, the order is usually written."""
AT_ONCE = struct.pack("ii", 1, 0)
"""The value of SO_LINGER that makes `close` a reset."""


def repeat(seed: int, orders: int, kill_every: int = 10) -> Result:
    """Send every order twice, the first time with a reset connection."""
    luck = Random(seed)
    failures: list[str] = []
    worst, written = 0.0, 0
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as folder:
        hub = Running(Path(folder))
        try:
            status, _ = _answer(_sent(hub, OPEN, f"{'open':-<20}"))
            assert status == 200, status
            for number in range(orders):
                key, body = f"{number:-<20}", _something(luck)
                before = hub.ask("/api/state")["seq"]
                _reset(_sent(hub, body, key), luck.uniform(0.0, LATEST_S))
                written += hub.ask("/api/state")["seq"] > before
                if number % kill_every == kill_every - 1:
                    hub.kill()
                    hub = Running(Path(folder))
                began = time.monotonic()
                status, answer = _answer(_sent(hub, body, key))
                worst = max(worst, time.monotonic() - began)
                after = hub.ask("/api/state")["seq"]
                if (status, answer.get("seq"), after) != (200, before + 1, before + 1):
                    what = f"{status} {answer}, events {before} to {after}"
                    failures.append(f"seed {seed}, order {number} {body}: {what}")
        finally:
            hub.kill()
    return Result(orders, failures, worst, f"{written} were written before they came again")


def _something(luck: Random) -> dict[str, Any]:
    """Return an order of one event that would do harm if it were done twice."""
    kind = luck.choice(["toggle-marker", "toggle-marker", "rename"])
    name = {"name": f"Ann {luck.random()}"[:20]} if kind == "rename" else {}
    return {"type": kind, "seat": luck.randint(1, 4), **name}


def _sent(hub: Running, body: dict[str, Any], key: str) -> socket.socket:
    content = json.dumps(body).encode()
    head = (
        f"POST /api/commands HTTP/1.1\r\nHost: 127.0.0.1:{hub.port}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        f"Idempotency-Key: {key}\r\n\r\n"
    )
    link = socket.create_connection(("127.0.0.1", hub.port), TIMEOUT_S)
    link.sendall(head.encode() + content)
    return link


def _reset(link: socket.socket, after_s: float) -> None:
    # Not a sleep but the attack: the moment of the reset.
    threading.Event().wait(after_s)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
    link.close()


def _answer(link: socket.socket) -> tuple[int, dict[str, Any]]:
    with link, link.makefile("rb") as file:
        head, _, body = file.read().partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)
