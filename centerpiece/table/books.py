"""`decide` and `evolve`: the heart of the table, for whatever games it is given.

`decide` turns an order into facts or refuses it, in words a player understands.
`evolve` applies a fact and never refuses: it has already happened.
Undo and redo are decided here, but applied by the `ledger`, which keeps the steps.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Union

import msgspec
from msgspec.structs import replace

from centerpiece.rules.book import Rules, with_settings
from centerpiece.rules.sentences import Refused
from centerpiece.rules.tiles import pips_in, tiles_in
from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table import scoring
from centerpiece.table.commands import Command
from centerpiece.table.events import Event
from centerpiece.table.game import Game
from centerpiece.table.panel import Panel
from centerpiece.table.state import Correction, Entry, Penalty, Play, Round, Seat, Table

MOST_SEATS = 10
LONGEST_NAME = 40
MOST_POINTS = 10_000


class Books:
    """The rules of bookkeeping, over a given set of games."""

    def __init__(self, games: Sequence[Game]) -> None:
        self.games: Mapping[str, Game] = {game.name: game for game in games}
        self.panels = {game.name: Panel(game.panel) for game in games}
        self.commands = (*c.SHARED, *(kind for game in games for kind in game.commands))
        self.events = (*e.SHARED, *(kind for game in games for kind in game.events))
        self._any_rules: Any = Union[tuple(game.rules for game in games)]  # noqa: UP007

    def new_table(self) -> Table:
        """A table on its first day: nobody seated, the default game chosen."""
        rules = next(iter(self.games.values())).profiles[0]
        return Table(rules, rules.sets[0])

    def game_of(self, table: Table) -> Game:
        """The game that is chosen or played."""
        return self.games[table.rules.game]

    def panel_of(self, table: Table) -> Panel:
        """What the buttons do in that game."""
        return self.panels[table.rules.game]

    def profile(self, full_name: str) -> Rules:
        """The profile called `game/profile`, or `game` for its first one."""
        game_name, _, name = full_name.partition("/")
        game = self.games.get(game_name)
        if game is None:
            raise Refused(
                "There is no game “{asked}”. The games are: {known}.",
                asked=game_name,
                known=", ".join(self.games),
            )
        for profile in game.profiles:
            if name in ("", profile.name):
                return profile
        raise Refused(
            "{game} has no rules called “{asked}”. There are: {known}.",
            game=game.title,
            asked=name,
            known=", ".join(profile.name for profile in game.profiles),
        )

    def read_rules(self, document: dict[str, Any]) -> Rules:
        """A rule book as an event carries it; settings it did not know have their defaults."""
        rules: Rules = msgspec.convert(document, self._any_rules, str_keys=True, strict=False)
        return rules

    # Deciding

    def decide(self, table: Table, command: Command, at: float) -> list[Event]:
        """Turn an order into facts, or refuse it."""
        match command:
            case c.EndRound():
                self._in_phase(table, "playing", "There is no round to end.")
                return [e.RoundEnded()]
            case c.GoOut(seat, on_double):
                return self._go_out(table, seat, on_double)
            case c.Block():
                return self._block(table)
            case c.CallLastTile(seat, sounded):
                return self._call_last_tile(table, seat, sounded)
            case c.Catch(seat):
                return self._catch(table, seat)
            case c.Penalize(seat, kind, points):
                return self._penalize(table, seat, kind, points)
            case c.AddPips(seat, pips):
                return self._add_pips(table, seat, pips)
            case c.EnterScore():
                return self._enter_score(table, command)
            case c.CorrectScore():
                return self._correct_score(table, command)
            case c.NextRound():
                return self._next_round(table, at)
            case c.FinishGame():
                return self._finish_game(table)
            case c.OpenLobby():
                self._in_phase(table, "finished", "The game is not over yet.")
                return [e.LobbyOpened()]
            case c.ToggleSeat(seat, name):
                return self._toggle_seat(table, seat, name)
            case c.NextGame():
                return self._agree(table, self._next_game(table).profiles[0])
            case c.NextSet():
                return self._agree(table, table.rules, _after(table.rules.sets, table.size))
            case c.NextProfile():
                return self._next_profile(table)
            case c.ChooseRules():
                return self._agree(table, self._chosen(command), command.set)
            case c.ChangeRule(setting, value):
                return self._change_rule(table, setting, value)
            case c.Start(starter):
                return self._start(table, starter, at)
            case c.OpenTable():
                return self._open_table(table, command, at)
            case c.Join(name, seat):
                return self._join(table, name, seat)
            case c.Leave(seat):
                return self._leave(table, seat)
            case c.Rename(seat, name):
                return self._rename(table, seat, name)
            case c.DesignateStarter(seat):
                return self._designate(table, seat)
            case _:
                return self.game_of(table).decide(table, command)

    @staticmethod
    def _in_phase(table: Table, phase: str, otherwise: str) -> None:
        if table.phase != phase:
            raise Refused(otherwise)

    def _go_out(self, table: Table, number: int, on_double: bool) -> list[Event]:
        if table.phase not in ("playing", "scoring"):
            raise Refused("No round is being played.")
        seat = player(table, number)
        current = _current(table)
        if current.out is not None:
            raise Refused(
                "{name} went out in this round. Undo that first, if it was wrong.",
                name=table.name(current.out),
            )
        ended: list[Event] = [] if table.phase == "scoring" else [e.RoundEnded()]
        return [*ended, e.WentOut(seat.number, on_double)]

    def _block(self, table: Table) -> list[Event]:
        if table.phase not in ("playing", "scoring"):
            raise Refused("No round is being played.")
        current = _current(table)
        if current.out is not None:
            raise Refused(
                "{name} went out, so the round was not blocked.", name=table.name(current.out)
            )
        if current.blocked:
            raise Refused("The round is blocked already; count the tiles that are left.")
        ended: list[Event] = [] if table.phase == "scoring" else [e.RoundEnded()]
        return [*ended, e.RoundBlocked()]

    def _call_last_tile(self, table: Table, number: int, sounded: bool) -> list[Event]:
        self._in_phase(table, "playing", "The last tile is announced while a round is played.")
        seat = player(table, number)
        if seat.number in table.calls:
            raise Refused("{name} has announced the last tile already.", name=seat.name)
        return [e.LastTileCalled(seat.number, sounded)]

    def _catch(self, table: Table, number: int) -> list[Event]:
        self._in_phase(table, "playing", "Nobody can be caught while no round is played.")
        seat = player(table, number)
        if seat.number in table.calls:
            raise Refused("{name} announced the last tile in time.", name=seat.name)
        kind = table.rules.penalty
        if kind == "none":
            return [e.Penalized(seat.number, None, caught=True)]
        points = table.rules.penalty_points if kind == "points" else 0
        return [e.Penalized(seat.number, kind, points, caught=True)]

    def _penalize(self, table: Table, number: int, kind: Any, points: int | None) -> list[Event]:
        if table.phase not in ("playing", "scoring"):
            raise Refused("A penalty is given while a round is played or scored.")
        seat = player(table, number)
        if kind != "points":
            return [e.Penalized(seat.number, kind)]
        points = table.rules.penalty_points if points is None else points
        if not -MOST_POINTS <= points <= MOST_POINTS:
            raise Refused("A penalty is at most {most} points.", most=MOST_POINTS)
        return [e.Penalized(seat.number, "points", points)]

    # Scores

    def _add_pips(self, table: Table, number: int, pips: int) -> list[Event]:
        self._in_phase(table, "scoring", "Scores are counted once the round has ended.")
        seat = player(table, number)
        current = _current(table)
        was = current.entries.get(seat.number)
        entry = Entry(pips) if was is None else replace(was, pips=was.pips + pips, hidden=False)
        self._check_entry(table, current, seat, entry, confirmed=False)
        return [e.ScoreEntered(current.number, seat.number, entry, was, counting=True)]

    def _enter_score(self, table: Table, command: c.EnterScore) -> list[Event]:
        self._in_phase(
            table, "scoring", "Scores are entered once the round has ended: tap advance first."
        )
        current = _current(table)
        seat = player(table, command.seat)
        was = current.entries.get(seat.number)
        entry = _entry(table, command)
        if was is not None and was != entry and not command.confirm:
            raise Refused(
                "{name} already has {pips} in this round. Confirm to change it to {now}.",
                code="confirm",
                name=seat.name,
                pips=was.pips,
                now=entry.pips,
            )
        self._check_entry(table, current, seat, entry, command.confirm)
        return [] if was == entry else [e.ScoreEntered(current.number, seat.number, entry, was)]

    def _correct_score(self, table: Table, command: c.CorrectScore) -> list[Event]:
        if table.phase == "lobby":
            raise Refused("There is no score to correct in the lobby.")
        played = [p.number for p in table.rounds if p.ended]
        if command.round not in played:
            raise Refused(
                "Round {number} has no scores yet. Rounds that can be corrected: {played}.",
                number=command.round,
                played=_listed(played),
            )
        corrected = table.rounds[command.round - 1]
        seat = player(table, command.seat, command.round)
        entry = _entry(table, command)
        self._check_entry(table, corrected, seat, entry, command.confirm)
        was = corrected.entries.get(seat.number)
        return [] if was == entry else [e.ScoreEntered(corrected.number, seat.number, entry, was)]

    def _check_entry(
        self, table: Table, played: Round, seat: Seat, entry: Entry, confirmed: bool
    ) -> None:
        """Refuse what cannot be; ask back what can hardly be."""
        if not 0 <= entry.pips <= MOST_POINTS or not 0 <= entry.blanks <= 2 * MOST_POINTS:
            raise Refused(
                "A score is a whole number of pips from 0 to {most}, not {pips}.",
                most=MOST_POINTS,
                pips=entry.pips if entry.blanks >= 0 else entry.blanks,
            )
        if confirmed or entry.hidden:
            return
        others = {n: o for n, o in played.entries.items() if n != seat.number and not o.hidden}
        held = pips_in(table.size) - 2 * (played.engine or 0)
        if table.rules.doubles_twice:
            held *= 2
        if entry.pips > held:
            raise Refused(
                "{pips} pips are more than the set can hold: {held} at most. Confirm if it is so.",
                code="confirm",
                pips=entry.pips,
                held=held,
            )
        if entry.pips + sum(o.pips for o in others.values()) > held:
            raise Refused(
                "All hands together would hold more than the {held} pips there are. "
                "Confirm if it is so.",
                code="confirm",
                held=held,
            )
        if played.out == seat.number and entry.pips:
            raise Refused(
                "{name} went out, so nothing was left to count. Confirm if it is so.",
                code="confirm",
                name=seat.name,
            )
        zeros = [n for n, o in others.items() if o == Entry(0)]
        if entry == Entry(0) and zeros:
            raise Refused(
                "{name} has zero in this round already. Confirm if there are two.",
                code="confirm",
                name=table.name(zeros[0]),
            )
        everyone = len(others) + 1 == len(table.players(played.number))
        if entry.pips and everyone and not zeros and played.out is not None:
            raise Refused(
                "{name} went out, but nobody would have zero. Confirm if it is so.",
                code="confirm",
                name=table.name(played.out),
            )

    # From round to round

    def _next_round(self, table: Table, at: float) -> list[Event]:
        if table.phase == "playing":
            raise Refused("End the round first: tap advance, then the seat that went out.")
        self._in_phase(table, "scoring", "No round has been played.")
        game = self.game_of(table)
        if table.number >= self.rounds_of(table):
            return [self._finished(table, "rounds")]
        if game.winning(table) is not None:
            return [self._finished(table, "limit")]
        if time_is_up(table, at):
            return [self._finished(table, "time")]
        return [self._round(table, table.number + 1)]

    def _finish_game(self, table: Table) -> list[Event]:
        if table.phase not in ("playing", "scoring"):
            raise Refused("There is no game to end.")
        return [self._finished(table, "agreed")]

    def _finished(self, table: Table, reason: Any) -> Event:
        best = scoring.winners(scoring.standings(self.game_of(table), table))
        return e.GameFinished(reason, tuple(best))

    def rounds_of(self, table: Table) -> float:
        """How many rounds the game has; infinity where only a points limit ends it."""
        if table.phase != "lobby" and table.engines:
            return len(table.engines)
        engines = table.rules.engines_for(table.size)
        return len(engines) or table.rules.rounds or float("inf")

    def _round(self, table: Table, number: int, starter: int | None = None) -> Event:
        engine = table.engines[number - 1] if table.engines else None
        if table.rules.engine_choice == "highest-held":
            engine = None
        if starter is None:
            starter = self._next_starter(table, number)
        late = [s for s in table.players(number) if s.since == number > 1]
        carried = {}
        if late:
            sums = [
                line.total
                for line in scoring.standings(self.game_of(table), table)
                if line.seat.plays(number) and line.seat.since < number
            ]
            carried = {seat.number: _carried(table.rules, sums) for seat in late}
        return e.RoundStarted(number, engine, starter, carried)

    def _next_starter(self, table: Table, number: int) -> int | None:
        """The next player clockwise from whoever started last."""
        if table.rules.starter == "highest-tile":
            return None
        seats = [seat.number for seat in table.players(number)]
        last = table.round
        if last is None or last.starter is None:
            return seats[0]
        later = [n for n in seats if n > last.starter]
        return later[0] if later else seats[0]

    # In the lobby

    def _toggle_seat(self, table: Table, number: int, name: str | None) -> list[Event]:
        self._in_phase(table, "lobby", "Seats are taken in the lobby; join in a game.")
        if not 1 <= number <= MOST_SEATS:
            raise Refused("There is no seat {seat}: seats are 1 to 10.", seat=number)
        if table.seat(number):
            return [e.SeatFreed(number)]
        wanted = clean_name(name) if name else f"Seat {number}"
        return [e.SeatTaken(number, self._free_name(table, wanted))]

    @staticmethod
    def _free_name(table: Table, name: str) -> str:
        if any(seat.name.casefold() == name.casefold() for seat in table.seats):
            raise Refused(
                "There is a {name} at the table already. Add something to tell them apart.",
                name=name,
            )
        return name

    def _next_game(self, table: Table) -> Game:
        return self.games[_after(tuple(self.games), table.rules.game)]

    def _next_profile(self, table: Table) -> list[Event]:
        names = tuple(profile.name for profile in self.game_of(table).profiles)
        known = table.rules.base or table.rules.name
        return self._agree(table, self.profile(f"{table.rules.game}/{_after(names, known)}"))

    def _chosen(self, command: c.ChooseRules | c.OpenTable) -> Rules:
        rules = self.profile(command.rules)
        if command.name is None and not command.changes:
            return rules
        return with_settings(rules, command.changes, command.name)

    def _agree(self, table: Table, rules: Rules, size: int | None = None) -> list[Event]:
        self._in_phase(table, "lobby", "Game and set are chosen in the lobby.")
        if size is None:
            size = table.size if table.size in rules.sets else rules.sets[0]
        _check_set(rules, size)
        if (rules, size) == (table.rules, table.size):
            return []
        return [_rules_agreed(rules, size)]

    def _change_rule(self, table: Table, setting: str, value: Any) -> list[Event]:
        if table.phase == "finished":
            raise Refused("The game is over; rules can be changed in the lobby.")
        rules = with_settings(table.rules, {setting: value})
        if table.phase != "lobby":
            if rules.starter != table.rules.starter or rules.sets != table.rules.sets:
                raise Refused("{setting} can be changed in the lobby only.", setting=setting)
            if not 0 < table.number <= (len(rules.engines_for(table.size)) or table.number):
                raise Refused(
                    "Round {number} is being played; there cannot be fewer rounds.",
                    number=table.number,
                )
        elif table.size not in rules.sets:
            return [_rules_agreed(rules, rules.sets[0])]
        return [_rules_agreed(rules, table.size)] if rules != table.rules else []

    def _start(self, table: Table, starter: int | None, at: float) -> list[Event]:
        self._in_phase(table, "lobby", "A game is being played already.")
        if not table.seats:
            raise Refused("Nobody is seated: each player taps a seat, then hold advance.")
        check_deal(table.rules, table.size, len(table.seats))
        if starter is not None:
            player(table, starter)
        started = e.GameStarted(at, table.rules.engines_for(table.size))
        return [started, self._round(self.evolve(table, started), 1, starter)]

    def _open_table(self, table: Table, command: c.OpenTable, at: float) -> list[Event]:
        rules = self._chosen(command)
        size = rules.sets[0] if command.set is None else command.set
        _check_set(rules, size)
        if len(command.players) > MOST_SEATS:
            raise Refused(
                "A table has ten seats; {count} players do not fit.", count=len(command.players)
            )
        check_deal(rules, size, len(command.players))
        if table.phase in ("playing", "scoring"):
            raise Refused("A game is being played. Finish it before a new one is opened.")
        events: list[Event] = []
        if table.phase == "finished":
            events.append(e.LobbyOpened())
        events += [e.SeatFreed(seat.number) for seat in table.seats if seat.until is None]
        empty = replace(table, seats=())
        for number, name in enumerate(command.players, start=1):
            taken = e.SeatTaken(number, self._free_name(empty, clean_name(name)))
            empty = replace(empty, seats=(*empty.seats, Seat(number, taken.name)))
            events.append(taken)
        if (rules, size) != (table.rules, table.size):
            events.append(_rules_agreed(rules, size))
        seated = table
        for event in events:
            seated = self.evolve(seated, event)
        return [*events, *self._start(seated, command.starter, at)]

    def _join(self, table: Table, name: str, number: int | None) -> list[Event]:
        name = self._free_name(table, clean_name(name))
        taken = [seat.number for seat in table.seats]
        free = [n for n in range(1, MOST_SEATS + 1) if n not in taken]
        if not free:
            raise Refused("All ten seats are taken.")
        if number is None:
            later = [n for n in free if n > max(taken, default=0)]
            number = (later or free)[0]
        if number not in free:
            raise Refused("Seat {seat} is not free. Free: {free}.", seat=number, free=_listed(free))
        if table.phase == "lobby":
            return [e.SeatTaken(number, name)]
        if table.phase == "finished":
            raise Refused("The game is over. Join the next one in the lobby.")
        if any(seat.team for seat in table.seats):
            raise Refused("Nobody can join a game of teams.")
        check_deal(table.rules, table.size, len(table.players(table.number + 1)) + 1)
        return [e.Joined(number, name)]

    def _leave(self, table: Table, number: int) -> list[Event]:
        if table.phase == "lobby":
            player(table, number)
            return [e.SeatFreed(number)]
        if table.phase == "finished":
            raise Refused("The game is over; seats are changed in the lobby.")
        seat = player(table, number, table.number + 1)
        if len(table.players(table.number + 1)) <= 2 or seat.team is not None:
            raise Refused(
                "Without {name} nobody can play on. End the game instead: hold whistle and "
                "advance for three seconds.",
                name=seat.name,
            )
        return [e.Left(number)]

    def _rename(self, table: Table, number: int, name: str) -> list[Event]:
        seat = table.seat(number)
        if seat is None:
            raise _nobody(table, number)
        name = clean_name(name)
        if name == seat.name:
            return []
        if name.casefold() != seat.name.casefold():
            self._free_name(table, name)
        return [e.Renamed(number, name)]

    def _designate(self, table: Table, number: int) -> list[Event]:
        self._in_phase(table, "playing", "The starter is named once the round has begun.")
        seat = player(table, number)
        return [] if _current(table).starter == number else [e.StarterDesignated(seat.number)]

    # Evolving

    def evolve(self, table: Table, event: Event) -> Table:
        """Apply a fact. Never refuses: it has already happened."""
        match event:
            case e.LastTileCalled(seat):
                changed = replace(table, calls=table.calls | {seat})
            case e.ScoreEntered():
                changed = _score_entered(table, event)
            case e.RoundEnded():
                ended = replace(_current(table), ended=True)
                changed = _with_round(replace(table, phase="scoring"), ended)
            case e.WentOut(seat, on_double):
                current = _current(table)
                entries = current.entries | {seat: Entry(0)}
                out = replace(current, out=seat, on_double=on_double, entries=entries)
                changed = _with_round(table, out)
            case e.RoundBlocked():
                changed = _with_round(table, replace(_current(table), blocked=True))
            case e.Penalized():
                changed = _penalized(table, event)
            case e.RoundStarted():
                changed = self._round_started(table, event)
            case e.StarterDesignated(seat):
                changed = _with_round(table, replace(_current(table), starter=seat))
            case e.GameFinished():
                changed = replace(table, phase="finished", turn=None, counting=None)
            case e.LobbyOpened():
                changed = _lobby(table)
            case e.SeatTaken(seat, name):
                changed = _with_seat(table, Seat(seat, name))
            case e.SeatFreed(seat):
                changed = replace(table, seats=tuple(s for s in table.seats if s.number != seat))
            case e.Renamed(seat, name):
                changed = _change_seat(table, seat, name=name)
            case e.RulesAgreed(document, size):
                changed = self._rules_agreed(table, document, size)
            case e.GameStarted(at, engines):
                changed = self._game_started(table, at, engines)
            case e.Joined(seat, name):
                changed = _with_seat(table, Seat(seat, name, since=table.number + 1))
            case e.Left(seat):
                changed = _left(table, seat)
            case _:
                return self.game_of(table).evolve(table, event)
        return self.game_of(changed).after(changed, event)

    def _round_started(self, table: Table, event: e.RoundStarted) -> Table:
        for number, points in event.carried.items():
            table = _change_seat(table, number, carried=points)
        fresh = replace(
            table,
            phase="playing",
            rounds=(*table.rounds, Round(event.number, event.engine, event.starter)),
            calls=frozenset(),
            skipped=frozenset(),
            turn=None,
            direction="clockwise",
            counting=None,
        )
        return replace(fresh, play=self.game_of(table).new_play(fresh))

    def _rules_agreed(self, table: Table, document: dict[str, Any], size: int) -> Table:
        rules = self.read_rules(document)
        if table.phase == "lobby":
            return replace(table, rules=rules, size=size)
        played = table.engines[: table.number]
        later = rules.engines_for(size)[table.number :]
        return replace(table, rules=rules, size=size, engines=played + later)

    def _game_started(self, table: Table, at: float, engines: tuple[int, ...]) -> Table:
        count = len(table.seats)
        seats = tuple(
            Seat(seat.number, seat.name, team=table.rules.team_of(place, count))
            for place, seat in enumerate(table.seats)
        )
        return replace(table, seats=seats, engines=engines, started_at=at)


def player(table: Table, number: int, in_round: int | None = None) -> Seat:
    """Who sits there and plays in that round, or a refusal that says who does."""
    seat = table.seat(number)
    if seat is None:
        raise _nobody(table, number)
    if not seat.plays(max(table.number, 1) if in_round is None else in_round):
        raise Refused("{name} does not play in this round.", name=seat.name)
    return seat


def _nobody(table: Table, number: int) -> Refused:
    if not table.seats:
        return Refused("Nobody sits at seat {seat}: all seats are free.", seat=number)
    taken = _listed([seat.number for seat in table.seats])
    return Refused("Nobody sits at seat {seat}. Taken are: {taken}.", seat=number, taken=taken)


def check_deal(rules: Rules, size: int, players: int) -> None:
    """Refuse a table that cannot be dealt, and name the sets that would do."""
    hand = rules.hand(size, players)
    if hand is not None and players * hand + rules.held_out() <= tiles_in(size):
        return
    fitting = [f"double-{other}" for other in rules.sets if rules.hand(other, players)]
    facts: dict[str, Any] = {"players": players, "size": size, "rules": rules.full_name}
    if fitting:
        raise Refused(
            "{rules} cannot deal a double-{size} set to {players}. These sets would do: {sets}.",
            sets=", ".join(fitting),
            **facts,
        )
    counts = sorted({count for table in rules.hands.values() for count in table})
    raise Refused(
        "{rules} cannot be played by {players}: it takes {fewest} to {most} players.",
        fewest=counts[0],
        most=counts[-1],
        **facts,
    )


def clean_name(name: str) -> str:
    """A name as it is kept: trimmed, in one Unicode form; refused if it cannot be read out."""
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if not name:
        raise Refused("A name needs at least one letter.")
    if len(name) > LONGEST_NAME:
        raise Refused(
            "A name has at most {most} letters; “{start}…” has {count}.",
            most=LONGEST_NAME,
            start=name[:12],
            count=len(name),
        )
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn") for letter in name):
        raise Refused("A name may not have control characters in it.")
    return name


def time_is_up(table: Table, at: float) -> bool:
    """Whether the game's time limit has passed."""
    left = remaining(table, at)
    return left is not None and left <= 0


def remaining(table: Table, at: float) -> float | None:
    """Seconds left of the game's time limit, or None without one."""
    limit = table.rules.time_limit_min
    if limit is None or table.started_at is None or table.phase not in ("playing", "scoring"):
        return None
    return table.started_at + limit * 60 - at


def _check_set(rules: Rules, size: int) -> None:
    if size not in rules.sets:
        raise Refused(
            "{rules} is not played with a double-{size} set. These sets would do: {sets}.",
            rules=rules.full_name,
            size=size,
            sets=", ".join(f"double-{other}" for other in rules.sets),
        )


def _rules_agreed(rules: Rules, size: int) -> e.RulesAgreed:
    return e.RulesAgreed(msgspec.to_builtins(rules, str_keys=True), size)


def _entry(table: Table, command: c.EnterScore | c.CorrectScore) -> Entry:
    if command.hidden and table.rules.hidden_bones is None:
        raise Refused(
            "These rules have no penalty for tiles that are not shown (setting hidden_bones)."
        )
    if command.hidden:
        return Entry(0, hidden=True)
    return Entry(command.pips, command.double_blank, command.blanks)


def _carried(rules: Rules, sums: list[int]) -> int:
    if not sums or rules.late_score == "zero":
        return 0
    if rules.late_score == "average":
        return round(sum(sums) / len(sums))
    return max(sums) if rules.wins == "lowest" else min(sums)


def _current(table: Table) -> Round:
    return table.rounds[-1]


def _with_round(table: Table, changed: Round) -> Table:
    at = changed.number - 1
    return replace(table, rounds=(*table.rounds[:at], changed, *table.rounds[at + 1 :]))


def _with_seat(table: Table, seat: Seat) -> Table:
    return replace(table, seats=tuple(sorted((*table.seats, seat), key=lambda s: s.number)))


def _change_seat(table: Table, number: int, **changes: Any) -> Table:
    seats = tuple(replace(s, **changes) if s.number == number else s for s in table.seats)
    return replace(table, seats=seats)


def _score_entered(table: Table, event: e.ScoreEntered) -> Table:
    scored = table.rounds[event.round - 1]
    entries = scored.entries | {event.seat: event.entry}
    counting = event.seat if event.counting else None
    changed = _with_round(replace(table, counting=counting), replace(scored, entries=entries))
    if event.was is None or event.counting:
        return changed
    trail = Correction(event.round, event.seat, event.was, event.entry)
    return replace(changed, corrections=(*table.corrections, trail))


def _penalized(table: Table, event: e.Penalized) -> Table:
    if event.kind is None:
        return table
    penalty = Penalty(table.number, event.seat, event.kind, event.points)
    skipped = table.skipped | {event.seat} if event.kind == "skip" else table.skipped
    calls = table.calls - {event.seat} if event.kind in ("draw", "keep") else table.calls
    return replace(table, penalties=(*table.penalties, penalty), skipped=skipped, calls=calls)


def _left(table: Table, number: int) -> Table:
    gone_from = table.number + (table.phase == "scoring")
    changed = _change_seat(table, number, until=max(gone_from, 1))
    return replace(changed, calls=table.calls - {number}, skipped=table.skipped - {number})


def _lobby(table: Table) -> Table:
    stayed = tuple(Seat(s.number, s.name) for s in table.seats if s.until is None)
    return Table(table.rules, table.size, seats=stayed, play=Play())


def _after(values: tuple[Any, ...], value: Any) -> Any:
    """The value that follows, round and round."""
    return values[(values.index(value) + 1) % len(values)] if value in values else values[0]


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
