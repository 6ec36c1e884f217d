"""What the hub and the process that makes clips say to each other, a line each."""

import msgspec


class ClipRequest(msgspec.Struct, frozen=True):
    """A clip that is wanted; `file` is where it is kept, below the cache."""

    file: str
    key: str
    text: str
    language: str
    soon: bool = False


class ClipResult(msgspec.Struct, frozen=True):
    """What became of a wish: the length of the clip, or 0.0 if it cannot be made."""

    file: str
    seconds: float
