"""The release archive: reproducible, and accepted only when complete."""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tracemalloc
from contextlib import suppress

import pytest

from centerpiece.__main__ import main
from centerpiece.cli import update
from centerpiece.cli.update import UpdateError, check, unpack
from centerpiece.service import problems
from tests.deploy.conftest import REPOSITORY, a_key, build_release, list_files, sign


def test_the_same_files_give_the_same_bytes_elsewhere(tmp_path, archive):
    """With another folder, umask, time zone, file times and order on the disk."""
    here = archive.parent.with_name("snapshot")
    there = tmp_path / "some/where/else"
    for path in sorted(here.rglob("*"), reverse=True):
        if path.is_file() and path.suffix != ".pyc":
            copy = there / path.relative_to(here)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            copy.chmod(0o600)
            os.utime(copy, (1, 1))

    first = archive.read_bytes()
    second = build_release(there, tmp_path / "second", 0o077, "Asia/Tokyo").read_bytes()

    assert contents(first) == contents(second)
    assert first == second


def git(folder, *words):
    """Run git in a folder, as an anonymous author."""
    who = ("-c", "user.name=n", "-c", "user.email=e@example", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)


def test_a_release_is_the_commit_and_not_what_lies_around(tmp_path):
    """Without uncommitted changes and untracked files."""
    source = tmp_path / "source"
    for name in ("centerpiece", "hal", "sim"):
        (source / name).mkdir(parents=True)
        (source / name / "__init__.py").touch()
    for name in ("pyproject.toml", "constraints.txt", "requirements.lock", "README.md"):
        shutil.copyfile(REPOSITORY / name, source / name)
    git(source, "init")
    git(source, "add", ".")
    git(source, "commit", "-m", "all")
    clean = build_release(source, tmp_path / "clean").read_bytes()
    (source / "constraints.txt").write_text("changed")
    (source / "hal/forgotten.py").touch()

    assert clean == build_release(source, tmp_path / "dirty").read_bytes()


def contents(packed: bytes) -> dict[str, str]:
    """Return the checksum of each file."""
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        return {
            entry.name: hashlib.sha256(tar.extractfile(entry).read()).hexdigest() for entry in tar
        }


def test_it_holds_what_an_installation_needs(unpacked):
    """The wheel, the constraints, the deploy files, the pages to read, and the checksums."""
    names = {
        path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()
    }
    (wheel,) = (name for name in names if name.endswith(".whl"))

    assert wheel.startswith("centerpiece-")
    deploy = {f"deploy/{path.name}" for path in (REPOSITORY / "deploy").glob("*.*")}
    others = {"constraints.txt", "requirements.lock", "SHA256SUMS", "docs/wiring.md"}
    others |= {"SHA256SUMS.sig", "release-keys"}
    assert set() == (deploy | others) - names
    assert os.access(unpacked / "deploy/install.sh", os.X_OK)


def test_it_holds_a_bill_of_materials(unpacked):
    """Every package that a hub may install, with the hashes of its files."""
    bill = json.loads((unpacked / "sbom.cdx.json").read_text())
    lock = (unpacked / "requirements.lock").read_text()

    assert ("CycloneDX", "centerpiece") == (
        bill["bomFormat"],
        bill["metadata"]["component"]["name"],
    )
    pinned = re.findall(r"^([a-z0-9-]+)==(\S+)", lock, re.MULTILINE)
    assert pinned == [(part["name"], part["version"]) for part in bill["components"]]
    assert lock.count("--hash=") == sum(len(part["hashes"]) for part in bill["components"])


def carrying(tmp_path, *names: str):
    """Build a release with wheels of these names; return output and files."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(name.encode())
    (folder / "machines").write_text("python3.13-aarch64\n")
    source = tmp_path / "source"
    for name in ("centerpiece/__init__.py", "hal/__init__.py", "sim/__init__.py"):
        (source / name).parent.mkdir(parents=True)
        (source / name).touch()
    for name in ("pyproject.toml", "constraints.txt", "requirements.lock", "README.md"):
        shutil.copyfile(REPOSITORY / name, source / name)
    command = [sys.executable, REPOSITORY / "tools/release.py", "--source", source]
    done = subprocess.run(
        [*command, "--output", tmp_path / "out", "--wheels", folder],
        env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return done.stderr, {}
    with tarfile.open(next((tmp_path / "out").iterdir())) as tar:
        return done.stdout, {
            entry.name.partition("/")[2]: tar.extractfile(entry).read() for entry in tar
        }


def test_it_can_carry_libraries_and_its_lock_knows_them(tmp_path):
    """Libraries published as source are locked by the hash of the built wheel."""
    name = "rpi_ws281x-5.0.0-cp313-cp313-linux_aarch64.whl"
    _, files = carrying(tmp_path, name)

    lock = files["requirements.lock"].decode()
    assert name.encode() == files[f"wheels/{name}"]
    assert "\n# wheels python3.13-aarch64\n\n" in lock
    (entry,) = (each for each in lock.split("\n\n") if "\nrpi-ws281x==" in each)
    assert [hashlib.sha256(name.encode()).hexdigest()] == re.findall("sha256:(.{64})", entry)[:1]
    hashes = {
        hash_["content"]
        for part in json.loads(files["sbom.cdx.json"])["components"]
        for hash_ in part["hashes"]
    }
    assert hashes == set(re.findall("sha256:(.{64})", lock))


def test_it_carries_no_library_that_the_lock_does_not_know(tmp_path):
    """Nor another file of a known name."""
    said, _ = carrying(tmp_path, "segno-1.6.6-py3-none-any.whl")

    assert "segno-1.6.6-py3-none-any.whl is not a file that requirements.lock knows" in said


def test_it_belongs_to_nobody(archive):
    """It has no user, group or time of the machine that built it."""
    with tarfile.open(archive) as tar:
        owners = {(entry.uid, entry.gid, entry.uname, entry.gname) for entry in tar}
        times = {entry.mtime for entry in tar}

    assert {(0, 0, "", "")} == owners
    assert 1 == len(times)


# What an update accepts


def packed(tmp_path, files: dict[str, bytes], sums: str | None = None, extra=None, raw=None):
    """Build an archive with these files and, unless given, their right checksums."""
    if sums is None:
        sums = "".join(
            f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items()
        )
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, content in {**files, "SHA256SUMS": raw or sums.encode()}.items():
            entry = tarfile.TarInfo(f"centerpiece-9.9.9/{name}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
        if extra is not None:
            tar.addfile(extra)
    path = tmp_path / "centerpiece-9.9.9.tar.gz"
    path.write_bytes(gzip.compress(made.getvalue()))
    return path


def test_a_whole_archive_is_unpacked(tmp_path, archive):
    """The real one, with every file unchanged."""
    folder = unpack(archive, tmp_path)
    check(folder, archive)

    assert (REPOSITORY / "deploy/install.sh").read_bytes() == (
        folder / "deploy/install.sh"
    ).read_bytes()
    assert os.access(folder / "deploy/install.sh", os.X_OK)


def refusal(path, tmp_path) -> str:
    with pytest.raises(UpdateError) as refused:
        check(unpack(path, tmp_path / "unpacked"), path)
    return str(refused.value)


def test_a_changed_file_is_refused(tmp_path):
    path = packed(tmp_path, {"a": b"changed"}, f"{hashlib.sha256(b'right').hexdigest()}  a\n")

    assert f"{path.name} is damaged (a); download it again" == refusal(path, tmp_path)


def test_a_file_too_many_is_refused(tmp_path):
    """A file that is not in the list."""
    assert "is damaged (a)" in refusal(packed(tmp_path, {"a": b"more"}, ""), tmp_path)


@pytest.mark.parametrize("name", ["../escaped", "/tmp/escaped", "a/../../escaped"])
def test_nothing_is_written_outside(tmp_path, name):
    """With a path out of the folder, nothing is unpacked."""
    path = packed(tmp_path, {}, extra=tarfile.TarInfo(name))

    assert "is not a release: it contains" in refusal(path, tmp_path)
    assert not (tmp_path / "unpacked").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_only_plain_files_are_unpacked(tmp_path, kind):
    """A release has no links and no pipes."""
    entry = tarfile.TarInfo("centerpiece-9.9.9/odd")
    entry.type = kind
    entry.linkname = "/etc/passwd"

    assert "is not a release: it contains" in refusal(packed(tmp_path, {}, extra=entry), tmp_path)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.REGTYPE])
def test_an_archive_that_swells_is_refused_before_it_does(tmp_path, monkeypatch, kind):
    """A few bytes that become more than any memory, in headers too."""
    monkeypatch.setattr(update, "LARGEST", 1_000_000)
    entry = tarfile.TarInfo("centerpiece-9.9.9/swells")
    entry.type, entry.size = kind, 20 * update.LARGEST
    path = tmp_path / "centerpiece-9.9.9.tar.gz"
    with gzip.open(path, "wb", compresslevel=1) as swelling:
        swelling.write(entry.tobuf(tarfile.USTAR_FORMAT))
        swelling.write(bytes(entry.size))

    tracemalloc.start()
    said = refusal(path, tmp_path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert f"{path.name} is too large to be a release; download it again" == said
    assert most < 8 * update.LARGEST


@pytest.mark.parametrize("length", [0, 10, 1000, 100_000])
def test_half_an_archive_is_refused(tmp_path, archive, length):
    """After an interrupted download."""
    path = tmp_path / "centerpiece-half.tar.gz"
    path.write_bytes(archive.read_bytes()[:length])

    assert path.name in refusal(path, tmp_path)


def test_no_archive_at_all(tmp_path):
    assert "No such file" in refusal(tmp_path / "nothing.tar.gz", tmp_path)


@pytest.fixture
def card(tmp_path, monkeypatch):
    """A boot partition, and an update that records the archive it gets."""
    monkeypatch.setattr(update.os, "geteuid", lambda: 0)
    folder = tmp_path / "boot"
    folder.mkdir()
    monkeypatch.setattr(problems, "FOLDER", tmp_path / "problems")
    monkeypatch.setattr(problems, "CARD", folder)
    return folder


def on_card(card, *names):
    for name in names:
        (card / name).touch()


def test_the_newest_archive_on_the_card_is_taken_once(card, monkeypatch):
    """Versions are compared as numbers; afterwards each archive's name has the outcome."""
    taken = []
    monkeypatch.setattr(update, "update", lambda path, more: taken.append(path.name) or (0, ""))
    on_card(card, "centerpiece-0.9.0.tar.gz", "centerpiece-0.10.0.tar.gz", "holiday.jpg")

    assert 0 == update.from_card(card)

    assert ["centerpiece-0.10.0.tar.gz"] == taken
    assert [
        "centerpiece-0.10.0.tar.gz.installed",
        "centerpiece-0.9.0.tar.gz.refused",
        "holiday.jpg",
    ] == sorted(path.name for path in card.iterdir())


NONSENSE = {
    "nothing": b"",
    "no archive": b"not an archive",
    "half a header": gzip.compress(b"x" * 700),
    "numbers that are none": gzip.compress(b"centerpiece-9/a".ljust(100, b"\0") + b"\xff" * 412),
    "names that are no text": None,
}


@pytest.mark.parametrize("what", NONSENSE)
def test_an_archive_that_is_refused_is_not_tried_at_every_start(card, tmp_path, what, capsys):
    """There is one sentence, and its name has the outcome."""
    sums = "\udcff\udcfe  a\n".encode("utf-8", "surrogateescape")
    content = NONSENSE[what] or packed(tmp_path, {"a": b"b"}, raw=sums).read_bytes()
    (card / "centerpiece-1.0.0.tar.gz").write_bytes(content)

    assert 2 == main(["update", "--from-card", str(card)])

    said = capsys.readouterr().err
    assert 1 == said.count("\n"), said
    assert "centerpiece-1.0.0.tar.gz" in said
    assert ["centerpiece-1.0.0.tar.gz.refused", problems.NAME] == sorted(
        path.name for path in card.iterdir()
    )
    assert "An update was not installed: " in problems.known()["update"]


def test_a_card_that_cannot_be_written_is_told_of(card, monkeypatch, capsys):
    """The archive is refused at every start, with a sentence, and nothing of it runs."""
    on_card(card, "centerpiece-1.0.0.tar.gz")

    def fails(self, target):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(type(card), "rename", fails)

    assert 2 == main(["update", "--from-card", str(card)])
    assert "cannot be renamed: Read-only file system" in capsys.readouterr().out


# Who made it


@pytest.fixture
def offered(unpacked, tmp_path, card, key, monkeypatch):
    """Offers a changed release to a hub, and tells whether its installer ran."""
    trusted = tmp_path / "trusted-keys"
    trusted.write_bytes((unpacked / "release-keys").read_bytes())
    monkeypatch.setattr(update, "TRUSTED", trusted)
    ran = tmp_path / "ran"

    def offer(
        change=lambda folder: None,
        *,
        by=key,
        older=False,
        version=None,
        from_card=True,
        installer="",
    ):
        """Return the hub's sentence; None if it ran the installer."""
        ran.unlink(missing_ok=True)
        folder = tmp_path / "offered" / unpacked.name
        shutil.rmtree(folder.parent, ignore_errors=True)
        shutil.copytree(unpacked, folder)
        (folder / "deploy/install.sh").write_text(f'#!/bin/sh\necho "$@" > {ran}\n{installer}\n')
        if version:
            (wheel,) = folder.glob("*.whl")
            wheel.rename(folder / f"centerpiece-{version}-py3-none-any.whl")
        list_files(folder)
        sign(folder, by)
        change(folder)
        archive = card / "centerpiece-9.0.0.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(folder, folder.name)
        try:
            if from_card:
                update.from_card(card)
            else:
                update.update(archive, older=older)
        except UpdateError as refused:
            assert not ran.exists()
            assert not from_card or not archive.exists()
            return str(refused)
        assert ran.exists()
        return None

    offer.trusted = trusted
    offer.arguments = lambda: ran.read_text().split()
    return offer


def test_a_release_of_ours_is_installed(offered):
    """Signed with a key that the hub trusts."""
    assert offered() is None


def test_what_the_installer_complains_of_is_told_on_the_page_and_on_the_card(offered, card, capfd):
    """Its last error, or where to look; all its output is passed on."""
    complaint = "centerpiece: only 12 MB are free; use a larger card"

    offered(installer=f"echo {complaint!r} >&2; echo more >&2; exit 2")
    assert (f"{complaint}\nmore\n") == capfd.readouterr().err
    told = "An update was not installed: only 12 MB are free; use a larger card."
    assert {"update": told} == problems.known()
    assert f"{told}\r\n" == (card / problems.NAME).read_bytes().decode()
    assert (card / "centerpiece-9.0.0.tar.gz.refused").exists()

    offered(installer="exit 3")
    assert "“journalctl -u 'centerpiece-*'” shows where." in problems.known()["update"]

    offered()
    assert {} == problems.known()


def test_a_sentence_about_an_update_goes_with_what_it_is_about(offered, card):
    """No problem is left once an archive was removed, or installed by hand."""
    offered(installer="exit 3")
    update.from_card(card)
    assert ["update"] == list(problems.known())

    (card / "centerpiece-9.0.0.tar.gz.refused").unlink()
    update.from_card(card / "..")
    assert ["update"] == list(problems.known())
    update.from_card(card)
    assert {} == problems.known()


@pytest.mark.parametrize("how", ["kill $PPID; read -r never <forever", "exit 130"])
def test_an_update_that_is_stopped_is_tried_again(offered, card, how, tmp_path, monkeypatch):
    """Stopped by the service manager's time limit, or because the machine is switched off."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("forever")
    before = signal.getsignal(signal.SIGTERM)

    with pytest.raises(SystemExit):
        offered(installer=how)
    # An installer that outlives its updater (stopped while it was being started) ends here.
    with suppress(OSError):
        os.close(os.open("forever", os.O_WRONLY | os.O_NONBLOCK))

    assert ["centerpiece-9.0.0.tar.gz", problems.NAME] == sorted(p.name for p in card.iterdir())
    assert "interrupted. It is tried again" in problems.known()["update"]
    assert before == signal.getsignal(signal.SIGTERM)

    offered()
    assert {} == problems.known()


def test_somebody_elses_release_is_refused(offered, tmp_path):
    """Although its checksums fit; nothing of it runs."""
    assert "not signed with a key that this hub trusts" in offered(by=a_key(tmp_path / "k/other"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: (folder / "SHA256SUMS.sig").unlink(), "is not signed"),
        (lambda folder: (folder / "SHA256SUMS.sig").write_text("x"), "not signed with a key"),
        (list_files, None),
        (lambda folder: (folder / "deploy/more.sh").touch(), "is damaged (deploy/more.sh)"),
        (lambda folder: (folder / "deploy/SHA256SUMS").touch(), "is damaged (deploy/SHA"),
        (
            lambda folder: [(folder / "deploy/switch.sh").write_text("x"), list_files(folder)],
            "not signed with a key",
        ),
    ],
    ids=["no signature", "nonsense", "the same list", "a file more", "a hidden file", "new list"],
)
def test_what_was_changed_after_signing_is_refused(offered, change, words):
    """The signature covers the list, and the list every file."""
    said = offered(change)
    assert said is None if words is None else words in said


def test_a_signature_for_something_else_is_none(offered, key):
    """The same key may sign letters too."""

    def as_a_letter(folder):
        (folder / "SHA256SUMS.sig").unlink()
        what = ("-f", key, "-n", "file", folder / "SHA256SUMS")
        subprocess.run(("ssh-keygen", "-q", "-Y", "sign", *what), check=True)

    assert "not signed with a key that this hub trusts" in offered(as_a_letter)


def test_a_hub_that_trusts_nobody_updates_to_nothing(offered):
    offered.trusted.write_text("")

    assert "no key to check" in offered()


def test_versions_go_forward_unless_somebody_at_the_shell_says_otherwise(offered):
    """An old release with a known hole is signed too."""
    assert None is offered(version="99.0")
    assert "is version 0.0.1" in offered(version="0.0.1")
    assert "is version 0.0.1" in offered(version="0.0.1", from_card=False)
    assert None is offered(version="0.0.1", older=True, from_card=False)
    assert ["--older"] == offered.arguments()


def test_a_release_without_a_key_is_not_made(tmp_path):
    """The sentence says how to get one."""
    command = [sys.executable, REPOSITORY / "tools/release.py", "--output", tmp_path]
    env = {name: value for name, value in os.environ.items() if "RELEASE_KEY" not in name}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    assert (1, True) == (done.returncode, "ssh-keygen -t ed25519" in done.stderr)


def test_only_root_updates(tmp_path, monkeypatch):
    """The sentence says how."""
    monkeypatch.setattr(update.os, "geteuid", lambda: 1000)

    with pytest.raises(UpdateError, match="put sudo before it"):
        update.update(tmp_path / "any.tar.gz")
