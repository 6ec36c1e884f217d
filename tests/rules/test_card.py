"""The rule card has exactly the rules that are played."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centerpiece.games.muggins.rules import MugginsRules
from centerpiece.games.registry import GAMES
from centerpiece.rules.card import WIDTH, Card, card, laid_out
from centerpiece.rules.house_rules import HouseRules
from centerpiece.rules.rule_settings import Choice, Number, Numbers
from centerpiece.rules.rules import Rules, with_settings
from centerpiece.table import commands as c
from centerpiece.table.state import Table
from centerpiece.text import Refused
from tests.evenings import LiveLedger, order

PROFILES = {rules.full_name: rules for game in GAMES.games.values() for rules in game.profiles}
CLASSIC = PROFILES["mexican-train/classic"]
A_SHEET = 120
"""Lines on both sides of a sheet of paper."""

every_profile = pytest.mark.parametrize("name", PROFILES)

ENGINES = {"rounds", "first_engine", "last_engine", "engine_found"}
SEVERAL = {"hands", "starter", "draw", "last_tile", "last_tile_cue", "wins", "late_score"}
OWN_HANDS = SEVERAL | ENGINES | {"out_bonus", "double_blank"}
TRAIN = OWN_HANDS | {
    "first_turn",
    "trains",
    "train_starts",
    "marker_off",
    "open_double",
    "double_unanswered",
    "doubles_a_turn",
}
FOOT = OWN_HANDS | {"first_toes", "later_toes"}
SAID = {
    "mexican-train/classic": TRAIN | {"double_followed_by", "penalty"},
    "mexican-train/family": (TRAIN - {"starter"}) | {"double_followed_by", "end_of_line"},
    "mexican-train/rally": (TRAIN - {"rounds"})
    | {"double_followed_by", "hidden_bones", "prizes", "scorekeeper", "table_of", "time_limit_min"},
    "mexican-train/online": TRAIN,
    "mexican-train/double-15": TRAIN | {"double_followed_by", "everyone_starts"},
    "chickenfoot/classic": FOOT,
    "chickenfoot/family": (FOOT - {"starter"})
    | {"last_tile_deadline", "penalty", "penalty_tiles", "chicken_little"},
    "chickenfoot/online": FOOT | {"undrawn_of_two", "undrawn", "double_called"},
    "chickenfoot/double-15": FOOT,
    "muggins/classic": SEVERAL | {"points_limit", "multiple", "stealing", "teams_of_four"},
    "super-15/double-15": (SEVERAL - {"wins", "late_score"})
    | {"rounds", "branches", "everyone_draws_on", "again_on", "spell_on", "reverse_on"}
    | {"double_skips"},
    "castle-rock/classic": {"sets", "row", "won_with"},
    "castle-rock/double-15": {"sets", "row", "won_with"},
}
"""The settings that each profile's card must mention."""

NO_ENGINES = (ENGINES - {"rounds"}) | {"engine_choice", "engines"}
AT_THE_END = {
    "out_bonus",
    "out_on_double_doubles",
    "blocked_lowest_zero",
    "hidden_bones",
    "scorekeeper",
}
NEVER = {
    "mexican-train": set[str](),
    "chickenfoot": set[str](),
    "muggins": NO_ENGINES | AT_THE_END,
    "super-15": NO_ENGINES,
    "castle-rock": set(Rules.settings) - {"sets", "rounds", "time_limit_min"},
}
"""Settings that mean nothing in a game, whatever is agreed on."""


def meant(rules: Rules, name: str) -> bool:
    """Return True if a setting means something beside the others of a book."""
    penalty = rules.penalty if rules.last_tile == "must" else "none"
    scored = rules.scored and (rules.game != "super-15" or rules.wins != "rounds")
    several = rules.game == "muggins" or len(rules.engines_for(max(rules.sets))) > 1
    return name not in NEVER[rules.game] and {
        "starter": rules.engine_found == "placed" or not rules.engines_for(max(rules.sets)),
        "scored": rules.game != "muggins" and rules.wins == "lowest",
        "penalty": rules.last_tile == "must",
        "penalty_points": penalty == "points",
        "penalty_tiles": penalty in ("draw", "keep"),
        "last_tile_deadline": penalty != "none" or rules.last_tile_deadline == "next-player",
        "late_score": rules.wins != "rounds" and (several or (rules.rounds or 1) > 1),
        "train_starts": getattr(rules, "trains", 0) > 0,
        "double_followed_by": getattr(rules, "open_double", "") != "nobody",
        "end_of_line": getattr(rules, "open_double", "") != "nobody",
        **dict.fromkeys(AT_THE_END | {"double_blank", "blank_half", "doubles_twice"}, scored),
    }.get(name, True)


def offered(rules: Rules, name: str) -> Iterator[Any]:
    """Return some of the values that a setting may be changed to."""
    match rules.settings[name]:
        case Numbers(limits=(low, _)):
            yield [low + 1]
        case Number(said=said, limits=(low, high)):
            yield from {*said, low, high, (low + high) // 2}
        case Choice(said=said):
            yield from said


def laid(rules: Rules) -> Card:
    """Return the card compared with its profile."""
    original = PROFILES[f"{rules.game}/{rules.base or rules.name}"]
    return laid_out(rules, original, GAMES.games[rules.game].example)


def spoken(laid: Card) -> list[str]:
    return [str(line.sentence) for section in laid.sections for line in section.lines]


def named(laid: Card) -> list[str]:
    return [line.name for section in laid.sections for line in section.lines if line.name]


def own(laid: Card) -> list[str]:
    return [line.name for section in laid.sections for line in section.lines if line.own]


def in_text(rules: Rules, original: Rules | None = None) -> str:
    return card(rules, original, GAMES.games[rules.game].example)


@st.composite
def house_rules(draw: st.DrawFn) -> Rules:
    """Draw a profile with up to six changed settings that do not contradict each other."""
    rules = draw(st.sampled_from(list(PROFILES.values())))
    names = [name for name in rules.settings if list(offered(rules, name))]
    changes = {
        name: draw(st.sampled_from(list(offered(rules, name))))
        for name in draw(st.lists(st.sampled_from(names), max_size=6, unique=True))
    }
    agreed: dict[str, Any] = {}
    for name, value in changes.items():
        try:
            with_settings(rules, {**agreed, name: value})
        except Refused:
            continue
        agreed[name] = value
    return with_settings(rules, agreed, "ours")


@every_profile
def test_a_card_is_a_sheet_of_paper(name: str) -> None:
    """At most 80 columns and two sides, without trailing spaces."""
    lines = in_text(PROFILES[name]).splitlines()

    assert len(lines) <= A_SHEET
    assert max(map(len, lines)) <= WIDTH
    assert lines == [line.rstrip() for line in lines]


@every_profile
def test_a_card_tells_what_is_played_in_the_order_of_play(name: str) -> None:
    """It mentions exactly the settings that mean something, from the aim to the winner."""
    layout = laid_out(PROFILES[name], None, GAMES.games[PROFILES[name].game].example)
    titles = [section.title for section in layout.sections]
    order = ["The aim", "Setting up", "Who starts", "Your turn", "When you cannot play"]
    order += ["The last tile", "The end of a round", "Scoring", "Winning"]
    if name.startswith("castle-rock"):
        order = ["The aim", "Setting up", "Your turn", "Removing tiles", "Winning"]

    assert SAID[name] == set(named(layout)) & set(PROFILES[name].settings)
    assert order == [title for title in titles if title in order]
    assert ("Example: " in " ".join(spoken(layout)), []) == (True, own(layout))


@every_profile
def test_a_change_is_on_the_card_and_marked_or_it_means_nothing(name: str) -> None:
    """Each setting is changed by itself, to every kind of value."""
    profile = PROFILES[name]
    before = spoken(laid(profile))
    for setting in profile.settings:
        for value in offered(profile, setting):
            try:
                house = with_settings(profile, {setting: value}, "ours")
            except Refused:
                continue
            layout = laid(house)
            changed = getattr(house, setting) != getattr(profile, setting)
            case = (name, setting, value)
            if changed and meant(house, setting):
                assert setting in named(layout) or before != spoken(layout), case
                assert own(layout) or not set(spoken(layout)) - set(before), case
            elif not (changed and meant(profile, setting)):
                assert (before, []) == (spoken(layout), own(layout)), case


QUARRELS = {
    "You do not draw.": ("draw as usual", "boneyard", "draw one", "draw two"),
    "There is no Mexican Train.": ("the Mexican Train,", "any Mexican Train"),
    "The game is a single round.": ("most rounds", "round by round", "Every round", "latecomer"),
    "There is one round for each double.": ("The game has", "The game is a single"),
    "There are no spells.": ("spell:", "cast a spell", "-13"),
    "The lowest total wins.": ("The highest total wins.", "most rounds"),
    "the next player may still play elsewhere": ("nobody may play anywhere", "Only the owner"),
    "You may announce your last tile.": ("caught", "you must announce"),
    "There is no penalty": ("The penalty is", "must draw"),
    "Whoever went out scores nothing.": ("Whoever went out scores -", "Example: Ann goes out: 1"),
    "Your first turn is on your own train only.": ("on any turn.",),
    "whoever held it starts the round": ("Agree on who starts", "in the centerpiece before"),
}
"""Pairs of sentences that cannot stand on one card."""


@settings(max_examples=300, deadline=None)
@given(house_rules())
def test_no_card_repeats_or_contradicts_itself(house: Rules) -> None:
    """Whole sentences, none twice, none without meaning, for any house rules."""
    layout = laid(house)
    sentences, text = spoken(layout), " ".join(spoken(layout))

    assert len(sentences) == len(set(sentences))
    assert len(named(layout)) == len(set(named(layout)))
    assert not [line for line in sentences if not re.fullmatch(r"[A-Z0-9][^{}]*[.!]", line)]
    assert not [name for name in set(named(layout)) & set(house.settings) if not meant(house, name)]
    for words, others in QUARRELS.items():
        assert words not in text or not [other for other in others if other in text], text
    assert max(map(len, in_text(house, laid_original(house)).splitlines())) <= WIDTH


def laid_original(house: Rules) -> Rules:
    return PROFILES[f"{house.game}/{house.base}"]


def hands_of(facts: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Return the hands that an example's sentence names."""
    if "tiles" in facts:
        yield facts["name"], facts["tiles"]
    for place in ("first", "second", "third"):
        if place in facts:
            yield facts[place], facts[f"{place}s"]


def entered(house: Rules, hands: dict[str, list[str]], out: bool) -> Table:
    """Return a table with these rules after such a round, with each hand entered tile by tile."""
    size = next(size for size in house.sets if 3 in house.hands[size])
    changes = HouseRules.of(house, laid_original(house), "ours").changes
    ledger = LiveLedger()
    profile = f"{house.game}/{house.base}"
    order(ledger, c.OpenTable(profile, ("Ann", "Bob", "Cara"), size, changes, starter=1))
    order(ledger, c.GoOut(1) if out else c.Block())
    for seat in ledger.table.seats:
        tiles = [tile.split("-") for tile in hands.get(seat.name, [])]
        if tiles:
            hand = tuple((int(low), int(high)) for high, low in tiles)
            order(ledger, c.EnterScore(seat.number, hand=hand, confirm=True))
    table: Table = ledger.table
    return table


@settings(max_examples=150, deadline=None)
@given(house_rules())
def test_the_example_is_what_the_table_makes_of_the_same_hands(house: Rules) -> None:
    """The same hands, entered at a table with these rules, give the same points and winners."""
    game = GAMES.games[house.game]
    example = game.example(house)
    facts: dict[str, Any] = {key: v for sentence in example for key, v in sentence.facts.items()}
    hands = dict(chain.from_iterable(hands_of(sentence.facts) for sentence in example))
    text = " ".join(map(str, example))

    for parts, total in re.findall(r"((?:-?\d+ \+ )+-?\d+) = (-?\d+)", text):
        assert int(total) == sum(map(int, parts.split(" + "))), text
    if house.game == "castle-rock" or (not house.scored and house.game != "muggins"):
        assert not example or house.game == "super-15"
        return
    table = entered(house, hands, "goes out" in text)
    played, seats = table.rounds[0], {seat.name: seat.number for seat in table.seats}
    points = game.points(table, played)
    if "winners" in facts:
        assert facts["winners"] == [table.name(n) for n in game.round_winners(table, played)]
    elif "ends" in facts:
        assert facts["points"] == points[1]
        assert 0 == example[0].facts["points"] % cast(MugginsRules, house).multiple
    else:
        shown = {seats[each.facts["name"]]: each.facts["points"] for each in example}
        assert points == shown


def test_a_card_has_the_hands_of_every_set() -> None:
    """With a dash where nothing can be dealt; none in a game for one."""
    text = in_text(CLASSIC)

    assert "double-12     –    –   18   14   12   10    9   tiles each" in text
    assert "double-9     20   14   11    9    7    –    –   tiles each" in text
    assert "tiles each" not in in_text(PROFILES["castle-rock/classic"])


def test_what_is_the_tables_own_is_marked() -> None:
    """Differences from the profile are marked, removed lines too."""
    rally = PROFILES["mexican-train/rally"]
    changes = {"double_blank": 50, "out_bonus": -5, "trains": 0, "time_limit_min": None}
    house = with_settings(rally, {**changes, "hands": {12: {4: 15}}}, "Tuesday group")

    text = in_text(house, rally)

    assert text.startswith("Mexican Train: Tuesday group (house rules on top of rally)\n")
    assert "* The double blank counts 50 points." in text
    assert "* Whoever went out scores -5 points." in text
    assert "* Cara still holds 3-0 and 0-0: 3 + 50 = 53 points." in text
    assert "* There is no Mexican Train." in text
    assert "* There is no time limit for the game." in text
    assert "  The lowest total wins." in text
    assert "double-12    12   12  *15   12   12   12   tiles each" in text
    assert "* this table's own; all else is as in Mexican Train: rally" in text
    assert {12: {4: 15}} == laid(house).own_hands
