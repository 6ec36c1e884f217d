"""Who in the hall follows which tables.

Each process shows a sign of life in one sorted set; each works out by itself, from the names that
live, which shares are its own (the highest hash wins). A process that dies loses its shares to
the others and nobody else's change hands. For a moment two may follow the same table: that costs
work, never truth, since each notices what it missed and reads it.
"""

import hashlib

from centerpiece.hall.wire import keys
from centerpiece.hall.wire.connection import Redis

SILENT_AFTER = 10.0


class Shares:
    """The shares of one process."""

    def __init__(self, client: Redis, hall: str, name: str) -> None:
        self._client = client
        self._key = keys.processes(hall)
        self.name = name
        self._living: tuple[str, ...] = ()
        self.own: frozenset[int] = frozenset()

    def renew(self, hall_time: float) -> bool:
        """Show a sign of life; whether the shares have changed."""
        with self._client.pipeline(transaction=False) as pipe:
            pipe.zadd(self._key, {self.name: hall_time})
            pipe.zremrangebyscore(self._key, "-inf", hall_time - SILENT_AFTER)
            pipe.zrange(self._key, 0, -1)
            *_, names = pipe.execute()
        living = tuple(sorted(name.decode() for name in names))
        if living == self._living:
            return False
        self._living = living
        own = frozenset(s for s in range(keys.SHARES) if owner(s, living) == self.name)
        changed = own != self.own
        self.own = own
        return changed

    def withdraw(self) -> None:
        """Leave at once, so that the others need not wait."""
        self._client.zrem(self._key, self.name)

    @property
    def living(self) -> tuple[str, ...]:
        """The names of all processes."""
        return self._living


def owner(share: int, names: tuple[str, ...]) -> str:
    """Whose a share is."""
    return max(names, key=lambda name: (_weight(share, name), name))


def _weight(share: int, name: str) -> bytes:
    return hashlib.blake2b(f"{share}:{name}".encode(), digest_size=8).digest()
