"""Who in the hall follows which tables.

Each process shows a sign of life in one sorted set; each works out by itself, from the names that
live, which shares are its own (the highest hash wins). A process that dies loses its shares to
the others and nobody else's change hands. For a moment two may follow the same table: that costs
work, never truth, since each notices what it missed and reads it.
"""

import hashlib
from collections.abc import Callable

from centerpiece.hall.wire import keys
from centerpiece.hall.wire.connection import Redis

SILENT_AFTER = 10.0
MOST_MISNAMED = 50
LONGEST_SHOWN = 40


class Shares:
    """The shares of one process, and the roster of all tables, as they were last seen."""

    def __init__(
        self,
        client: Redis,
        hall: str,
        name: str,
        now: Callable[[], float],
        time_of: Callable[[Redis], float],
    ) -> None:
        self._client = client
        self._hall = hall
        self._name = name
        self._now = now
        self._time_of = time_of
        self._hall_time = self._renewed = 0.0
        self.living: tuple[str, ...] = ()
        """The names of all processes."""
        self.own: frozenset[int] = frozenset()
        self.roster: frozenset[str] = frozenset()
        self.misnamed: dict[str, bytes] = {}
        """What stands in the list of tables and is no name, by how it is shown."""

    def hall_now(self) -> float:
        """The hall's clock."""
        return self._hall_time + self.silence()

    def silence(self) -> float:
        """Seconds since the last sign of life; after too many, others take our tables for lost."""
        return self._now() - self._renewed

    def renew(self) -> None:
        """Show a sign of life, and see who else does."""
        self._hall_time, self._renewed = self._time_of(self._client), self._now()
        key = keys.processes(self._hall)
        with self._client.pipeline(transaction=False) as pipe:
            pipe.zadd(key, {self._name: self._hall_time})
            pipe.zremrangebyscore(key, "-inf", self._hall_time - SILENT_AFTER)
            pipe.zrange(key, 0, -1)
            *_, names = pipe.execute()
        living = tuple(sorted(name.decode(errors="replace") for name in names))
        if living != self.living:
            self.living = living
            mine = (s for s in range(keys.SHARES) if owner(s, living) == self._name)
            self.own = frozenset(mine)

    def read_roster(self) -> set[str]:
        """See which tables there are; those of our shares."""
        members = self._client.smembers(keys.roster(self._hall))
        self.roster = frozenset(filter(None, map(keys.name_of, members)))
        wrong = [member for member in members if not keys.name_of(member)]
        self.misnamed = {_shown(member): member for member in wrong[:MOST_MISNAMED]}
        return {table for table in self.roster if keys.share_of(table) in self.own}

    def others(self) -> set[int]:
        """The shares that other processes have."""
        return set(range(keys.SHARES)) - self.own

    def withdraw(self) -> None:
        """Leave at once, so that the others need not wait."""
        self._client.zrem(keys.processes(self._hall), self._name)


def _shown(member: bytes) -> str:
    """Something that is no name, so that it can be read, and told apart from its like."""
    text = member.decode(errors="backslashreplace")
    if len(text) <= LONGEST_SHOWN and text.isprintable():
        return text or "(nothing)"
    digest = hashlib.blake2b(member, digest_size=4).hexdigest()
    return f"{ascii(text[:20])[1:-1]}… ({digest})"


def owner(share: int, names: tuple[str, ...]) -> str:
    """Whose a share is."""
    return max(names, key=lambda name: (_weight(share, name), name))


def _weight(share: int, name: str) -> bytes:
    return hashlib.blake2b(f"{share}:{name}".encode(), digest_size=8).digest()
