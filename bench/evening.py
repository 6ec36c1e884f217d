"""An evening at human pace: on a slow computer, and with a card that stalls.

The whole service runs in a process of its own; hands and ten open pages are outside. A slow one has
a tenth of a core (`bench.tenth`); with a stalling card every write takes as long as a bad card's
sync. Edges carry the time at which a finger moved, as a kernel stamps them; playing the same edges
in virtual time gives the events they must lead to.
"""

import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any
from urllib.request import urlopen

from bench.measure import ENV, ROOT, spread
from bench.readers import readers
from bench.rig import SETTLED, Rig, meant
from bench.start import hub
from centerpiece.display.render import Layout
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import TIMING
from centerpiece.storage.journal import Journal, JournalEntry
from hal.ports import Edge, Frame
from sim.board import build
from sim.hands import HandGesture, dialled, double, hold, steps, tap

PAGES = 10
SLOWLY = (sys.executable, "-m", "bench.tenth")
CARDS = {"fast": 0.0, "50 ms": 0.05, "300 ms": 0.3, "2 s": 2.0, "5 s now and then": 5.0}
WORST = ("300 ms", "5 s now and then")
SPORADIC = 20
"""One write in so many stalls “now and then”."""
LOADED_S = {True: 8.0, False: 1.0}
"""Seconds for a hub to load its pages before the evening, by whether it is slow."""
LOOKS_EVERY = 0.02


class SlowJournal(Journal):
    """A journal on a slow disk."""

    stall, sporadic = 0.0, False
    luck = random.Random(1)

    def keep(self, entries: Sequence[JournalEntry]) -> None:
        if not self.sporadic or self.luck.random() < 1 / SPORADIC:
            time.sleep(self.stall)
        super().keep(entries)


def played(rounds: int) -> Iterator[HandGesture]:
    """Yield gestures of four people: markers, doubles, whistles, going out, hands, next round."""
    for number in range(rounds):
        yield from (tap(f"seat-{seat}") for seat in (1, 2, 3, 1, 4, 2))
        yield from [double(f"seat-{number % 4 + 1}")] * 2
        yield from (tap("whistle"), tap("seat-2"), tap("undo"), tap("train"), hold("seat-3"))
        yield from (tap("advance"), tap("seat-3"))
        for hand in (12, 31, 7):
            yield from dialled(hand + number)
        yield hold("advance")


def serve(folder: Path, card: str) -> None:
    """Run a hub on edges from standard input, and record what it shows."""
    journal = SlowJournal(folder / "table.db", GAMES)
    rig = Rig(journal, timing=TIMING)
    journal.stall, journal.sporadic = CARDS[card], "now and then" in card
    seen: dict[str, Any] = {"frames": [], "cues": [], "events": [], "gap": 0.0}
    show, last = rig.board.lights.show, [inf]

    def noted(frame: Frame) -> None:
        show(frame)
        seen["frames"].append((time.monotonic(), rig.hub.seq, frame.hex()))

    def look() -> None:
        """Record the longest gap between two turns of the loop, as a watchdog would."""
        now = time.monotonic()
        seen["gap"], last[0] = max(seen["gap"], now - last[0]), now
        rig.loop.call_later(LOOKS_EVERY, look)

    def finger(rig: Rig) -> None:
        rig.loop.call_soon_threadsafe(look)
        seen["before"] = rig.hub.seq
        print(rig.port, flush=True)
        for line in sys.stdin:
            button, down, now = line.split()
            rig.service.edge(Edge(button, down == "1", float(now)))
        while rig.hub.seq < rig.hub.decided.ledger.seq:  # the card has some of it still
            time.sleep(LOOKS_EVERY)

    rig.board.lights.show = noted  # type: ignore[method-assign]
    rig.board.sound.listeners.append(lambda cue, _: seen["cues"].append((time.monotonic(), cue)))
    rig.hub.on_recorded(lambda done: seen["events"].extend(repr(each.event) for each in done))
    rig.run(finger, pages=True)
    (folder / "seen.json").write_text(json.dumps(seen))


def evening(name: str, card: str, slow: bool, rounds: int) -> dict[str, Any]:
    """Play an evening in real time; return delays in ms, and whether all was heard right."""
    folder = Path(tempfile.mkdtemp(dir=name))
    words = [sys.executable, "-m", "bench.evening", str(folder), card]
    words = [*(SLOWLY if slow else ()), *words]
    with Popen(words, cwd=ROOT, env=ENV, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        port = int(process.stdout.readline())
        edges, pages, due = [], [], 0.0
        with readers(port, "pages", str(PAGES)):
            time.sleep(LOADED_S[slow])
            for gesture in played(rounds):
                for button, down, pause in steps(gesture):
                    time.sleep(max(0.0, due - time.monotonic()))
                    edge = Edge(button, down, time.monotonic())
                    print(button, int(down), edge.now, file=process.stdin, flush=True)
                    edges.append(edge)
                    due = edge.now + pause
                if not slow:
                    pages.append(page(port))
            time.sleep(2 * SETTLED)
        process.stdin.close()
        process.wait(60)
    return judged(edges, pages, json.loads((folder / "seen.json").read_text()))


def page(port: int) -> float:
    began = time.monotonic()
    with urlopen(f"http://127.0.0.1:{port}/") as answer:
        answer.read()
    return time.monotonic() - began


def judged(edges: list[Edge], pages: list[float], seen: dict[str, Any]) -> dict[str, Any]:
    """Compare what a hub has shown, and when, with what it should have; inf is never."""
    due = meant(edges)
    layout = Layout(build().zones)
    frames = [(at, seq, bytes.fromhex(frame)) for at, seq, frame in seen["frames"]]
    times: dict[str, list[float]] = {"echo": [], "whistle": [], "light": [], "page": pages}
    for button, now in ((edge.button, edge.now) for edge in edges if edge.down):
        if button == "whistle":
            times["whistle"].append(next((at for at, _ in seen["cues"] if at >= now), inf) - now)
        elif layout.size(button):
            known = [layout.zone(frame, button) for at, _, frame in frames if at < now][-1]
            after = ((at, layout.zone(frame, button)) for at, _, frame in frames if at >= now)
            times["echo"].append(next((at for at, zone in after if zone != known), inf) - now)
    right = seen["events"] == [repr(event) for _, event in due]
    for number, (offset, _) in enumerate(due if right else (), seen["before"] + 1):
        shown = next((at for at, seq, _ in frames if seq >= number), inf)
        times["light"].append(shown - edges[0].now - offset)
    spreads = {
        name: {k: 1e3 * v for k, v in spread(took).items()} for name, took in times.items() if took
    }
    return spreads | {"events": len(due), "right": 100.0 * right, "gap": 1e3 * seen["gap"]}


def on_cards(cards: Sequence[str]) -> dict[str, Any]:
    """Play an evening with each card, all at the same time, since they mostly wait."""
    with (
        tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name,
        ThreadPoolExecutor(len(cards)) as pool,
    ):
        play = partial(evening, name, slow=False, rounds=1)
        return dict(zip(cards, pool.map(play, cards), strict=True))


def measure(quick: bool) -> dict[str, Any]:
    """Return the worst of the evenings with bad cards, and the slow computer's."""
    evenings = on_cards(WORST).values()
    worst = {name: max(e[name]["p50"] for e in evenings) for name in ("echo", "whistle", "page")}
    worst["right"] = min(e["right"] for e in evenings)
    worst["gap"] = max(e["gap"] for e in evenings)
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        slow = evening(name, "fast", slow=True, rounds=1 if quick else 3)
        with hub(Path(name) / "start", SLOWLY) as started:
            slow["plays_s"] = started.plays
    return {"stalled": worst, "slow": slow}


if __name__ == "__main__":
    serve(Path(sys.argv[1]), sys.argv[2])
