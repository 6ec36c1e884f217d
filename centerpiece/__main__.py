"""The command line: arguments, config, the choice of adapters, and off it goes.

Each command imports what it needs, so that `run` has the hub alive before anything else loads.
"""

import argparse
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
    return parser


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


if __name__ == "__main__":
    sys.exit(main())
