"""The command line: imports the module of one command and runs it.

`run` must have the hub running before anything else loads, so `arguments` names the commands and
only the chosen one is imported here. A command that fails raises a `Problem`, which is printed
here and becomes an exit code.
"""

import importlib
import os
import sys
from argparse import Namespace
from collections.abc import Callable

from centerpiece.cli.arguments import parser
from centerpiece.storage.errors import JournalError
from centerpiece.text import Problem
from hal.device_errors import DeviceError

FAILED, USAGE, DEVICE, INTERRUPTED = 1, 2, 3, 130
"""Exit codes: the result is bad; the request is; a device cannot be used; Ctrl-C."""
FINDINGS = ("disagreement", "no-answer")
"""Codes of problems that are a result of the command, not a fault of the request."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command in `arguments` and return its exit code; print the error of one that fails.

    By default the arguments are the process's own. A command that root gives on a data folder runs
    as the folder's owner, except for backups, which see to that themselves.
    """
    try:
        options = parser().parse_args(arguments)
        module, _, function = options.target.partition(":")
        command = getattr(importlib.import_module(f"centerpiece.cli.{module}"), function)
        if os.geteuid() == 0 and "data" in options and module != "backup_command":
            return _as_owner(command, options)
        return int(command(options))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return 0
    except DeviceError as error:
        return _print_error(error, DEVICE)
    except Problem as problem:
        return _print_error(problem, FAILED if problem.code in FINDINGS else USAGE)
    except JournalError as error:
        return _print_error(error, USAGE)


def _as_owner(command: Callable[[Namespace], int], options: Namespace) -> int:
    """Run a command of root's as the owner of the data folder; return its exit code.

    A folder that is root's own, or that does not exist, stays root's.
    """
    from centerpiece.cli.arguments import load_config
    from centerpiece.storage.folder_owner import acting_as_owner

    with acting_as_owner(load_config(options).data_folder()):
        return int(command(options))


def _print_error(error: Exception, code: int) -> int:
    print(f"centerpiece: {error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
