"""The machine's switches: the hub writes requests, a script carries them out as root."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from centerpiece.games.registry import GAMES
from centerpiece.storage.journal import Journal
from centerpiece.web import machine
from tests.deploy.conftest import REPOSITORY, pretend
from tests.web.conftest import Open


@pytest.fixture
def image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the root of a machine that was made from an image."""
    units = tmp_path / "root" / machine.WANTED
    units.mkdir(parents=True)
    (units / "centerpiece-machine.path").symlink_to("/etc/systemd/system/centerpiece-machine.path")
    games = tmp_path / "root" / machine.GAMES
    games.parent.mkdir()
    games.symlink_to("/etc/systemd/system/var-lib-centerpiece.mount")
    monkeypatch.setattr(machine, "ROOT", tmp_path / "root")
    return tmp_path / "root"


@pytest.mark.parametrize(
    ("what", "sign"),
    [("ssh", machine.WANTED / "ssh.service"), ("protected", machine.PROTECTED)],
)
def test_a_paired_phone_switches_it_on_by_a_request(
    open_rig: Open, tmp_path: Path, image: Path, what: str, sign: Path
) -> None:
    """The hub changes nothing itself; the page shows the real state."""
    rig = open_rig(journal=Journal(tmp_path / "table.db", GAMES))
    assert rig.client.get("/api/about").json()[what] is False

    assert 200 == rig.client.put("/api/machine", json={what: True}).status_code
    (request,) = tmp_path.glob("*-wish")
    assert (f"{what}-wish", "on\n") == (request.name, request.read_text())
    assert rig.client.get("/api/about").json()[what] is False
    (image / sign).parent.mkdir(parents=True, exist_ok=True)
    (image / sign).symlink_to("/etc/hostname")
    assert rig.client.get("/api/about").json()[what] is True


@pytest.mark.parametrize("what", ["ssh", "protected"])
def test_elsewhere_that_is_its_owners(open_rig: Open, tmp_path: Path, what: str) -> None:
    """A hub that was installed by hand does not offer the switches."""
    rig = open_rig(journal=Journal(tmp_path / "table.db", GAMES))

    assert rig.client.get("/api/about").json()[what] is None
    assert 409 == rig.client.put("/api/machine", json={what: True}).status_code
    assert [] == list(tmp_path.glob("*-wish"))


def test_a_card_without_a_partition_for_the_games_is_not_protected(
    open_rig: Open, tmp_path: Path, image: Path
) -> None:
    """The games would be lost at power off."""
    (image / machine.GAMES).unlink()
    rig = open_rig(journal=Journal(tmp_path / "table.db", GAMES))

    assert rig.client.get("/api/about").json()["protected"] is None
    assert 409 == rig.client.put("/api/machine", json={"protected": True}).status_code


def test_the_switch_of_the_card_is_a_file_that_any_computer_can_delete(tmp_path: Path) -> None:
    """On writes the file, off deletes it, and each request is carried out once."""
    for word, there in (("on\n", True), ("off\n", False)):
        (tmp_path / "protected-wish").write_text(word)
        subprocess.run([REPOSITORY / "deploy/machine.sh", tmp_path, tmp_path], check=True)
        assert there == (tmp_path / "centerpiece-protected.txt").exists()
        assert not (tmp_path / "protected-wish").exists()


@pytest.mark.parametrize(
    ("word", "did"), [("on\n", "enable"), ("off\n", "disable"), ("rm -rf", "")]
)
def test_the_script_believes_one_word(tmp_path: Path, word: str, did: str) -> None:
    """On makes a user with a password that is written to the card only, off removes it."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("useradd", "chpasswd", "usermod"):
        pretend(tools, name, f"cat >>{tmp_path}/did </dev/stdin; echo {name} $@ >>{tmp_path}/did")
    pretend(tools, "systemctl", f"echo $@ >>{tmp_path}/did")
    pretend(tools, "id", "exit 1")
    (tmp_path / "ssh-wish").write_text(word)
    password_file = tmp_path / "centerpiece-ssh.txt"
    done = subprocess.run(
        [REPOSITORY / "deploy/machine.sh", tmp_path, tmp_path],
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )

    assert (0 if did else 2) == done.returncode
    said = (tmp_path / "did").read_text() if did else ""
    assert f"{did} --now ssh" in said if did else not said
    assert (did == "enable") == password_file.exists()
    if did == "enable":
        password = password_file.read_text().split()[-1]
        assert f"hub:{password}\n" in said
        assert 12 == len(password)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_the_script_reads_no_file_that_the_hub_could_not_read() -> None:
    """The request may be a link to a file of root's."""
    with tempfile.TemporaryDirectory() as name:
        requests, secret = Path(name) / "requests", Path(name) / "secret"
        requests.mkdir()
        shutil.chown(requests, "nobody")
        Path(name).chmod(0o755)
        secret.write_text("on\n")
        secret.chmod(0o600)
        (requests / "protected-wish").symlink_to(secret)

        done = subprocess.run(
            [REPOSITORY / "deploy/machine.sh", requests, name], capture_output=True, check=False
        )

        assert done.returncode
        assert not (Path(name) / "centerpiece-protected.txt").exists()
