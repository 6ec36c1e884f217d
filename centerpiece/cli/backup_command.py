"""`centerpiece backup` and `centerpiece restore`."""

import argparse
import os

from centerpiece.cli.arguments import load_config
from centerpiece.storage import backup
from centerpiece.text import Sentence


def save(options: argparse.Namespace) -> int:
    """Run `centerpiece backup FILE`: copy all games into a file; return 0.

    Events that cannot be read are reported and do not stop it. A file that exists does, unless
    `--force` is given.
    """
    journal = load_config(options).journal_path()
    saved = backup.save(journal, options.file, options.force)
    facts = {"file": options.file, "n": saved.events}
    print(Sentence("{file}: {n} {n|event|events} saved.", facts))
    if saved.damage:
        lost = {"n": len(saved.damage), "how": saved.damage[0].how}
        print(Sentence("{n} {n|event|events} cannot be read, here or in the copy: {how}.", lost))
    return 0


def restore(options: argparse.Namespace) -> int:
    """Run `centerpiece restore FILE`: replace all games by those of a backup; return 0.

    Games that are there already stop it; with `--force` they are kept in another file. Events of
    the backup that cannot be read are reported.
    """
    os.umask(0o077)  # as `run` would have written it
    journal = load_config(options).journal_path()
    restored, previous = backup.restore(options.file, journal, options.force, options.phones)
    print(Sentence("{n} {n|event|events} restored.", {"n": restored.events}))
    if restored.damage:
        print(f"Not restored: {'; '.join(str(each.how) for each in restored.damage[:20])}.")
    if previous:
        print(f"What was there before is in {previous}.")
    return 0
