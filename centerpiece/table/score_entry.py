"""Decisions about scores: which are accepted, doubted or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from centerpiece.rules.domino_sets import Tile, pips_in, tiles_in
from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table import scoring
from centerpiece.table.checks import current_round, in_phase, player
from centerpiece.table.events import Event
from centerpiece.table.rounds import ended_round, with_consequences
from centerpiece.table.state import Entry, Round, Seat, Table
from centerpiece.text import Doubted, Refused

if TYPE_CHECKING:
    from centerpiece.table.game import Game
    from centerpiece.table.game_set import GameSet

MOST_POINTS = 10_000


def count_rest(game: Game, table: Table) -> list[Event]:
    """Return, for each missing hand of the round being scored, an event that enters zero.

    Several may be out, or the rest does not matter. Refused if no hand is missing, or outside
    scoring.
    """
    in_phase(table, "scoring", "Hands are counted once the round is over.")
    current = current_round(table)
    rest = scoring.missing(game, table, current)
    if not rest:
        raise Refused("Every hand has already been counted.")
    return [e.ScoreEntered(current.number, number, Entry(0)) for number in rest]


def enter_score(table: Table, command: c.EnterScore) -> list[Event]:
    """Return the event of a hand in the round being scored; none if it is the same as before.

    Refused if impossible or if no round is being scored; Doubted if unlikely or if it would replace
    another hand, unless the command confirms it.
    """
    in_phase(table, "scoring", "First: who went out?")
    current = current_round(table)
    seat = player(table, command.seat)
    was = current.entries.get(seat.number)
    entry = _counted(table, current, seat, command)
    if was is not None and was != entry and not command.confirm:
        raise Doubted(
            "{name} already has {pips} in this round. Confirm to change it to {now}.",
            name=seat.name,
            pips=was.pips,
            now=entry.pips,
        )
    check_entry(table, current, seat, entry, command.confirm)
    return [] if was == entry else [e.ScoreEntered(current.number, seat.number, entry, was)]


def correct_score(
    game_set: GameSet, table: Table, command: c.CorrectScore, at: float
) -> list[Event]:
    """Return the events of a hand in any ended round, entered late or changed.

    No events if it is the same; after the game, other winners may follow. Refused if the hand is
    impossible, Doubted if it is unlikely and the command does not confirm it.
    """
    corrected = ended_round(table, command.round)
    seat = player(table, command.seat, command.round)
    entry = _counted(table, corrected, seat, command)
    check_entry(table, corrected, seat, entry, command.confirm)
    was = corrected.entries.get(seat.number)
    if was == entry:
        return []
    entered = e.ScoreEntered(corrected.number, seat.number, entry, was)
    return with_consequences(game_set, table, [entered])


def check_entry(table: Table, played: Round, seat: Seat, entry: Entry, confirmed: bool) -> None:
    """Raise Refused for an impossible entry, and Doubted for an unlikely one.

    `confirmed` entries and hands that were not shown are never doubted.
    """
    if not 0 <= entry.pips <= MOST_POINTS or not 0 <= entry.blanks <= 2 * MOST_POINTS:
        raise Refused(
            "A score must be a whole number from 0 to {most}, not {pips}.",
            most=MOST_POINTS,
            pips=entry.pips if entry.blanks >= 0 else entry.blanks,
        )
    if entry.tiles is not None and not 1 <= entry.tiles <= tiles_in(table.size):
        raise Refused(
            "A hand can have 1 to {most} tiles left, not {tiles}.",
            most=tiles_in(table.size),
            tiles=entry.tiles,
        )
    _check_double_blank(table, played, seat, entry)
    if confirmed or entry.hidden:
        return
    others = {n: o for n, o in played.entries.items() if n != seat.number and not o.hidden}
    held = _held_at_most(table, played)
    if entry.pips > held:
        raise Doubted(
            "{pips} pips are more than a hand can have with this set ({held}). Confirm if that "
            "is right.",
            pips=entry.pips,
            held=held,
        )
    if entry.pips + sum(o.pips for o in others.values()) > held:
        raise Doubted(
            "All hands together would have more than the {held} pips in the set. Confirm if "
            "that is right.",
            held=held,
        )
    if played.out == seat.number and entry.pips:
        raise Doubted(
            "{name} went out, so there should be nothing to count. Confirm if that is right.",
            name=seat.name,
        )
    zeros = [n for n, o in others.items() if o == Entry(0)]
    if entry == Entry(0) and zeros:
        raise Doubted(
            "{name} already has zero in this round. Confirm if both are right.",
            name=table.name(zeros[0]),
        )
    everyone = len(others) + 1 == len(table.players(played.number))
    if entry.pips and everyone and not zeros and played.out is not None:
        raise Doubted(
            "{name} went out, but nobody would have zero. Confirm if that is right.",
            name=table.name(played.out),
        )


def _check_double_blank(table: Table, played: Round, seat: Seat, entry: Entry) -> None:
    """Refuse a double blank that is in another hand or in the middle: a set has one."""
    if not entry.double_blank:
        return
    if played.engine == 0:
        raise Refused("The double blank is in the middle this round, so nobody has it.")
    for number, other in played.entries.items():
        if other.double_blank and number != seat.number:
            raise Refused(
                "{name} already has the double blank in this round.", name=table.name(number)
            )


def _counted(table: Table, played: Round, seat: Seat, command: c.ScoreCommand) -> Entry:
    """Return a command's hand as an entry: hidden, tile by tile, or by its numbers.

    Refused for a hidden hand if the rules have no penalty for it, and for tiles or doubles that
    cannot be.
    """
    rules = scoring.rules_of(table, played)
    if command.hidden and rules.hidden_bones is None:
        raise Refused("These rules have no penalty for tiles that are not shown.")
    if command.hidden:
        return Entry(0, hidden=True)
    if command.hand:
        return _counted_tiles(table, played, seat, command.hand)
    if command.doubles and not 0 <= command.doubles <= command.pips:
        raise Refused(
            "The whole hand has {pips} pips, so there cannot be {doubles} on doubles.",
            pips=command.pips,
            doubles=command.doubles,
        )
    return Entry(
        command.pips,
        command.double_blank,
        command.blanks,
        tiles=command.tiles,
        doubles=command.doubles,
    )


def _counted_tiles(table: Table, played: Round, seat: Seat, tiles: tuple[Tile, ...]) -> Entry:
    """Return a hand of tiles as an entry, sorted; Refused for a tile that cannot be there."""
    hand = tuple(sorted((min(tile), max(tile)) for tile in tiles))
    _check_tiles(table, played, seat, hand)
    counts_tiles = played.blocked and table.rules.wins == "rounds"
    return scoring.entry_of(hand, counts_tiles)


def _check_tiles(table: Table, played: Round, seat: Seat, hand: tuple[Tile, ...]) -> None:
    """Refuse a tile that the set lacks, or that is here twice, in another hand or in the middle."""
    others = {n: entry.hand for n, entry in played.entries.items() if n != seat.number}
    for place, tile in enumerate(hand):
        facts = {"low": tile[0], "high": tile[1], "size": table.size}
        if not 0 <= tile[0] <= tile[1] <= table.size:
            raise Refused("There is no {low}-{high} in a double-{size} set.", **facts)
        if tile == (played.engine, played.engine):
            raise Refused("The {low}-{high} is in the middle, so nobody has it.", **facts)
        if tile in hand[:place]:
            raise Refused("There is only one {low}-{high}.", **facts)
        for number, theirs in others.items():
            if tile in theirs:
                raise Refused(
                    "{name} already has the {low}-{high}.", name=table.name(number), **facts
                )


def _held_at_most(table: Table, played: Round) -> int:
    """Return the most pips that all hands together can have: those of the set without the engine.

    Where doubles count twice, a hand that is counted on the buttons has them in it twice.
    """
    engine = 2 * (played.engine or 0)
    held = pips_in(table.size) - engine
    if table.rules.doubles_twice:
        held += table.size * (table.size + 1) - engine
    return held
