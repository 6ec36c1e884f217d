"""A card's image from a small root: partitions, file systems, growth, content."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.deploy.conftest import REPOSITORY, copy, fresh, install, needs_root, offline, pretend
from tools import image as tool

NEEDED = ("mke2fs", "debugfs", "resize2fs", "e2fsck", "sfdisk", "mkfs.vfat", "mcopy", "xz")
MISSING = [name for name in NEEDED if shutil.which(name) is None]
needs_tools = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING}")

FIRST_START = REPOSITORY / "deploy/first-start.sh"
EPOCH = 1767225600
MEBIBYTE = 1 << 20


def run(*command: object) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "C"},
        check=True,
    )
    return done.stdout


def folders(where: Path) -> tuple[Path, Path]:
    """A root of a few files, and the files of a boot partition."""
    root, boot = where / "root", where / "boot"
    for path, content in {
        root / "etc/hostname": "raspberrypi\n",
        root / "usr/bin/program": "#!/bin/sh\n",
        boot / "config.txt": "arm_64bit=1\n",
        boot / "cmdline.txt": "root=PARTUUID=c3e7a11e-02\n",
        boot / "overlays/a long name.dtbo": "overlay",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (root / "usr/bin/program").chmod(0o4755)
    (root / "bin").symlink_to("usr/bin")
    (root / "boot/firmware").mkdir(parents=True)
    return root, boot


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    where = tmp_path_factory.mktemp("image")
    made = where / "centerpiece-9.9.img"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tool, "BOOT_SIZE", 40)
        patch.setattr(tool, "GAMES_SIZE", 8)
        patch.setattr(tool, "SPARE", 16)
        tool.write(*folders(where), made, EPOCH)
        yield made


def partition(image: Path, number: int, target: Path) -> Path:
    """Extract a partition from an image."""
    listed = json.loads(run("sfdisk", "--json", image))["partitiontable"]["partitions"][number - 1]
    where = (f"skip={listed['start']}", f"count={listed['size']}", "bs=512", "conv=sparse")
    run("dd", f"if={image}", f"of={target}", *where, "status=none")
    return target


@needs_tools
def test_a_card_has_a_partition_for_every_computer_one_for_the_hub_and_one_for_games(image):
    """FAT first, ext4 second, as the Pi's firmware wants it; the root's number is in its command
    line. Only the root's end is the card's end, so that it can grow."""
    table = json.loads(run("sfdisk", "--json", image))["partitiontable"]

    assert ("dos", "0xc3e7a11e") == (table["label"], table["id"])
    parts = table["partitions"]
    assert [("c", True), ("83", False), ("83", False)] == [
        (each["type"], each.get("bootable", False)) for each in parts
    ]
    boot, root, games = parts
    assert boot["start"] + boot["size"] == games["start"]
    assert games["start"] + games["size"] == root["start"]
    assert 0 == sum(each["start"] % 8192 for each in table["partitions"])


@needs_tools
def test_the_file_systems_are_whole_and_hold_what_they_should(image, tmp_path):
    """With modes, links and long names; the boot files are not on the root too."""
    boot, root, games = (partition(image, n, tmp_path / str(n)) for n in (1, 2, 3))
    for each in (root, games):
        run("e2fsck", "-f", "-n", each)
    run("mcopy", "-s", "-i", boot, "::*", tmp_path)
    stat = run("debugfs", "-R", "stat /usr/bin/program", root)

    assert "overlay" == (tmp_path / "overlays/a long name.dtbo").read_text()
    assert "arm_64bit=1\n" == (tmp_path / "config.txt").read_text()
    assert "Mode:  04755" in stat
    assert 'Fast link dest: "usr/bin"' in run("debugfs", "-R", "stat /bin", root)
    assert "" == run("debugfs", "-R", "ls -p /boot/firmware", root).partition("/../")[2].strip(
        " /0\n"
    )


@needs_tools
def test_the_same_folders_give_the_same_bytes(image, tmp_path):
    """At another time, after files were read and written."""
    root, boot = (image.parent / name for name in ("root", "boot"))
    for path in root.rglob("*"):
        if not path.is_symlink():
            os.utime(path, (1.0, path.stat().st_mtime))
    again = tmp_path / "again.img"
    tool.write(root, boot, again, EPOCH)

    assert image.read_bytes() == again.read_bytes()


@needs_tools
def test_it_grows_to_the_end_of_the_card_and_may_be_cut_off_at_any_step(image, tmp_path):
    """Doing it twice, or again after a cut in between, gives the same."""
    card = shutil.copyfile(image, tmp_path / "card")
    size = 100 * MEBIBYTE
    os.truncate(card, size)
    root = partition(card, 2, tmp_path / "root")
    run("e2fsck", "-f", "-p", root)
    nothing = tmp_path / "no-such-partition"
    cut_off = subprocess.run(
        [FIRST_START, "grow", card, "2", nothing], capture_output=True, check=False
    )
    assert cut_off.returncode
    for _ in range(2):
        start, count = re.search(
            r"card2 : start= *(\d+), size= *(\d+)", run("sfdisk", "-d", card)
        ).groups()
        assert size == 512 * (int(start) + int(count))
        os.truncate(root, 512 * int(count))
        run(FIRST_START, "grow", card, "2", root)
        run("e2fsck", "-f", "-n", root)
        blocks = int(re.search(r"Block count: +(\d+)", run("dumpe2fs", "-h", root))[1])
        assert 512 * int(count) - 4096 * blocks < 4096 * 16


@needs_tools
def test_imager_finds_what_it_needs_to_know(image, monkeypatch):
    """The required fields of Raspberry Pi Imager's list, with the right checksums."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(EPOCH))
    packed = tool.pack(image, "0")
    (entry,) = json.loads(tool.os_list(image, packed))["os_list"]
    required = {"name", "description", "icon", "url", "extract_size", "extract_sha256"}
    required |= {"image_download_size", "release_date", "init_format", "devices"}

    assert set() == required - entry.keys()
    assert (image.stat().st_size, packed.stat().st_size) == (
        entry["extract_size"],
        entry["image_download_size"],
    )
    assert entry["extract_sha256"] == run("sha256sum", image).split()[0]
    assert "9.9" in entry["name"]
    assert ("cloudinit", "2026-01-01") == (entry["init_format"], entry["release_date"])


# A card that is written to no more

PROTECTED = """
set -e
mount -t tmpfs root "$1"
mkdir "$1/etc" "$1/var" "$1/run" "$1/usr"
mount -t tmpfs run "$1/run"
echo before >"$1/etc/hostname"
"$2" "$1"
echo after >"$1/etc/hostname"
mkdir -p "$1/var/log"
cat "$1/etc/hostname"
! touch "$1/usr/program"
umount "$1/etc"
cat "$1/etc/hostname"
! touch "$1/etc/other"
"""


@needs_root
def test_a_protected_card_keeps_nothing_that_is_written(tmp_path):
    """Writes to /etc and /var go to memory; the root is read-only."""
    script = REPOSITORY / "deploy/protect.sh"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", PROTECTED, "sh", tmp_path, script],
        capture_output=True,
        text=True,
        check=False,
    )
    if "unknown filesystem type" in done.stderr:
        pytest.skip("this kernel has no overlay")

    assert (0, "after\nbefore\n") == (done.returncode, done.stdout), done.stderr
    assert 2 == done.stderr.count("Read-only file system")


# What is said to cloud-init


def test_the_file_for_raspberry_pi_os_installs_the_archive_beside_it(tmp_path, tools):
    """cloud-init reads it; its one command works on a card with an archive, and reports."""
    text = (REPOSITORY / "deploy/user-data").read_text()
    assert text.startswith("#cloud-config\n")
    document = yaml.safe_load(text)
    assert {"hostname", "runcmd"} == document.keys()
    ((*shell, command),) = document["runcmd"]
    boot, home = tmp_path / "boot", tmp_path / "home"
    installer = tmp_path / "centerpiece-9.9/deploy/install.sh"
    for folder in (boot, home, installer.parent):
        folder.mkdir(parents=True)
    pretend(tools, "systemctl", f'echo "$@" >{tmp_path}/systemctl')
    command = command.replace("/boot/firmware", str(boot)).replace("/root", str(home))
    env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}

    def installs(script: str) -> list[str]:
        pretend(installer.parent, "install.sh", script)
        run("tar", "czf", boot / "centerpiece-9.9.tar.gz", "-C", tmp_path, "centerpiece-9.9")
        subprocess.run([*shell, command], env=env, check=False)
        return sorted(path.name for path in boot.iterdir())

    assert ["centerpiece-9.9.tar.gz", "centerpiece-problem.txt"] == installs(
        "echo 'centerpiece: no' >&2; exit 2"
    )
    assert "centerpiece: no\n" == (boot / "centerpiece-problem.txt").read_text()
    assert not (tmp_path / "systemctl").exists()
    assert ["centerpiece-9.9.tar.gz.installed"] == installs("exit 0")
    assert "reboot\n" == (tmp_path / "systemctl").read_text()


@pytest.mark.skipif(not shutil.which("cloud-init"), reason="cloud-init is not installed")
def test_cloud_init_accepts_the_file_for_raspberry_pi_os(tmp_path):
    """By its own schema, which does not accept everything."""
    good = REPOSITORY / "deploy/user-data"
    bad = tmp_path / "user-data"
    bad.write_text(good.read_text().replace("hostname: centerpiece", "hostname: [centerpiece]"))

    checked = [
        subprocess.run(["cloud-init", "schema", "--config-file", file], check=False).returncode
        for file in (good, bad)
    ]

    assert [0, 1] == checked


def test_cloud_init_looks_where_imager_writes():
    """On the boot partition, and nowhere else; without settings no user is made."""
    read = yaml.safe_load((REPOSITORY / "deploy/cloud-init.cfg").read_text())

    assert ["NoCloud"] == read["datasource_list"]
    assert "file:///boot/firmware/" == read["datasource"]["NoCloud"]["seedfrom"]
    assert [] == read["users"]


# What no two hubs share


@needs_root
def test_an_image_has_nothing_of_its_own_until_its_first_start(tmp_path, release, installed_once):
    """No settings, password, name or sticker; all libraries, for any Pi."""
    card = fresh(tmp_path / "card", "")
    (card / "opt/centerpiece").mkdir()
    copy(installed_once / "opt/centerpiece/versions", card / "opt/centerpiece/versions", "--link")

    done = install(release, "--root", card, "--dry-run", "--image")

    assert ("", 0) == (done.stderr, done.returncode)
    assert "with hall,pi,pi-ws281x,pi-pio\n" in done.stdout
    assert "start centerpiece-first.service with the machine" in done.stdout
    for own in ("centerpiece.toml, the settings", "name this machine", "the sticker"):
        assert own not in done.stdout


@needs_root
def test_two_hubs_from_one_image_share_nothing(installed, tmp_path):
    """Each gets a name once, which its network has too; that is open until it is set up."""
    (installed / "etc/centerpiece.toml").unlink()
    (installed / "boot/firmware/centerpiece-sticker.svg").unlink()
    (installed / "etc/hostname").write_text("raspberrypi\n")
    # The partition for the games is still nobody's.
    os.chown(installed / "var/lib/centerpiece", 0, 0)
    group = re.search(r"^centerpiece:x:\d+:(\d+)", (installed / "etc/passwd").read_text(), re.M)[1]
    other = copy(installed, tmp_path / "other")
    script = next(installed.glob("opt/centerpiece/versions/*/deploy/install.sh"))

    def own(root: Path) -> tuple[str, str]:
        run_own = [script, "--own", "--root", root]
        done = subprocess.run(run_own, env=offline(), capture_output=True, text=True, check=False)
        assert ("", 0) == (done.stderr, done.returncode)
        assert (root / "boot/firmware/centerpiece-sticker.svg").stat().st_size
        assert int(group) == (root / "etc/centerpiece.toml").stat().st_gid
        return (root / "etc/hostname").read_text(), (root / "etc/centerpiece.toml").read_text()

    (name, settings), (another, others) = own(installed), own(other)

    assert re.fullmatch("centerpiece-[a-z2-9]{4}\n", name)
    assert f'ssid = "{name.strip()}"\n' in settings
    assert "\nopen_until_set_up = true\n" in settings
    assert name != another
    assert re.search("password = .*", settings)[0] != re.search("password = .*", others)[0]
    # The plug was pulled while the sticker was written.
    (installed / "boot/firmware/centerpiece-sticker.svg").write_text("")
    assert (name, settings) == own(installed)
