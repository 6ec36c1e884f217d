"""Reading the hall's orders: each once, in their order, from where the table left off."""

from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_orders import Given, given
from centerpiece.hall.wire.redis_connection import Redis

LISTEN_FOR = 2.0


class OrderListener:
    """Reads the hall's orders. One step at a time; its thread may wait.

    `origin` is the first order of the stream that `position` belongs to. A stream that begins
    with another order is another hall's, and is read from its beginning. One that has lost its
    last orders is not: they will be put back.
    """

    def __init__(
        self, client: Redis, hall: str, origin: str, position: str, wait: float = LISTEN_FOR
    ) -> None:
        self._client = client
        self._key = hall_keys.orders(hall)
        self._block = round(wait * 1000) or None
        self._known = False
        self.origin = origin
        self.position = position
        self.unknown = ""

    def step(self) -> list[Given]:
        """Return the orders that have come since, after waiting a while for one."""
        if not self._known and not self._look_at_origin():
            return []
        answer = self._client.xread({self._key: self.position}, count=100, block=self._block)
        found = []
        for entry_id, fields in answer[0][1] if answer else []:
            self.position = entry_id.decode()
            order = given(entry_id, fields, self.origin)
            if order is None:
                self.unknown = "The hall asked for something unknown to this version. Update it."
            else:
                found.append(order)
        return found

    def _look_at_origin(self) -> bool:
        """Find the first order, waiting a while for it; return whether there is one."""
        first = self._client.xread({self._key: "0-0"}, count=1, block=self._block)
        if first:
            origin = first[0][1][0][0].decode()
            if origin != self.origin:
                self.origin, self.position = origin, "0-0"
            self._known = True
        return self._known
