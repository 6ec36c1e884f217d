"""The command line: arguments, config, the choice of adapters, and off it goes.

Each command imports what it needs, so that `run` has the hub alive before anything else loads.
"""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

USAGE, DEVICE = 2, 3
"""Exit codes: the arguments were wrong; a device cannot be used."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="centerpiece", description="A digital table centerpiece for domino games."
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    run = _command(commands, "run", _run, "the service: hub, pages, journal")
    run.add_argument("--hardware", choices=("sim", "pi"), default="sim", help="default: sim")
    run.add_argument("--config", type=Path, metavar="FILE", help="settings, as TOML")
    run.add_argument("--data", type=Path, metavar="DIR", help="where the journal is kept")
    run.add_argument("--host", help="address to listen on; default: this machine only")
    run.add_argument("--port", type=int, help="default: 8080")

    script = _command(commands, "script", _script, "run scenario files in virtual time")
    script.add_argument("files", nargs="+", type=Path, metavar="FILE")

    rules = _command(commands, "rules", _rules, "list the rule books, or print one as a card")
    rules.add_argument("profile", nargs="?", metavar="PROFILE")
    _with_data(rules)

    panel = _command(commands, "panel", _panel, "print what the buttons do")
    panel.add_argument("game", nargs="?", metavar="GAME")

    state = _command(commands, "state", _state, "the running table's state, as JSON")
    state.add_argument("--config", type=Path, metavar="FILE")
    state.add_argument("--host")
    state.add_argument("--port", type=int)

    sounds = _command(commands, "sounds", _sounds, "the cues as files for the module's SD card")
    sounds.add_argument("action", choices=("export",))
    sounds.add_argument("directory", type=Path, metavar="DIR")
    _add_care(commands)
    return parser


def _add_care(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """What looks after a hub rather than a game."""
    doctor = _command(commands, "doctor", _doctor, "check every part, and say what to do")
    doctor.add_argument(
        "--hardware",
        choices=("sim", "pi"),
        default=os.environ.get("CENTERPIECE_HARDWARE", "sim"),
        help="default: sim",
    )
    for part in ("lights", "buttons", "sound"):
        doctor.add_argument(
            f"--{part}", dest="walk", action="store_const", const=part, help=f"try the {part}"
        )
    _with_data(doctor)

    backup = _command(commands, "backup", _backup, "copy all games into a file")
    backup.set_defaults(restoring=False)
    restore = _command(commands, "restore", _backup, "take all games from such a file")
    restore.set_defaults(restoring=True)
    for parser in (backup, restore):
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--force", action="store_true", help="replace what is there")
        _with_data(parser)

    update = _command(commands, "update", _update, "install a newer version, or go back by itself")
    update.add_argument("file", nargs="?", type=Path, metavar="ARCHIVE")
    update.add_argument("--from-card", action="store_true", help="the one on the boot partition")
    update.add_argument("installer", nargs="*", metavar="-- OPTION", help="for the installer")

    network = _command(commands, "setup-network", _setup_network, "look after the hub's Wi-Fi")
    network.add_argument("--config", type=Path, metavar="FILE", help="settings, as TOML")
    sticker = _command(commands, "sticker", _sticker, "draw the codes that lead a phone to the hub")
    sticker.add_argument("file", type=Path, metavar="FILE.svg")
    sticker.add_argument("--config", type=Path, metavar="FILE", help="settings, as TOML")
    for each in commands.choices.values():
        # An installed hub names its settings in the environment.
        if (config := os.environ.get("CENTERPIECE_CONFIG")) and "--config" in each.format_usage():
            each.set_defaults(config=Path(config))


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    function: Callable[[argparse.Namespace], int],
    words: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=words, description=words)
    parser.set_defaults(command=function)
    return parser


def _with_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings, as TOML")
    parser.add_argument("--data", type=Path, metavar="DIR", help="where the journal is kept")


def _run(options: argparse.Namespace) -> int:
    from centerpiece.running import run

    return run(options)


def _script(options: argparse.Namespace) -> int:
    from sim.script import run_file

    failures = 0
    for file in options.files:
        try:
            failed = run_file(file)
        except (OSError, UnicodeDecodeError) as error:
            print(f"{file}: cannot be read: {error}", file=sys.stderr)
            return USAGE
        for failure in failed:
            print(failure, file=sys.stderr)
        failures += len(failed)
        print(f"{file}: {'failed' if failed else 'passed'}")
    return 1 if failures else 0


def _rules(options: argparse.Namespace) -> int:
    from centerpiece.asking import rules

    return rules(options)


def _panel(options: argparse.Namespace) -> int:
    from centerpiece.asking import panel

    return panel(options)


def _state(options: argparse.Namespace) -> int:
    from centerpiece.asking import state

    return state(options)


def _sounds(options: argparse.Namespace) -> int:
    from hal.cues import export

    try:
        for path in export(options.directory):
            print(path)
    except OSError as error:
        print(f"{options.directory} cannot be written: {error.strerror}", file=sys.stderr)
        return USAGE
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from centerpiece.checkup import doctor

    return doctor(options)


def _backup(options: argparse.Namespace) -> int:
    from centerpiece.backup import command

    return command(options)


def _update(options: argparse.Namespace) -> int:
    from centerpiece.updating import command

    return command(options)


def _setup_network(options: argparse.Namespace) -> int:
    from centerpiece.setup_network import command

    return command(options)


def _sticker(options: argparse.Namespace) -> int:
    from centerpiece.sticker import command

    return command(options)


if __name__ == "__main__":
    sys.exit(main())
