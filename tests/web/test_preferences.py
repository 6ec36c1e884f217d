"""Preferences take effect on sound and lights at once, and at their time of day."""

import time
from collections.abc import Iterator

import pytest

from centerpiece.hub.preferences import Preferences
from hal.ports import Edge
from tests.web.conftest import Rig

NOON = 1_800_014_400.0
"""A noon in Greenwich."""


@pytest.fixture
def greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("begin", "end", "hours_after_noon", "quiet"),
    [
        ("22:00", "08:00", 0, False),
        ("22:00", "08:00", 10, True),
        ("22:00", "08:00", 19.9, True),
        ("22:00", "08:00", 20, False),
        ("12:00", "13:00", 0, True),
        ("12:00", "13:00", 1, False),
        ("12:00", "12:00", 0, False),
        (None, "08:00", 10, False),
    ],
)
def test_quiet_hours_may_pass_midnight(
    greenwich: None, begin: str | None, end: str, hours_after_noon: float, quiet: bool
) -> None:
    """They include the first minute and exclude the last."""
    preferences = Preferences(quiet_from=begin, quiet_until=end)

    assert quiet == preferences.quiet_at(NOON + hours_after_noon * 3600)


def test_a_hub_sounds_as_loud_as_it_may(rig: Rig) -> None:
    """A muted hub keeps its volume."""
    sound = rig.hub.board.sound

    def whistle() -> float:
        rig.clock.move(1)
        rig.hub.hear(Edge("whistle", True, rig.clock.now()))
        rig.hub.hear(Edge("whistle", False, rig.clock.now() + 0.1))
        rig.clock.move(0.2)
        return float(sound.volume)  # type: ignore[attr-defined]

    volumes = [whistle()]
    for change in ({"volume": 0.5}, {"muted": True}, {"muted": False}):
        rig.client.put("/api/settings", json=change)
        volumes.append(whistle())

    assert [1.0, 0.5, 0.0, 0.5] == volumes


def test_brightness_counts_at_once(rig: Rig) -> None:
    """The lights follow the slider."""
    rig.client.put("/api/settings", json={"brightness": 0.2})

    assert 0.2 == rig.hub.board.lights.brightness  # type: ignore[attr-defined]
