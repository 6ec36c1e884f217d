"""The listening half of a table's link: the hall's orders, in their order, none twice."""

from centerpiece.hall.wire import keys
from centerpiece.hall.wire.connection import Redis
from centerpiece.hall.wire.orders import Given, given

LISTEN_FOR = 2.0


class Listener:
    """Reads the hall's orders. One step at a time; its thread may wait."""

    def __init__(self, client: Redis, hall: str, position: str, wait: float = LISTEN_FOR) -> None:
        self._client = client
        self._key = keys.orders(hall)
        self._block = round(wait * 1000) or None
        self.position = position
        self.unknown = ""
        self._checked = False

    def step(self) -> list[Given]:
        """The orders that have come since, waiting a while for one."""
        if not self._checked and self._is_new():
            self.position = "0-0"
        self._checked = True
        answer = self._client.xread({self._key: self.position}, count=100, block=self._block)
        found = []
        for entry_id, fields in answer[0][1] if answer else []:
            self.position = entry_id.decode()
            order = given(entry_id, fields)
            if order is None:
                self.unknown = "The hall says something this release does not know. Update it."
            else:
                found.append(order)
        return found

    def _is_new(self) -> bool:
        """Whether another Redis, with an earlier clock, has begun the hall's stream anew."""
        top = self._client.xrevrange(self._key, count=1)
        return bool(top) and _order_of(top[0][0].decode()) < _order_of(self.position)


def _order_of(entry_id: str) -> tuple[int, int]:
    first, _, second = entry_id.partition("-")
    return int(first), int(second or 0)
