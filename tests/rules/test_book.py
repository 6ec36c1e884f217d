"""Settings, house rules on top of them, and combinations that are refused."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.games.registry import GAMES
from centerpiece.rules.domino_sets import tiles_in
from centerpiece.rules.house_rules import HouseRules
from centerpiece.rules.rules import Rules, with_settings
from centerpiece.text import Refused

PROFILES = [profile for game in GAMES.games.values() for profile in game.profiles]
CLASSIC = GAMES.profile("mexican-train/classic")

every_profile = pytest.mark.parametrize("rules", PROFILES, ids=lambda rules: rules.full_name)

HOUSE_RULES: list[dict[str, Any]] = [
    {"blank_half": 25, "double_blank": 50},
    {"doubles_twice": True},
    {"out_bonus": -5},
    {"out_bonus": -10},
    {"out_on_double_doubles": True},
    {"blocked_lowest_zero": True},
    {"penalty": "draw", "penalty_tiles": 2},
    {"last_tile_deadline": "caught"},
    {"last_tile_deadline": "next-player"},
    {"engines": [12, 9, 6, 3, 0]},
    {"engine_choice": "fixed", "engines": [12], "rounds": 5},
    {"engine_choice": "highest-held"},
    {"trains": 0},
    {"trains": 3},
    {"marker_off": "choice"},
    {"double_followed_by": "owner"},
    {"open_double": "nobody"},
    {"doubles_a_turn": "any"},
    {"draw": "until-playable"},
    {"points_limit": 200},
    {"wins": "rounds"},
    {"hands": {12: {4: 15}}},
    {"turn_limit_s": 60},
]
"""Every house rule that tables ask for."""


@every_profile
def test_every_setting_of_every_profile_has_a_sentence(rules: Rules) -> None:
    for setting in rules.settings:
        said = str(rules.sentence(setting))
        assert said.endswith("."), (setting, said)
        assert "{" not in said, (setting, said)


@every_profile
def test_a_profile_does_not_contradict_itself(rules: Rules) -> None:
    """Profiles pass the same checks as house rules."""
    assert rules == with_settings(rules, {})


@pytest.mark.parametrize("changes", HOUSE_RULES, ids=str)
def test_every_house_rule_can_be_set_and_says_something_else(changes: dict[str, Any]) -> None:
    """If the sentence stays the same, players cannot notice the setting."""
    changed = with_settings(CLASSIC, changes)

    for setting in changes:
        if getattr(changed, setting) != getattr(CLASSIC, setting) and setting != "hands":
            assert str(CLASSIC.sentence(setting)) != str(changed.sentence(setting))


@pytest.mark.parametrize("changes", HOUSE_RULES, ids=str)
def test_a_saved_set_gives_the_same_rules_again(changes: dict[str, Any]) -> None:
    """Through JSON, as the hub keeps it."""
    rules = with_settings(CLASSIC, changes)
    kept = msgspec.json.encode(HouseRules.of(rules, CLASSIC, "Tuesday group"))

    again = msgspec.json.decode(kept, type=HouseRules).on(CLASSIC)

    assert with_settings(rules, {}, "Tuesday group") == again


@pytest.mark.parametrize(
    ("changes", "first", "second"),
    [
        ({"last_tile_deadline": "next-player", "last_tile": "optional"}, "deadline", "last_tile"),
        ({"engines": [15]}, "engines", "sets"),
        ({"first_engine": 12}, "first_engine", "sets"),
        ({"rounds": 14}, "rounds", "engines"),
        ({"engines": [9, 8], "rounds": 3}, "rounds", "engines"),
        ({"engines": [9, 8], "engine_choice": "fixed"}, "engine_choice", "engines"),
        ({"engines": [9], "engine_choice": "highest-held"}, "engine_choice", "engines"),
        ({"first_engine": 3, "last_engine": 5}, "first_engine", "last_engine"),
        ({"sets": [15]}, "sets", "hands"),
        ({"hands": {"12": {"4": 40}}}, "hands", "sets"),
        ({"trains": 0, "train_starts": "second-turn"}, "trains", "train_starts"),
        ({"double_followed_by": "owner", "open_double": "nobody"}, "followed_by", "open_double"),
        ({"double_followed_by": "owner", "open_double": "next-player"}, "followed", "open_double"),
    ],
)
def test_a_contradiction_is_refused_with_both_settings_named(
    changes: dict[str, Any], first: str, second: str
) -> None:
    with pytest.raises(Refused) as refused:
        with_settings(CLASSIC, changes)

    assert first in str(refused.value)
    assert second in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"colour": "red"}, "There is no setting “colour”"),
        ({"rounds": 0}, "rounds must be empty or a whole number from 1 to 99, not 0"),
        ({"rounds": "many"}, 'from 1 to 99, not "many"'),
        ({"rounds": True}, "from 1 to 99, not true"),
        ({"engines": [-1]}, "engines must be a list, each of them a whole number from 0 to 15"),
        ({"sets": []}, "6, 9, 12, 15"),
        ({"sets": [7]}, "6, 9, 12, 15"),
        ({"hands": "all"}, "hands must be tiles"),
        ({"hands": {"twelve": {"4": 1}}}, "hands must be tiles"),
        ({"hands": {"12": {"4": "x"}}}, "hands must be tiles"),
        ({"hands": {"12": {"4": 0}}}, "hands must be tiles"),
        ({"hands": {"12": {"11": 7}}}, "hands must be tiles"),
        ({"name": "other"}, "There is no setting “name”"),
    ],
)
def test_what_is_no_setting_is_refused_in_words(changes: dict[str, Any], words: str) -> None:
    """The refusal has the value and what was expected."""
    with pytest.raises(Refused, match=words):
        with_settings(CLASSIC, changes)


def test_a_line_of_the_hand_table_changes_alone() -> None:
    """The other lines stay, and null removes one."""
    changed = with_settings(CLASSIC, {"hands": {"12": {"4": 15, "8": None}}})

    assert {4: 15, 5: 14, 6: 12, 7: 10} == changed.hands[12]
    assert CLASSIC.hands[9] == changed.hands[9]


def test_a_set_of_an_older_release_still_loads() -> None:
    """Unknown settings and values are left out by name; the others hold."""
    old = HouseRules(
        name="Old",
        game="mexican-train",
        profile="classic",
        changes={
            "double_blank": 50,
            "whistle_colour": "blue",
            "marker_off": "never",
            "rounds": 500,
        },
        version=0,
    )

    changes, left_out = old.fitting(CLASSIC)

    assert {"double_blank": 50} == changes
    assert ["whistle_colour", "marker_off", "rounds"] == left_out


def test_of_two_old_settings_that_contradict_each_other_now_the_first_holds() -> None:
    """A newer release may be stricter than the one that saved the set."""
    old = HouseRules(
        name="Old",
        game="mexican-train",
        profile="classic",
        changes={"trains": 0, "train_starts": "second-turn", "out_bonus": -5},
    )

    assert ({"trains": 0, "out_bonus": -5}, ["train_starts"]) == old.fitting(CLASSIC)


numbers = st.integers(-1000, 1000)
values = st.one_of(
    st.none(), st.booleans(), numbers, st.text(max_size=5), st.lists(numbers, max_size=4)
)


@given(
    st.sampled_from(PROFILES),
    st.dictionaries(st.sampled_from(tuple(CLASSIC.settings)), values, max_size=3),
)
def test_whatever_is_agreed_on_can_be_dealt(rules: Rules, changes: dict[str, Any]) -> None:
    """Any change is refused in a sentence, or gives playable rules."""
    try:
        changed = with_settings(rules, changes)
    except Refused:
        return
    for size in changed.sets:
        assert changed.hands[size]
        for players, hand in changed.hands[size].items():
            assert players * hand + changed.held_out() <= tiles_in(size)
    for name, setting in changed.settings.items():
        assert setting.holds(getattr(changed, name))
