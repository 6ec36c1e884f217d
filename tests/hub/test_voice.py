"""The hub's voice: after the cue, never in the way, the latest thing only."""

import time
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from centerpiece.hub.preferences import PREFERENCES
from centerpiece.hub.voice import PATIENCE
from centerpiece.speech.topics import Topics
from centerpiece.table import commands as c
from hal.ports import CUE_SECONDS, ClipSentence
from sim.hands import Hands, hold, tap


class Table(Hands):
    """A simulated hub; words may be made to wait for their clips, and times are noted."""

    def start(self, path: object) -> None:
        super().start(path)  # type: ignore[arg-type]
        self.ready = True
        self.times: list[tuple[float, str]] = []
        self.prepared: list[str] = []
        sound, at_once = self.board.sound, self.board.sound.say

        def say(sentence: ClipSentence) -> float | None:
            if not self.ready:
                return None
            self.times.append((self.clock.now(), " ".join(clip.text for clip in sentence.clips)))
            return at_once(sentence)

        def prepare(sentence: ClipSentence) -> None:
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
    """
    Whose last tile it was, after the whistle.
    """
    pressed = table.clock.now()
    table.do(hold("seat-3"))
    table.wait(5.0)

    ((at, words),) = table.times
    assert "Cara has one tile left" == words
    assert pressed + 0.8 + CUE_SECONDS["whistle"] <= at <= pressed + 3.0


def test_what_comes_later_replaces_what_is_waiting(table: Table) -> None:
    """
    Nobody listens to old news: while one is being said, only the newest of the others waits.
    """
    for seat in (2, 3, 4):
        table.hub.do(c.CallLastTile(seat, sounded=True))
        table.wait(0.01)
    table.wait(20.0)

    assert ["Bob has one tile left", "Dan has one tile left"] == table.heard_words()


def test_words_that_are_late_are_dropped_in_favour_of_their_cue(table: Table) -> None:
    """
    A second, and no longer; a hand that nobody could tell is knocked.
    """
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


def test_words_that_come_in_time_are_heard(table: Table) -> None:
    """
    A clip may be made while its sentence waits.
    """
    table.ready = False
    table.hub.do(c.CallLastTile(2, sounded=True))
    table.wait(0.6)
    table.ready = True
    table.wait(1.0)

    assert ["Bob has one tile left"] == table.heard_words()


def test_undo_takes_back_what_waits_to_be_said(table: Table) -> None:
    """
    What has not happened is not told.
    """
    table.do(hold("seat-3"))
    table.do(tap("undo"))
    table.wait(10.0)

    assert ["Undone"] == table.heard_words()


@pytest.mark.parametrize("change", [{"aloud": False}, {"muted": True}, {"volume": 0.0}])
def test_who_wants_silence_has_silence(table: Table, change: dict[str, object]) -> None:
    """
    The voice off, muted, or no volume: nothing is said, and nothing is sent to any screen.
    """
    said: list[object] = []
    table.hub.on_said(said.append)
    prefer(table, **change)
    table.do(hold("seat-3"))
    table.wait(5.0)

    assert ([], []) == (table.heard_words(), said)


@pytest.mark.parametrize("change", [{"aloud": False}, {"muted": True}])
def test_who_wants_silence_has_it_before_the_next_word(
    table: Table, change: dict[str, object]
) -> None:
    """
    Between the cue and the words, too.
    """
    table.do(hold("seat-3"))
    prefer(table, **change)
    table.wait(10.0)

    assert [] == table.heard_words()


def test_who_wants_silence_has_it_in_the_middle_of_a_sentence(table: Table) -> None:
    """
    At a page no cue cuts the words short, nor where quiet hours begin: the voice is turned down.
    """
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
    """
    Each by itself.
    """
    topics = msgspec.structs.replace(Topics(), last_tile="off")
    prefer(table, speech=topics)
    table.do(hold("seat-3"))
    table.wait(5.0)
    table.do(tap("advance"))
    table.wait(5.0)

    assert ["Who went out?"] == table.heard_words()


def test_words_are_made_ready_when_people_sit_down() -> None:
    """
    Their names first, then everything that a game may need, once.
    """
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


def test_the_whistle_held_while_the_standings_parade_reads_them_aloud_then_the_rules(
    table: Table,
) -> None:
    """
    Its button says so for as long as it is true, and a tap there only blows it.
    """

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
