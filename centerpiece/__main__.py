"""The command line: what was asked for is imported and carried out, and nothing else.

`run` has the hub alive before anything else loads, so the commands are named in `arguments` and
found here when they are needed.
"""

import importlib
import sys

from centerpiece.cli.arguments import parser

USAGE, DEVICE, INTERRUPTED = 2, 3, 130
"""Exit codes: what was asked cannot be done; a device cannot be used; Ctrl-C."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = parser().parse_args(arguments)
    module, _, function = options.target.partition(":")
    try:
        return int(getattr(importlib.import_module(module), function)(options))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return 0
    except ModuleNotFoundError as error:
        if error.name != "redis":
            raise
        return _complain("a hall needs redis: pip install 'centerpiece[hall]'", USAGE)
    except Exception as error:
        code = _code(error)
        if code is None:
            raise
        return _complain(str(error), code)


def _code(error: Exception) -> int | None:
    """The exit code for an error whose words are for the user; None for a fault of ours."""
    from centerpiece.config import ConfigError
    from centerpiece.storage.journal import JournalError
    from centerpiece.text import Refused
    from hal.errors import DeviceError

    if isinstance(error, DeviceError):
        return DEVICE
    return USAGE if isinstance(error, Refused | ConfigError | JournalError) else None


def _complain(message: str, code: int) -> int:
    print(f"centerpiece: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
