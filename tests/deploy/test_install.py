"""The installer in a temporary root: its files, a second run, uninstalling, refusals."""

import os
import re
import socket
import stat
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from centerpiece.config import load
from hal.boards import BOARDS, completed
from tests.deploy.conftest import (
    CMDLINE,
    CONFIG_TXT,
    REPOSITORY,
    a_key,
    copy,
    fresh,
    install,
    known_here,
    list_files,
    lock_to,
    needs_root,
    offline,
    pretend,
    sign,
    snapshot,
)

pytestmark = needs_root


def tree(root):
    """Return kind, mode, owner and content of all files, except useradd's own copies."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if re.fullmatch(r"etc/(passwd|group|shadow|gshadow)-", name):
            continue
        what = path.lstat()
        content = (
            os.readlink(path)
            if path.is_symlink()
            else path.read_bytes()
            if path.is_file()
            else None
        )
        found[name] = (stat.filemode(what.st_mode), what.st_uid, what.st_gid, content)
    return found


def test_every_file_is_there_with_its_mode_and_owner(installed_once):
    """All files belong to root, except the games; the settings are not public."""
    uid, gid = next(
        map(int, line.split(":")[2:4])
        for line in (installed_once / "etc/passwd").read_text().splitlines()
        if line.startswith("centerpiece:")
    )
    expected = {
        "etc/systemd/system/centerpiece.service": ("-rw-r--r--", 0, 0),
        "etc/systemd/system/centerpiece-network.service": ("-rw-r--r--", 0, 0),
        "etc/systemd/system/centerpiece-update.service": ("-rw-r--r--", 0, 0),
        "etc/systemd/system/centerpiece-back.service": ("-rw-r--r--", 0, 0),
        "etc/systemd/system/centerpiece-first.service": ("-rw-r--r--", 0, 0),
        "etc/systemd/system/centerpiece-stick@.service": ("-rw-r--r--", 0, 0),
        "etc/systemd/system/centerpiece-machine.service": ("-rw-r--r--", 0, 0),
        "etc/systemd/system/centerpiece-machine.path": ("-rw-r--r--", 0, 0),
        "etc/systemd/system/centerpiece-protect.service": ("-rw-r--r--", 0, 0),
        "etc/udev/rules.d/90-centerpiece.rules": ("-rw-r--r--", 0, 0),
        "etc/sysctl.d/60-centerpiece.conf": ("-rw-r--r--", 0, 0),
        "etc/systemd/system.conf.d/60-centerpiece.conf": ("-rw-r--r--", 0, 0),
        "etc/avahi/services/centerpiece.service": ("-rw-r--r--", 0, 0),
        "etc/NetworkManager/dnsmasq-shared.d/centerpiece.conf": ("-rw-r--r--", 0, 0),
        "etc/default/centerpiece": ("-rw-r--r--", 0, 0),
        "etc/centerpiece.toml": ("-rw-r-----", 0, gid),
        "etc/centerpiece.toml.example": ("-rw-r--r--", 0, 0),
        "usr/local/bin/centerpiece": ("-rwxr-xr-x", 0, 0),
        "opt/centerpiece/switch": ("-rwxr-xr-x", 0, 0),
        "var/lib/centerpiece": ("drwx------", uid, gid),
        "boot/firmware/centerpiece-sticker.svg": ("-rw-r--r--", 0, 0),
    }
    found = {name: (installed_once / name).stat() for name in expected}

    assert expected == {
        name: (stat.filemode(what.st_mode), what.st_uid, what.st_gid)
        for name, what in found.items()
    }


def test_the_hub_is_announced_as_a_page_and_as_a_centerpiece(installed_once):
    """A browser finds pages, and an app finds hubs among them, at one port."""
    announced = ElementTree.parse(installed_once / "etc/avahi/services/centerpiece.service")
    services = announced.getroot().findall("service")

    assert {"_http._tcp", "_centerpiece._tcp"} == {each.findtext("type") for each in services}
    (port,) = {each.findtext("port") for each in services}
    assert port.isdigit()


def test_the_user_may_use_the_devices_and_nothing_else(installed_once):
    """No password, no shell, no home; the five groups of the devices."""
    users = (installed_once / "etc/passwd").read_text()
    groups = (installed_once / "etc/group").read_text()
    member = re.findall(r"^(\w+):.*[:,]centerpiece$", groups, re.MULTILINE)

    assert re.search(r"^centerpiece:x:.*:/var/lib/centerpiece:/usr/sbin/nologin$", users, re.M)
    assert ["dialout", "audio", "gpio", "spi", "input"] == member


def test_the_units_start_with_the_machine(installed_once):
    """The hub, its network and its updates; the way back only when something fails."""
    wanted = installed_once / "etc/systemd/system/multi-user.target.wants"

    assert ["centerpiece-network.service", "centerpiece-update.service", "centerpiece.service"] == (
        sorted(path.name for path in wanted.glob("centerpiece*"))
    )


def test_the_boot_lines_are_those_of_the_wiring_page(installed_once):
    """One section between markers, with the lines that docs/wiring.md shows; no serial console."""
    page = (REPOSITORY / "docs/wiring.md").read_text()
    lines = re.search(r"config\.txt`:\n\n```\n(.*?)```", page, re.DOTALL)[1]
    config = (installed_once / "boot/firmware/config.txt").read_text()
    before, _, rest = config.partition("# >>> centerpiece")
    section, _, after = rest.partition("# <<< centerpiece")

    assert f"{CONFIG_TXT}\n" == before
    assert lines == section.partition("\n")[2]
    assert "\n" == after
    assert (
        CMDLINE.replace("console=serial0,115200 ", "")
        == (installed_once / "boot/firmware/cmdline.txt").read_text()
    )


def test_the_doctor_has_nothing_to_say_about_the_boot_lines(installed_once):
    """The installer writes exactly what the doctor looks for."""
    from hal.diagnosis import Machine, checks
    from hal.hardware_settings import HardwareSettings

    machine = Machine(installed_once, "root", frozenset(), lambda library: "9.9")
    found = list(checks(HardwareSettings(), machine, {}))

    assert [] == [
        check
        for check in found
        if "config.txt" in check.remedy
        and "Add" in check.remedy
        and "is not there" not in check.sentence
    ]
    assert [] == [check for check in found if "console" in check.sentence and check.verdict != "ok"]


def test_the_name_is_the_hubs_own_and_every_card_gets_another_password(installed_once):
    """raspberrypi becomes centerpiece; the password of the hub's Wi-Fi is not the example's."""
    config = (installed_once / "etc/centerpiece.toml").read_text()

    assert "centerpiece\n" == (installed_once / "etc/hostname").read_text()
    assert (
        "127.0.0.1\tlocalhost\n127.0.1.1\tcenterpiece\n"
        == (installed_once / "etc/hosts").read_text()
    )
    assert re.search(r'^password = "[a-z2-9]{12}"$', config, re.MULTILINE)


def test_it_says_everything_that_it_changed(installed_once):
    """Each changed file, and the restart that is needed."""
    said = (installed_once.parent / "installed.said").read_text()
    written = (installed_once / "opt/centerpiece/installed/files").read_text().split()

    assert [] == [path for path in written if path not in said]
    assert "Done. Restart the Pi now: sudo reboot" == said.splitlines()[-1]


def test_a_second_run_changes_nothing(installed, release):
    """No byte and no mode; and it says so."""
    before = tree(installed)

    done = install(release, "--root", installed)

    assert ("Nothing had to be changed.\n", "", 0) == (done.stdout, done.stderr, done.returncode)
    assert before == tree(installed)


def test_a_dry_run_changes_nothing_and_names_every_step(card, release, installed_once):
    """The dry run says “would” where the real one says “changed”."""
    before = tree(card)
    real = (installed_once.parent / "installed.said").read_text()

    done = install(release, "--root", card, "--dry-run")

    assert 0 == done.returncode
    assert before == tree(card)
    assert re.findall("^changed: (.*)", real, re.M) == re.findall("^would: (.*)", done.stdout, re.M)


def test_uninstall_puts_every_byte_back(installed, release, tmp_path):
    done = install(release, "--root", installed, "--uninstall")

    assert ("", 0) == (done.stderr, done.returncode)
    assert tree(fresh(tmp_path / "untouched")) == tree(installed)


def test_uninstalling_twice_is_harmless(card, release):
    """Nothing is removed if nothing is installed."""
    before = tree(card)

    done = install(release, "--root", card, "--uninstall")

    assert 0 == done.returncode
    assert before == tree(card)


def test_uninstall_keeps_games_changed_settings_and_what_the_owner_wrote(installed, release):
    """Only what the installer wrote goes."""
    games = installed / "var/lib/centerpiece/table.db"
    games.write_bytes(b"games")
    with open(installed / "etc/centerpiece.toml", "a") as config:
        config.write("# mine\n")
    boot = installed / "boot/firmware"
    (boot / "config.txt").write_text((boot / "config.txt").read_text() + "dtoverlay=my-own\n")
    (boot / "cmdline.txt").write_text((boot / "cmdline.txt").read_text().replace("quiet", "splash"))

    done = install(release, "--root", installed, "--uninstall")

    assert 0 == done.returncode
    assert b"games" == games.read_bytes()
    assert "# mine\n" in (installed / "etc/centerpiece.toml").read_text()
    assert f"{CONFIG_TXT}\ndtoverlay=my-own\n" == (boot / "config.txt").read_text()
    assert CMDLINE.replace("quiet", "splash") == (boot / "cmdline.txt").read_text()
    assert not (installed / "opt/centerpiece").exists()


def test_purge_takes_games_and_settings_too(installed, release):
    (installed / "var/lib/centerpiece/table.db").write_bytes(b"games")
    with open(installed / "etc/centerpiece.toml", "a") as config:
        config.write("# mine\n")

    install(release, "--root", installed, "--uninstall", "--purge")

    assert not (installed / "var/lib/centerpiece").exists()
    assert not (installed / "etc/centerpiece.toml").exists()


def test_changed_settings_survive_an_installation(installed, release):
    """The settings are the owner's; the example beside them is ours."""
    config = installed / "etc/centerpiece.toml"
    config.write_text(config.read_text().replace("table-1", "table-7"))
    (installed / "etc/centerpiece.toml.example").write_text("old")

    install(release, "--root", installed)

    assert 'id = "table-7"' in config.read_text()
    assert (release / "deploy/centerpiece.toml").read_text() == (
        installed / "etc/centerpiece.toml.example"
    ).read_text()


def test_lines_that_raspi_config_took_out_are_put_in_again(installed, release):
    """A second installation repairs the boot lines, and keeps what was added meanwhile."""
    config = installed / "boot/firmware/config.txt"
    config.write_text(config.read_text().replace("enable_uart=1\n", "") + "dtoverlay=my-own\n")

    done = install(release, "--root", installed)

    assert "Restart the Pi now" in done.stdout
    assert "enable_uart=1\n" in config.read_text()
    assert 1 == config.read_text().count(">>> centerpiece")
    install(release, "--root", installed, "--uninstall")
    assert f"{CONFIG_TXT}\ndtoverlay=my-own\n" == config.read_text()


def test_a_partition_for_the_games_gets_a_mount_of_its_own(installed, release):
    """The games outlive a read-only root; the hub does not start without their partition."""
    install(release, "--root", installed, "--data-partition", "LABEL=games")

    mount = installed / "etc/systemd/system/var-lib-centerpiece.mount"
    assert "What=LABEL=games\n" in mount.read_text()
    assert (
        installed / "etc/systemd/system/local-fs.target.wants/var-lib-centerpiece.mount"
    ).is_symlink()


def test_an_amplifier_gets_its_overlay_and_leaves_the_console_alone(card, release):
    """With I²S sound no UART is needed, and GPIO4 stays a button."""
    done = install(release, "--root", card, "--dry-run", "--sound", "alsa")

    assert "dtoverlay=max98357a,no-sdmode" in done.stdout
    assert "cmdline.txt" not in done.stdout


def test_an_amplifier_stays_one_when_the_installer_is_run_again(installed, release):
    """Every update does so, without options."""
    install(release, "--root", installed, "--sound", "alsa")
    done = install(release, "--root", installed)

    assert "Nothing had to be changed.\n" == done.stdout
    assert "dtoverlay=max98357a" in (installed / "boot/firmware/config.txt").read_text()


@pytest.mark.parametrize("sound", ["serial", "alsa", "none"])
def test_each_way_of_sound_gets_settings_that_the_hub_takes(card, release, sound):
    """The first start of a card writes them by itself."""
    (card / "etc/passwd").write_text("centerpiece:x:990:990::/var/lib/centerpiece:/bin/false\n")
    (card / "opt/centerpiece/installed").mkdir(parents=True)
    (card / "boot/firmware/centerpiece-sticker.svg").write_text("drawn")

    done = install(release, "--root", card, "--own", "--sound", sound)

    assert ("", 0) == (done.stderr, done.returncode)
    hardware = completed(load(card / "etc/centerpiece.toml").hardware, BOARDS["pi"])
    assert ("gpio", sound) == (hardware.buttons.driver, hardware.sound.driver)


def test_a_number_pad_instead_of_wires_is_in_the_settings(card, release):
    """Lights and sound stay on the header."""
    (card / "etc/passwd").write_text("centerpiece:x:990:990::/var/lib/centerpiece:/bin/false\n")
    (card / "opt/centerpiece/installed").mkdir(parents=True)
    (card / "boot/firmware/centerpiece-sticker.svg").write_text("drawn")

    done = install(release, "--root", card, "--own", "--buttons", "keys")

    assert ("", 0) == (done.stderr, done.returncode)
    hardware = completed(load(card / "etc/centerpiece.toml").hardware, BOARDS["pi"])
    assert ("keys", "neopixel") == (hardware.buttons.driver, hardware.lights.driver)


def test_a_hub_on_a_pico_is_installed_on_any_machine_and_stays_one(tmp_path, release):
    """An update has no options."""
    card = fresh(tmp_path / "card", "")
    first = install(release, "--root", card, "--dry-run", "--hardware", "usb")
    (card / "etc/default").mkdir(parents=True, exist_ok=True)
    (card / "etc/default/centerpiece").write_text("CENTERPIECE_HARDWARE=usb\n")
    later = install(release, "--root", card, "--dry-run")

    for done in (first, later):
        assert ("", 0) == (done.stderr, done.returncode)
        assert "with hall,pi\n" in done.stdout
        assert "/boot/firmware" not in done.stdout


@pytest.mark.parametrize(
    ("model", "libraries"),
    [
        ("Raspberry Pi Zero 2 W Rev 1.0", "hall,pi,pi-ws281x"),
        ("Raspberry Pi 3 Model B Plus Rev 1.3", "hall,pi,pi-ws281x"),
        ("Raspberry Pi 400 Rev 1.0", "hall,pi,pi-ws281x"),
        ("Raspberry Pi Compute Module 4 Rev 1.1", "hall,pi,pi-ws281x"),
        ("Raspberry Pi 5 Model B Rev 1.0", "hall,pi,pi-pio"),
        ("Raspberry Pi 500 Rev 1.0", "hall,pi,pi-pio"),
        ("Raspberry Pi Compute Module 5 Rev 1.0", "hall,pi,pi-pio"),
    ],
)
def test_each_board_gets_its_own_driver(tmp_path, release, model, libraries):
    """The chain of lights is driven differently on a Pi 5."""
    done = install(release, "--root", fresh(tmp_path / "card", model), "--dry-run")

    assert 0 == done.returncode
    assert f"with {libraries}\n" in done.stdout


def test_a_checkout_installs_as_an_archive_does(card, tmp_path, quick_python):
    """Without a wheel, the program is built from the checkout, which stays clean."""
    checkout = snapshot(tmp_path / "checkout")
    (checkout / "deploy/install.sh").chmod(0o755)
    lock_to(checkout, known_here((checkout / "requirements.lock").read_text()))
    before = tree(checkout)

    env = {**offline(), "PYTHON": str(quick_python)}
    done = install(checkout, "--root", card, "--hardware", "sim", "--beside", env=env)

    assert ("", 0) == (done.stderr, done.returncode)
    (version,) = (card / "opt/centerpiece/versions").iterdir()
    assert re.fullmatch(r"[\d.]+-[0-9a-f]{8}", version.name)
    said = subprocess.run(
        [version / "bin/python", "-m", "centerpiece", "rules"],
        env=offline(),
        cwd=card,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "mexican-train/classic" in said.stdout
    assert before == tree(checkout)


# What is refused, with a sentence and nothing half-done


def refused(card, release, *arguments, env=None):
    """Run the installer on a card that it must refuse; return the sentence."""
    before = tree(card)
    done = install(release, "--root", card, *arguments, env=env)
    assert 2 == done.returncode
    assert before == tree(card)
    (sentence,) = done.stderr.strip().splitlines()
    return sentence


def test_not_a_pi(card, release):
    """On another machine there is only the simulated hub."""
    (card / "proc/device-tree/model").unlink()

    assert "this machine is no Raspberry Pi" in refused(card, release)


@pytest.mark.parametrize("model", ["Raspberry Pi Model B Rev 2", "Raspberry Pi 2 Model B Rev 1.1"])
def test_an_unknown_board(tmp_path, release, model):
    sentence = refused(fresh(tmp_path / "card", model), release)

    assert f"the '{model}' is not known to work" in sentence


def test_not_root(card, release, tools):
    """Everybody may do a dry run, only root may install."""
    pretend(tools, "id", "echo 1000")
    env = {**offline(), "PATH": f"{tools}:{os.environ['PATH']}"}

    assert "centerpiece: this must be run as root: put 'sudo' before the command" == (
        refused(card, release, env=env)
    )
    assert 0 == install(release, "--root", card, "--dry-run", env=env).returncode


def test_no_space(card, release, tools):
    """A full card is noticed before anything is written to it."""
    pretend(tools, "df", "printf 'head\\n/dev/root 1000 900 42 90%% /\\n'")

    sentence = refused(card, release, env={**offline(), "PATH": f"{tools}:{os.environ['PATH']}"})

    assert "only 42 MB are free on the card and 500 MB are needed" in sentence


def test_a_system_without_systemd(card, release, tools):
    for folder in map(Path, os.environ["PATH"].split(":")):
        for path in folder.glob("*"):
            if path.name != "systemctl" and not (tools / path.name).is_symlink():
                (tools / path.name).symlink_to(path)

    assert "this system has no systemd" in refused(card, release, env={**offline(), "PATH": tools})


def test_an_old_python(card, release, tools):
    """Raspberry Pi OS before bookworm."""
    pretend(tools, "old-python", "echo 3 9")

    sentence = refused(card, release, env={**offline(), "PYTHON": str(tools / "old-python")})

    assert "Python 3.11 or newer is needed, this is 3.9" in sentence


def test_a_port_in_use(release):
    """Another web server on the machine; a dry run, since the port is this machine's."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = install(release, "--dry-run", "--hardware", "sim", "--port", port)

    assert f"port {port} is in use by another program" in done.stderr
    assert 2 == done.returncode


def test_no_raspberry_pi_os(card, release):
    """Without the boot partition in its place."""
    (card / "boot/firmware/cmdline.txt").unlink()

    assert "/boot/firmware/config.txt or cmdline.txt is not there" in refused(card, release)


def test_half_a_section(card, release):
    """A section without its end may be somebody's other lines."""
    with open(card / "boot/firmware/config.txt", "a") as config:
        config.write("\n# >>> centerpiece: written by its installer, taken out by --uninstall\n")

    assert "has half a centerpiece section" in refused(card, release)


def test_a_damaged_archive(card, release, tmp_path):
    """One byte of the archive has changed."""
    damaged = copy(release, tmp_path / "damaged")
    with open(damaged / "constraints.txt", "a") as file:
        file.write("\n")

    assert "the archive is damaged" in refused(card, damaged)


def test_libraries_that_cannot_be_fetched(card, unpacked, quick_python):
    """No Internet: no user, no unit, no boot line, and no half version."""
    env = {**offline(), "PYTHON": str(quick_python)}

    done = install(unpacked, "--root", card, env=env)

    assert 2 == done.returncode
    assert "Check the connection to the Internet and try again" in done.stderr
    assert [] == list((card / "opt/centerpiece/versions").iterdir())
    assert "raspberrypi\n" == (card / "etc/hostname").read_text()
    assert "centerpiece" not in (card / "etc/passwd").read_text()
    assert CONFIG_TXT == (card / "boot/firmware/config.txt").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--frobnicate"], "there is no option '--frobnicate'"),
        (["--port"], "--port needs a value"),
        (["--port", "65536"], "a number from 1 to 65535, not '65536'"),
        (["--port", "x"], "a number from 1 to 65535, not 'x'"),
        (["--hardware", "mac"], "--hardware is 'pi', 'usb' or 'sim', not 'mac'"),
        (["--buttons", "shirt"], "--buttons is 'gpio' or 'keys', not 'shirt'"),
        (["--sound", "loud"], "--sound is 'serial', 'alsa' or 'none', not 'loud'"),
        (["--name", "Table 7"], "--name is small letters, digits and hyphens"),
        (["--data-partition", "games; rm -rf /"], "--data-partition is LABEL="),
        (["--purge"], "--purge only goes with --uninstall"),
        (["--root", "/nowhere"], "--root '/nowhere' is no directory"),
    ],
)
def test_arguments_that_make_no_sense(card, release, arguments, words):
    """The answer says what was expected."""
    assert words in refused(card, release, *arguments)


def test_every_option_is_in_the_page_about_installing():
    """And no other."""
    script = (REPOSITORY / "deploy/install.sh").read_text()
    usage = re.search(r"cat <<'END'\n(.*?)\nEND\n", script, re.DOTALL)[1]
    page = (REPOSITORY / "docs/install.md").read_text()
    table = re.findall(r"^\| `(--[\w-]+)", page, re.MULTILINE)

    assert sorted(re.findall(r"^  (--[\w-]+)", usage, re.MULTILINE)) == sorted(table)


# Who made it


def signed(release, target, by, **changed):
    """Copy the release with changed files, signed by any key."""
    folder = copy(release, target)
    for name, content in changed.items():
        path = folder / name.replace("__", "-")
        path.unlink()
        path.write_text(content)
    list_files(folder)
    sign(folder, by)
    return folder


def trusting(*keys):
    words = 'centerpiece namespaces="centerpiece-release"'
    return "".join(f"{words} {key.with_name(key.name + '.pub').read_text()}" for key in keys)


def test_the_hub_trusts_the_keys_of_its_release(installed_once, release):
    """From the first installation on."""
    keys = installed_once / "opt/centerpiece/trusted-keys"

    assert (release / "release-keys").read_bytes() == keys.read_bytes()
    assert 0o644 == stat.S_IMODE(keys.stat().st_mode)


def test_a_release_of_somebody_else_changes_nothing(installed, release, tmp_path):
    """Unless an option at the hub allows it."""
    other = a_key(tmp_path / "k/other")
    folder = signed(release, tmp_path / "foreign", other, release__keys=trusting(other))
    before = tree(installed)

    done = install(folder, "--root", installed)

    assert 2 == done.returncode
    assert "not signed with a key that this hub trusts" in done.stderr
    assert before == tree(installed)
    assert 0 == install(folder, "--root", installed, "--trust").returncode
    assert trusting(other) == (installed / "opt/centerpiece/trusted-keys").read_text()


def test_a_second_key_can_replace_the_first(installed, release, tmp_path, key):
    """By a release signed with the first that names both, then one signed with the second."""
    second = a_key(tmp_path / "k/second")
    both = signed(release, tmp_path / "both", key, release__keys=trusting(key, second))
    alone = signed(release, tmp_path / "alone", second, release__keys=trusting(second))

    assert 2 == install(alone, "--root", installed).returncode
    assert 0 == install(both, "--root", installed).returncode
    assert 0 == install(alone, "--root", installed).returncode
    assert 2 == install(both, "--root", installed).returncode


def test_an_unsigned_or_older_release_is_refused(installed, release, tmp_path, key):
    """Older ones are installed with an option at the hub."""
    unsigned = copy(release, tmp_path / "unsigned")
    (unsigned / "SHA256SUMS.sig").unlink()
    current = installed / "opt/centerpiece/current"
    version = os.readlink(current)
    current.unlink()
    current.symlink_to("versions/99.0.0-abcdef12")

    assert "is not signed" in install(unsigned, "--root", installed).stderr
    assert "and 99.0.0 is in use; to go back" in install(release, "--root", installed).stderr
    assert 0 == install(release, "--root", installed, "--older").returncode
    assert version == os.readlink(current)


AS_PROTECTED = """
mount --bind "$1" "$1"
mount --bind "$1/boot" "$1/boot"
mount -o remount,bind,ro "$1"
exec "$2" --root "$1"
"""


@needs_root
def test_a_protected_card_is_left_as_it_is(installed_once, release):
    """Only its boot partition can be written."""
    script = release / "deploy/install.sh"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-ec", AS_PROTECTED, "sh", installed_once, script],
        env=offline(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (2, "") == (done.returncode, done.stdout)
    assert "the card is protected from writing; switch that off on the settings page" in done.stderr
    assert "Read-only" not in done.stderr
