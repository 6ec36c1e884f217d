"""House rules between two evenings: kept, offered again, found, forgotten."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from centerpiece.games.registry import BOOKS
from centerpiece.rules.book import HouseRules, with_settings
from centerpiece.storage import saved_rules
from centerpiece.storage.journal import Journal
from centerpiece.storage.settings import Settings
from centerpiece.table import commands as c
from centerpiece.text import Refused
from sim.script import Stage

CLASSIC = BOOKS.profile("mexican-train/classic")
OURS = with_settings(CLASSIC, {"double_blank": 50})


@pytest.fixture
def store() -> Iterator[Settings]:
    journal = Journal(":memory:", BOOKS)
    yield Settings(journal)
    journal.close()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path)
    yield stage
    stage.stop()


def test_what_is_kept_is_found_by_its_name(store: Settings) -> None:
    """However it is spelt, and with its profile."""
    saved_rules.keep(BOOKS, store, OURS, "Tuesday group")

    found = saved_rules.find(BOOKS, store, "mexican-train/tuesday GROUP")

    assert with_settings(OURS, {}, "Tuesday group") == found.rules
    assert CLASSIC == found.profile
    assert found.note() is None


def test_sets_of_two_games_may_have_one_name(store: Settings) -> None:
    """The Tuesday group plays more than one game."""
    saved_rules.keep(BOOKS, store, OURS, "Tuesday group")
    saved_rules.keep(BOOKS, store, BOOKS.profile("chickenfoot/classic"), "Tuesday group")

    assert ["chickenfoot", "mexican-train"] == sorted(h.game for h in store.house_rules())


def test_a_set_is_kept_in_place_of_the_one_before(store: Settings) -> None:
    """Also with another spelling."""
    saved_rules.keep(BOOKS, store, OURS, "Tuesday group")
    saved_rules.keep(BOOKS, store, with_settings(OURS, {"out_bonus": -5}), "TUESDAY group")

    (kept,) = store.house_rules()
    assert ("TUESDAY group", {"double_blank": 50, "out_bonus": -5}) == (kept.name, kept.changes)


def test_a_house_rule_on_a_house_rule_grows_from_the_same_profile(store: Settings) -> None:
    """What is kept is the whole difference."""
    saved_rules.keep(BOOKS, store, OURS, "Tuesday group")
    found = saved_rules.find(BOOKS, store, "mexican-train/Tuesday group").rules
    kept = saved_rules.keep(BOOKS, store, with_settings(found, {"out_bonus": -5}), "Friday group")

    assert ("classic", {"double_blank": 50, "out_bonus": -5}) == (kept.profile, kept.changes)


@pytest.mark.parametrize("name", ["classic", "Family", "", "  ", "x" * 41, "a\nb\0"])
def test_a_name_that_cannot_be_kept_is_refused(store: Settings, name: str) -> None:
    """Printed rule books keep their names; names are words."""
    with pytest.raises(Refused):
        saved_rules.keep(BOOKS, store, OURS, name)
    assert [] == store.house_rules()


def test_forgetting_what_is_not_there_names_what_is(store: Settings) -> None:
    """And forgetting what is there forgets it."""
    saved_rules.keep(BOOKS, store, OURS, "Tuesday group")
    with pytest.raises(Refused, match="Saved are: Tuesday group"):
        saved_rules.forget(store, "mexican-train", "Friday group")

    saved_rules.forget(store, "mexican-train", "tuesday group")

    assert [] == store.house_rules()


def test_a_set_whose_profile_is_gone_rests_on_the_games_first(store: Settings) -> None:
    """Better some rules than none; the note says so."""
    store.save_house_rules(
        HouseRules(name="Old", game="mexican-train", profile="leaflet", changes={"trains": 2})
    )

    found = saved_rules.find(BOOKS, store, "mexican-train/Old")

    assert CLASSIC == found.profile
    assert "left out: profile leaflet" in str(found.note())
    assert "Old" == found.rules.name


def test_a_set_of_an_older_release_is_played_with_a_note(stage: Stage) -> None:
    """What this release does not know is left out, and the table is told."""
    old = HouseRules(
        name="Old",
        game="mexican-train",
        profile="classic",
        changes={"double_blank": 50, "smoke": True},
        version=0,
    )
    stage.hub.settings.save_house_rules(old)

    stage.hub.do(c.ChooseRules("mexican-train/Old"))

    assert 50 == stage.hub.table.rules.double_blank
    assert "“Old” was saved by another release; left out: smoke." == stage.hub.state()["notice"]


def test_the_names_of_the_evening_are_offered_on_their_seats_again(stage: Stage) -> None:
    """Joined late, renamed or standing in: all are remembered."""
    stage.hub.do(c.OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12))
    for command in (c.Rename(1, "Anna"), c.Substitute(2, "Zoe"), c.Join("Eve")):
        stage.wait(1.0)
        stage.hub.do(command)

    assert {"Anna", "Ann", "Bob", "Zoe", "Cara", "Dan", "Eve"} == set(stage.hub.settings.players())
    assert ["Anna", "Zoe", "Eve"] == [stage.hub.settings.last_at_seat(n) for n in (1, 2, 5)]
