"""The command line's grammar. Commands are named, not imported, to keep the start fast."""

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
    """An argument for argparse; `variable` is an environment variable with its default."""

    names: tuple[str, ...]
    options: dict[str, Any]
    variable: str = ""


class Subcommand(NamedTuple):
    """A subcommand: its help text, and the module and function in `cli` that run it."""

    help: str
    target: str
    arguments: tuple[Argument, ...] = ()


class Parser(argparse.ArgumentParser):
    """A parser that raises errors as one sentence; argparse would print the whole usage."""

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


def _arg(*names: str, variable: str = "", **options: Any) -> Argument:
    return Argument(names, options, variable)


_CONFIG = _arg(
    "--config",
    # The systemd unit of an installed hub sets it.
    variable="CENTERPIECE_CONFIG",
    type=Path,
    metavar="FILE",
    help="settings, as TOML",
)
_DATA = _arg("--data", type=Path, metavar="DIR", help="where the journal is kept")
_HARDWARE = _arg("--hardware", default="sim", metavar="|".join((*BOARDS, "…")), help="default: sim")
"""Not `choices`: other packages can register boards, and only building one tells if it exists."""
_FILE = _arg("file", type=Path, metavar="FILE")
_FORCE = _arg("--force", action="store_true", help="overwrite existing data")

COMMANDS = {
    "run": Subcommand(
        "the service: hub, pages, journal",
        "run:run",
        (
            _HARDWARE,
            _CONFIG,
            _DATA,
            _arg("--lan", action="store_true", help="serve the local network"),
            _arg("--host", help="address to listen on; default: this machine only"),
            _arg("--port", type=_whole, help="default: 8080"),
            _arg("--demo", action="store_true", help="let virtual players play"),
        ),
    ),
    "script": Subcommand(
        "run scenario files in virtual time",
        "simulate:script",
        (
            _arg("files", nargs="+", type=Path, metavar="FILE"),
            _arg("--aloud", action="store_true", help="print every cue and spoken sentence"),
        ),
    ),
    "simulate": Subcommand(
        "virtual players play whole games on the simulated hub",
        "simulate:simulate",
        (
            _arg("profiles", nargs="*", metavar="PROFILE", help="default: all of them"),
            _arg("--games", type=_whole, default=100, metavar="N", help="of each; default: 100"),
            _arg("--seed", type=_whole, default=1, metavar="S", help="default: 1"),
            _arg("--players", type=_whole, metavar="P", help="default: 4 if the game allows it"),
            _arg("--set", type=_whole, metavar="SIZE", help="default: the profile's first"),
            _arg("--kinds", metavar="KIND,…", help="random, greedy, builder, forgetful"),
            _arg(
                "--incidents",
                type=_number,
                default=0.0,
                metavar="SHARE",
                help="rate of late arrivals, leaving, miscounts and early ends, 0 to 1; default: 0",
            ),
            _arg("--docks", action="store_true", help="train markers tell by themselves"),
            _arg("--json", action="store_true", help="the summary as JSON"),
            _arg("--plot", type=Path, metavar="FILE.svg", help="draw totals and win shares"),
            _arg("--replay", metavar="SEED:GAME", help="play one game again"),
            _arg("--transcript", action="store_true", help="print a commentary of every game"),
        ),
    ),
    "rules": Subcommand(
        "list the rule books, or print one as a card",
        "rules_command:rules",
        (_arg("profile", nargs="?", metavar="PROFILE"), _CONFIG, _DATA),
    ),
    "panel": Subcommand(
        "print what the buttons do",
        "rules_command:panel",
        (_arg("game", nargs="?", metavar="GAME"),),
    ),
    "state": Subcommand(
        "the running table's state, as JSON",
        "records:state",
        (_CONFIG, _arg("--host"), _arg("--port", type=_whole)),
    ),
    "history": Subcommand("the games of past evenings", "records:history", (_CONFIG, _DATA)),
    "export": Subcommand(
        "a game's score sheet",
        "records:export",
        (
            _arg("game", type=_whole, metavar="GAME", help="its number in `history`"),
            _arg("--format", choices=("csv", "json", "html"), default="html"),
            _CONFIG,
            _DATA,
        ),
    ),
    "hall": Subcommand(
        "the hall: leaderboard and clock for many tables",
        "hall_command:run",
        (
            _arg("--redis", required=True, metavar="URL", help="redis:// or rediss://"),
            _arg("--id", default="rally", help="the hall's name; default: rally"),
            _arg("--title", default="Rally", help="the page's title"),
            _arg("--host", default="127.0.0.1", help="default: this machine only"),
            _arg("--port", type=_whole, default=8090, help="default: 8090"),
            _arg(
                "--token-file",
                type=Path,
                metavar="FILE",
                help="file with the organiser's token; or set CENTERPIECE_HALL_TOKEN",
            ),
            _arg("--password-file", metavar="FILE", help="file with the password for Redis"),
            _arg("--ca", metavar="FILE", help="CA certificate of the Redis server"),
            _arg("--certificate", metavar="FILE", help="client certificate, if required"),
            _arg("--key", metavar="FILE", help="private key of the client certificate"),
            _arg("--cluster", action="store_true", help="Redis is a cluster"),
        ),
    ),
    "voice": Subcommand(
        "record a voice of your own: list what to read, record it, check it; or have it made",
        "voice_command:command",
        (
            _arg("action", choices=("record-list", "record", "check", "make")),
            _arg("directory", nargs="?", type=Path, metavar="DIR", help="the recordings"),
            _arg("--language", default="en", metavar="LANGUAGE", help="default: en"),
            _arg("--names", default="", metavar="NAME,…", help="record or make: players' names"),
            _arg("--synthesizer", default="espeak-ng", metavar="NAME", help="make: by which one"),
        ),
    ),
    "sounds": Subcommand(
        "cues and words as files for the module's SD card",
        "sounds:export",
        (
            _arg("action", choices=("export",)),
            _arg("directory", type=Path, metavar="DIR"),
            _arg(
                "--words",
                metavar="LANGUAGE,…",
                help="languages to include; default: all; `none` for cues alone",
            ),
            _arg("--names", default="", metavar="NAME,…", help="players' names to include"),
            _arg("--voice", type=Path, metavar="DIR", help="your own recordings"),
        ),
    ),
    "phones": Subcommand(
        "list the phones that may write; `forget` all of them",
        "phones_command:command",
        (_arg("action", nargs="?", choices=("forget",)), _CONFIG, _DATA),
    ),
    "doctor": Subcommand(
        "check every part of the hub, and say what to do",
        "doctor:doctor",
        (
            _HARDWARE._replace(variable="CENTERPIECE_HARDWARE"),
            *(
                _arg(f"--{p}", dest="part", action="store_const", const=p, help=f"try the {p}")
                for p in ("lights", "buttons", "sound")
            ),
            _arg(
                "--walk",
                dest="part",
                action="store_const",
                const="walk",
                help="try all of them, one after the other, by itself",
            ),
            _CONFIG,
            _DATA,
        ),
    ),
    "dark": Subcommand(
        "put out the lights that a crashed service has left on",
        "run:dark",
        (_HARDWARE, _CONFIG),
    ),
    "usb": Subcommand(
        "list the boards on USB; `flash` puts the firmware on one",
        "usb_command:command",
        (
            _arg("action", nargs="?", choices=("flash",)),
            _arg("--port", metavar="PORT", help="default: the one that is plugged in"),
            _CONFIG,
            _DATA,
        ),
    ),
    "backup": Subcommand(
        "copy all games into a file", "backup_command:save", (_FILE, _FORCE, _CONFIG, _DATA)
    ),
    "restore": Subcommand(
        "restore all games from a backup",
        "backup_command:restore",
        (
            _FILE,
            _FORCE,
            _arg("--phones", action="store_true", help="restore the paired phones, too"),
            _CONFIG,
            _DATA,
        ),
    ),
    "update": Subcommand(
        "install a newer version; a version that does not start is rolled back",
        "update:command",
        (
            _arg("file", nargs="?", type=Path, metavar="ARCHIVE"),
            _arg(
                "--from-card",
                nargs="?",
                const=Path("/boot/firmware"),
                type=Path,
                metavar="FOLDER",
                help="use the newest one on the card's boot partition, or in a folder",
            ),
            _arg("--older", action="store_true", help="allow an older version"),
            _arg("installer", nargs="*", metavar="-- OPTION", help="options of the installer"),
        ),
    ),
    "first-start": Subcommand("prepare a newly written card", "first_start:command"),
    "problem": Subcommand(
        "report a problem with the machine on the pages and on the card",
        "first_start:problem",
        (
            _arg("kind", metavar="KIND"),
            _arg("words", nargs="*", metavar="WORD", help="none if the problem is solved"),
            _arg("--root", type=Path, default=Path("/"), help="root directory of the system"),
        ),
    ),
    "setup-network": Subcommand("manage the hub's Wi-Fi", "wifi_command:command", (_CONFIG,)),
    "sticker": Subcommand(
        "draw the QR codes that lead a phone to the hub",
        "sticker:command",
        (
            _arg("file", type=Path, metavar="FILE.svg"),
            _arg("--name", help="host name; default: this machine's"),
            _CONFIG,
        ),
    ),
}


def parser() -> argparse.ArgumentParser:
    """Return the parser; its results have a `target`, the module and function to run.

    An argument with an environment variable has its default from there, if that is set.
    """
    parser = Parser(prog="centerpiece", description="A digital table centerpiece for domino games.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, help=command.help, description=command.help)
        subparser.set_defaults(target=command.target)
        for names, options, variable in command.arguments:
            default = os.environ.get(variable)
            subparser.add_argument(
                *names, **(options | {"default": default} if default else options)
            )
    return parser


def load_config(options: argparse.Namespace) -> Config:
    """Load the config file named in `options`, or the defaults; the other options override it.

    `--lan` listens on all addresses, unless `--host` gives one.
    """
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
