"""What a phone may wish of the machine: written down whole, and carried out by root."""

import os
import subprocess
from pathlib import Path

import pytest

from centerpiece.games.registry import BOOKS
from centerpiece.storage.journal import Journal
from centerpiece.web import machine
from tests.deploy.conftest import REPOSITORY, pretend
from tests.web.conftest import Open


@pytest.fixture
def image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root of a machine that was made from an image."""
    wanted = tmp_path / "root" / machine.WANTED
    wanted.mkdir(parents=True)
    (wanted / "centerpiece-machine.path").symlink_to("/etc/systemd/system/centerpiece-machine.path")
    monkeypatch.setattr(machine, "ROOT", tmp_path / "root")
    return tmp_path / "root"


def test_a_paired_phone_switches_ssh_on_by_a_wish(
    open_rig: Open, tmp_path: Path, image: Path
) -> None:
    """The hub touches nothing; the page shows what really is."""
    rig = open_rig(journal=Journal(tmp_path / "table.db", BOOKS))
    assert rig.client.get("/api/about").json()["ssh"] is False

    assert 200 == rig.client.put("/api/machine", json={"ssh": True}).status_code
    assert "on\n" == (tmp_path / machine.NAME).read_text()
    assert rig.client.get("/api/about").json()["ssh"] is False
    (image / machine.WANTED / "ssh.service").symlink_to("/usr/lib/systemd/system/ssh.service")
    assert rig.client.get("/api/about").json()["ssh"] is True


def test_elsewhere_ssh_is_its_owners(open_rig: Open, tmp_path: Path) -> None:
    """A hub that somebody installed has no say in it."""
    rig = open_rig(journal=Journal(tmp_path / "table.db", BOOKS))

    assert rig.client.get("/api/about").json()["ssh"] is None
    assert 409 == rig.client.put("/api/machine", json={"ssh": True}).status_code
    assert not (tmp_path / machine.NAME).exists()


@pytest.mark.parametrize(
    ("word", "did"), [("on\n", "enable"), ("off\n", "disable"), ("rm -rf", "")]
)
def test_the_script_believes_one_word(tmp_path: Path, word: str, did: str) -> None:
    """On makes a user with a password that only the card tells; off takes it away; no other."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("useradd", "chpasswd", "usermod"):
        pretend(tools, name, f"cat >>{tmp_path}/did </dev/stdin; echo {name} $@ >>{tmp_path}/did")
    pretend(tools, "systemctl", f"echo $@ >>{tmp_path}/did")
    pretend(tools, "id", "exit 1")
    (tmp_path / "wish").write_text(word)
    told = tmp_path / "centerpiece-ssh.txt"
    done = subprocess.run(
        [REPOSITORY / "deploy/machine.sh", tmp_path / "wish", tmp_path],
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )

    assert (0 if did else 2) == done.returncode
    said = (tmp_path / "did").read_text() if did else ""
    assert f"{did} --now ssh" in said if did else not said
    assert (did == "enable") == told.exists()
    if did == "enable":
        password = told.read_text().split()[-1]
        assert f"hub:{password}\n" in said
        assert 12 == len(password)
