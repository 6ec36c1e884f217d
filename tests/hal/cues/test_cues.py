"""Each cue has its character; all are equally loud, unclipped, clickless and reproducible."""

import hashlib
import io
import math
import struct
import wave
from functools import cache
from itertools import pairwise

import pytest

import hal.cues
from hal.cues import LOUDNESS, RATE, export, samples, wav
from hal.cues.cue_recipes import RECIPES
from hal.ports import CUES, TRACKS
from tests.ears import loudness, true_peak

_made = cache(samples)

PINNED = {
    "whistle": "897584ae75bfda8853ad4804ddfd6b034b055e4303b1ce22aa405f0919859aaa",
    "rooster": "58003b53532ddb97452e2803d0ff84f037a3d3f3e18fdcd0c1255e715b2d495e",
    "knock": "5cd203484c3ea97420fc2f227cd2283ead5c35321ff4b044b8af917645f31da6",
    "round": "5682a2a2579cdd26494509aa705ec9e7be7a47f28e007d6b943164d8a57e71ef",
    "double": "57ee5c0e796eb8c368cb0206a10f3095ef3f9f31c6acd559b60c095f1e2348f7",
    "caught": "375608c73b5e0178000b2f6a4e8c71d1bcfccf770ff5c18a64d57c0f785f4851",
    "refused": "9461b6283fece028ddaf4ac3f7e2d0709d489f58c3dfe493785a73b45cf87141",
    "undo": "5052d20691b969db58eca0c8e96b6365023145e2b1671d9f1f10b516edcdec4f",
    "redo": "5b280ea5dd6c5b61369615ab35e849f9bda6f0e41f5c9471aee966891b1e0742",
    "join": "ec89beccb7c79d0d52f91369cdefbb091fd7a8e1d85291a65e956987c6d6bed5",
    "time": "2bbe4096f792562d5a7e64d33a1bca83129bfcbb990b399ef48835254f472d41",
    "finish": "e59811b741ab34cea2dc5e69cf6f9b5e9431cb788b02e7d85d4274e9299086f5",
    "goodbye": "f93fba584cd77123ed724559281d6de9f24768c8f814d98a45911c307a1b4eaa",
    "chickie": "5acf7ed5ff99b02fc7897f6c3707eb87707375534d385a19c87eb371d3da8da8",
    "leader": "43d26ced7c513e9eada00ac71bd44155fe7cd758f45997a2c8ea03475d65557b",
    "attention": "bd8b438ad06626959c91e76ae1b122e0232a3a2a7d671acc5591f4754180e2e5",
}
"""SHA-256 of the samples of each cue (low byte first). A change is audible: listen to it first."""

SECONDS = {"whistle": 1.2, "rooster": 1.4, "caught": 0.8, "finish": 2.5}


def made(cue):
    """Synthesize the cue once for all tests."""
    return _made(cue)


def low_byte_first(sound):
    """Return the samples as bytes, independent of the machine's byte order."""
    return struct.pack(f"<{len(sound)}h", *sound)


def envelope(sound, seconds=0.01):
    """Return the level in short frames, as a share of the highest."""
    n = round(seconds * RATE)
    frames = [sound[i : i + n] for i in range(0, len(sound), n)]
    levels = [math.sqrt(sum(x * x for x in frame) / len(frame)) for frame in frames]
    return [level / max(levels) for level in levels]


def bursts(sound):
    """Count the rises of the sound out of near silence."""
    found, sounding = 0, False
    for level in envelope(sound):
        if sounding and level < 0.15:
            sounding = False
        elif not sounding and level > 0.4:
            found, sounding = found + 1, True
    return found


def strokes(sound):
    """Return the times at which the level jumps, as when something is struck."""
    levels = [0.0, 0.0, 0.0, *envelope(sound)]
    leaps = [
        i / 100
        for i, (before, level) in enumerate(zip(levels, levels[3:], strict=False))
        if level > 0.3 and level > 1.5 * before
    ]
    return [at for i, at in enumerate(leaps) if i == 0 or at - leaps[i - 1] > 0.05]


def between(sound, start, end):
    """The part of the sound from one second to another."""
    return sound[round(start * RATE) : round(end * RATE)]


def pitch(sound, second, lowest):
    """Return the frequency, up to 1000 Hz, at which the sound repeats around a moment."""
    part = between(sound, second - 0.015, second + 0.015)

    def likeness(lag):
        return sum(x * y for x, y in zip(part, part[lag:], strict=False)) / (len(part) - lag)

    return RATE / max(range(RATE // 1000, RATE // lowest), key=likeness)


def strength(sound, frequency):
    """Return the level of one frequency in the sound."""
    turn = 2 * math.pi * frequency / RATE
    return math.hypot(
        sum(x * math.cos(turn * i) for i, x in enumerate(sound)),
        sum(x * math.sin(turn * i) for i, x in enumerate(sound)),
    )


def treble(sound):
    """Return the share of the sound that changes from sample to sample."""
    change = sum((y - x) ** 2 for x, y in pairwise(sound))
    return math.sqrt(change / sum(x * x for x in sound))


def test_every_cue_of_a_hub_has_a_voice():
    """No cue is silent, and no voice is without a cue."""
    assert CUES == tuple(RECIPES)


@pytest.mark.parametrize("cue", CUES)
def test_the_same_bytes_come_out_every_time(cue):
    """Cues are reproducible on every machine, so a change of them is always deliberate."""
    assert PINNED[cue] == hashlib.sha256(low_byte_first(made(cue))).hexdigest()


@pytest.mark.parametrize("cue", CUES)
def test_no_cue_clips(cue):
    """Even between the samples, peaks stay below -1 dBFS."""
    assert true_peak(made(cue)) / 32768 < 10 ** (-1 / 20)


def test_all_cues_are_equally_loud():
    """To the ear no cue stands out: all lie within 1 LU, around the loudness we chose."""
    levels = [loudness(made(cue), RATE, 32768) for cue in CUES]

    assert max(levels) - min(levels) <= 1.0
    assert pytest.approx(LOUDNESS, abs=0.5) == sum(levels) / len(levels)


@pytest.mark.parametrize("cue", CUES)
def test_no_cue_clicks_at_its_ends(cue):
    """It grows out of silence and falls back into it."""
    sound = made(cue)

    assert (0, 0) == (sound[0], sound[-1])
    assert max(map(abs, sound[:10])) < 0.02 * 32768
    assert max(map(abs, sound[-100:])) < 0.005 * 32768


@pytest.mark.parametrize("cue", CUES)
def test_a_cue_is_short(cue):
    """Nothing is longer than 2.5 s; those with a length in the design have it."""
    assert round(SECONDS.get(cue, RECIPES[cue].seconds) * RATE) == len(made(cue)) <= 2.5 * RATE


def test_the_whistle_has_two_notes_and_ends_in_a_chuff():
    """A lower note, a higher one, then steam without a note."""
    sound = made("whistle")
    low, high = between(sound, 0.1, 0.3), between(sound, 0.5, 0.8)
    chuff = between(sound, 1.01, 1.12)

    assert strength(low, 523.3) > 5 * strength(low, 698.5)
    assert strength(high, 698.5) > 5 * strength(high, 523.3)
    assert strength(high, 3 * 698.5) > 0.05 * strength(high, 698.5)
    assert max(map(abs, chuff)) > 0.1 * max(map(abs, sound))
    assert strength(chuff, 698.5) / len(chuff) < 0.1 * strength(high, 698.5) / len(high)


def test_the_rooster_crows_four_syllables():
    """Cock-a-doodle-doo, the last the longest."""
    assert 4 == bursts(made("rooster"))


def test_a_knock_is_two_knocks():
    """Each dies before the next."""
    assert 2 == bursts(made("knock"))


def test_the_round_begins_with_three_strokes_of_the_bell():
    """Evenly spaced."""
    assert pytest.approx([0.0, 0.42, 0.84], abs=0.021) == strokes(made("round"))


@pytest.mark.parametrize(
    ("cue", "second", "notes"),
    [
        ("double", 0.14, (784.0, 1174.7)),
        ("join", 0.17, (587.3, 880.0)),
        ("refused", 0.12, (523.3, 440.0)),
        ("time", 0.6, (659.3, 523.3)),
    ],
)
def test_two_notes_are_two_notes_that_rise_or_fall(cue, second, notes):
    """Each is struck in its turn."""
    sound, low_to_high = made(cue), notes[0] < notes[1]
    before, after = between(sound, second - 0.1, second), between(sound, second + 0.1, second + 0.2)
    louder = [max(notes, key=lambda note: strength(part, note)) for part in (before, after)]

    assert pytest.approx([0.0, second], abs=0.021) == strokes(sound)
    assert list(notes) == louder
    assert (cue in ("double", "join")) == low_to_high


@pytest.mark.parametrize(
    ("cue", "early", "late", "lowest", "ratio"),
    [
        ("undo", 0.04, 0.27, 250, 440 / 784),
        ("redo", 0.04, 0.27, 250, 784 / 440),
        ("caught", 0.12, 0.66, 160, 183 / 311),
    ],
)
def test_what_slides_up_is_never_taken_for_what_slides_down(cue, early, late, lowest, ratio):
    """The pitch moves by more than a third, in the right direction."""
    first, last = (pitch(made(cue), at, lowest) for at in (early, late))

    assert pytest.approx(ratio, rel=0.04) == last / first


def test_a_goodbye_is_the_whistle_from_far_away():
    """The same two notes, with less treble and a long tail."""
    near, far = made("whistle"), made("goodbye")

    assert treble(far) < 0.5 * treble(near)
    assert len(far) > 1.5 * len(near)


def test_a_wav_file_holds_the_samples():
    """44.1 kHz, mono, 16 bit, as any player reads it."""
    with wave.open(io.BytesIO(wav("undo"))) as file:
        form = (file.getframerate(), file.getnchannels(), file.getsampwidth())
        data = file.readframes(file.getnframes())

    assert (44_100, 1, 2) == form
    assert low_byte_first(made("undo")) == data


def test_tracks_are_counted_from_one_in_the_order_of_the_cues():
    """The module's card and the adapter agree on the numbers."""
    assert dict(zip(CUES, range(1, len(CUES) + 1), strict=True)) == TRACKS


def test_the_export_is_a_card_for_the_sound_module(tmp_path, monkeypatch):
    """Numbered files in `mp3`, and an index for people; a second export replaces the first."""
    monkeypatch.setattr(hal.cues, "samples", made)
    export(tmp_path)
    written = export(tmp_path)

    files = [tmp_path / "mp3" / f"{n:04}.wav" for n in range(1, len(CUES) + 1)]
    assert [str(path) for path in [*files, tmp_path / "cues.txt"]] == written
    assert [wav(cue) for cue in CUES] == [file.read_bytes() for file in files]
    index = (tmp_path / "cues.txt").read_text().splitlines()
    assert [(f"mp3/{track:04}.wav", cue) for cue, track in TRACKS.items()] == [
        tuple(line.split()[:2]) for line in index
    ]


@pytest.mark.parametrize("ask", [samples, wav])
def test_an_unknown_cue_is_refused_with_the_known_ones(ask):
    """The message names what was asked and what there is."""
    with pytest.raises(ValueError, match=r"'moo'.*whistle, rooster.*goodbye"):
        ask("moo")
