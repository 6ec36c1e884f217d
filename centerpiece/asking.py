"""The commands that only tell: rules, panel, state."""

import argparse
import sys


def rules(options: argparse.Namespace) -> int:
    """List the rule books, or print one as a card."""
    from centerpiece.games.registry import BOOKS
    from centerpiece.rules.sentences import Refused

    if options.profile is None:
        for game in BOOKS.games.values():
            for profile in game.profiles:
                sets = ", ".join(f"double-{size}" for size in profile.sets)
                counts = sorted({n for table in profile.hands.values() for n in table})
                print(f"{profile.full_name:28}{counts[0]}–{counts[-1]} players, {sets}")
        return 0
    try:
        found = BOOKS.profile(options.profile)
    except Refused as refusal:
        print(f"centerpiece: {refusal}", file=sys.stderr)
        return 2
    from centerpiece.rules.card import card

    print(card(found))
    return 0


def panel(options: argparse.Namespace) -> int:
    """Print what the buttons do, for one game or for all."""
    from centerpiece.games.registry import BOOKS
    from centerpiece.printed import panel_text

    if options.game is not None and options.game not in BOOKS.games:
        known = ", ".join(BOOKS.games)
        print(f"centerpiece: there is no game {options.game!r}; there are {known}", file=sys.stderr)
        return 2
    games = [options.game] if options.game else list(BOOKS.games)
    print("\n\n".join(panel_text(BOOKS.games[name]) for name in games))
    return 0


def state(options: argparse.Namespace) -> int:
    """Fetch the state of the running table."""
    import urllib.error
    import urllib.request

    from centerpiece.config import ConfigError
    from centerpiece.running import settled

    try:
        server = settled(options).server
    except ConfigError as error:
        print(f"centerpiece: {error}", file=sys.stderr)
        return 2
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
