"""What can be said on the command line. Only words: each command is named, not imported."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from centerpiece.text import Problem
from hal.boards import BOARDS

if TYPE_CHECKING:
    from centerpiece.config import Config


class Argument(NamedTuple):
    """What a command takes, as argparse has it; `variable` may bring it from the environment."""

    names: tuple[str, ...]
    how: dict[str, Any]
    variable: str = ""


class Command(NamedTuple):
    """What it is good for, and which function of which module in `cli` carries it out."""

    words: str
    target: str
    arguments: tuple[Argument, ...] = ()


class Parser(argparse.ArgumentParser):
    """Says in one sentence what it does not understand; the usage is for who asks."""

    def error(self, message: str) -> NoReturn:
        wrong = re.sub(r"^argument ([^:]+): must", r"\1 must", message)
        raise Problem("{wrong}; see `{command} --help`", wrong=wrong, command=self.prog)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {text!r}") from None


def _takes(*names: str, variable: str = "", **how: Any) -> Argument:
    return Argument(names, how, variable)


_CONFIG = _takes(
    "--config",
    # An installed hub names its settings in the environment.
    variable="CENTERPIECE_CONFIG",
    type=Path,
    metavar="FILE",
    help="settings, as TOML",
)
_DATA = _takes("--data", type=Path, metavar="DIR", help="where the journal is kept")
_HARDWARE = _takes(
    "--hardware", default="sim", metavar="|".join((*BOARDS, "…")), help="default: sim"
)
"""The board, of ours or of another package: only building it tells whether there is one."""
_FILE = _takes("file", type=Path, metavar="FILE")
_FORCE = _takes("--force", action="store_true", help="replace an existing file")

COMMANDS = {
    "run": Command(
        "the service: hub, pages, journal",
        "run:run",
        (
            _HARDWARE,
            _CONFIG,
            _DATA,
            _takes("--lan", action="store_true", help="let devices on the local network in"),
            _takes("--host", help="address to listen on; default: this machine only"),
            _takes("--port", type=_whole, help="default: 8080"),
            _takes("--demo", action="store_true", help="virtual players play; for watching"),
        ),
    ),
    "script": Command(
        "run scenario files in virtual time",
        "simulate:script",
        (
            _takes("files", nargs="+", type=Path, metavar="FILE"),
            _takes("--aloud", action="store_true", help="print what the hub says and plays"),
        ),
    ),
    "simulate": Command(
        "virtual players play whole games on the simulated hub",
        "simulate:simulate",
        (
            _takes("profiles", nargs="*", metavar="PROFILE", help="default: all of them"),
            _takes("--games", type=_whole, default=100, metavar="N", help="of each; default: 100"),
            _takes("--seed", type=_whole, default=1, metavar="S", help="default: 1"),
            _takes("--players", type=_whole, metavar="P", help="default: 4 where that can be"),
            _takes("--set", type=_whole, metavar="SIZE", help="default: the profile's first"),
            _takes("--kinds", metavar="KIND,…", help="random, greedy, builder, forgetful"),
            _takes(
                "--incidents",
                type=_number,
                default=0.0,
                metavar="SHARE",
                help="0 to 1: how often people come late, leave, miscount, end early; default: 0",
            ),
            _takes("--json", action="store_true", help="the summary as JSON"),
            _takes("--plot", type=Path, metavar="FILE.svg", help="draw totals and win shares"),
            _takes("--replay", metavar="SEED:GAME", help="play one game again"),
            _takes("--transcript", action="store_true", help="describe every game as it is played"),
        ),
    ),
    "rules": Command(
        "list the rule books, or print one as a card",
        "rules:rules",
        (_takes("profile", nargs="?", metavar="PROFILE"), _CONFIG, _DATA),
    ),
    "panel": Command(
        "print what the buttons do", "rules:panel", (_takes("game", nargs="?", metavar="GAME"),)
    ),
    "state": Command(
        "the running table's state, as JSON",
        "records:state",
        (_CONFIG, _takes("--host"), _takes("--port", type=_whole)),
    ),
    "history": Command("the games of past evenings", "records:history", (_CONFIG, _DATA)),
    "export": Command(
        "a game's score sheet",
        "records:export",
        (
            _takes("game", type=_whole, metavar="GAME", help="its number in `history`"),
            _takes("--format", choices=("csv", "json", "html"), default="html"),
            _CONFIG,
            _DATA,
        ),
    ),
    "hall": Command(
        "the hall: leaderboard and clock for many tables",
        "hall:run",
        (
            _takes("--redis", required=True, metavar="URL", help="redis:// or rediss://"),
            _takes("--id", default="rally", help="the hall's name; default: rally"),
            _takes("--title", default="Rally", help="what the page is headed with"),
            _takes("--host", default="127.0.0.1", help="default: this machine only"),
            _takes("--port", type=_whole, default=8090, help="default: 8090"),
            _takes(
                "--token-file",
                type=Path,
                metavar="FILE",
                help="the organiser's token; or in the variable CENTERPIECE_HALL_TOKEN",
            ),
            _takes("--password-file", metavar="FILE", help="the password for Redis"),
            _takes("--ca", metavar="FILE", help="the certificate that signed the server's"),
            _takes("--certificate", metavar="FILE", help="this client's own, if needed"),
            _takes("--key", metavar="FILE", help="the key of that certificate"),
            _takes("--cluster", action="store_true", help="Redis is a cluster"),
        ),
    ),
    "voice": Command(
        "list what to record for a voice of your own, or check a recorded one",
        "voice:command",
        (
            _takes("action", choices=("record-list", "check")),
            _takes("directory", nargs="?", type=Path, metavar="DIR", help="the recordings"),
            _takes("--language", default="en", metavar="LANGUAGE", help="default: en"),
        ),
    ),
    "sounds": Command(
        "cues and words as files for the module's SD card",
        "sounds:export",
        (
            _takes("action", choices=("export",)),
            _takes("directory", type=Path, metavar="DIR"),
            _takes(
                "--words",
                metavar="LANGUAGE,…",
                help="which languages it speaks; default: all; `none` for cues alone",
            ),
            _takes("--names", default="", metavar="NAME,…", help="names to be spoken, too"),
            _takes("--voice", type=Path, metavar="DIR", help="your own recordings"),
        ),
    ),
    "phones": Command(
        "list the phones that may write; `forget` all of them",
        "phones:command",
        (_takes("action", nargs="?", choices=("forget",)), _CONFIG, _DATA),
    ),
    "doctor": Command(
        "check every part, and say what to do",
        "doctor:doctor",
        (
            _HARDWARE._replace(variable="CENTERPIECE_HARDWARE"),
            *(
                _takes(f"--{p}", dest="walk", action="store_const", const=p, help=f"try the {p}")
                for p in ("lights", "buttons", "sound")
            ),
            _CONFIG,
            _DATA,
        ),
    ),
    "usb": Command(
        "list the boards on USB; `flash` puts the firmware on one",
        "usb:command",
        (
            _takes("action", nargs="?", choices=("flash",)),
            _takes("--port", metavar="PORT", help="default: the one that is plugged in"),
            _CONFIG,
            _DATA,
        ),
    ),
    "backup": Command("copy all games into a file", "backup:save", (_FILE, _FORCE, _CONFIG, _DATA)),
    "restore": Command(
        "take all games from such a file",
        "backup:restore",
        (
            _FILE,
            _FORCE,
            _takes("--phones", action="store_true", help="the paired phones, too"),
            _CONFIG,
            _DATA,
        ),
    ),
    "update": Command(
        "install a newer version, or go back by itself",
        "update:command",
        (
            _takes("file", nargs="?", type=Path, metavar="ARCHIVE"),
            _takes(
                "--from-card",
                nargs="?",
                const=Path("/boot/firmware"),
                type=Path,
                metavar="FOLDER",
                help="the newest one on the card's boot partition, or in a folder",
            ),
            _takes("--older", action="store_true", help="also one that is older than this"),
            _takes("installer", nargs="*", metavar="-- OPTION", help="for the installer"),
        ),
    ),
    "first-start": Command("prepare a card that was just written", "first_start:command"),
    "problem": Command(
        "report a problem with the machine, on the page and on the card",
        "first_start:problem",
        (
            _takes("kind", metavar="KIND"),
            _takes("words", nargs="*", metavar="WORD", help="none if it is solved"),
            _takes("--root", type=Path, default=Path("/"), help="the system that has it"),
        ),
    ),
    "setup-network": Command("look after the hub's Wi-Fi", "wifi:command", (_CONFIG,)),
    "sticker": Command(
        "draw the codes that lead a phone to the hub",
        "sticker:command",
        (
            _takes("file", type=Path, metavar="FILE.svg"),
            _takes("--name", help="the machine's name; default: as it is"),
            _CONFIG,
        ),
    ),
}


def parser() -> argparse.ArgumentParser:
    """Reads a command line; `target` is the module and function that carry it out."""
    parser = Parser(prog="centerpiece", description="A digital table centerpiece for domino games.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        each = commands.add_parser(name, help=command.words, description=command.words)
        each.set_defaults(target=command.target)
        for names, how, variable in command.arguments:
            given = os.environ.get(variable)
            each.add_argument(*names, **(how | {"default": given} if given else how))
    return parser


def settled(options: argparse.Namespace) -> Config:
    """The config file with the command line's word on top."""
    from msgspec.structs import replace

    from centerpiece.config import load

    config = load(options.config)
    server = config.server
    if getattr(options, "lan", False):
        server = replace(server, host="0.0.0.0")
    if getattr(options, "host", None) is not None:
        server = replace(server, host=options.host)
    if isinstance(port := getattr(options, "port", None), int):
        server = replace(server, port=port)
    data = getattr(options, "data", None)
    return replace(config, server=server, data=str(data) if data else config.data)
