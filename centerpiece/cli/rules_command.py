"""`centerpiece rules` and `centerpiece panel`: print rule books and button functions."""

import argparse

from centerpiece.cli.arguments import load_config
from centerpiece.games.registry import GAMES
from centerpiece.reports.papers import panel_text
from centerpiece.rules.card import card
from centerpiece.storage.errors import JournalError
from centerpiece.storage.journal import Journal
from centerpiece.table import saved_rules
from centerpiece.table.state import Table
from centerpiece.text import Refused


def rules(options: argparse.Namespace) -> int:
    """Print a list of the rule books, house rules included, or one of them as a card.

    Raise Refused if there is no such book.
    """
    table = _table(options)
    if options.profile is None:
        _list(table)
    else:
        chosen = saved_rules.find(GAMES, table, options.profile)
        game = GAMES.games[chosen.rules.game]
        print(card(chosen.rules, chosen.profile, game.example))
    return 0


def _table(options: argparse.Namespace) -> Table:
    """Return the table of the journal, with its house rules; a new one if it cannot be opened."""
    try:
        journal = Journal(load_config(options).journal_path(), GAMES, read_only=True)
    except JournalError:
        return GAMES.new_table()
    return journal.recover(GAMES).table


def _list(table: Table) -> None:
    """Print each game's rule books, with their numbers of players and sets, and its house rules."""
    for game in GAMES.games.values():
        for profile in game.profiles:
            sets = ", ".join(f"double-{size}" for size in profile.sets)
            counts = sorted({n for by_players in profile.hands.values() for n in by_players})
            many = f"{counts[0]}–{counts[-1]} players" if counts[-1] > 1 else "1 player"
            print(f"{profile.full_name:28}{many}, {sets}")
        for name in saved_rules.names(GAMES, table, game.name)[len(game.profiles) :]:
            print(f"{game.name}/{name:{27 - len(game.name)}}saved here")


def panel(options: argparse.Namespace) -> int:
    """Print the button functions of one game or of all; raise Refused for an unknown one."""
    if options.game is not None and options.game not in GAMES.games:
        raise Refused(
            "There is no game “{asked}”. The games are: {known}.",
            asked=options.game,
            known=", ".join(GAMES.games),
        )
    games = [options.game] if options.game else list(GAMES.games)
    print("\n\n".join(panel_text(GAMES.games[name]) for name in games))
    return 0
