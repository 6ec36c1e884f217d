"""`centerpiece doctor`: checks a hub, and says how to repair it.

`hal.diagnosis` checks the devices, which it opens unless a running hub has them. This module checks
the rest: settings, disk, clock and link. The doctor changes nothing except learned keys. Warnings
do not affect the exit code: with a wrong clock or no network, people can play.
"""

import argparse
import os
import queue
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from centerpiece.cli.arguments import load_config
from centerpiece.config import Config, ConfigError
from centerpiece.games.registry import GAMES
from centerpiece.speech.language import VERSION
from centerpiece.speech.languages import codes, language
from centerpiece.storage.clock_jumps import FIRST_DAY
from centerpiece.storage.lock import claimed
from hal import self_test
from hal.boards import BOARDS, builder, completed, drivers
from hal.device_errors import DeviceError
from hal.diagnosis import (
    Attempts,
    Check,
    Machine,
    attempts,
    checks,
    failed,
    try_device,
)
from hal.hardware_settings import HardwareSettings, SoundSettings
from hal.ports import Board, Edge, Trouble
from hal.wiring_test import button_steps, light_steps, sound_steps

if TYPE_CHECKING:
    from hal.keys.learn import KeyPress

LEAST_FREE = 50 * 1024 * 1024
SLOW_CARD = 0.25
STALLED_CARD = 3.0
"""Seconds of the 99th percentile, and of the slowest write, that make a card slow."""
SYNCHRONIZED = Path("/run/systemd/timesync/synchronized")
UNWELL = 3
"""Exit code of a faulty hub, unlike that of a crashed doctor (`deploy/switch.sh` relies on it)."""
MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}


def doctor(options: argparse.Namespace) -> int:
    """Run all checks, or the wiring test of one part; return 0, or `UNWELL` if any failed.

    A wiring test is judged by the person: it fails only if the part is in use or cannot be opened,
    and with `--walk` also if a button was not heard.
    """
    try:
        config = load_config(options)
    except ConfigError as error:
        return _print_checks([Check("settings", "fail", f"{error}.", "Correct the file.")])
    if options.part:
        return _test_wiring(options.part, options.hardware, config, options.config)
    return _print_checks(everything(config, options.hardware, Machine.here(), _attempts))


def _attempts(settings: HardwareSettings) -> Attempts:
    """Return the attempts to open each device, with the words expected on a module's card."""
    languages = [language(code) for code in codes()]
    return attempts(settings, words={each.folder + VERSION: each.version for each in languages})


def everything(
    config: Config,
    hardware: str,
    machine: Machine,
    tries: Callable[[HardwareSettings], Attempts],
) -> Iterator[Check]:
    """Yield all checks of a hub: devices, voice, disk, clock and pages.

    `tries` returns the attempts to open each device, which are made only while no hub is running. A
    board of another package is built as a whole instead.
    """
    running = claimed(config.data_folder())
    if hardware in BOARDS:
        settings = completed(config.hardware, BOARDS[hardware])
        yield from checks(settings, machine, tries(settings), running)
        yield from voice(settings.sound, config.journal_path())
    elif running:
        yield Check("hardware", "ok", "In use by the running hub.")
    else:
        yield try_device("hardware", lambda: _try_board(hardware, config))
    yield from disk(config.journal_path())
    yield clock(time.time(), SYNCHRONIZED.exists())
    yield link(config.server.host, config.server.port)


def _try_board(hardware: str, config: Config) -> str:
    _open_board(hardware, config).close()
    return f"The hub can be built on the board {hardware}."


def voice(sound: SoundSettings, journal: Path) -> Iterator[Check]:
    """Yield a warning if a sound card is to speak and there is no synthesizer for it; else nothing.

    `journal` is the file with the preference whether to speak.
    """
    from hal.voice.synthesizers import CannotSpeak, synthesizer

    if sound.driver != "alsa" or not _speaks(journal):
        return
    try:
        synthesizer(sound.synthesizer)
    except CannotSpeak as error:
        yield Check(
            "voice",
            "warn",
            f"Speech is on, but there is no voice: {error}.",
            "Until then only recorded words are spoken; the settings page can switch speech off.",
        )


def _speaks(file: Path) -> bool:
    """Return whether speech is on, by the preferences in the journal `file`.

    The default holds if the file is missing or cannot be read.
    """
    from centerpiece.hub.preferences import PREFERENCES
    from centerpiece.storage.errors import JournalError
    from centerpiece.storage.journal import Journal
    from centerpiece.storage.settings import Settings

    if not file.exists():
        return PREFERENCES.default.aloud
    try:
        with closing(Journal(file, GAMES, read_only=True)) as journal:
            return Settings.of(journal)[PREFERENCES].aloud
    except JournalError:
        return PREFERENCES.default.aloud


def disk(journal: Path) -> Iterator[Check]:
    """Yield a check that games can be saved in the folder of `journal`.

    If that file exists, its games, earlier damage and the speed of the card are checked as well.
    """
    folder = journal.parent
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not os.access(existing, os.W_OK):
        yield Check(
            "disk",
            "fail",
            f"{folder} cannot be written.",
            "Run the doctor with sudo, or choose another place with --data.",
        )
    elif (free := shutil.disk_usage(existing).free) < LEAST_FREE:
        yield Check(
            "disk",
            "fail",
            f"Only {free // 1024**2} MB are free for the games.",
            "Remove what is not needed from the card, or use a larger one.",
        )
    else:
        yield Check("disk", "ok", f"Games are kept in {folder}.")
    if journal.exists():
        yield _games(journal)
        yield from _earlier_damage(journal)
        yield from _card_speed(journal)


def _earlier_damage(file: Path) -> Iterator[Check]:
    """Yield a warning if files were set aside beside `file` because of damage; else nothing."""
    words = ("damaged", "overwritten", "kept")
    names = [each.name for word in words for each in file.parent.glob(f"{file.name}.{word}-*")]
    if names:
        yield Check(
            "card",
            "warn",
            f"Games were damaged before; the damaged files are kept: {', '.join(sorted(names))}.",
            "Copy these files elsewhere and remove them. Replace a card that loses data.",
        )


def _card_speed(file: Path) -> Iterator[Check]:
    """Yield a check of the write times of the latest evening; nothing if the journal has none.

    It is a warning if writing was slow.
    """
    from centerpiece.storage.card_speed import CARD_SPEED
    from centerpiece.storage.errors import JournalError
    from centerpiece.storage.journal import Journal
    from centerpiece.storage.settings import Settings

    try:
        with closing(Journal(file, GAMES, read_only=True)) as journal:
            speed = Settings.of(journal)[CARD_SPEED]
    except JournalError:
        return
    if speed is None:
        return
    most, slowest = round(speed.most * 1000), round(speed.slowest * 1000)
    seen = f"Last evening 99 of 100 presses were saved within {most} ms, all within {slowest}"
    if speed.most <= SLOW_CARD and speed.slowest <= STALLED_CARD:
        yield Check("card", "ok", f"{seen} ms.")
        return
    yield Check(
        "card",
        "warn",
        f"{seen} ms. That is slow: lights follow the buttons late.",
        "Nothing is lost. A card of class A1 or A2, or a disk, is faster.",
    )


def _games(file: Path) -> Check:
    """Check that every event in `file` can be read and that a hub could go on with the table.

    Some unreadable events are a warning; a file that cannot be used as a whole is a failure.
    """
    from centerpiece.storage.backup import contents
    from centerpiece.storage.errors import CardDamage, JournalError
    from centerpiece.storage.journal import Journal

    try:
        read = contents(file)
        with closing(Journal(file, GAMES, read_only=True)) as journal:
            journal.recover(GAMES)
    except CardDamage as error:
        remedy = "Start the hub: it recovers what it can and keeps this file beside it."
        return Check("games", "fail", f"{error}", remedy)
    except JournalError as error:
        return Check("games", "fail", f"{error}", "")
    if not read.damage:
        return Check("games", "ok", f"All {read.events} events of the table can be read.")
    lost, which = len(read.damage), read.damage[0].how
    return Check(
        "games",
        "warn",
        f"{read.events} events of the table can be read, {lost} cannot: {which}.",
        "Tonight's game is complete. Make a backup, then replace a card that loses data.",
    )


def clock(at: float, synchronized: bool) -> Check:
    """Check the date, which past games are listed by; a time `at` before `FIRST_DAY` is a warning.

    `synchronized` tells whether a time server has set the clock.
    """
    if at < FIRST_DAY:
        return Check(
            "clock",
            "warn",
            "The clock has not been set, so past evenings will show a wrong date.",
            "Connect the hub to the Internet once, or add a battery for the clock.",
        )
    if not synchronized:
        return Check("clock", "ok", "The clock is set; no time server has confirmed it.")
    return Check("clock", "ok", "The clock is set by a time server.")


def link(host: str, port: int) -> Check:
    """Check that the pages answer at `host` and `port`, or else that this port is free for them."""
    if _answers(host, port):
        return Check("link", "ok", f"The pages answer at port {port}.")
    try:
        socket.create_server((host, port)).close()
    except PermissionError:
        return Check(
            "link",
            "fail",
            f"Port {port} needs root.",
            "Set port = 8080 in [server], or run the installer, which opens port 80.",
        )
    except OSError as error:
        return Check(
            "link",
            "fail",
            f"The pages cannot be served at {host} port {port}: {error.strerror}.",
            "Stop the other program there, or choose another port in [server].",
        )
    return Check("link", "ok", f"Port {port} is free for the pages.")


def _answers(host: str, port: int) -> bool:
    """Return whether a hub's pages answer at `host` and `port`; other programs do not count."""
    import json
    import urllib.request

    here = "127.0.0.1" if host in ("0.0.0.0", "") else host
    try:
        with urllib.request.urlopen(f"http://{here}:{port}/api/state", timeout=3) as answer:
            return "phase" in json.load(answer)
    except (OSError, ValueError):
        return False


def _print_checks(results: Iterator[Check] | list[Check]) -> int:
    """Print each check with its remedy; return `UNWELL` if one has failed, else 0."""
    unwell = False
    for check in results:
        print(f"{MARKS[check.verdict]} {check.name}: {check.sentence}")
        if check.remedy and check.verdict != "ok":
            print(f"  → {check.remedy}")
        unwell |= check.verdict == "fail"
    return UNWELL if unwell else 0


# Wiring tests, with a person who looks and listens


def _test_wiring(part: str, hardware: str, config: Config, file: Path | None) -> int:
    """Test a part with a person who looks and listens; return 0, or `UNWELL` if it does not open.

    While a hub runs, nothing is tested, which is `UNWELL` too. Buttons that are keys are learned
    instead, into the config file `file`; the part “walk” is the self-test of all parts.
    """
    if claimed(config.data_folder()):
        stop = "Stop it meanwhile: sudo systemctl stop centerpiece"
        return _print_checks([Check(part, "fail", "In use by the running hub.", stop)])
    chosen = drivers(hardware, config.hardware)
    if part == "buttons" and chosen is not None and chosen.buttons == "keys":
        return _learn_keys(file)
    try:
        board = _open_board(hardware, config)
    except DeviceError as error:
        return _print_checks([failed(part, error)])
    with closing(board):
        if part == "walk":
            return walk(board, config.hardware, time.sleep)
        try:
            step_through(part, board, config, lambda: input("  Enter: next "))
        except (EOFError, KeyboardInterrupt):
            print()
    return 0


def walk(board: Board, settings: HardwareSettings, pause: Callable[[float], object]) -> int:
    """Run the self-test and print what is missing; return 0, or `UNWELL` if a button was not heard.

    `pause` waits for a number of seconds.
    """
    print("All lights, the whistle, then every button: press each one that is amber.")
    buttons = settings.buttons
    wired = dict.fromkeys(buttons.keys.values()) if buttons.driver == "keys" else buttons.pins
    heard = self_test.run(board, settings.lights.zones, wired, pause)
    print(self_test.sentence(heard))
    return 0 if all(heard.values()) else UNWELL


def _learn_keys(file: Path | None) -> int:
    """Learn the keys, for the config file `file`; return 0, or `UNWELL` if there is no device.

    After Ctrl-C nothing is written, and it is 0.
    """
    from hal.keys.learn import presses

    try:
        learn(file, presses())
    except DeviceError as error:
        return _print_checks([failed("buttons", error)])
    except KeyboardInterrupt:
        print()
    return 0


def learn(file: Path | None, key_presses: "Iterator[KeyPress]") -> None:
    """Ask for the key of every button, then write all of them to the config file.

    Without a `file`, or if it cannot be written, print what to put into it.
    """
    from centerpiece.cli.key_config import with_keys, write
    from hal.keys.learn import Lesson

    lesson = Lesson()
    for sentence in lesson.steps(key_presses):
        print(sentence)
    _discard_typing()
    if file is None:
        print("Put this into your config file:\n")
        print(with_keys("", lesson.keys, lesson.devices).lstrip())
        return
    text = file.read_text("utf-8") if file.exists() else ""
    try:
        write(file, with_keys(text, lesson.keys, lesson.devices))
    except OSError as error:
        print(f"{file} cannot be written ({error.strerror}). Put this into it:\n")
        print(with_keys("", lesson.keys, lesson.devices).lstrip())
    else:
        print(f"Written to {file}; it applies when the hub starts next.")


def _discard_typing() -> None:
    """Discard terminal input: the learned keys were typed there as well."""
    import termios

    if sys.stdin.isatty():
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def _open_board(hardware: str, config: Config) -> Board:
    def report(trouble: Trouble) -> None:
        print(f"  {trouble.message}")

    return builder(hardware)(config.hardware, report)


def step_through(part: str, board: Board, config: Config, wait: Callable[[], object]) -> None:
    """Test the wiring of a part: print each step, then call `wait`, which lets the person look.

    For buttons it is not called, since the person answers by pressing.
    """
    settings = config.hardware
    if part == "buttons":
        edges: queue.SimpleQueue[Edge] = queue.SimpleQueue()
        board.buttons.listen(edges.put)
        steps = button_steps(settings.buttons.pins, iter(edges.get, None))
        wait = _do_not_wait  # the person answers by pressing
    elif part == "lights":
        steps = light_steps(board.lights, settings.lights.zones)
    else:
        steps = sound_steps(board.sound, settings.sound.tracks)
    for sentence in steps:
        print(sentence)
        wait()


def _do_not_wait() -> None:
    pass
