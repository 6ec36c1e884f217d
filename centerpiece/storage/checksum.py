"""Checksums of rows, to detect a card that returns other bits than were written.

CRC-32 detects up to three flipped bits in a row of this size, and all but one in four billion of
larger errors. It does not protect against forgery.
"""

from struct import Struct
from zlib import crc32

_EVENT = Struct("<qdqq").pack
_PLAYER = Struct("<qd").pack


def of_event(seq: int, at: float, step: int, version: int, body: bytes) -> int:
    return crc32(body, crc32(_EVENT(seq, at, step, version)))


def of_setting(key: str, value: bytes) -> int:
    return crc32(value, crc32(key.encode()))


def of_player(name: str, seat: int, seen: float) -> int:
    return crc32(_PLAYER(seat, seen), crc32(name.encode()))
