"""Errors of commands: one sentence, and an exit code for scripts."""

import errno
import re
from pathlib import Path

import pytest

import centerpiece
from centerpiece.__main__ import main
from centerpiece.cli import rules_command, simulate
from centerpiece.cli.arguments import COMMANDS
from hal.device_errors import DeviceMissing

CODE = {path: path.read_text("utf-8") for path in Path(centerpiece.__file__).parent.rglob("*.py")}


def error_of(capsys) -> str:
    """Return the only error that was printed."""
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    return re.search(r"^centerpiece: (.+)", printed.err, re.MULTILINE)[1]


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        ("panel bridge", 2, "There is no game “bridge”."),
        ("rules mexican-train/tuesday", 2, "no rules called"),
        ("rules --config FOLDER/none.toml", 2, "give --config a file that can be read"),
        ("history --data FOLDER", 2, "no game has been played yet"),
        ("export 1 --data FOLDER", 2, "no game has been played yet"),
        ("state --port 1", 1, "Is `centerpiece run` running?"),
        ("sounds export FILE", 2, "choose another folder"),
        ("backup FOLDER/copy.db --data FOLDER", 2, "no game has been played yet"),
        ("restore FOLDER/copy.db --data FOLDER", 2, "give the name of a backup"),
        ("update", 2, "update needs an archive, or --from-card"),
        ("script FOLDER/none.txt", 2, "none.txt cannot be read: No such file or directory"),
        ("simulate --games 0", 2, "--games must be at least 1, not 0"),
        ("simulate castle-rock/classic --players 4", 2, "has no deal for 4 players"),
        ("sticker FOLDER/none/s.svg --config OWN", 2, "was not written: No such file"),
        ("setup-network --config FILE", 2, "the file has no “nonsense”; it takes table"),
        ("hall --redis redis://127.0.0.1:1 --id Hall", 2, "--id must be small letters"),
        ("hall --redis redis://127.0.0.1:1", 2, "The hall does not answer at redis://127.0.0.1:1."),
        ("hall --redis redis://127.0.0.1:1 --token-file FOLDER/t", 2, "the organiser's token"),
        ("run --demo --hardware pi", 2, "leave out --hardware"),
        ("run --config FILE", 2, "the file has no “nonsense”; it takes table"),
        ("run --data FILE/below", 2, "cannot be created"),
        ("run --port banana", 2, "--port must be a whole number, not 'banana'; see `centerpiece"),
        ("simulate --incidents x", 2, "--incidents must be a number, not 'x'"),
        ("fly", 2, "invalid choice: 'fly' (choose from 'run', 'script'"),
        ("run --data FOLDER --port 99999", 2, "a port is a number from 0 to 65535"),
    ],
)
def test_a_command_that_cannot_be_done_says_why(words, code, why, tmp_path, capsys, monkeypatch):
    """It says what to do, without a traceback."""
    monkeypatch.setenv("CENTERPIECE_HALL_TOKEN", "a-long-token")
    (tmp_path / "file").write_text("nonsense = 1")
    (tmp_path / "own").write_text('[network]\npassword = "twelve;letters"')
    places = {"FOLDER": tmp_path, "FILE": tmp_path / "file", "OWN": tmp_path / "own"}
    for name, path in places.items():
        words = words.replace(name, str(path))

    assert code == main(words.split())
    assert why in error_of(capsys)


def test_a_device_that_cannot_be_used_has_a_code_of_its_own(capsys, monkeypatch):
    """systemd does not restart on this code."""

    def missing(options):
        raise DeviceMissing("the lights are not there", "plug them in")

    monkeypatch.setattr(rules_command, "panel", missing)

    assert 3 == main(["panel"])
    assert "the lights are not there; plug them in" == error_of(capsys)


def test_a_fault_of_ours_is_not_dressed_up(monkeypatch):
    """A bug ends with its traceback, which people can report."""

    def broken(options):
        raise ZeroDivisionError

    monkeypatch.setattr(rules_command, "panel", broken)

    with pytest.raises(ZeroDivisionError):
        main(["panel"])


def test_ctrl_c_has_the_code_that_shells_expect(monkeypatch):
    def stopped(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate, "script", stopped)

    assert 130 == main(["script", "any"])


def test_only_the_entry_complains_and_gives_codes():
    """Commands raise; only `__main__` prints errors."""
    assert ["__main__.py"] == [
        path.name for path, text in CODE.items() if re.search(r"""["']centerpiece: """, text)
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_asked_for_help(name, capsys):
    """Its target exists, too."""
    with pytest.raises(SystemExit) as done:
        main([name, "--help"])
    module, _, function = COMMANDS[name].target.partition(":")

    assert 0 == done.value.code
    assert COMMANDS[name].help.split(",")[0] in capsys.readouterr().out
    assert re.search(rf"^def {function}\(", _source(module), re.MULTILINE)


def _source(module: str) -> str:
    return next(text for path, text in CODE.items() if path.match(f"cli/{module}.py"))


def test_an_installed_hub_names_its_settings_in_the_environment(tmp_path, capsys, monkeypatch):
    """Commands at a hub's shell then need no --config."""
    config = tmp_path / "hub.toml"
    config.write_text("nonsense = 1")
    monkeypatch.setenv("CENTERPIECE_CONFIG", str(config))

    assert 2 == main(["rules"])
    assert error_of(capsys).startswith(f"{config}: the file has no “nonsense”; it takes table")


def test_phones_that_cannot_be_forgotten_are_told_in_a_sentence(tmp_path, capsys, monkeypatch):
    """The disk is full."""

    def full(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "touch", full)

    assert 2 == main(["phones", "forget", "--data", str(tmp_path)])
    assert "No phone has been forgotten: " in (said := error_of(capsys))
    assert "(No space left on device)" in said
