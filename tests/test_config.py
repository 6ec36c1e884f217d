"""The config file: its settings, and its error messages."""

import re

import pytest

from centerpiece.config import Config, ConfigError, NetworkSettings, load
from tests.deploy.conftest import REPOSITORY


def test_the_example_config_is_read_without_complaint():
    """Its lines are the defaults, except for the address of the pages."""
    example = load(REPOSITORY / "deploy/centerpiece.toml")

    assert ("0.0.0.0", 80) == (example.server.host, example.server.port)
    assert Config().gestures == example.gestures
    assert Config().hardware == example.hardware
    assert NetworkSettings() == example.network


def test_every_example_line_of_the_config_is_a_setting(tmp_path):
    """Commented lines can be enabled as they are."""
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
    """Already as the file is read, not only as the radio starts."""
    path = tmp_path / "c.toml"
    path.write_text(f"[network]\n{line}\n")

    with pytest.raises(ValueError, match=re.escape(words)):
        load(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[server]\nport = "eighty"', "[server] port must be a whole number, not eighty"),
        ("[server]\nport = 99999", "[server] port must be 0 to 65535, not 99999"),
        ("[server]\nprot = 80", "[server] has no “prot”; it takes host and port"),
        (
            "prot = 80",
            "the file has no “prot”; it takes table, server, gestures, hardware, hall, network and "
            "data",
        ),
        ("server = 80", "server is a section; write its settings below a line [server]"),
        (
            '[table]\nsuits = "pink"',
            "[table] suits must be one of coloured, high-contrast, not pink",
        ),
        (
            '[hall]\nid = "The Rally"',
            "[hall] id must be small letters, digits and hyphens, such as “table-7”, "
            "not 'The Rally'",
        ),
        (
            '[hardware.buttons.pins]\nseat-1 = "GPIO4"',
            "[hardware.buttons.pins] seat-1 must be a whole number, not GPIO4",
        ),
        (
            '[[hardware.lights.zones]]\nname = "ring"\nstart = "last"\ncount = 12',
            "[hardware.lights.zones.1] start must be a whole number, not last",
        ),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(tmp_path, text, words):
    """File, section, key, the value and what was expected."""
    path = tmp_path / "hub.toml"
    path.write_text(text)

    with pytest.raises(ConfigError) as refused:
        load(path)

    assert f"{path}: {words}" == str(refused.value)


def test_a_file_that_is_none_is_told_so(tmp_path):
    """Missing, or not TOML."""
    path = tmp_path / "hub.toml"
    with pytest.raises(ConfigError, match="No such file or directory; give --config a file"):
        load(path)
    path.write_bytes(b"port = \xff")
    with pytest.raises(ConfigError, match=r"hub\.toml is not TOML: "):
        load(path)
