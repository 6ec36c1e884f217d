"""The protocol of DFPlayer-class sound modules, tolerant of their many variants.

No port and no clock: bytes come in, bytes go out, time is passed in, so every quirk can be tested
in virtual time. `hal.sound.serial_sound` owns the port.

Modules differ. Some answer after 2 s, some never, some confirm twice, some send nothing at start.
So answers are optional: a command without one is repeated, then given up and reported as trouble;
anything that arrives counts as a sign of life. A module that reports ends of tracks and has never
confirmed a command is one that does not, and is not waited for.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hal.device_errors import DeviceLost
from hal.hardware_settings import SoundSettings
from hal.health import pauses
from hal.voice.tracks import Track

START, VERSION, LENGTH, END = 0x7E, 0xFF, 0x06, 0xEF
SIZE = 10

# Commands.
PLAY_IN_ORDER, VOLUME, SOURCE, PLAY_BY_NAME, STATUS = 0x03, 0x06, 0x09, 0x12, 0x42
PLAY_IN_FOLDER, COUNT_IN_FOLDER = 0x0F, 0x4E
SD_CARD = 2
LOUDEST = 30

# Replies.
INSERTED, REMOVED, FINISHED, STARTED, ERROR, ACK = 0x3A, 0x3B, 0x3D, 0x3F, 0x40, 0x41
HAS_CARD = 0x02
BUSY = (0, 1)
NOT_FOUND = (5, 6)
"""Makers number errors differently: 0 to 4 may each mean busy, asleep or garbled. All of them are
retried, and a module that stays busy has no card."""

MOST_PATIENCE_S = 2.5
ECHO_S = 0.15
"""Some modules report the end of a track twice: a second report this soon is a repetition."""
SURE_S = 0.5
"""A confirmed play works unless an error or a restart follows this soon."""
RESTARTS, RESTARTS_WITHIN_S = 4, 20.0
"""As many starts in this time mean that the module is short of current."""
OVERDUE = 1.6
"""A track counts as ended after this multiple of its expected length: some modules never tell."""


class ModuleMessage(NamedTuple):
    """A command or a reply, with its parameter."""

    command: int
    number: int = 0


def encode(message: ModuleMessage, ack: bool) -> bytes:
    """Encode a command in ten bytes; `ack` asks the module to confirm it."""
    body = bytes((VERSION, LENGTH, message.command, ack, message.number >> 8, message.number & 255))
    return bytes((START, *body)) + (-sum(body) & 0xFFFF).to_bytes(2, "big") + bytes((END,))


class MessageParser:
    """Finds messages in a byte stream that may start anywhere and lose or garble bytes."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[ModuleMessage]:
        """Yield the complete messages once `data`, the next bytes, is added to what was left.

        Garbled bytes are skipped; an unfinished message is kept for the next call.
        """
        self._bytes += data
        while (start := self._bytes.find(START)) >= 0 and len(self._bytes) >= start + SIZE:
            frame = bytes(self._bytes[start : start + SIZE])
            message = ModuleMessage(frame[3], frame[5] << 8 | frame[6])
            if frame == encode(message, bool(frame[4])):
                del self._bytes[: start + SIZE]
                yield message
            else:
                del self._bytes[: start + 1]
        if start < 0:
            self._bytes.clear()


class SentMessage(NamedTuple):
    """A command awaiting its reply: the deadline, and the number of attempts."""

    message: ModuleMessage
    until: float
    attempts: int


class SoundModule:
    """The state of one sound module, and the commands to send it.

    `receive`, `play`, `say` and `set_volume` take input; `next` returns the bytes to send now, if
    any; `wake` returns the time of the next call. `trouble` is the current problem, None if there
    is none; `heard_from` is True once the module has sent anything.
    """

    def __init__(self, settings: SoundSettings, volume: float, now: float) -> None:
        self._settings = settings
        self._parser = MessageParser()
        self._patience = settings.answer_s
        self._quiet_until = now
        self._started_by: float | None = now + settings.startup_s
        self._queue: deque[ModuleMessage] = deque()
        self._sent: SentMessage | None = None
        self._cue: tuple[str, float] | None = None
        self._playing = ""
        self._tracks: deque[Track] = deque()
        """The rest of a sentence."""
        self._next_track_at: float | None = None
        self._track_began = now
        self._speaks, self._pause = False, 0.0
        self._ended = 0
        self._lacks_words = False
        self._ask_at: float | None = None
        self._pauses = pauses(1.0)
        self._answers = True
        self._acks, self._has_confirmed = settings.ack, False
        self._refuses = self._restarts = False
        self._starts: deque[float] = deque(maxlen=RESTARTS)
        self._works_at: float | None = None
        self._cue_asked = now
        self._card = True
        self._missing: set[str] = set()
        self.heard_from = False
        self.set_volume(volume)

    # Input

    def play(self, cue: str, now: float) -> None:
        """Let a cue wait to be sent; it replaces one that still waits, and the rest of a sentence.

        It is dropped if it cannot be sent within `stale_s` seconds.
        """
        self._cue = cue, now
        self._tracks.clear()
        self._next_track_at = None

    def say(self, tracks: Sequence[Track], now: float) -> None:
        """Queue the tracks of a sentence; one that is playing is cut short."""
        self._tracks = deque(tracks)
        self._next_track_at = now

    def set_volume(self, volume: float) -> None:
        """Queue a volume from 0.0 to 1.0; 1.0 is the maximum of the settings."""
        self._level = min(LOUDEST, max(0, round(LOUDEST * volume * self._settings.volume)))
        self._queue = deque(queued for queued in self._queue if queued.command != VOLUME)
        self._queue.append(ModuleMessage(VOLUME, self._level))

    def receive(self, data: bytes, now: float) -> None:
        """Act on the messages in `data`, the module's next bytes; each is a sign of life.

        A module that was given up as silent is set up again, unless it never confirms and only
        reports the end of a track.
        """
        for message in self._parser.feed(data):
            was_silent, self._answers = not self._answers, True
            self.heard_from = True
            self._ask_at, self._pauses = None, pauses(1.0)
            self._handle(message, now)
            if was_silent and (self._acks or message.command != FINISHED):
                self._set_up()

    def _handle(self, message: ModuleMessage, now: float) -> None:
        """Change the state by one message; any but an error shows that the module has started.

        A new start or a new card sets up the module again.
        """
        if message.command == ERROR:
            self._refused(message.number, now)
            return  # also sent by a module that is still starting
        self._started_by = None
        if message.command == STARTED:
            self._card = bool(message.number & HAS_CARD)
            self._started(now)
            self._set_up()
        elif message.command == INSERTED:
            self._card = True
            self._set_up()
        elif message.command == REMOVED:
            self._card = False
        elif message.command == FINISHED:
            self._works()
            self._missing.discard(self._playing)
            self._track_ended(message.number, now)
            if not self._has_confirmed:
                self._acks, self._sent = False, None
        elif message.command == ACK:
            self._confirmed(now)
        elif message.command == STATUS:
            self._sent = None

    def _set_up(self) -> None:
        """Replace the queue by the commands for source and volume, which a new card forgets.

        What waited in the queue is dropped. Forget the command that awaits its reply, which tracks
        are missing, and whether the card lacks words.
        """
        self._sent = None
        self._missing.clear()
        self._lacks_words = False
        self._queue = deque((ModuleMessage(SOURCE, SD_CARD), ModuleMessage(VOLUME, self._level)))

    def _started(self, now: float) -> None:
        """Note a start of the module; a cue that was sent but not confirmed is queued again.

        `RESTARTS` starts within `RESTARTS_WITHIN_S` seconds are trouble. A newer cue is not
        replaced, and a sentence not said again.
        """
        self._starts.append(now)
        self._restarts = len(self._starts) == RESTARTS and now - self._starts[0] < RESTARTS_WITHIN_S
        self._works_at = None
        playing = self._sent is not None and _is_play(self._sent.message)
        if playing and self._cue is None and not self._speaks:
            self._cue = self._playing, self._cue_asked

    def _confirmed(self, now: float) -> None:
        """Note that the module has confirmed the command sent last.

        A second confirmation means that the command was repeated too soon: commands then wait twice
        as long for theirs, up to `MOST_PATIENCE_S`.
        """
        self._refuses = False
        if self._sent is None and self._acks:  # twice: the command was repeated too soon
            self._patience = min(MOST_PATIENCE_S, self._patience * 2)
        self._acks, self._has_confirmed = self._settings.ack, True
        if self._sent is not None and _is_play(self._sent.message):
            self._works_at = now + SURE_S
        self._sent = None

    def _works(self) -> None:
        """Note that a track was played, which ends all trouble but tracks that are missing."""
        self._card, self._refuses, self._restarts, self._works_at = True, False, False, None

    def _refused(self, code: int, now: float) -> None:
        """Act on an error `code` of the module to the command sent last.

        A missing track is noted, and ends a sentence. Else the command is due again at once, up to
        `retries` times; after that a busy code counts as a missing card, another as bad contact.
        """
        self._works_at = None
        sent, self._sent = self._sent, None
        if code in NOT_FOUND and self._speaks:
            self._lacks_words = True  # half a sentence is useless
            self._tracks.clear()
            self._next_track_at = None
        elif code in NOT_FOUND and self._playing:
            self._missing.add(self._playing)
        elif sent is not None and code not in NOT_FOUND and sent.attempts <= self._settings.retries:
            self._sent = sent._replace(until=now)
        elif sent is not None and code in BUSY and _is_play(sent.message):
            self._card = False
        elif code not in (*NOT_FOUND, *BUSY) and (sent is not None or not self._acks):
            self._refuses = True

    # Output

    def next(self, now: float) -> bytes:
        """Return the bytes of the next command to send now; empty if there is nothing to send yet.

        They count as sent, and their command awaits its reply.
        """
        if self._works_at is not None and now >= self._works_at:
            self._works()
        if self._still_starting(now) or now < self._quiet_until:
            return b""
        message, attempts = self._choose(now)
        if message is None:
            return b""
        self._quiet_until = now + self._settings.gap_s
        if self._acks:
            self._sent = SentMessage(message, now + self._patience, attempts)
        return encode(message, self._settings.ack and message.command != STATUS)

    def wake(self, now: float) -> float | None:
        """Return the time to call `next` again; None means not before new input.

        It is not before the pause after the last command is over.
        """
        if self._started_by is not None:
            return max(now, self._started_by)
        speaks = self._sent is not None and self._sent.message.command == PLAY_IN_FOLDER
        if self._sent is not None and not (speaks and self._cue):
            return max(self._sent.until, self._quiet_until)
        if self._queue or self._cue is not None:
            return max(now, self._quiet_until)
        times = (self._ask_at, self._next_track_at, self._works_at)
        due = [at for at in times if at is not None]
        return max(min(due), self._quiet_until) if due else None

    def trouble(self) -> DeviceLost | None:
        """Return the gravest of the present problems; None if there is none."""
        if not self._answers:
            return DeviceLost(
                "the sound module does not answer",
                "check its power and that its TX goes to RXD and its RX to TXD, "
                "or, if it plays all the same, set ack = false",
            )
        if self._refuses:
            return DeviceLost(
                "the sound module refuses what it is told",
                "put 1 kΩ into the wire to its RX; if that does not help, it is a clone that "
                "cannot talk: use another module",
            )
        if self._restarts:
            return DeviceLost(
                "the sound module starts again and again",
                "it is short of current: give it 5 V of its own and a capacitor, or set a lower "
                "volume in [hardware.sound]",
            )
        if not self._card:
            return DeviceLost(
                "the sound module has no card it can read",
                "put in a FAT32 card with the files of `centerpiece sounds export`",
            )
        if self._missing:
            tracks = ", ".join(
                f"{self._settings.tracks[cue]} ({cue})" for cue in sorted(self._missing)
            )
            return DeviceLost(
                f"the sound module's card lacks track {tracks}",
                "copy the files of `centerpiece sounds export` to it again",
            )
        if self._lacks_words:
            return DeviceLost(
                "the sound module's card lacks some of the words",
                "copy the files of `centerpiece sounds export` to it again",
            )
        return None

    def _still_starting(self, now: float) -> bool:
        """Return whether the module may still be starting, and must not be spoken to.

        A module that was on before the hub sends nothing by itself: after `startup_s` it counts as
        started, and a query is queued if it is set to answer.
        """
        if self._started_by is None:
            return False
        if now < self._started_by:
            return True
        self._started_by = None
        if self._settings.ack:
            self._queue.appendleft(ModuleMessage(STATUS))
        return False

    def _choose(self, now: float) -> tuple[ModuleMessage | None, int]:
        """Return the next message and the number of its attempt; None if there is none to send.

        In this order: a command without reply once more, settings, the cue, the next track, a query
        to a module that was given up. While a reply is awaited, nothing is sent, except a cue in
        place of speech.
        """
        if self._sent is not None and self._cue and self._sent.message.command == PLAY_IN_FOLDER:
            self._sent = None  # a cue does not wait for speech
        if self._sent is not None:
            if now < self._sent.until:
                return None, 0
            sent, self._sent = self._sent, None
            if sent.attempts > self._settings.retries or not self._answers:
                self._give_up(now)
            elif self._cue is None or not _is_play(sent.message):  # a newer cue is better
                return sent.message, sent.attempts + 1
        if self._queue:
            return self._queue.popleft(), 1
        if message := self._take_cue(now) or self._take_track(now):
            return message, 1
        if self._ask_at is not None and now >= self._ask_at:
            self._ask_at = now + next(self._pauses)
            return ModuleMessage(STATUS), 1 + self._settings.retries
        return None, 0

    def _give_up(self, now: float) -> None:
        self._answers = False
        if self._ask_at is None:
            self._ask_at = now + next(self._pauses)

    def _take_cue(self, now: float) -> ModuleMessage | None:
        """Return the command for the cue that waits, which then waits no longer.

        None if there is no cue, or if it has waited for more than `stale_s` seconds.
        """
        if self._cue is None:
            return None
        (cue, asked), self._cue = self._cue, None
        if now - asked > self._settings.stale_s:
            return None
        self._playing, self._cue_asked, self._speaks = cue, asked, False
        by_name = self._settings.numbering == "name"
        command = PLAY_BY_NAME if by_name else PLAY_IN_ORDER
        return ModuleMessage(command, self._settings.tracks[cue])

    def _take_track(self, now: float) -> ModuleMessage | None:
        """Return the command for the next track of a sentence, once the one before has ended.

        None before that, and at the end of the sentence. A track whose end is not reported counts
        as ended after `OVERDUE` times its length.
        """
        if self._next_track_at is None or now < self._next_track_at:
            return None
        if not self._tracks:
            self._next_track_at = None
            return None
        track = self._tracks.popleft()
        self._speaks, self._pause = True, track.pause
        self._track_began = now
        self._next_track_at = now + OVERDUE * track.seconds + track.pause
        return ModuleMessage(PLAY_IN_FOLDER, track.folder << 8 | track.number)

    def _track_ended(self, file: int, now: float) -> None:
        """Act on the report that track number `file` has ended: the next is due after the pause.

        A module may report an end twice, so nothing changes if `file` is that of the last report
        and its track began only now. Outside a sentence nothing is due.
        """
        twice = file == self._ended and now < self._track_began + ECHO_S
        self._ended = file
        if self._speaks and self._next_track_at is not None and not twice:
            self._next_track_at = min(self._next_track_at, now + self._pause)


def _is_play(message: ModuleMessage) -> bool:
    return message.command in (PLAY_BY_NAME, PLAY_IN_ORDER, PLAY_IN_FOLDER)
