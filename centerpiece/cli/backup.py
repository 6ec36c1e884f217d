"""`centerpiece backup` and `centerpiece restore`."""

import argparse
import sys
from pathlib import Path

from centerpiece.cli.arguments import settled
from centerpiece.config import ConfigError
from centerpiece.storage.backup import BackupError, restore, save
from centerpiece.storage.journal import JournalError


def command(options: argparse.Namespace) -> int:
    """`centerpiece backup FILE` and `centerpiece restore FILE`; the exit code."""
    try:
        own = settled(options).journal_path()
        if options.restoring:
            print(_restored(*restore(options.file, own, options.force)))
        else:
            print(f"{options.file}: {_events(save(own, options.file, options.force))} saved.")
    except (ConfigError, JournalError, BackupError) as error:
        print(f"centerpiece: {error}", file=sys.stderr)
        return 2
    return 0


def _restored(count: int, kept: Path | None) -> str:
    return f"{_events(count)} restored." + (f" What was there before is in {kept}." if kept else "")


def _events(count: int) -> str:
    return "1 event" if count == 1 else f"{count} events"
