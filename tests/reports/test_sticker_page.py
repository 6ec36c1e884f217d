"""The sticker's text, which people read."""

from xml.etree import ElementTree

from centerpiece.__main__ import main
from centerpiece.config import NetworkSettings
from centerpiece.reports import sticker_page
from tests.deploy.conftest import REPOSITORY

NETWORK = NetworkSettings(ssid="centerpiece-<&>", password="twelve;letters")


def test_the_sticker_says_in_letters_what_its_codes_say():
    """For a phone without a camera."""
    drawn = ElementTree.fromstring(sticker_page.drawing(NETWORK, "http://table-7.local/"))
    words = " ".join(drawn.itertext())

    assert 3 == len(drawn.findall("{*}path"))
    for said in (NETWORK.ssid, NETWORK.password, "http://10.42.0.1:8000/", "http://table-7.local/"):
        assert said in words


def test_the_example_has_no_password_and_so_no_sticker(tmp_path, capsys):
    """A hub without a password never opens a network."""
    file, config = tmp_path / "s.svg", REPOSITORY / "deploy/centerpiece.toml"

    assert 2 == main(["sticker", str(file), "--config", str(config)])
    assert "[network] password is empty" in capsys.readouterr().err
    assert not file.exists()
