"""The slowest presses of a busy evening, and the stages in which they spent their time.

All the time fifty pages are open and the table's hall has a dead Redis. In turn, nothing else
happens; somebody reads the history of thirty evenings; a phone loads the pages with the counting by
photo; or the hub speaks, and espeak-ng makes more clips.

Of a press, processor time of this process outside the commit is ours. The rest is the disk's, or
the machine's, whose cores others use too.
"""

import contextlib
import shutil
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bench.flat import past
from bench.readers import going_on, readers
from bench.rig import STAGES, Press, Rig
from centerpiece.config import HallSettings
from centerpiece.hall.table.hall_link import HallLink
from centerpiece.hub.preferences import PREFERENCES
from centerpiece.web.static_files import STATIC
from hal.health import ignore_trouble
from hal.ports import Clip, ClipSequence
from hal.voice.library import Library

PAGES = 50
EVENINGS = 30
IN_TURN = 25
"""Presses before the next circumstance."""
PACE = 0.008
SPEAKS_EVERY = 0.1
NOBODY = "redis://127.0.0.1:1"
Circumstance = Callable[[], AbstractContextManager[None]]


@contextlib.contextmanager
def speaking(rig: Rig, library: Library) -> Iterator[None]:
    """Let the hub read the standings aloud while a process makes clips."""
    done = threading.Event()

    def prefer(aloud: bool) -> None:
        rig.hub.change(PREFERENCES, lambda before: replace(before, aloud=aloud))

    def talk() -> None:
        for number in count():
            text = f"text number {time.time():.1f} {number}"
            sentence = ClipSequence("en", (Clip(f"card/{text}", text),))
            while not library.seconds(sentence):
                library.prepare(sentence)
                rig.loop.call_soon_threadsafe(rig.hub.read_aloud, "standings")
                if done.wait(SPEAKS_EVERY):
                    return

    rig.loop.call_soon_threadsafe(prefer, True)
    thread = threading.Thread(target=talk)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        rig.loop.call_soon_threadsafe(prefer, False)


def photo_page() -> str:
    """Return all paths that a phone loads to count by photo."""
    scripts = sorted(path.name for path in STATIC.glob("*.js"))
    return ",".join(["/", *(f"/static/{name}" for name in (*scripts, "style.css", "photo.css"))])


def presses(rig: Rig, turns: int, voice: Library | None) -> dict[str, list[Press]]:
    """Press under each circumstance in turn."""
    with ExitStack() as evening:
        evening.enter_context(readers(rig.port, "pages", str(PAGES)))
        settings = HallSettings(url=NOBODY, id="bench")
        link = HallLink(rig.hub, settings, ignore_trouble, rig.loop.call_soon_threadsafe)
        link.start()
        evening.callback(link.stop)
        circumstances: dict[str, Circumstance] = {"nothing more": contextlib.nullcontext}
        asking = []
        for name, paths in (("history read", "/api/history"), ("photo page", photo_page())):
            process = evening.enter_context(readers(rig.port, "ask", paths))
            asking.append(process)
            circumstances[name] = partial(going_on, process)
        if voice is not None:
            circumstances["speech made"] = partial(speaking, rig, voice)
        time.sleep(2.0)  # until all are connected
        for process in asking:
            process.send_signal(signal.SIGSTOP)
        made: dict[str, list[Press]] = {name: [] for name in circumstances}
        for turn in range(turns):
            for name, circumstance in circumstances.items():
                with circumstance():
                    for n in range(IN_TURN):
                        time.sleep(PACE)
                        made[name].append(rig.press((turn + n) % 4 + 1))
        return made


def measure(quick: bool) -> dict[str, Any]:
    """Return the slowest presses by circumstance, and the stages of the slowest ten."""
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        folder = Path(name)
        voice = Library(folder / "clips") if shutil.which("espeak-ng") else None
        rig = Rig(past(folder / "table.db", EVENINGS))
        found = rig.run(lambda rig: presses(rig, 2 if quick else 50, voice), pages=True)
    every = [press for made in found.values() for press in made]
    slowest = sorted(every, key=lambda press: press.took)[-10:]
    median = statistics.median

    def stages(made: list[Press], middle: Callable[[Iterator[float]], float]) -> dict[str, float]:
        return {stage: 1e3 * middle(press.stages[stage] for press in made) for stage in STAGES}

    result: dict[str, Any] = {
        "presses": len(every),
        "ours_over_10_ms": sum(press.ours > 0.010 for press in every),
        "ours_max_ms": 1e3 * max(press.ours for press in every),
        "stages_ms": stages(every, median),
        "slowest_stages_ms": stages(slowest, statistics.fmean),
    }
    if voice is not None:
        aloud, silent = (
            median(press.took for press in found[name]) for name in ("speech made", "nothing more")
        )
        result["voice"] = aloud / silent
    return result
