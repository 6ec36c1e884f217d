"""What can be said on the command line. Only words: each command is named, not imported."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from hal.boards import BOARDS

if TYPE_CHECKING:
    from centerpiece.config import Config

Commands = argparse._SubParsersAction  # the type argparse gives no public name


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="centerpiece", description="A digital table centerpiece for domino games."
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    run = _command(commands, "run", "centerpiece.cli.run:run", "the service: hub, pages, journal")
    _with_hardware(run, "sim")
    run.add_argument("--config", type=Path, metavar="FILE", help="settings, as TOML")
    run.add_argument("--data", type=Path, metavar="DIR", help="where the journal is kept")
    run.add_argument("--host", help="address to listen on; default: this machine only")
    run.add_argument("--port", type=int, help="default: 8080")
    run.add_argument("--demo", action="store_true", help="virtual players play; for watching")

    script = _command(
        commands, "script", "centerpiece.cli.simulate:script", "run scenario files in virtual time"
    )
    script.add_argument("files", nargs="+", type=Path, metavar="FILE")

    simulate = _command(
        commands,
        "simulate",
        "centerpiece.cli.simulate:simulate",
        "virtual players play whole games on the simulated hub",
    )
    _with_games(simulate)

    rules = _command(
        commands,
        "rules",
        "centerpiece.cli.look_up:rules",
        "list the rule books, or print one as a card",
    )
    rules.add_argument("profile", nargs="?", metavar="PROFILE")
    _with_data(rules)

    panel = _command(
        commands, "panel", "centerpiece.cli.look_up:panel", "print what the buttons do"
    )
    panel.add_argument("game", nargs="?", metavar="GAME")

    state = _command(
        commands, "state", "centerpiece.cli.look_up:state", "the running table's state, as JSON"
    )
    state.add_argument("--config", type=Path, metavar="FILE")
    state.add_argument("--host")
    state.add_argument("--port", type=int)

    history = _command(
        commands, "history", "centerpiece.cli.look_up:history", "the games of past evenings"
    )
    _with_data(history)

    export = _command(commands, "export", "centerpiece.cli.look_up:export", "a game's score sheet")
    export.add_argument("game", type=int, metavar="GAME", help="its number in `history`")
    export.add_argument("--format", choices=("csv", "json", "html"), default="html")
    _with_data(export)

    hall = _command(
        commands,
        "hall",
        "centerpiece.cli.hall:run",
        "the hall: leaderboard and clock for many tables",
    )
    _with_redis(hall)

    sounds = _command(
        commands,
        "sounds",
        "centerpiece.cli.look_up:sounds",
        "the cues as files for the module's SD card",
    )
    sounds.add_argument("action", choices=("export",))
    sounds.add_argument("directory", type=Path, metavar="DIR")
    sounds.add_argument(
        "--pitch",
        type=float,
        default=0.0,
        metavar="SEMITONES",
        help="-3 to 3, for a table in a hall",
    )
    _add_care(commands)
    return parser


def _add_care(commands: Commands[argparse.ArgumentParser]) -> None:
    """What looks after a hub rather than a game."""
    doctor = _command(
        commands, "doctor", "centerpiece.cli.doctor:doctor", "check every part, and say what to do"
    )
    _with_hardware(doctor, os.environ.get("CENTERPIECE_HARDWARE", "sim"))
    for part in ("lights", "buttons", "sound"):
        doctor.add_argument(
            f"--{part}", dest="walk", action="store_const", const=part, help=f"try the {part}"
        )
    _with_data(doctor)

    backup = _command(
        commands, "backup", "centerpiece.cli.backup:command", "copy all games into a file"
    )
    backup.set_defaults(restoring=False)
    restore = _command(
        commands, "restore", "centerpiece.cli.backup:command", "take all games from such a file"
    )
    restore.set_defaults(restoring=True)
    for parser in (backup, restore):
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--force", action="store_true", help="replace what is there")
        _with_data(parser)

    update = _command(
        commands,
        "update",
        "centerpiece.cli.update:command",
        "install a newer version, or go back by itself",
    )
    update.add_argument("file", nargs="?", type=Path, metavar="ARCHIVE")
    update.add_argument("--from-card", action="store_true", help="the one on the boot partition")
    update.add_argument("installer", nargs="*", metavar="-- OPTION", help="for the installer")

    network = _command(
        commands, "setup-network", "centerpiece.cli.wifi:command", "look after the hub's Wi-Fi"
    )
    network.add_argument("--config", type=Path, metavar="FILE", help="settings, as TOML")
    sticker = _command(
        commands,
        "sticker",
        "centerpiece.cli.sticker:command",
        "draw the codes that lead a phone to the hub",
    )
    sticker.add_argument("file", type=Path, metavar="FILE.svg")
    sticker.add_argument("--name", help="the machine's name; default: as it is")
    sticker.add_argument("--config", type=Path, metavar="FILE", help="settings, as TOML")
    for each in commands.choices.values():
        # An installed hub names its settings in the environment.
        if (config := os.environ.get("CENTERPIECE_CONFIG")) and "--config" in each.format_usage():
            each.set_defaults(config=Path(config))


def _command(
    commands: Commands[argparse.ArgumentParser], name: str, target: str, words: str
) -> argparse.ArgumentParser:
    """A command; `target` is the module and function that carry it out."""
    parser = commands.add_parser(name, help=words, description=words)
    parser.set_defaults(target=target)
    return parser


def _with_hardware(parser: argparse.ArgumentParser, default: str) -> None:
    """The board, of ours or of another package's: only building it tells whether there is one."""
    known = "|".join((*BOARDS, "…"))
    parser.add_argument("--hardware", default=default, metavar=known, help="default: sim")


def _with_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings, as TOML")
    parser.add_argument("--data", type=Path, metavar="DIR", help="where the journal is kept")


def _with_games(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("profiles", nargs="*", metavar="PROFILE", help="default: all of them")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="of each; default: 100")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="default: 1")
    parser.add_argument("--players", type=int, metavar="P", help="default: 4 where that can be")
    parser.add_argument("--set", type=int, metavar="SIZE", help="default: the profile's first")
    parser.add_argument("--kinds", metavar="KIND,…", help="random, greedy, builder, forgetful")
    parser.add_argument("--json", action="store_true", help="the summary as JSON")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw totals and win shares")
    parser.add_argument("--replay", metavar="SEED:GAME", help="play one game again")
    parser.add_argument("--transcript", action="store_true", help="tell every game as it goes")


def _with_redis(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--redis", required=True, metavar="URL", help="redis:// or rediss://")
    parser.add_argument("--id", default="rally", help="the hall's name; default: rally")
    parser.add_argument("--title", default="Rally", help="what the page is headed with")
    parser.add_argument("--host", default="127.0.0.1", help="default: this machine only")
    parser.add_argument("--port", type=int, default=8090, help="default: 8090")
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="the organiser's token; or in the variable CENTERPIECE_HALL_TOKEN",
    )
    parser.add_argument("--password-file", metavar="FILE", help="the password for Redis")
    parser.add_argument("--ca", metavar="FILE", help="the certificate that signed the server's")
    parser.add_argument("--certificate", metavar="FILE", help="this client's own, if needed")
    parser.add_argument("--key", metavar="FILE", help="the key of that certificate")
    parser.add_argument("--cluster", action="store_true", help="Redis is a cluster")


def settled(options: argparse.Namespace) -> Config:
    """The config file with the command line's word on top."""
    from msgspec.structs import replace

    from centerpiece.config import load

    config = load(options.config)
    server = config.server
    if getattr(options, "host", None) is not None:
        server = replace(server, host=options.host)
    if getattr(options, "port", None) is not None:
        server = replace(server, port=options.port)
    data = getattr(options, "data", None)
    return replace(config, server=server, data=str(data) if data else config.data)
