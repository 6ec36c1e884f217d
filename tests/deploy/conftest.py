"""A temporary root like a fresh Raspberry Pi OS, a release, and a hub installed there.

What takes long (the archive, a virtual environment) is made once, by whichever test process comes
first; tests that change an installed root get a copy. Nothing here reaches beyond this machine.
"""

import fcntl
import hashlib
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tarfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can install")


def offline() -> dict[str, str]:
    """Let pip find nothing but the libraries of the tests' own environment."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("PIP_")},
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PYTHONPATH": next(path for path in sys.path if path.endswith("site-packages")),
        "PYTHON": sys.executable,
    }


def shared(factory, name, make):
    """Return a folder that all test processes share, made by the first of them."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    made = base / name
    with open(base / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (base / f"{name}.done").exists():
            make(made)
            (base / f"{name}.done").touch()
    return made


def a_key(path: Path) -> Path:
    """Make a key that signs releases, with its public half beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    command = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path)
    subprocess.run(command, check=True)
    return path


@pytest.fixture(scope="session", autouse=True)
def key(tmp_path_factory):
    """The key of the tests' releases; `tools/release.py` finds it in the environment."""
    made = shared(tmp_path_factory, "key", lambda folder: a_key(folder / "release")) / "release"
    os.environ["CENTERPIECE_RELEASE_KEY"] = str(made)
    return made


def sign(folder: Path, key: Path | None = None) -> None:
    """Sign an unpacked release again."""
    (folder / "SHA256SUMS.sig").unlink(missing_ok=True)
    key = key or Path(os.environ["CENTERPIECE_RELEASE_KEY"])
    what = ("-f", key, "-n", "centerpiece-release", folder / "SHA256SUMS")
    subprocess.run(("ssh-keygen", "-q", "-Y", "sign", *what), check=True)


def list_files(folder: Path) -> None:
    """Write the checksums of an unpacked release again."""
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith("SHA256SUMS")
    )
    (folder / "SHA256SUMS").unlink(missing_ok=True)
    (folder / "SHA256SUMS").write_text(
        "".join(
            f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n"
            for name in names
        )
    )


def snapshot(target: Path) -> Path:
    """Copy the current files of this checkout."""
    listed = subprocess.run(
        ["git", "-C", REPOSITORY, "ls-files", "-z", "-co", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in listed:
        if name and (REPOSITORY / name).is_file():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(REPOSITORY / name, path)
    return target


def build_release(source: Path, output: Path, umask: int = 0o022, zone: str = "UTC") -> Path:
    """Build a release archive of a folder."""
    subprocess.run(
        [sys.executable, REPOSITORY / "tools/release.py", "--source", source, "--output", output],
        env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600", "TZ": zone},
        umask=umask,
        check=True,
    )
    (archive,) = output.iterdir()
    return archive


@pytest.fixture(scope="session")
def archive(tmp_path_factory):
    """The release archive of this checkout, committed or not."""

    def make(folder):
        snapshot(folder.with_name("snapshot"))
        build_release(folder.with_name("snapshot"), folder)

    return next(shared(tmp_path_factory, "archive", make).glob("*.tar.gz"))


@pytest.fixture(scope="session")
def unpacked(archive, tmp_path_factory):

    def make(folder):
        with tarfile.open(archive) as tar:
            tar.extractall(folder)

    return next(shared(tmp_path_factory, "unpacked", make).iterdir())


@pytest.fixture(scope="session")
def release(unpacked, tmp_path_factory):
    """The unpacked release with a lock of only local libraries; read-only."""

    def make(folder):
        copy(unpacked, folder)
        lock_to(folder, known_here((folder / "requirements.lock").read_text()))

    return shared(tmp_path_factory, "release", make)


def known_here(lock: str) -> str:
    """Return a lock without libraries that the tests' environment lacks."""
    head, *entries = lock.split("\n\n")
    here = {canonicalize_name(each.name): each.version for each in metadata.distributions()}
    found = ((entry, re.search(r"^([\w-]+)==(\S+)", entry, re.MULTILINE)) for entry in entries)
    return "\n\n".join([head, *(entry for entry, pin in found if here.get(pin[1]) == pin[2])])


def lock_to(source: Path, lock: str) -> None:
    """Replace the lock of a release or a checkout, with a release's sums and signature."""
    path = source / "requirements.lock"
    path.unlink()
    path.write_text(lock)
    if (source / "SHA256SUMS").exists():
        list_files(source)
        sign(source)


MODEL = "Raspberry Pi 4 Model B Rev 1.4"
CONFIG_TXT = "# For more options see the documentation\ndtparam=audio=on\n[all]\ndisplay=1"
CMDLINE = "console=serial0,115200 console=tty1 root=PARTUUID=4e639091-02 rootwait quiet\n"
GROUPS = "root:x:0:\ndialout:x:20:\naudio:x:29:pi\ngpio:x:986:pi\nspi:x:989:pi\npi:x:1000:\n"


def fresh(root: Path, model: str = MODEL) -> Path:
    """Make the parts of a new card that an installer looks at."""
    files = {
        "proc/device-tree/model": f"{model}\0",
        "boot/firmware/config.txt": CONFIG_TXT,
        "boot/firmware/cmdline.txt": CMDLINE,
        "etc/hostname": "raspberrypi\n",
        "etc/hosts": "127.0.0.1\tlocalhost\n127.0.1.1\traspberrypi\n",
        "etc/passwd": "root:x:0:0:root:/root:/bin/bash\npi:x:1000:1000:,,,:/home/pi:/bin/bash\n",
        "etc/shadow": "root:*:20000:0:99999:7:::\npi:*:20000:0:99999:7:::\n",
        "etc/group": GROUPS,
        "etc/gshadow": "".join(f"{line.split(':')[0]}:*::\n" for line in GROUPS.splitlines()),
    }
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    for folder in ("etc/systemd/system/multi-user.target.wants", "usr/local/bin", "run", "opt"):
        (root / folder).mkdir(parents=True)
    (root / "var/lib").mkdir(parents=True)
    (root / "etc/systemd/system/multi-user.target.wants/cron.service").touch()
    return root


def install(release: Path, *arguments: object, env: dict[str, str] | None = None):
    """Run a release's installer; return output and exit code."""
    return subprocess.run(
        [release / "deploy/install.sh", *map(str, arguments)],
        env=env or offline(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="session")
def installed_once(release, tmp_path_factory):
    """A root with an installed hub; read-only."""

    def make(folder):
        done = install(release, "--root", fresh(folder))
        assert "" == done.stderr
        assert 0 == done.returncode
        (folder.parent / "installed.said").write_text(done.stdout)

    return shared(tmp_path_factory, "installed", make)


@pytest.fixture
def card(tmp_path):
    """A fresh card."""
    return fresh(tmp_path / "card")


def copy(root: Path, target: Path, *how: str) -> Path:
    """Copy a folder with owners and links."""
    subprocess.run(["cp", "-a", *how, root, target], check=True)
    return target


def own_copy(installed: Path, target: Path) -> Path:
    """Copy an installed root; the programs are shared."""
    root = copy(installed, target, "--link")
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink() and "versions" not in path.parts:
            content, what = path.read_bytes(), path.stat()
            path.unlink()
            path.write_bytes(content)
            path.chmod(what.st_mode)
            os.chown(path, what.st_uid, what.st_gid)
    # Here everything runs as root, and the service's user could not reach a folder of pytest's.
    os.chown(root / "var/lib/centerpiece", 0, 0)
    return root


@pytest.fixture
def installed(installed_once, tmp_path):
    """A root with an installed hub, to change; the shared programs are read-only."""
    return own_copy(installed_once, tmp_path / "hub")


@pytest.fixture
def quick_python(installed_once, tools):
    """A Python that makes a virtual environment quickly, by copying one."""
    (version,) = (installed_once / "opt/centerpiece/versions").iterdir()
    real = sys.executable
    venv = f'test "$1 $2" != "-m venv" || exec cp -a "{version}" "$3"'
    pretend(tools, "quick-python", f'{venv}\nexec "{real}" "$@"')
    return tools / "quick-python"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture
def tools(tmp_path):
    """A folder in front of PATH, for fake programs."""
    folder = tmp_path / "tools"
    folder.mkdir()
    return folder


def pretend(folder: Path, name: str, script: str) -> None:
    """Replace a program by a shell script."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


class Machine:
    """An installed hub on the simulator, with a fake systemctl that really starts it."""

    def __init__(self, root: Path, tools: Path) -> None:
        self.root = root
        self.port = free_port()
        self.programs = root / "opt/centerpiece"
        pretend(tools, "systemctl", f'exec {sys.executable} {HERE}/fake_systemctl.py "$@"')
        self.env = {
            **offline(),
            "PATH": f"{tools}:{os.environ['PATH']}",
            "CENTERPIECE_FAKE_ROOT": str(root),
            "CENTERPIECE_PAUSE": "0.05",
            "CENTERPIECE_TRIES": "200",
        }
        (root / "etc/default/centerpiece").write_text("CENTERPIECE_HARDWARE=sim\n")
        config = root / "etc/centerpiece.toml"
        text = config.read_text().replace("port = 80\n", f"port = {self.port}\n")
        config.write_text(text.replace('host = "0.0.0.0"', 'host = "127.0.0.1"'))

    def run(self, *command: object, **more: str):
        return subprocess.run(
            [*map(str, command)],
            env={**self.env, **more},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def systemctl(self, *words: str) -> int:
        return self.run("systemctl", *words).returncode

    def wait(self) -> None:
        """Wait until the service has ended by itself, and its follow-up commands too."""
        supervisor = os.pidfd_open(int((self.root / "run/service.pid").read_text().split()[1]))
        try:
            assert select.select([supervisor], [], [], 60)[0], "the service did not end"
        finally:
            os.close(supervisor)

    def switch(self, *words: str, **more: str):
        version = words[-1]
        own = self.programs / "versions" / version / "switch"
        script = own if own.exists() else self.programs / "switch"
        return self.run(script, "--root", self.root, *words, **more)

    def ask(self, *words: object):
        """Run a command of the version in use."""
        data = ("--data", self.root / "var/lib/centerpiece")
        python = (self.programs / "current/bin/python", "-P", "-m")
        return self.run(*python, "centerpiece", *words, *data)

    def page(self) -> bytes:
        """Return the public state once the pages are served, which is after READY."""
        address = f"http://127.0.0.1:{self.port}/api/state"
        for _ in range(600):
            try:
                with urllib.request.urlopen(address, timeout=30) as answer:
                    return answer.read()
            except urllib.error.URLError:
                threading.Event().wait(0.05)
        raise AssertionError(f"no page: {self.log}")

    @property
    def current(self) -> str:
        return os.path.basename(os.readlink(self.programs / "current"))

    @property
    def log(self) -> str:
        log = self.root / "run/service.log"
        return log.read_text() if log.exists() else "it did not even begin"

    def another(self, version: str, **changed: str) -> str:
        """Install another version: the same one with lines added to some modules."""
        versions = self.programs / "versions"
        home = copy(versions / self.current, versions / version, "--link")
        packages = next((home / "lib").glob("python*")) / "site-packages"
        for module, lines in changed.items():
            path = packages / f"{module.replace('__', '/')}.py"
            content = path.read_text()
            path.unlink()
            path.write_text(f"{content}\n{lines}\n")
            for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
                compiled.unlink()
        return version


@pytest.fixture
def hub(installed, tools):
    """A machine that is stopped at the end."""
    machine = Machine(installed, tools)
    yield machine
    machine.systemctl("stop", "centerpiece")


@contextmanager
def playing_in(folder: Path, installed: Path) -> Iterator[Machine]:
    """Start a hub in a folder of its own."""
    (folder / "tools").mkdir()
    machine = Machine(own_copy(installed, folder / "hub"), folder / "tools")
    assert 0 == machine.systemctl("start", "centerpiece"), machine.log
    yield machine
    machine.systemctl("stop", "centerpiece")
