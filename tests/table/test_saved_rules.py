"""House rules between two evenings: saved, offered, found, forgotten."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from centerpiece.games.registry import GAMES
from centerpiece.rules.house_rules import HouseRules
from centerpiece.rules.rules import with_settings
from centerpiece.storage.errors import NotSaved
from centerpiece.table import commands as c
from centerpiece.table import saved_rules
from centerpiece.text import Refused
from sim.script import Stage
from tests.evenings import LiveLedger

CLASSIC = GAMES.profile("mexican-train/classic")
OURS = with_settings(CLASSIC, {"double_blank": 50})


@pytest.fixture
def table() -> LiveLedger:
    ledger = LiveLedger()
    order(ledger, c.ChangeRule("double_blank", 50))
    return ledger


def order(ledger: LiveLedger, command: c.Command) -> None:
    for recorded in ledger.record(ledger.decide(command, 0.0), 0.0):
        ledger.apply(recorded)


def saved(ledger: LiveLedger) -> list[tuple[str, str, dict[str, object]]]:
    return [(kept.game, kept.name, kept.changes) for kept in ledger.table.saved_rules]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path)
    yield stage
    stage.stop()


def test_what_is_saved_is_found_by_its_name(table: LiveLedger) -> None:
    """In upper or lower case, and with its profile."""
    order(table, c.SaveHouseRules("Tuesday group"))

    found = saved_rules.find(GAMES, table.table, "mexican-train/tuesday GROUP")

    assert with_settings(OURS, {}, "Tuesday group") == found.rules
    assert (CLASSIC, ()) == (found.profile, found.left_out)


def test_sets_of_two_games_may_have_one_name(table: LiveLedger) -> None:
    order(table, c.SaveHouseRules("Tuesday group"))
    order(table, c.ChooseRules("chickenfoot/classic"))
    order(table, c.SaveHouseRules("Tuesday group"))

    assert ["chickenfoot", "mexican-train"] == [game for game, _, _ in saved(table)]


def test_a_set_is_saved_in_place_of_the_one_before(table: LiveLedger) -> None:
    """Also with different upper and lower case."""
    order(table, c.SaveHouseRules("Tuesday group"))
    order(table, c.ChangeRule("out_bonus", -5))
    order(table, c.SaveHouseRules("TUESDAY group"))

    both = {"double_blank": 50, "out_bonus": -5}
    assert [("mexican-train", "TUESDAY group", both)] == saved(table)


def test_a_house_rule_on_a_house_rule_grows_from_the_same_profile(table: LiveLedger) -> None:
    """The whole difference from the profile is saved."""
    order(table, c.SaveHouseRules("Tuesday group"))
    order(table, c.ChooseRules("mexican-train/classic"))
    order(table, c.ChooseRules("mexican-train/Tuesday group", changes={"out_bonus": -5}))
    order(table, c.SaveHouseRules("Friday group"))

    friday = table.table.saved_rules[0]
    assert ("classic", {"double_blank": 50, "out_bonus": -5}) == (friday.profile, friday.changes)


@pytest.mark.parametrize("name", ["classic", "Family", "", "  ", "x" * 41, "a\nb\0"])
def test_a_name_that_cannot_be_kept_is_refused(table: LiveLedger, name: str) -> None:
    """Names of profiles are taken, and a name must be readable."""
    with pytest.raises(Refused):
        order(table, c.SaveHouseRules(name))
    assert [] == saved(table)


def test_forgetting_what_is_not_there_names_what_is(table: LiveLedger) -> None:
    order(table, c.SaveHouseRules("Tuesday group"))
    with pytest.raises(Refused, match="Saved rules: Tuesday group"):
        order(table, c.ForgetHouseRules("Friday group"))

    order(table, c.ForgetHouseRules("tuesday group"))

    assert [] == saved(table)


def test_saving_and_forgetting_can_be_undone(table: LiveLedger) -> None:
    order(table, c.SaveHouseRules("Tuesday group"))
    order(table, c.ForgetHouseRules("Tuesday group"))
    order(table, c.Undo())
    assert ["Tuesday group"] == [name for _, name, _ in saved(table)]
    order(table, c.Undo())
    assert [] == saved(table)


def test_a_disk_that_refuses_saves_no_rules(stage: Stage) -> None:
    """Rules that are not in the journal are not offered, now or after a restart."""
    stage.hub.do(c.ChangeRule("double_blank", 50))
    stage.journal.database.execute("PRAGMA query_only = ON")
    with pytest.raises(NotSaved):
        stage.hub.do(c.SaveHouseRules("Tuesday group"))
    assert () == stage.hub.table.saved_rules
    stage.restart()
    assert () == stage.hub.table.saved_rules


def test_a_set_whose_profile_is_gone_rests_on_the_games_first(table: LiveLedger) -> None:
    """The notice says so."""
    house = HouseRules(name="Old", game="mexican-train", profile="leaflet", changes={"trains": 2})
    old = replace(table.table, saved_rules=(house,))

    found = saved_rules.find(GAMES, old, "mexican-train/Old")

    assert (CLASSIC, "Old") == (found.profile, found.rules.name)
    assert ("profile leaflet",) == found.left_out


def test_a_set_of_an_older_release_is_played_with_a_note(table: LiveLedger) -> None:
    """Unknown settings are left out, and the notice names them."""
    changes = {"double_blank": 25, "smoke": True}
    house = HouseRules(name="Old", game="mexican-train", profile="classic", changes=changes)
    old = replace(table.table, saved_rules=(house,))
    table.ledger = replace(table.ledger, table=old)

    order(table, c.ChooseRules("mexican-train/Old"))

    assert 25 == table.table.rules.double_blank
    assert "“Old” was saved by another version. These settings were left out: smoke." == str(
        table.notice()
    )


def test_the_names_of_the_evening_are_offered_on_their_seats_again(stage: Stage) -> None:
    """Also those who joined late, were renamed or stood in."""
    stage.hub.do(c.OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12))
    for command in (c.Rename(1, "Anna"), c.Substitute(2, "Zoe"), c.Join("Eve")):
        stage.wait(1.0)
        stage.hub.do(command)

    assert {"Anna", "Ann", "Bob", "Zoe", "Cara", "Dan", "Eve"} == set(stage.hub.settings.players())
    assert ["Anna", "Zoe", "Eve"] == [stage.hub.settings.last_at_seat(n) for n in (1, 2, 5)]
