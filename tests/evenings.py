"""A small vocabulary for tests about a table: open one, send commands, read its state.

It checks no rules; that is up to the tests.
"""

from collections.abc import Iterable
from typing import Any

from centerpiece.display.public_state import public_state
from centerpiece.games.registry import GAMES
from centerpiece.table import commands as c
from centerpiece.table.commands import BlowWhistle, Command
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger, Recorded
from centerpiece.text import Refused

AT = 1_800_000_000.0
FOUR = ("Ann", "Bob", "Cara", "Dan")


class LiveLedger:
    """A mutable ledger: `apply` replaces its state."""

    def __init__(self, ledger: Ledger | None = None) -> None:
        self.ledger = ledger or Ledger.blank(GAMES)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ledger, name)

    def apply(self, recorded: Recorded) -> None:
        self.ledger = self.ledger.apply(recorded)


def order(ledger: LiveLedger, *commands: Command, at: float = AT) -> list[Recorded]:
    """Carry commands out, one step each; return what was recorded."""
    journal: list[Recorded] = []
    for command in commands:
        recorded = ledger.record(ledger.decide(command, at), at)
        for each in recorded:
            ledger.apply(each)
        journal += recorded
    return journal


def refusal(ledger: LiveLedger, command: Command) -> Refused:
    """Return the refusal of a command; fail if it is accepted or changes anything."""
    before = (ledger.table, ledger.seq, len(ledger.past), len(ledger.future))
    try:
        events = ledger.decide(command, AT)
    except Refused as refused:
        assert before == (ledger.table, ledger.seq, len(ledger.past), len(ledger.future))
        return refused
    raise AssertionError(f"{command!r} was not refused: {events!r}")


def without_whistles(commands: Iterable[Command]) -> list[Command]:
    """Leave out whistles, which undo does not take back."""
    return [command for command in commands if not isinstance(command, BlowWhistle)]


def tried(ledger: LiveLedger, commands: Iterable[Command]) -> list[Recorded]:
    """Carry out the commands that are not refused; return what was recorded."""
    journal: list[Recorded] = []
    for command in commands:
        try:
            journal += order(ledger, command)
        except Refused:
            continue
    return journal


def opened(
    rules: str = "mexican-train/classic",
    players: Iterable[str] = FOUR,
    size: int | None = None,
    starter: int | None = 1,
    **changes: Any,
) -> LiveLedger:
    """Return a game that has just begun."""
    ledger = LiveLedger()
    order(ledger, c.OpenTable(rules, tuple(players), size, changes, starter=starter))
    return ledger


def replayed(journal: Iterable[Recorded]) -> LiveLedger:
    """Return the ledger of a journal."""
    ledger = LiveLedger()
    for recorded in journal:
        ledger.apply(recorded)
    return ledger


def scored(ledger: LiveLedger, out: int, **pips: int) -> None:
    """End the round with the seat that went out, and the others' pips (`s2=31`)."""
    order(ledger, c.GoOut(out))
    order(ledger, *(c.EnterScore(int(seat[1:]), count) for seat, count in pips.items()))


def seen(ledger: LiveLedger, at: float = AT) -> dict[str, Any]:
    """Return the public state."""
    return public_state(ledger, "table-1", at)


def seat_of(ledger: LiveLedger, number: int) -> dict[str, Any]:
    """Return the public state of a seat."""
    (found,) = [seat for seat in seen(ledger)["seats"] if seat["seat"] == number]
    return dict(found)


def row(ledger: LiveLedger, key: str) -> list[Any]:
    """Return one field of every seat, clockwise."""
    return [seat[key] for seat in seen(ledger)["seats"]]


def same(one: LiveLedger | Ledger, other: LiveLedger | Ledger) -> bool:
    """Compare two ledgers, undo history included."""
    return ledger_facts(one) == ledger_facts(other)


def ledger_facts(ledger: LiveLedger | Ledger) -> tuple[Table, int, list[Any], list[Any], str]:
    """Return the whole content of a ledger, for comparing."""
    return (ledger.table, ledger.seq, [*ledger.past], [*ledger.future], str(ledger.notice()))
