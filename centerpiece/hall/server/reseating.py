"""PURE: new seats for play-offs, changes of tables and late arrivals."""

from collections.abc import Iterable, Sequence
from itertools import chain, count

from centerpiece.hall.server.leaderboard import RallyStanding
from centerpiece.hall.wire.hall_orders import PLAY_OFF, CallPlayOff, ChangeTables, Move
from centerpiece.hall.wire.table_line import SeatedPlayer, TableLine

USUAL_PLAYERS = 6
MOST_PLAYERS = 7
SEATS = range(1, 11)


def play_off(place: int, tied: Sequence[RallyStanding], table: str, rounds: int = 1) -> CallPlayOff:
    """Return the call of the people who share `place` to `table`, for `rounds` rounds.

    They get the seats from 1 on, in the order of `tied`; equal names are told apart.
    """
    moves: list[Move] = []
    for seat, person in enumerate(tied, start=1):
        known_as = _distinct(person.name, person.table, [move.known_as for move in moves])
        moves.append(Move(person.name, person.table, table, seat, known_as))
    return CallPlayOff(place, table, tuple(moves), rounds)


def change_tables(
    tables: Sequence[TableLine], staying: frozenset[tuple[str, str]], movers: int = 3
) -> ChangeTables:
    """Return the order that moves the best `movers` people of each table on to the next one.

    `staying` has table and name of people who do not move. Every table keeps its number of people:
    each newcomer takes the seat of one who leaves.
    """
    leaving = [_leaving(line, staying, movers) for line in tables]
    movers_of = [*zip(tables, leaving, strict=True)]
    origins = [(line.table, who) for line, group in movers_of for who in group]
    free = [
        (line.table, who.seat) for line, group in (*movers_of[1:], *movers_of[:1]) for who in group
    ]
    seats = {
        line.table: {p.seat: p.name for p in line.seated if not p.left and p not in group}
        for line, group in movers_of
    }
    moves = []
    for (origin, who), (table, seat) in zip(origins, free, strict=True):
        known_as = _distinct(who.name, origin, seats[table].values())
        seats[table][seat] = known_as
        moves.append(Move(who.name, origin, table, seat, known_as))
    return ChangeTables(tuple(moves), seats)


def _leaving(
    line: TableLine, staying: frozenset[tuple[str, str]], movers: int
) -> list[SeatedPlayer]:
    """Return at most `movers` people of a table with the best totals, in the order of their seats.

    People who have left, sit out or are in `staying` cannot move. The totals are those of the last
    game, and people who were not in it come last.
    """
    played = next((game for game in reversed(line.games) if game.rules != PLAY_OFF), None)
    totals = {p.name.casefold(): p.total for p in played.players} if played else {}

    def merit(player: SeatedPlayer) -> tuple[bool, int, int]:
        total = totals.get(player.name.casefold())
        worth = played.worth(total) if played is not None and total is not None else 0
        return total is None, worth, player.seat

    free = [
        p for p in line.seated if not (p.left or p.away) and (line.table, p.name) not in staying
    ]
    return sorted(sorted(free, key=merit)[:movers], key=lambda player: player.seat)


def _distinct(name: str, table: str, taken: Iterable[str]) -> str:
    """Return `name`, or if it is taken, `name` with `table`, and a number if that is taken too.

    `table` is where its owner came from. The result has at most 40 characters.
    """
    folded = {each.casefold() for each in taken}
    tails = chain(["", f" ({table})"], (f" ({table}, {number})" for number in count(2)))
    names = (name[: 40 - len(tail)] + tail for tail in tails)
    return next(known_as for known_as in names if known_as.casefold() not in folded)


def free_seat(lines: Iterable[TableLine]) -> tuple[str, int] | None:
    """Return table and seat for a late arrival; None if there is no seat.

    The table with the fewest people comes first, then the earliest round; one with `USUAL_PLAYERS`
    or more comes later, an empty one in the lobby last. Finished tables, and those with
    `MOST_PLAYERS`, are left out.
    """
    open_tables = []
    for line in lines:
        count = sum(not player.left for player in line.seated)
        taken = {player.seat for player in line.seated}
        chairs = [seat for seat in SEATS if seat not in taken]
        if line.phase != "finished" and count < MOST_PLAYERS and chairs:
            waiting = line.phase == "lobby" and not count
            key = (waiting, count >= USUAL_PLAYERS, count, line.round, line.table)
            open_tables.append((key, line.table, chairs[0]))
    return min(open_tables)[1:] if open_tables else None
