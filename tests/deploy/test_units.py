"""The unit files: systemd's checks, and the hub started by its unit's command line."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from centerpiece.web.connections import PAIRED, STRANGERS
from tests.deploy.conftest import REPOSITORY, needs_root, pretend

pytestmark = pytest.mark.real_time("hubs in processes of their own")

DEPLOY = REPOSITORY / "deploy"
UNITS = sorted(
    path.name for path in DEPLOY.glob("*.service") if path.name.startswith("centerpiece")
)

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


@pytest.fixture(scope="module")
def units(tmp_path_factory):
    """A root with our units, systemd's own, and the programs in ours."""
    root = tmp_path_factory.mktemp("units")
    own = root / "etc/systemd/system"
    own.mkdir(parents=True)
    for unit in UNITS:
        shutil.copy(DEPLOY / unit, own)
    mount = (DEPLOY / "var-lib-centerpiece.mount").read_text()
    (own / "var-lib-centerpiece.mount").write_text(mount.replace("@PARTITION@", "LABEL=games"))
    shutil.copytree("/usr/lib/systemd/system", root / "usr/lib/systemd/system", symlinks=True)
    current = "opt/centerpiece/current"
    scripts = (f"{current}/deploy/machine.sh", f"{current}/deploy/protect.sh")
    ours = (f"{current}/bin/python", *scripts, "opt/centerpiece/switch")
    for program in (*ours, "bin/sh", "bin/mount"):
        path = root / program
        path.parent.mkdir(parents=True, exist_ok=True)
        pretend(path.parent, path.name, "exit")
    return root


def verify(root: Path, *units: str) -> str:
    """Return all that systemd says; its exit code is 0 even for a misspelt key."""
    paths = (root / "etc/systemd/system" / unit for unit in units)
    done = subprocess.run(
        ["systemd-analyze", "verify", f"--root={root}", *paths],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr + (f"exit code {done.returncode}" if done.returncode else "")


@needs_systemd
def test_systemd_has_nothing_to_say_about_the_units(units):
    """No unknown key, no bad value, no missing program."""
    assert "" == verify(units, *UNITS, "var-lib-centerpiece.mount")


@needs_systemd
def test_systemd_would_say_something_about_a_misspelt_key(units):
    """So the test before this one can fail."""
    folder = units / "etc/systemd/system"
    unit = (folder / "centerpiece.service").read_text()
    (folder / "misspelt.service").write_text(unit.replace("WatchdogSec=", "WatchdogSecs="))

    assert "WatchdogSecs" in verify(units, "misspelt.service")


@needs_systemd
@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_hardly_exposed(unit):
    """On systemd's scale: 9.6 is a unit without protection, 0 can do nothing.

    The helpers that run as root and on demand need more than the two that always run.
    """
    most = {"centerpiece.service": 1.5, "centerpiece-network.service": 2.5}.get(unit, 4.0)
    said = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", DEPLOY / unit],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (exposure,) = re.findall(r"Overall exposure level for \S+: ([\d.]+)", said)

    assert float(exposure) <= most


def keys(unit: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / unit).read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


# What the adapters open, by the name that the kernel gives the driver in /proc/devices,
# or by its path where the driver has but one device.
OPENED = {
    "/dev/gpiochip0": "char-gpiochip",
    "/dev/gpiomem": "/dev/gpiomem",
    "/dev/spidev0.0": "char-spi",
    "/dev/pio0": "/dev/pio0",
    "/dev/ttyAMA0": "char-ttyAMA",
    "/dev/ttyS0": "char-ttyS",
    "/dev/ttyUSB0": "char-ttyUSB",
    "/dev/ttyACM0": "char-ttyACM",
    "/dev/snd/pcmC0D0p": "char-alsa",
    "/dev/input/event0": "char-input",
}


def test_every_device_that_an_adapter_opens_is_allowed():
    """A closed device would mean a dark hub, without a reason in the log."""
    allowed = {value.split()[0] for value in keys("centerpiece.service")["DeviceAllow"]}

    assert set() == set(OPENED.values()) - allowed
    assert {"rw"} == {value.split()[1] for value in keys("centerpiece.service")["DeviceAllow"]}


def test_the_devices_are_those_that_hal_names():
    """Every device path in an adapter is in the list above."""
    named = set()
    for module in (REPOSITORY / "hal").glob("*.py"):
        named |= set(re.findall(r"/dev/[\w./]+", module.read_text()))
    named -= {"/dev/serial0"}  # a link to ttyAMA0 or ttyS0

    assert set() == named - set(OPENED) - {"/dev/mem", "/dev/leds0"}


@pytest.mark.parametrize(
    ("result", "said"),
    [("success", ""), ("signal", "-P -m centerpiece dark --hardware usb"), ("watchdog", "-P -m")],
)
def test_a_crash_leaves_no_light_on(result, said):
    """The pixels keep the last frame by themselves."""
    (line,) = [each for each in keys("centerpiece.service")["ExecStopPost"] if " dark " in each]
    words = shlex.split(line.lstrip("-").replace("/opt/centerpiece/current/bin/python", "echo"))
    environment = os.environ | {"SERVICE_RESULT": result, "CENTERPIECE_HARDWARE": "usb"}
    done = subprocess.run(
        [word.replace("$$", "$") for word in words],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.startswith(said)
    assert bool(said) == bool(done.stdout)


def test_what_the_hub_needs_is_not_hidden_from_it():
    """Each of these is common advice, and would break the hub."""
    unit = keys("centerpiece.service")

    assert "PrivateDevices" not in unit, "it hides gpiochip, spidev and the UART"
    assert "ProcSubset" not in unit, "gpiozero reads /proc/device-tree"
    assert "PrivateNetwork" not in unit, "phones could not reach the pages"
    assert ["gpio spi dialout audio input"] == unit["SupplementaryGroups"]
    assert any("LG_WD=/run/centerpiece" in value for value in unit["Environment"])
    denied = "the process that makes clips could not give way"
    assert "setpriority sched_setscheduler" == unit["SystemCallFilter"][-1], denied


def test_a_hub_has_files_to_spare_and_a_log_with_an_end():
    """With all connections taken, enough is left to write, to play and to notify systemd."""
    unit = keys("centerpiece.service")

    assert int(unit["LimitNOFILE"][0]) >= 4 * (STRANGERS + PAIRED)
    assert int(unit["LogRateLimitBurst"][0]) <= 10 * int(unit["LogRateLimitIntervalSec"][0])


def test_what_protects_the_card_is_seen_by_all(units):
    """With a view of its own of the files, its mounts would end with it."""
    own_view = (
        "Private",
        "ProtectSystem",
        "ProtectHome",
        "ProtectKernel",
        "ProtectControl",
        "Read",
    )

    assert [] == [key for key in keys("centerpiece-protect.service") if key.startswith(own_view)]


def test_no_script_of_root_gives_files_away_in_the_hubs_folder():
    """A link in it may lead anywhere; what is done there is done as the hub's user."""
    for script in ("switch.sh", "machine.sh", "first-start.sh", "command.sh"):
        assert "chown" not in (DEPLOY / script).read_text()


def test_a_dead_hub_is_started_again_but_not_for_ever():
    """Notified readiness, a watchdog, restarts with a limit, and then the way back."""
    unit = keys("centerpiece.service")

    assert ["notify"] == unit["Type"]
    assert ["20"] == unit["WatchdogSec"]
    assert ["on-failure"] == unit["Restart"]
    assert (["120"], ["5"]) == (unit["StartLimitIntervalSec"], unit["StartLimitBurst"])
    assert ["centerpiece-back.service"] == unit["OnFailure"]


def test_the_game_does_not_wait_for_a_network():
    """Neither the hub nor anything it needs is ordered after one."""
    unit = keys("centerpiece.service")
    ordered = " ".join(unit.get("After", []) + unit.get("Requires", []) + unit.get("Wants", []))

    assert "network" not in ordered.lower()


@needs_root
def test_the_units_own_command_line_starts_a_hub_from_the_example_config(hub):
    """READY comes, the page shows the lobby, and the games are where the unit says.

    Nobody else may read them, also without the unit's mask.
    """
    assert 0 == hub.systemctl("start", "centerpiece"), hub.log

    assert "lobby" == json.loads(hub.page())["phase"]
    assert 0o600 == (hub.root / "var/lib/centerpiece/table.db").stat().st_mode & 0o777
    assert 0 == hub.systemctl("stop", "centerpiece")
    assert "0" == (hub.root / "run/service.exit").read_text()
    assert "poweroff" not in (hub.root / "run/systemctl.log").read_text()


@needs_root
def test_holding_the_two_buttons_switches_the_machine_off(hub):
    """The hub says good night and exits with a code of its own; systemd switches off.

    What the panel makes of the buttons is tested elsewhere; here it has just understood them.
    """
    pressing = """
from centerpiece.panel.gesture import Gesture
import centerpiece.panel.ui, centerpiece.service.shell
centerpiece.panel.ui.LEAVING_TAKES = 0.1
as_it_is = centerpiece.service.shell.Service.run
async def pressed(self, *, ready, pages):
    self.hub._gesture(Gesture("hold", "advance+undo", 0.0))
    await as_it_is(self, ready=ready, pages=pages)
centerpiece.service.shell.Service.run = pressed
"""
    version = hub.another("0.9.0-pressed", centerpiece__cli__run=pressing)
    (hub.programs / "current").unlink()
    (hub.programs / "current").symlink_to(f"versions/{version}")

    assert 0 == hub.systemctl("start", "centerpiece"), hub.log
    hub.wait()

    assert "10" == (hub.root / "run/service.exit").read_text()
    assert "poweroff" == (hub.root / "run/systemctl.log").read_text().splitlines()[-1]


def test_shellcheck_has_nothing_to_say():
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck is not installed")
    done = subprocess.run(
        ["shellcheck", *DEPLOY.glob("*.sh"), *(REPOSITORY / "tools").glob("*.sh")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ("", 0) == (done.stdout + done.stderr, done.returncode)
