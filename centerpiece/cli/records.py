"""`centerpiece state`, `history` and `export`: the current game and past ones."""

import argparse
import urllib.request

from centerpiece.cli.arguments import load_config
from centerpiece.games.registry import GAMES
from centerpiece.reports.score_sheet import export as sheet
from centerpiece.reports.score_sheet import listing, records
from centerpiece.storage.history import PastGame, games, statistics
from centerpiece.storage.journal import Journal
from centerpiece.text import Problem, Refused


class NoAnswer(Problem, ConnectionError):
    """No table answers at the configured address."""

    code = "no-answer"


def state(options: argparse.Namespace) -> int:
    """Print the running table's state as JSON; raise NoAnswer if no table answers."""
    server = load_config(options).server
    address = f"http://{server.host}:{server.port}/api/state"
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            print(answer.read().decode())
    except OSError as error:
        raise NoAnswer(
            "no table answers at {address} ({why}). Is `centerpiece run` running?",
            address=address,
            why=str(error),
        ) from None
    return 0


def history(options: argparse.Namespace) -> int:
    """Print past games and the players' records, or that there are no games yet."""
    past = _past_games(options)
    if not past:
        print("No game has been played yet.")
        return 0
    print(listing(past))
    print()
    print(records(statistics(past)))
    return 0


def export(options: argparse.Namespace) -> int:
    """Print the score sheet of one game in the format chosen.

    Raise Refused for an unknown number.
    """
    past = _past_games(options)
    game = next((game for game in past if game.number == options.game), None)
    if game is None:
        raise Refused(
            "There is no game {number}; `centerpiece history` lists {count}.",
            number=options.game,
            count=len(past),
        )
    print(sheet(game, options.format))
    return 0


def _past_games(options: argparse.Namespace) -> list[PastGame]:
    return games(Journal(load_config(options).journal_path(), GAMES, read_only=True), GAMES)
