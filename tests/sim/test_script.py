"""The runner of scenario scripts: it does what the line says, and tells what went wrong where."""

from pathlib import Path

import pytest

from centerpiece.__main__ import main
from sim.script import Runner, Stage, run_file, run_text

TABLE = "table rules=mexican-train/classic set=12 players=Ann,Bob,Cara,Dan\n"


def failures(text: str) -> list[str]:
    return [str(failed) for failed in run_text(text, "evening.txt")]


def passes(text: str) -> None:
    assert [] == failures(text)


def test_a_failed_expectation_names_file_line_and_both_values() -> None:
    """The script goes on after it."""
    assert [
        "evening.txt:3: expected engine 11, but it is 12",
        'evening.txt:5: expected seats.1.name "Bob", but it is "Ann"',
    ] == failures(
        "# one line of comment\n"
        + TABLE
        + "expect engine 11\nexpect engine 12\nexpect seats.1.name Bob\n"
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("dance", "there is no verb 'dance'; the verbs are table, tap,"),
        ("tap seat-11", "no button is called 'seat-11'; there are seat-1,"),
        ("tap seat-1 seat-2", "no button is called 'seat-1 seat-2'"),
        ("chord advance+tea 3", "no button is called 'tea'"),
        ("expect light seat-1 pink", "there is no look 'pink'; there are off, closed,"),
        ("expect light seat-99 open", "there is no zone 'seat-99'"),
        ("expect sound moo", "there is no cue 'moo'; the cues are whistle,"),
        ("unplug kettle", "there is no device 'kettle'; the devices are lights, sound"),
        ("wait soon", "a number of seconds was expected, not 'soon'"),
        ("expect", "expect what?"),
        ("table rules", "key=value was expected, not 'rules'"),
        ("refused dance", "there is no verb 'dance'; the verbs are"),
        ("refused tap seat-11", "no button is called 'seat-11'"),
        ("tap 'seat-1", "cannot be read: No closing quotation"),
        ("hold", "hold: "),
        ("score", "score: "),
    ],
)
def test_a_line_that_is_no_step_ends_the_script(line: str, told: str) -> None:
    """A script that cannot be understood is not half played."""
    (failed,) = failures(f"{line}\nexpect phase finished\n")

    assert failed.startswith(f"evening.txt:1: {told}")


def test_a_path_that_is_not_in_the_state_is_a_failure() -> None:
    """With the part that was not found; lists count from 1."""
    assert [
        "evening.txt:2: there is no seats.5.name in the state (at '5')",
        "evening.txt:3: lists count from 1",
        "evening.txt:4: there is no colour in the state (at 'colour')",
        "evening.txt:5: there is no seats.1.name.first in the state (at 'first')",
    ] == failures(
        TABLE
        + "expect seats.5.name Eve\nexpect seats.0.name Eve\nexpect colour red\n"
        + "expect seats.1.name.first A\n"
    )


def test_values_are_json_or_bare_words() -> None:
    """And a zero is not false, a missing score is not a zero."""
    passes(
        TABLE
        + "expect phase playing\n"
        + 'expect phase "playing"\n'
        + "expect turn null\n"
        + "expect saved true\n"
        + "expect winners []\n"
        + "expect engines [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]\n"
        + 'expect train {"started": false, "open_double": false}\n'
        + "tap advance\ntap seat-1\n"
        + "expect seats.1.scores [0]\n"
        + "expect seats.2.scores [null]\n"
    )
    assert 3 == len(
        failures(TABLE + "expect seats.1.total false\nexpect saved 1\nexpect seats.1.place 0\n")
    )


def test_a_refused_step_must_be_refused_and_change_nothing() -> None:
    """By a phone's command or by the panel; what was done instead is a failure."""
    passes(
        TABLE
        + "refused table rules=mexican-train/classic set=9 players=A,B,C,D,E,F,G\n"
        + 'refused-because "double-12"\n'
        + "refused tap seat-9\n"
        + 'refused-because "Nobody sits at seat 9"\n'
        + "expect sound refused\n"
    )
    assert [
        "evening.txt:2: expected 'tap seat-1' to be refused, but it was done",
        "evening.txt:3: nothing was refused before",
    ] == failures(TABLE + "refused tap seat-1\nrefused-because marker\n")
    assert ["evening.txt:2: 'double undo' was refused, but changed something"] == failures(
        TABLE + "refused double undo\n"
    )
    (failed,) = failures(TABLE + "refused leave 9\nrefused-because tea\n")
    assert "evening.txt:3: expected a refusal with 'tea', but it was 'Nobody sits at" in failed


def test_a_refusal_that_nobody_expected_is_a_failure() -> None:
    """And the script goes on."""
    assert [
        "evening.txt:2: refused: Nobody sits at seat 9. Seats taken: 1, 2, 3, 4.",
        'evening.txt:3: expected phase "lobby", but it is "playing"',
    ] == failures(TABLE + "leave 9\nexpect phase lobby\n")


@pytest.mark.parametrize(
    ("step", "because"),
    [
        ("score 2 many", "A score must be a whole number: “many”."),
        ("score 2 2.5", "A score must be a whole number: “2.5”."),
        ("score 2 -5", "A score must be a whole number from 0 to 10000, not -5."),
        ("score 2 99999", "A score must be a whole number from 0 to 10000, not 99999."),
        ("score two 5", "A seat must be a whole number: “two”."),
        ("correct 1 2 lots", "A score must be a whole number"),
        ("penalty 2 tickle", "This is not a command"),
        ("do dance", "This is not a command"),
        ("do rename seat=2 name=5", "This is not a command"),
        ("set rounds many", "rounds must be empty or a whole number from 1 to 99"),
    ],
)
def test_nonsense_in_a_step_is_refused_as_a_phones_would_be(step: str, because: str) -> None:
    """Scores that are words or fractions, commands that do not exist."""
    passes(TABLE + f"tap advance\ntap seat-1\nrefused {step}\nrefused-because '{because}'\n")


def test_sounds_are_those_since_the_last_step() -> None:
    """`expect no sound` means this step, not the evening."""
    passes(
        TABLE
        + "expect sound round\nhold seat-2\nexpect sound whistle\nexpect sound whistle\n"
        + "tap seat-3\nexpect no sound\n"
    )
    assert ["evening.txt:3: expected sound whistle, but heard nothing"] == failures(
        TABLE + "tap seat-3\nexpect sound whistle\n"
    )
    assert ["evening.txt:3: expected no sound, but heard ['whistle']"] == failures(
        TABLE + "hold seat-3\nexpect no sound\n"
    )


def test_sounds_are_still_heard_late_in_the_evening(tmp_path: Path) -> None:
    """Even when the device has dropped the first of them, and after a restart."""
    stage = Stage(tmp_path)
    runner = Runner(stage)
    runner.step(TABLE)
    for seat in (1, 2, 3, 4):
        stage.board.sound._keep = 2
        runner.step(f"hold seat-{seat}")
        runner.step("expect sound whistle")
    runner.step("restart")
    runner.step("expect no sound")
    runner.step("hold whistle")
    runner.step("expect sound whistle")
    stage.stop()


def test_lights_are_looked_at_until_a_blink_is_seen() -> None:
    """And the echo of a button that is being pressed is a look of its own."""
    passes(
        TABLE
        + "double seat-2\nexpect light seat-2 double\nwait 0.25\nexpect light seat-2 double\n"
        + "tap advance\nexpect light seat-1 asked\nexpect light seat-5 off\n"
        + "tap undo\nwait 2\npress seat-3\nexpect light seat-3 echo\nrelease seat-3\n"
        + "expect light seat-3 open\n"
    )


def test_every_verb_works() -> None:
    """One line of each."""
    passes(
        TABLE
        + "tap seat-1\nexpect seats.1.marker true\n"
        + "double seat-2\nexpect seats.2.open_double true\n"
        + "hold seat-3\nexpect seats.3.last_tile true\n"
        + "hold undo 1\nexpect sound refused\n"
        + "chord train+advance 3.1\nexpect sound join\n"
        + "press seat-4\nwait 1\nrelease seat-4\nexpect seats.4.last_tile true\n"
        + "penalty 4 points 25\nexpect penalties.1.points 25\n"
        + "join Eve\nexpect seats.5.name Eve\n"
        + "set double_blank 50\n"
        + "tap advance\ntap seat-1\n"
        + "score 2 10 double-blank\nscore 3 7\nscore 4 0 confirm\n"
        + "expect seats.2.scores [10]\nexpect seats.4.scores [25]\n"
        + "correct 1 3 8\nexpect seats.3.scores [8]\n"
        + "refused award 1 5\n"
        + "hold advance\nexpect round 2\nexpect seats.5.total 25\n"
        + "leave 2\nexpect seats.2.left true\n"
        + "do rename seat=3 name=Carla\nexpect seats.3.name Carla\n"
        + "unplug lights\nexpect trouble.1.device lights\nexpect light seat-1 off\n"
        + "plug lights\nexpect trouble []\n"
        + "unplug sound\nhold seat-1\nexpect no sound\nplug sound\n"
        + "restart\nexpect round 2\nexpect seats.1.last_tile true\n"
        + "tap advance\ntap seat-1\nscore 3 1 double-blank\nexpect seats.3.scores [8, 51]\n"
    )


def test_a_restart_is_a_power_cut() -> None:
    """Buttons that were down are forgotten; events in the journal are there."""
    passes(
        TABLE
        + "tap whistle\nexpect light seat-1 asked\nrestart\nexpect light seat-1 starter\n"
        + "press seat-2\nrestart\nwait 2\nrelease seat-2\n"
        + "expect seats.2.last_tile false\nexpect seats.2.marker false\n"
    )


def test_the_command_line_prints_failures_and_exits_accordingly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """0 when all is well, 1 when an expectation failed, 2 when a file cannot be read."""
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text(TABLE + "expect engine 12\n", encoding="utf-8")
    bad.write_text(TABLE + "expect engine 3\n", encoding="utf-8")

    assert 0 == main(["script", str(good)])
    assert 1 == main(["script", str(good), str(bad)])
    printed = capsys.readouterr()
    assert f"{bad}:2: expected engine 3, but it is 12" in printed.out + printed.err
    assert 2 == main(["script", str(tmp_path / "nowhere.txt")])


def test_a_file_is_named_as_it_was_given(tmp_path: Path) -> None:
    """So that an editor can jump to the line."""
    file = tmp_path / "evening.txt"
    file.write_text("dance\n", encoding="utf-8")

    assert str(run_file(file)[0]).startswith(f"{file}:1: ")
