"""The hub's voice: after the cue, and only the latest message."""

import time
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from centerpiece.hub.preferences import PREFERENCES
from centerpiece.hub.voice import PATIENCE
from centerpiece.speech.topics import Topics
from centerpiece.table import commands as c
from hal.ports import CUE_SECONDS, ClipSequence
from sim.hands import Hands, hold, tap


class Table(Hands):
    """A simulated hub that notes times; words can be made to wait for their clips."""

    def start(self, path: object) -> None:
        super().start(path)  # type: ignore[arg-type]
        self.ready = True
        self.times: list[tuple[float, str]] = []
        self.prepared: list[str] = []
        sound, at_once = self.board.sound, self.board.sound.say

        def say(sentence: ClipSequence) -> float | None:
            if not self.ready:
                return None
            self.times.append((self.clock.now(), " ".join(clip.text for clip in sentence.clips)))
            return at_once(sentence)

        def prepare(sentence: ClipSequence) -> None:
            self.prepared += [clip.key for clip in sentence.clips]

        sound.say, sound.prepare = say, prepare  # type: ignore[method-assign]

    def heard_words(self) -> list[str]:
        return [words for _, words in self.times]


def prefer(table: Table, **changes: Any) -> None:
    table.hub.change(PREFERENCES, lambda known: msgspec.structs.replace(known, **changes))


@pytest.fixture
def table() -> Iterator[Table]:
    table = Table()
    table.hub.do(
        c.OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), set=12, starter=1)
    )
    table.wait(20.0)
    table.times.clear()
    table.heard.clear()
    yield table
    table.stop()


def test_words_wait_for_the_end_of_the_cue(table: Table) -> None:
    pressed = table.clock.now()
    table.do(hold("seat-3"))
    table.wait(5.0)

    ((at, words),) = table.times
    assert "Cara has one tile left" == words
    assert pressed + 0.8 + CUE_SECONDS["whistle"] <= at <= pressed + 3.0


def test_a_later_message_replaces_the_waiting_one(table: Table) -> None:
    """While one message is spoken, only the newest of the others waits."""
    for seat in (2, 3, 4):
        table.hub.do(c.CallLastTile(seat, sounded=True))
        table.wait(0.01)
    table.wait(20.0)

    assert ["Bob has one tile left", "Dan has one tile left"] == table.heard_words()


def test_words_that_are_late_are_dropped_in_favour_of_their_cue(table: Table) -> None:
    """After one second; for a counted hand the cue is a knock."""
    table.hub.do(c.GoOut(1))
    table.wait(10.0)
    table.ready = False
    table.times.clear()
    table.heard.clear()

    table.hub.do(c.EnterScore(2, 47))
    table.wait(PATIENCE - 0.1)
    early = list(table.heard)
    table.wait(0.3)
    table.ready = True
    table.wait(10.0)

    assert ([], ["knock"], []) == (early, table.heard, table.heard_words())


def test_words_that_come_in_time_are_spoken(table: Table) -> None:
    """A clip may be made while its sentence waits."""
    table.ready = False
    table.hub.do(c.CallLastTile(2, sounded=True))
    table.wait(0.6)
    table.ready = True
    table.wait(1.0)

    assert ["Bob has one tile left"] == table.heard_words()


def test_undo_drops_the_waiting_message(table: Table) -> None:
    table.do(hold("seat-3"))
    table.do(tap("undo"))
    table.wait(10.0)

    assert ["Undone"] == table.heard_words()


@pytest.mark.parametrize("change", [{"aloud": False}, {"muted": True}, {"volume": 0.0}])
def test_nothing_is_spoken_while_the_voice_is_off_or_muted(
    table: Table, change: dict[str, object]
) -> None:
    """No message is sent to any screen either."""
    said: list[object] = []
    table.hub.on_said(said.append)
    prefer(table, **change)
    table.do(hold("seat-3"))
    table.wait(5.0)

    assert ([], []) == (table.heard_words(), said)


@pytest.mark.parametrize("change", [{"aloud": False}, {"muted": True}])
def test_a_mute_stops_words_that_wait(table: Table, change: dict[str, object]) -> None:
    """The mute comes between the cue and the words."""
    table.do(hold("seat-3"))
    prefer(table, **change)
    table.wait(10.0)

    assert [] == table.heard_words()


def test_a_mute_silences_a_sentence_that_has_begun(table: Table) -> None:
    """No cue cuts words short when a page or quiet hours mute the hub, so the volume drops."""
    sound = table.board.sound
    table.hub.read_aloud("card")
    table.wait(0.5)
    prefer(table, muted=True)
    muted = sound.volume
    begins, ends = (
        time.strftime("%H:%M", time.localtime(table.clock.at() + later)) for later in (120, 7200)
    )
    prefer(table, muted=False, quiet_from=begins, quiet_until=ends)
    loud = sound.volume
    table.wait(121.0)

    assert (0.0, 1.0, 0.0) == (muted, loud, sound.volume)


def test_a_topic_can_be_off(table: Table) -> None:
    topics = msgspec.structs.replace(Topics(), last_tile="off")
    prefer(table, speech=topics)
    table.do(hold("seat-3"))
    table.wait(5.0)
    table.do(tap("advance"))
    table.wait(5.0)

    assert ["Who went out?"] == table.heard_words()


def test_clips_are_prepared_when_people_sit_down() -> None:
    """Their names first, then everything that a game may need, once."""
    table = Table()
    table.hub.do(c.ToggleSeat(2, "Zoë"))
    table.wait(1.0)
    first = list(table.prepared)
    table.hub.do(c.ToggleSeat(3, "Ann"))
    table.wait(1.0)
    table.stop()

    assert "name/zoë" == first[0]
    assert {"number/47", "phrase/has-one-tile-left"} <= set(first)
    assert ["name/zoë", "name/ann"] == table.prepared[len(first) :]


def test_another_manner_has_its_clips_prepared_at_once(table: Table) -> None:
    """So that the next sentence is ready, not only the next game."""
    table.prepared.clear()
    prefer(table, calm=True)
    table.wait(1.0)
    first = list(table.prepared)
    prefer(table, volume=0.5)
    table.wait(1.0)

    table.hub.read_aloud("standings")
    table.wait(5.0)

    assert "number/47" in first
    assert "number/47" not in table.prepared[len(first) :]
    assert table.board.sound.said[-1].calm


def test_a_sample_may_be_late(table: Table) -> None:
    """Somebody waits for it: the name at a seat, spelled as it should be read; or two numbers."""
    prefer(table, spellings={"Bob": "Bobb"})
    table.ready = False
    table.hub.read_aloud("sample", 2)
    table.wait(5.0)
    table.ready = True
    table.wait(2.0)
    table.hub.read_aloud("sample")
    table.wait(5.0)

    assert ["Bobb", "fifteen for Ann fifty for Ann"] == table.heard_words()


def test_a_chime_comes_before_a_sentence_that_no_cue_announces(table: Table) -> None:
    """Only if it is chosen; a whistle is attention enough."""
    table.hub.read_aloud("standings")
    table.wait(10.0)
    prefer(table, attention=True)
    asked = table.clock.now()
    table.hub.read_aloud("standings")
    table.wait(10.0)
    table.do(hold("seat-3"))
    table.wait(10.0)

    assert ["attention", "whistle"] == table.heard
    at = table.times[1][0]
    assert asked + CUE_SECONDS["attention"] <= at <= asked + 2.0


def test_the_whistle_held_while_the_standings_parade_reads_them_aloud_then_the_rules(
    table: Table,
) -> None:
    """The button's label says so while it is true, and a tap there only blows the whistle."""

    def label() -> str | None:
        return table.hub.labels()["whistle"].get("hold")

    for button in ("advance", "seat-1", *("seat-7", "advance") * 3):
        table.do(tap(button))
    table.wait(20.0)
    usual = label()
    table.do(tap("advance"))
    offered = label()
    table.do(tap("whistle"))
    assert (None, "Read aloud", None) == (usual, offered, label())

    table.wait(20.0)
    table.times.clear()
    table.do(tap("advance"))
    for _ in range(2):
        table.do(hold("whistle"))
        table.wait(5.0)
    first, then, *_ = table.heard_words()
    assert "Ann leads with zero Bob Cara and Dan follow with seven" == first
    assert "Ann" not in then
