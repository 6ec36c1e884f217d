"""The attack: `kill -9` at any moment of a real `centerpiece run`, again and again on one journal.

Presses and commands come over HTTP as fast as they are answered, and the card stalls now and
then. Whatever was answered or streamed before the kill must be there after the next start.
"""

import http.client
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from tests.chaos.power import HERE
from tests.chaos.result import Result
from tests.patience import TIMEOUT_S

STALL_MS = 200
OPEN = {
    "type": "open-table",
    "rules": "mexican-train/classic",
    "players": ["Ann", "Bob", "Cara", "Dan"],
}


class Running:
    """A hub in its own process, and the last event that it has shown."""

    def __init__(self, data: Path, *options: str, **environment: str) -> None:
        began = time.monotonic()
        command = [sys.executable, "-m", "centerpiece", "run", "--data", str(data), "--port", "0"]
        self.process = subprocess.Popen(
            [*command, *options],
            cwd=HERE.parent.parent,
            env=os.environ | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.seen = 0
        self.said: list[str] = []
        self.port = self._port()
        self.started_s = time.monotonic() - began

    def _port(self) -> int:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"pages=http://[^:]+:(\d+)/", line):
                threading.Thread(target=self._listen, daemon=True).start()
                return int(found[1])
        raise AssertionError("it does not start: " + "".join(self.said))

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self.said.extend(self.process.stderr)

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(TIMEOUT_S)

    def ask(self, path: str) -> Any:
        link = self.connect()
        link.request("GET", path)
        return json.load(link.getresponse())

    def watch(self) -> threading.Thread:
        """Keep a page open until the process ends."""
        watcher = threading.Thread(target=self._watch, daemon=True)
        watcher.start()
        return watcher

    def _watch(self) -> None:
        try:
            link = self.connect()
            link.request("GET", "/api/events")
            for line in link.getresponse():
                if line.startswith(b"id: ") and line.endswith(b"\n"):
                    self.seen = max(self.seen, int(line[4:]))
        except (OSError, http.client.HTTPException):
            return

    def hammer(self, seed: int) -> threading.Thread:
        """Press and send commands until the process ends."""
        hammering = threading.Thread(target=self._hammer, args=(Random(seed),), daemon=True)
        hammering.start()
        return hammering

    def _hammer(self, luck: Random) -> None:
        try:
            link = self.connect()
            while True:
                self._send(link, *_something(luck))
        except (OSError, http.client.HTTPException, ValueError):
            return

    def _send(self, link: http.client.HTTPConnection, path: str, body: object) -> None:
        headers = {"Content-Type": "application/json"}
        link.request("POST", path, json.dumps(body), headers)
        answer = link.getresponse()
        content = answer.read()
        if answer.status == 200:
            self.seen = max(self.seen, json.loads(content)["seq"])


def _something(luck: Random) -> tuple[str, object]:
    dice = luck.random()
    if dice < 0.1:
        return "/api/commands", OPEN
    if dice < 0.3:
        order = luck.choice(["undo", "redo", "next-round", "block", "open-lobby"])
        return "/api/commands", {"type": order}
    if dice < 0.5:
        seat, pips = luck.randint(1, 4), luck.randint(0, 60)
        return "/api/commands", {"type": "enter-score", "seat": seat, "pips": pips}
    button = luck.choice(["seat-1", "seat-2", "seat-3", "train", "advance", "undo"])
    return "/api/hub/press", {"button": button, "down": luck.random() < 0.5}


def _stalling(folder: Path) -> dict[str, str]:
    """Return the environment that makes the disk of a hub in this folder stall."""
    library = folder / "slow.so"
    words = ["gcc", "-shared", "-fPIC", "-O2", "-o", library, HERE / "slow.c", "-ldl"]
    subprocess.run([*map(str, words)], check=True)
    return {
        "LD_PRELOAD": str(library),
        "CHAOS_FOLDER": str(folder),
        "CHAOS_STALL_MS": str(STALL_MS),
    }


def kill_again_and_again(seed: int, kills: int, longest_s: float = 1.0) -> Result:
    """Start, hammer, kill at a random moment, start again on the same journal."""
    luck = Random(seed)
    failures: list[str] = []
    worst, seen, shown = 0.0, 0, 0
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        slow = _stalling(Path(name))
        for turn in range(kills + 1):
            try:
                hub = Running(Path(name) / "data", **slow)
            except AssertionError as error:
                failures.append(f"seed {seed}, after kill {turn}: {error}")
                break
            try:
                found = hub.ask("/api/state")["seq"]
                worst = max(worst, hub.started_s)
                if found < seen:
                    failures.append(f"seed {seed}, kill {turn}: {seen} were shown, {found} left")
                if turn < kills:
                    others = [hub.watch(), hub.hammer(luck.random()), hub.hammer(luck.random())]
                    # Not a sleep but the attack: the moment of the kill.
                    threading.Event().wait(luck.uniform(0.0, longest_s))
            finally:
                hub.kill()
            if turn < kills:
                for other in others:
                    other.join(TIMEOUT_S)
            shown += hub.seen - found if hub.seen else 0
            seen = max(seen, found, hub.seen)
            crashes = [line for line in hub.said if "Traceback" in line]
            failures += [f"seed {seed}, kill {turn}: {''.join(hub.said)}"] if crashes else []
    return Result(kills, failures, worst, f"{shown} events shown before the kills")


def _delete(file: Path) -> None:
    for each in file.parent.glob(f"{file.name}*"):
        each.unlink()


def _overwrite(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:  # else all of it is still in the log
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with file.open("r+b") as opened:
        opened.write(bytes(file.stat().st_size))


def take_away(times: int) -> Result:
    """Delete or overwrite the journal of an idle hub, and kill the hub once it reports that."""
    failures, worst = [], 0.0
    for turn in range(times):
        with tempfile.TemporaryDirectory() as folder:
            hub = Running(Path(folder))
            try:
                hub._send(hub.connect(), "/api/commands", OPEN)
                (_overwrite if turn % 2 else _delete)(Path(folder) / "table.db")
                began = time.monotonic()
                while not any(
                    each["device"] == "journal" for each in hub.ask("/api/state")["trouble"]
                ):
                    if time.monotonic() - began > TIMEOUT_S:
                        failures.append("nobody noticed")
                        break
                    threading.Event().wait(0.1)
                worst = max(worst, time.monotonic() - began)
            finally:
                hub.kill()
            again = Running(Path(folder))
            try:
                if again.ask("/api/state")["seq"] < hub.seen:
                    failures.append(f"{hub.seen} events were shown, not all are there")
            finally:
                again.kill()
    return Result(times, failures, worst)
