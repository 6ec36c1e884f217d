"""`centerpiece simulate` and `script`: virtual players' games, and scenario files.

All arguments are checked before the first game.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from centerpiece.games.registry import GAMES
from centerpiece.rules.rules import Rules
from sim.aloud import aloud
from sim.dominoes.dealing import CannotDeal, tiles_each
from sim.dominoes.happenings import Happening
from sim.hands import HandGesture
from sim.people.commentary import lines
from sim.people.games import Unknown, known, reporter_of
from sim.people.play import Watch, play_game
from sim.people.players import KINDS
from sim.people.plot import picture
from sim.people.reporting import Reporter
from sim.people.tables import SimulatedResult, Tables
from sim.people.tally import Tally
from sim.script import run_file

USUAL_PLAYERS = 4
BAR = 30


def simulate(options: argparse.Namespace) -> int:
    """Play the games asked for and print a summary; return 0.

    Ctrl-C or an error ends it, after a summary of the games played so far.
    """
    requested = _tables(options)
    games = _games(options)
    if options.plot is not None:
        _check_writable(options.plot)
    tallies = [Tally.of(tables) for tables in requested]
    try:
        for tables, tally in zip(requested, tallies, strict=True):
            for result in _play(tables, games, options.transcript):
                tally.add(result)
    except KeyboardInterrupt:
        print("\nStopped; this is the summary so far.", file=sys.stderr)
        raise
    finally:
        _print_summary([tally for tally in tallies if tally.games], options)
    return 0


# -- arguments ----------------------------------------------------------------------------------


def _tables(options: argparse.Namespace) -> list[Tables]:
    """Return the tables of each profile asked for, by default of all that virtual players can play.

    Raise Unknown for arguments that cannot be played, or if `--replay` fits several profiles.
    """
    kinds = _kinds(options)
    if not 0 <= options.incidents <= 1:
        raise Unknown("--incidents must be from 0 to 1, not {share}", share=options.incidents)
    seed = _replay(options)[0] if options.replay else options.seed
    names = options.profiles or [
        profile.full_name
        for game in GAMES.games.values()
        for profile in game.profiles
        if profile.game in known()
    ]
    result = []
    for name in names:
        rules = GAMES.profile(name)
        reporter_of(rules.game)
        size = options.set or rules.sets[0]
        players = options.players or _usual_players(rules, size)
        try:
            tiles_each(rules, size, players)
        except CannotDeal as error:
            raise Unknown("{why}", why=str(error)) from None
        result.append(Tables(rules, size, players, kinds, seed, options.incidents, options.docks))
    if options.replay and len(result) != 1:
        raise Unknown("--replay plays one game of one profile; say which profile")
    return result


def _kinds(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the kinds of players asked for, by default all; raise Unknown for an unknown kind."""
    kinds = tuple(kind for kind in (options.kinds or "").split(",") if kind)
    for kind in kinds:
        if kind not in KINDS:
            raise Unknown(
                "there is no player “{kind}”; the kinds are {known}",
                kind=kind,
                known=", ".join(KINDS),
            )
    return kinds or tuple(KINDS)


def _usual_players(rules: Rules, size: int) -> int:
    hands = rules.hands.get(size, {USUAL_PLAYERS: 0})
    return USUAL_PLAYERS if USUAL_PLAYERS in hands else max(hands)


def _games(options: argparse.Namespace) -> range:
    """Return the numbers of the games to play, from 1; with `--replay`, only that one.

    Raise Unknown if there is not at least one.
    """
    if options.replay:
        game = _replay(options)[1]
        return range(game, game + 1)
    if options.games < 1:
        raise Unknown("--games must be at least 1, not {games}", games=options.games)
    return range(1, options.games + 1)


def _replay(options: argparse.Namespace) -> tuple[int, int]:
    """Return the seed and the number of the game in `--replay`; raise Unknown if malformed."""
    seed, _, game = options.replay.partition(":")
    try:
        return int(seed), int(game)
    except ValueError:
        raise Unknown(
            "--replay takes SEED:GAME, such as 1:17, not “{replay}”", replay=options.replay
        ) from None


def _check_writable(path: Path) -> None:
    """Raise Unknown if the file `path` cannot be written; a missing one is made, and is empty."""
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise Unknown(
            "{file} cannot be written: {why}; choose another place", file=path, why=error.strerror
        ) from None


# -- play ---------------------------------------------------------------------------------------


def _play(tables: Tables, games: range, transcript: bool) -> Iterator[SimulatedResult]:
    """Play the games of these numbers, yield each result, and show a progress bar.

    With `transcript`, also print a commentary on each game.
    """
    progress = Progress(tables.rules.full_name, len(games))
    for done, game in enumerate(games):
        progress.show(done)
        if transcript:
            print(f"\n{tables.rules.full_name}, seed {tables.seed}, game {game}")
        yield play_game(tables, game, _commentator() if transcript else None)
    progress.show(len(games))
    progress.end()


def _commentator() -> Watch:
    """Return a callback that prints what happens, and says where a new round begins."""
    rounds: list[Reporter] = []

    def watch(
        reporter: Reporter, happenings: Sequence[Happening], gestures: Sequence[HandGesture]
    ) -> None:
        if not rounds or rounds[-1] is not reporter:
            rounds.append(reporter)
            print(f"\nRound {len(rounds)}; seat {reporter.played.starter + 1} starts.")
        for line in lines(reporter, happenings, gestures):
            print(line)

    return watch


class Progress:
    """A progress bar on a terminal; prints nothing elsewhere."""

    def __init__(self, name: str, games: int) -> None:
        self.name, self.games = name, games
        self.visible = sys.stderr.isatty()
        self.began = self.drawn = time.monotonic()

    def show(self, done: int) -> None:
        """Draw the bar with `done` games, a few times a second at most.

        The first and the last are always drawn, but nothing unless stderr is a terminal.
        """
        now = time.monotonic()
        if not self.visible or (done not in (0, self.games) and now - self.drawn < 0.2):
            return
        self.drawn = now
        filled = BAR * done // self.games
        rate = done / (now - self.began) if now > self.began else 0.0
        print(
            f"\r{self.name:<26} {'█' * filled}{'·' * (BAR - filled)} "
            f"{done:,}/{self.games:,}  {rate:.0f}/s ",
            end="",
            file=sys.stderr,
            flush=True,
        )

    def end(self) -> None:
        """Move to the line after the bar."""
        if self.visible:
            print(file=sys.stderr)


# -- summary ------------------------------------------------------------------------------------


def _print_summary(tallies: list[Tally], options: argparse.Namespace) -> None:
    """Print a summary of each tally, or with `--json` of all as one document.

    With `--plot`, draw the plot into that file first.
    """
    if options.plot is not None:
        options.plot.write_text(picture(tallies), encoding="utf-8")
    if options.json:
        document = {"profiles": [tally.document() for tally in tallies]}
        print(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
        return
    for tally in tallies:
        print("\n".join(["", *tally.lines()]))


# -- scripts ------------------------------------------------------------------------------------


def script(options: argparse.Namespace) -> int:
    """Run the scenario files, and print each failed expectation; return 1 if any failed, else 0.

    With `--aloud`, only print what is heard. Raise Unknown for a file that cannot be read.
    """
    failures = 0
    for file in options.files:
        try:
            if options.aloud:
                print("\n".join(aloud(file)))
                continue
            failed = run_file(file)
        except (OSError, UnicodeDecodeError) as error:
            raise Unknown(
                "{file} cannot be read: {why}", file=file, why=getattr(error, "strerror", error)
            ) from None
        for failure in failed:
            print(failure, file=sys.stderr)
        failures += len(failed)
        print(f"{file}: {'failed' if failed else 'passed'}")
    return 1 if failures else 0
