"""The protocol between computer and board: lines of text with a checksum. Pure.

    hi 1                                    who are you? (and the protocol of the computer)
    hello 1 1.0 e661… seat-1,…,undo 1 7 0   protocol, firmware, serial number, buttons, sound
                                            module, edges so far, buttons that are down (a bit
                                            each), and docks if it has any
    t 5            →  t 5 81723 7 0         heartbeat, answered with the board's time (ms), its
                                            edges so far, what is down, and the docks if it has any
    e 8 81901 1                             an edge: its number, the board's time, what is down now
    d 81901 5                               docks: the board's time, those with their marker (a bit
                                            each), or - if it cannot read them
    chain 261                               the number of bytes that the chain takes
    f 3 9c41 0:AAEC… 30:/w==                changed bytes from an offset on, and the checksum of the
                   →  ok 3 | again 3        whole picture with them
    u fv8GAwEAAf728w==                      bytes of the sound module's line, either way

A line ends with `*` and four digits of CRC-32. Lines with a wrong checksum are dropped.
"""

from base64 import b64encode
from collections.abc import Iterator
from itertools import zip_longest
from zlib import crc32

PROTOCOL = 1
LONGEST = 6000
NEAR = 8
"""Changes at most this many bytes apart are sent as one."""

Words = tuple[str, ...]


def checksum(data: bytes) -> int:
    return crc32(data) & 0xFFFF


def encode(*words: object) -> bytes:
    """Encode a message as a line."""
    body = " ".join(map(str, words)).encode("ascii")
    return b"%s*%04x\n" % (body, checksum(body))


class Lines:
    """Finds messages in a byte stream that may start anywhere and lose or garble bytes."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[Words]:
        """Yield the words of each complete line of what was left and `data`, the next bytes.

        Damaged lines are dropped; an unfinished one is kept, unless it is longer than `LONGEST`.
        """
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST:
            self._rest = b""
        for line in lines:
            body, star, check = line.rstrip(b"\r").rpartition(b"*")
            if star and check == b"%04x" % checksum(body) and body.isascii():
                yield tuple(body.decode("ascii").split(" "))


def frame(number: int, picture: bytes, shown: bytes) -> bytes:
    """Encode the message that turns the shown picture into the next one."""
    runs = (f"{start}:{b64encode(data).decode()}" for start, data in changes(picture, shown))
    return encode("f", number, f"{checksum(picture):04x}", *runs)


def changes(picture: bytes, shown: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the offset and the new bytes of each run in which `picture` differs from `shown`.

    Runs at most `NEAR` bytes apart are one. Pictures of different length differ as a whole.
    """
    if len(picture) != len(shown):
        yield 0, picture
        return
    differ = [place for place, (a, b) in enumerate(zip_longest(picture, shown)) if a != b]
    start = end = None
    for place in differ:
        if start is None or end is None:
            start = place
        elif place - end > NEAR:
            yield start, picture[start : end + 1]
            start = place
        end = place
    if start is not None and end is not None:
        yield start, picture[start : end + 1]
