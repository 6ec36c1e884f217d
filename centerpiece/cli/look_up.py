"""The commands that only tell: rules, panel, state, history, export, sounds."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from centerpiece.storage.journal import Journal


def rules(options: argparse.Namespace) -> int:
    """List the rule books, the table's own included, or print one as a card."""
    from centerpiece.games.registry import BOOKS
    from centerpiece.rules.card import card
    from centerpiece.table import saved_rules

    journal = _journal(options, or_none=True)
    table = journal.recover(BOOKS).table if journal else BOOKS.new_table()
    if options.profile is not None:
        found = saved_rules.find(BOOKS, table, options.profile)
        print(card(found.rules, original=found.profile))
        return 0
    for game in BOOKS.games.values():
        for profile in game.profiles:
            sets = ", ".join(f"double-{size}" for size in profile.sets)
            counts = sorted({n for by_players in profile.hands.values() for n in by_players})
            print(f"{profile.full_name:28}{counts[0]}–{counts[-1]} players, {sets}")
        for name in saved_rules.names(BOOKS, table, game.name)[len(game.profiles) :]:
            print(f"{game.name}/{name:{27 - len(game.name)}}saved here")
    return 0


def history(options: argparse.Namespace) -> int:
    """List the games of past evenings, and how everyone has fared."""
    from centerpiece.games.registry import BOOKS
    from centerpiece.reports.score_sheet import listing, records
    from centerpiece.storage.history import games, statistics

    journal = _journal(options)
    assert journal is not None
    played = games(journal, BOOKS)
    if not played:
        print("No game has been played yet.")
        return 0
    print(listing(played))
    print()
    print(records(statistics(played)))
    return 0


def export(options: argparse.Namespace) -> int:
    """Print the score sheet of one game."""
    from centerpiece.games.registry import BOOKS
    from centerpiece.reports.score_sheet import export as sheet
    from centerpiece.storage.history import games
    from centerpiece.text import Refused

    journal = _journal(options)
    assert journal is not None
    played = games(journal, BOOKS)
    if not 1 <= options.game <= len(played):
        raise Refused(
            "There is no game {number}; `centerpiece history` lists {count}.",
            number=options.game,
            count=len(played),
        )
    print(sheet(played[options.game - 1], options.format))
    return 0


def _journal(options: argparse.Namespace, or_none: bool = False) -> Journal | None:
    """The table's journal, for reading."""
    from centerpiece.cli.arguments import settled
    from centerpiece.games.registry import BOOKS
    from centerpiece.storage.journal import Journal, JournalError

    try:
        return Journal(settled(options).journal_path(), BOOKS, read_only=True)
    except JournalError:
        if or_none:
            return None
        raise


def panel(options: argparse.Namespace) -> int:
    """Print what the buttons do, for one game or for all."""
    from centerpiece.games.registry import BOOKS
    from centerpiece.reports.papers import panel_text
    from centerpiece.text import Refused

    if options.game is not None and options.game not in BOOKS.games:
        raise Refused(
            "There is no game “{asked}”. The games are: {known}.",
            asked=options.game,
            known=", ".join(BOOKS.games),
        )
    games = [options.game] if options.game else list(BOOKS.games)
    print("\n\n".join(panel_text(BOOKS.games[name]) for name in games))
    return 0


def state(options: argparse.Namespace) -> int:
    """Fetch the state of the running table."""
    import urllib.error
    import urllib.request

    from centerpiece.cli.arguments import settled

    server = settled(options).server
    address = f"http://{server.host}:{server.port}/api/state"
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            print(answer.read().decode())
    except (urllib.error.URLError, OSError) as error:
        print(
            f"centerpiece: no table answers at {address} ({error}). Is `centerpiece run` running?",
            file=sys.stderr,
        )
        return 1
    return 0


def sounds(options: argparse.Namespace) -> int:
    """Write the cues as files for the module's SD card."""
    from hal.cues import export as write

    try:
        for path in write(options.directory, options.pitch):
            print(path)
    except ValueError as error:
        print(f"centerpiece: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(
            f"centerpiece: {options.directory} cannot be written: {error.strerror}",
            file=sys.stderr,
        )
        return 2
    return 0
