"""The sticker and the doctor's own checks: small things that a person reads."""

import argparse
import re
from xml.etree import ElementTree

import pytest

from centerpiece.cli.sticker import command
from centerpiece.config import Config, NetworkSettings, load
from centerpiece.reports import sticker
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

    assert 2 == command(options)
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
