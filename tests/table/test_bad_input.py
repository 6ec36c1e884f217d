"""Bad input changes nothing, and the refusal says what was expected and what would work."""

import msgspec
import pytest

from centerpiece.games.muggins.game import GiveAward
from centerpiece.games.registry import GAMES
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from tests.evenings import FOUR, LiveLedger, opened, order, refusal, row

SEATS_TAKEN = "Seats taken: 1, 2, 3, 4."


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (c.OpenTable("chess", FOUR), "There is no game “chess”. The games are: mexican-train,"),
        (
            c.OpenTable("mexican-train/strip", FOUR),
            "Mexican Train has no rules called “strip”. The rules are: classic, family, rally,",
        ),
        (c.ChooseRules(""), "There is no game “”."),
        (
            c.OpenTable("mexican-train/classic", FOUR, 13),
            "Mexican Train, classic rules, is not played with a double-13 set. "
            "These sets would do: double-12 and double-9.",
        ),
        (c.ChooseRules("mexican-train/rally", 9), "These sets would do: double-12."),
        (
            c.OpenTable("mexican-train/classic", tuple("ABC"), 12),
            "Mexican Train, classic rules, cannot deal a double-12 set to 3 players. "
            "With these tiles, these rules would do: family (15 tiles each), rally (12 tiles each) "
            "and online (15 tiles each). Or these sets: double-9.",
        ),
        (
            c.OpenTable("mexican-train/classic", ("Ann",)),
            "Mexican Train, classic rules, is for 2 to 8 players, not 1.",
        ),
        (c.OpenTable("mexican-train/classic", ()), "is for 2 to 8 players, not 0."),
        (
            c.OpenTable("mexican-train/double-15", tuple("ABCDEFGHIJK")),
            "A table has ten seats: too few for 11 players.",
        ),
        (c.ToggleSeat(0), "There is no seat 0. The seats are 1 to 10."),
        (c.ToggleSeat(11), "There is no seat 11. The seats are 1 to 10."),
        (c.Start(), "Nobody is seated yet. Each player takes a seat first."),
        (
            c.ChangeRule("colour", "red"),
            "There is no setting “colour”. The settings are: sets, table_of, rounds,",
        ),
        (c.ChangeRule("rounds", 0), "rounds must be empty or a whole number from 1 to 99, not 0."),
        (c.ChangeRule("rounds", 14), "14 rounds need 14 doubles, but there are only 13."),
        (c.ChangeRule("rounds", "many"), 'a whole number from 1 to 99, not "many".'),
        (c.ChangeRule("rounds", 2.5), "a whole number from 1 to 99, not 2.5."),
        (
            c.ChangeRule("penalty", "tickle"),
            'penalty must be one of none, draw, keep, points, skip, not "tickle".',
        ),
        (c.ChangeRule("double_blank", True), "a whole number from 0 to 500, not true."),
        (c.ChangeRule("double_blank", None), "a whole number from 0 to 500, not null."),
        (c.ChangeRule("sets", []), "sets must be some of 6, 9, 12, 15"),
        (c.ChangeRule("sets", [18]), "sets must be some of 6, 9, 12, 15"),
        (
            c.ChangeRule("engines", [-1]),
            "engines must be a list, each of them a whole number from 0 to 15, not [-1].",
        ),
        (
            c.ChangeRule("hands", {"12": {"4": 40}}),
            "4 players with 40 tiles each would need 161 tiles; a double-12 set has 91.",
        ),
        (c.ChangeRule("first_engine", 10), "A double-9 set has no double 10"),
        (c.EnterScore(1, 5), "First: who went out?"),
        (c.CorrectScore(1, 5, round=1), "There is no score to correct before the game."),
        (c.NextRound(), "No round has been played yet."),
        (c.Undo(), "There is nothing to undo."),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_in_the_lobby(command: Command, words: str) -> None:
    ledger = LiveLedger()

    assert words in str(refusal(ledger, command))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (c.CallLastTile(9), f"Nobody sits at seat 9. {SEATS_TAKEN}"),
        (c.Catch(0), SEATS_TAKEN),
        (c.GoOut(-1), SEATS_TAKEN),
        (c.Penalize(7, "draw"), SEATS_TAKEN),
        (c.Penalize(1, "points", 10_001), "A penalty can be at most 10000 points."),
        (c.Rename(9, "Ida"), SEATS_TAKEN),
        (c.Leave(9), SEATS_TAKEN),
        (c.DesignateStarter(9), SEATS_TAKEN),
        (GiveAward(1, 5), "Mexican Train does not have that."),
        (c.ToggleSeat(5), "Seats can only be taken before the game. Join late instead."),
        (c.NextGame(), "The game and the set can only be chosen before the game starts."),
        (c.OpenTable("mexican-train/classic", FOUR), "A game is being played."),
        (c.ChangeRule("sets", [12]), "sets can only be changed before the game."),
        (
            c.CorrectScore(2, 5, round=1),
            "Round 1 has no scores yet. You can correct these rounds: none.",
        ),
        (c.OpenLobby(), "The game is not over yet."),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_in_a_round(command: Command, words: str) -> None:
    assert words in str(refusal(opened(), command))


@pytest.mark.parametrize(
    ("pips", "words"),
    [
        (-1, "A score must be a whole number from 0 to 10000, not -1."),
        (10_001, "A score must be a whole number from 0 to 10000, not 10001."),
        (2**70, "A score must be a whole number from 0 to 10000"),
        (
            1069,
            "1069 pips are more than a hand can have with this set (1068). Confirm "
            "if that is right.",
        ),
    ],
)
def test_a_score_that_cannot_be(pips: int, words: str) -> None:
    """Negative or huge scores are refused even when confirmed."""
    ledger = opened()
    order(ledger, c.GoOut(1))

    assert words in str(refusal(ledger, c.EnterScore(2, pips)))
    assert words in str(refusal(ledger, c.CorrectScore(2, pips, round=1)))
    if pips != 1069:
        refusal(ledger, c.EnterScore(2, pips, confirm=True))


@pytest.mark.parametrize(
    "body",
    [
        b'{"type": "enter-score", "seat": 2, "pips": 2.5}',
        b'{"type": "enter-score", "seat": 2, "pips": "many"}',
        b'{"type": "enter-score", "seat": 2, "pips": null}',
        b'{"type": "enter-score", "seat": "two", "pips": 5}',
        b'{"type": "enter-score", "pips": 5}',
        b'{"type": "enter-score", "seat": 2, "pips": 5, "colour": "red"}',
        b'{"type": "dance"}',
        b'{"seat": 2}',
        b"[]",
        b"2",
    ],
)
def test_a_request_that_is_no_command_is_not_guessed_at(body: bytes) -> None:
    """Fractions, words, unknown commands and unknown fields never become a command."""
    commands = GAMES.commands[0]
    for kind in GAMES.commands[1:]:
        commands = commands | kind  # type: ignore[assignment, operator]

    with pytest.raises(msgspec.ValidationError, match=r"Expected|Invalid|missing|unknown"):
        msgspec.json.decode(body, type=commands)


# Names


@pytest.mark.parametrize("name", ["José", "山田", "Ægir", "O'Brien", "Ann-Sophie", "Nº 5", "👵"])
def test_names_of_all_kinds_are_welcome(name: str) -> None:
    ledger = opened()
    order(ledger, c.Join(name))

    assert name == row(ledger, "name")[-1]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "A name needs at least one letter."),
        (" \t\n ", "A name needs at least one letter."),
        ("x" * 200, "A name can have at most 40 letters; “xxxxxxxxxxxx…” has 200."),
        ("a\0b", "A name cannot contain control characters."),
        ("a\u202eb", "A name cannot contain control characters."),
        ("Bob", "Bob is already at the table. Add something to tell them apart."),
        ("bob", "bob is already at the table."),
        ("  Bob  ", "Bob is already at the table."),
    ],
)
def test_a_name_that_cannot_be(name: str, words: str) -> None:
    """Empty, doubled, endless or unreadable names are refused wherever names come in."""
    ledger = opened()
    assert words in str(refusal(ledger, c.Join(name)))
    assert words in str(refusal(ledger, c.Rename(1, name)))
    assert words in str(refusal(ledger, c.Substitute(1, name)))
    fresh = LiveLedger()

    assert words in str(
        refusal(fresh, c.OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", name)))
    )


def test_the_same_name_in_two_spellings_is_the_same_name() -> None:
    """Separate accents are combined with their letters, and blanks are tidied."""
    ledger = opened(players=("José", "Bob", "Cara", "Dan"))

    assert "already" in str(refusal(ledger, c.Join("Jose\u0301")))
    order(ledger, c.Join("  Anna \t Maria "))
    assert "Anna Maria" == row(ledger, "name")[-1]


def test_a_player_may_write_the_own_name_differently() -> None:
    ledger = opened()
    order(ledger, c.Rename(2, "BOB"))

    assert ["Ann", "BOB", "Cara", "Dan"] == row(ledger, "name")


def test_a_name_with_braces_is_only_a_name() -> None:
    """A filled-in fact is not a template."""
    ledger = opened()
    order(ledger, c.Rename(2, "{name} {0} %s"), c.CallLastTile(2))

    assert "{name} {0} %s has one tile left." == str(ledger.notice())
