"""The organiser's desk: turns requests into orders and keeps the log of all orders.

Every process of the hall keeps the same log, since all read the same stream. When Redis has lost
orders, any process that still has them adds them again under their own IDs.
The reader's thread and the pages' threads call it; a lock keeps them apart.
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
from centerpiece.hall.wire.hall_orders import GivenOrder, Order, entry_order, packed, read_order
from centerpiece.hall.wire.redis_connection import Redis, ResponseError, TimeOf, server_time
from centerpiece.hall.wire.table_line import SILENT_AFTER, TableLine
from centerpiece.rules.rules import Rules, with_settings
from centerpiece.table.game_set import GameSet
from centerpiece.text import Refused

FRESH_FOR = 1.0
"""Seconds for which a leaderboard is shown again."""


class Desk:
    """Gives orders and ranks people."""

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
        self._given: list[GivenOrder] = []
        self._ahead = 0.0
        self.log = RallyLog()
        self._ranking = threading.Lock()
        """A lock of its own, so that ranking delays no order and no line."""
        self._leaderboard = (float("-inf"), self.log, Leaderboard((), False, ()))

    def rules(self) -> list[dict[str, Any]]:
        """Return the name, title and sets of every rule book that the organiser may choose."""
        return [
            {"rules": each.full_name, "title": f"{game.title}: {each.name}", "sets": each.sets}
            for game in self._game_set.games.values()
            for each in game.profiles
        ]

    def hall_now(self) -> float:
        """Return the hall's time, from the offset measured last."""
        return self._now() + self._ahead

    def refresh(self) -> None:
        """Read the hall's time and other processes' orders."""
        with self._lock:
            self._ahead = self._time_of(self._client) - self._now()
            self._read_orders()

    def open(self, title: str) -> None:
        """Read the orders; unless one of them has opened the hall, open it under this title."""
        self.refresh()
        if self.log.opened is None:
            self._give(hall_orders.Open(title))

    def _read_orders(self) -> None:
        """Read the new orders of all processes; before that, put back those that Redis has lost."""
        if self._given:
            self._put_back()
        last = f"({self._given[-1].id}" if self._given else "-"
        for entry_id, fields in self._client.xrange(self._key, min=last):
            if (order := read_order(entry_id, fields)) is not None:
                self._enter(order)

    def _enter(self, order: GivenOrder) -> None:
        self._given.append(order)
        self.log = self.log.with_order(order)
        if isinstance(order.order, hall_orders.FreeName):
            self.board.forget(order.order.table)

    def _give(self, order: Order, key: str = "") -> None:
        """Append an order, with the `key` of its request, and read all that are new.

        Its ID is the hall's time, or the next free one if that is taken.
        """
        moment = f"{round(self._time_of(self._client) * 1000)}-0"
        try:
            self._client.xadd(self._key, packed(order, key), id=moment)
        except ResponseError:
            self._client.xadd(self._key, packed(order, key))
        self._read_orders()

    def _put_back(self) -> None:
        """Append again the orders that Redis has lost; two processes at once append the same."""
        top = self._client.xrevrange(self._key, count=1)
        last = entry_order(top[0][0]) if top else (0, 0)
        lost = [order for order in self._given if entry_order(order.id.encode()) > last]
        if lost:
            with self._client.pipeline(transaction=True) as batch:
                for order in lost:
                    batch.xadd(self._key, packed(order.order, order.key), id=order.id)
                batch.execute(raise_on_error=False)

    def do(self, request: Any, key: str = "") -> None:
        """Give the order for a request, or raise Refused.

        A request with a `key` that has already given an order does nothing.
        """
        with self._lock:
            self.refresh()
            if not key or all(given.key != key for given in self._given):
                self._give(self._order(request), key)

    def _order(self, request: Any) -> Order:
        """Return the order for a request, without giving it, or raise Refused.

        A request that is an order is returned itself. Only to free a name, its line is deleted at
        once.
        """
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
        """Return the call to a play-off of `rounds` rounds for the people who share `place`.

        It is at `table`, by default that of the first of them. Raise Refused if nobody shares the
        place, not every table is done, or that table is playing or unknown.
        """
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
        """Return the order that moves up to `movers` people of each table on to the next.

        `staying` has table and name of people who do not move. Raise Refused while a table plays,
        or if fewer than two tables have people.
        """
        lines = sorted(self._present(), key=lambda line: by_number(line.table))
        taking_part = [line for line in lines if any(not player.left for player in line.seated)]
        busy = [line.table for line in taking_part if line.running]
        if busy:
            raise Refused("Not every table is done: {tables}.", tables=busy[:5])
        if len(taking_part) < 2:
            raise Refused("Changing tables takes two tables or more.")
        return reseating.change_tables(taking_part, staying, movers)

    def _late(self, name: str, table: str | None) -> Order:
        """Return the order that gives a late arrival a free seat, at `table` if one is named.

        Raise Refused if no seat is free or the table is unknown.
        """
        lines = [self._line(table)] if table else self._present()
        seat = reseating.free_seat(lines)
        if seat is None:
            raise Refused("There is no free seat.")
        return hall_orders.SeatLate(name, *seat)

    def _present(self) -> list[TableLine]:
        """Return the lines of the tables that were heard from within `SILENT_AFTER` seconds.

        Tables that are off, or left their hall, are not among them.
        """
        since = self.hall_now() - SILENT_AFTER
        return [line for line in dict(self.board.lines).values() if line.at >= since]

    def _line(self, table: str) -> TableLine:
        line = self.board.lines.get(table)
        if line is None:
            raise Refused("There is no table called {table} here.", table=table)
        return line

    def _rules_of(self, card: hall_orders.HandCard) -> tuple[Rules, int]:
        """Return the rules of a card, with its changes, and the size of its set.

        The first set of the rules is the default. Raise Refused if the changes or the set do not
        fit the rules.
        """
        rules = self._game_set.profile(card.rules)
        if card.changes or card.name:
            rules = with_settings(rules, card.changes, card.name)
        size = rules.sets[0] if card.set is None else card.set
        if size not in rules.sets:
            words = "{rules} is not played with a double-{size} set."
            raise Refused(words, rules=card.rules, size=size)
        return rules, size

    def card(self) -> tuple[Rules, int] | None:
        """Return the hall's rules and size of set; None if none were handed out.

        Raise HallError if this release cannot read them.
        """
        try:
            return None if self.log.card is None else self._rules_of(self.log.card)
        except Refused as error:
            words = "The hall's own rule card cannot be read: {why}"
            raise HallError(words, why=error.sentence) from None

    def leaderboard(self, *, fresh: bool = False) -> Leaderboard:
        """Return the leaderboard; rank anew with `fresh`, after each order, or when it is too old.

        It is too old after a second, or after ten times the duration of ranking if that is longer.
        """
        with self._ranking:
            now, log = self._now(), self.log
            until, ranked, leaderboard = self._leaderboard
            if fresh or ranked is not log or now >= until:
                card = self.card()
                leaderboard = standings(log, dict(self.board.lines), card[0].prizes if card else 2)
                until = now + max(FRESH_FOR, 10 * (self._now() - now))
                self._leaderboard = until, log, leaderboard
            return leaderboard
