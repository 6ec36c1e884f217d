"""Whatever stands in Redis is data: no entry ends a reader, and none of its orders."""

from collections.abc import Iterator
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from centerpiece.games.registry import GAMES
from centerpiece.hall.server.line_board import LineBoard
from centerpiece.hall.table.carry_out import CarryOut
from centerpiece.hall.wire import hall_orders as o
from centerpiece.hall.wire.table_line import GameResult, SeatedPlayer, TableLine, read_line
from centerpiece.hub.hub import Hub
from centerpiece.storage.journal import Journal
from sim.board import build
from sim.clock import VirtualClock
from tests.mutations import mutated

AT = 1_800_000_000.0
ORDERS = [
    o.Open("Spring rally"),
    o.HandCard("mexican-train/rally", 12, {"rounds": 5}, "Ours"),
    o.StartGame(1, AT, 60.0),
    o.SetClock(AT + 60),
    o.FinishRound(),
    o.Announce("Coffee", ("table-1",)),
    o.ChangeTables((o.Move("Ann", "table-1", "table-2", 3, "Ann"),), {"table-1": {1: "Bob"}}),
    o.CallPlayOff(1, "table-1", (o.Move("Ann", "table-2", "table-1", 3, "Ann"),), 1),
    o.SeatLate("Eve", "table-1", 4),
    o.Quiet(0.5, "21:00"),
    o.FreeName("table-1"),
]
PACKED = [o.packed(order)[o.FIELD] for order in ORDERS]
PEOPLE = tuple(SeatedPlayer(seat, name, 10 * seat) for seat, name in enumerate(("Ann", "Bob"), 1))
LINE = TableLine(
    "table-1", "j1", 5, AT, games=(GameResult(AT, "r", "lowest", 5, False, PEOPLE),), lobby=PEOPLE
)


def numbers(value: Any) -> Iterator[Any]:
    """Yield the value with each of its parts replaced by something that fits its type badly."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from ({**value, key: other} for other in numbers(part))
    elif isinstance(value, list):
        yield from (
            [*value[:at], x, *value[at + 1 :]] for at, v in enumerate(value) for x in numbers(v)
        )
        yield value * 20
    elif isinstance(value, str):
        yield from ("", "\u202e", "x" * 200, "nobody/nothing", "<b>", "{text}")
    else:
        yield from (-1, 0, 10, 1e300, -1e300, True, 2**63)


STRANGE = [
    msgspec.json.encode(other) for order in PACKED for other in numbers(msgspec.json.decode(order))
]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.one_of(st.sampled_from(PACKED + STRANGE), st.sampled_from(PACKED).flatmap(mutated)),
        max_size=12,
    )
)
def test_a_table_carries_out_or_refuses_every_order(said: list[bytes]) -> None:
    """It plays on, and the last order is carried out as if nothing had been."""
    journal = Journal(":memory:", GAMES)
    hub = Hub(GAMES, journal, build(clock=VirtualClock(at=AT)))
    carry_out = CarryOut(hub, "rally")
    for number, fields in enumerate([*said, PACKED[5]], 1):
        given_order = o.read_order(b"%d-%d" % (int(AT * 1000), number), {o.FIELD: fields}, "1-0")
        if given_order is not None:
            carry_out.take(given_order)
            carry_out.next_due()
            hub.state()
    journal.close()

    assert carry_out.memory.position.endswith(f"-{len(said) + 1}")
    assert "Coffee" == hub.state()["notice"]


@given(st.one_of(mutated(msgspec.json.encode(LINE)), st.binary()), st.binary(max_size=10))
def test_a_hall_reads_every_line(document: bytes, name: bytes) -> None:
    """A line is bounded, or it is none; the table of its key is told to be unreadable."""
    line = read_line(document)
    assert line is None or len(msgspec.json.encode(line)) < 100_000
    board = LineBoard()
    board.judge("table-1", {b"first": b"j1", b"j1": document, name: document})

    assert board.tables() <= {"table-1"}
