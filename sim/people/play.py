"""Virtual people at a simulated hub: their hands on its buttons, their eyes on what it shows.

A game is played tile by tile; what happens is reported by the buttons, in virtual time, and the hub
is read through its lights, its sounds and the public state. After every report the expected state
is compared with the hub's: the first difference ends the game with a `Disagreement` that can be
replayed.

Every game has a new hub, with its journal in memory.
"""

import gc
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from centerpiece.games.registry import GAMES
from centerpiece.hub.dock_levels import SETTLED
from centerpiece.hub.hub import TIMING
from centerpiece.hub.preferences import PREFERENCES
from centerpiece.panel.markers import FIRST_LOOK, SAME_MOVE
from centerpiece.panel.ui import LATE, SAME_PRESS
from centerpiece.rules.house_rules import HouseRules
from centerpiece.table.commands import ChooseRules, Leave
from centerpiece.text import Problem
from sim.dominoes.happenings import (
    Announced,
    Blocked,
    Caught,
    HandLeft,
    Happening,
    Played,
    Stolen,
    TurnMissed,
)
from sim.dominoes.match import Match
from sim.dominoes.mexican_train_tiles import MexicanTrainTiles
from sim.hands import PAUSE, HandGesture, Hands, double, hold, tap
from sim.people import expected_state
from sim.people.expected_state import ExpectedState, SheetPenalty
from sim.people.games import reporter_of
from sim.people.incidents import HubInput, Incidents, Mistake, by_phone
from sim.people.players import VirtualPlayer, decisions, player
from sim.people.reporting import NEXT, TAKE, Reporter
from sim.people.sitting_down import Unreachable, sit_down
from sim.people.tables import Disagreement, SimulatedResult, Tables

THINKING = 6.0
"""Pause between two reports, so that one player's points in play are two scores."""
DOUBLES = {"double-waits": "double"}
"""The look of a double that is due: only the hub knows which of several open doubles that is."""
LONGEST_QUESTION = 10.5
"""Time after which the hub asks no longer."""
LOOKS_ONCE_IN = 16
"""On average, lights are compared once in so many reports."""
ALOUD_ONCE_IN = 16
"""Once in so many games the hub speaks: nobody listens, but its words must exist."""
RECOVERS_ONCE_IN = 16
"""On average, a game is read back from its journal once in so many games."""

COUNTED: dict[type[Happening], str] = {
    Blocked: "blocked",
    Announced: "announced",
    Caught: "caught",
    Stolen: "stolen",
}
"""The happenings counted for the summary, besides turns."""


Watch = Callable[[Reporter, Sequence[Happening], Sequence[HandGesture]], None]
"""A callback for all happenings and the gestures made for them."""


class SimulatedGame:
    """One game from the lobby to the winners, reported to a hub and compared with its state."""

    def __init__(self, tables: Tables, game: int, watch: Watch | None = None) -> None:
        self.tables = tables
        self.rng = Random(f"{tables.rules.full_name} {tables.seed}:{game}")
        self.fingers = Random(f"fingers {tables.seed}:{game}")
        self.kinds = tables.kinds_in(game)
        self.people: list[VirtualPlayer] = [player(kind, self.rng) for kind in self.kinds]
        self.reporter = reporter_of(tables.rules.game)
        self.match = Match(self.reporter.round, tables.rules, tables.size, tables.players, self.rng)
        self.result = SimulatedResult(game=game, kinds=self.kinds)
        self.hands = Hands(watched=False)
        hub = self.hands.hub
        if game % ALOUD_ONCE_IN:
            hub.change(PREFERENCES, lambda known: replace(known, aloud=False))
        self.state = hub.state
        self.incidents = Incidents(self.match, tables.incidents, f"{tables.seed}:{game}")
        self.penalties: list[SheetPenalty] = []
        self.to_skip: set[int] = set()
        """Columns of those who have a turn to lose in the next round, as the hub was told."""
        self.step = 0
        self._reporter: Reporter
        """The reporter of the round in play, or played last."""
        self._mistake: Mistake | None = None
        """The mistake in its report."""
        self._watch = watch
        self._clumsy = any(each.traits.mispresses for each in self.people)

    def play(self) -> SimulatedResult:
        """Play the game to its end, stop the hub, and return the result.

        `Disagreement` is raised if hub and table differ.
        """
        try:
            self._sit_down()
            while True:
                self._round()
                if self._over() and not self._reopened():
                    break
            if self.fingers.random() < 1 / RECOVERS_ONCE_IN:
                self._compare_recovered()
        finally:
            self.hands.stop()
        result = self.result
        result.kinds = self.kinds
        result.incident_counts = dict(self.incidents.incident_counts)
        result.totals = self.match.sheet.totals
        result.winners = expected_state.winners(self.match, self.teller)
        return result

    @property
    def teller(self) -> Reporter:
        """The reporter of the round as the hub knows it."""
        return self._reporter if self._mistake is None else self._mistake.teller

    # -- before the first round ---------------------------------------------------------------

    def _sit_down(self) -> None:
        """Choose the game in the lobby, take the seats, start; `Disagreement` if that fails."""
        tables = self.tables
        if tables.rules.base:
            self._agree_on_a_phone()
        try:
            for gesture in sit_down(tables.rules, tables.size, tables.players, self.state):
                self._press(gesture)
        except Unreachable as found:
            raise self._disagree([str(found)]) from None
        self._press(NEXT)

    def _agree_on_a_phone(self) -> None:
        """Choose the house rules of this game by phone, as no button leads to them."""
        rules = self.tables.rules
        profile = GAMES.profile(f"{rules.game}/{rules.base}")
        changes = HouseRules.of(rules, profile, rules.name).changes
        agreed = ChooseRules(profile.full_name, self.tables.size, changes, rules.name)
        self.hands.hub.do(agreed)

    # -- a round ------------------------------------------------------------------------------

    def _round(self) -> None:
        """Play, report and count one round; nothing is counted if the game is ended before."""
        match, incidents = self.match, self.incidents
        played = match.deal()
        chairs = match.chairs(match.number)
        reporter = self._reporter = self.reporter(played).seated(chairs, incidents.doubts)
        self._mistake = None
        columns = match.sheet.seats
        reporter.to_skip = {columns.index(c) for c in self.to_skip if c in columns}
        reporter.docks = self.tables.docks
        self._put_home(reporter)
        for gesture in reporter.opening(match.number):
            self._press(gesture)
        self._compare(reporter)
        for command in incidents.in_play():
            self._order(command)
            self._compare(reporter)
        ends = incidents.ends_within()
        limited = match.rules.points_limit is not None
        for happenings in decisions(played, self._players(), self.rng):
            self.step += 1
            self._happened(reporter, match.number, happenings)
            if played.over or (limited and match.reached(played)):
                break
            if ends is not None and (ends := ends - 1) == 0:
                self._order(incidents.end())
                self._mistake = incidents.cut_off(reporter)
                return
        if match.reached(played):
            self._count_before_winning()
        if not match.won_in_play and not match.reached(played):
            reporter = self._without_who_leaves(reporter)
        self.to_skip = {match.sheet.seats[player] for player in reporter.to_skip}
        match.count(reporter.played)
        if not match.won_in_play:
            self._end(reporter)
        self.result.rounds += 1

    def _without_who_leaves(self, reporter: Reporter) -> Reporter:
        """Maybe let one player leave before the round is counted, and return the others' reporter.

        If nobody leaves, return the same reporter.
        """
        player = self.incidents.leaves(reporter)
        if player is None:
            return reporter
        chairs = [chair for place, chair in enumerate(reporter.seats) if place != player]
        self._order(Leave(reporter.number(player)))
        others = self._reporter = type(reporter)(reporter.played.without(player)).seated(chairs)
        others.to_skip = {p - (p > player) for p in reporter.to_skip if p != player}
        return others

    def _players(self) -> list[VirtualPlayer]:
        """Return those who play this round."""
        return [self.people[column] for column in self.match.sheet.seats]

    def _count_before_winning(self) -> None:
        """Count missing hands of earlier rounds, before which points made in play do not win.

        The hub must refuse to end the game until then.
        """
        if not all(line.whole for line in self.match.sheet.lines):
            self._refused(NEXT)
            for command in self.incidents.count_missing():
                self._order(command)

    def _over(self) -> bool:
        """Go on after a round; return True if that ends the game, False if another round follows.

        Missing hands are reported first if the game would end. The end is compared, and must be
        heard.
        """
        match, incidents = self.match, self.incidents
        if not match.sheet.over and not match.won_in_play and incidents.ends_now():
            self._order(incidents.end())
        while not match.sheet.over:
            whole = all(line.whole for line in match.sheet.lines)
            if not match.more() and not whole:
                self._refused(NEXT)
                self._compare_sheet("scoring")
                self._correct(incidents.count_missing())
                continue
            if match.more():
                self._press(NEXT)
                if not match.sheet.lines[-1].whole:
                    self._press(NEXT)
                self.result.closing += 1
                return False
            match.sheet.close()
            self._press(NEXT)
            self.result.closing += 1
        self._compare_sheet("finished")
        if "finish" not in self.hands.heard:
            raise self._disagree(["sounds: the game is over, but finish was not heard"])
        return True

    def _reopened(self) -> bool:
        """Correct all mistakes after the end; return True if the game goes on by that.

        The next round is asked for by then. A game won in play never goes on.
        """
        match = self.match
        if match.won_in_play:
            self._correct_what_was_won()
            return False
        by_limit = match.rules.points_limit is not None and not self.incidents.ended_early
        for command in self.incidents.after_the_end():
            self._order(command)
            if by_limit and match.more():
                match.sheet.open_again()  # and so it stays until somebody goes on
            self._compare_sheet("finished" if match.sheet.over else "scoring")
        return not match.sheet.over and not self._over()

    def _correct_what_was_won(self) -> None:
        """Correct earlier rounds of a game won in play; if it is no longer won, people end it."""
        for command in self.incidents.after_the_end():
            self._order(command)
            if self.match.reopen_if_lost():
                if (phase := self.state()["phase"]) != "playing":
                    raise self._disagree([f"phase: the table plays on, the hub has {phase!r}"])
                self._order(self.incidents.end())
            self._compare_sheet("finished")

    def _correct(self, commands: Iterable[HubInput]) -> None:
        """Carry out corrections between two rounds, and compare the score sheet after each."""
        for command in commands:
            self._order(command)
            self._compare_sheet("scoring")

    def _order(self, command: HubInput) -> None:
        """Carry out an input, gestures or a command; `Disagreement` if the hub refuses it.

        Before that, new people on the sheet get a kind of player.
        """
        while len(self.people) < len(self.match.sheet.people):
            kind = self.fingers.choice(self.tables.kinds)
            self.kinds = (*self.kinds, kind)
            self.people.append(player(kind, self.rng))
        if isinstance(command, list):
            for gesture in command:
                self._press(gesture, doubted=gesture == TAKE)
            return
        self.hands.heard.clear()
        try:
            self.hands.hub.do(command)
        except Problem as refused:
            raise self._disagree([f"{command}: refused by the hub: {refused}"]) from None

    def _happened(self, reporter: Reporter, number: int, happenings: Sequence[Happening]) -> None:
        """Report one decision in round `number`, and compare the hub with the table.

        Without gestures for its happenings there is nothing to compare.
        """
        self._note(reporter, number, happenings)
        gestures = list(reporter.step(happenings))
        if self._watch is not None:
            self._watch(reporter, happenings, gestures)
        if not gestures:
            return
        self.hands.wait(THINKING)
        self._tell(gestures, reporter, happenings)
        if not reporter.played.over:
            self._compare(reporter)

    def _end(self, reporter: Reporter) -> None:
        """Report how the round ended and all hands, as people believe them to be, and compare.

        Then come the incidents between two rounds, among them corrections of mistakes.
        """
        hands = reporter.played.hands_left()
        self._mistake = mistake = self.incidents.misread(reporter)
        if mistake is not None:
            hands = mistake.hands
        teller = self.teller
        ending, counting = list(teller.ending()), list(teller.scores(hands))
        if self._watch is not None:
            self._watch(teller, (), [*ending, *counting])
        self.hands.wait(THINKING)
        before, doubted = self.result.gestures, mistake is not None
        self._tell(ending, teller, ())
        hand = self.incidents.phone_meanwhile(teller, hands)
        if hand is not None:
            counting = self._count_at_once(teller, hands, hand, counting, doubted)
        self._tell(counting, teller, (), doubted)
        self.result.closing += self.result.gestures - before
        self._compare_sheet("scoring")
        if self.fingers.random() < 1 / 2:
            self._put_home(self.teller)
        self._correct(self.incidents.between_rounds())

    def _count_at_once(
        self,
        teller: Reporter,
        hands: Sequence[HandLeft],
        taken: HandLeft,
        counting: list[HandGesture],
        doubted: bool,
    ) -> list[HandGesture]:
        """Dial the hands up to `taken`, which a phone counts while it is dialled.

        The hub must refuse the rest of its digits. Of the gestures in `counting`, which dial all
        `hands`, return those for the hands after it.
        """
        before = [hand for hand in teller.in_order(hands) if teller.counts(hand.seat)]
        begins = sum(len(list(teller.dial(hand))) for hand in before[: before.index(taken)])
        dialled = list(teller.dial(taken))
        self._tell(counting[:begins], teller, (), doubted)
        typed = self.fingers.randrange(1, len(dialled))
        for gesture in dialled[:typed]:
            self._press(gesture)
        self._order(by_phone(teller, taken))
        for gesture in dialled[typed:-1]:
            if gesture.button == "train":
                self.hands.do(gesture)
            else:
                self._refused(gesture)
        self.hands.wait(LATE)
        return counting[begins + len(dialled) :]

    def _note(self, reporter: Reporter, number: int, happenings: Sequence[Happening]) -> None:
        """Count the happenings of round `number` for the summary, and note its penalties."""
        result, played = self.result, reporter.played
        for each in happenings:
            if type(each) is Played:
                # If the same player is next, the turn has not ended, unless all others lost theirs.
                if played.turn != each.seat or played.over or TurnMissed in map(type, happenings):
                    result.turns += 1
            elif type(each) in reporter.turns:
                result.turns += 1
            elif name := COUNTED.get(type(each)):
                setattr(result, name, getattr(result, name) + 1)
                if type(each) is Caught and each.penalty != "none":
                    points = played.rules.penalty_points if each.penalty == "points" else 0
                    self.penalties.append(
                        SheetPenalty(
                            number, self.match.sheet.seats[each.seat], each.penalty, points
                        )
                    )

    # -- hands --------------------------------------------------------------------------------

    def _tell(
        self,
        gestures: Sequence[HandGesture],
        reporter: Reporter,
        happenings: Sequence[Happening],
        doubted: bool = False,
    ) -> None:
        """Carry out gestures, with a slip now and then; `Disagreement` if a cue due does not sound.

        The cues due are those for the happenings. With `doubted`, the hub may refuse a number once,
        which is then confirmed.
        """
        heard, who = self.hands.heard, self._players()[reporter.played.turn]
        cues = set()
        for gesture in gestures:
            if self._clumsy and self.fingers.random() < who.traits.mispresses:
                gesture = self._slip(gesture)
            self._press(gesture, doubted and gesture == TAKE)
            cues.update(heard)
        due = {cue for each in happenings if (cue := reporter.required_cues.get(type(each)))}
        missing = due - cues
        if missing:
            raise self._disagree([f"sounds: {', '.join(sorted(missing))} was not heard"])

    def _press(self, gesture: HandGesture, doubted: bool = False) -> None:
        """Carry out an intended gesture; the hub may refuse a `doubted` one once, others never."""
        hands = self.hands
        hands.heard.clear()
        if gesture.kind in ("lift", "home"):
            self._move(gesture)
            return
        if self.tables.incidents and gesture.kind == "tap":
            self._tap(gesture)
        else:
            hands.do(gesture)
        self.result.gestures += 1
        if "refused" in hands.heard and doubted:
            self._press(gesture)
        elif "refused" in hands.heard:
            raise self._disagree([f"{gesture}: refused by the hub: {self.state()['notice']}"])

    def _tap(self, gesture: HandGesture) -> None:
        """Tap, maybe with a slow finger, or twice as two people who want to ask the same.

        The second press must leave the question open, or `Disagreement` is raised.
        """
        hands, button = self.hands, gesture.button
        if button.startswith("seat-") and self.state()["counting"]:
            slow = self.incidents.slow_digit()
            hands.do(gesture if slow is None else hold(button, slow))
            return
        asked = self.state()["asks"]
        again = self.incidents.second_press()
        if asked is not None and button == "undo":
            hands.do(gesture)
            hands.wait(LATE)  # until then a press would be a late answer
            return
        if again is None or asked is not None:
            hands.do(gesture)
            return
        hands.do(gesture)
        if (asked := self.state()["asks"]) is not None:
            self.incidents.pressed_twice()
            hands.wait(again)
            hands.do(gesture)
            if self.state()["asks"] != asked:
                raise self._disagree([f"asks: {asked!r} is gone, as two people pressed {gesture}"])

    # -- train markers in docks ---------------------------------------------------------------

    def _put_home(self, reporter: Reporter) -> None:
        """Put all markers into their docks, and add docks that are missing.

        Nothing happens at a table without docks or in other games than Mexican Train.
        """
        if not self.tables.docks or not isinstance(reporter.played, MexicanTrainTiles):
            return
        docks = self.hands.board.docks
        for seat in map(reporter.number, range(reporter.played.players)):
            if seat not in docks.home:
                docks.fit([seat])
                self.hands.wait(PAUSE)
            elif not docks.home[seat]:
                self.hands.move(seat, home=True)
                self.result.moved += 1

    def _move(self, gesture: HandGesture) -> None:
        """Move a marker as the gesture says; careless people do something wrong with it first."""
        seat = int(gesture.button.removeprefix("dock-"))
        who = self.people[min(seat, len(self.people)) - 1]
        if self.fingers.random() < who.traits.mishandles:
            self.result.mishandled += 1
            self.fingers.choice((self._forget, self._habit, self._wrong_one, self._toy))(seat)
        self.hands.do(gesture)
        self.result.moved += 1
        # The button of this seat means the same thing for a moment.
        self.hands.wait(SAME_MOVE)

    def _forget(self, seat: int) -> None:
        """Forget the marker for a while; `Disagreement` if the state changes meanwhile."""
        before = self.state()
        self.hands.wait(THINKING)
        self._compare_states(before, f"seat {seat} forgot its marker")

    def _habit(self, seat: int) -> None:
        """Tap the seat's button instead; `Disagreement` unless the hub says where the marker is."""
        self.hands.do(tap(f"seat-{seat}"))
        self.hands.wait(FIRST_LOOK)
        if not self.state()["notice"].endswith("in its dock."):
            raise self._disagree([f"seat {seat}: the hub does not say where its marker is"])

    def _wrong_one(self, seat: int) -> None:
        """Move another seat's marker and back; `Disagreement` unless the state is as before."""
        docks, before = self.hands.board.docks, self.state()
        wrong = self.fingers.choice([each for each in docks.home if each != seat] or [seat])
        for home in (not docks.home[wrong], docks.home[wrong]):
            self.hands.move(wrong, home)
        self._compare_states(before, f"seat {seat} took the marker of seat {wrong}")
        self.hands.wait(SAME_MOVE)

    def _toy(self, seat: int) -> None:
        """Play with the marker of a seat; `Disagreement` unless the state is as before.

        It is never moved for long enough to count.
        """
        docks, before = self.hands.board.docks, self.state()
        home = docks.home[seat]
        for _ in range(self.fingers.randrange(1, 6)):
            docks.level(seat, not home)
            self.hands.wait(self.fingers.uniform(0.0, 0.9) * SETTLED)
            docks.level(seat, home)
            self.hands.wait(self.fingers.uniform(0.0, 0.5))
        self.hands.wait(TIMING.hold)
        self._compare_states(before, f"seat {seat} played with its marker")

    def _refused(self, gesture: HandGesture) -> None:
        """Carry out a gesture that the hub must refuse; `Disagreement` if it does not."""
        self.hands.heard.clear()
        self.hands.do(gesture)
        if "refused" not in self.hands.heard:
            raise self._disagree([f"{gesture}: not refused"])

    def _slip(self, meant: HandGesture) -> HandGesture:
        """Press a wrong button and take it back; return the gesture for what was meant.

        The state must be as before. While the hub asks a question, no wrong button is pressed: it
        may get a wrong answer, which is undone, and a tap that was meant becomes a double tap.
        """
        self.result.mispresses += 1
        before, fingers = self.state(), self.fingers
        asks = before["asks"]
        if asks is not None:
            if asks["what"] == "out" and fingers.random() < 1 / 2:
                self._wrong_seat_went_out(before)
            # A trembling tap answers once.
            return double(meant.button) if meant.kind == "tap" else meant
        wrong = fingers.choice((*(f"seat-{n}" for n in range(1, 11)), "train", "advance"))
        self.hands.do(tap(wrong))
        self._take_back(wrong, before)
        if before["counting"] and not self.state()["counting"]["typed"]:
            self._type_again(**before["counting"])
        self._compare_states(before, f"{tap(wrong)} and taking it back")
        return meant

    def _wrong_seat_went_out(self, before: dict[str, Any]) -> None:
        """Answer with a wrong seat, undo that, and have the question asked again.

        The state must be as in `before`.
        """
        self.hands.do(tap(f"seat-{self.fingers.choice(before['asks']['seats'])}"))
        self.hands.do(tap("undo"))
        self.hands.do(tap("advance"))
        self._compare_states(before, "the wrong seat was out, and was not")

    def _type_again(self, seat: int, typed: str, double_blank: bool = False) -> None:
        """Type a number again, the digits in `typed`, since undoing its confirmation clears it.

        The double blank is entered again, too, if it was.
        """
        for digit in typed:
            self.hands.do(tap(f"seat-{int(digit) or 10}"))
        if double_blank and not self.state()["counting"].get("double_blank"):
            self.hands.do(tap("train"))

    def _take_back(self, wrong: str, before: dict[str, Any]) -> None:
        """Take back a press of the button `wrong`, if it changed anything in the state `before`.

        A question is cancelled by the same button, by undo, or by time; all else is undone.
        """
        after = self.state()
        if after["asks"] is not None:
            if (way := self.fingers.choice((wrong, "undo", ""))) == "":
                self.hands.wait(LONGEST_QUESTION)
            else:
                self.hands.wait(SAME_PRESS)
                self.hands.do(tap(way))
            self.hands.wait(LATE)
            return
        blank = wrong == "train" and after["counting"] is not None
        if blank or any(after[key] != before[key] for key in ("seq", "counting")):
            self.hands.do(tap("undo"))
        if (asks := self.state()["asks"]) is not None and asks["what"] == "dock":
            self.hands.do(tap("advance"))

    def _compare_states(self, before: dict[str, Any], what: str) -> None:
        """Raise `Disagreement` if the state is not as `before`, but for notices, clocks and redo.

        `what` says in the error what was done in between.
        """
        after = self.state()
        passing = {"seq", "notice", "said", "question", "redo", "clock", "turn_clock"}
        changed = [
            f"{key}: {before[key]!r} before {what}, {after[key]!r} after"
            for key in before
            if key not in passing and before[key] != after[key]
        ]
        if changed:
            raise self._disagree(changed)

    # -- eyes ---------------------------------------------------------------------------------

    def _compare(self, reporter: Reporter) -> None:
        """Raise `Disagreement` if the public state is not as expected of a round in play.

        Now and then the lights are compared as well.
        """
        ours = expected_state.playing(self.match, reporter, self.penalties)
        self._compare_with_hub(ours)
        if self.fingers.random() < 1 / LOOKS_ONCE_IN:
            self._compare_lights({**ours.looks(), "train": {reporter.train_look()}})

    def _compare_lights(self, expected: dict[str, set[str]]) -> None:
        """Raise `Disagreement` unless each zone shows the looks expected of it, and maybe more."""
        seen = self.hands.look(*expected)
        differences = [
            f"light {zone}: the table has {sorted(looks)}, the hub shows {sorted(shown)}"
            for (zone, looks), shown in zip(expected.items(), seen, strict=True)
            if not looks <= {DOUBLES.get(look, look) for look in shown}
        ]
        if differences:
            raise self._disagree(differences)

    def _compare_sheet(self, phase: str) -> None:
        """Raise `Disagreement` if the score sheet is not right in the hub's `phase`."""
        expected = expected_state.counted(self.match, self.teller, self.penalties, phase)
        self._compare_with_hub(expected)

    def _compare_with_hub(self, ours: ExpectedState) -> None:
        """Raise `Disagreement` if the public state is not the expected one."""
        self.result.compared += 1
        if found := list(ours.differences(self.state())):
            raise self._disagree(found)

    def _compare_recovered(self) -> None:
        """Raise `Disagreement` if the journal leads to another table or past than the hub's."""
        kept = self.hands.hub.ledger
        recovered = self.hands.journal.recover(GAMES)
        if (kept.table, kept.past) != (recovered.table, recovered.past):
            raise self._disagree(["journal: it tells another game than the one that was kept"])

    def _disagree(self, differences: Iterable[str]) -> Disagreement:
        """Return, without raising it, the error that says where hub and table differ."""
        tables, number = self.tables, self.result.game
        where = (
            f"{tables.rules.full_name}, seed {tables.seed}, game {number}, "
            f"round {self.result.rounds + 1}, step {self.step}"
        )
        return Disagreement(where, list(differences), tables.replay(number))


def play_game(tables: Tables, game: int, watch: Watch | None = None) -> SimulatedResult:
    """Play one game on a new hub; the same seed and number give the same game.

    The garbage collector is off meanwhile: collecting the many objects of a game again and again
    would take a third of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return SimulatedGame(tables, game, watch).play()
    finally:
        if collecting:
            gc.enable()
