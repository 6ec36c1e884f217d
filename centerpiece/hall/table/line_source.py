"""The line of a running hub, and its memory of games that undo does not reach."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from centerpiece.hall.table.build_line import EARLIER_GAMES, build_line, with_previous
from centerpiece.hall.table.carry_out import CarryOut
from centerpiece.hall.wire.table_line import LONGEST_TROUBLE, GameResult, TableLine
from centerpiece.hub.hub import Hub
from centerpiece.storage.settings import JOURNAL_NAME
from centerpiece.table.events import GameStarted
from centerpiece.table.undo import Recorded


class LineSource:
    """Knows the newest line of a hub. `changed` is called in the hub's thread."""

    def __init__(
        self, hub: Hub, carry_out: CarryOut, changed: Callable[[], None] = lambda: None
    ) -> None:
        self._hub = hub
        self._carry_out = carry_out
        self._changed = changed
        self.journal = hub.settings[JOURNAL_NAME]
        hub.on_recorded(self._recorded)
        self._keep_previous()

    @property
    def seq(self) -> int:
        """The last event that is written."""
        return self._hub.seq

    def line(self, offset: float) -> TableLine:
        """Return the newest line. Everything it is made of is a value, so any thread may call."""
        hub = self._hub
        earlier: tuple[GameResult, ...] = hub.settings[EARLIER_GAMES]
        found = build_line(
            hub.table_id,
            self.journal,
            hub.ledger,
            earlier,
            offset=offset,
            opened=self._carry_out.memory.opened,
        )
        trouble = self._carry_out.note[:LONGEST_TROUBLE]
        return replace(found, trouble=trouble) if trouble else found

    def _recorded(self, recorded: Sequence[Recorded]) -> None:
        if any(isinstance(each.event, GameStarted) for each in recorded):
            self._keep_previous()
        self._changed()

    def _keep_previous(self) -> None:
        """Remember the game before this one, before the one after this makes undo forget it."""
        ledger = self._hub.ledger
        known = self._hub.settings[EARLIER_GAMES]
        games = with_previous(ledger, known)
        if games != known:
            self._hub.change(EARLIER_GAMES, lambda _: games)
