"""How the hub and its pages are set for the people at the table: loud, bright, large.

Nothing here is part of a game, so nothing here is in the journal; undo does not reach it.
Times of day are the hub's own local time, since quiet hours belong to the room it stands in.
"""

import time
from typing import Annotated, Literal

import msgspec

TimeOfDay = Annotated[str, msgspec.Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class Comfort(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a hub. Volume and brightness are shares of what the device was set to."""

    volume: Share = 1.0
    muted: bool = False
    quiet_from: TimeOfDay | None = None
    quiet_until: TimeOfDay | None = None
    brightness: Share = 1.0
    order: Literal["clockwise", "counterclockwise"] = "clockwise"
    """In which direction pages list the seats from left to right."""
    large_text: bool = False
    language: Literal["en", "es"] = "en"

    def volume_at(self, at: float) -> float:
        """How loud a sound may be at this moment."""
        return 0.0 if self.muted or self.quiet_at(at) else self.volume

    def quiet_at(self, at: float) -> bool:
        """Whether quiet hours hold; they may pass midnight."""
        begin, end = self.quiet_from, self.quiet_until
        if begin is None or end is None:
            return False
        clock = time.strftime("%H:%M", time.localtime(at))
        return begin <= clock < end if begin <= end else clock >= begin or clock < end
