"""`centerpiece backup` and `centerpiece restore`."""

import argparse

from centerpiece.cli.arguments import settled
from centerpiece.storage import backup
from centerpiece.text import Sentence


def save(options: argparse.Namespace) -> int:
    """`centerpiece backup FILE`: copy all games into a file."""
    own = settled(options).journal_path()
    found = backup.save(own, options.file, options.force)
    facts = {"file": options.file, "n": found.events}
    print(Sentence("{file}: {n} {n|event|events} saved.", facts))
    if found.damage:
        lost = {"n": len(found.damage), "how": found.damage[0].how}
        print(Sentence("{n} {n|event|events} cannot be read, here or in the copy: {how}.", lost))
    return 0


def restore(options: argparse.Namespace) -> int:
    """`centerpiece restore FILE`: take all games from such a file."""
    own = settled(options).journal_path()
    found, kept = backup.restore(options.file, own, options.force, options.phones)
    print(Sentence("{n} {n|event|events} restored.", {"n": found.events}))
    if found.damage:
        print(f"Not restored: {'; '.join(str(each.how) for each in found.damage[:20])}.")
    if kept:
        print(f"The previous file is now {kept}.")
    return 0
