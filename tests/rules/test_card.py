"""The rule card: one page that says what is played."""

import pytest

from centerpiece.games.registry import BOOKS
from centerpiece.rules.book import Rules, with_settings
from centerpiece.rules.card import WIDTH, card, laid_out

PROFILES = [profile for game in BOOKS.games.values() for profile in game.profiles]
CLASSIC = BOOKS.profile("mexican-train/classic")
A_PAGE = 60

every_profile = pytest.mark.parametrize("rules", PROFILES, ids=lambda rules: rules.full_name)


@every_profile
def test_a_card_fits_on_one_page(rules: Rules) -> None:
    """Eighty columns, sixty lines, nothing trailing."""
    lines = card(rules).splitlines()

    assert len(lines) <= A_PAGE
    assert max(map(len, lines)) <= WIDTH
    assert lines == [line.rstrip() for line in lines]


@every_profile
def test_a_card_has_every_setting_that_is_not_silent_once(rules: Rules) -> None:
    """Nothing that was agreed on is kept from the table."""
    said = [line.setting for section in laid_out(rules).sections for line in section.lines]

    spoken = set(rules.settings) - {"sets", "hands"} - rules.silent()
    assert sorted(spoken) == sorted(said)


def test_a_card_has_the_hands_of_the_set_that_is_played() -> None:
    """One line for a set; a dash where nothing can be dealt."""
    text = card(CLASSIC, 12)

    assert "double-12    18   14   12   10    9   tiles each" in text
    assert "double-9 " not in text
    assert "double-9     20   14   11    9    7    –    –   tiles each" in card(CLASSIC)


def test_a_house_rule_is_marked_on_the_card() -> None:
    """People see at a glance what is different here."""
    changes = {"double_blank": 50, "out_bonus": -5, "trains": 0}
    house = with_settings(CLASSIC, changes, "Tuesday group")

    text = card(house, original=CLASSIC)

    assert text.startswith("Mexican Train: Tuesday group (a house rule of classic)\n")
    assert "* A double blank left in the hand counts 50." in text
    assert "* Going out scores -5." in text
    assert "  The lowest total wins." in text
    assert "* differs from Mexican Train: classic" in text
    assert "The Mexican Train may be started" not in text


def test_the_data_of_a_card_marks_the_same_lines() -> None:
    """For pages, which draw the card themselves."""
    house = with_settings(CLASSIC, {"double_blank": 50}, "Tuesday group")

    laid = laid_out(house, 12, CLASSIC)

    changed = [line.setting for section in laid.sections for line in section.lines if line.changed]
    assert ["double_blank"] == changed
    assert {12: CLASSIC.hands[12]} == laid.hands
    assert ("Mexican Train", "Tuesday group", "classic") == (laid.game, laid.name, laid.base)
