"""The messages between the hub and the process that makes clips, one a line."""

import msgspec


class ClipRequest(msgspec.Struct, frozen=True):
    """A request for a clip; `file` is its place below the cache."""

    file: str
    key: str
    text: str
    language: str
    calm: bool = False
    soon: bool = False


class ClipResult(msgspec.Struct, frozen=True):
    """The result of a request: the length of the clip, or 0.0 if it cannot be made."""

    file: str
    seconds: float
