"""The organiser's desk: requests turned into orders, and the hall's own books.

Every process of the hall keeps the same books, since all read the same stream of orders. If Redis
was wiped, whoever still knows the orders puts them back under their own IDs.
Called from the follower's thread and from the pages'; a lock keeps them apart.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from centerpiece.hall.server import rally, requests
from centerpiece.hall.server.follow import Follower
from centerpiece.hall.server.followed_table import Line, fingerprint
from centerpiece.hall.server.rally import Book, Standings
from centerpiece.hall.server.requests import Request
from centerpiece.hall.wire import keys, orders
from centerpiece.hall.wire.connection import Redis, ResponseError, WatchError, server_time
from centerpiece.hall.wire.errors import HallError
from centerpiece.hall.wire.orders import Given, Order, given, packed
from centerpiece.rules.rules import Rules, with_settings
from centerpiece.table.game_set import GameSet
from centerpiece.text import Refused

FRESH_FOR = 1.0
"""How old the leaderboard may be, in seconds."""


class Desk:
    """The hall's books, and the organiser's hand in them."""

    def __init__(
        self,
        client: Redis,
        follower: Follower,
        game_set: GameSet,
        *,
        time_of: Callable[[Redis], float] = server_time,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._follower = follower
        self._overview = follower.overview
        self._game_set = game_set
        self._time_of = time_of
        self._now = now
        self.hall = follower.hall
        self._key = keys.orders(self.hall)
        self._lock = threading.RLock()
        self._given: list[Given] = []
        self.book = Book()
        self._standings: tuple[float, Standings] | None = None

    def rules(self) -> list[dict[str, Any]]:
        """Every rule book that can be handed out, and with which sets it is played."""
        return [
            {"rules": each.full_name, "title": f"{game.title}: {each.name}", "sets": each.sets}
            for game in self._game_set.games.values()
            for each in game.profiles
        ]

    # The books

    def refresh(self) -> None:
        """Read the orders that other processes of the hall have given."""
        with self._lock:
            if self._given and not self._client.exists(self._key):
                self._restore()
            last = f"({self._given[-1].id}" if self._given else "-"
            for entry_id, fields in self._client.xrange(self._key, min=last):
                if (order := given(entry_id, fields)) is not None:
                    self._enter(order)

    def open(self, title: str) -> None:
        """Open the hall, unless it is open."""
        self.refresh()
        if self.book.opened is None:
            self._give(orders.Open(title))

    def _enter(self, order: Given) -> None:
        self._given.append(order)
        self.book = rally.entered(self.book, order)
        if isinstance(order.order, orders.FreeName):
            self._follower.drop_soon(order.order.table)
        self._standings = None

    def _give(self, order: Order) -> None:
        """Give it. Its ID is the hall's time, or follows the last one's if two come at once."""
        moment = f"{round(self._time_of(self._client) * 1000)}-0"
        try:
            self._client.xadd(self._key, packed(order), id=moment)
        except ResponseError:
            self._client.xadd(self._key, packed(order))
        self.refresh()

    def _restore(self) -> None:
        """Put the orders back, all of them, unless another process has done so."""
        with self._client.pipeline(transaction=True) as batch:
            batch.watch(self._key)
            if batch.exists(self._key):
                return
            batch.multi()
            for order in self._given:
                batch.xadd(self._key, packed(order.order), id=order.id)
            with suppress(WatchError):
                batch.execute()

    # Requests

    def do(self, request: Request) -> None:
        """Do what the organiser asks for. Refused: it cannot be done, and no order was given."""
        with self._lock:
            self.refresh()
            order = self._order(request)
            if order is not None:
                self._give(order)

    def _order(self, request: Request) -> Order | None:
        match request:
            case requests.Start(minutes, in_s):
                number = self.book.game + 1 if self.book.starts else 1
                return orders.StartGame(number, self._time_of(self._client) + in_s, minutes)
            case requests.Clock(left):
                now = self._time_of(self._client)
                return orders.SetClock(None if left is None else now + left * 60)
            case requests.PlayOff(place, table, rounds):
                return self._play_off(place, table, rounds)
            case requests.ChangeTables(staying, movers):
                return self._change_tables(frozenset(staying), movers)
            case requests.Late(name, table):
                return self._late(name, table)
            case requests.Card(rules, size, changes, name):
                self._checked_card(rules, size, changes, name)
                return orders.HandCard(rules, size, changes, name)
            case requests.Free(table):
                return self._free(table)
            case requests.Snapshot():
                for table in list(self._follower.tables):
                    self._follower.snapshot(table)
                return None
            case requests.Announce(_, tables):
                for table in tables:
                    self._line(table)
        if isinstance(request, Order):
            return request
        raise TypeError(f"the desk does not know {request!r}")

    def _play_off(self, place: int, table: str | None, rounds: int) -> Order:
        ties = dict(self.standings(fresh=True).ties)
        if place not in ties:
            raise Refused("Nobody shares place {place}, or not every table is done.", place=place)
        tied = ties[place]
        if table is None:
            table = tied[0].table
        if self._line(table).phase in ("playing", "scoring"):
            raise Refused("{table} is playing. Choose a table that is done.", table=table)
        return rally.play_off(place, tied, table, rounds)

    def _change_tables(self, staying: frozenset[tuple[str, str]], movers: int) -> Order:
        lines = [self._overview.lines[t] for t in sorted(self._overview.lines, key=rally.by_number)]
        taking_part = [line for line in lines if any(not p.left for p in line.seated)]
        busy = [line.table for line in taking_part if line.phase in ("playing", "scoring")]
        if busy:
            raise Refused("Not every table is done: {tables}.", tables=busy[:5])
        if len(taking_part) < 2:
            raise Refused("To change tables there must be two or more.")
        return rally.change_tables(taking_part, staying, movers)

    def _late(self, name: str, table: str | None) -> Order:
        lines = [self._line(table)] if table else list(self._overview.lines.values())
        found = rally.free_seat(lines)
        if found is None:
            raise Refused("There is no free seat.")
        return orders.SeatLate(name, *found)

    def _free(self, table: str) -> Order | None:
        if (member := self._follower.shares.misnamed.pop(table, None)) is not None:
            self._client.srem(keys.roster(self.hall), member)
            return None
        if table not in self._follower.shares.roster:
            raise Refused("There is no table called {table} here.", table=table)
        self._client.srem(keys.roster(self.hall), table)
        for key in keys.of_table(table):
            self._client.delete(key)
        self._client.hdel(keys.lines(self.hall, keys.share_of(table)), table)
        return orders.FreeName(table)

    def _line(self, table: str) -> Line:
        line = self._overview.lines.get(table)
        if line is None:
            raise Refused("There is no table called {table} here.", table=table)
        return line

    # The card

    def _checked_card(
        self, rules: str, size: int | None, changes: dict[str, Any], name: str | None
    ) -> tuple[Rules, int]:
        book = self._game_set.profile(rules)
        if changes or name:
            book = with_settings(book, changes, name)
        size = book.sets[0] if size is None else size
        if size not in book.sets:
            raise Refused("{rules} is not played with a double-{size} set.", rules=rules, size=size)
        return book, size

    def card(self) -> tuple[Rules, int] | None:
        """The rules that hold at every table, if any were handed out."""
        card = self.book.card
        if card is None:
            return None
        try:
            return self._checked_card(card.rules, card.set, card.changes, card.name)
        except Refused as error:
            raise HallError(
                "The hall's own rule card cannot be read: {why}", why=error.sentence
            ) from None

    def card_fingerprint(self) -> str:
        """What the tables' rules are compared with; empty without a card."""
        card = self.card()
        return fingerprint(*card) if card else ""

    # Standings

    def standings(self, *, fresh: bool = False) -> Standings:
        """The leaderboard, at most a second old, or older where a hall is so large that working
        it out takes long."""
        with self._lock:
            now = self._now()
            if not fresh and self._standings is not None and now < self._standings[0]:
                return self._standings[1]
            card = self.card()
            lines = dict(self._overview.lines)
            offsets = {table: sign.offset for table, sign in dict(self._overview.alive).items()}
            found = rally.standings(self.book, lines, offsets, card[0].prizes if card else 2)
            took = self._now() - now
            self._standings = (now + max(FRESH_FOR, 10 * took), found)
            return found
