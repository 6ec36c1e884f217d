"""A checksum in every row: a card that returns other bits than it was given is found out.

CRC-32 notices every single flipped bit, every two and three in a row of this size, and all but one
in four billion of anything worse. It is no protection against somebody who wants to deceive.
"""

from struct import Struct
from zlib import crc32

_EVENT = Struct("<qdqq").pack
_PLAYER = Struct("<qd").pack


def of_event(seq: int, at: float, step: int, version: int, body: bytes) -> int:
    """What belongs to a row of the journal."""
    return crc32(body, crc32(_EVENT(seq, at, step, version)))


def of_setting(key: str, value: bytes) -> int:
    """What belongs to a remembered value."""
    return crc32(value, crc32(key.encode()))


def of_player(name: str, seat: int, seen: float) -> int:
    """What belongs to a remembered name."""
    return crc32(_PLAYER(seat, seen), crc32(name.encode()))
