"""Power cuts at every point of a change of version; the hub starts all the same.

`switch` is the real one; the versions are small scripts. Each reads games of its own format only,
as a release that changed the format would: so what is in use and what the games are must fit.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.deploy.conftest import REPOSITORY, pretend

OLD, NEW = "0.1.0-old", "0.2.0-new"
PROGRAM = """
data=$FAKE/var/lib/centerpiece
case "$*" in
    *" run") %s ;;
    *" state "*) [ -f "$FAKE/run/active" ] ;;
    *" backup "*) cp "$data/table.db" "$5" ;;
    *" restore "*) cp "$5" "$data/back" && mv -f "$data/back" "$data/table.db" ;;
esac
"""
RUNS = {
    OLD: 'grep -qx first "$data/table.db"',
    # It brings the games into its own format, and is well or is not.
    NEW: 'sed -i s/first/second/ "$data/table.db"; [ -f "$FAKE/well" ]',
}
SYSTEMCTL = """
case "$1" in
    start)
        [ ! -f "$FAKE/run/active" ] || exit 0
        "$FAKE/opt/centerpiece/current/bin/python" -P -m centerpiece run || exit 1
        touch "$FAKE/run/active"
        "$FAKE/opt/centerpiece/switch" --root "$FAKE" --settled || rm "$FAKE/run/active"
        [ -f "$FAKE/run/active" ]
        ;;
    stop) rm -f "$FAKE/run/active" ;;
    is-active) [ -f "$FAKE/run/active" ] ;;
esac
"""
# bash runs the script and dies before the n-th command that does anything.
CUT = """
set -o functrace
trap 'case $BASH_COMMAND in
    mv\\ *|rm\\ *|ln\\ *|cp\\ *|sync*|printf\\ *|mkdir\\ *|systemctl\\ *|ask\\ *)
        [ $BASH_SUBSHELL -gt 0 ] || [ $((CUT -= 1)) -ne 0 ] || kill -9 $$ ;;
esac' DEBUG
. "$0"
"""


class Hub:
    """A root with two versions, the older one in use."""

    def __init__(self, root: Path, tools: Path) -> None:
        self.root = root
        self.home = root / "opt/centerpiece"
        self.env = {
            **os.environ,
            "PATH": f"{tools}:{os.environ['PATH']}",
            "FAKE": str(root),
            "CENTERPIECE_TRIES": "1",
            "CENTERPIECE_PAUSE": "0",
        }
        for folder in ("run", "etc/default", "var/lib/centerpiece"):
            (root / folder).mkdir(parents=True)
        pretend(tools, "systemctl", SYSTEMCTL)
        pretend(tools, "sync", ":")
        for version, runs in RUNS.items():
            home = self.home / "versions" / version
            (home / "bin").mkdir(parents=True)
            pretend(home / "bin", "python", PROGRAM % runs)
            (home / "switch").symlink_to(REPOSITORY / "deploy/switch.sh")
            (home / "complete").touch()
        (self.home / "current").symlink_to(f"versions/{OLD}")
        (self.home / "switch").write_bytes((REPOSITORY / "deploy/switch.sh").read_bytes())
        (self.home / "switch").chmod(0o755)
        self.games.write_text("first\n")
        assert 0 == self.run("systemctl", "start", "centerpiece").returncode

    @property
    def games(self) -> Path:
        return self.root / "var/lib/centerpiece/table.db"

    def run(self, *command: object, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*map(str, command)],
            env={**self.env, **more},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def cut(self, after: int, *words: str) -> bool:
        """Run `switch` for some commands; return whether it was cut off."""
        script = self.home / "switch"
        source = f'set -- --root "{self.root}" {" ".join(words)}\n{CUT}'
        return -9 == self.run("bash", "-c", source, script, CUT=str(after)).returncode

    def boot(self) -> None:
        """Start as systemd does: the hub and, if it fails, the way back."""
        for left in (self.root / "run").iterdir():
            left.unlink()
        if self.run("systemctl", "start", "centerpiece").returncode != 0:
            assert (self.home / "pending").exists(), "it does not start, and no way leads back"
            self.run(self.home / "switch", "--root", self.root, "--back")

    def plays(self) -> bool:
        """Return whether the hub is up, with games that its version reads."""
        formats = {OLD: "first\n", NEW: "second\n"}
        current = os.path.basename(os.readlink(self.home / "current"))
        return (self.root / "run/active").exists() and formats[current] == self.games.read_text()


@pytest.mark.parametrize("well", [True, False], ids=["well", "not well"])
def test_the_plug_may_be_pulled_at_every_point_of_a_change(
    tmp_path: Path, tools: Path, well: bool
) -> None:
    """To a healthy version, and to one that is rolled back after it changed the games."""
    points = 0
    while True:
        points += 1
        hub = Hub(tmp_path / f"cut-{points}", tools)
        if well:
            (hub.root / "well").touch()
        if not hub.cut(points, NEW):
            break
        hub.boot()
        assert hub.plays(), f"cut before command {points}"
        if not well:
            assert "first\n" == hub.games.read_text(), f"cut before command {points}"
    assert hub.plays()
    assert points > (10 if well else 20)


def test_the_plug_may_be_pulled_at_every_point_of_the_way_back(tmp_path: Path, tools: Path) -> None:
    """After a restart, when systemd has seen the new version fail."""
    points = 0
    while True:
        points += 1
        hub = Hub(tmp_path / f"cut-{points}", tools)
        hub.run(hub.home / "switch", "--root", hub.root, "--after-restart", NEW)
        hub.run("systemctl", "stop", "centerpiece")
        assert 1 == hub.run("systemctl", "start", "centerpiece").returncode
        if not hub.cut(points, "--back"):
            break
        hub.boot()
        assert hub.plays(), f"cut before command {points}"
    assert hub.plays()
    assert points > 8
