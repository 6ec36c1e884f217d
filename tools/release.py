"""Build and sign the release archive: `make release`, or `python tools/release.py --key FILE`.

The same commit gives the same bytes, wherever and whenever it is built: the sources are those of
the commit and not of the folder; the time of everything is the commit's; names are sorted, and
owners and modes are fixed. The archive lists the checksum of every file in it, and the list is
signed with a key that lies outside the repository (`CENTERPIECE_RELEASE_KEY`, or --key).
With --wheels it carries the libraries themselves (`tools/wheels.py` collects them), and its lock
says for which machines; those that were built for it are locked by the hash they have here.
"""

import argparse
import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from lock_requirements import SOURCE
from packaging.utils import parse_wheel_filename
from sbom import sbom
from wheels import MACHINES

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ("centerpiece", "hal", "sim", "pyproject.toml", "README.md")
LOCK = ("constraints.txt", "requirements.lock")
BESIDE = (*LOCK, "deploy", "docs", "README.md", "CHANGELOG.md", "LICENSE")


SIGNER, NAMESPACE = "centerpiece", "centerpiece-release"
"""As `centerpiece update` and the installer expect them."""


class ReleaseError(Exception):
    """The archive cannot be built; the message says why."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the release archive.")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="DIR")
    parser.add_argument("--source", type=Path, default=ROOT, metavar="DIR")
    parser.add_argument(
        "--key",
        type=Path,
        default=os.environ.get("CENTERPIECE_RELEASE_KEY"),
        metavar="FILE",
        help="the private key to sign with, as ssh-keygen makes it",
    )
    parser.add_argument(
        "--trust",
        type=Path,
        nargs="*",
        default=[],
        metavar="FILE.pub",
        help="the public keys that hubs trust from this release on; default: that of --key",
    )
    parser.add_argument(
        "--wheels", type=Path, metavar="DIR", help="libraries to carry; default: none"
    )
    options = parser.parse_args()
    try:
        archive = release(
            options.source, options.output, options.key, options.trust, options.wheels
        )
    except (ReleaseError, subprocess.CalledProcessError, OSError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print(f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive}")
    return 0


def release(
    source: Path, output: Path, key: Path | None, trust: list[Path], wheels: Path | None = None
) -> Path:
    """Build the archive of `source` in `output`; return its path."""
    if key is None:
        raise ReleaseError(
            "a release is signed: give the key with --key or in CENTERPIECE_RELEASE_KEY "
            "(ssh-keygen -t ed25519 -f FILE makes one; keep it outside the repository)"
        )
    epoch = commit_time(source)
    with tempfile.TemporaryDirectory() as scratch:
        if (source / ".git").exists():
            source = committed(source, Path(scratch) / "commit")
        files = sorted(
            path.relative_to(source).as_posix()
            for path in source.rglob("*")
            if path.is_file() and path.suffix != ".pyc"
        )
        content = {
            name: (source / name).read_bytes() for name in files if name.split("/")[0] in BESIDE
        }
        program = [name for name in files if name.split("/")[0] in PROGRAM]
        wheel = build_wheel(source, program, Path(scratch), epoch)
        content[wheel.name] = wheel.read_bytes()
        if wheels is not None:
            content |= carried(wheels, content["requirements.lock"].decode())
        content["sbom.cdx.json"] = sbom(source, content["requirements.lock"].decode())
        content["release-keys"] = trusted(key, trust)
        name = f"centerpiece-{version(source)}"
    content["SHA256SUMS"] = sums(content)
    content["SHA256SUMS.sig"] = signature(content["SHA256SUMS"], key)
    packed = pack(name, content, epoch, executable=lambda path: path.endswith(".sh"))
    output.mkdir(parents=True, exist_ok=True)
    archive = output / f"{name}.tar.gz"
    archive.write_bytes(packed)
    return archive


def committed(source: Path, target: Path) -> Path:
    """Return the files of the last commit; print how many changes are not in it."""
    if changed := git(source, "status", "--porcelain").strip():
        count = len(changed.splitlines())
        print(f"release: {count} changes are not committed and not in it", file=sys.stderr)
    packed = subprocess.run(
        ("git", "-C", str(source), "archive", "HEAD"), check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        for entry in tar:
            if entry.isfile():
                path = target / entry.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(tar.extractfile(entry).read())  # type: ignore[union-attr]
    return target


def version(source: Path) -> str:
    with open(source / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]["version"]


def commit_time(source: Path) -> int:
    """Return the time for all files: SOURCE_DATE_EPOCH, or that of the last commit."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    if not (source / ".git").exists():
        raise ReleaseError("outside git, SOURCE_DATE_EPOCH must say the release's time")
    return int(git(source, "log", "-1", "--format=%ct"))


def git(source: Path, *arguments: str) -> str:
    return subprocess.run(
        ("git", "-C", str(source), *arguments), check=True, capture_output=True, text=True
    ).stdout


def build_wheel(source: Path, files: list[str], scratch: Path, epoch: int) -> Path:
    """Build the wheel from a clean copy with fixed modes."""
    copy = scratch / "source"
    for name in files:
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target)
        target.chmod(0o644)
    (copy / "README.md").touch()
    quiet = ("-q", "--disable-pip-version-check")
    command = ("-m", "pip", "wheel", *quiet, "--no-deps", "--no-build-isolation")
    subprocess.run(
        (sys.executable, *command, "-w", str(scratch), str(copy)),
        check=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "PIP_NO_INDEX": "1"},
        umask=0o022,
    )
    return next(scratch.glob("*.whl"))


def carried(folder: Path, lock: str) -> dict[str, bytes]:
    """Return the wheels of a folder, and the lock with all their hashes."""
    if not (folder / MACHINES).is_file():
        raise ReleaseError(f"{folder} is not complete: tools/wheels.py did not come to its end")
    content = {}
    for path in sorted(folder.glob("*.whl")):
        wheel = content[f"wheels/{path.name}"] = path.read_bytes()
        lock = knowing(lock, path.name, hashlib.sha256(wheel).hexdigest())
    machines = (folder / MACHINES).read_text().split()
    notes = "".join(f"# wheels {machine}\n" for machine in machines)
    return content | {"requirements.lock": lock.replace("\n\n", f"\n{notes}\n", 1).encode()}


def knowing(lock: str, wheel: str, digest: str) -> str:
    """Return the lock with a wheel's hash, which only libraries built from source may add."""
    if digest in lock:
        return lock
    name, version, *_ = parse_wheel_filename(wheel)
    pin = f"\n{name}=={version} \\\n"
    if name != SOURCE or pin not in lock:
        raise ReleaseError(f"{wheel} is not a file that requirements.lock knows")
    return lock.replace(pin, f"{pin}    --hash=sha256:{digest} \\\n")


def trusted(key: Path, trust: list[Path]) -> bytes:
    """Return the keys that hubs trust from this release on, as ssh-keygen reads them."""
    public = trust or [key.with_name(f"{key.name}.pub")]
    keys = [" ".join(path.read_text().split()[:2]) for path in public]
    return "".join(f'{SIGNER} namespaces="{NAMESPACE}" {each}\n' for each in keys).encode()


def sums(content: dict[str, bytes]) -> bytes:
    """Return the checksums of all files, in the format of sha256sum."""
    lines = (f"{hashlib.sha256(content[path]).hexdigest()}  {path}\n" for path in sorted(content))
    return "".join(lines).encode()


def signature(listed: bytes, key: Path) -> bytes:
    """Sign the list of checksums. An ed25519 key always gives the same signature."""
    command = ("ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", NAMESPACE)
    return subprocess.run(command, input=listed, check=True, stdout=subprocess.PIPE).stdout


def pack(name: str, content: dict[str, bytes], epoch: int, executable) -> bytes:
    """Return the archive: sorted, owned by root, all files of one time."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(content):
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(content[path])
            entry.mtime = epoch
            entry.mode = 0o755 if executable(path) else 0o644
            tar.addfile(entry, io.BytesIO(content[path]))
    # No name and no time in gzip's own header.
    return gzip.compress(packed.getvalue(), compresslevel=9, mtime=0)


if __name__ == "__main__":
    sys.exit(main())
