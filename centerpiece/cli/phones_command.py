"""`centerpiece phones`: lists the paired phones, or forgets all of them.

A running hub has the journal locked, so `forget` leaves a note in the hub's folder, where only its
owner can write; the hub acts on it before it checks the next phone.
"""

import argparse
import time

from centerpiece.cli.arguments import load_config
from centerpiece.games.registry import GAMES
from centerpiece.storage.errors import NotSaved
from centerpiece.storage.journal import Journal
from centerpiece.storage.phones import PHONES, forget_note
from centerpiece.storage.settings import Settings


def command(options: argparse.Namespace) -> int:
    """Print the paired phones, or with `forget` leave the note to forget them all; return 0.

    Raise NotSaved if the note cannot be written. Phones that such a note will forget are not
    printed.
    """
    path = load_config(options).journal_path()
    if options.action == "forget":
        try:
            forget_note(path).touch()
        except OSError as error:
            raise NotSaved(
                "No phone has been forgotten: {path} cannot be written ({why}).",
                path=str(forget_note(path)),
                why=error.strerror,
            ) from error
        print("All phones have been forgotten. Pair each one again at the hub.")
        return 0
    journal = Journal(path, GAMES, read_only=True)
    try:
        phones = () if forget_note(path).exists() else Settings.of(journal)[PHONES]
    finally:
        journal.close()
    for phone in sorted(phones, key=lambda phone: phone.paired):
        print(f"{phone.name}, since {time.strftime('%Y-%m-%d', time.localtime(phone.paired))}")
    if not phones:
        print("No phone is paired.")
    return 0
