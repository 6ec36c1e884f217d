"""PURE: who goes where: play-offs, changes of tables, late arrivals."""

from collections.abc import Iterable, Sequence

from centerpiece.hall.server.leaderboard import RallyStanding
from centerpiece.hall.wire.hall_orders import PLAY_OFF, CallPlayOff, ChangeTables, Move
from centerpiece.hall.wire.table_line import SeatedPlayer, TableLine

USUAL_PLAYERS = 6
MOST_PLAYERS = 7
SEATS = range(1, 11)


def play_off(place: int, tied: Sequence[RallyStanding], table: str, rounds: int = 1) -> CallPlayOff:
    """Return the call for those who share a place: names, table and new seats."""
    taken: set[str] = set()
    moves = []
    for seat, person in enumerate(tied, start=1):
        known_as = _distinct(person.name, person.table, taken)
        taken.add(known_as.casefold())
        moves.append(Move(person.name, person.table, table, seat, known_as))
    return CallPlayOff(place, table, tuple(moves), rounds)


def change_tables(
    tables: Sequence[TableLine], staying: frozenset[tuple[str, str]], movers: int = 3
) -> ChangeTables:
    """Move the best of each table on to the next; who stays seated stays, and the next one moves.

    Every table keeps its number of people: whoever leaves makes room for one who comes.
    """
    leaving = [_leaving(line, staying, movers) for line in tables]
    goers = [(line, who) for line, group in zip(tables, leaving, strict=True) for who in group]
    after = [*zip(tables[1:], leaving[1:], strict=True), *zip(tables[:1], leaving[:1], strict=True)]
    chairs = [(line.table, who.seat) for line, group in after for who in group]
    gone = {(line.table, who.seat) for line, who in goers}
    seats = {
        line.table: {
            p.seat: p.name for p in line.seated if not p.left and (line.table, p.seat) not in gone
        }
        for line in tables
    }
    moves = []
    for (line, who), (table, seat) in zip(goers, chairs, strict=True):
        taken = {name.casefold() for name in seats[table].values()}
        known_as = _distinct(who.name, line.table, taken)
        seats[table][seat] = known_as
        moves.append(Move(who.name, line.table, table, seat, known_as))
    return ChangeTables(tuple(moves), seats)


def _leaving(
    line: TableLine, staying: frozenset[tuple[str, str]], movers: int
) -> list[SeatedPlayer]:
    """Return who moves on, by seats: the lowest totals, or the highest where those win.

    Only who is at the table can: nobody who has left or sits out. In the lobby the game before
    counts; who was not in it comes last.
    """
    played = next((game for game in reversed(line.games) if game.rules != PLAY_OFF), None)
    totals = {p.name.casefold(): p.total for p in played.players} if played else {}

    def merit(player: SeatedPlayer) -> tuple[bool, int, int]:
        total = totals.get(player.name.casefold())
        worth = played.worth(total) if played is not None and total is not None else 0
        return total is None, worth, player.seat

    free = [p for p in line.seated if p.present and (line.table, p.name) not in staying]
    return sorted(sorted(free, key=merit)[:movers], key=lambda player: player.seat)


def _distinct(name: str, table: str, taken: set[str]) -> str:
    """Return the name, with the table it came from if somebody has it already."""
    if name.casefold() not in taken:
        return name
    tail = f" ({table})"
    return name[: 40 - len(tail)] + tail


def free_seat(lines: Iterable[TableLine]) -> tuple[str, int] | None:
    """Return where a late arrival may sit: where most are missing, in the earliest round."""
    open_tables = []
    for line in lines:
        count = sum(not player.left for player in line.seated)
        taken = {player.seat for player in line.seated}
        chairs = [seat for seat in SEATS if seat not in taken]
        if line.phase != "finished" and count < MOST_PLAYERS and chairs:
            waiting = line.phase == "lobby" and not count
            key = (waiting, count >= USUAL_PLAYERS, count, line.round, line.table)
            open_tables.append((key, line.table, chairs[0]))
    if not open_tables:
        return None
    _, table, seat = min(open_tables)
    return table, seat
