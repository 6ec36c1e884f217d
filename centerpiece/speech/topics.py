"""What people may want to hear, or not: a topic each, off, short or full."""

from typing import Literal

import msgspec

from centerpiece.table.telling import Topic

Length = Literal["off", "short", "full"]


class Topics(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much is said of what."""

    round: Length = "full"
    """The round, its engine, who starts, how many tiles to draw."""
    play: Length = "short"
    """Points won in play; in full also doubles, feet, spells and turns."""
    last_tile: Length = "full"
    """Whose last tile it was, and who was caught."""
    hands: Length = "full"
    """Who went out, and each hand as it is taken."""
    standings: Length = "full"
    """When the round is counted."""
    changes: Length = "full"
    """A corrected score, another winner, what was taken back."""
    time: Length = "full"
    questions: Length = "short"
    refusals: Length = "full"
    people: Length = "full"
    """Who comes and goes."""
    winner: Length = "full"

    def of(self, topic: Topic) -> Length:
        """How much is said of a topic."""
        length: Length = getattr(self, topic)
        return length
