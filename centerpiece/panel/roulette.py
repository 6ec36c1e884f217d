"""The roulette of lights that shows on whom the lot fell."""

from typing import NamedTuple


class Roulette(NamedTuple):
    """A light that runs from seat to seat, ever slower, and stops at the starter.

    The lot was drawn before and is in the journal; this shows it with some suspense. No seat lights
    up more than twice a second, however few they are.
    """

    began: float
    seats: tuple[int, ...]
    chosen: int

    @property
    def steps(self) -> int:
        """The number of moves: two rounds of the table, and on to the chosen seat."""
        return 2 * len(self.seats) + self.seats.index(self.chosen)

    def until(self, step: int) -> float:
        """Return the monotonic time at which the light moves on from a step, counted from 0."""
        quickest = 0.5 / len(self.seats)
        slowing = 0.5 * (step + 1) * (step + 2) / 2 / self.steps / 2
        return self.began + quickest * (step + 1) + slowing

    @property
    def ends(self) -> float:
        """The time at which the light stands still."""
        return self.until(self.steps - 1)
