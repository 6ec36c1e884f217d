"""Strategies for tables, commands and edges, and the checks of a legal table.

`wild_commands` are arbitrary: seats that do not exist, absurd scores, settings of the wrong type.
`likely_commands` are what people at a table do, so that games make progress.
"""

from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
from hypothesis import strategies as st

from centerpiece.display.public_state import public_state
from centerpiece.games.mexican_train.game import StartTrain, ToggleDouble, ToggleMarker
from centerpiece.games.mexican_train.rules import PROFILES
from centerpiece.games.registry import GAMES
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.table.rounds import rounds_of
from centerpiece.table.state import TRAIN, Round, Table
from hal.ports import BUTTONS, Edge
from tests.evenings import LiveLedger

NAMES = ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jo")

seats = st.integers(1, 5)
tiles = st.tuples(st.integers(-1, 13), st.integers(0, 13))
pips = st.one_of(st.integers(0, 60), st.just(0))
profiles = st.sampled_from(PROFILES)


@st.composite
def open_tables(draw: st.DrawFn) -> c.OpenTable:
    """Draw any table that a profile can deal, sometimes with fewer rounds."""
    rules = draw(profiles)
    size = draw(st.sampled_from(rules.sets))
    count = draw(st.sampled_from(sorted(rules.hands[size])))
    changes: dict[str, Any] = {}
    if draw(st.booleans()):
        changes["rounds"] = draw(st.integers(1, 3))
    if draw(st.booleans()):
        changes["penalty"] = draw(st.sampled_from(["none", "draw", "keep", "points", "skip"]))
        if changes["penalty"] != "none":
            changes["last_tile"] = "must"
    starter = draw(st.one_of(st.none(), st.integers(1, count)))
    return c.OpenTable(rules.full_name, NAMES[:count], size, changes, starter=starter)


def in_a_round() -> st.SearchStrategy[Command]:
    """Return a strategy for commands while tiles are played."""
    return st.one_of(
        st.builds(ToggleMarker, seats),
        st.builds(ToggleDouble, st.integers(0, 5)),
        st.just(StartTrain()),
        st.builds(c.CallLastTile, seats, st.booleans()),
        st.builds(c.Catch, seats, st.sampled_from([None, True, False])),
        st.builds(c.Catch, seats, whose=st.integers(0, 5)),
        st.builds(c.TakeBackLastTile, seats),
        st.just(c.BlowWhistle()),
        st.builds(c.Penalize, seats, st.sampled_from(["draw", "points", "skip", "keep"])),
        st.builds(c.DesignateStarter, seats),
        st.builds(c.DrawStarter, st.integers(0, 100)),
    )


def between_rounds() -> st.SearchStrategy[Command]:
    """Return a strategy for ends of rounds, scores, comings and goings."""
    return st.one_of(
        st.builds(c.GoOut, seats, st.booleans()),
        st.builds(c.GoOut, seats),
        st.just(c.Block()),
        st.builds(c.EnterScore, seats, pips, confirm=st.booleans()),
        st.builds(c.EnterScore, seats, pips),
        st.builds(c.EnterScore, seats, hand=st.lists(tiles, max_size=4).map(tuple)),
        st.builds(c.EnterScore, seats, pips, double_blank=st.booleans(), hidden=st.booleans()),
        st.builds(c.CorrectScore, seats, pips, confirm=st.booleans(), round=st.integers(1, 3)),
        st.builds(c.NextRound, st.booleans()),
        st.just(c.NextRound(uncounted=True)),
        st.builds(c.Join, st.sampled_from(NAMES)),
        st.builds(c.Leave, seats),
        st.builds(c.Rename, seats, st.sampled_from(NAMES)),
        st.just(c.CountRest()),
        st.builds(c.Substitute, seats, st.sampled_from(NAMES)),
        st.builds(c.Park, seats),
        st.builds(c.Return, seats),
        st.just(c.FinishGame()),
        st.just(c.OpenLobby()),
        st.just(c.PlayOff()),
        st.just(c.Rematch()),
    )


def in_the_lobby() -> st.SearchStrategy[Command]:
    """Return a strategy for seats, games and the start."""
    return st.one_of(
        st.builds(c.ToggleSeat, seats),
        st.builds(c.MoveSeat, seats, seats),
        st.just(c.NextGame()),
        st.just(c.NextSet()),
        st.just(c.NextProfile()),
        st.just(c.Start()),
        open_tables(),
    )


def time_travel() -> st.SearchStrategy[Command]:
    """Return a strategy for undo and redo."""
    return st.sampled_from([c.Undo(), c.Undo(), c.Redo()])


likely_commands: st.SearchStrategy[Command] = st.one_of(
    in_a_round(), in_a_round(), between_rounds(), between_rounds(), in_the_lobby(), time_travel()
)
"""Commands that people give, in an unlikely order."""

evenings: st.SearchStrategy[list[Command]] = st.builds(
    lambda first, rest: [first, *rest], open_tables(), st.lists(likely_commands, max_size=25)
)
"""Opening a table, and the commands at it."""

_wild_numbers = st.one_of(
    st.integers(-3, 16), st.sampled_from([-(2**63), 2**63, 10**30, 10_000, 10_001, -1])
)
_wild_words = st.one_of(
    st.text(max_size=60),
    st.sampled_from(["", " ", "José", "Jose\u0301", "山田", "x" * 200, "{name}", "\0", "a\u202eb"]),
)
_wild_values = st.one_of(
    st.none(),
    st.booleans(),
    _wild_numbers,
    st.floats(allow_nan=True),
    _wild_words,
    st.lists(st.integers(-2, 21), max_size=4),
    st.dictionaries(
        st.sampled_from(["6", "9", "12", "15", "20", "x"]),
        st.dictionaries(st.sampled_from(["1", "2", "4", "11", "y"]), st.integers(-1, 60)),
        max_size=2,
    ),
)
_settings = st.sampled_from((*PROFILES[0].settings, "nonsense", "name", "game", ""))
_changes = st.dictionaries(_settings, _wild_values, max_size=3)
_rule_names = st.one_of(
    st.sampled_from([*(p.full_name for p in PROFILES), "mexican-train", "chess", "", "/"]),
    _wild_words,
)
_maybe = st.one_of(st.none(), _wild_numbers)


def _values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for values of a field's type."""
    if kind is Any:
        return _wild_values
    if isinstance(kind, UnionType) or get_origin(kind) is Union:
        return st.one_of([_values_of(each) for each in get_args(kind)])
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    if get_origin(kind) is tuple:
        return st.lists(_values_of(get_args(kind)[0]), max_size=11).map(tuple)
    if get_origin(kind) is dict:
        return _changes
    return {
        int: st.one_of(st.integers(0, 6), _wild_numbers),
        float: st.one_of(st.floats(0.0, 2e9), _wild_numbers.map(float)),
        bool: st.booleans(),
        str: st.one_of(_rule_names, _wild_words),
        type(None): st.none(),
    }[kind]


def _any(kind: type[Command]) -> st.SearchStrategy[Command]:
    fields = {f.name: _values_of(f.type) for f in msgspec.structs.fields(kind)}
    return st.builds(kind, **fields)


@st.composite
def any_tables(draw: st.DrawFn) -> c.OpenTable:
    """Draw any table of any game that a profile can deal, sometimes with other settings."""
    game = draw(st.sampled_from(tuple(GAMES.games.values())))
    rules = draw(st.sampled_from(game.profiles))
    size = draw(st.sampled_from(rules.sets))
    count = draw(st.sampled_from(sorted(rules.hands[size])))
    return c.OpenTable(rules.full_name, NAMES[:count], size, draw(_changes))


wild_commands: st.SearchStrategy[Command] = st.one_of(
    likely_commands, any_tables(), *(_any(kind) for kind in GAMES.commands)
)
"""Any command that a program could send, to any game."""


# Edges


@st.composite
def bounces(draw: st.DrawFn, settle: float = 0.005) -> list[float]:
    """Draw the gaps of a bouncing contact: an even number, each shorter than `settle`."""
    count = 2 * draw(st.integers(0, 4))
    return [draw(st.floats(0.0001, settle * 0.9)) for _ in range(count)]


class Move(msgspec.Struct, frozen=True):
    """One action of a finger, and the time until the next."""

    button: str
    down: bool
    wait: float


_times = st.one_of(
    st.floats(0.0, 0.02), st.floats(0.02, 0.4), st.sampled_from([0.3, 0.8, 1.5, 3.0, 5.0, 0.005])
)
_buttons = st.one_of(
    st.sampled_from(BUTTONS), st.sampled_from(["seat-1", "seat-2", "train", "advance", "undo"])
)
moves: st.SearchStrategy[list[Move]] = st.lists(
    st.builds(Move, _buttons, st.booleans(), _times), max_size=60
)
"""Random presses and releases of any button at any time, with bounce."""


def edges_of(sequence: list[Move], begin: float = 100.0) -> list[Edge]:
    """Return the moves as edges in time."""
    now, edges = begin, []
    for move in sequence:
        edges.append(Edge(move.button, move.down, now))
        now += move.wait
    return edges


# Invariants


def check_legal(table: Table) -> None:
    """Check what holds of every table, however it came about."""
    numbers = [seat.number for seat in table.seats]
    assert sorted(set(numbers)) == numbers
    assert set(numbers) <= set(range(1, 11))
    names = [seat.name.casefold() for seat in table.seats]
    assert len(set(names)) == len(names)
    assert all(0 < len(seat.name) <= 40 and seat.name == seat.name.strip() for seat in table.seats)
    assert table.size in table.rules.sets
    assert all(0 <= engine <= table.size for engine in table.engines)
    assert [n + 1 for n in range(table.number)] == [played.number for played in table.rounds]
    if table.phase == "lobby":
        assert ((), ()) == (table.rounds, table.engines)
        assert all(seat.until is None and seat.since == 1 for seat in table.seats)
        assert table.started_at is None
    else:
        _check_game(table)


def _check_game(table: Table) -> None:
    assert 1 <= len([played for played in table.rounds if not played.among]) <= rounds_of(table)
    assert table.started_at is not None
    current = table.rounds[-1]
    assert all(played.ended for played in table.rounds[:-1])
    if table.phase != "finished":
        assert (table.phase == "scoring") == current.ended
    playing = {seat.number for seat in table.players()}
    signs = GAMES.game_of(table).signs(table)
    assert signs.open_trains <= playing
    assert set(signs.doubles) <= playing | {TRAIN}
    assert len(set(signs.doubles)) == len(signs.doubles)
    assert signs.siding.look == "double" or TRAIN not in signs.doubles
    assert table.calls <= table.announced <= playing
    assert 0 <= table.whistles
    assert table.skipped <= playing
    for played in table.rounds:
        _check_round(table, played)
    known = {seat.number for seat in table.seats}
    assert all(1 <= p.round <= table.number and p.seat in known for p in table.penalties)
    assert not table.asks_who_starts() or table.phase == "playing"


def _check_round(table: Table, played: Round) -> None:
    playing = {seat.number for seat in table.players(played.number)}
    everyone = {seat.number for seat in table.seats}
    assert set(played.entries) <= playing
    assert played.starter is None or played.starter in everyone
    assert played.out is None or (played.out in playing and played.ended)
    assert not (played.blocked and played.out is not None)
    assert not played.entries or played.ended
    assert all(0 <= entry.pips <= 10_000 for entry in played.entries.values())


def check_totals(table: Table, page: dict[str, Any]) -> None:
    """Check that a total is the sum of the whole rounds and a late arrival's first points."""
    scores = {seat["seat"]: seat["scores"] for seat in page["seats"]}
    ended = [played.number for played in table.rounds if played.ended and not played.among]
    whole = {n for n in ended if None not in [scores[s.number][n - 1] for s in table.players(n)]}
    in_play = any(played.awards for played in table.rounds)  # these count at once
    for seat, shown in zip(table.seats, page["seats"], strict=True):
        if seat.team is None and not in_play:
            counted = whole | {seat.since - 1}
            known = [points for n, points in enumerate(shown["scores"], start=1) if n in counted]
            assert sum(points or 0 for points in known) == shown["total"]


def check_page(ledger: LiveLedger) -> None:
    """Check that the public state is consistent, and is JSON."""
    page = public_state(ledger, "table-1", 1_800_000_100.0)
    assert msgspec.json.decode(msgspec.json.encode(page)) == page
    check_totals(ledger.table, page)
    placed = sorted(seat["place"] for seat in page["seats"] if seat["place"] is not None)
    assert all(place <= order for order, place in enumerate(placed, start=1))
    assert not placed or placed[0] == 1
    playing = {seat["seat"] for seat in page["seats"] if seat["plays"]}
    assert set(page["winners"]) <= playing
    missed = {gap["round"] for gap in page["missing"]}
    assert not page["winners"] or missed <= set(page["left_out"])


def fresh() -> LiveLedger:
    """Return a new table."""
    return LiveLedger()
