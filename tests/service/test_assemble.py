"""Assembling a service: the right order, and everything closed again on failure."""

import pytest

from centerpiece.config import Config
from centerpiece.service import assemble
from centerpiece.storage.lock import claimed
from hal.device_errors import DeviceMissing, WiringError
from hal.ports import Trouble
from sim.board import build


@pytest.fixture
def config(tmp_path) -> Config:
    return Config(data=str(tmp_path))


@pytest.fixture
def on(monkeypatch):
    """Build every board with this function."""
    return lambda builder: monkeypatch.setattr(assemble, "builder", lambda name: builder)


def test_a_hub_is_put_together_from_a_name_and_settings(config):
    """Closing it releases the journal."""
    service = assemble.assemble("sim", config)
    assert claimed(config.data_folder())
    service.close()

    assert "lobby" == service.hub.state()["phase"]
    assert not claimed(config.data_folder())


def test_trouble_before_there_is_a_service_reaches_the_page(config, on):
    """Devices are opened first."""
    trouble = Trouble("lights", "The lights do not answer.")

    def troubled(settings, report):
        report(trouble)
        return build(settings, report)

    on(troubled)
    service = assemble.assemble("sim", config)
    service.close()

    assert [trouble._asdict()] == service.hub.state()["trouble"]


def test_an_unknown_board_makes_no_journal(config):
    with pytest.raises(WiringError, match="pie"):
        assemble.assemble("pie", config)

    assert not config.journal_path().exists()


def test_a_failed_assembly_closes_everything(config, on, monkeypatch):
    """The journal if a device is missing; also the devices if the hub cannot be created."""

    def missing(settings, report):
        raise DeviceMissing("no lights", "buy some")

    on(missing)
    with pytest.raises(DeviceMissing):
        assemble.assemble("sim", config)
    assert not claimed(config.data_folder())

    board = build()
    on(lambda settings, report: board)
    monkeypatch.setattr(assemble, "Hub", lambda *parts: pytest.fail("no hub today"))
    board.lights.show(b"\x01" * 3 * board.lights.count)
    with pytest.raises(pytest.fail.Exception):
        assemble.assemble("sim", config)

    assert bytes(3 * board.lights.count) == board.lights.frame
    assert not claimed(config.data_folder())
