"""`centerpiece doctor`: what it looks at beside the devices, and the walks."""

import socket
import time

import pytest

from centerpiece.cli import doctor
from centerpiece.config import Config
from centerpiece.games.registry import BOOKS
from centerpiece.storage.journal import Journal
from hal.doctor import Machine
from sim.board import build


def test_a_full_or_read_only_disk_is_found(tmp_path, monkeypatch):
    """Each with what to do about it."""
    assert ["ok"] == [check.verdict for check in doctor.disk(tmp_path / "new" / "table.db")]

    monkeypatch.setattr(doctor, "LEAST_FREE", 1 << 62)
    (full,) = doctor.disk(tmp_path / "table.db")
    assert ("fail", True) == (full.verdict, "larger one" in full.remedy)

    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)
    (closed,) = doctor.disk(tmp_path / "table.db")
    assert ("fail", True) == (closed.verdict, "cannot be written" in closed.sentence)


def test_games_that_cannot_be_read_are_found(tmp_path):
    """A damaged file is the doctor's to find, not the evening's."""
    Journal(tmp_path / "table.db", BOOKS).close()
    assert ["ok", "ok"] == [check.verdict for check in doctor.disk(tmp_path / "table.db")]

    (tmp_path / "table.db").write_bytes(b"not a table")
    assert ["ok", "fail"] == [check.verdict for check in doctor.disk(tmp_path / "table.db")]


def test_a_clock_that_was_never_set_is_no_reason_not_to_play():
    """A warning, and no more."""
    assert "warn" == doctor.clock(at=0.0, synchronized=False).verdict
    assert "ok" == doctor.clock(time.time(), synchronized=True).verdict


def test_a_port_in_use_is_found():
    """By whatever is not our own pages."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        other.close()
        assert "ok" == doctor.link("127.0.0.1", port).verdict
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        taken = doctor.link("127.0.0.1", other.getsockname()[1])
        assert ("fail", True) == (taken.verdict, "another port" in taken.remedy)


def test_a_pi_is_asked_about_its_devices_and_a_simulated_hub_is_not(tmp_path):
    """The same doctor for both."""
    config = Config(data=str(tmp_path), server=Config().server)
    nowhere = Machine(tmp_path, "root", frozenset(), lambda library: "")

    simulated = list(doctor.everything(config, "sim", nowhere))
    real = list(doctor.everything(config, "pi", nowhere))

    assert "hardware" == simulated[0].name
    assert any(check.name == "board" and check.verdict == "fail" for check in real)


@pytest.mark.parametrize("part", ["lights", "sound"])
def test_a_walk_shows_one_thing_after_the_other(part, capsys):
    """And waits for the person each time."""
    waited = []

    doctor.walk(part, build(), Config(), lambda: waited.append(part))

    assert len(waited) == len(capsys.readouterr().out.splitlines()) > 3
