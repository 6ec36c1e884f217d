"""`decide` and `evolve`: the heart of the table, for whatever games it is given.

`decide` turns an order into facts or refuses it, in words a player understands; what it asks
is in `lobby`, `seating`, `rounds`, `calls` and `scorekeeping`.
`evolve` applies a fact and never refuses; what it does is in `effects`.
Undo and redo belong to the `ledger`, which keeps the steps.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Union

import msgspec
from msgspec.structs import fields, replace

from centerpiece.rules.book import Rules
from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table import (
    evolve,
    last_tile,
    lobby,
    rounds,
    saved_rules,
    score_entry,
    seating,
    turns,
)
from centerpiece.table.checks import current_round, in_phase
from centerpiece.table.commands import Command
from centerpiece.table.events import Event
from centerpiece.table.game import Game
from centerpiece.table.panel import Panel
from centerpiece.table.state import Play, Seat, Table
from centerpiece.text import Refused


class Books:
    """The rules of bookkeeping, over a given set of games."""

    def __init__(self, games: Sequence[Game]) -> None:
        self.games: Mapping[str, Game] = {game.name: game for game in games}
        self.panels = {game.rules: Panel(game.panel) for game in games}
        self.commands = (*c.SHARED, *(kind for game in games for kind in game.commands))
        self.events = (*e.SHARED, *(kind for game in games for kind in game.events))
        self._by_rules = {game.rules: game for game in games}
        self._shared = frozenset((*c.SHARED, *e.SHARED))
        self._any_rules: Any = Union[tuple(game.rules for game in games)]  # noqa: UP007
        self._any_play: Any = Union[(Play, *(game.play for game in games))]

    @property
    def any_event(self) -> Any:
        """The type of whatever can happen, for reading it."""
        return Union[self.events]  # noqa: UP007

    def new_table(self) -> Table:
        """A table on its first day: nobody seated, the default game chosen."""
        rules = next(iter(self.games.values())).profiles[0]
        return Table(rules, rules.sets[0])

    def game_of(self, table: Table) -> Game:
        """The game that is chosen or played."""
        return self._by_rules[type(table.rules)]

    def panel_of(self, table: Table) -> Panel:
        """What the buttons do in that game."""
        return self.panels[type(table.rules)]

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

    def read_table(self, document: dict[str, Any]) -> Table:
        """A table that was written as JSON."""
        kinds = {field.name: field.type for field in fields(Table)}
        kinds |= {"rules": self._any_rules, "play": self._any_play}
        return Table(
            **{
                name: msgspec.convert(value, kinds[name], str_keys=True)
                for name, value in document.items()
            }
        )

    def decide(self, table: Table, command: Command, at: float) -> list[Event]:
        """Turn an order into facts, or refuse it."""
        if type(command) not in self._shared:
            if table.asks_which_double():
                raise Refused("First of all: who holds the double {engine}?", engine=table.asked)
            return self.game_of(table).decide(table, command, at)
        match command:
            case c.AddPips(seat, pips):
                return score_entry.add_pips(table, seat, pips)
            case c.EndRound():
                return rounds.end_round(self.game_of(table), table)
            case c.GoOut(seat, on_double):
                return rounds.go_out(table, seat, on_double)
            case c.Block():
                return rounds.block(table)
            case c.NextRound():
                return rounds.next_round(self.game_of(table), table, at)
            case c.FinishGame():
                return rounds.finish_game(self.game_of(table), table)
            case c.OpenLobby():
                in_phase(table, "finished", "The game is not over yet.")
                return [e.LobbyOpened()]
            case c.Rematch(starter):
                return lobby.rematch(self, table, starter, at)
            case c.SetEngine(engine, seat):
                return rounds.set_engine(table, engine, seat)
            case c.PassEngine():
                return rounds.pass_engine(table)
            case c.PassTurn():
                return turns.pass_turn(table, at)
            case c.CallLastTile(seat, sounded):
                return last_tile.call_last_tile(table, seat, sounded)
            case c.ToggleLastTile(seat):
                return last_tile.toggle_last_tile(table, seat)
            case c.Catch(seat):
                return last_tile.catch(table, seat)
            case c.Penalize(seat, kind, points):
                return last_tile.penalize(table, seat, kind, points)
            case c.CountRest():
                return score_entry.count_rest(self.game_of(table), table)
            case c.EnterScore():
                return score_entry.enter_score(table, command)
            case c.CorrectScore():
                return score_entry.correct_score(table, command)
            case c.ToggleSeat(seat, name):
                return seating.toggle_seat(table, seat, name)
            case c.Join(name, number):
                return seating.join(table, name, number)
            case c.Leave(seat):
                return seating.leave(table, seat)
            case c.Substitute(seat, new_name):
                return seating.substitute(table, seat, new_name)
            case c.Park(seat):
                return seating.park(table, seat)
            case c.Return(seat):
                return seating.come_back(table, seat)
            case c.MoveSeat(seat, to):
                return seating.move_seat(table, seat, to)
            case c.Rename(seat, new_name):
                return seating.rename(table, seat, new_name)
            case c.DesignateStarter(seat):
                return seating.designate(table, seat)
            case c.NextGame():
                return lobby.next_game(self, table)
            case c.NextSet():
                return lobby.next_set(table)
            case c.NextProfile():
                return lobby.next_profile(self, table)
            case c.ChooseRules():
                return lobby.choose(self, table, command)
            case c.ChangeRule(setting, value):
                return lobby.change_rule(table, setting, value)
            case c.SaveHouseRules(new_name):
                return lobby.save_house_rules(self, table, new_name)
            case c.ForgetHouseRules(name):
                return [e.RulesForgotten(saved_rules.to_forget(table, name))]
            case c.DrawStarter(lot):
                return lobby.draw_starter(self, table, lot, at)
            case c.Start(starter):
                return lobby.start(self, table, starter, at)
            case c.OpenTable():
                return lobby.open_table(self, table, command, at)
            case _:
                return self.game_of(table).decide(table, command, at)

    def evolve(self, table: Table, event: Event) -> Table:
        """Apply a fact. Never refuses: it has already happened."""
        if type(event) not in self._shared:
            return self.game_of(table).evolve(table, event)
        match event:
            case e.LastTileCalled(seat):
                changed = replace(table, calls=table.calls | {seat})
            case e.LastTileGone(seat):
                changed = replace(table, calls=table.calls - {seat})
            case e.ScoreEntered():
                changed = evolve.score_entered(table, event)
            case e.RoundEnded():
                changed = evolve.round_ended(table)
            case e.WentOut():
                changed = evolve.went_out(table, event)
            case e.RoundBlocked():
                changed = evolve.with_round(table, replace(current_round(table), blocked=True))
            case e.Penalized():
                changed = evolve.penalized(table, event)
            case e.RoundStarted():
                fresh = evolve.round_started(table, event)
                changed = replace(fresh, play=self.game_of(fresh).new_play(fresh))
            case e.EngineFound():
                changed = evolve.engine_found(table, event)
            case e.EnginePassed():
                changed = replace(table, asked=event.asked)
            case e.TurnPassed():
                changed = evolve.turn_passed(table, event)
            case e.StarterDesignated(seat) | e.StarterDrawn(seat):
                changed = evolve.with_round(table, replace(current_round(table), starter=seat))
            case e.GameFinished():
                changed = replace(table, phase="finished", turn=None, counting=None)
            case e.LobbyOpened():
                changed = evolve.lobby_opened(table)
            case e.SeatTaken(seat, name):
                changed = evolve.with_seat(table, Seat(seat, name))
            case e.SeatFreed(seat):
                changed = replace(table, seats=tuple(s for s in table.seats if s.number != seat))
            case e.Renamed(seat, name):
                changed = evolve.change_seat(table, seat, name=name)
            case e.RulesAgreed(document, size):
                changed = evolve.rules_agreed(table, self.read_rules(document), size)
            case e.RulesSaved(house):
                changed = replace(table, saved_rules=saved_rules.with_saved(table, house))
            case e.RulesForgotten(house):
                changed = replace(table, saved_rules=saved_rules.without(table, house))
            case e.GameStarted():
                changed = evolve.game_started(table, event)
            case e.Joined(seat, name):
                changed = evolve.with_seat(table, Seat(seat, name, since=table.number + 1))
            case e.SeatMoved():
                changed = evolve.seat_moved(table, event)
            case e.Substituted():
                changed = evolve.substituted(table, event)
            case e.Parked(seat):
                changed = evolve.parked(table, seat)
            case e.Returned(seat):
                changed = evolve.returned(table, seat)
            case e.Left(seat):
                changed = evolve.left(table, seat)
            case _:
                raise TypeError(f"the books do not know the event {event!r}")
        return self.game_of(changed).after(changed, event)
