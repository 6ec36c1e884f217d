"""What the hub remembers from one evening to the next, and adds to what it is asked for.

A button says "this seat plays" or "the next rules", and no more: who sat there last, and which
house rules there are to choose from, is looked up here. Nothing of it is part of a game.
"""

import logging
import os
from collections.abc import Callable

from msgspec.structs import replace

from centerpiece.storage import saved_rules
from centerpiece.storage.journal import JournalError
from centerpiece.storage.settings import Settings
from centerpiece.table.books import Books
from centerpiece.table.commands import (
    ChooseRules,
    Command,
    DrawStarter,
    ForgetHouseRules,
    NextProfile,
    OpenTable,
    SaveHouseRules,
    ToggleSeat,
)
from centerpiece.table.undo import Ledger
from centerpiece.text import Sentence
from hal.ports import SEATS

log = logging.getLogger("centerpiece.hub")

Completed = tuple[Command, Sentence | None]
"""A command with everything filled in, and a note to the table if there is one."""

INCOMPLETE = frozenset(
    (
        ToggleSeat,
        DrawStarter,
        NextProfile,
        ChooseRules,
        OpenTable,
        SaveHouseRules,
        ForgetHouseRules,
    )
)
"""Commands to which something may have to be added."""


class FillIn:
    """The memory of one hub."""

    def __init__(self, books: Books, store: Settings, ledger: Ledger) -> None:
        self._books = books
        self._store = store
        self._ledger = ledger
        self.draw_lot: Callable[[], int] = lambda: int.from_bytes(os.urandom(4))
        """Any number, for drawing who starts."""

    def completed(self, command: Command) -> Completed:
        """The command with what is remembered filled in."""
        table = self._ledger.table
        match command:
            case ToggleSeat(name=None) if command.seat in SEATS:
                name = self._store.last_at_seat(command.seat)
                taken = {seat.name.casefold() for seat in table.seats}
                if name and name.casefold() not in taken:
                    return replace(command, name=name), None
            case DrawStarter(lot=None):
                return DrawStarter(self.draw_lot()), None
            case NextProfile():
                return self._next_rules()
            case ChooseRules() | OpenTable():
                return self._with_house_rules(command)
            case SaveHouseRules(name):
                kept = saved_rules.keep(self._books, self._store, table.rules, name)
                note = Sentence("“{name}” is saved.", {"name": kept.name})
                return SaveHouseRules(kept.name), note
            case ForgetHouseRules(name):
                saved_rules.forget(self._store, table.rules.game, name)
                return command, Sentence("“{name}” is forgotten.", {"name": name})
        return command, None

    def offered(self) -> tuple[str, ...]:
        """The profiles of the chosen game, then the sets saved for it."""
        return saved_rules.names(self._books, self._store, self._ledger.table.rules.game)

    def remember_players(self, at: float) -> None:
        """Names are a convenience: a disk that cannot take them does not stop the game."""
        seats = self._ledger.table.seats
        named = {seat.number: seat.name for seat in seats if seat.name != f"Seat {seat.number}"}
        try:
            self._store.remember_players(named, at)
        except JournalError:
            log.warning("names could not be remembered")

    def _with_house_rules(self, command: ChooseRules | OpenTable) -> Completed:
        """The name of a saved set stands for its profile and its changes."""
        found = saved_rules.find(self._books, self._store, command.rules)
        if found.rules is found.profile:
            return command, None
        changed = replace(
            command,
            rules=found.profile.full_name,
            changes={**found.changes, **command.changes},
            name=found.rules.name,
        )
        return changed, found.note()

    def _next_rules(self) -> Completed:
        """Hold by hold through all that is offered."""
        rules, offered = self._ledger.table.rules, self.offered()
        known = rules.name if rules.name in offered else rules.base
        after = offered.index(known) + 1 if known in offered else 0
        following = offered[after % len(offered)]
        return self._with_house_rules(ChooseRules(f"{rules.game}/{following}"))
