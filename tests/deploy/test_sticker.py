"""The sticker and the doctor's own checks: small things that a person reads."""

import argparse
import re
import socket
import time
from xml.etree import ElementTree

import pytest

from centerpiece import checkup, sticker
from centerpiece.config import Config, NetworkSettings, load
from centerpiece.games.registry import BOOKS
from centerpiece.journal import Journal
from hal.doctor import Machine
from sim.board import build
from tests.deploy.conftest import REPOSITORY

NETWORK = NetworkSettings(ssid="centerpiece-<&>", password="twelve;letters")


def test_the_sticker_says_in_letters_what_its_codes_say():
    """For a phone without a camera."""
    drawn = ElementTree.fromstring(sticker.drawing(NETWORK, "http://table-7.local/"))
    words = " ".join(drawn.itertext())

    assert 3 == len(drawn.findall("{*}path"))
    for said in (NETWORK.ssid, NETWORK.password, "http://10.42.0.1:8000/", "http://table-7.local/"):
        assert said in words


def test_the_example_has_no_password_and_so_no_sticker(tmp_path, capsys):
    """A hub whose owner took the password out never opens a network."""
    options = argparse.Namespace(
        config=REPOSITORY / "deploy/centerpiece.toml", file=tmp_path / "s.svg", name="x"
    )

    assert 2 == sticker.command(options)
    assert "[network] password is empty" in capsys.readouterr().err
    assert not options.file.exists()


def test_the_example_config_is_read_without_complaint():
    """Its lines are the defaults, but for where the pages are."""
    example = load(REPOSITORY / "deploy/centerpiece.toml")

    assert ("0.0.0.0", 80) == (example.server.host, example.server.port)
    assert Config().gestures == example.gestures
    assert Config().hardware == example.hardware
    assert NetworkSettings() == example.network


def test_every_example_line_of_the_config_is_a_setting(tmp_path):
    """What is commented out can be switched on as it stands."""
    text = (REPOSITORY / "deploy/centerpiece.toml").read_text()
    switched_on = tmp_path / "on.toml"
    switched_on.write_text(re.sub(r"^# (\[[\w.]+\]|\w+ = )", r"\1", text, flags=re.MULTILINE))

    assert "high-contrast" == load(switched_on).table.suits


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('ssid = ""', "ssid must be 1 to 32"),
        ('password = "short"', "password must be 8 to 63"),
        ("patience_s = 1", "patience_s must be 5 to 3600"),
    ],
)
def test_a_network_that_wi_fi_does_not_allow_is_refused(tmp_path, line, words):
    """When the file is read, not when the radio is needed."""
    path = tmp_path / "c.toml"
    path.write_text(f"[network]\n{line}\n")

    with pytest.raises(ValueError, match=re.escape(words)):
        load(path)


# The doctor


def test_a_full_or_read_only_disk_is_found(tmp_path, monkeypatch):
    """Each with what to do about it."""
    assert ["ok"] == [check.verdict for check in checkup.disk(tmp_path / "new")]

    monkeypatch.setattr(checkup, "LEAST_FREE", 1 << 62)
    (full,) = checkup.disk(tmp_path)
    assert ("fail", True) == (full.verdict, "larger one" in full.remedy)

    monkeypatch.setattr(checkup.os, "access", lambda path, mode: False)
    (closed,) = checkup.disk(tmp_path)
    assert ("fail", True) == (closed.verdict, "cannot be written" in closed.sentence)


def test_games_that_cannot_be_read_are_found(tmp_path):
    """A damaged file is the doctor's to find, not the evening's."""
    Journal(tmp_path / "table.db", BOOKS).close()
    assert ["ok", "ok"] == [check.verdict for check in checkup.disk(tmp_path)]

    (tmp_path / "table.db").write_bytes(b"not a table")
    assert ["ok", "fail"] == [check.verdict for check in checkup.disk(tmp_path)]


def test_a_clock_that_was_never_set_is_no_reason_not_to_play():
    """A warning, and no more."""
    assert "warn" == checkup.clock(at=0.0, synchronized=False).verdict
    assert "ok" == checkup.clock(time.time(), synchronized=True).verdict


def test_a_port_in_use_is_found():
    """By whatever is not our own pages."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        other.close()
        assert "ok" == checkup.link("127.0.0.1", port).verdict
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        taken = checkup.link("127.0.0.1", other.getsockname()[1])
        assert ("fail", True) == (taken.verdict, "another port" in taken.remedy)


def test_a_pi_is_asked_about_its_devices_and_a_simulated_hub_is_not(tmp_path):
    """The same doctor for both."""
    config = Config(data=str(tmp_path), server=Config().server)
    nowhere = Machine(tmp_path, "root", frozenset(), lambda library: "")

    simulated = list(checkup.everything(config, "sim", nowhere))
    real = list(checkup.everything(config, "pi", nowhere))

    assert "hardware" == simulated[0].name
    assert any(check.name == "board" and check.verdict == "fail" for check in real)


@pytest.mark.parametrize("part", ["lights", "sound"])
def test_a_walk_shows_one_thing_after_the_other(part, capsys):
    """And waits for the person each time."""
    waited = []

    checkup.walk(part, build(), Config(), lambda: waited.append(part))

    assert len(waited) == len(capsys.readouterr().out.splitlines()) > 3
