"""Events: facts about a table, in the past tense; each is one journal row.

An event defines its effect on the table, its sentence and its cue, so that nothing else needs to
know all kinds of events; a game adds its own by deriving from `Event`. `version` is raised when the
fields change; `journal` brings older rows up to date on reading.
"""

from functools import reduce
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from centerpiece.rules.house_rules import HouseRules
from centerpiece.rules.rules import Rules
from centerpiece.table import saved_rules
from centerpiece.table.changes import (
    change_round,
    change_seat,
    with_chair_free,
    with_last_tile,
    with_more_tiles,
    with_number,
    with_round,
    with_seat,
    without_signs,
)
from centerpiece.table.checks import current_round, rules_word
from centerpiece.table.state import (
    Correction,
    Entry,
    Penalty,
    PenaltyKind,
    PersonName,
    Play,
    Reason,
    Round,
    Seat,
    Stint,
    Table,
    seat_name,
)
from centerpiece.text import Sentence, kebab

EMPTY_HAND = Entry(0)


def and_then(told: Sentence, more: Sentence) -> Sentence:
    return Sentence("{told} {more}", {"told": told, "more": more})


class Event(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=kebab, omit_defaults=True):
    """A fact that has happened to the table."""

    version: ClassVar[int] = 1
    in_play: ClassVar[bool] = False
    """Set this only on an event that changes neither people, rules, rounds nor scores.

    The table after such an event shares the cache of its predecessor (`derived_from_sheet`). Set
    wrongly, players, totals and places stay as they were before the event, and nothing reports it.
    """

    def apply(self, table: Table) -> Table:
        """Return the table after the event. Never refuses: it has already happened."""
        return table

    def sentence(self, table: Table) -> Sentence:
        """Return the notice for players; `table` is the one after the event."""
        raise NotImplementedError(type(self).__name__)

    def cue(self, table: Table) -> str | None:
        """Return the name of its sound, if it has one."""
        return None


class SeatEvent(Event, frozen=True):
    """An event of one seat; `words` is its sentence, with `{name}`."""

    seat: int
    words: ClassVar[str] = ""

    def sentence(self, table: Table) -> Sentence:
        return Sentence(self.words, {"name": table.name(self.seat)})


class SeatTaken(Event, frozen=True):
    seat: int
    name: str

    def apply(self, table: Table) -> Table:
        return with_seat(table, Seat(self.seat, self.name))

    def sentence(self, table: Table) -> Sentence:
        if self.name == seat_name(self.seat):
            return Sentence("Seat {seat} is taken.", {"seat": self.seat})
        return Sentence("{name} takes seat {seat}.", {"name": self.name, "seat": self.seat})

    def cue(self, table: Table) -> str | None:
        return "join"


class SeatFreed(Event, frozen=True):
    seat: int

    def apply(self, table: Table) -> Table:
        return replace(table, seats=tuple(seat for seat in table.seats if seat.number != self.seat))

    def sentence(self, table: Table) -> Sentence:
        return Sentence("Seat {seat} is free.", {"seat": self.seat})


class Renamed(Event, frozen=True):
    seat: int
    name: str

    def apply(self, table: Table) -> Table:
        return change_seat(table, self.seat, name=self.name)

    def sentence(self, table: Table) -> Sentence:
        return Sentence("{name} sits at seat {seat}.", {"seat": self.seat, "name": self.name})


class SeatMoved(Event, frozen=True):
    """A move to another seat; whoever sat there takes the old one."""

    seat: int
    to: int

    def apply(self, table: Table) -> Table:
        """Give `seat` the number `to`; if that is taken, the two swap numbers."""
        swapped = {self.seat: self.to, self.to: self.seat}
        seats = [replace(s, number=swapped.get(s.number, s.number)) for s in table.seats]
        return replace(table, seats=tuple(sorted(seats, key=lambda seat: seat.number)))

    def sentence(self, table: Table) -> Sentence:
        facts = {"name": table.name(self.to), "other": table.name(self.seat), "to": self.to}
        if table.seat(self.seat) is None:
            return Sentence("{name} now sits at seat {to}.", facts)
        return Sentence("{name} and {other} have swapped seats.", facts)


EFFECTIVE_AT_ONCE = ("name", "base", "rounds", "time_limit_min")
"""The fields of a rule book that change at once, not with the next round."""


class RulesAgreed(Event, frozen=True):
    """The whole rule book from now on, so that a later release cannot change it."""

    rules: dict[str, Any]
    size: int
    left_out: tuple[str, ...] = ()
    """Settings saved by another release that this one does not know."""
    at_once: tuple[str, ...] = ()
    """Settings changed during a game that hold in the round being played."""

    def agree(self, table: Table, rules: Rules) -> Table:
        """Return the table with `rules`, as read from the event; used in place of `apply`.

        In the lobby they hold at once, with the set. During a game they hold from the next round
        on, but for the settings of EFFECTIVE_AT_ONCE: a round ends by the rules it was dealt by.
        """
        if table.phase == "lobby":
            return replace(table, rules=rules, size=self.size)
        begun = table.engines[: table.number]
        later = rules.engines_for(self.size)[table.number :]
        now = replace(table.rules, **{name: getattr(rules, name) for name in EFFECTIVE_AT_ONCE})
        agreed = None if now == rules else rules
        return replace(table, rules=now, agreed=agreed, engines=begun + later)

    def sentence(self, table: Table) -> Sentence:
        if self.left_out:
            return Sentence(
                "“{name}” was saved by another version. These settings were left out: {settings}.",
                {"name": self.rules["name"], "settings": ", ".join(self.left_out)},
            )
        if self.at_once:
            return reduce(and_then, map(table.rules.sentence, self.at_once))
        if table.agreed is not None:
            told = reduce(and_then, table.agreed.news(table.rules))
            return Sentence("From the next round on: {told}", {"told": told})
        return Sentence(
            "The game is {game}, {rules} rules, with a double-{size} set.",
            {
                "game": table.rules.title,
                "rules": rules_word(self.rules["name"]),
                "size": self.size,
            },
        )


class RulesSaved(Event, frozen=True):
    """The rules agreed on have a name of their own, and are offered again."""

    house: HouseRules

    def apply(self, table: Table) -> Table:
        return replace(table, saved_rules=saved_rules.with_saved(table, self.house))

    def sentence(self, table: Table) -> Sentence:
        return Sentence("“{name}” is saved.", {"name": self.house.name})


class RulesForgotten(Event, frozen=True):
    house: HouseRules

    def apply(self, table: Table) -> Table:
        return replace(table, saved_rules=saved_rules.without(table, self.house))

    def sentence(self, table: Table) -> Sentence:
        return Sentence("“{name}” is forgotten.", {"name": self.house.name})


class GameDeleted(Event, frozen=True):
    """A past game counts no longer: neither in the history nor as anybody's best."""

    started_at: float

    def apply(self, table: Table) -> Table:
        """Remove the game's results, and note it as deleted."""
        results = {
            key: tuple(each for each in ended if each[0] != self.started_at)
            for key, ended in table.results.items()
        }
        return replace(table, results=results, deleted=(*table.deleted, self.started_at))

    def sentence(self, table: Table) -> Sentence:
        return Sentence("A past game was deleted.")


class PersonNamed(Event, frozen=True):
    """Somebody of past games has another name; a name given to itself is as it was written."""

    name: str
    now: str
    started_at: float | None = None

    def apply(self, table: Table) -> Table:
        """Add `now` as the new name of a person; if it is `name`, remove the one given before."""
        named = PersonName(self.name, self.now, self.started_at)
        if self.name != self.now:
            return replace(table, people=(*table.people, named))
        key = self.name.casefold(), self.started_at
        people = (each for each in table.people if (each.name.casefold(), each.started_at) != key)
        return replace(table, people=tuple(people))

    def sentence(self, table: Table) -> Sentence:
        facts = {"name": self.name, "now": self.now}
        if self.name == self.now:
            return Sentence("{name} is {name} again in past games.", facts)
        if self.started_at is not None:
            return Sentence("{name} was {now} in a past game.", facts)
        return Sentence("{name} is {now} in past games.", facts)


class GameStarted(Event, frozen=True):
    at: float
    engines: tuple[int, ...]

    def apply(self, table: Table) -> Table:
        """Set the rounds' doubles and the start; seats lose their history and get their teams."""
        count = len(table.seats)
        seats = tuple(
            Seat(seat.number, seat.name, team=table.rules.team_of(place, count))
            for place, seat in enumerate(table.seats)
        )
        return replace(table, seats=seats, engines=self.engines, started_at=self.at)

    def sentence(self, table: Table) -> Sentence:
        return Sentence("The game begins.")


class RoundStarted(Event, frozen=True):
    """A round was dealt. `asks`: who starts is still to be said; `starter` is only proposed."""

    number: int
    engine: int | None
    starter: int | None
    asks: bool = False
    among: tuple[int, ...] = ()
    """The seats that play off a tie; empty in a round that counts."""

    def apply(self, table: Table) -> Table:
        """Add the round and clear what belongs to one; lost turns still to come stay.

        Rules that were agreed on during the last round hold from here.
        """
        dealt = len(self.among or table.players(self.number))
        began = Round(self.number, self.engine, self.starter, dealt, among=self.among)
        table = table.with_next_rules()
        asks_for_engine = table.rules.engine_choice == "highest-held" and bool(table.engines)
        return replace(
            table,
            phase="playing",
            rounds=(*table.rounds, began),
            calls=frozenset(),
            announced=frozenset(),
            caught=frozenset(),
            whistles=0,
            turn=None,
            turn_at=None,
            asked=table.size if asks_for_engine else None,
            direction="clockwise",
            who_starts=self.asks,
        )

    def sentence(self, table: Table) -> Sentence:
        facts = {
            "number": self.number,
            "engine": self.engine,
            "starter": "" if self.starter is None else table.name(self.starter),
            "names": [table.name(seat) for seat in self.among],
        }
        if self.among:
            return Sentence("{names} play one round to break the tie.", facts)
        if table.asked is not None:
            facts["asked"] = table.asked
            return Sentence("Round {number}: who has the double {asked}?", facts)
        if self.asks and self.engine is None:
            return Sentence("Round {number}: who starts?", facts)
        if self.asks:
            return Sentence("Round {number}: the double {engine}. Who starts?", facts)
        if self.engine is None and self.starter is None:
            return Sentence("Round {number}.", facts)
        if self.engine is None:
            return Sentence("Round {number}: {starter} starts.", facts)
        return Sentence("Round {number}: the double {engine}. {starter} starts.", facts)

    def cue(self, table: Table) -> str | None:
        return "round"


class StarterDesignated(SeatEvent, frozen=True):
    words: ClassVar[str] = "{name} starts this round."

    def apply(self, table: Table) -> Table:
        return change_round(replace(table, who_starts=False), starter=self.seat)


class StarterDrawn(SeatEvent, frozen=True):
    words: ClassVar[str] = "The draw has picked {name}, who starts this round."

    def apply(self, table: Table) -> Table:
        return change_round(replace(table, who_starts=False), starter=self.seat)


class EngineFound(Event, frozen=True):
    """The double that starts the round is known, and the seat that laid it."""

    engine: int
    seat: int | None = None

    def apply(self, table: Table) -> Table:
        """Set the double and the starter, if one is named; nothing is asked any more."""
        starter = current_round(table).starter if self.seat is None else self.seat
        begun = replace(table, asked=None, who_starts=False)
        return change_round(begun, engine=self.engine, starter=starter)

    def sentence(self, table: Table) -> Sentence:
        facts: dict[str, Any] = {"engine": self.engine}
        if self.seat is None:
            return Sentence("The double {engine} starts the round.", facts)
        facts["name"] = table.name(self.seat)
        return Sentence("{name} starts with the double {engine}.", facts)


class EnginePassed(Event, frozen=True):
    """Nobody holds `engine`; `asked` is the next double to ask for."""

    engine: int
    asked: int

    def apply(self, table: Table) -> Table:
        return replace(table, asked=self.asked)

    def sentence(self, table: Table) -> Sentence:
        facts = {"asked": self.asked}
        if self.asked > self.engine:
            return Sentence(
                "Nobody has a double: everyone draws a tile. Who has the double {asked}?", facts
            )
        return Sentence("Who has the double {asked}?", facts)


class TurnPassed(Event, frozen=True):
    """The turn moved on to a seat (None: not known); `lost` are those skipped on the way."""

    in_play = True
    seat: int | None
    at: float
    lost: tuple[int, ...] = ()

    def apply(self, table: Table) -> Table:
        skipped = table.skipped - set(self.lost)
        return replace(table, turn=self.seat, turn_at=self.at, skipped=skipped)

    def sentence(self, table: Table) -> Sentence:
        if self.seat is None:
            return Sentence("The next turn begins.")
        return Sentence("It is {name}'s turn.", {"name": table.name(self.seat)})


class SkipEnded(SeatEvent, frozen=True):
    in_play = True
    words: ClassVar[str] = "{name} has sat out the lost turn and plays again."

    def apply(self, table: Table) -> Table:
        return replace(table, skipped=table.skipped - {self.seat})


class RoundEnded(Event, frozen=True):
    def apply(self, table: Table) -> Table:
        """End the round; announcements and questions about it are over."""
        over = replace(
            table, phase="scoring", calls=frozenset(), asked=None, who_starts=False, turn_at=None
        )
        return change_round(over, ended=True)

    def sentence(self, table: Table) -> Sentence:
        return Sentence("The round is over.")


class WentOut(SeatEvent, frozen=True):
    on_double: bool = False
    words: ClassVar[str] = "{name} went out."

    def apply(self, table: Table) -> Table:
        """Note who went out; that hand is empty."""
        entries = current_round(table).entries | {self.seat: EMPTY_HAND}
        return change_round(table, out=self.seat, on_double=self.on_double, entries=entries)

    def sentence(self, table: Table) -> Sentence:
        if self.on_double and table.rules.out_on_double_doubles:
            words = "{name} went out on a double: everyone else's points count double."
            return Sentence(words, {"name": table.name(self.seat)})
        return super().sentence(table)


class OutChanged(Event, frozen=True):
    """A correction of who went out in a round; None if it was blocked. `was` is the seat before."""

    round: int
    seat: int | None
    was: int | None = None
    on_double: bool = False

    def apply(self, table: Table) -> Table:
        """Correct who went out, on a double or not; without a `seat` the round was blocked.

        The seat that went out gets an empty hand. `was`, the seat noted before, loses its empty
        hand, which is then to be counted.
        """
        played = table.rounds[self.round - 1]
        entries = dict(played.entries)
        if self.was is not None and self.was != self.seat and entries.get(self.was) == EMPTY_HAND:
            del entries[self.was]
        if self.seat is not None:
            entries[self.seat] = EMPTY_HAND
        return with_round(
            table,
            replace(
                played,
                out=self.seat,
                on_double=self.on_double,
                blocked=self.seat is None,
                entries=entries,
            ),
        )

    def sentence(self, table: Table) -> Sentence:
        facts: dict[str, Any] = {"round": self.round}
        if self.seat is None:
            return Sentence("Nobody went out in round {round}: it was blocked.", facts)
        facts |= {"name": table.name(self.seat)}
        return Sentence("It was {name} who went out in round {round}.", facts)


class RoundBlocked(Event, frozen=True):
    def apply(self, table: Table) -> Table:
        return change_round(table, blocked=True)

    def sentence(self, table: Table) -> Sentence:
        return Sentence("The round is blocked. Everyone counts the tiles that are left.")


class ScoreEntered(Event, frozen=True):
    """A hand was entered; `was` is the entry that it replaces."""

    round: int
    seat: int
    entry: Entry
    was: Entry | None = None

    def apply(self, table: Table) -> Table:
        """Store the hand; one that replaces another is added to the corrections."""
        scored = table.rounds[self.round - 1]
        entries = scored.entries | {self.seat: self.entry}
        changed = with_round(table, replace(scored, entries=entries))
        if self.was is None:
            return changed
        trail = Correction(self.round, self.seat, self.was, self.entry)
        return replace(changed, corrections=(*table.corrections, trail))

    def sentence(self, table: Table) -> Sentence:
        facts = {
            "name": table.name(self.seat),
            "pips": self.entry.pips,
            "round": self.round,
            "was": self.was.pips if self.was else None,
            "tiles": self.entry.tiles,
        }
        if self.entry.hidden:
            return Sentence("{name} did not show the tiles of round {round}.", facts)
        if self.entry.tiles is not None and not self.entry.pips_known:
            return Sentence("{name} has {tiles} {tiles|tile|tiles} in round {round}.", facts)
        if self.entry.tiles is not None:
            return Sentence(
                "{name} has {tiles} {tiles|tile|tiles} with {pips} {pips|pip|pips} "
                "in round {round}.",
                facts,
            )
        if self.was is not None:
            return Sentence("{name} has {pips} in round {round}, not {was}.", facts)
        if self.entry.double_blank:
            return Sentence("{name} has {pips} and the double blank in round {round}.", facts)
        return Sentence("{name} has {pips} in round {round}.", facts)


class GameFinished(Event, frozen=True):
    """The game is over. `left_out`: rounds with hands that were never counted."""

    reason: Reason = "rounds"
    winners: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()

    def apply(self, table: Table) -> Table:
        """End the game: nobody's turn any more. The rounds left out do not count."""
        return replace(
            table,
            phase="finished",
            turn=None,
            finished_by=self.reason,
            left_out=self.left_out,
        )

    def sentence(self, table: Table) -> Sentence:
        names = [table.name(seat) for seat in self.winners]
        if not names:
            return Sentence("The game is over.")
        teams = {seat.team for seat in table.seats if seat.number in self.winners}
        if len(names) > 1 and (len(teams) > 1 or None in teams):
            return Sentence("The game is over: {names} are tied.", {"names": names})
        return Sentence("The game is over: {names} {names|has|have} won.", {"names": names})

    def cue(self, table: Table) -> str | None:
        return "finish"


class WinnersChanged(Event, frozen=True):
    """A correction changed the winners of a finished game."""

    winners: tuple[int, ...] = ()

    def sentence(self, table: Table) -> Sentence:
        names = [table.name(seat) for seat in self.winners]
        if not names:
            return Sentence("The score was corrected: nobody has won yet.")
        return Sentence(
            "The score was corrected: now {names} {names|has|have} won.", {"names": names}
        )

    def cue(self, table: Table) -> str | None:
        return "finish" if self.winners else "round"


class GameReopened(Event, frozen=True):
    """A correction took away the points that had ended the game."""

    def apply(self, table: Table) -> Table:
        """Return to scoring; to playing, if the last round was cut off in play.

        The tiles of such a round still lie there.
        """
        again = replace(table, phase="scoring", finished_by=None, left_out=())
        if current_round(table).end_known:
            return again
        return change_round(replace(again, phase="playing"), ended=False)

    def sentence(self, table: Table) -> Sentence:
        limit = {"limit": table.next_rules.points_limit}
        return Sentence(
            "The score was corrected: nobody has {limit} points, so the game goes on.", limit
        )

    def cue(self, table: Table) -> str | None:
        return "round"


class LobbyOpened(Event, frozen=True):
    def apply(self, table: Table) -> Table:
        """Return a new table with those present seated and the rules agreed on last.

        Whoever left or sits out goes; results, deleted games, names and saved rules stay.
        """
        here = (seat for seat in table.seats if seat.until is None and not seat.parked)
        return Table(
            table.next_rules,
            table.size,
            seats=tuple(Seat(seat.number, seat.name) for seat in here),
            play=Play(),
            results=table.results,
            deleted=table.deleted,
            people=table.people,
            saved_rules=table.saved_rules,
        )

    def sentence(self, table: Table) -> Sentence:
        return Sentence("Before the game: take your seats, then start.")


class LastTileCalled(SeatEvent, frozen=True):
    """A last tile was announced.

    `sounded`: the whistle was heard already; `claims`: it was a whistle that nobody had claimed.
    """

    in_play = True
    sounded: bool = False
    claims: bool = False
    words: ClassVar[str] = "{name} has one tile left."

    def apply(self, table: Table) -> Table:
        """Mark the last tile as known; with `claims` also use up a whistle, if one was blown."""
        announced = with_last_tile(table, self.seat)
        return replace(announced, whistles=max(0, table.whistles - self.claims))

    def cue(self, table: Table) -> str | None:
        return None if self.sounded else table.rules.last_tile_cue


class LastTileGone(SeatEvent, frozen=True):
    in_play = True
    words: ClassVar[str] = "{name} has more than one tile again."

    def apply(self, table: Table) -> Table:
        return with_more_tiles(table, self.seat)


class WhistleBlown(Event, frozen=True):
    """An unknown seat has announced its last tile by the whistle."""

    in_play = True

    def apply(self, table: Table) -> Table:
        """Count the whistle for its round; outside one, as after its undo, nothing changes."""
        return replace(table, whistles=table.whistles + (table.phase == "playing"))

    def sentence(self, table: Table) -> Sentence:
        return Sentence("Somebody has blown the whistle.")


class WhistleDropped(Event, frozen=True):
    """An unclaimed whistle turned out to announce nobody's last tile."""

    in_play = True

    def apply(self, table: Table) -> Table:
        return replace(table, whistles=max(0, table.whistles - 1))

    def sentence(self, table: Table) -> Sentence:
        return Sentence("The whistle was not for a last tile.")


class Penalized(SeatEvent, frozen=True):
    """A penalty was imposed.

    `caught`: for a forgotten announcement; then `kind` is None where the rules have no penalty.
    """

    kind: PenaltyKind | None
    points: int = 0
    caught: bool = False

    def apply(self, table: Table) -> Table:
        """Add the penalty; being caught also makes the last tile known.

        Without a kind nothing else happens. Drawing tiles ends the announcement; a lost turn is
        noted.
        """
        if self.caught:
            # Now everybody knows of the last tile, so it cannot be caught a second time.
            table = with_last_tile(table, self.seat)
            table = replace(table, caught=table.caught | {self.seat})
        if self.kind is None:
            return table
        if self.kind in ("draw", "keep"):
            table = with_more_tiles(table, self.seat)
        penalty = Penalty(table.number, self.seat, self.kind, self.points)
        skipped = table.skipped | {self.seat} if self.kind == "skip" else table.skipped
        return replace(table, penalties=(*table.penalties, penalty), skipped=skipped)

    def sentence(self, table: Table) -> Sentence:
        facts = {
            "name": table.name(self.seat),
            "points": self.points,
            "tiles": table.rules.penalty_tiles,
        }
        if self.kind is None:
            return Sentence("{name} was caught with one tile. No penalty was agreed.", facts)
        return Sentence(
            {
                "draw": "{name} draws {tiles} {tiles|tile|tiles}.",
                "keep": "{name} draws {tiles} {tiles|tile|tiles} and keeps {tiles|it|them}.",
                "points": "{name} gets {points} penalty {points|point|points}.",
                "skip": "{name} loses the next turn.",
            }[self.kind],
            facts,
        )

    def cue(self, table: Table) -> str | None:
        return "caught"


class Joined(Event, frozen=True):
    """Somebody plays from the next round on, on a free chair or one that was left.

    They begin with `points`, whatever changes later. While a round is open, `points` is None: they
    begin with what the rules make of the totals of the seats `among` once it is counted.
    """

    seat: int
    name: str
    points: int | None = 0
    among: tuple[int, ...] = ()

    def apply(self, table: Table) -> Table:
        """Add the seat from the next round on.

        A person who had left that chair keeps a line under another number.
        """
        late = Seat(
            self.seat,
            self.name,
            since=table.number + 1,
            carries=self.points,
            among=self.among,
        )
        return with_seat(with_chair_free(table, self.seat), late)

    def sentence(self, table: Table) -> Sentence:
        return Sentence(
            "{name} takes seat {seat} and plays from the next round on.",
            {"name": self.name, "seat": self.seat},
        )

    def cue(self, table: Table) -> str | None:
        return "join"


class Left(SeatEvent, frozen=True):
    words: ClassVar[str] = "{name} has left the table."

    def apply(self, table: Table) -> Table:
        """Take the seat out from this round on, or from the next if this one is being scored.

        Its last-tile marks and lost turns go; its scores stay.
        """
        gone_from = table.number + (table.phase == "scoring")
        return without_signs(change_seat(table, self.seat, until=gone_from), self.seat)


class Substituted(Event, frozen=True):
    """`name` plays on for `was`, with the points of the seat."""

    seat: int
    name: str
    was: str

    def apply(self, table: Table) -> Table:
        """Rename the seat from this round on, or from the next if this one is being scored.

        The former name (`was`) stays on the seat for the rounds before.
        """
        seat = table.seat(self.seat)
        assert seat is not None
        stint = Stint(self.was, table.number + (table.phase == "scoring"))
        return change_seat(table, self.seat, name=self.name, earlier=(*seat.earlier, stint))

    def sentence(self, table: Table) -> Sentence:
        return Sentence("{name} takes over from {was}.", {"name": self.name, "was": self.was})

    def cue(self, table: Table) -> str | None:
        return "join"


class Parked(SeatEvent, frozen=True):
    words: ClassVar[str] = "{name} sits out."

    def apply(self, table: Table) -> Table:
        """Leave the seat out from this round on, or from the next if this one is being scored.

        Its last-tile marks and lost turns go.
        """
        seat = table.seat(self.seat)
        assert seat is not None
        away_from = table.number + (table.phase == "scoring")
        changed = change_seat(table, self.seat, away=(*seat.away, (away_from, None)))
        return without_signs(changed, self.seat)


class Returned(SeatEvent, frozen=True):
    """A seat that was parked or left plays from the next round on.

    `was` is its number while somebody else has its old chair.
    """

    was: int | None = None
    words: ClassVar[str] = "{name} is back and plays from the next round on."

    def apply(self, table: Table) -> Table:
        """Let a seat play again from the next round on; the rounds in between are noted as missed.

        `was` is the person's former number if they come back to another chair. Whoever had left
        that chair then keeps a line of another number.
        """
        if self.was is not None:
            table = with_number(with_chair_free(table, self.seat), self.was, self.seat)
        seat = table.seat(self.seat)
        assert seat is not None
        if seat.parked:
            *before, (start, _) = seat.away
        else:
            before, start = list(seat.away), seat.until or table.number
        again = table.number + 1
        missed = ((start, again),) if start < again else ()
        return change_seat(table, self.seat, away=(*before, *missed), until=None)

    def cue(self, table: Table) -> str | None:
        return "join"


class Undone(Event, frozen=True):
    """`step` is the sequence number of the step taken back; without it, the latest one."""

    step: int | None = None

    def sentence(self, table: Table) -> Sentence:
        return Sentence("Undone.")

    def cue(self, table: Table) -> str | None:
        return "undo"


class Redone(Event, frozen=True):
    def sentence(self, table: Table) -> Sentence:
        return Sentence("Redone.")

    def cue(self, table: Table) -> str | None:
        return "redo"


class Retracted(Event, frozen=True):
    """The first tap of a double tap is taken back.

    `step` is the sequence number of its step; steps after it stay.
    """

    step: int

    def sentence(self, table: Table) -> Sentence:
        return Sentence("Undone.")


SHARED: tuple[type[Event], ...] = tuple(
    event
    for event in (*Event.__subclasses__(), *SeatEvent.__subclasses__())
    if event is not SeatEvent
)
