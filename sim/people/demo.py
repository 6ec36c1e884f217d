"""Virtual people at human pace, on a hub that is really running: something to watch.

They play game after game of a small repertoire, by the buttons alone; short games first, so that
the first minute has markers, doubles, a last tile, a round's end, scores and the next round.
Time passes through `sleep`, so that the same evening can be played in virtual time.
Whoever watches may press buttons as well: if the game is no longer where the people left it, they
stop, and wait for a lobby or the end of a game.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from itertools import cycle
from random import Random
from typing import Any, NamedTuple

from centerpiece.games.registry import BOOKS
from sim.buttons import SimButtons
from sim.dominoes.match import Match
from sim.dominoes.round import Round
from sim.hands import PAUSE, Gesture, double, hold, steps, tap
from sim.people.players import Player, decisions, player
from sim.people.reporting import NEXT, Telling, telling

log = logging.getLogger("centerpiece.demo")

Sleep = Callable[[float], Awaitable[None]]

COUNTING = 0.12
"""Between two taps of the same seat while hands are counted."""
QUIET_TURN = (0.15, 0.5)
TOLD_TURN = (0.6, 1.4)
BEFORE_THE_COUNT = 1.5
BEFORE_THE_ROUND = 2.0
AFTER_THE_GAME = 8.0
LOOKING = 1.0
"""How often they look whether they may begin."""


class Programme(NamedTuple):
    """A game of the repertoire."""

    profile: str
    size: int


REPERTOIRE = (
    Programme("mexican-train/family", 6),
    Programme("chickenfoot/classic", 9),
    Programme("muggins/classic", 6),
    Programme("super-15/double-15", 15),
    Programme("mexican-train/classic", 9),
)
KINDS = ("forgetful", "builder", "greedy", "forgetful")


class Interrupted(Exception):
    """The hub is not where the people left it: somebody else has pressed something."""


class Demo:
    """Four people who never get tired."""

    def __init__(
        self,
        buttons: SimButtons,
        state: Callable[[], dict[str, Any]],
        sleep: Sleep = asyncio.sleep,
        rng: Random | None = None,
    ) -> None:
        self.buttons = buttons
        self.state = state
        self.sleep = sleep
        self.rng = rng or Random()
        self.people: list[Player] = [player(kind, self.rng) for kind in KINDS]

    async def run(self, programmes: Iterable[Programme] | None = None) -> None:
        """Play the repertoire, round and round unless told otherwise."""
        for programme in cycle(REPERTOIRE) if programmes is None else programmes:
            await self._wait_for_the_hub()
            try:
                await self._game(programme)
            except Interrupted:
                log.info("demo: somebody else is playing; waiting for the end of the game")

    async def _wait_for_the_hub(self) -> None:
        while (phase := self.state()["phase"]) not in ("lobby", "finished"):
            await self.sleep(LOOKING)
        if phase == "finished":
            await self.sleep(AFTER_THE_GAME)
            await self._do(NEXT)

    # -- a game -------------------------------------------------------------------------------

    async def _game(self, programme: Programme) -> None:
        await self._sit_down(programme)
        rules = BOOKS.profile(programme.profile)
        match = Match(rules, programme.size, len(self.people), self.rng)
        while match.more():
            await self._round(match)
            await self.sleep(BEFORE_THE_ROUND)
            await self._do(NEXT)

    async def _sit_down(self, programme: Programme) -> None:
        """In the lobby: game, profile, set, seats, and a whistle before the start."""
        game, _, name = programme.profile.partition("/")
        await self._choose("game", game, tap("train"))
        await self._choose("rules", name, hold("train"))
        await self._choose("set", programme.size, double("train"))
        wanted = set(range(1, len(self.people) + 1))
        taken = {seat["seat"] for seat in self.state()["seats"]}
        for seat in sorted(wanted ^ taken):
            await self._do(tap(f"seat-{seat}"))
        await self._do(tap("whistle"))
        await self.sleep(TOLD_TURN[0])
        await self._do(NEXT)
        self._check("playing", 1)

    async def _choose(self, what: str, wanted: str | int, gesture: Gesture) -> None:
        for _ in range(30):
            if self.state()[what] == wanted:
                return
            await self._do(gesture)
        raise Interrupted

    async def _round(self, match: Match) -> None:
        number = len(match.sheet) + 1
        played = match.deal()
        teller = telling(played)
        self._check("playing", number)
        for gesture in teller.opening(number):
            await self._do(gesture)
        for told in decisions(played, self.people, self.rng):
            if not told:
                continue
            gestures = list(teller.step(told))
            await self.sleep(self.rng.uniform(*(TOLD_TURN if gestures else QUIET_TURN)))
            self._check("playing", number)
            for gesture in gestures:
                await self._do(gesture)
            if played.over or match.reached(played):
                break
        match.count(played)
        if not match.won_in_play:
            await self._end(played, teller, [*teller.scores(told)])

    async def _end(self, played: Round, teller: Telling, scores: list[Gesture]) -> None:
        await self.sleep(BEFORE_THE_COUNT)
        for gesture in teller.ending():
            await self._do(gesture)
        await self.sleep(BEFORE_THE_COUNT)
        for gesture in scores:
            await self._do(gesture, COUNTING)

    def _check(self, phase: str, number: int) -> None:
        state = self.state()
        if (state["phase"], state["round"]) != (phase, number):
            raise Interrupted

    # -- hands --------------------------------------------------------------------------------

    async def _do(self, gesture: Gesture, pause: float = PAUSE) -> None:
        for step in steps(gesture, pause):
            self.buttons.edge(step.button, step.down)
            await self.sleep(step.pause)
