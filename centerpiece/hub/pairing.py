"""The minute in which phones may pair: who can see the hub's face can type the number on it.

Wrong numbers are counted whoever types them; after a few the minute is over. Two digits are enough,
since nobody gets to try many, and is told nothing but that a number was not the one.
"""

import hmac
import secrets

OPEN_FOR = 60.0
MOST_WRONG = 3


class PairingMinute:
    """One such minute. Times are monotonic."""

    def __init__(self, now: float) -> None:
        self.number = str(10 + secrets.randbelow(90))
        """Two digits, the first of them no zero: they read the same on a face and on a phone."""
        self.ends = now + OPEN_FOR
        self._wrong = 0

    def fits(self, number: str, now: float) -> bool:
        """Whether this is the number, and there is still time."""
        right = hmac.compare_digest(number.encode(), self.number.encode()) and now < self.ends
        self._wrong += not right
        return right

    @property
    def spoilt(self) -> bool:
        """Whether too many wrong numbers were typed."""
        return self._wrong >= MOST_WRONG
