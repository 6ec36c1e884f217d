"""`centerpiece simulate`: its output, its errors and its exit codes."""

import json
from xml.etree import ElementTree

import pytest

from centerpiece.__main__ import main
from centerpiece.cli import simulate as simulating
from sim.people.play import play_game
from sim.people.tables import Disagreement


def simulate(*words):
    return main(["simulate", *words])


def test_the_summary_says_who_won_and_how_often(capsys):
    """Rounds, turns, share of blocked rounds, wins by kind and seat, averages, caught players."""
    code = simulate("mexican-train/classic", "--games", "2", "--seed", "5")
    output = capsys.readouterr().out

    assert 0 == code
    assert "mexican-train/classic: double-12, 4 players, 2 games" in output
    for word in ("rounds 26", "turns", "blocked", "games won", "average total", "caught"):
        assert word in output
    for kind in ("random", "greedy", "builder", "forgetful", "seat 4"):
        assert kind in output


def test_without_a_profile_all_are_played(capsys):
    """Each with as many players as it allows."""
    code = simulate("--games", "1", "--json")
    profiles = json.loads(capsys.readouterr().out)["profiles"]

    assert (0, 13) == (code, len({each["profile"] for each in profiles}))
    assert {1, 4} == {each["players"] for each in profiles}


def test_json_has_the_same_figures(capsys):
    simulate("muggins/classic", "--games", "3", "--players", "2", "--json")
    (profile,) = json.loads(capsys.readouterr().out)["profiles"]

    assert (3, 2, 6) == (profile["games"], profile["players"], len(profile["totals"]))
    assert pytest.approx(3.0) == sum(profile["wins_by_seat"])
    assert {"random", "greedy", "builder", "forgetful"} >= set(profile["win_share_by_kind"])


def test_the_plot_is_a_picture(tmp_path, capsys):
    """It has a row for each profile, with its name."""
    path = tmp_path / "wins.svg"
    code = simulate("castle-rock/classic", "muggins/classic", "--games", "2", "--plot", str(path))
    words = "".join(ElementTree.fromstring(path.read_text("utf-8")).itertext())

    assert 0 == code
    assert "castle-rock/classic" in words
    assert "muggins/classic" in words
    assert "games won" in words


def test_a_transcript_reads_like_a_commentary(capsys):
    """It tells the players' actions, and the presses that report them."""
    code = simulate("mexican-train/classic", "--replay", "1:3", "--transcript")
    output = capsys.readouterr().out

    assert 0 == code
    assert "mexican-train/classic, seed 1, game 3" in output
    assert "Round 13; seat 1 starts." in output
    assert "plays" in output
    assert "lays the marker: the train is open.\n    tap seat-" in output
    assert "“My last tile!”" in output


def test_the_kinds_of_players_can_be_chosen(capsys):
    simulate("castle-rock/classic", "--games", "2", "--kinds", "greedy", "--json")
    (profile,) = json.loads(capsys.readouterr().out)["profiles"]

    assert {"greedy": 2} == profile["seats_of_kind"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["mexican-train/tuesday"], "no rules called"),
        (["bridge/contract"], "There is no game"),
        (["--kinds", "greedy,wizard"], "there is no player “wizard”"),
        (["mexican-train/classic", "--players", "9"], "no deal for 9 players"),
        (["castle-rock/classic", "--set", "15"], "no deal for"),
        (["--players", "4"], "castle-rock/classic has no deal for 4 players"),
        (["--games", "0"], "at least 1"),
        (["mexican-train/classic", "--replay", "seven"], "SEED:GAME"),
        (["--replay", "1:1"], "say which profile"),
        (["--plot", "/nowhere/at/all.svg"], "cannot be written"),
    ],
)
def test_bad_input_is_a_sentence_before_anything_is_played(words, why, capsys, monkeypatch):
    """Exit code 2, and no game is played."""
    games = []
    monkeypatch.setattr(simulating, "play_game", lambda *arguments: games.append(arguments))
    code = simulate(*words)

    assert 2 == code
    assert why in capsys.readouterr().err
    assert [] == games


def test_ctrl_c_ends_with_the_summary_so_far(capsys, monkeypatch):
    def impatient(tables, game, watch=None):
        if game == 3:
            raise KeyboardInterrupt
        return play_game(tables, game, watch)

    monkeypatch.setattr(simulating, "play_game", impatient)
    code = simulate("castle-rock/classic", "--games", "100")
    output = capsys.readouterr()

    assert 130 == code
    assert "castle-rock/classic: double-9, 1 player, 2 games" in output.out
    assert "summary so far" in output.err


def test_a_disagreement_is_an_error_with_both_sides(capsys, monkeypatch):
    """The games before it are in the summary."""

    def wrong(tables, game, watch=None):
        if game == 2:
            raise Disagreement("here", ["pile: the table has 3, the hub 4"], "replay it")
        return play_game(tables, game, watch)

    monkeypatch.setattr(simulating, "play_game", wrong)
    code = simulate("castle-rock/classic")
    output = capsys.readouterr()

    assert 1 == code
    assert "the table has 3, the hub 4" in output.err
    assert "1 game" in output.out


def test_a_terminal_gets_a_bar(capsys, monkeypatch):
    """Elsewhere nothing is drawn."""
    simulate("castle-rock/classic", "--games", "2")
    quiet = capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    simulate("castle-rock/classic", "--games", "2")

    assert "" == quiet
    assert "█" * simulating.BAR + " 2/2" in capsys.readouterr().err
