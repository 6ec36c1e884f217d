"""The minute in which phones may pair, by typing the number that the hub's face shows.

Wrong numbers are counted, whoever types them; after a few the minute is over. Two digits are
enough, since nobody can try many, and a wrong number reveals nothing but that it was wrong.
"""

import hmac

import msgspec
from msgspec.structs import replace

OPEN_FOR = 60.0
MOST_WRONG = 3


class PairingMinute(msgspec.Struct, frozen=True, gc=False):
    """An open minute. Times are monotonic."""

    number: str
    """Two digits; the first is not zero, so that face and phone show the same."""
    ends: float
    wrong: int = 0

    def fits(self, number: str) -> bool:
        """Return True if this is the number of the minute; compared in constant time."""
        return hmac.compare_digest(number.encode(), self.number.encode())

    def after_wrong(self) -> "PairingMinute | None":
        """Count a wrong number; return None if there were too many."""
        return replace(self, wrong=self.wrong + 1) if self.wrong + 1 < MOST_WRONG else None
