"""The organiser's desk: requests turned into orders, and the log of all orders given.

Every process of the hall keeps the same log, since all read the same stream of orders. Where
Redis was wiped, or has lost the last of them, whoever still knows the orders puts them back under
their own IDs.
Called from the reader's thread and from the pages'; a lock keeps them apart.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from centerpiece.hall.server import desk_requests as ask
from centerpiece.hall.server import reseating
from centerpiece.hall.server.leaderboard import Leaderboard, by_number, standings
from centerpiece.hall.server.line_board import LineBoard
from centerpiece.hall.server.rally_log import RallyLog
from centerpiece.hall.wire import hall_keys, hall_orders
from centerpiece.hall.wire.hall_errors import HallError
from centerpiece.hall.wire.hall_orders import Given, Order, given, packed
from centerpiece.hall.wire.redis_connection import Redis, ResponseError, TimeOf, server_time
from centerpiece.hall.wire.table_line import TableLine, fingerprint
from centerpiece.rules.rules import Rules, with_settings
from centerpiece.table.game_set import GameSet
from centerpiece.text import Refused

FRESH_FOR = 1.0
"""How old the leaderboard may be, in seconds."""
MOST_LINES = 100_000
"""Lines in the stream, about, also where a table forgets to cap it."""


class Desk:
    """The log of a hall, and the organiser's hand in it."""

    def __init__(
        self,
        client: Redis,
        hall: str,
        board: LineBoard,
        game_set: GameSet,
        *,
        time_of: TimeOf = server_time,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self.board = board
        self._game_set = game_set
        self._time_of = time_of
        self._now = now
        self.hall = hall
        self._key = hall_keys.orders(hall)
        self._lock = threading.RLock()
        self._given: list[Given] = []
        self._ahead = 0.0
        self.log = RallyLog()
        self._ranking = threading.Lock()
        """Held while the leaderboard is worked out, which keeps no order and no line waiting."""
        self._leaderboard = (float("-inf"), self.log, Leaderboard((), False, ()))

    def rules(self) -> list[dict[str, Any]]:
        """Return every rule book that can be handed out, and with which sets it is played."""
        return [
            {"rules": each.full_name, "title": f"{game.title}: {each.name}", "sets": each.sets}
            for game in self._game_set.games.values()
            for each in game.profiles
        ]

    def hall_now(self) -> float:
        """Return the hall's time, as it was asked for last."""
        return self._now() + self._ahead

    # The log

    def refresh(self) -> None:
        """Read the hall's time, and the orders that other processes have given."""
        with self._lock:
            self._ahead = self._time_of(self._client) - self._now()
            self._read_orders()

    def tidy(self) -> None:
        """Cap the stream of lines, whoever wrote them."""
        self._client.xtrim(hall_keys.lines(self.hall), maxlen=MOST_LINES, approximate=True)

    def open(self, title: str) -> None:
        """Open the hall, unless it is open."""
        self.refresh()
        if self.log.opened is None:
            self._give(hall_orders.Open(title))

    def _read_orders(self) -> None:
        if self._given:
            self._put_back()
        last = f"({self._given[-1].id}" if self._given else "-"
        for entry_id, fields in self._client.xrange(self._key, min=last):
            if (order := given(entry_id, fields)) is not None:
                self._enter(order)

    def _enter(self, order: Given) -> None:
        self._given.append(order)
        self.log = self.log.with_order(order)
        if isinstance(order.order, hall_orders.FreeName):
            self.board.forget(order.order.table)

    def _give(self, order: Order) -> None:
        """Give it. Its ID is the hall's time, or follows the last one's if two come at once."""
        moment = f"{round(self._time_of(self._client) * 1000)}-0"
        try:
            self._client.xadd(self._key, packed(order), id=moment)
        except ResponseError:
            self._client.xadd(self._key, packed(order))
        self._read_orders()

    def _put_back(self) -> None:
        """Put back what Redis has lost. Two who do so at once put back the same."""
        top = self._client.xrevrange(self._key, count=1)
        last = _order_of(top[0][0].decode()) if top else (0, 0)
        lost = [order for order in self._given if _order_of(order.id) > last]
        if lost:
            with self._client.pipeline(transaction=True) as batch:
                for order in lost:
                    batch.xadd(self._key, packed(order.order), id=order.id)
                batch.execute(raise_on_error=False)

    # Requests

    def do(self, request: Any) -> None:
        """Do what the organiser asks for. Refused: it cannot be done, and no order was given."""
        with self._lock:
            self.refresh()
            self._give(self._order(request))

    def _order(self, request: Any) -> Order:
        match request:
            case ask.StartRequest(minutes, in_s):
                number = self.log.game + 1 if self.log.starts else 1
                return hall_orders.StartGame(number, self.hall_now() + in_s, minutes)
            case ask.ClockRequest(left):
                return hall_orders.SetClock(None if left is None else self.hall_now() + left * 60)
            case ask.PlayOffRequest(place, table, rounds):
                return self._play_off(place, table, rounds)
            case ask.ChangeTablesRequest(staying, movers):
                return self._change_tables(frozenset(staying), movers)
            case ask.LateRequest(name, table):
                return self._late(name, table)
            case hall_orders.HandCard():
                self._rules_of(request)
            case hall_orders.FreeName(table):
                if table not in self.board.tables():
                    raise Refused("There is no table called {table} here.", table=table)
                self._client.delete(hall_keys.line(self.hall, table))
            case hall_orders.Announce(_, tables):
                for table in tables:
                    self._line(table)
        order: Order = request
        return order

    def _play_off(self, place: int, table: str | None, rounds: int) -> Order:
        ties = dict(self.leaderboard(fresh=True).ties)
        if place not in ties:
            raise Refused("Nobody shares place {place}, or not every table is done.", place=place)
        tied = ties[place]
        if table is None:
            table = tied[0].table
        if self._line(table).running:
            raise Refused("{table} is playing. Choose a table that is done.", table=table)
        return reseating.play_off(place, tied, table, rounds)

    def _change_tables(self, staying: frozenset[tuple[str, str]], movers: int) -> Order:
        lines = [self.board.lines[t] for t in sorted(self.board.lines, key=by_number)]
        taking_part = [line for line in lines if any(not player.left for player in line.seated)]
        busy = [line.table for line in taking_part if line.running]
        if busy:
            raise Refused("Not every table is done: {tables}.", tables=busy[:5])
        if len(taking_part) < 2:
            raise Refused("Changing tables takes two tables or more.")
        return reseating.change_tables(taking_part, staying, movers)

    def _late(self, name: str, table: str | None) -> Order:
        lines = [self._line(table)] if table else list(self.board.lines.values())
        found = reseating.free_seat(lines)
        if found is None:
            raise Refused("There is no free seat.")
        return hall_orders.SeatLate(name, *found)

    def _line(self, table: str) -> TableLine:
        line = self.board.lines.get(table)
        if line is None:
            raise Refused("There is no table called {table} here.", table=table)
        return line

    # The card

    def _rules_of(self, card: hall_orders.HandCard) -> tuple[Rules, int]:
        """Return the rules on a card, and the size of the set."""
        rules = self._game_set.profile(card.rules)
        if card.changes or card.name:
            rules = with_settings(rules, card.changes, card.name)
        size = rules.sets[0] if card.set is None else card.set
        if size not in rules.sets:
            words = "{rules} is not played with a double-{size} set."
            raise Refused(words, rules=card.rules, size=size)
        return rules, size

    def card(self) -> tuple[Rules, int] | None:
        """Return the rules that hold at every table, if any were handed out."""
        try:
            return None if self.log.card is None else self._rules_of(self.log.card)
        except Refused as error:
            words = "The hall's own rule card cannot be read: {why}"
            raise HallError(words, why=error.sentence) from None

    def card_fingerprint(self) -> str:
        """Return what the tables' rules are compared with; empty without a card."""
        card = self.card()
        return fingerprint(*card) if card else ""

    # Leaderboard

    def leaderboard(self, *, fresh: bool = False) -> Leaderboard:
        """Return everybody's place, at most a second old.

        It is older where a hall is so large that working it out takes long.
        """
        with self._ranking:
            now, log = self._now(), self.log
            until, ranked, found = self._leaderboard
            if fresh or ranked is not log or now >= until:
                card = self.card()
                found = standings(log, dict(self.board.lines), card[0].prizes if card else 2)
                until = now + max(FRESH_FOR, 10 * (self._now() - now))
                self._leaderboard = until, log, found
            return found


def _order_of(entry_id: str) -> tuple[int, int]:
    first, _, second = entry_id.partition("-")
    return int(first), int(second or 0)
