"""`centerpiece backup` and `centerpiece restore`."""

import argparse

from centerpiece.cli.arguments import settled
from centerpiece.storage import backup
from centerpiece.text import Sentence


def save(options: argparse.Namespace) -> int:
    """`centerpiece backup FILE`: copy all games into a file."""
    own = settled(options).journal_path()
    count = backup.save(own, options.file, options.force)
    print(Sentence("{file}: {n} {n|event|events} saved.", {"file": options.file, "n": count}))
    return 0


def restore(options: argparse.Namespace) -> int:
    """`centerpiece restore FILE`: take all games from such a file."""
    own = settled(options).journal_path()
    count, kept = backup.restore(options.file, own, options.force)
    print(Sentence("{n} {n|event|events} restored.", {"n": count}))
    if kept:
        print(f"What was there before is in {kept}.")
    return 0
