"""`run --demo`: something to watch from the first minute on, by the buttons alone."""

import asyncio
from itertools import pairwise
from random import Random

import pytest

from centerpiece.__main__ import main
from sim.hands import chord, hold, tap
from sim.people.demo import REPERTOIRE, Demo, Programme
from sim.script import Stage


class DemoEvening:
    """A hub in virtual time, and people who take theirs."""

    def __init__(self, folder, seed=1):
        self.stage = Stage(folder)
        self.began = self.stage.clock.now()
        self.heard = []
        self.rounds = {}
        self.notices = []
        self.stage.board.sound.listeners.append(lambda cue, volume: self.heard.append(cue))
        self.stage.hub.on_news(self.look)
        hub, buttons = self.stage.hub, self.stage.board.buttons
        self.demo = Demo(buttons, hub.state, hub.order, self.sleep, Random(seed))

    def look(self):
        state = self.stage.hub.state()
        self.notices.append((self.now, state["notice"]))
        self.rounds.setdefault(state["round"], self.now)

    @property
    def now(self):
        return self.stage.clock.now() - self.began

    async def sleep(self, seconds):
        self.stage.wait(seconds)

    def play(self, *programmes):
        asyncio.run(self.demo.run(programmes))
        return self.stage.hub.state()


@pytest.fixture
def evening(tmp_path):
    evening = DemoEvening(tmp_path)
    yield evening
    evening.stage.stop()


@pytest.mark.parametrize("programme", REPERTOIRE, ids=lambda programme: programme.profile)
def test_every_game_of_the_repertoire_is_played_to_its_end(evening, programme):
    """Nothing is refused but a first tap, and somebody has won."""
    state = evening.play(programme)

    assert "finished" == state["phase"]
    assert programme.profile == f"{state['game']}/{state['rules']}"
    assert [] != state["winners"]
    assert "finish" in evening.heard
    assert "refused" not in evening.heard


@pytest.mark.parametrize("seed", range(5))
def test_the_first_minute_and_a_half_is_worth_watching(tmp_path, seed):
    """A whistle, markers, a last tile, a round's end with its scores, and the next round."""
    evening = DemoEvening(tmp_path, seed)
    evening.play(REPERTOIRE[0])
    evening.stage.stop()
    early = " ".join(words for now, words in evening.notices if now < 90)

    assert "whistle" in evening.heard
    assert "is open to everyone" in early
    assert "one tile left" in early
    assert " in round 1." in early
    assert evening.rounds[2] < 90


def test_one_game_follows_the_other(evening):
    """With other rules; those who sit there stay."""
    state = evening.play(Programme("muggins/classic", 6), Programme("super-15/double-15", 15))

    assert ("super-15", 4) == (state["game"], len(state["seats"]))


def test_somebody_elses_game_is_left_in_peace(evening):
    """They wait until it is over."""
    stage = evening.stage
    for button in ("seat-1", "seat-2", "seat-3", "seat-4"):
        stage.do(tap(button))
    stage.do(hold("advance"))
    before = stage.hub.ledger.seq
    waited = []

    async def sleep(seconds):
        stage.wait(seconds)
        waited.append(seconds)
        if len(waited) == 5:
            waited.append(stage.hub.ledger.seq)
            stage.do(chord("whistle", "advance"))
            stage.do(tap("advance"))

    evening.demo.sleep = sleep
    state = evening.play(Programme("muggins/classic", 6))

    assert before == waited[5]
    assert ("muggins", "finished") == (state["game"], state["phase"])


def test_somebody_who_takes_part_stops_them(evening):
    """A round that was ended by another hand is not theirs any more."""
    stage = evening.stage
    ended = []

    async def sleep(seconds):
        stage.wait(seconds)
        if stage.hub.state()["phase"] == "playing" and not ended:
            ended.append(stage.clock.now())
            stage.do(chord("whistle", "advance"))
            stage.do(tap("advance"))

    evening.demo.sleep = sleep
    state = evening.play(Programme("muggins/classic", 6))

    assert 1 == len(ended)
    assert ("finished", 1) == (state["phase"], state["round"])


def test_they_are_people_with_names(evening):
    """Also where somebody else sat before."""
    evening.stage.do(tap("seat-7"))
    state = evening.play(Programme("muggins/classic", 6))

    assert ["Ann", "Bob", "Cara", "José"] == [seat["name"] for seat in state["seats"]]


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_an_hour_goes_on_although_the_machine_sleeps_now_and_then(tmp_path, seed):
    """Forty seconds in the middle of a press make a hold of a tap. Something is always going on:
    nothing stands still for more than three minutes, and games are played to their end.
    """
    evening, clumsy = DemoEvening(tmp_path, seed), Random(seed)
    lasts, finished, seen = [], set(), []

    class Over(Exception):
        pass

    async def sleep(seconds):
        evening.stage.wait(40 if clumsy.random() < 0.004 else seconds)
        state = evening.stage.hub.state()
        if not seen or seen[-1] != state["seq"]:
            seen.append(state["seq"])
            lasts.append(evening.now)
        if state["phase"] == "finished":
            finished.add(state["started_at"])
        if evening.now > 3600:
            raise Over

    evening.demo.sleep = sleep
    with pytest.raises(Over):
        asyncio.run(evening.demo.run())
    evening.stage.stop()

    assert 180 > max(after - before for before, after in pairwise([*lasts, evening.now]))
    assert len(finished) > 3


def test_real_hardware_has_no_demo(capsys):
    """The people have no fingers for it."""
    assert 2 == main(["run", "--demo", "--hardware", "pi"])
    assert "simulated hub" in capsys.readouterr().err
