"""`centerpiece doctor`: is this hub well, and if not, what is to be done?

The devices are judged by `hal.diagnosis`, which opens them unless a running hub has them; here are
the things a hub needs besides: its settings, the disk, the clock, the link. Nothing is changed, but
for keys that were learned. A warning does not make a hub unwell: the clock may be wrong and the
network away, and people play on.
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

from centerpiece.cli.arguments import settled
from centerpiece.config import Config, ConfigError
from centerpiece.games.registry import GAMES
from centerpiece.speech.language import VERSION
from centerpiece.speech.languages import codes, language
from centerpiece.storage.clock_jumps import FIRST_DAY
from centerpiece.storage.lock import claimed
from hal.boards import BOARDS, builder, completed, drivers
from hal.device_errors import DeviceError
from hal.diagnosis import (
    Attempts,
    Check,
    Machine,
    attempts,
    checks,
    failed,
    tried,
)
from hal.hardware_settings import HardwareSettings, SoundSettings
from hal.ports import Board, Edge, Trouble
from hal.wiring_test import walk_buttons, walk_lights, walk_sound

if TYPE_CHECKING:
    from hal.keys.learn import KeyPress

LEAST_FREE = 50 * 1024 * 1024
SLOW_CARD = 0.25
STALLED_CARD = 3.0
"""Seconds: more than the first for one write in a hundred, or more than the second for any."""
SYNCHRONIZED = Path("/run/systemd/timesync/synchronized")
UNWELL = 3
"""The exit code that tells a fault of the hub from one of the doctor (`deploy/switch.sh` asks)."""
MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}


def doctor(options: argparse.Namespace) -> int:
    """Judge everything, or walk through one part; 0 when nothing has failed, else `UNWELL`."""
    try:
        config = settled(options)
    except ConfigError as error:
        return _told([Check("settings", "fail", f"{error}.", "Correct the file.")])
    if options.walk:
        return _walk(options.walk, options.hardware, config, options.config)
    return _told(everything(config, options.hardware, Machine.here(), _attempts))


def _attempts(settings: HardwareSettings) -> Attempts:
    """Every device, and the words on a module's card."""
    spoken = [language(code) for code in codes()]
    return attempts(settings, words={each.folder + VERSION: each.version for each in spoken})


def everything(
    config: Config,
    hardware: str,
    machine: Machine,
    tries: Callable[[HardwareSettings], Attempts],
) -> Iterator[Check]:
    """Every check of a hub, one after the other."""
    running = claimed(config.data_folder())
    if hardware in BOARDS:
        settings = completed(config.hardware, BOARDS[hardware])
        yield from checks(settings, machine, tries(settings), running)
        yield from voice(settings.sound, config.journal_path())
    elif running:
        yield Check("hardware", "ok", "In use by the running hub.")
    else:
        yield tried("hardware", lambda: _opened(hardware, config))
    yield from disk(config.journal_path())
    yield clock(time.time(), SYNCHRONIZED.exists())
    yield link(config.server.host, config.server.port)


def _opened(hardware: str, config: Config) -> str:
    _board(hardware, config).close()
    return f"The hub can be built on the board {hardware}."


def voice(sound: SoundSettings, journal: Path) -> Iterator[Check]:
    """Whether there is somebody to speak; a module has its words on its card."""
    from hal.voice.synthesizers import CannotSpeak, synthesizer

    if sound.driver != "alsa" or not _is_to_speak(journal):
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


def _is_to_speak(file: Path) -> bool:
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
    """Whether games can be kept."""
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
        yield from _hurt_before(journal)
        yield from _card(journal)


def _hurt_before(file: Path) -> Iterator[Check]:
    """Files that the hub has set aside because they were hurt."""
    words = ("damaged", "overwritten", "kept")
    found = [each.name for word in words for each in file.parent.glob(f"{file.name}.{word}-*")]
    if found:
        yield Check(
            "card",
            "warn",
            f"Games were damaged before; the damaged files are kept: {', '.join(sorted(found))}.",
            "Copy these files elsewhere and remove them. Replace a card that loses data.",
        )


def _card(file: Path) -> Iterator[Check]:
    """Whether the card was quick enough the last time somebody played."""
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
    from centerpiece.storage.backup import contents
    from centerpiece.storage.errors import CardDamage, JournalError
    from centerpiece.storage.journal import Journal

    try:
        found = contents(file)
        with closing(Journal(file, GAMES, read_only=True)) as journal:
            journal.recover(GAMES)
    except CardDamage as error:
        goes_on = "Start the hub: it recovers what it can and keeps this file beside it."
        return Check("games", "fail", f"{error}", goes_on)
    except JournalError as error:
        return Check("games", "fail", f"{error}", "")
    if not found.damage:
        return Check("games", "ok", f"All {found.events} events of the table can be read.")
    lost, which = len(found.damage), found.damage[0].how
    return Check(
        "games",
        "warn",
        f"{found.events} events of the table can be read, {lost} cannot: {which}.",
        "Tonight's game is complete. Make a backup, then replace a card that loses data.",
    )


def clock(at: float, synchronized: bool) -> Check:
    """Whether the date of an evening will be right."""
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
    """Whether phones can find the pages: ours already answer, or the port is free for them."""
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
    import json
    import urllib.request

    here = "127.0.0.1" if host in ("0.0.0.0", "") else host
    try:
        with urllib.request.urlopen(f"http://{here}:{port}/api/state", timeout=3) as answer:
            return "phase" in json.load(answer)
    except (OSError, ValueError):
        return False


def _told(found: Iterator[Check] | list[Check]) -> int:
    unwell = False
    for each in found:
        print(f"{MARKS[each.verdict]} {each.name}: {each.sentence}")
        if each.remedy and each.verdict != "ok":
            print(f"  → {each.remedy}")
        unwell |= each.verdict == "fail"
    return UNWELL if unwell else 0


# Walks, with a person who looks and listens


def _walk(part: str, hardware: str, config: Config, file: Path | None) -> int:
    if claimed(config.data_folder()):
        stop = "Stop it meanwhile: sudo systemctl stop centerpiece"
        return _told([Check(part, "fail", "In use by the running hub.", stop)])
    found = drivers(hardware, config.hardware)
    if part == "buttons" and found is not None and found.buttons == "keys":
        return _lesson(file)
    try:
        board = _board(hardware, config)
    except DeviceError as error:
        return _told([failed(part, error)])
    with closing(board):
        try:
            walk(part, board, config, lambda: input("  Enter: next "))
        except (EOFError, KeyboardInterrupt):
            print()
    return 0


def _lesson(file: Path | None) -> int:
    """Learn the keys by heart, that is, into the config file."""
    from hal.keys.learn import presses

    try:
        learn(file, presses())
    except DeviceError as error:
        return _told([failed("buttons", error)])
    except KeyboardInterrupt:
        print()
    return 0


def learn(file: Path | None, pressed: "Iterator[KeyPress]") -> None:
    """Ask for every button's key; what is learned is written, or told where it cannot be."""
    from centerpiece.cli.key_config import with_keys, write
    from hal.keys.learn import Lesson

    lesson = Lesson()
    for sentence in lesson.steps(pressed):
        print(sentence)
    _forget_typing()
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


def _forget_typing() -> None:
    """What was pressed was typed as well, and is meant for nobody."""
    import termios

    if sys.stdin.isatty():
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def _board(hardware: str, config: Config) -> Board:
    def report(trouble: Trouble) -> None:
        print(f"  {trouble.message}")

    return builder(hardware)(config.hardware, report)


def walk(part: str, board: Board, config: Config, wait: Callable[[], object]) -> None:
    """Show a part of the hub step by step; `wait` returns when the person has looked."""
    settings = config.hardware
    if part == "buttons":
        pressed: queue.SimpleQueue[Edge] = queue.SimpleQueue()
        board.buttons.listen(pressed.put)
        steps = walk_buttons(settings.buttons.pins, iter(pressed.get, None))
        wait = _go_on  # the person answers by pressing
    elif part == "lights":
        steps = walk_lights(board.lights, settings.lights.zones)
    else:
        steps = walk_sound(board.sound, settings.sound.tracks)
    for sentence in steps:
        print(sentence)
        wait()


def _go_on() -> None:
    """Wait for nothing."""
