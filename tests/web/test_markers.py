"""Train markers moved on a page of the virtual hub."""

from centerpiece.table import commands as c
from hal.ports import DockLevel
from tests.web.conftest import Open, Rig

FOUR = ("Ann", "Bob", "Cara", "Dan")


def moved(rig: Rig, body: object) -> int:
    return rig.client.post("/api/hub/marker", json=body).status_code


def test_a_marker_moves_in_the_simulated_dock(rig: Rig) -> None:
    """By the way of every other one; seats and fields that do not exist are refused."""
    told: list[DockLevel] = []
    rig.hub.board.docks.listen(told.append)

    assert [200, 200] == [moved(rig, {"seat": 3, "home": home}) for home in (False, True)]
    assert [True, False, True] == [level.home for level in told]
    assert {3} == {level.seat for level in told}
    assert [422] * 4 == [
        moved(rig, body)
        for body in (
            {"seat": 11, "home": True},
            {"seat": 0, "home": True},
            {"seat": "three", "home": True},
            {"seat": 3},
        )
    ]


def test_pages_learn_which_seats_have_a_marker(rig: Rig) -> None:
    """Only while a game with markers is played."""
    assert [] == rig.hub.docked()
    rig.hub.do(c.OpenTable("mexican-train/classic", FOUR, 12, starter=1))
    assert [1, 2, 3, 4] == rig.hub.docked()
    rig.hub.do(c.FinishGame())
    assert [] == rig.hub.docked()
    rig.hub.do(c.OpenTable("chickenfoot/classic", FOUR, starter=1))

    assert [] == rig.hub.docked()


def test_a_hub_whose_docks_are_not_simulated_refuses_a_move(open_rig: Open) -> None:
    rig = open_rig()
    rig.app.state.site.virtual._docks = None

    assert 422 == moved(rig, {"seat": 3, "home": True})
