"""Boots an image as an emulated Raspberry Pi 3B, and plays on it: `make try-image`.

    python -m tools.try_image dist/centerpiece-0.1.0.img [--cuts 10]

The card is a copy of the image on a larger card, so the first start really grows it. Nothing is
added to it: the kernel's command line asks systemd for a shell on a serial line, and through that
shell the machine is looked at, gets an address on QEMU's network, and a simulated GPIO chip
(`tools/gpio_sim.sh` builds the module) takes the place of the Pi's own, which has no inputs there.
The sound module hangs on the other serial line. The plug is pulled by killing the emulator.

It needs QEMU 10 (`tools/qemu.sh`), mtools, device-tree-compiler, and about an hour.
"""

import argparse
import functools
import http.server
import json
import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from hal.settings import default_pins
from tests.dfplayer import Player

ROOT = Path(__file__).resolve().parent.parent
FIRST_PARTITION = 4 << 20
CARD = 4 << 30
"""Bytes of the card: QEMU wants a power of two."""
START_WITHIN = 1800.0
"""Seconds for a start; an emulated one takes about four minutes on a quiet machine."""
SHELL = "systemd.debug_shell=1 systemd.default_debug_tty=ttyS1"
PATIENCE = (
    "systemd.service_watchdogs=0 systemd.default_timeout_start_sec=1800 "
    "systemd.default_device_timeout_sec=1800"
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

PRESS = """
set -e
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
lsmod | grep -q gpio_sim || insmod /run/gpio-sim.ko
cd /sys/kernel/config/gpio-sim
[ -d hub ] || { mkdir hub hub/bank0; echo 54 > hub/bank0/num_lines; echo 1 > hub/live; }
chip=$(cat hub/bank0/chip_name)
udevadm settle
ln -sf $chip /dev/gpiochip0
ls -d /sys/devices/platform/gpio-sim.*/$chip > /run/sim
"""


class Trouble(Exception):
    """The machine did not do what it should; the message says what was awaited and what came."""


class Step(NamedTuple):
    """A line of the table."""

    what: str
    seconds: float
    found: str


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
                self.ask("true", 20)
                return
            time.sleep(2)
        raise Trouble(f"no shell answered within {limit:.0f} s")

    def ask(self, command: str, limit: float = 120.0) -> str:
        """What a command says."""
        assert self._line is not None
        self._count += 1
        mark = f"ended-{self._count}"
        self._line.sendall(f"{command}\necho {mark[:5]}''{mark[5:]} $?\n".encode())
        said = self._until(rf"{mark} (\d+)\r?\n", limit)
        text, code = re.split(rf"{mark} (\d+)\r?\n", said)[:2]
        text = text.replace("\r", "").strip()
        if code != "0":
            raise Trouble(f"{command[:60]!r} ended with {code}: {text[-300:]}")
        return text

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

    def __init__(self, image: Path, work: Path, qemu: Sequence[str]) -> None:
        self.work = work
        self.card = work / "card.img"
        self.port = free_port()
        self.shell = Shell(work / "shell")
        self.sound = Sound(work / "sound")
        self._qemu = qemu
        self._process: subprocess.Popen[bytes] | None = None
        self._prepare(image)

    def _prepare(self, image: Path) -> None:
        subprocess.run(("cp", "--sparse=always", image, self.card), check=True)
        os.truncate(self.card, CARD)
        first = f"{image}@@{FIRST_PARTITION}"
        boot = self.work / "boot"
        shutil.rmtree(boot, ignore_errors=True)
        boot.mkdir()
        subprocess.run(("mcopy", "-s", "-i", first, "::*", boot), check=True)
        self.kernel = next(boot.glob("vmlinuz-*"))
        self.initrd = next(boot.glob("initrd.img-*"))
        self.words = (boot / "cmdline.txt").read_text().strip()
        self.tree = boot / "bcm2837-rpi-3-b.dtb"
        as_firmware_leaves_it(self.tree)

    def start(self) -> None:
        """Put the plug in."""
        for path in (self.work / "shell", self.work / "sound"):
            path.unlink(missing_ok=True)
        words = f"{self.words} {SHELL} {PATIENCE}"
        net = f"user,id=net,restrict=off,hostfwd=tcp:127.0.0.1:{self.port}-:80"
        self._log = open(self.work / "qemu.log", "ab")  # noqa: SIM115
        self._process = subprocess.Popen(
            (
                *self._qemu,
                *("-M", "raspi3b", "-smp", "4", "-m", "1G", "-accel", "tcg,thread=multi"),
                *("-kernel", self.kernel, "-initrd", self.initrd, "-dtb", self.tree),
                *("-append", words, "-drive", f"file={self.card},if=sd,format=raw"),
                *("-netdev", net, "-device", "usb-net,netdev=net"),
                *("-chardev", f"socket,id=sound,path={self.work}/sound,server=on,wait=off"),
                *("-chardev", f"socket,id=shell,path={self.work}/shell,server=on,wait=off"),
                *("-serial", "chardev:sound", "-serial", "chardev:shell"),
                *("-display", "none", "-monitor", "none", "-no-reboot"),
            ),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
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
        """Wait for READY; what systemd says of it."""
        self.shell.wait(START_WITHIN)
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
        self.until("nmcli -t general", 300)
        fixed = "ipv4.method manual ipv4.addresses 10.0.2.15/24 ipv4.gateway 10.0.2.2"
        self.shell.ask(
            "nmcli -t connection show trial >/dev/null 2>&1 || "
            f"nmcli connection add type ethernet con-name trial {fixed} ipv6.method disabled"
        )
        self.until("nmcli --wait 30 connection up trial", 300)

    def get(self, path: str, limit: float = 300.0) -> Any:
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

    def fetch(self, file: Path, target: str) -> None:
        """A file of ours, brought inside."""
        with served(file.parent) as port:
            where = f"http://10.0.2.2:{port}/{file.name}"
            self.shell.ask(f"curl -sf -o {shlex.quote(target)} {where} && sync", 900)

    def buttons(self, module: Path) -> None:
        """Put buttons on the pins."""
        self.fetch(module, "/run/gpio-sim.ko")
        script = self.work / "press.sh"
        script.write_text(PRESS)
        self.fetch(script, "/run/press.sh")
        self.shell.ask("sh /run/press.sh", 300)
        self.shell.ask("systemctl restart centerpiece", 600)

    def press(self, how: str, button: str) -> None:
        """A finger on a button of the panel, by the pin that the config gives it."""
        pull = f"$(cat /run/sim)/sim_gpio{default_pins()[button]}/pull"
        seconds = 2.5 if how == "hold" else 0.1
        self.shell.ask(
            f"echo pull-down > {pull}; sleep {seconds}; echo pull-up > {pull}; sleep 1.5"
        )


def as_firmware_leaves_it(tree: Path) -> None:
    """The board's revision, the UART without Bluetooth (`disable-bt`); and no DMA for SPI, from
    whose endless chain QEMU never returns."""
    spi, uart = "/soc/spi@7e204000", "/soc/serial@7e201000"
    subprocess.run(("fdtput", "-r", tree, f"{uart}/bluetooth"), check=False, capture_output=True)
    for name in ("dmas", "dma-names"):
        subprocess.run(("fdtput", "-d", tree, spi, name), check=False, capture_output=True)
    subprocess.run(("fdtput", "-c", "-p", tree, "/system"), check=True)
    subprocess.run(("fdtput", "-t", "x", tree, "/system", "linux,revision", "a02082"), check=True)


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """A folder that the machine can fetch from, on the loopback."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words: object) -> None: ...

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


class Trial:
    """What is done with a machine, step by step, with a table of it."""

    def __init__(self, machine: Machine, module: Path, chance: random.Random) -> None:
        self.machine = machine
        self.module = module
        self.chance = chance
        self.steps: list[Step] = []

    def do(self, what: str, deed: Callable[[], str]) -> None:
        """One step; what it found goes into the table."""
        began = time.monotonic()
        print(f"… {what}", flush=True)
        try:
            found = deed()
        except Trouble as trouble:
            found = f"NO: {trouble}"
            self.steps.append(Step(what, time.monotonic() - began, found))
            print(f"  {found}", flush=True)
            raise
        self.steps.append(Step(what, time.monotonic() - began, found))
        print(f"  {found} ({self.steps[-1].seconds:.0f} s)", flush=True)

    def first_start(self) -> str:
        self.machine.start()
        return self.machine.comes_up()

    def grown(self) -> str:
        ask = self.machine.shell.ask
        self.machine.until("test -e /opt/centerpiece/started", START_WITHIN)
        size = ask("df -m --output=size / | tail -n 1").strip()
        return f"root has {size} MB of a card of {CARD >> 20} MB"

    def own(self) -> str:
        ask = self.machine.shell.ask
        name = ask("cat /etc/hostname")
        if not re.fullmatch(r"centerpiece-[a-z2-9]{4}", name):
            raise Trouble(f"the hub is called {name!r}")
        if len(ask("cat /etc/machine-id")) != 32:
            raise Trouble("it has no machine id")
        ssh = ask("systemctl is-enabled ssh || true")
        listed = ask("ls /boot/firmware | tr '\\n' ' '")
        if "centerpiece-sticker.svg" not in listed or ssh != "disabled":
            raise Trouble(f"SSH is {ssh}, on the boot partition are {listed}")
        return f"{name}, SSH {ssh}, its sticker on the boot partition"

    def page(self) -> str:
        self.machine.connect()
        state = self.machine.get("/api/state")
        return f"/api/state from outside: {state['phase']}, trouble {state['trouble']}"

    def units(self) -> str:
        failed = self.machine.shell.ask("systemctl --failed --no-legend --plain | tr '\\n' ' '")
        return f"failed units: {failed or 'none'}"

    def buttons(self) -> str:
        self.machine.buttons(self.module)
        self.machine.get("/api/state")
        return "the hub listens to them"

    def round(self) -> str:
        for how, button in ROUND:
            self.machine.press(how, button)
        state = self.machine.get("/api/state")
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

    def seq(self) -> int:
        return int(self.machine.get("/api/state")["seq"])

    def cut(self, after: float | None) -> str:
        """Pull the plug, now or some seconds after it was put in again; everything is as it was."""
        before = self.seq()
        self.machine.cut()
        if after is not None:
            self.machine.start()
            time.sleep(after)
            self.machine.cut()
        self.machine.start()
        up = self.machine.comes_up()
        state = self.machine.get("/api/state", START_WITHIN)
        if state["seq"] < before:
            raise Trouble(f"{before} events were known, {state['seq']} are left")
        return f"{up}; {state['phase']}, {state['seq']} events, trouble {state['trouble']}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Boot an image and play on it.")
    parser.add_argument("image", type=Path)
    parser.add_argument("--work", type=Path, default=ROOT / "build/try")
    parser.add_argument(
        "--qemu", type=Path, default=ROOT / "build/qemu", help="tools/qemu.sh made it"
    )
    parser.add_argument("--module", type=Path, default=ROOT / "build/gpio-sim.ko")
    parser.add_argument("--cuts", type=int, default=10)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    machine = Machine(options.image, options.work, emulator(options.qemu))
    machine.sound.start()
    trial = Trial(machine, options.module, random.Random(options.seed))
    try:
        play(trial, options.cuts)
    except Trouble:
        return 1
    finally:
        machine.cut()
        print(table(trial.steps))
    return 0


def play(trial: Trial, cuts: int) -> None:
    """All of it."""
    trial.do("first start", trial.first_start)
    trial.do("grown", trial.grown)
    trial.do("its own names and keys", trial.own)
    trial.do("the page", trial.page)
    trial.do("units", trial.units)
    trial.do("buttons on a simulated chip", trial.buttons)
    trial.do("a round", trial.round)
    trial.do("sound", trial.heard)
    trial.do("lights", trial.lit)
    for number in range(cuts):
        after = trial.chance.uniform(5, 240) if number % 2 else None
        what = "play" if after is None else f"a start, after {after:.0f} s"
        trial.do(f"cut {number + 1}, in {what}", functools.partial(trial.cut, after))


def emulator(root: Path) -> list[str]:
    """QEMU of a Debian below a folder, started by that Debian's own loader; or this machine's."""
    if not root.exists():
        return ["qemu-system-aarch64"]
    libraries = f"{root}/usr/lib/x86_64-linux-gnu"
    loader = (f"{root}/lib64/ld-linux-x86-64.so.2", "--library-path", libraries)
    return [*loader, f"{root}/usr/bin/qemu-system-aarch64", "-L", f"{root}/usr/share/qemu"]


def table(steps: Sequence[Step]) -> str:
    """As docs/install.md has it."""
    rows = (f"| {step.what} | {step.seconds:.0f} s | {step.found} |" for step in steps)
    return "\n".join(("| step | took | found |", "| --- | --- | --- |", *rows))


if __name__ == "__main__":
    sys.exit(main())
