"""The release archive: the same bytes every time, and nothing accepted that is not whole."""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile

import pytest

from centerpiece.cli import update
from centerpiece.cli.update import UpdateError, unpack
from tests.deploy.conftest import REPOSITORY, build_release, snapshot


def test_the_same_files_give_the_same_bytes_elsewhere(tmp_path):
    """Another folder, another umask, another zone, other times, another order on the disk."""
    here = snapshot(tmp_path / "here")
    there = tmp_path / "some/where/else"
    for path in sorted(here.rglob("*"), reverse=True):
        if path.is_file():
            copy = there / path.relative_to(here)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            copy.chmod(0o600)
            os.utime(copy, (1, 1))

    first = build_release(here, tmp_path / "first").read_bytes()
    second = build_release(there, tmp_path / "second", 0o077, "Asia/Tokyo").read_bytes()

    assert contents(first) == contents(second)
    assert first == second


def git(folder, *words):
    """git in a folder, as nobody in particular."""
    who = ("-c", "user.name=n", "-c", "user.email=e@example", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)


def test_a_release_is_the_commit_and_not_what_lies_around(tmp_path):
    """A change that was not committed is not in it, nor is a file that git does not know."""
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
    """Each file's checksum, so that a difference has a name."""
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


def test_it_belongs_to_nobody(archive):
    """No name, number or time of the machine that built it."""
    with tarfile.open(archive) as tar:
        owners = {(entry.uid, entry.gid, entry.uname, entry.gname) for entry in tar}
        times = {entry.mtime for entry in tar}

    assert {(0, 0, "", "")} == owners
    assert 1 == len(times)


# What an update accepts


def packed(tmp_path, files: dict[str, bytes], sums: str | None = None, extra=None):
    """An archive with these files and, unless told otherwise, their right checksums."""
    if sums is None:
        sums = "".join(
            f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items()
        )
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, content in {**files, "SHA256SUMS": sums.encode()}.items():
            entry = tarfile.TarInfo(f"centerpiece-9.9.9/{name}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
        if extra is not None:
            tar.addfile(extra)
    path = tmp_path / "centerpiece-9.9.9.tar.gz"
    path.write_bytes(gzip.compress(raw.getvalue()))
    return path


def test_a_whole_archive_is_unpacked(tmp_path, archive):
    """The real one, with every file as it was."""
    folder = unpack(archive, tmp_path)

    assert (REPOSITORY / "deploy/install.sh").read_bytes() == (
        folder / "deploy/install.sh"
    ).read_bytes()
    assert os.access(folder / "deploy/install.sh", os.X_OK)


def refusal(path, tmp_path) -> str:
    with pytest.raises(UpdateError) as refused:
        unpack(path, tmp_path / "unpacked")
    return str(refused.value)


def test_a_changed_file_is_refused(tmp_path):
    """One file is not the one that was listed."""
    path = packed(tmp_path, {"a": b"changed"}, f"{hashlib.sha256(b'right').hexdigest()}  a\n")

    assert f"{path} is damaged (a); fetch it again" == refusal(path, tmp_path)


def test_a_file_too_many_is_refused(tmp_path):
    """What is not listed was put there by somebody else."""
    assert "is damaged (a)" in refusal(packed(tmp_path, {"a": b"more"}, ""), tmp_path)


@pytest.mark.parametrize("name", ["../escaped", "/tmp/escaped", "a/../../escaped"])
def test_nothing_is_written_outside(tmp_path, name):
    """A path that leads out of the folder; nothing at all is unpacked."""
    path = packed(tmp_path, {}, extra=tarfile.TarInfo(name))

    assert "is no release: it holds" in refusal(path, tmp_path)
    assert not (tmp_path / "unpacked").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_only_plain_files_are_unpacked(tmp_path, kind):
    """A release has no links and no pipes."""
    entry = tarfile.TarInfo("centerpiece-9.9.9/odd")
    entry.type = kind
    entry.linkname = "/etc/passwd"

    assert "is no release: it holds" in refusal(packed(tmp_path, {}, extra=entry), tmp_path)


@pytest.mark.parametrize("length", [0, 10, 1000, 100_000])
def test_half_an_archive_is_refused(tmp_path, archive, length):
    """The download stopped somewhere."""
    path = tmp_path / "centerpiece-half.tar.gz"
    path.write_bytes(archive.read_bytes()[:length])

    assert path.name in refusal(path, tmp_path)


def test_no_archive_at_all(tmp_path):
    """A name that was misspelt."""
    assert "No such file" in refusal(tmp_path / "nothing.tar.gz", tmp_path)


@pytest.fixture
def card(tmp_path, monkeypatch):
    """A boot partition, and an update that notes which archive it was given."""
    monkeypatch.setattr(update.os, "geteuid", lambda: 0)
    folder = tmp_path / "boot"
    folder.mkdir()
    return folder


def on_card(card, *names):
    for name in names:
        (card / name).touch()


def test_the_newest_archive_on_the_card_is_taken_once(card, monkeypatch):
    """Numbers are compared as numbers; afterwards each name says what became of its archive."""
    taken = []
    monkeypatch.setattr(update, "update", lambda path, more: taken.append(path.name) or 0)
    on_card(card, "centerpiece-0.9.0.tar.gz", "centerpiece-0.10.0.tar.gz", "holiday.jpg")

    assert 0 == update.from_card(card)

    assert ["centerpiece-0.10.0.tar.gz"] == taken
    assert [
        "centerpiece-0.10.0.tar.gz.installed",
        "centerpiece-0.9.0.tar.gz.refused",
        "holiday.jpg",
    ] == sorted(path.name for path in card.iterdir())


def test_an_archive_that_is_refused_is_not_tried_at_every_start(card):
    """It is no archive; its name says so afterwards."""
    on_card(card, "centerpiece-1.0.0.tar.gz")

    with pytest.raises(UpdateError, match="is no release, or damaged"):
        update.from_card(card)
    assert ["centerpiece-1.0.0.tar.gz.refused"] == [path.name for path in card.iterdir()]


def test_only_root_updates(tmp_path, monkeypatch):
    """The sentence says how."""
    monkeypatch.setattr(update.os, "geteuid", lambda: 1000)

    with pytest.raises(UpdateError, match="put sudo before it"):
        update.update(tmp_path / "any.tar.gz")
