"""The attack: a forged package.

Every file that an installation may fetch is in the lock with its hash, and pip refuses any other.
Known weaknesses of what we use are asked for where a registry can be reached.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.power import HERE
from tests.chaos.result import Result

ROOT = HERE.parent.parent
PIN = re.compile(r"([A-Za-z0-9._-]+)==(\S+)")


def pins(path: Path) -> dict[str, str]:
    """Return the version that a file pins for each name."""
    found = (PIN.match(line) for line in path.read_text("utf-8").splitlines())
    return {match[1].lower().replace("_", "-"): match[2] for match in found if match}


def lock() -> Result:
    """Check that lock and constraints name the same versions, each with hashes."""
    began = time.perf_counter()
    text = (ROOT / "requirements.lock").read_text("utf-8")
    locked, constrained = pins(ROOT / "requirements.lock"), pins(ROOT / "constraints.txt")
    failures = [
        f"{name} {version} is locked, {constrained.get(name)} is pinned"
        for name, version in locked.items()
        if constrained.get(name) != version
    ]
    for entry in re.split(r"\n(?=[A-Za-z0-9])", text):
        if PIN.match(entry) and not re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry):
            failures.append(f"no hash: {entry.splitlines()[0]}")
    hashes = text.count("--hash=sha256:")
    return Result(len(locked), failures, time.perf_counter() - began, f"{hashes} hashes")


def forged() -> Result:
    """Check that pip refuses a file whose hash is not in the lock."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        work = Path(name)
        (work / "segno-1.6.6.tar.gz").write_bytes(b"not what it says")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q"]
        safe = ["--require-hashes", "--no-deps", "--no-index", "--find-links", name]
        target = ["-d", str(work / "out"), "-r", str(_only(work, "segno"))]
        tried = subprocess.run([*pip, *safe, *target], capture_output=True, text=True, timeout=120)
    said = tried.stdout + tried.stderr
    refused = tried.returncode != 0 and "DO NOT MATCH THE HASHES" in said
    failures = [] if refused else [f"pip took a forged file: {said[-400:]}"]
    return Result(1, failures, time.perf_counter() - began)


def _only(work: Path, name: str) -> Path:
    """Return the part of the lock for one package."""
    text = (ROOT / "requirements.lock").read_text("utf-8")
    (entry,) = [e for e in re.split(r"\n(?=[A-Za-z0-9])", text) if e.startswith(f"{name}==")]
    (work / "one.lock").write_text(entry + "\n")
    return work / "one.lock"


def audit() -> Result:
    """Look for known vulnerabilities with pip-audit; without it or a registry, claim nothing."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "--disable-pip"]
    where = ["--no-deps", "-r", str(ROOT / "requirements.lock")]
    try:
        done = subprocess.run([*command, *where], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return Result(0, [], 0.0, "skipped: no registry answers")
    took = time.perf_counter() - began
    if "No module named" in done.stderr:
        return Result(0, [], took, "skipped: pip-audit is not installed")
    if done.returncode and "GHSA" not in done.stdout and "PYSEC" not in done.stdout:
        return Result(0, [], took, "skipped: no registry answers")
    count = len(pins(ROOT / "requirements.lock"))
    unknown = (done.stdout + done.stderr).count("could not be audited")
    if unknown >= count:
        return Result(0, [], took, "skipped: the registry tells nothing about weaknesses")
    failures = [done.stdout] if done.returncode else []
    return Result(count - unknown, failures, took, "" if failures else "nothing known")
