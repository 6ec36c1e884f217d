"""The dispatch from commands to the functions that decide them.

A function turns a command into events, or refuses it in words that a player understands. The three
maps differ in the arguments that their functions need.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from centerpiece.table import commands as c
from centerpiece.table import last_tile, lobby, rounds, score_entry, seating, turns
from centerpiece.table.commands import Command
from centerpiece.table.events import Event
from centerpiece.table.state import Table
from centerpiece.text import Refused

if TYPE_CHECKING:
    from centerpiece.table.game import Game
    from centerpiece.table.game_set import GameSet

BY_TABLE: dict[type[Command], Callable[[Table, Any], list[Event]]] = {
    c.EnterScore: score_entry.enter_score,
    c.CallLastTile: last_tile.call_last_tile,
    c.TakeBackLastTile: last_tile.take_back_last_tile,
    c.BlowWhistle: lambda table, command: last_tile.blow_whistle(table),
    c.Catch: last_tile.catch,
    c.Penalize: last_tile.penalize,
    c.EndSkip: turns.end_skip,
    c.OpenLobby: lambda table, command: rounds.open_lobby(table),
    c.SetEngine: rounds.set_engine,
    c.PassEngine: lambda table, command: rounds.pass_engine(table),
    c.ToggleSeat: seating.toggle_seat,
    c.MoveSeat: seating.move_seat,
    c.Substitute: seating.substitute,
    c.Rename: seating.rename,
    c.DesignateStarter: seating.designate,
    c.NextSet: lambda table, command: lobby.next_set(table),
    c.FewerRounds: lambda table, command: lobby.fewer_rounds(table),
    c.ChangeRule: lobby.change_rule,
    c.ForgetHouseRules: lobby.forget_house_rules,
    c.DeleteGame: lobby.delete_game,
    c.NamePerson: lobby.name_person,
}
BY_GAME: dict[type[Command], Callable[[Game, Table, float], list[Event]]] = {
    c.PlayOff: lambda game, table, at: rounds.play_off(game, table),
    c.FinishGame: lambda game, table, at: rounds.finish_game(game, table),
    c.CountRest: lambda game, table, at: score_entry.count_rest(game, table),
    c.PassTurn: lambda game, table, at: turns.pass_turn(table, at),
}
BY_GAME_SET: dict[type[Command], Callable[[GameSet, Table, Any, float], list[Event]]] = {
    c.NextGame: lambda game_set, table, command, at: lobby.next_game(game_set, table),
    c.NextProfile: lambda game_set, table, command, at: lobby.next_profile(game_set, table),
    c.TakeFitting: lambda game_set, table, command, at: lobby.take_fitting(game_set, table),
    c.ChooseRules: lambda game_set, table, command, at: lobby.choose(game_set, table, command),
    c.GoOut: rounds.go_out,
    c.Block: rounds.block,
    c.NextRound: rounds.next_round,
    c.CorrectScore: score_entry.correct_score,
    c.ChangeOut: rounds.change_out,
    c.DrawStarter: lobby.draw_starter,
    c.Start: lobby.start,
    c.Rematch: lobby.rematch,
    c.OpenTable: lobby.open_table,
    c.SaveHouseRules: lobby.save_house_rules,
    c.Join: seating.join,
    c.Arrive: seating.arrive,
    c.Leave: lambda game_set, table, command, at: seating.leave(table, command, at),
    c.Park: lambda game_set, table, command, at: seating.park(table, command, at),
    c.Return: seating.come_back,
}


def decide(game_set: GameSet, table: Table, command: Command, at: float) -> list[Event]:
    """Return the events of a command given at the game's time `at`, or raise Refused.

    A command that not every game has goes to the game. That one is refused while the table asks who
    has which double; after a finished game, events for other winners or for going on are added.
    """
    kind = type(command)
    if kind in BY_TABLE:
        return BY_TABLE[kind](table, command)
    if kind in BY_GAME:
        return BY_GAME[kind](game_set.game_of(table), table, at)
    if kind in BY_GAME_SET:
        return BY_GAME_SET[kind](game_set, table, command, at)
    if table.asks_which_double():
        raise Refused("First: who has the double {engine}?", engine=table.asked)
    events = game_set.game_of(table).decide(table, command, at)
    return rounds.with_consequences(game_set, table, events)
