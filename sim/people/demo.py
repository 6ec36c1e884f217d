"""Virtual people at human pace on a running hub, as a demonstration.

They play a small repertoire, by the buttons alone; short games first, so that the first minute
shows markers, doubles, a last tile, a round's end, scores and the next round. Only their names
come as from a phone. Time passes through `sleep`, so the same evening can run in virtual time.
Viewers may press buttons too, and a machine that sleeps for a while turns a tap into a hold: if the
game is no longer where the people left it, they stop. They begin again after its end, or end it
themselves once nobody has pressed anything for a minute.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import cycle
from random import Random
from typing import Any, NamedTuple

from centerpiece.games.registry import GAMES
from centerpiece.rules.rules import Rules
from centerpiece.table.commands import Command, Rename
from sim.buttons import SimButtons
from sim.dominoes.happenings import Happening
from sim.dominoes.match import Match
from sim.hands import PAUSE, HandGesture, chord, steps, tap
from sim.people.games import reporter_of
from sim.people.players import VirtualPlayer, decisions, player
from sim.people.reporting import NEXT, Reporter
from sim.people.sitting_down import Unreachable, sit_down

log = logging.getLogger("centerpiece.demo")

Sleep = Callable[[float], Awaitable[None]]

COUNTING = 0.12
"""Pause between two gestures while hands are counted."""
QUIET_TURN = (0.15, 0.5)
REPORTED_TURN = (0.6, 1.4)
BEFORE_THE_COUNT = 1.5
BEFORE_THE_ROUND = 2.0
AFTER_THE_GAME = 8.0
LOOKING = 1.0
"""Interval at which they check whether they may begin."""
DESERTED = 60.0
"""Time after which they end a game that nobody goes on with."""


class Programme(NamedTuple):
    profile: str
    size: int


REPERTOIRE = (
    Programme("mexican-train/family", 6),
    Programme("chickenfoot/classic", 9),
    Programme("muggins/classic", 6),
    Programme("super-15/double-15", 15),
    Programme("mexican-train/classic", 9),
)
PEOPLE = {"Ann": "forgetful", "Bob": "builder", "Cara": "greedy", "José": "forgetful"}
"""The people and their kinds of play, in the order of their seats."""


class Interrupted(Exception):
    """The hub is not where the people left it: somebody else has pressed something."""


class Demo:
    """Four virtual people who play on and on."""

    def __init__(
        self,
        buttons: SimButtons,
        state: Callable[[], dict[str, Any]],
        order: Callable[[Command], object],
        sleep: Sleep = asyncio.sleep,
        rng: Random | None = None,
    ) -> None:
        self.buttons = buttons
        self.state = state
        self.order = order
        self.sleep = sleep
        self.rng = rng or Random()
        self.people: list[VirtualPlayer] = [player(kind, self.rng) for kind in PEOPLE.values()]

    async def run(self, programmes: Iterable[Programme] | None = None) -> None:
        """Play the given programmes one after the other, or the repertoire forever.

        Each waits until the hub is free. If somebody else presses a button, the programme is given
        up, and the next one follows.
        """
        for programme in cycle(REPERTOIRE) if programmes is None else programmes:
            await self._wait_for_the_hub()
            try:
                await self._game(programme)
            except Interrupted:
                log.info("demo: somebody else is playing; waiting for the end of the game")

    async def _wait_for_the_hub(self) -> None:
        """Wait until no game is played; a finished one is left for the lobby.

        A game in which nothing has happened for `DESERTED` seconds is ended.
        """
        seen, idle = -1, 0.0
        while (state := self.state())["phase"] not in ("lobby", "finished"):
            idle = idle + LOOKING if state["seq"] == seen else 0.0
            seen = state["seq"]
            if idle < DESERTED:
                await self.sleep(LOOKING)
                continue
            idle = 0.0
            await self._do(chord("whistle", "advance"))
            await self._do(tap("advance"))
        if state["phase"] == "finished":
            await self.sleep(AFTER_THE_GAME)
            await self._do(NEXT)

    # -- a game -------------------------------------------------------------------------------

    async def _game(self, programme: Programme) -> None:
        """Play a whole game, from taking the seats to the last round.

        Interrupted is raised if somebody else presses.
        """
        rules = GAMES.profile(programme.profile)
        await self._sit_down(rules, programme.size)
        reporter = reporter_of(rules.game)
        match = Match(reporter.round, rules, programme.size, len(self.people), self.rng)
        while match.more():
            await self._round(match, reporter(match.deal()))
            await self.sleep(BEFORE_THE_ROUND)
            await self._do(NEXT)

    async def _sit_down(self, rules: Rules, size: int) -> None:
        """Choose game, profile, set and seats in the lobby, name the people, whistle, and start.

        Interrupted is raised if a choice cannot be reached or the game has not begun after that.
        """
        try:
            for gesture in sit_down(rules, size, len(self.people), self.state):
                await self._do(gesture)
        except Unreachable:
            raise Interrupted from None
        for seat, name in zip(self.state()["seats"], PEOPLE, strict=False):
            if seat["name"] != name:
                self.order(Rename(seat["seat"], name))
                await self.sleep(COUNTING)
        await self._do(tap("whistle"))
        await self.sleep(REPORTED_TURN[0])
        await self._do(NEXT)
        self._check("playing", 1)

    async def _round(self, match: Match, reporter: Reporter) -> None:
        """Play one round at human pace and count it.

        Interrupted is raised if the hub is in another phase or round. A round whose points win the
        game in play ends at once, without a count.
        """
        number = match.number
        played = reporter.played
        self._check("playing", number)
        for gesture in reporter.opening(number):
            await self._do(gesture)
        for happenings in decisions(played, self.people, self.rng):
            if not happenings:
                continue
            gestures = list(reporter.step(happenings))
            await self.sleep(self.rng.uniform(*(REPORTED_TURN if gestures else QUIET_TURN)))
            self._check("playing", number)
            for gesture in gestures:
                await self._do(gesture)
            if played.over or match.reached(played):
                break
        match.count(played)
        if not match.won_in_play:
            await self._end(reporter, happenings)

    async def _end(self, reporter: Reporter, happenings: Sequence[Happening]) -> None:
        """Report how the round ended and all hands, which are in `happenings`, at human pace."""
        await self.sleep(BEFORE_THE_COUNT)
        for gesture in reporter.ending():
            await self._do(gesture)
        await self.sleep(BEFORE_THE_COUNT)
        for gesture in reporter.scores(happenings):
            await self._do(gesture, COUNTING)

    def _check(self, phase: str, number: int) -> None:
        """Raise Interrupted unless the hub is in this phase and round."""
        state = self.state()
        if (state["phase"], state["round"]) != (phase, number):
            raise Interrupted

    # -- hands --------------------------------------------------------------------------------

    async def _do(self, gesture: HandGesture, pause: float = PAUSE) -> None:
        """Carry out a gesture at human pace."""
        for step in steps(gesture, pause):
            self.buttons.edge(step.button, step.down)
            await self.sleep(step.pause)
