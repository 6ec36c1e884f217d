"""The slowest presses of an evening in which everything happens at once, and what made them slow.

    python -m bench.outliers [--quick] [--json FILE]

All the time fifty pages are open and the table's hall has a Redis that is dead. In turn nothing
more is going on; somebody reads the history of thirty evenings; somebody's phone loads the pages,
the counting by photo among them; or the hub speaks, and espeak-ng makes it more clips.

Of a press, time outside the commit in which this process was at work is ours. The rest is the
disk's, or the machine's, which shares its cores with others.
"""

import contextlib
import os
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from itertools import count
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bench.flat import past
from bench.measure import main, spread
from bench.readers import going_on, readers
from bench.rig import STAGES, Press, Rig
from centerpiece.config import HallSettings
from centerpiece.hall.table.link import Link
from centerpiece.hub.preferences import PREFERENCES
from centerpiece.web.static_files import STATIC
from hal.cues import samples
from hal.health import unheard
from hal.ports import Clip, Sentence
from hal.settings import SoundSettings
from hal.sound.alsa_sound import AlsaSound
from hal.voice.library import Library
from sim.board import build

PAGES = 50
EVENINGS = 30
IN_TURN = 25
"""Presses before the next thing goes on instead."""
PACE = 0.008
SPEAKS_EVERY = 0.1
NOBODY = "redis://127.0.0.1:1"
Circumstance = Callable[[], AbstractContextManager[None]]


class Voice:
    """A sound card's driver without a loudspeaker, and the process that makes its clips."""

    def __init__(self, folder: Path) -> None:
        os.environ["SDL_AUDIODRIVER"] = "dummy"
        self.library = Library(folder / "clips")
        settings = SoundSettings(driver="alsa")
        self.sound = AlsaSound(settings, unheard, samples, library=self.library)
        self._numbers = count()
        self.made = 0

    @contextlib.contextmanager
    def speaks(self, rig: Rig) -> Iterator[None]:
        """The hub composes the standings, the driver says what was made, and more is made."""
        done = threading.Event()

        def call(aloud: bool) -> None:
            rig.hub.change(PREFERENCES, lambda before: replace(before, aloud=aloud))

        def talk() -> None:
            sentence = None
            while not done.wait(SPEAKS_EVERY):
                rig.loop.call_soon_threadsafe(rig.hub.read_aloud, "standings")
                if sentence is None or self.sound.say(sentence):
                    self.made += sentence is not None
                    text = f"text number {next(self._numbers)}"
                    sentence = Sentence("en", (Clip(f"card/{text}", text),))
                    self.sound.prepare(sentence)

        rig.loop.call_soon_threadsafe(call, True)
        thread = threading.Thread(target=talk)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
            rig.loop.call_soon_threadsafe(call, False)


def photo_page() -> str:
    """Return everything that a phone loads, the counting by photo among it."""
    scripts = sorted(path.name for path in STATIC.glob("*.js"))
    return ",".join(["/", *(f"/static/{name}" for name in (*scripts, "style.css", "photo.css"))])


def presses(rig: Rig, turns: int, voice: Voice | None) -> dict[str, list[Press]]:
    """Press under every circumstance, in turn."""
    with ExitStack() as evening:
        evening.enter_context(readers(rig.port, "pages", str(PAGES)))
        settings = HallSettings(url=NOBODY, id="bench")
        link = Link(rig.hub, settings, unheard, rig.loop.call_soon_threadsafe)
        link.start()
        evening.callback(link.stop)
        circumstances: dict[str, Circumstance] = {"nothing more": contextlib.nullcontext}
        for name, paths in (("history read", "/api/history"), ("photo page", photo_page())):
            process = evening.enter_context(readers(rig.port, "ask", paths))
            circumstances[name] = lambda process=process: going_on(process)  # type: ignore[misc]
        if voice is not None:
            circumstances["speech made"] = lambda: voice.speaks(rig)
        time.sleep(2.0)  # until all of them are there
        for circumstance in circumstances.values():
            with circumstance():
                pass  # and those who ask do not yet
        found: dict[str, list[Press]] = {name: [] for name in circumstances}
        for turn in range(turns):
            for name, circumstance in circumstances.items():
                with circumstance():
                    for n in range(IN_TURN):
                        time.sleep(PACE)
                        found[name].append(rig.press((turn + n) % 4 + 1))
        return found


def measure(quick: bool) -> dict[str, Any]:
    """Return what was slow by circumstance, and where the slowest ten spent their time, in ms."""
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        folder = Path(name)
        voice = Voice(folder) if shutil.which("espeak-ng") else None
        board = build() if voice is None else build()._replace(sound=voice.sound)
        rig = Rig(past(folder / "table.db", EVENINGS), board)
        found = rig.run(lambda rig: presses(rig, 2 if quick else 50, voice), pages=True)
    every = [press for made in found.values() for press in made]
    slowest = sorted(every, key=lambda press: press.took)[-10:]
    median = statistics.median
    result: dict[str, Any] = {
        "presses": len(every),
        "ours_over_10_ms": sum(press.ours > 0.010 for press in every),
        "ours_max_ms": 1e3 * max(press.ours for press in every),
        "by_circumstance_ms": {
            name: {key: 1e3 * took for key, took in spread([p.took for p in made]).items()}
            | {"ours_max": 1e3 * max(press.ours for press in made)}
            for name, made in found.items()
        },
        "stages_ms": {
            stage: 1e3 * median(press.stages[stage] for press in every) for stage in STAGES
        },
        "slowest_ms": [
            {stage: round(1e3 * took, 2) for stage, took in press.stages.items()}
            | {"in all": round(1e3 * press.took, 2), "ours": round(1e3 * press.ours, 2)}
            for press in reversed(slowest)
        ],
        "slowest_stages_ms": {
            stage: 1e3 * statistics.fmean(press.stages[stage] for press in slowest)
            for stage in STAGES
        },
    }
    if voice is not None:
        silent, aloud = (
            median(press.took for press in found[name]) for name in ("nothing more", "speech made")
        )
        result["voice"] = {"ratio": aloud / silent, "clips_made": voice.made}
    return result


if __name__ == "__main__":
    main(measure, __doc__)
