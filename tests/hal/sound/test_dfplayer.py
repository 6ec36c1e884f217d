"""The sound module's protocol and the quirks of modules, in virtual time."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.device_errors import DeviceLost
from hal.hardware_settings import SoundSettings
from hal.ports import CUES
from hal.sound.dfplayer import MessageParser, ModuleMessage, SoundModule, encode
from hal.voice.tracks import Track
from tests.dfplayer import Player, frame

SETTINGS = SoundSettings(volume=1.0)


class Bench:
    """A hub's side and a module's side, and the seconds between them.

    `delay` is how long the player takes for an answer; `sent` is each frame with its time.
    """

    def __init__(self, player: Player, settings: SoundSettings = SETTINGS, delay: float = 0.02):
        self.player = player
        self.delay = delay
        self.now = 0.0
        self.module = SoundModule(settings, 1.0, self.now)
        self.sent: list[tuple[float, int, int]] = []
        self._coming: list[tuple[float, bytes]] = []

    def say(self, data: bytes, at: float | None = None) -> None:
        """Deliver bytes of the player, now or later."""
        self._coming.append((self.now if at is None else at, data))

    def run(self, seconds: float) -> None:
        """Let time pass, event by event."""
        end = self.now + seconds
        while True:
            self._exchange()
            due = [at for at, _ in self._coming]
            wake = self.module.wake(self.now)
            if wake is not None:
                due.append(wake)
            if not due or min(due) > end:
                break
            assert min(due) > self.now, "woken for nothing"
            self.now = min(due)
        self.now = end

    def _exchange(self) -> None:
        arrived = [data for at, data in self._coming if at <= self.now]
        self._coming = [(at, data) for at, data in self._coming if at > self.now]
        for data in arrived:
            self.module.receive(data, self.now)
        while data := self.module.next(self.now):
            self.sent.append((self.now, data[3], data[5] << 8 | data[6]))
            if answer := self.player.receive(data):
                self._coming.append((self.now + self.delay, answer))

    def play(self, cue: str) -> None:
        self.module.play(cue, self.now)

    def commands(self) -> list[int]:
        return [command for _, command, _ in self.sent]


def started(player: Player | None = None, settings: SoundSettings = SETTINGS) -> Bench:
    """A module that has started and received its first commands."""
    bench = Bench(player or Player(), settings)
    bench.say(bench.player.power_on(), 1.5)
    bench.run(4.0)
    bench.sent.clear()
    return bench


# The language


def test_a_command_is_the_ten_bytes_of_the_manual() -> None:
    """Play track 1, with a confirmation."""
    assert "7eff0603010001fef6ef" == encode(ModuleMessage(3, 1), ack=True).hex()


@given(st.integers(0, 255), st.integers(0, 0xFFFF), st.booleans())
def test_every_message_survives_the_line(command: int, number: int, ack: bool) -> None:
    """Encoding and parsing agree, in the frame of the manual."""
    data = encode(ModuleMessage(command, number), ack)

    assert frame(command, number, int(ack)) == data
    assert [ModuleMessage(command, number)] == list(MessageParser().feed(data))


@given(st.binary(max_size=40), st.lists(st.integers(0, 0xFFFF), max_size=5), st.data())
def test_messages_are_found_behind_noise_and_in_pieces(
    noise: bytes, numbers: list[int], data: st.DataObject
) -> None:
    """A stream may begin anywhere and arrive in any portions."""
    stream = noise + b"".join(frame(0x3D, number) for number in numbers)
    parser, found, rest = MessageParser(), [], stream
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        found += parser.feed(rest[:size])
        rest = rest[size:]

    assert [ModuleMessage(0x3D, number) for number in numbers] == found


def test_a_garbled_message_is_not_heard() -> None:
    """A wrong checksum makes it noise; the next one is heard."""
    garbled = bytearray(frame(0x3D, 1))
    garbled[6] ^= 1

    assert [ModuleMessage(0x3D, 2)] == list(MessageParser().feed(bytes(garbled) + frame(0x3D, 2)))


# Starting


def test_nothing_is_said_before_the_module_has_started() -> None:
    """A module that is spoken to too early stays silent for ever."""
    bench = Bench(Player())
    bench.say(bench.player.power_on(), 2.0)
    bench.run(4.0)

    assert 2.0 <= bench.sent[0][0]
    assert [0x09, 0x06] == bench.commands()
    assert 30 == bench.player.volume


def test_a_module_that_was_on_already_is_asked() -> None:
    """After a restart of the hub alone no start-up message comes."""
    bench = Bench(Player())
    bench.run(4.0)

    assert (3.0, 0x42, 0) == bench.sent[0]
    assert 30 == bench.player.volume
    assert bench.module.trouble() is None
    assert bench.module.heard_from


def test_a_late_start_is_still_taken_up() -> None:
    """A module that starts after it was asked gets its volume then."""
    player = Player()
    player.deaf = 100
    bench = Bench(player)
    bench.run(6.0)
    assert "does not answer" in str(bench.module.trouble())
    player.deaf = 0
    bench.say(player.power_on())
    bench.run(1.0)

    assert bench.module.trouble() is None
    assert 30 == player.volume


def test_an_error_while_starting_does_not_end_the_wait() -> None:
    """Some modules complain of being busy before they say that they are ready."""
    bench = Bench(Player())
    bench.say(frame(0x40, 1), 0.5)
    bench.say(bench.player.power_on(), 2.5)
    bench.run(4.0)

    assert 2.5 == bench.sent[0][0]


def test_a_module_that_starts_again_is_set_up_again() -> None:
    """A dip of the supply resets its volume; the hub sets it once more."""
    bench = started()
    bench.player.volume = None
    bench.say(bench.player.power_on())
    bench.run(1.0)

    assert 30 == bench.player.volume


# Playing


@pytest.mark.parametrize(("numbering", "command"), [("name", 0x12), ("order", 0x03)])
def test_a_cue_is_played_by_its_track(numbering: str, command: int) -> None:
    """By the name of its file, or for some clones by the order of copying."""
    settings = msgspec.convert({"numbering": numbering}, SoundSettings)
    bench = started(settings=settings)
    bench.play("knock")
    bench.run(1.0)

    assert [(4.0, command, 3)] == bench.sent
    assert [3] == bench.player.played


def test_commands_keep_their_distance() -> None:
    """At least a tenth of a second lies between two of them, whatever is asked for."""
    bench = started()
    for cue in CUES:
        bench.play(cue)
        bench.module.set_volume(0.5)
        bench.run(0.03)
    bench.run(2.0)

    times = [at for at, _, _ in bench.sent]
    assert len(times) > 3
    assert min(b - a for a, b in pairwise(times)) >= 0.1 - 1e-9


def test_the_newest_cue_replaces_one_that_waits() -> None:
    """Late sounds confuse; only the latest of a burst is played after the first."""
    bench = started()
    for cue in ("whistle", "knock", "finish"):
        bench.play(cue)
        bench.run(0.01)
    bench.run(2.0)

    assert [1, 1 + CUES.index("finish")] == bench.player.played


def test_a_stale_cue_is_dropped() -> None:
    """A whistle three seconds late is worse than none."""
    bench = Bench(Player())
    bench.play("whistle")
    bench.say(bench.player.power_on(), 2.0)
    bench.run(5.0)

    assert [] == bench.player.played


def test_a_cue_just_before_the_start_is_played() -> None:
    """A cue that is not stale yet is still played."""
    bench = Bench(Player())
    bench.say(bench.player.power_on(), 1.0)
    bench.run(0.9)
    bench.play("whistle")
    bench.run(3.0)

    assert [1] == bench.player.played


@pytest.mark.parametrize("volume", [0.0, 0.5, 1.0])
def test_volume_is_thirty_steps_below_the_builders_own(volume: float) -> None:
    """The builder's volume is the ceiling, the table's lies below it."""
    bench = started(settings=SoundSettings(volume=0.8))
    bench.module.set_volume(0.1)
    bench.module.set_volume(volume)
    bench.run(1.0)

    assert [(4.0, 0x06, round(24 * volume))] == bench.sent


# Faults


@pytest.mark.parametrize("fault", ["deaf", "garbles", "loses"])
@pytest.mark.parametrize("times", [1, 2])
def test_a_lost_or_garbled_exchange_is_repeated(fault: str, times: int) -> None:
    """Two failures in a row are repaired without trouble on the page."""
    bench = started()
    setattr(bench.player, fault, times)
    bench.play("whistle")
    bench.run(3.0)

    assert [0x12] * (times + 1) == bench.commands()
    assert 1 == bench.player.played[-1]
    assert bench.module.trouble() is None


def test_a_newer_cue_is_better_than_an_older_one_again() -> None:
    """One lost exchange is no trouble, and its old cue is not played late."""
    bench = started()
    bench.player.deaf = 1
    bench.play("whistle")
    bench.run(0.2)
    bench.play("knock")
    bench.run(2.0)

    assert [3] == bench.player.played
    assert bench.module.trouble() is None


def test_a_command_that_arrived_garbled_is_repeated_at_once() -> None:
    """The module said so itself: no need to wait for its answer to time out."""
    bench = started()
    bench.player.deaf = 1
    bench.play("whistle")
    bench.say(frame(0x40, 4), 4.02)
    bench.run(1.0)

    assert (4.1, 0x12) == (round(bench.sent[1][0], 3), bench.sent[1][1])


def test_noise_on_the_line_harms_nothing() -> None:
    """Every answer comes behind rubbish, half a frame included."""
    bench = started()
    bench.player.noise = b"\x7e\xff\x06\x00\xef\x7e"
    for cue in ("whistle", "knock"):
        bench.play(cue)
        bench.run(1.0)

    assert [1, 3] == bench.player.played
    assert [0x12, 0x12] == bench.commands()


def test_a_slow_module_teaches_patience() -> None:
    """It answers after 0.8 s: the first cue stutters, later ones are not repeated."""
    bench = started()
    bench.delay = 0.8
    for _ in range(4):
        bench.play("whistle")
        bench.run(5.0)
    bench.sent.clear()
    bench.play("knock")
    bench.run(5.0)

    assert [0x12] == bench.commands()
    assert bench.module.trouble() is None


def test_confirming_twice_is_no_trouble() -> None:
    """Duplicates are ignored."""
    bench = started()
    bench.player.echoes = True
    for cue in ("whistle", "knock"):
        bench.play(cue)
        bench.run(3.0)

    assert [1, 3] == bench.player.played
    assert bench.module.trouble() is None


def test_a_silent_module_is_named_and_still_told_to_play() -> None:
    """Some clones play but never answer: the cue goes out, and the sentence says what to set."""
    player = Player()
    player.mute = True
    bench = Bench(player)
    bench.run(6.0)
    bench.play("whistle")
    bench.run(1.0)

    assert [1] == player.played
    assert "ack = false" in str(bench.module.trouble())


def test_a_silent_module_is_asked_with_growing_pauses() -> None:
    """A dead module costs next to nothing, and is noticed when it is back."""
    player = Player()
    player.deaf = 10_000
    bench = Bench(player)
    bench.run(200.0)
    asked = [at for at, command, _ in bench.sent if command == 0x42 and at > 10.0]
    gaps = [later - sooner for sooner, later in pairwise(asked)]
    assert sorted(gaps) == gaps
    assert 30.0 == pytest.approx(gaps[-1], abs=1.0)
    player.deaf = 0
    bench.run(40.0)

    assert bench.module.trouble() is None
    assert 30 == player.volume


def test_without_confirmations_everything_is_said_once() -> None:
    """`ack = false`: no waiting, no repeating, no trouble with a module that never answers."""
    player = Player()
    player.mute = True
    bench = Bench(player, SoundSettings(ack=False, volume=1.0))
    bench.run(4.0)
    bench.play("whistle")
    bench.run(10.0)

    assert [0x06, 0x12] == bench.commands()
    assert [1] == player.played
    assert bench.module.trouble() is None


class Clone(Player):
    """A module that never confirms and reports the end of each track, of a second."""

    def receive(self, data: bytes) -> bytes:
        played = len(self.played)
        super().receive(data)
        return frame(0x3D, self.played[-1]) if len(self.played) > played else b""


def test_a_module_that_only_reports_ends_works_by_itself() -> None:
    """Nobody needs to set `ack = false`: the first end shows that confirmations never come."""
    bench = Bench(Clone(), delay=1.0)
    bench.run(6.0)
    for _ in range(20):
        bench.play("whistle")
        bench.run(3.0)

    assert [1] * 20 == bench.player.played[-20:]
    assert bench.module.trouble() is None
    assert 30 == bench.player.volume
    assert [0x12] * 10 == bench.commands()[-10:]


def test_a_module_that_confirms_after_all_is_waited_for_again() -> None:
    """The end of a track that began before the hub did says nothing about confirmations."""
    bench = Bench(Player())
    bench.say(frame(0x3D, 9), 0.5)
    bench.run(5.0)
    bench.player.deaf = 1
    bench.play("whistle")
    bench.run(3.0)

    assert [0x12, 0x12] == bench.commands()[-2:]


@pytest.mark.parametrize("code", [3, 4])
def test_a_module_that_refuses_everything_is_named(code: int) -> None:
    """Until it takes something."""

    class Refusing(Player):
        refuses = True

        def receive(self, data: bytes) -> bytes:
            return frame(0x40, code) if self.refuses else super().receive(data)

    player = Refusing()
    bench = Bench(player)
    bench.run(6.0)
    bench.play("whistle")
    bench.run(3.0)
    assert "1 kΩ" in str(bench.module.trouble())
    player.refuses = False
    bench.play("whistle")
    bench.run(3.0)

    assert bench.module.trouble() is None


def test_a_cue_that_was_cut_off_by_a_restart_is_played_again() -> None:
    """The speaker pulled the supply down before the module had confirmed."""
    bench = started()
    bench.player.deaf = 1
    bench.play("whistle")
    bench.say(bench.player.power_on(), bench.now + 0.05)
    bench.run(2.0)

    assert [1] == bench.player.played
    assert bench.module.trouble() is None


def test_a_module_that_starts_again_and_again_is_named() -> None:
    """It is short of current; once it has played, all is well."""
    bench = started()
    for _ in range(20):
        bench.say(bench.player.power_on())
        bench.play("whistle")
        bench.run(0.06)
    assert "again and again" in str(bench.module.trouble())
    bench.run(5.0)
    bench.play("knock")
    bench.run(1.0)

    assert 3 == bench.player.played[-1]
    assert bench.module.trouble() is None


# Cards and tracks


def test_a_module_without_a_card_says_so_at_the_start() -> None:
    """Its start-up message tells which media it found."""
    bench = started(Player(card=False))

    assert "no card" in str(bench.module.trouble())


def test_a_card_taken_out_and_put_back_is_noticed() -> None:
    """Trouble begins and ends with the card."""
    bench = started()
    bench.say(frame(0x3B, 2))
    bench.run(0.5)
    assert "no card" in str(bench.module.trouble())
    bench.player.volume = None
    bench.say(frame(0x3A, 2))
    bench.run(1.0)

    assert bench.module.trouble() is None
    assert 30 == bench.player.volume


def test_a_module_that_stays_busy_has_no_card() -> None:
    """Asked for a track without a card, it only ever says that it is busy."""
    bench = Bench(Player(card=False))
    bench.run(4.0)
    bench.player.busy = True
    bench.play("whistle")
    bench.run(3.0)
    assert "no card" in str(bench.module.trouble())
    bench.player.busy = False
    bench.player.card = True
    bench.play("whistle")
    bench.run(1.0)

    assert bench.module.trouble() is None


def test_a_missing_track_is_named_with_its_cue() -> None:
    """The builder learns which file to copy; the other cues play on."""
    bench = started(Player(tracks=2))
    for cue in ("round", "knock", "whistle"):
        bench.play(cue)
        bench.run(1.0)

    assert [1] == bench.player.played
    assert "track 3 (knock), 4 (round)" in str(bench.module.trouble())


def test_a_missing_track_that_plays_later_is_forgiven() -> None:
    """The track finished, so it must be there now."""
    bench = started(Player(tracks=2))
    bench.play("knock")
    bench.run(1.0)
    bench.player.tracks = 13
    bench.play("knock")
    bench.run(1.0)
    bench.say(frame(0x3D, 3))
    bench.run(1.0)

    assert bench.module.trouble() is None


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=30),
            st.builds(
                frame,
                st.sampled_from([0x3A, 0x3B, 0x3D, 0x3F, 0x40, 0x41, 0x42, 0x99]),
                st.integers(0, 8),
            ),
            st.sampled_from(CUES),
            st.floats(0.0, 5.0),
        ),
        max_size=40,
    )
)
def test_nothing_a_module_says_upsets_the_hub(happenings: list[bytes | str | float]) -> None:
    """Any bytes at any time cause no error, and commands keep their minimum gap."""
    player = Player()
    player.mute = True
    bench = Bench(player)
    for happening in happenings:
        if isinstance(happening, bytes):
            bench.say(happening)
        elif isinstance(happening, str):
            bench.play(happening)
        else:
            bench.run(happening)
    bench.run(5.0)

    times = [at for at, _, _ in bench.sent]
    assert all(b - a >= 0.1 - 1e-9 for a, b in pairwise(times))
    assert isinstance(bench.module.trouble(), DeviceLost | None)


WORDS = (Track(10, 4, 0.5, 0.03), Track(12, 1, 0.8, 0.3), Track(11, 20, 0.6, 0.3))


def speaking(**faults: object) -> Bench:
    """A module with words on its card, in the middle of its evening."""
    player = Player()
    player.folders = {10: 200, 11: 30, 12: 200}
    for fault, value in faults.items():
        setattr(player, fault, value)
    bench = Bench(player)
    bench.say(player.power_on(), 0.5)
    bench.run(5.0)
    return bench


@pytest.mark.parametrize("fault", ["none", "endless", "mute", "echoes"])
def test_a_sentence_is_said_to_its_end(fault: str) -> None:
    """Also by modules that never report the end of a track, never answer, or repeat everything."""
    bench = speaking(**({} if fault == "none" else {fault: True}))

    bench.module.say(WORDS, bench.now)
    bench.run(10.0)

    assert [(track.folder, track.number) for track in WORDS] == bench.player.said


def test_a_track_that_ended_twice_skips_no_word() -> None:
    """Some clones report every end twice: the second does not end the next one."""
    bench = speaking(endless=True)
    bench.module.say(WORDS, bench.now)
    bench.run(0.2)
    for _ in range(2):
        bench.say(frame(0x3D, 7))
    bench.run(0.3)

    assert 2 == len(bench.player.said)


def test_a_cue_cuts_a_sentence_short() -> None:
    """At once, without waiting for the word's own answer, and the rest is not said."""
    bench = speaking(endless=True)
    bench.delay = 0.4
    bench.module.say(WORDS, bench.now)
    bench.run(0.15)
    asked = bench.now
    bench.module.play("whistle", bench.now)
    bench.run(10.0)

    assert [(10, 4)] == bench.player.said
    assert [1] == bench.player.played
    (heard,) = [at for at, command, _ in bench.sent if command == 0x12]
    assert heard - asked <= SETTINGS.gap_s


def test_a_card_without_the_words_says_none_of_them() -> None:
    """Half a sentence says nothing: it is dropped, and the page is told."""
    bench = speaking(folders={10: 200})
    bench.module.say(WORDS, bench.now)
    bench.run(10.0)
    trouble = bench.module.trouble()

    assert [(10, 4)] == bench.player.said
    assert trouble is not None
    assert "lacks some of the words" in str(trouble)
