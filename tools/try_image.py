"""Boots an image as an emulated Raspberry Pi 3B, and plays on it: `make try-image`.

    python -m tools.try_image dist/centerpiece-0.1.0.img [--update ARCHIVE] [PART …]

The card is a copy of the image on a larger card, so the first start really grows it. A simulated
GPIO chip (`tools/gpio_sim.sh` builds the module) takes the place of the Pi's own, which has no
inputs there: module and script are copied to the card's boot partition, as any computer could, and
nothing else is added. The kernel's command line asks systemd for a shell on a serial line, through
which the machine is looked at, gets its chip, and an address on QEMU's network. The sound module
hangs on the other serial line. The plug is pulled by killing the emulator.

It is played in parts (all of them, if none is named), and each begins with the card that the last
one left: what was seen is written to `table.md` beside the card as it is seen. One emulator on one
core of the host is enough, and two starts of the emulated machine take ten minutes of it.

It needs QEMU 10 (`tools/qemu.sh`), mtools and device-tree-compiler.
"""

import argparse
import base64
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hal.settings import default_pins
from tests.dfplayer import Player

ROOT = Path(__file__).resolve().parent.parent
FIRST_PARTITION = 4 << 20
CARD = 4 << 30
"""Bytes of the card: QEMU wants a power of two."""
START_WITHIN = 1800.0
"""Seconds for a start; an emulated one takes about four minutes on a quiet machine."""
CORES = "maxcpus=1"
"""One core is emulated on one core: more would wait for each other."""
SHELL = "systemd.debug_shell=1 systemd.default_debug_tty=ttyS1"
UNHURRIED = base64.b64encode(b"[Service]\nTimeoutStartSec=infinity\n").decode()
PATIENCE = (
    "systemd.service_watchdogs=0 systemd.default_timeout_start_sec=1800 "
    "systemd.default_device_timeout_sec=1800 systemd.show_status=0 "
    + " ".join(
        f"systemd.set_credential_binary=systemd.unit-dropin.{unit}.service:{UNHURRIED}"
        for unit in ("centerpiece", "centerpiece-update")
    )
)
"""No limits of time: they are for machines that are not fifty times slower than the real one."""
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

CHIP = """
set -e
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
lsmod | grep -q gpio_sim || insmod /boot/firmware/gpio-sim.ko
cd /sys/kernel/config/gpio-sim
[ -d hub ] || { mkdir hub hub/bank0; echo 54 > hub/bank0/num_lines; echo 1 > hub/live; }
chip=$(cat hub/bank0/chip_name)
while [ ! -e /dev/$chip ]; do sleep 1; done
[ $chip = gpiochip0 ] || ln -sf $chip /dev/gpiochip0
chgrp gpio /dev/$chip
chmod 660 /dev/$chip
ls -d /sys/devices/platform/gpio-sim.*/$chip > /run/sim
"""
"""Gives the machine a chip with inputs, in the place of its own. Before the hub opens it."""


FINGER = "sim=$(cat /run/sim); exec 9<> <(:); wait_for() { read -t $1 -u 9 || true; }"


class Trouble(Exception):
    """The machine did not do what it should; the message says what was awaited and what came."""


class Shell:
    """A root shell on a serial line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._line: socket.socket | None = None
        self._count = 0

    def wait(self, limit: float) -> None:
        """Until it answers."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            with suppress(OSError, Trouble):
                if self._line is None:
                    line = socket.socket(socket.AF_UNIX)
                    line.connect(str(self._path))
                    self._line = line
                self._line.sendall(b"\nstty -echo; export PS1= TERM=dumb LC_ALL=C SYSTEMD_PAGER=\n")
                self.ask("true", 30)
                return
            time.sleep(2)
        raise Trouble(f"no shell answered within {limit:.0f} s")

    def ask(self, command: str, limit: float = 600.0) -> str:
        """What a command says."""
        self._count += 1
        mark = f"ended-{self._count}"
        self.say(f"{command}\necho {mark[:5]}''{mark[5:]} $?")
        said = self._until(rf"{mark} (\d+)\r?\n", limit)
        text, code = re.split(rf"{mark} (\d+)\r?\n", said)[:2]
        text = text.replace("\r", "").strip()
        if code != "0":
            raise Trouble(f"{command[:60]!r} ended with {code}: {text[-300:]}")
        return text

    def say(self, command: str) -> None:
        """Begin a command, and do not wait for it."""
        assert self._line is not None
        self._line.sendall(f"{command}\n".encode())

    def _until(self, pattern: str, limit: float) -> str:
        assert self._line is not None
        said, end = "", time.monotonic() + limit
        self._line.settimeout(1.0)
        while not re.search(pattern, said):
            if time.monotonic() > end:
                raise Trouble(f"no answer within {limit:.0f} s; came: {said[-200:]!r}")
            with suppress(TimeoutError):
                more = self._line.recv(65536)
                if not more:
                    raise Trouble("the machine is gone")
                said += more.decode(errors="replace")
        return said

    def close(self) -> None:
        """Let go of the line."""
        if self._line is not None:
            self._line.close()
            self._line = None


class Sound(threading.Thread):
    """A sound module on the Pi's own UART."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        self.player = Player()
        self._path = path

    def run(self) -> None:
        while True:
            with suppress(OSError), socket.socket(socket.AF_UNIX) as line:
                line.connect(str(self._path))
                line.sendall(self.player.power_on())
                while heard := line.recv(4096):
                    line.sendall(self.player.receive(heard))
            time.sleep(1)


class Machine:
    """A card in an emulated Raspberry Pi 3B."""

    def __init__(self, work: Path, qemu: Sequence[str], without: Sequence[str] = ()) -> None:
        self.work = work
        self.without = without
        self.card = work / "card.img"
        self.port = free_port()
        self.shell = Shell(work / "shell")
        self.sound = Sound(work / "sound")
        self._qemu = qemu
        self._process: subprocess.Popen[bytes] | None = None

    def write(self, image: Path, module: Path) -> None:
        """A new card, larger than the image, with the simulated chip beside its boot files."""
        subprocess.run(("cp", "--sparse=always", image, self.card), check=True)
        os.truncate(self.card, CARD)
        (self.work / "chip.sh").write_text(CHIP)
        shutil.copyfile(module, self.work / "gpio-sim.ko")
        self.copy(self.work / "chip.sh", self.work / "gpio-sim.ko")

    def copy(self, *files: Path) -> None:
        """Put files on the boot partition, as a computer would; the plug is out."""
        self._boot("mcopy", "-o", "-Q", files, "::")

    def delete(self, pattern: str) -> None:
        """Take files off the boot partition; the plug is out."""
        self._boot("mdel", f"::{pattern}")

    def holds(self, pattern: str) -> bool:
        """Whether such a file lies on the boot partition; the plug is out."""
        listed = self._boot("mdir", "-b", (), "::")
        return re.search(pattern, listed) is not None

    def _boot(self, program: str, *words: str | Sequence[Path]) -> str:
        given = [
            str(each) for word in words for each in ((word,) if isinstance(word, str) else word)
        ]
        first = ("-i", f"{self.card}@@{FIRST_PARTITION}")
        skip = {**os.environ, "MTOOLS_SKIP_CHECK": "1"}
        return subprocess.run(
            (program, *first, *given), check=True, env=skip, capture_output=True, text=True
        ).stdout

    @property
    def on(self) -> bool:
        return self._process is not None

    def start(self) -> None:
        """Put the plug in. What the Pi's firmware would do is done here, from the card's files."""
        boot = self.work / "boot"
        shutil.rmtree(boot, ignore_errors=True)
        boot.mkdir()
        self._boot(
            "mcopy", "-Q", "::vmlinuz-*", "::initrd.img-*", "::*.txt", "::*-3-b.dtb", (boot,)
        )
        tree = boot / "bcm2837-rpi-3-b.dtb"
        as_firmware_leaves_it(tree)
        masks = " ".join(f"systemd.mask={unit}" for unit in self.without)
        words = f"{(boot / 'cmdline.txt').read_text().strip()} {SHELL} {PATIENCE} {CORES} {masks}"
        for path in (self.work / "shell", self.work / "sound"):
            path.unlink(missing_ok=True)
        net = f"user,id=net,restrict=off,hostfwd=tcp:127.0.0.1:{self.port}-:80"
        kernel, initrd = next(boot.glob("vmlinuz-*")), next(boot.glob("initrd.img-*"))
        with open(self.work / "qemu.log", "ab") as log:
            self._process = subprocess.Popen(
                (
                    *self._qemu,
                    *("-M", "raspi3b", "-m", "1G", "-accel", "tcg,thread=single"),
                    *("-kernel", kernel, "-initrd", initrd, "-dtb", tree, "-append", words),
                    *("-drive", f"file={self.card},if=sd,format=raw,cache=unsafe"),
                    *("-netdev", net, "-device", "usb-net,netdev=net"),
                    *("-chardev", f"socket,id=sound,path={self.work}/sound,server=on,wait=off"),
                    *("-chardev", f"socket,id=shell,path={self.work}/shell,server=on,wait=off"),
                    *("-serial", "chardev:sound", "-serial", "chardev:shell"),
                    *("-display", "none", "-monitor", "none", "-no-reboot"),
                ),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def cut(self) -> None:
        """Pull the plug."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None
        self.shell.close()

    def comes_up(self) -> str:
        """Give it its chip, and wait for READY; what systemd says of it."""
        self.shell.wait(START_WITHIN)
        self.until("mountpoint -q /boot/firmware", START_WITHIN)
        self.shell.ask("sh /boot/firmware/chip.sh")
        # Nothing is started between a press and its end: there, that would take as long as a hold.
        self.shell.ask(FINGER)
        self.until("systemctl is-active -q centerpiece", START_WITHIN)
        micros = self.shell.ask("systemctl show -P ActiveEnterTimestampMonotonic centerpiece")
        return f"READY {int(micros) / 1e6:.0f} s after the kernel began"

    def until(self, command: str, limit: float) -> None:
        """Ask again and again, until a command succeeds."""
        end = time.monotonic() + limit
        while True:
            try:
                self.shell.ask(command)
                return
            except Trouble:
                if time.monotonic() > end:
                    raise
                time.sleep(8)

    def connect(self) -> None:
        """An address on QEMU's network, whose DHCP does not come through its USB."""
        if NETWORK in self.without:
            card = "$(ls /sys/class/net | grep -E 'eth|usb')"
            self.shell.ask(f"ip link set {card} up && ip address replace 10.0.2.15/24 dev {card}")
            return
        self.until("nmcli -t general", 600)
        fixed = "ipv4.method manual ipv4.addresses 10.0.2.15/24 ipv4.gateway 10.0.2.2"
        self.shell.ask(
            "nmcli -t connection show trial >/dev/null 2>&1 || "
            f"nmcli connection add type ethernet con-name trial {fixed} ipv6.method disabled"
        )
        self.until("nmcli --wait 60 connection up trial", 600)

    def get(self, path: str, limit: float = START_WITHIN) -> Any:
        """A page, from outside."""
        end = time.monotonic() + limit
        while True:
            try:
                with urllib.request.urlopen(
                    f"http://127.0.0.1:{self.port}{path}", timeout=60
                ) as page:
                    return json.load(page)
            except (OSError, ValueError) as error:
                if time.monotonic() > end:
                    raise Trouble(f"{path} was not answered: {error}") from None
                time.sleep(2)

    def press(self, how: str, button: str) -> None:
        """A finger on a button of the panel, by the pin that the config gives it."""
        pull = f"$sim/sim_gpio{default_pins()[button]}/pull"
        seconds = 2.5 if how == "hold" else 0.15
        finger = f"echo pull-down > {pull}; wait_for {seconds}; echo pull-up > {pull}"
        self.shell.ask(f"{finger}; wait_for 2")


def as_firmware_leaves_it(tree: Path) -> None:
    """The board's revision, the UART without Bluetooth (`disable-bt`); and no DMA for SPI, from
    whose endless chain QEMU never returns."""
    spi, uart = "/soc/spi@7e204000", "/soc/serial@7e201000"
    subprocess.run(("fdtput", "-r", tree, f"{uart}/bluetooth"), check=False, capture_output=True)
    for name in ("dmas", "dma-names"):
        subprocess.run(("fdtput", "-d", tree, spi, name), check=False, capture_output=True)
    subprocess.run(("fdtput", "-c", "-p", tree, "/system"), check=True)
    subprocess.run(("fdtput", "-t", "x", tree, "/system", "linux,revision", "a02082"), check=True)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


class Trial:
    """What is done with a machine, step by step; what was seen is kept beside its card."""

    def __init__(self, machine: Machine, options: argparse.Namespace) -> None:
        self.machine = machine
        self.options = options
        self.chance = random.Random(options.seed)
        self._table = machine.work / "table.md"
        self._known = machine.work / "known"

    def do(self, what: str, deed: Callable[[], str]) -> None:
        """One step, and its line."""
        began = time.monotonic()
        print(f"… {what}", flush=True)
        try:
            found = deed()
        except Trouble as trouble:
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
        """What the page says from outside; nothing that was known once may be missing."""
        state: dict[str, Any] = self.machine.get("/api/state")
        known = int(self._known.read_text()) if self._known.exists() else 0
        if state["seq"] < known:
            raise Trouble(f"{known} events were known, {state['seq']} are left")
        self._known.write_text(str(state["seq"]))
        return state

    # The parts

    def first(self) -> None:
        """A new card: cut off while it grows, then started."""
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
        """A scripted round with the buttons."""
        self.on()
        self.do("a round", self.scripted)
        self.do("sound", self.heard)
        self.do("lights", self.lit)

    def play(self) -> None:
        """Cut off while somebody presses buttons."""
        self.on()
        self.do("cut off in play", self.cut_in_play)

    def start(self) -> None:
        """Cut off at a random moment of a start."""
        self.machine.cut()
        self.do("cut off in a start", self.cut_in_start)

    def protect(self) -> None:
        """The card is protected, as the page's switch does it, and the plug is pulled."""
        self.on()
        self.do("a wish to protect the card, and the plug pulled", self.wished)
        if self.machine.holds(ARCHIVE):
            self.machine.delete("centerpiece-*.tar.gz")

    def protected(self) -> None:
        """A protected card plays, and keeps nothing else."""
        self.on()
        self.do("the protected card", self.read_only)

    def update(self) -> None:
        """Cut off at a random moment of an update from the card."""
        self.updating()
        self.do("cut off in an update", self.cut_in_update)

    def updated(self) -> None:
        """An update that is left alone."""
        self.updating()
        self.do("an update from the card", self.changed_over)

    # Their steps

    def on(self) -> None:
        """The plug is in, and it plays."""
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
        pull = f"$sim/sim_gpio{default_pins()[seats[0]]}/pull"
        self.machine.shell.say(f"echo pull-down > {pull}; wait_for 0.15; echo pull-up > {pull}")
        time.sleep(after)
        self.machine.cut()
        return f"{known} events known, {after:.2f} s after one more press began"

    def wished(self) -> str:
        """The hub's own user writes it, as the page does."""
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
            raise Trouble(f"the root is {how}, {before} events before a press, {after} after it")
        return f"root {how}, /etc and /var can be written, a press is event {after}; {self.units()}"

    def updating(self) -> None:
        """A newer archive lies on the card, and the machine is on."""
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

    def changed_over(self) -> str:
        ask = self.machine.shell.ask
        before = ask("readlink /opt/centerpiece/current")
        ask("while ls /boot/firmware/centerpiece-*.tar.gz; do sleep 10; done", 2 * START_WITHIN)
        after, listed = ask("readlink /opt/centerpiece/current"), ask("ls /boot/firmware")
        if before == after or "tar.gz.installed" not in listed:
            raise Trouble(f"{after} is in use, on the card are {listed}")
        state = self.state()
        return f"from {before} to {after}; {state['phase']}, {state['seq']} events"

    def grown(self) -> str:
        ask = self.machine.shell.ask
        self.machine.until("test -e /opt/centerpiece/started", START_WITHIN)
        size = int(ask("df -m --output=size / | tail -n 1"))
        if size < 3000:
            raise Trouble(f"root has {size} MB")
        return f"root has {size} MB of a card of {CARD >> 20} MB"

    def own(self) -> str:
        ask = self.machine.shell.ask
        name = ask("cat /etc/hostname")
        if not re.fullmatch(r"centerpiece-[a-z2-9]{4}", name):
            raise Trouble(f"the hub is called {name!r}")
        if len(ask("cat /etc/machine-id")) != 32:
            raise Trouble("it has no machine id")
        ssh = ask("systemctl is-enabled ssh || true; systemctl is-active ssh || true").split()
        listed = ask("find /boot/firmware -maxdepth 1 -type f -size +0 -printf '%f '")
        if "centerpiece-sticker.svg" not in listed or ssh != ["disabled", "inactive"]:
            raise Trouble(f"SSH is {ssh}, on the boot partition are {listed}")
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
            raise Trouble(f"phase {state['phase']}, round {state['round']}, scores {scores}")
        return f"{len(ROUND)} presses, round 2, hands 5, 0, 47 and 12"

    def heard(self) -> str:
        player = self.machine.sound.player
        if not player.played:
            raise Trouble(f"the sound module played nothing; it heard {player.heard[:5]}")
        return f"{len(player.heard)} frames to the sound module, tracks {player.played}"

    def lit(self) -> str:
        """What the kernel's SPI driver was given, as its own tracing tells it."""
        ask = self.machine.shell.ask
        trace = "/sys/kernel/tracing"
        ask(f"mountpoint -q {trace} || mount -t tracefs none {trace}")
        ask(f"echo > {trace}/trace; echo 1 > {trace}/events/spi/spi_transfer_start/enable")
        self.machine.press("tap", "seat-3")
        said = ask(f"grep -c spi_transfer_start {trace}/trace || true")
        first = ask(f"grep -m1 -o 'len=.*' {trace}/trace | cut -c1-60 || true")
        ask(f"echo 0 > {trace}/events/spi/spi_transfer_start/enable")
        if not int(said):
            raise Trouble("nothing was sent to the lights")
        return f"{said} transfers to the lights for one tap, {first}"


PARTS = ("first", "round", "play", "protect", "protected", "start", "update", "updated")
EVERYTHING = (
    *("first", "round", "play", "update", "update", "start", "update", "protect"),
    *("start", "start", "protected", "play", "updated"),
)
"""Ten cuts, those in growing and in protecting included."""
NETWORK = "NetworkManager.service"
ARCHIVE = r"centerpiece-[^/]*\.tar\.gz\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Boot an image and play on it.")
    parser.add_argument("image", type=Path)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
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
    machine = Machine(options.work, emulator(options.qemu), options.without)
    machine.sound.start()
    trial = Trial(machine, options)
    try:
        for part in options.parts or EVERYTHING:
            getattr(trial, part)()
        trial.on()
    except Trouble:
        return 1
    finally:
        machine.cut()
    return 0


def emulator(root: Path) -> list[str]:
    """QEMU of a Debian below a folder, started by that Debian's own loader; or this machine's."""
    if not root.exists():
        return ["qemu-system-aarch64"]
    libraries = f"{root}/usr/lib/x86_64-linux-gnu"
    loader = (f"{root}/lib64/ld-linux-x86-64.so.2", "--library-path", libraries)
    return [*loader, f"{root}/usr/bin/qemu-system-aarch64", "-L", f"{root}/usr/share/qemu"]


if __name__ == "__main__":
    sys.exit(main())
