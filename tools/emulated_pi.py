"""An emulated Raspberry Pi 3B with a card, to try an image without a board.

The card is a copy of the image on a larger card, so the first start really grows it. A simulated
GPIO chip (`tools/gpio_sim.sh` builds the module) takes the place of the Pi's own, which has no
inputs there: module and script are copied to the card's boot partition, as any computer could, and
nothing else is added. The kernel's command line asks systemd for a shell on a serial line, through
which the machine is looked at, gets its chip, and an address on QEMU's network. The sound module
hangs on the other serial line. The plug is pulled by killing the emulator.

It needs QEMU 10 (`tools/qemu.sh`), mtools and device-tree-compiler.
"""

import base64
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hal.hardware_settings import default_pins
from tests.dfplayer import Player

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
NETWORK = "NetworkManager.service"
"""Without it (`without`), the machine gets its address by hand."""

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


class EmulatedTrouble(Exception):
    """The machine failed; the message has what was expected and what came."""


class Shell:
    """A root shell on a serial line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._line: socket.socket | None = None
        self._count = 0

    def wait(self, limit: float) -> None:
        end = time.monotonic() + limit
        while time.monotonic() < end:
            with suppress(OSError, EmulatedTrouble):
                if self._line is None:
                    line = socket.socket(socket.AF_UNIX)
                    line.connect(str(self._path))
                    self._line = line
                self._line.sendall(b"\nstty -echo; export PS1= TERM=dumb LC_ALL=C SYSTEMD_PAGER=\n")
                self.ask("true", 30)
                return
            time.sleep(2)
        raise EmulatedTrouble(f"no shell answered within {limit:.0f} s")

    def ask(self, command: str, limit: float = 600.0) -> str:
        """Return the output of a command."""
        self._count += 1
        mark = f"ended-{self._count}"
        self.say(f"{command}\necho {mark[:5]}''{mark[5:]} $?")
        said = self._until(rf"{mark} (\d+)\r?\n", limit)
        text, code = re.split(rf"{mark} (\d+)\r?\n", said)[:2]
        text = text.replace("\r", "").strip()
        if code != "0":
            raise EmulatedTrouble(f"{command[:60]!r} ended with {code}: {text[-300:]}")
        return text

    def say(self, command: str) -> None:
        """Start a command without waiting for it."""
        assert self._line is not None
        self._line.sendall(f"{command}\n".encode())

    def _until(self, pattern: str, limit: float) -> str:
        assert self._line is not None
        said, end = "", time.monotonic() + limit
        self._line.settimeout(1.0)
        while not re.search(pattern, said):
            if time.monotonic() > end:
                raise EmulatedTrouble(f"no answer within {limit:.0f} s; came: {said[-200:]!r}")
            with suppress(TimeoutError):
                more = self._line.recv(65536)
                if not more:
                    raise EmulatedTrouble("the machine is gone")
                said += more.decode(errors="replace")
        return said

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None


class EmulatedSound(threading.Thread):
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


class EmulatedMachine:
    """A card in an emulated Raspberry Pi 3B."""

    def __init__(self, work: Path, qemu: Sequence[str], without: Sequence[str] = ()) -> None:
        self.work = work
        self.without = without
        self.card = work / "card.img"
        self.port = free_port()
        self.shell = Shell(work / "shell")
        self.sound = EmulatedSound(work / "sound")
        self._qemu = qemu
        self._process: subprocess.Popen[bytes] | None = None

    def write(self, image: Path, module: Path) -> None:
        """Write a card larger than the image, with the simulated chip beside its boot files."""
        subprocess.run(("cp", "--sparse=always", image, self.card), check=True)
        os.truncate(self.card, CARD)
        (self.work / "chip.sh").write_text(CHIP)
        shutil.copyfile(module, self.work / "gpio-sim.ko")
        self.copy(self.work / "chip.sh", self.work / "gpio-sim.ko")

    def copy(self, *files: Path) -> None:
        """Copy files to the boot partition of a machine without power."""
        self._boot("mcopy", "-o", "-Q", files, "::")

    def delete(self, pattern: str) -> None:
        """Delete files from the boot partition of a machine without power."""
        self._boot("mdel", f"::{pattern}")

    def holds(self, pattern: str) -> bool:
        """Return whether a file is on the boot partition of a machine without power."""
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

    def start(self, stick: Path | None = None) -> None:
        """Switch on; a USB stick takes the place of the network.

        What the Pi's firmware would do is done here, from the card's files.
        """
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
        usb = ("-netdev", net, "-device", "usb-net,netdev=net")
        if stick is not None:
            usb = ("-drive", f"if=none,id=stick,format=raw,file={stick}")
            usb += ("-device", "usb-storage,drive=stick")
        kernel, initrd = next(boot.glob("vmlinuz-*")), next(boot.glob("initrd.img-*"))
        with open(self.work / "qemu.log", "ab") as log:
            self._process = subprocess.Popen(
                (
                    *self._qemu,
                    *("-M", "raspi3b", "-m", "1G", "-accel", "tcg,thread=single"),
                    *("-kernel", kernel, "-initrd", initrd, "-dtb", tree, "-append", words),
                    *("-drive", f"file={self.card},if=sd,format=raw,cache=unsafe"),
                    *usb,
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
        """Install the chip and wait for READY; return the time it took."""
        self.shell.wait(START_WITHIN)
        self.until("mountpoint -q /boot/firmware", START_WITHIN)
        self.shell.ask("sh /boot/firmware/chip.sh")
        # Nothing is started between a press and its end: there, that would take as long as a hold.
        self.shell.ask(FINGER)
        self.until("systemctl is-active -q centerpiece", START_WITHIN)
        micros = self.shell.ask("systemctl show -P ActiveEnterTimestampMonotonic centerpiece")
        return f"READY {int(micros) / 1e6:.0f} s after the kernel began"

    def until(self, command: str, limit: float) -> None:
        """Repeat a command until it succeeds."""
        end = time.monotonic() + limit
        while True:
            try:
                self.shell.ask(command)
                return
            except EmulatedTrouble:
                if time.monotonic() > end:
                    raise
                time.sleep(8)

    def connect(self) -> None:
        """Set an address on QEMU's network, whose DHCP does not work over its USB."""
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
        """Get a JSON document from the hub."""
        end = time.monotonic() + limit
        while True:
            try:
                with urllib.request.urlopen(
                    f"http://127.0.0.1:{self.port}{path}", timeout=60
                ) as page:
                    return json.load(page)
            except (OSError, ValueError) as error:
                if time.monotonic() > end:
                    raise EmulatedTrouble(f"{path} was not answered: {error}") from None
                time.sleep(2)

    def press(self, how: str, button: str) -> None:
        """Press a button, and wait a moment for the effect."""
        self.shell.ask(f"{finger(how, button)}; wait_for 2")

    def touch(self, button: str) -> None:
        """Tap a button without waiting."""
        self.shell.say(finger("tap", button))


def finger(how: str, button: str) -> str:
    """Return the shell command that pulls a button's pin for a tap or a hold."""
    pull = f"$sim/sim_gpio{default_pins()[button]}/pull"
    seconds = 2.5 if how == "hold" else 0.15
    return f"echo pull-down > {pull}; wait_for {seconds}; echo pull-up > {pull}"


def as_firmware_leaves_it(tree: Path) -> None:
    """Set the board's revision, the UART without Bluetooth (`disable-bt`), and no DMA for SPI, from
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


def emulator(root: Path) -> list[str]:
    """Return the command of QEMU: that of a Debian in a folder, or this machine's."""
    if not root.exists():
        return ["qemu-system-aarch64"]
    libraries = f"{root}/usr/lib/x86_64-linux-gnu"
    loader = (f"{root}/lib64/ld-linux-x86-64.so.2", "--library-path", libraries)
    return [*loader, f"{root}/usr/bin/qemu-system-aarch64", "-L", f"{root}/usr/share/qemu"]
