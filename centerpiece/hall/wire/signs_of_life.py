"""A table's sign of life: all that the hall cannot see in its journal."""

from typing import Annotated, Any

import msgspec

from centerpiece.text import NOT_JSON

Word = Annotated[str, msgspec.Meta(max_length=80)]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
LONGEST_NOTE = 500


class Alive(msgspec.Struct, frozen=True, omit_defaults=True):
    """Sent every few seconds. Times are by the hall's clock."""

    journal: Word
    hall: Word
    at: Annotated[float, msgspec.Meta(ge=0, le=1e11)]
    seq: Number = 0
    """The journal's last event."""
    sent: Number = 0
    """The stream's last event."""
    offset: Annotated[float, msgspec.Meta(ge=-1e11, le=1e11)] = 0.0
    """What has to be added to the hub's clock to get the hall's."""
    release: Word = ""
    note: Annotated[str, msgspec.Meta(max_length=LONGEST_NOTE)] = ""
    """What the table could not do, as a sentence."""


_decode = msgspec.json.Decoder(Alive).decode


def read(document: bytes | None) -> Alive | None:
    """A sign of life, or None where there is none that can be read."""
    try:
        return _decode(document) if document else None
    except NOT_JSON:
        return None


class Clash(msgspec.Struct, frozen=True):
    """A second hub under the same name."""

    journal: str
    at: float


def read_clash(document: bytes | None) -> Clash | None:
    """Word of a second hub, if there is any."""
    try:
        return msgspec.json.decode(document, type=Clash) if document else None
    except NOT_JSON:
        return None


def packed(value: Any) -> bytes:
    """As it lies in Redis."""
    return msgspec.json.encode(value)


CLOCKS_AGREE = 2.0


def difference(offset: float) -> str:
    """How far a hub's clock is from the hall's, such as “12 s”; empty if they agree."""
    if abs(offset) < CLOCKS_AGREE:
        return ""
    minutes, seconds = divmod(round(abs(offset)), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def apart(offset: float) -> str:
    """How a hub's clock stands to the hall's, such as “12 s behind”; empty if they agree."""
    far = difference(offset)
    return far and f"{far} {'behind' if offset > 0 else 'ahead of'}"
