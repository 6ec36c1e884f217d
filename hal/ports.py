"""The ports: everything the service asks of a hub, and the values that cross the line.

A port speaks the table's language (an edge, a frame, a cue), never that of a pin or a byte.
Each docstring is the contract that every backend keeps and `tests/conformance/` checks:
threads, blocking, failure, and what happens after `close`.
"""

import logging
from collections.abc import Callable
from typing import NamedTuple, Protocol

import msgspec

log = logging.getLogger(__name__)

SEATS = tuple(range(1, 11))
BUTTONS = (*(f"seat-{n}" for n in SEATS), "train", "whistle", "advance", "undo")
"""Every button of a hub, by its name on the panel."""

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
)
"""Every sound a hub can make, in the order of the files on a sound module's card: a cue's place in
this list is its track. A new cue comes last, or the cards in use would play the wrong ones."""

TRACKS = {cue: place for place, cue in enumerate(CUES, start=1)}
"""The track of every cue, as `centerpiece sounds export` numbers the files."""

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
}
"""How long every cue lasts: words wait until it is over."""


class Clip(NamedTuple):
    """A piece of speech: a number, a name, a seat or a phrase, recorded or made ahead by its key.

    `text` is what is heard, `pause` the silence after it in seconds, `instead` a clip that says
    nearly the same, for a voice that lacks this one. `folder` and `track` are its place on a sound
    module's card; a name has no track of its own, and what is not on the card has no folder.
    """

    key: str
    text: str
    pause: float = 0.0
    instead: "Clip | None" = None
    folder: int = 0
    track: int = 0

    @property
    def seconds(self) -> float:
        """About how long it takes to say, with the pause."""
        return 0.3 + 0.06 * len(self.text) + self.pause


class ClipSequence(NamedTuple):
    """Clips to be spoken one after the other, in a language (`en`, `es`)."""

    language: str
    clips: tuple[Clip, ...]

    @property
    def seconds(self) -> float:
        """About how long it takes to say."""
        return sum(clip.seconds for clip in self.clips)


Frame = bytes
"""One picture for the whole chain: three bytes (red, green, blue) a pixel, as the eye should see
it. Brightness, gamma and the order of colours on the wire are the adapter's business."""


class Edge(msgspec.Struct, frozen=True, gc=False):
    """A button went down or up, bounce and all; `now` is monotonic seconds of the hub's clock."""

    button: str
    down: bool
    now: float


class Zone(msgspec.Struct, frozen=True):
    """A run of pixels with one job."""

    name: str
    start: int
    count: int


class Trouble(NamedTuple):
    """A device that failed during play, or (with an empty sentence) is well again.

    `message` is a sentence for the page: what failed, and what to do about it.
    """

    device: str
    message: str


Report = Callable[[Trouble], None]
"""How an adapter tells the service of trouble; may be called from any thread."""


class Buttons(Protocol):
    """The panel's buttons as raw, time-stamped edges.

    `listen` is called once; from then on `heard` is called for each edge, in order of time for
    any one button, and possibly on a library's thread: whoever listens must be ready for that.
    A button that is already down when listening starts gives no edge until it is let go.
    Debounce and gestures are not the adapter's business: chatter is passed on as it comes.
    `heard` never raises as far as the adapter is concerned: an error in it must not silence
    the other buttons.
    Buttons that fail are reported as trouble with `buttons`, and come back by themselves; whoever
    listens forgets what was down then, since nobody can say when it was let go.
    After `close`, which may be called twice, `heard` is not called again.
    """

    def listen(self, heard: Callable[[Edge], None]) -> None: ...

    def close(self) -> None: ...


class Lights(Protocol):
    """One chain of colour pixels.

    `show` replaces the whole frame and does not block the caller: a slow chain shows the newest
    frame it was given and may skip those in between. A frame equal to the last one is not
    written again. A frame of another length than `count` pixels is a ValueError.
    A chain that fails is reported once and retried; `show` does not raise for it.
    `brightness` is 0.0 to 1.0 and takes effect at once.
    After `close`, which may be called twice, the chain is dark, or back at what it showed before
    the hub, and `show` does nothing.
    """

    @property
    def count(self) -> int: ...

    def show(self, frame: Frame) -> None: ...

    def set_brightness(self, brightness: float) -> None: ...

    def close(self) -> None: ...


class Sound(Protocol):
    """The hub's voice.

    `play` starts a cue of `CUES` and returns at once; a newer cue may cut an older one short.
    An unknown cue is a ValueError. A device that fails is reported once and retried, the cues
    in between are lost, and `play` does not raise for it.
    `set_volume` takes 0.0 (mute) to 1.0 and holds for all later cues.
    `say` speaks a sentence and returns at once: the seconds it takes, None if a clip is still to
    be made (ask again a little later), 0.0 from a device that cannot say it at all. It cuts an
    earlier sentence short; a cue cuts any sentence short, at once.
    `prepare` has clips made that will be needed soon, and returns at once.
    After `close`, which may be called twice, `play` and `say` do nothing.
    """

    def play(self, cue: str) -> None: ...

    def say(self, sentence: ClipSequence) -> float | None: ...

    def prepare(self, sentence: ClipSequence) -> None: ...

    def set_volume(self, volume: float) -> None: ...

    def close(self) -> None: ...


class Clock(Protocol):
    """The two times of a hub; they never mix.

    `now` is monotonic seconds, for gestures and animation.
    `at` is seconds since 1970 by the wall clock, for the journal; it may jump.
    """

    def now(self) -> float: ...

    def at(self) -> float: ...


class Board(NamedTuple):
    """A whole hub: what a builder of `hal.boards` builds, and all that the service is given."""

    buttons: Buttons
    lights: Lights
    sound: Sound
    clock: Clock
    zones: tuple[Zone, ...]

    def close(self) -> None:
        """Let go of every device; one that fails keeps no other from being closed."""
        for device in (self.buttons, self.lights, self.sound):
            try:
                device.close()
            except Exception:
                log.exception("device=%s could not be closed", type(device).__name__)


def default_zones() -> tuple[Zone, ...]:
    """The chain of the standard hub: face, ten seats, the train and a ring of 24 pixels."""
    widths = [("face", 30), *((f"seat-{n}", 3) for n in SEATS), ("train", 3), ("ring", 24)]
    zones, start = [], 0
    for name, count in widths:
        zones.append(Zone(name, start, count))
        start += count
    return tuple(zones)
