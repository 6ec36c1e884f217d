"""Virtual people at a simulated hub: their hands on its buttons, their eyes on what it shows.

A game is played tile by tile; what happens is told to the hub through the buttons port, in
virtual time, and the hub is read through its lights, its sounds and the public state. After
everything that is told, the table's truth and the hub's books are held against each other: the
first difference ends the game with a `Disagreement` that can be played again.

Every game has a hub of its own, fresh from the box, with its journal in memory.
"""

import gc
from collections.abc import Callable, Iterable, Sequence
from random import Random

import msgspec

from centerpiece.games.registry import BOOKS
from centerpiece.rules.book import Rules
from centerpiece.rules.house_rules import HouseRules
from centerpiece.table.commands import ChooseRules
from centerpiece.text import Problem
from sim.dominoes.happenings import (
    Announced,
    Blocked,
    Caught,
    DoubleOpened,
    FootOpened,
    Happening,
    MiddleRemoved,
    Passed,
    Played,
    Stolen,
    ThreeRemoved,
    TileDrawn,
    TurnLost,
)
from sim.dominoes.match import Match
from sim.dominoes.round import Round
from sim.hands import Gesture, Hands, hold, tap
from sim.hands import double as double_tap
from sim.people import truth
from sim.people.players import KINDS, Player, decisions, player
from sim.people.reporting import ASKING, NEXT, Telling, TellingSuper15, telling
from sim.people.truth import Penalty

THINKING = 6.0
"""Between two things told of; longer than any question of the hub waits for its answer."""
LOOKS_ONCE_IN = 16
"""How often somebody looks at all the lights, on average."""
RECOVERS_ONCE_IN = 16
"""How often a game is read back from its journal, on average."""

CUES: dict[type[Happening], str] = {
    DoubleOpened: "double",
    FootOpened: "double",
    Caught: "caught",
    Stolen: "caught",
}
"""What must be heard when something is told."""

COUNTED: dict[type[Happening], str] = {
    Passed: "turns",
    TileDrawn: "turns",
    MiddleRemoved: "turns",
    ThreeRemoved: "turns",
    Blocked: "blocked",
    Announced: "announced",
    Caught: "caught",
    Stolen: "stolen",
}
"""What is counted for the summary, beside the tiles played."""


class Disagreement(Problem):
    """Table and hub have different books; the message shows where, and how to see it again."""

    code = "disagreement"

    def __init__(self, where: str, found: Sequence[str], replay: str) -> None:
        super().__init__(
            "table and hub disagree. {where}:\n  {found}\nTo see it again:\n  {replay}",
            where=where,
            found="\n  ".join(found),
            replay=replay,
        )


class Tables(msgspec.Struct, frozen=True):
    """What is played, by whom, and from which seed."""

    rules: Rules
    size: int
    players: int
    kinds: tuple[str, ...] = tuple(KINDS)
    seed: int = 1

    def kinds_in(self, game: int) -> tuple[str, ...]:
        """Who sits where: every kind comes to every seat, and next to every other."""
        kinds = [self.kinds[(seat + game) % len(self.kinds)] for seat in range(self.players)]
        Random(f"seats {self.seed}:{game}").shuffle(kinds)
        return tuple(kinds)

    def replay(self, game: int) -> str:
        """The command that plays one game again."""
        words = ["centerpiece simulate", self.rules.full_name]
        words += [f"--replay {self.seed}:{game}", f"--players {self.players}"]
        if self.size != self.rules.sets[0]:
            words.append(f"--set {self.size}")
        if self.kinds != tuple(KINDS):
            words.append(f"--kinds {','.join(self.kinds)}")
        return " ".join([*words, "--transcript"])


class Result(msgspec.Struct):
    """What came of one game."""

    game: int
    kinds: tuple[str, ...]
    rounds: int = 0
    turns: int = 0
    blocked: int = 0
    announced: int = 0
    caught: int = 0
    stolen: int = 0
    mispresses: int = 0
    gestures: int = 0
    compared: int = 0
    totals: list[int] = []
    winners: list[int] = []
    """Seats from 0."""


Watch = Callable[[Round, Sequence[Happening], Sequence[Gesture]], None]
"""Called with everything that happens and what was pressed for it."""


class Game:
    """One game from the lobby to the winners, told to a hub and compared with its books."""

    def __init__(self, tables: Tables, game: int, watch: Watch | None = None) -> None:
        self.tables = tables
        self.rng = Random(f"{tables.rules.full_name} {tables.seed}:{game}")
        self.fingers = Random(f"fingers {tables.seed}:{game}")
        self.kinds = tables.kinds_in(game)
        self.people: list[Player] = [player(kind, self.rng) for kind in self.kinds]
        self.match = Match(tables.rules, tables.size, tables.players, self.rng)
        self.result = Result(game, self.kinds)
        self.hands = Hands(watched=False)
        self.penalties: list[Penalty] = []
        self.step = 0
        self._watch = watch
        self._clumsy = any(each.traits.mispresses for each in self.people)

    def play(self) -> Result:
        """Play it; `Disagreement` if the hub's books are not the table's."""
        try:
            self._sit_down()
            while True:
                played = self._round()
                self._press(NEXT)
                if not self.match.more():
                    break
            self._compare_sheet(played, "finished")
            if self.fingers.random() < 1 / RECOVERS_ONCE_IN:
                self._compare_recovered()
        finally:
            self.hands.stop()
        result = self.result
        result.totals = self.match.totals
        places = truth.sheet(self.match, played, (), "finished")
        result.winners = [seat - 1 for seat in places.winners]
        return result

    # -- before the first round ---------------------------------------------------------------

    def _sit_down(self) -> None:
        """Choose the game in the lobby, take the seats, start."""
        tables = self.tables
        if tables.rules.base:
            self._agree_on_a_phone()
        self._choose("game", tables.rules.game, tap("train"))
        self._choose("rules", tables.rules.name, hold("train"))
        self._choose("set", tables.size, double_tap("train"))
        for seat in range(tables.players):
            self._press(tap(f"seat-{seat + 1}"))
        self._press(NEXT)

    def _agree_on_a_phone(self) -> None:
        """House rules have no buttons."""
        rules = self.tables.rules
        profile = BOOKS.profile(f"{rules.game}/{rules.base}")
        changes = HouseRules.of(rules, profile, rules.name).changes
        agreed = ChooseRules(profile.full_name, self.tables.size, changes, rules.name)
        self.hands.hub.do(agreed)

    def _choose(self, what: str, wanted: str | int, gesture: Gesture) -> None:
        for _ in range(20):
            if self.hands.hub.state()[what] == wanted:
                return
            self._press(gesture)
        raise self._disagree([f"{what}: {wanted!r} cannot be reached by {gesture}"])

    # -- a round ------------------------------------------------------------------------------

    def _round(self) -> Round:
        """Play one round, told as it goes; counted, on the hub and at the table."""
        match = self.match
        number = len(match.sheet) + 1
        played = match.deal()
        teller = telling(played)
        for gesture in teller.opening(number):
            self._press(gesture)
        self._compare(played, teller)
        told: Sequence[Happening] = ()
        limited = match.rules.points_limit is not None
        for told in decisions(played, self.people, self.rng):
            self.step += 1
            self._happened(played, teller, number, told)
            if played.over or (limited and match.reached(played)):
                break
        match.count(played)
        if not match.won_in_play:
            self._end(played, teller, told)
        self.result.rounds += 1
        return played

    def _happened(
        self, played: Round, teller: Telling, number: int, told: Sequence[Happening]
    ) -> None:
        """Tell the hub of one decision, and compare."""
        self._note(played, number, told)
        gestures = list(teller.step(told))
        if self._watch is not None:
            self._watch(played, told, gestures)
        if not gestures:
            return
        self.hands.wait(THINKING)
        self._tell(gestures, self.people[played.turn], told)
        if not played.over:
            self._compare(played, teller)

    def _end(self, played: Round, teller: Telling, told: Sequence[Happening]) -> None:
        """How the round ended and what everybody has left."""
        gestures = [*teller.ending(), *teller.scores(told)]
        if self._watch is not None:
            self._watch(played, (), gestures)
        self.hands.wait(THINKING)
        self._tell(gestures, self.people[played.turn], ())
        self._compare_sheet(played, "scoring")

    def _note(self, played: Round, number: int, told: Sequence[Happening]) -> None:
        """Keep count of what happened."""
        result = self.result
        for each in told:
            if type(each) is Played:
                # Who is to play again has not ended the turn, unless all others lost theirs.
                if played.turn != each.seat or played.over or TurnLost in map(type, told):
                    result.turns += 1
            elif name := COUNTED.get(type(each)):
                setattr(result, name, getattr(result, name) + 1)
                if type(each) is Caught and each.penalty != "none":
                    points = played.rules.penalty_points if each.penalty == "points" else 0
                    self.penalties.append(Penalty(number, each.seat + 1, each.penalty, points))

    # -- hands --------------------------------------------------------------------------------

    def _tell(self, gestures: Sequence[Gesture], who: Player, told: Sequence[Happening]) -> None:
        """Press what is to be pressed, with a slip now and then; listen for what must be heard."""
        heard = self.hands.heard
        cues = set()
        asked = False
        for gesture in gestures:
            if self._clumsy and not asked and self.fingers.random() < who.traits.mispresses:
                self._slip()
            self._press(gesture)
            cues.update(heard)
            asked = gesture in ASKING
        missing = {cue for each in told if (cue := CUES.get(type(each))) and cue not in cues}
        if missing:
            raise self._disagree([f"sounds: {', '.join(sorted(missing))} was not heard"])

    def _press(self, gesture: Gesture) -> None:
        """A gesture that is meant: the hub must not refuse it."""
        hands = self.hands
        hands.heard.clear()
        hands.do(gesture)
        self.result.gestures += 1
        if "refused" in hands.heard:
            raise self._disagree([f"{gesture}: refused by the hub: {hands.hub.state()['notice']}"])

    def _slip(self) -> None:
        """Tap a wrong button, see what it did, and take it back."""
        hands = self.hands
        before = hands.hub.state()
        wrong = self.fingers.choice((*(f"seat-{n}" for n in range(1, 11)), "train"))
        hands.do(tap(wrong))
        self.result.mispresses += 1
        if hands.hub.state()["seq"] == before["seq"]:
            return
        hands.do(tap("undo"))
        after = hands.hub.state()
        passing = {"seq", "notice", "said", "can_redo", "clock", "turn_clock"}
        changed = [
            f"{key}: {before[key]!r} before {tap(wrong)}, {after[key]!r} after its undo"
            for key in before
            if key not in passing and before[key] != after[key]
        ]
        if changed:
            raise self._disagree(changed)

    # -- eyes ---------------------------------------------------------------------------------

    def _compare(self, played: Round, teller: Telling) -> None:
        """Hold the round in play against the public state, and now and then the lights."""
        turn = teller.turn if isinstance(teller, TellingSuper15) else None
        ours = truth.picture(self.match, played, self.penalties, turn)
        theirs = truth.picture_of(self.hands.hub.state())
        self.result.compared += 1
        if ours != theirs:
            raise self._disagree(truth.differences(ours, theirs))
        if self.fingers.random() < 1 / LOOKS_ONCE_IN:
            self._compare_lights(ours)

    def _compare_lights(self, ours: truth.Picture) -> None:
        """Every seat, and the train, as `looks` for the state of the table."""
        expected = truth.looks(ours)
        seen = self.hands.look(*expected)
        found = [
            f"light {zone}: the table has {look}, the hub shows {shown}"
            for (zone, look), shown in zip(expected.items(), seen, strict=True)
            if look != shown
        ]
        if found:
            raise self._disagree(found)

    def _compare_sheet(self, played: Round, phase: str) -> None:
        ours = truth.sheet(self.match, played, self.penalties, phase)
        theirs = truth.sheet_of(self.hands.hub.state())
        self.result.compared += 1
        if ours != theirs:
            raise self._disagree(truth.differences(ours, theirs))
        if phase == "finished" and "finish" not in self.hands.heard:
            raise self._disagree(["sounds: the game is over, but finish was not heard"])

    def _compare_recovered(self) -> None:
        """Had the plug been pulled now: the journal's books against those that were kept."""
        kept = self.hands.hub.ledger
        recovered = self.hands.journal.recover(BOOKS)
        if (kept.table, kept.past) != (recovered.table, recovered.past):
            raise self._disagree(["journal: it tells another game than the one that was kept"])

    def _disagree(self, found: Iterable[str]) -> Disagreement:
        tables, number = self.tables, self.result.game
        where = (
            f"{tables.rules.full_name}, seed {tables.seed}, game {number}, "
            f"round {self.result.rounds + 1}, step {self.step}"
        )
        return Disagreement(where, list(found), tables.replay(number))


def play_game(tables: Tables, game: int, watch: Watch | None = None) -> Result:
    """Play one game on a fresh hub; the same seed and number give the same game.

    Much is kept during a game, and all of it is gone afterwards: looking for cycles among it again
    and again would cost a third of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return Game(tables, game, watch).play()
    finally:
        if collecting:
            gc.enable()


class Unknown(Problem, ValueError):
    """Something was asked for that there is not; the message says what there is."""

    code = "unknown"


def check_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """The kinds of players asked for, all of them known."""
    for kind in kinds:
        if kind not in KINDS:
            raise Unknown(
                "there is no player “{kind}”; the kinds are {known}",
                kind=kind,
                known=", ".join(KINDS),
            )
    return tuple(kinds) or tuple(KINDS)
