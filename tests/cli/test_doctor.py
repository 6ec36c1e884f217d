"""`centerpiece doctor`: the checks besides the devices, the wiring tests and learning keys."""

import socket
import time

import pytest
from msgspec.structs import replace

from centerpiece.__main__ import main
from centerpiece.cli import doctor
from centerpiece.cli.key_config import with_keys, write
from centerpiece.config import Config, load
from centerpiece.games.registry import GAMES
from centerpiece.hub.preferences import PREFERENCES
from centerpiece.storage.card_speed import KEEP_EVERY
from centerpiece.storage.journal import Journal
from hal.diagnosis import Machine
from hal.hardware_settings import SoundSettings
from hal.keys.learn import KeyPress
from hal.keys.names import code
from hal.ports import BUTTONS
from sim.board import build
from sim.buttons import SimButtons
from sim.hands import TAP_TAKES, Hands, tap
from tests.machines import machine


def test_a_full_or_read_only_disk_is_found(tmp_path, monkeypatch):
    assert ["ok"] == [check.verdict for check in doctor.disk(tmp_path / "new" / "table.db")]

    monkeypatch.setattr(doctor, "LEAST_FREE", 1 << 62)
    (full,) = doctor.disk(tmp_path / "table.db")
    assert ("fail", True) == (full.verdict, "larger one" in full.remedy)

    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)
    (closed,) = doctor.disk(tmp_path / "table.db")
    assert ("fail", True) == (closed.verdict, "cannot be written" in closed.sentence)


def test_games_that_cannot_be_read_are_found(tmp_path):
    Journal(tmp_path / "table.db", GAMES).close()
    assert ["ok", "ok"] == [check.verdict for check in doctor.disk(tmp_path / "table.db")]

    (tmp_path / "table.db").write_bytes(b"not a table")
    assert ["ok", "fail"] == [check.verdict for check in doctor.disk(tmp_path / "table.db")]


@pytest.mark.parametrize(("took", "verdict"), [(0.02, "ok"), (4.0, "warn")])
def test_a_card_is_judged_by_what_the_hub_saw_of_it(tmp_path, took, verdict):
    """The hub stores the write times of an evening: the slowest and the 99th percentile."""
    hands = Hands(tmp_path / "table.db")
    for _ in range(KEEP_EVERY):
        hands.stall(TAP_TAKES + took)
        hands.do(tap("seat-1"))
        hands.wait(took)
    hands.do(tap("seat-1"))
    hands.stop()
    *_, card = doctor.disk(tmp_path / "table.db")

    assert ("card", verdict) == (card.name, card.verdict)
    assert f"all within {round(took * 1000)} ms" in card.sentence


def test_a_hub_that_nobody_lends_a_voice_is_told_so(tmp_path, monkeypatch):
    """Only with a sound card and speech switched on: a module has its words on its card."""
    monkeypatch.setattr("shutil.which", lambda program: None)
    card, file = SoundSettings(driver="alsa"), tmp_path / "table.db"
    (check,) = doctor.voice(card, file)
    hands = Hands(file)
    hands.hub.change(PREFERENCES, lambda known: replace(known, aloud=False))
    hands.stop()

    assert ("warn", True) == (check.verdict, "sudo apt install espeak-ng" in check.sentence)
    assert [] == list(doctor.voice(card, file))
    assert [] == list(doctor.voice(SoundSettings(driver="serial"), tmp_path / "new.db"))


def test_a_clock_that_was_never_set_is_no_reason_not_to_play():
    """It is a warning, not a failure."""
    assert "warn" == doctor.clock(at=0.0, synchronized=False).verdict
    assert "ok" == doctor.clock(time.time(), synchronized=True).verdict


def test_a_port_in_use_is_found():
    """Unless our own pages answer there."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        other.close()
        assert "ok" == doctor.link("127.0.0.1", port).verdict
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        taken = doctor.link("127.0.0.1", other.getsockname()[1])
        assert ("fail", True) == (taken.verdict, "another port" in taken.remedy)


def test_a_pi_is_asked_about_its_devices_and_another_board_is_built(tmp_path):
    """The doctor cannot test the devices of boards from other packages one by one."""
    config = Config(data=str(tmp_path), server=Config().server)
    nowhere = Machine(tmp_path, "root", frozenset(), lambda library: "")

    simulated, *_ = doctor.everything(config, "sim", nowhere, doctor.attempts)
    unknown, *_ = doctor.everything(config, "pie", nowhere, doctor.attempts)
    real = list(doctor.everything(config, "pi", nowhere, doctor.attempts))

    assert ("settings", "ok") == (simulated.name, simulated.verdict)
    assert ("No board is called 'pie'.", "Use --hardware sim, pi or usb.") == (
        unknown.sentence,
        unknown.remedy,
    )
    assert any("needs a Raspberry Pi" in check.sentence for check in real)


def test_the_journal_tells_that_a_hub_is_running(tmp_path):
    """Checks and wiring tests leave its devices alone."""
    config = Config(data=str(tmp_path))
    hub = machine(tmp_path)
    tries = dict.fromkeys(("buttons", "lights", "sound"), lambda: "It opens.")

    def said():
        return {
            check.sentence for check in doctor.everything(config, "pi", hub, lambda settings: tries)
        }

    journal = Journal(config.journal_path(), GAMES)
    assert "In use by the running hub." in said()
    assert 3 == main(["doctor", "--lights", "--data", str(tmp_path)])
    journal.close()

    assert "It opens." in said()


@pytest.mark.parametrize("part", ["lights", "sound"])
def test_a_wiring_test_shows_one_thing_after_the_other(part, capsys):
    """It waits for the person after each."""
    waited = []

    doctor.step_through(part, build(), Config(), lambda: waited.append(part))

    assert len(waited) == len(capsys.readouterr().out.splitlines()) > 3


def test_the_wiring_test_of_the_buttons_ends_after_the_last(capsys):
    """The person answers by pressing, so nothing else is waited for."""
    board = build()

    class Pressing(SimButtons):
        def listen(self, heard):
            super().listen(heard)
            for button in BUTTONS:
                self.press(button)
                self.release(button)

    doctor.step_through(
        "buttons", board._replace(buttons=Pressing(board.clock)), Config(), pytest.fail
    )

    assert capsys.readouterr().out.endswith("Every button is where it should be.\n")


LEARNED = {"Q": "seat-1", "#563": "train", "F1": "whistle", "F2": "advance", "F3": "undo"}


@pytest.mark.parametrize(
    "before",
    [
        "",
        "[server]\nport = 80\n",
        '[hardware.buttons]\ndriver = "gpio"  # wires\n\n[hardware.lights]\nfps = 30\n',
        '[hardware.buttons.keys]\nKP1 = "seat-2"\n\n[table]\nid = "a"\n\n[hardware.buttons]\n'
        'devices = ["x"]\n# a remark\n',
    ],
)
def test_learned_keys_come_into_the_config_and_all_else_stays(before, tmp_path):
    """Learning twice gives the same file."""
    file = tmp_path / "hub.toml"
    file.write_text(before)
    old = load(file)
    for _ in range(2):
        write(file, with_keys(file.read_text(), LEARNED, {"1209:0001": "Macro Pad"}))
    new = load(file)

    buttons = new.hardware.buttons
    assert ("keys", LEARNED, ("1209:0001",)) == (buttons.driver, buttons.keys, buttons.devices)
    plain = replace(
        buttons,
        driver=old.hardware.buttons.driver,
        keys=old.hardware.buttons.keys,
        devices=old.hardware.buttons.devices,
    )
    assert old == replace(new, hardware=replace(new.hardware, buttons=plain))
    assert ("# a remark" in before) == ("# a remark" in file.read_text())
    assert [file] == list(tmp_path.iterdir())


def test_the_lesson_ends_in_the_config_or_on_the_terminal(tmp_path, capsys):
    """Without a file, a person can copy it from the terminal."""
    keys = [*"QWERTYUIOP", "F1", "F2", "F3", "F4"]
    for file in (tmp_path / "hub.toml", None):
        doctor.learn(file, (KeyPress(code(key), "Macro Pad", "1209:0001") for key in keys))

    assert load(tmp_path / "hub.toml").hardware.buttons.keys["F4"] == "undo"
    said = capsys.readouterr().out
    assert "Press the key for seat-1." in said
    assert '"F4" = "undo"' in said


def test_files_that_were_set_aside_are_told(tmp_path):
    """The hub reports it once, but the card may fail again."""
    Journal(tmp_path / "table.db", GAMES).close()
    (tmp_path / "table.db.damaged-20270115-200000").write_bytes(b"x")

    *_, check = doctor.disk(tmp_path / "table.db")

    assert ("card", "warn") == (check.name, check.verdict)
    assert "are kept: table.db.damaged-20270115-200000." in check.sentence
