"""`centerpiece sounds`: the cues as files."""

import argparse

from centerpiece.text import Problem
from hal.cues import export as write


def export(options: argparse.Namespace) -> int:
    """Write the cues as files for the module's SD card."""
    try:
        for path in write(options.directory, options.pitch):
            print(path)
    except ValueError as error:
        raise Problem("--pitch: {why}", why=str(error)) from None
    except OSError as error:
        raise Problem(
            "{folder} cannot be written: {why}; choose another folder",
            folder=options.directory,
            why=error.strerror,
        ) from None
    return 0
