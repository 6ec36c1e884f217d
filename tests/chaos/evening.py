"""A child process: an evening at a simulated hub, with a record of all its outputs.

    python -m tests.chaos.evening FOLDER SEED STEPS [careless]

The disk stalls now and then: then presses and orders go on, and nothing of them may be shown.
Each light, sound and answer is noted in FOLDER/shown with the sequence number it stood for, so
that a recording of the folder has shown things in order with writes and syncs.
"""

import os
import sys
from pathlib import Path
from random import Random

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.storage.journal import Journal
from centerpiece.storage.writer import DirectWriter
from centerpiece.table.commands import Join, OpenTable, Redo, Undo
from hal.ports import BUTTONS, ClipSequence
from sim.board import build
from sim.clock import VirtualClock

OPEN = OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12)


class Witness:
    """Lights and sound that record the last event each time they show something."""

    def __init__(self, folder: Path) -> None:
        self._notes = os.open(folder / "shown", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.hub: Hub | None = None
        self.count = 87
        self._frame = b""

    def note(self) -> None:
        if self.hub is not None:
            os.write(self._notes, b"%d\n" % self.hub.seq)

    def show(self, frame: bytes) -> None:
        if frame != self._frame:
            self._frame = frame
            self.note()

    def play(self, cue: str) -> None:
        self.note()

    def say(self, sentence: ClipSequence) -> float | None:
        self.note()
        return None

    def prepare(self, sentence: ClipSequence) -> None: ...

    def set_brightness(self, brightness: float) -> None: ...

    def set_volume(self, volume: float) -> None: ...

    def close(self) -> None: ...


def play(folder: Path, seed: int, steps: int, careless: bool = False) -> None:
    """Random presses by people with a plan: mostly sensible, sometimes not.

    `careless` leaves the syncs out, to show that the attack would notice.
    """
    luck = Random(seed)
    witness = Witness(folder)
    clock = VirtualClock()
    board = build(clock=clock)._replace(lights=witness, sound=witness)
    journal = Journal(folder / "table.db", GAMES)
    writer = DirectWriter(journal)
    hub = Hub(GAMES, journal, board, writer=writer)
    writer.listen(hub.wrote)
    if careless:
        hub.journal.database.execute("PRAGMA synchronous=OFF")
    witness.hub = hub
    hub.on_stale(hub.paint)
    board.buttons.listen(hub.hear)
    for _ in range(steps):
        luck.choice([writer.hold, writer.go_on, writer.go_on])()
        if hub.table.phase in ("lobby", "finished") and luck.random() < 0.8:
            _try(hub, witness, OPEN)
        elif luck.random() < 0.05:
            _try(hub, witness, luck.choice([Undo(), Redo(), Join(f"Guest {luck.random()}")]))
        else:
            _press(hub, board, clock, luck)
    writer.go_on()


def _try(hub: Hub, witness: Witness, command: object) -> None:
    hub.order(command, lambda answer: witness.note())  # type: ignore[arg-type]


def _press(hub: Hub, board: object, clock: VirtualClock, luck: Random) -> None:
    button = luck.choice([*BUTTONS[:4], "train", "advance", "undo", *BUTTONS[:4], "whistle"])
    board.buttons.press(button)  # type: ignore[attr-defined]
    _wait(hub, clock, luck.choice([0.05, 0.05, 0.05, 0.9, 1.6]))
    board.buttons.release(button)  # type: ignore[attr-defined]
    _wait(hub, clock, luck.choice([0.1, 0.5]))


def _wait(hub: Hub, clock: VirtualClock, seconds: float) -> None:
    until = clock.now() + seconds
    while (wake := hub.next_wake()) is not None and wake <= until:
        clock.move(max(0.0, wake - clock.now()))
        hub.wake()
    clock.move(until - clock.now())


if __name__ == "__main__":
    play(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), "careless" in sys.argv)
    os._exit(0)  # the plug is pulled: nothing is closed
