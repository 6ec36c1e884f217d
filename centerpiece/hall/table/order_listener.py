"""Reading the hall's orders, from where the table left off."""

from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_orders import GivenOrder, read_order
from centerpiece.hall.wire.redis_connection import Redis

LISTEN_FOR = 2.0


class OrderListener:
    """Reads the hall's orders, step by step; a step may block.

    `origin` is the first order of the stream that `position` belongs to. A stream with another
    first order is another hall's, and is read from its beginning; one that has only lost its last
    orders is not, since the hall will put them back.
    """

    def __init__(
        self, client: Redis, hall: str, origin: str, position: str, wait: float = LISTEN_FOR
    ) -> None:
        self._client = client
        self._key = hall_keys.orders(hall)
        self._block = round(wait * 1000) or None
        self._origin_checked = False
        self.origin = origin
        self.position = position
        self.unknown = ""

    def step(self) -> list[GivenOrder]:
        """Return new orders, after waiting a while for one; none if none came.

        An order that this release does not know is skipped, and `unknown` says so.
        """
        if not self._origin_checked and not self._check_origin():
            return []
        answer = self._client.xread({self._key: self.position}, count=100, block=self._block)
        orders = []
        for entry_id, fields in answer[0][1] if answer else []:
            self.position = entry_id.decode()
            order = read_order(entry_id, fields, self.origin)
            if order is None:
                self.unknown = "The hall asked for something unknown to this version. Update it."
            else:
                orders.append(order)
        return orders

    def _check_origin(self) -> bool:
        """Look at the first order, after waiting a while for it; return whether there is one.

        If it is not `origin`, it becomes that, and the stream is read from its beginning.
        """
        first = self._client.xread({self._key: "0-0"}, count=1, block=self._block)
        if first:
            origin = first[0][1][0][0].decode()
            if origin != self.origin:
                self.origin, self.position = origin, "0-0"
            self._origin_checked = True
        return self._origin_checked
