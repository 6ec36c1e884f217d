"""Translation of a sentence to tracks of a sound module's card.

The card has the vocabulary in folders that the player can address, and names only if they were
exported; other people are announced by their seat.
"""

from collections.abc import Sequence
from typing import NamedTuple

from hal.ports import Clip, ClipSequence


class Track(NamedTuple):
    """A track in a folder, its estimated length, and the silence after it."""

    folder: int
    number: int
    seconds: float
    pause: float


def tracks(sentence: ClipSequence, names: Sequence[str]) -> tuple[Track, ...]:
    """Return the tracks of a sentence; none if a part of it is not on the card."""
    chosen = [_track(clip, names) for clip in sentence.clips]
    return tuple(track for track in chosen if track) if all(chosen) else ()


def _track(clip: Clip, names: Sequence[str]) -> Track | None:
    """Return the track of a clip on the card, or of the one instead of it; None without either.

    `names` are the names on the card in the order of their tracks.
    """
    number = clip.track
    if clip.folder and not number and (name := clip.key.removeprefix("name/")) in names:
        number = names.index(name) + 1
    if clip.folder and number:
        return Track(clip.folder, number, clip.seconds - clip.pause, clip.pause)
    return _track(clip.instead._replace(pause=clip.pause), names) if clip.instead else None
