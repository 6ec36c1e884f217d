"""Boot an image as an emulated Raspberry Pi 3B, and play on it: `make try-image`.

    python -m tools.try_image dist/centerpiece-0.2.0.img [--update ARCHIVE] [PART …]

It is played in parts (all of them, if none is named), and each begins with the card that the last
one left: what was seen is written to `table.md` beside the card as it is seen. One emulator on one
core of the host is enough, and two starts of the emulated machine (`tools/emulated_pi.py`) take ten
minutes of it.
"""

import argparse
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.emulated_pi import CARD, START_WITHIN, EmulatedMachine, EmulatedTrouble, emulator

ROOT = Path(__file__).resolve().parent.parent
ROUND = (
    *(("tap", f"seat-{n}") for n in (1, 2, 3, 4)),
    ("hold", "advance"),
    ("tap", "seat-1"),
    ("tap", "seat-2"),
    ("tap", "undo"),
    ("tap", "advance"),
    ("tap", "seat-2"),
    *(("tap", button) for button in ("seat-4", "seat-7", "advance")),
    *(("tap", button) for button in ("seat-1", "seat-2", "advance")),
    *(("tap", button) for button in ("seat-5", "advance")),
    ("hold", "advance"),
)
"""Four people sit down and start, seat 1 begins, a marker is put up and taken back, seat 2 goes
out; hands of 47, 12 and 5 are dialled, and the next round begins."""
SCORES = {1: [5], 2: [0], 3: [47], 4: [12]}


class Trial:
    """The steps of a trial; their results are kept beside the card."""

    def __init__(self, machine: EmulatedMachine, options: argparse.Namespace) -> None:
        self.machine = machine
        self.options = options
        self.chance = random.Random(options.seed)
        self._table = machine.work / "table.md"
        self._known = machine.work / "known"

    def do(self, what: str, step: Callable[[], str]) -> None:
        """Do a step and print its line."""
        began = time.monotonic()
        print(f"… {what}", flush=True)
        try:
            found = step()
        except EmulatedTrouble as trouble:
            print(f"  NO: {trouble}", flush=True)
            self._line(what, began, f"NO: {trouble}")
            raise
        print(f"  {found} ({time.monotonic() - began:.0f} s)", flush=True)
        self._line(what, began, found)

    def _line(self, what: str, began: float, found: str) -> None:
        with open(self._table, "a") as table:
            if not table.tell():
                table.write("| step | took | found |\n| --- | --- | --- |\n")
            table.write(f"| {what} | {time.monotonic() - began:.0f} s | {found} |\n")

    def state(self) -> dict[str, Any]:
        """Get the public state; no event that was seen before may be missing."""
        state: dict[str, Any] = self.machine.get("/api/state")
        known = int(self._known.read_text()) if self._known.exists() else 0
        if state["seq"] < known:
            raise EmulatedTrouble(f"{known} events were known, {state['seq']} are left")
        self._known.write_text(str(state["seq"]))
        return state

    # The parts

    def first(self) -> None:
        """Write a new card, cut the power while it grows, then start it."""
        self.machine.cut()
        self._known.unlink(missing_ok=True)
        self.machine.write(self.options.image, self.options.module)
        self.do("a new card's first start, cut off while it grows", self.cut_in_growing)
        self.do("first start, once more", self.starts)
        self.do("grown", self.grown)
        self.do("its own names and keys", self.own)
        self.do("the page", self.page)
        self.do("units", self.units)

    def round(self) -> None:
        """Play a scripted round with the buttons."""
        self.on()
        self.do("a round", self.scripted)
        self.do("sound", self.heard)
        self.do("lights", self.lit)

    def play(self) -> None:
        """Cut the power while buttons are pressed."""
        self.on()
        self.do("cut off in play", self.cut_in_play)

    def start(self) -> None:
        """Cut the power at a random moment of a start."""
        self.machine.cut()
        self.do("cut off in a start", self.cut_in_start)

    def protect(self) -> None:
        """Protect the card, as the page's switch does, and cut the power."""
        self.on()
        self.do("a wish to protect the card, and the plug pulled", self.wished)
        if self.machine.holds(ARCHIVE):
            self.machine.delete("centerpiece-*.tar.gz")

    def protected(self) -> None:
        """Check that a protected card plays, and keeps nothing but games."""
        self.on()
        self.do("the protected card", self.read_only)

    def update(self) -> None:
        """Cut the power at a random moment of an update from the card."""
        self.updating()
        self.do("cut off in an update", self.cut_in_update)

    def updated(self) -> None:
        """Update from the card without a power cut."""
        self.updating()
        self.do("an update from the card", self.changed_over)

    # Their steps

    def stick(self) -> None:
        """Offer a stick with an invalid archive."""
        self.machine.cut()
        self.do("a stick", self.taken_from_a_stick)

    def on(self) -> None:
        """Switch on unless it is on, and wait until it plays."""
        if not self.machine.on:
            self.do("started again", self.starts_again)

    def starts(self) -> str:
        self.machine.start()
        return self.machine.comes_up()

    def starts_again(self) -> str:
        up = self.starts()
        self.machine.connect()
        state = self.state()
        return f"{up}; {state['phase']}, {state['seq']} events, trouble {state['trouble']}"

    def cut_in_growing(self) -> str:
        self.machine.start()
        self.machine.shell.wait(START_WITHIN)
        ask = self.machine.shell.ask
        ask("until pgrep -x resize2fs >/dev/null; do sleep 0.5; done", START_WITHIN)
        after = self.chance.uniform(0, 2)
        time.sleep(after)
        self.machine.cut()
        return f"{after:.1f} s after resize2fs began"

    def cut_in_start(self) -> str:
        after = self.chance.uniform(10, 200)
        self.machine.start()
        time.sleep(after)
        self.machine.cut()
        return f"{after:.0f} s after the plug was put in"

    def cut_in_play(self) -> str:
        seats = [f"seat-{self.chance.randint(1, 4)}" for _ in range(self.chance.randint(2, 5))]
        for seat in seats:
            self.machine.press("tap", seat)
        known = self.state()["seq"]
        after = self.chance.uniform(0, 1)
        self.machine.touch(seats[0])
        time.sleep(after)
        self.machine.cut()
        return f"{known} events known, {after:.2f} s after one more press began"

    def wished(self) -> str:
        """Ask for protection as the hub's own user, as the page does."""
        wish = "/var/lib/centerpiece/protected-wish"
        self.machine.shell.ask(f"runuser -u centerpiece -- sh -c 'echo on > {wish}'")
        self.machine.until("test -e /boot/firmware/centerpiece-protected.txt && sync", 600)
        self.machine.cut()
        return "centerpiece-protected.txt is on the boot partition"

    def read_only(self) -> str:
        ask = self.machine.shell.ask
        how = ask("findmnt -n -o OPTIONS /").split(",")[0]
        ask("touch /etc/written /var/written && ! touch /usr/written 2>/dev/null")
        before = self.state()["seq"]
        self.machine.press("tap", "seat-1")
        after = self.state()["seq"]
        if how != "ro" or before == after:
            raise EmulatedTrouble(
                f"the root is {how}, {before} events before a press, {after} after it"
            )
        return f"root {how}, /etc and /var can be written, a press is event {after}; {self.units()}"

    def updating(self) -> None:
        """Put a newer archive on the card, and switch on."""
        if not self.machine.on and not self.machine.holds(ARCHIVE):
            self.machine.copy(self.options.update)
        self.on()
        begun = "systemctl show -P ActiveState centerpiece-update | grep -qx activating"
        self.machine.shell.ask(f"until {begun}; do sleep 3; done", START_WITHIN)

    def cut_in_update(self) -> str:
        after = self.chance.uniform(5, 240)
        time.sleep(after)
        doing = (
            "ps -e -o args= | grep -Eo 'install.sh|-m (venv|pip|compileall|ensurepip)|/switch ' "
        )
        seen = self.machine.shell.ask(f"{{ {doing} || true; }} | sort -u | tr '\\n' ' '")
        self.machine.cut()
        return f"{after:.0f} s after it began, while these ran: {seen or 'unpacking'}"

    def taken_from_a_stick(self) -> str:
        stick, name = self.machine.work / "stick.img", "centerpiece-9.9.9.tar.gz"
        (self.machine.work / name).write_bytes(b"no archive")
        stick.unlink(missing_ok=True)
        subprocess.run(("mformat", "-C", "-i", stick, "-T", str(64 << 11), "::"), check=True)
        subprocess.run(("mcopy", "-i", stick, self.machine.work / name, "::"), check=True)
        self.machine.start(stick)
        self.machine.comes_up()
        note = "/var/lib/centerpiece-problems/update"
        self.machine.until(f"test -s {note}", START_WITHIN)
        sentence = self.machine.shell.ask(f"cat {note}; sync")
        self.machine.cut()
        listed = subprocess.run(
            ("mdir", "-b", "-i", stick, "::"), check=True, capture_output=True, text=True
        ).stdout
        if f"{name}.refused" not in listed:
            raise EmulatedTrouble(f"on the stick are {listed!r}")
        return f"renamed on the stick, and reported: {sentence}"

    def changed_over(self) -> str:
        ask = self.machine.shell.ask
        before = ask("readlink /opt/centerpiece/current")
        ask("while ls /boot/firmware/centerpiece-*.tar.gz; do sleep 10; done", 6 * START_WITHIN)
        after, listed = ask("readlink /opt/centerpiece/current"), ask("ls /boot/firmware")
        if before == after or "tar.gz.installed" not in listed:
            raise EmulatedTrouble(f"{after} is in use, on the card are {listed}")
        state = self.state()
        return f"from {before} to {after}; {state['phase']}, {state['seq']} events"

    def grown(self) -> str:
        ask = self.machine.shell.ask
        self.machine.until("test -e /opt/centerpiece/started", START_WITHIN)
        size = int(ask("df -m --output=size / | tail -n 1"))
        if size < 3000:
            raise EmulatedTrouble(f"root has {size} MB")
        return f"root has {size} MB of a card of {CARD >> 20} MB"

    def own(self) -> str:
        ask = self.machine.shell.ask
        name = ask("cat /etc/hostname")
        if not re.fullmatch(r"centerpiece-[a-z2-9]{4}", name):
            raise EmulatedTrouble(f"the hub is called {name!r}")
        if len(ask("cat /etc/machine-id")) != 32:
            raise EmulatedTrouble("it has no machine id")
        ssh = ask("systemctl is-enabled ssh || true; systemctl is-active ssh || true").split()
        listed = ask("find /boot/firmware -maxdepth 1 -type f -size +0 -printf '%f '")
        if "centerpiece-sticker.svg" not in listed or ssh != ["disabled", "inactive"]:
            raise EmulatedTrouble(f"SSH is {ssh}, on the boot partition are {listed}")
        return f"{name}, SSH {ssh[0]}, its sticker on the boot partition"

    def page(self) -> str:
        self.machine.connect()
        state = self.state()
        return f"/api/state from outside: {state['phase']}, trouble {state['trouble']}"

    def units(self) -> str:
        failed = self.machine.shell.ask("systemctl --failed --no-legend --plain | tr '\\n' ' '")
        return f"failed units: {failed or 'none'}"

    def scripted(self) -> str:
        for how, button in ROUND:
            self.machine.press(how, button)
        state = self.state()
        scores = {seat["seat"]: seat["scores"] for seat in state["seats"]}
        if (state["phase"], state["round"], scores) != ("playing", 2, SCORES):
            raise EmulatedTrouble(
                f"phase {state['phase']}, round {state['round']}, scores {scores}"
            )
        return f"{len(ROUND)} presses, round 2, hands 5, 0, 47 and 12"

    def heard(self) -> str:
        player = self.machine.sound.player
        if not player.played:
            raise EmulatedTrouble(f"the sound module played nothing; it heard {player.heard[:5]}")
        return f"{len(player.heard)} frames to the sound module, tracks {player.played}"

    def lit(self) -> str:
        """Check the data sent to the kernel's SPI driver, by its tracing."""
        ask = self.machine.shell.ask
        trace = "/sys/kernel/tracing"
        ask(f"mountpoint -q {trace} || mount -t tracefs none {trace}")
        ask(f"echo > {trace}/trace; echo 1 > {trace}/events/spi/spi_transfer_start/enable")
        self.machine.press("tap", "seat-3")
        said = ask(f"grep -c spi_transfer_start {trace}/trace || true")
        first = ask(f"grep -m1 -o 'len=.*' {trace}/trace | cut -c1-60 || true")
        ask(f"echo 0 > {trace}/events/spi/spi_transfer_start/enable")
        if not int(said):
            raise EmulatedTrouble("nothing was sent to the lights")
        return f"{said} transfers to the lights for one tap, {first}"


PARTS = ("first", "round", "play", "protect", "protected", "start", "update", "updated", "stick")
EVERYTHING = (
    *("first", "round", "play", "update", "update", "start", "update", "protect"),
    *("start", "start", "protected", "play", "updated", "stick"),
)
"""Ten cuts, those in growing and in protecting included."""
ARCHIVE = r"centerpiece-[^/]*\.tar\.gz\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Boot an image and play on it.")
    parser.add_argument("image", type=Path)
    parser.add_argument("parts", nargs="*", default=[], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--work", type=Path, default=ROOT / "build/try")
    parser.add_argument(
        "--qemu", type=Path, default=ROOT / "build/qemu", help="tools/qemu.sh made it"
    )
    parser.add_argument("--module", type=Path, default=ROOT / "build/gpio-sim.ko")
    parser.add_argument("--update", type=Path, help="an archive that is newer than the image")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="UNIT",
        help="a unit that is not started, where an emulated start takes too long with it",
    )
    options = parser.parse_intermixed_args()
    options.work.mkdir(parents=True, exist_ok=True)
    machine = EmulatedMachine(options.work, emulator(options.qemu), options.without)
    machine.sound.start()
    trial = Trial(machine, options)
    try:
        for part in options.parts or EVERYTHING:
            getattr(trial, part)()
        trial.on()
    except EmulatedTrouble:
        return 1
    finally:
        machine.cut()
    return 0


if __name__ == "__main__":
    sys.exit(main())
