"""The ports: the interfaces of a hub's devices, and the values that cross them.

A port speaks the table's language (an edge, a frame, a cue), never that of a pin or a byte.
Each docstring is a contract on threads, blocking, failure and `close`, which every backend keeps
and `tests/conformance/` checks. All methods are called on one thread, that of the service's loop.
"""

import logging
from collections.abc import Callable
from typing import NamedTuple, Protocol

import msgspec

log = logging.getLogger(__name__)

SEATS = tuple(range(1, 11))
BUTTONS = (*(f"seat-{n}" for n in SEATS), "train", "whistle", "advance", "undo")
"""All buttons of a hub, by their names on the panel."""
DOCKS = tuple(f"dock-{n}" for n in SEATS)
"""The docks that a hub may have, one for each seat."""

CUES = (
    "whistle",
    "rooster",
    "knock",
    "round",
    "double",
    "caught",
    "refused",
    "undo",
    "redo",
    "join",
    "time",
    "finish",
    "goodbye",
    "chickie",
    "leader",
    "attention",
)
"""All sounds of a hub. The position of a cue is its track on a sound module's card, so a new cue is
added at the end, or the cards in use would play the wrong ones."""

TRACKS = {cue: place for place, cue in enumerate(CUES, start=1)}
"""The track of each cue, as `centerpiece sounds export` numbers the files."""

CUE_SECONDS = {
    "whistle": 1.2,
    "rooster": 1.4,
    "knock": 0.6,
    "round": 2.1,
    "double": 0.55,
    "caught": 0.8,
    "refused": 0.42,
    "undo": 0.36,
    "redo": 0.36,
    "join": 0.7,
    "time": 2.3,
    "finish": 2.5,
    "goodbye": 2.2,
    "chickie": 0.4,
    "leader": 1.0,
    "attention": 0.8,
}
"""The length of each cue; speech waits until it is over."""


class Clip(NamedTuple):
    """A piece of speech: a number, a name, a seat or a phrase, recorded or synthesized by its key.

    `text` is what is spoken, `pause` the silence after it in seconds, `instead` a clip of nearly
    the same meaning for a voice that lacks this one. `folder` and `track` are its place on a sound
    module's card; a name has no track of its own, and a clip that is not on the card has no folder.
    """

    key: str
    text: str
    pause: float = 0.0
    instead: "Clip | None" = None
    folder: int = 0
    track: int = 0

    @property
    def seconds(self) -> float:
        """The estimated length, with the pause."""
        return 0.3 + 0.06 * len(self.text) + self.pause


class ClipSequence(NamedTuple):
    """Clips to speak one after the other, in a language (`en`, `es`).

    `calm` asks a synthesizer to speak slower and in a lower voice.
    """

    language: str
    clips: tuple[Clip, ...]
    calm: bool = False

    @property
    def seconds(self) -> float:
        """The estimated length."""
        return sum(clip.seconds for clip in self.clips)


Frame = bytes
"""One picture for the whole chain: three bytes (red, green, blue) a pixel, in perceived brightness.
Gamma, maximum brightness and the order of colours on the wire are up to the adapter."""


class Edge(msgspec.Struct, frozen=True, gc=False):
    """A button went down or up, without debounce; `now` is monotonic seconds of the hub's clock."""

    button: str
    down: bool
    now: float


class DockLevel(NamedTuple):
    """A train marker was seen in its dock or out of it, without debounce; `now` is monotonic."""

    seat: int
    home: bool
    now: float


class Zone(msgspec.Struct, frozen=True):
    """A run of pixels with one purpose."""

    name: str
    start: int
    count: int


class Trouble(NamedTuple):
    """A device that failed during play or, with an empty message, works again.

    `message` is a sentence for the page: what failed, and what to do about it.
    """

    device: str
    message: str


Report = Callable[[Trouble], None]
"""The function that takes an adapter's reports of trouble; called from any thread."""


class Buttons(Protocol):
    """The panel's buttons as raw, time-stamped edges.

    `listen` is called once; from then on `on_edge` is called for each edge, bounces included,
    possibly on a library's thread. Edges of one button come in order of time. A button that is
    already down gives no edge until it is released. `on_edge` must not block. An exception in it is
    logged and does not silence the other buttons. Buttons that fail are reported as trouble with
    `buttons` and reopened; the service then forgets which buttons were down, as their release may
    have been missed. After `close`, which may be called twice, `on_edge` is not called again.
    `is_down` reads the line of a button at this moment, ahead of edges that are still on their way;
    None if the device cannot tell.
    """

    def listen(self, on_edge: Callable[[Edge], None]) -> None: ...

    def is_down(self, button: str) -> bool | None: ...

    def close(self) -> None: ...


class Docks(Protocol):
    """The docks of the train markers, as raw, time-stamped levels.

    `listen` is called once; from then on `on_level` is called with the level of every dock, then
    for each change, bounces included, possibly on a library's thread. Levels of one dock come in
    order of time. `on_level` must not block. An exception in it is logged and does not silence the
    other docks. Docks that fail are reported as trouble with `docks` and reopened; then the level
    of each is told again, because a marker may have been moved meanwhile. After `close`, which may
    be called twice, `on_level` is not called again.
    """

    def listen(self, on_level: Callable[[DockLevel], None]) -> None: ...

    def close(self) -> None: ...


class NoDocks:
    """The Docks port of a hub without docks."""

    def listen(self, on_level: Callable[[DockLevel], None]) -> None:
        """There is nothing to hear."""

    def close(self) -> None:
        """Nothing was opened."""


class Lights(Protocol):
    """One chain of colour pixels.

    `show` replaces the whole frame and does not block: a slow chain shows the newest frame and may
    skip those in between. A frame equal to the last one is not written again. A frame that is not
    three bytes for each of `count` pixels raises ValueError.
    `set_brightness` takes 0.0 to 1.0, also without blocking, and applies to the shown frame at
    once; other values raise ValueError. A chain that fails is reported once and retried; no method
    raises for it. Once it works again it shows the newest frame. After `close`, which may be called
    twice, the chain is dark, or back at what it showed before the hub, and `show` does nothing.
    """

    @property
    def count(self) -> int: ...

    def show(self, frame: Frame) -> None: ...

    def set_brightness(self, brightness: float) -> None: ...

    def close(self) -> None: ...


class Sound(Protocol):
    """The hub's cues and speech.

    `play` starts a cue of `CUES` and does not block; it cuts off a cue or sentence that is playing.
    An unknown cue raises ValueError. `say` speaks a sentence and does not block; it cuts off an
    earlier sentence. It returns the length in seconds, None while a clip is still being made (call
    again a little later), or 0.0 if the device cannot say it. `prepare` has clips made that will be
    needed soon, and does not block. `set_volume` takes 0.0 (mute) to 1.0 for all later sound; other
    values raise ValueError. A device that fails is reported once and retried; what is played or
    said meanwhile is lost, and no method raises for it. After `close`, which may be called twice,
    `play` and `say` do nothing, and `say` returns 0.0.
    """

    def play(self, cue: str) -> None: ...

    def say(self, sentence: ClipSequence) -> float | None: ...

    def prepare(self, sentence: ClipSequence) -> None: ...

    def set_volume(self, volume: float) -> None: ...

    def close(self) -> None: ...


class Clock(Protocol):
    """The two times of a hub, which never mix.

    `now` is monotonic seconds, for gestures and animation.
    `at` is seconds since 1970 by the wall clock, for the journal; it may jump.
    Both may be called from any thread.
    """

    def now(self) -> float: ...

    def at(self) -> float: ...


class Board(NamedTuple):
    """All devices of a hub, as built by `hal.boards` and given to the service."""

    buttons: Buttons
    lights: Lights
    sound: Sound
    clock: Clock
    zones: tuple[Zone, ...]
    docks: Docks = NoDocks()

    def close(self) -> None:
        """Close all devices; log one that fails and go on with the next."""
        for device in (self.buttons, self.lights, self.sound, self.docks):
            try:
                device.close()
            except Exception:
                log.exception("device=%s could not be closed", type(device).__name__)


def default_zones() -> tuple[Zone, ...]:
    """Return the zones of the standard hub: face, ten seats, the train and a ring of 24 pixels."""
    widths = [("face", 30), *((f"seat-{n}", 3) for n in SEATS), ("train", 3), ("ring", 24)]
    zones, start = [], 0
    for name, count in widths:
        zones.append(Zone(name, start, count))
        start += count
    return tuple(zones)
