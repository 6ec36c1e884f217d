"""The topics of speech, each of which can be off, short or full."""

from typing import Literal

import msgspec

from centerpiece.table.telling import Topic

Length = Literal["off", "short", "full"]


class Topics(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The length of speech on each topic."""

    round: Length = "full"
    """The round, its engine, who starts, how many tiles to draw."""
    play: Length = "short"
    """Points won in play; if full, also doubles, feet, spells and turns."""
    last_tile: Length = "full"
    """Calls of a last tile, and who was caught."""
    hands: Length = "full"
    """The player who went out, and each hand as it is counted."""
    standings: Length = "full"
    """The standings once a round is counted."""
    changes: Length = "full"
    """Corrected scores, changed winners, undo and redo."""
    time: Length = "full"
    questions: Length = "short"
    refusals: Length = "full"
    people: Length = "full"
    """Players who come and go."""
    winner: Length = "full"

    def of(self, topic: Topic) -> Length:
        length: Length = getattr(self, topic)
        return length
