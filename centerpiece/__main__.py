"""The command line: what was asked for is imported and carried out, and nothing else.

`run` has the hub alive before anything else loads, so the commands are named in `arguments` and
found here when they are needed. A command that cannot be carried out raises a `Problem`; here it is
told, and becomes an exit code.
"""

import importlib
import sys

from centerpiece.cli.arguments import parser
from centerpiece.storage.errors import JournalError
from centerpiece.text import Problem
from hal.device_errors import DeviceError

FAILED, USAGE, DEVICE, INTERRUPTED = 1, 2, 3, 130
"""Exit codes: it is not well; what was asked cannot be done; a device cannot be used; Ctrl-C."""
FINDINGS = ("disagreement", "no-answer")
"""What is not wrong with the request, but was found by carrying it out."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        options = parser().parse_args(arguments)
        module, _, function = options.target.partition(":")
        command = getattr(importlib.import_module(f"centerpiece.cli.{module}"), function)
        return int(command(options))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return 0
    except DeviceError as error:
        return _told(error, DEVICE)
    except Problem as problem:
        return _told(problem, FAILED if problem.code in FINDINGS else USAGE)
    except JournalError as error:
        return _told(error, USAGE)


def _told(error: Exception, code: int) -> int:
    print(f"centerpiece: {error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
