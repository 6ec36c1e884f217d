"""The roulette of lights: how the hub tells who the lot fell on."""

from typing import NamedTuple


class Roulette(NamedTuple):
    """A light that runs from seat to seat, ever slower, and stops at whoever starts.

    The lot has been drawn and is in the journal; this only tells it with some suspense.
    No seat lights up more than twice a second, however few they are.
    """

    began: float
    seats: tuple[int, ...]
    chosen: int

    @property
    def steps(self) -> int:
        """How often the light moves: two rounds, and on to the one who was chosen."""
        return 2 * len(self.seats) + self.seats.index(self.chosen)

    def until(self, step: int) -> float:
        """When the light moves on from a step."""
        quickest = 0.5 / len(self.seats)
        slowing = 0.5 * (step + 1) * (step + 2) / 2 / self.steps / 2
        return self.began + quickest * (step + 1) + slowing

    @property
    def ends(self) -> float:
        """When the light stands still."""
        return self.until(self.steps - 1)
