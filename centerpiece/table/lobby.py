"""Decisions about what is played: game, profile, set, house rules, and the start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from centerpiece.rules.rules import Rules, with_settings
from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table import saved_rules
from centerpiece.table.checks import (
    check_deal,
    check_set,
    clean_name,
    fitting_rules,
    in_phase,
    player,
    rules_word,
)
from centerpiece.table.events import Event
from centerpiece.table.question import AsksBack, Question
from centerpiece.table.rounds import could_go_on, first_round
from centerpiece.table.seating import free_name
from centerpiece.table.state import MOST_SEATS, Seat, Table, chair_of
from centerpiece.text import Refused, Sentence

if TYPE_CHECKING:
    from centerpiece.table.game_set import GameSet

MOST_NAMED = 200
"""Changed names of past people: every look at the history applies them to every game."""


def next_game(game_set: GameSet, table: Table) -> list[Event]:
    """Return the event that chooses the next game, after the last the first, in its first profile.

    Refused outside the lobby.
    """
    name = _next_of(tuple(game_set.games), table.rules.game)
    return agree(table, game_set.games[name].profiles[0])


def next_set(table: Table) -> list[Event]:
    """Return the event that chooses the next set of these rules; after the last comes the first.

    If that set has too few doubles for the rounds agreed on, there is a round for each of its
    doubles. Refused outside the lobby.
    """
    rules, size = table.rules, _next_of(table.rules.sets, table.size)
    all_rounds = len(replace(rules, rounds=None).engines_for(size))
    if rules.rounds is not None and 0 < all_rounds < rules.rounds:
        rules = with_settings(rules, {"rounds": None})
    return agree(table, rules, size)


def next_profile(game_set: GameSet, table: Table) -> list[Event]:
    """Return the event that chooses the next rules of this game, the table's saved ones included.

    After the last come the first. Refused outside the lobby.
    """
    rules = table.rules
    offered = saved_rules.names(game_set, table, rules.game)
    current = rules.name if rules.name in offered else rules.base
    return choose(game_set, table, c.ChooseRules(f"{rules.game}/{_next_of(offered, current)}"))


def choose(game_set: GameSet, table: Table, command: c.ChooseRules) -> list[Event]:
    """Return the event for the rules and set that the command names; none if nothing changes.

    Refused outside the lobby, and for unknown names or settings that do not agree.
    """
    rules, left_out = _chosen(game_set, table, command)
    return agree(table, rules, command.set, left_out)


def agree(
    table: Table, rules: Rules, size: int | None = None, left_out: tuple[str, ...] = ()
) -> list[Event]:
    """Return the event for this rule book and set; none if nothing changes.

    Without a `size` the set stays if the rules allow it; otherwise it is their first. `left_out`
    names settings of saved rules that could not be used. Refused outside the lobby.
    """
    in_phase(table, "lobby", "The game and the set can only be chosen before the game starts.")
    if size is None:
        size = table.size if table.size in rules.sets else rules.sets[0]
    check_set(rules, size)
    unchanged = (rules, size) == (table.rules, table.size)
    return [] if unchanged else [_agreed(rules, size, left_out)]


def change_rule(table: Table, command: c.ChangeRule) -> list[Event]:
    """Return the event for another value of one rule; none if it has that value.

    During a game it holds from the next round on, for some rules at once. Refused after the game,
    for the set during a game, and for fewer rounds than have begun.
    """
    if table.phase == "finished":
        raise Refused("The game is over. You can change the rules before the next one.")
    rules = with_settings(table.next_rules, {command.setting: command.value})
    if table.phase == "lobby":
        size = table.size if table.size in rules.sets else rules.sets[0]
        return [] if rules == table.rules else [_agreed(rules, size)]
    if rules.sets != table.next_rules.sets:
        raise Refused("{setting} can only be changed before the game.", setting=command.setting)
    if 0 < len(rules.engines_for(table.size)) < table.number:
        raise Refused(
            "Round {number} has begun, so there cannot be fewer rounds.", number=table.number
        )
    if rules == table.next_rules:
        return []
    at_once = (command.setting,) if command.setting in e.EFFECTIVE_AT_ONCE else ()
    return [replace(_agreed(rules, table.size), at_once=at_once)]


def fewer_rounds(table: Table) -> list[Event]:
    """Return the event for one round less, or after a single one for all of them again.

    Refused outside the lobby, and where the set has fewer than two doubles to start rounds from.
    """
    in_phase(table, "lobby", "Agree on the number of rounds before the game.")
    most = len(replace(table.rules, rounds=None).engines_for(table.size))
    if most < 2:
        raise Refused("The number of rounds cannot be chosen in {game}.", game=table.rules.title)
    now = len(table.rules.engines_for(table.size))
    fewer = now - 1 if 1 < now <= most else most
    return change_rule(table, c.ChangeRule("rounds", None if fewer == most else fewer))


def start(game_set: GameSet, table: Table, command: c.Start, at: float) -> list[Event]:
    """Return the events that start the game and its first round.

    Refused outside the lobby, without players, or if nothing can be dealt to them; AsksBack if
    other rules or another set would do.
    """
    in_phase(table, "lobby", "A game is already being played.")
    if not table.seats:
        raise Refused("Nobody is seated yet. Each player takes a seat first.")
    check_set(table.rules, table.size)
    _check_start(game_set, table)
    if command.starter is not None:
        player(table, command.starter)
    started = e.GameStarted(at, table.rules.engines_for(table.size))
    return [started, first_round(game_set.evolve(table, started), command.starter)]


def _check_start(game_set: GameSet, table: Table) -> None:
    """Raise Refused if nothing can be dealt to those seated.

    If only the chosen rules or set cannot be dealt, AsksBack with the first that can.
    """
    try:
        check_deal(table.rules, table.size, len(table.seats), _profiles(game_set, table.rules))
    except Refused as refused:
        if not refused.facts.get("instead"):
            raise
        rules, size = _fitting(game_set, table)[0]
        facts = {"players": len(table.seats), "rules": rules_word(rules.name), "size": size}
        words = Sentence(
            "For {players} {players|player|players}: {rules} rules with a double-{size} set? "
            "Tap Advance.",
            facts,
        )
        raise AsksBack(Question("fit", (), words)) from None


def take_fitting(game_set: GameSet, table: Table) -> list[Event]:
    """Return the event for the first that can be dealt: other rules with this set, then other sets.

    None if the chosen rules can be dealt; Refused outside the lobby or if nothing fits.
    """
    in_phase(table, "lobby", "The game and the set can only be chosen before the game starts.")
    try:
        check_deal(table.rules, table.size, len(table.seats))
    except Refused:
        instead = _fitting(game_set, table)
        if not instead:
            raise
        return agree(table, *instead[0])
    return []


def _fitting(game_set: GameSet, table: Table) -> list[tuple[Rules, int]]:
    return fitting_rules(
        table.rules, table.size, len(table.seats), _profiles(game_set, table.rules)
    )


def rematch(game_set: GameSet, table: Table, command: c.Rematch, at: float) -> list[Event]:
    """Return the events that start the same game again after it is over.

    The seat after the first starter starts, unless the command names a `starter` or the tiles
    decide. Refused before the game is over; AsksBack if it could still go on and the command has no
    `rematch`.
    """
    in_phase(table, "finished", "The game is not over yet.")
    if not command.rematch and could_go_on(table):
        words = Sentence("This game could still go on. Start a new one? Tap Advance.")
        raise AsksBack(Question("rematch", (), words))
    opened = e.LobbyOpened()
    ready = game_set.evolve(table, opened)
    starter = command.starter
    first = table.rounds[0].starter if table.rounds else None
    if starter is None and first is not None and not table.rules.starter_found(1):
        seats = [seat.number for seat in ready.seats]
        starter = next((n for n in seats if n > chair_of(first)), seats[0])
    return [opened, *start(game_set, ready, c.Start(starter), at)]


def draw_starter(game_set: GameSet, table: Table, command: c.DrawStarter, at: float) -> list[Event]:
    """Return the events for a starter drawn by lot; in the lobby they also start the game.

    The command's `lot`, a random number, decides. Refused without it, while hands are counted and
    after the game.
    """
    if command.lot is None:
        raise Refused("Nobody was drawn.")
    if table.phase not in ("lobby", "playing"):
        raise Refused("The lights can draw who starts before the game, or once a round has begun.")
    seats = [seat.number for seat in table.players()]
    chosen = seats[command.lot % len(seats)] if seats else None
    begun = start(game_set, table, c.Start(chosen), at) if table.phase == "lobby" else []
    return [*begun, e.StarterDrawn(chosen)] if chosen is not None else begun


def save_house_rules(
    game_set: GameSet, table: Table, command: c.SaveHouseRules, at: float
) -> list[Event]:
    """Return the events that save the rules of the next round, and call those in play by that name.

    Refused for the name of a printed rule book; saved rules of that name are replaced.
    """
    rules = table.next_rules
    house = saved_rules.as_house_rules(game_set, rules, command.name)
    called = replace(rules, name=house.name, base=rules.base or rules.name)
    agreed = [] if rules.name == house.name else [_agreed(called, table.size)]
    return [*agreed, e.RulesSaved(house)]


def forget_house_rules(table: Table, command: c.ForgetHouseRules) -> list[Event]:
    return [e.RulesForgotten(saved_rules.to_forget(table, command.name))]


def delete_game(table: Table, command: c.DeleteGame) -> list[Event]:
    """Return the event that deletes a past game; only the history knows if there was such a game.

    Refused for the game being played, and for one deleted before.
    """
    started_at = command.started_at
    if started_at == table.started_at and table.phase in ("playing", "scoring"):
        raise Refused("This game is still being played. End it first.")
    if started_at in table.deleted:
        raise Refused("This game has already been deleted.")
    return [e.GameDeleted(started_at)]


def name_person(table: Table, command: c.NamePerson) -> list[Event]:
    """Return the event that gives a person in past games another name; none if it changes nothing.

    If anybody of that name has played is not checked: only the history knows. Refused after
    MOST_NAMED changed names, except to give a name back to itself.
    """
    name, now = clean_name(command.name), clean_name(command.now)
    named = e.PersonNamed(name, now, command.started_at)
    if name != now and len(table.people) >= MOST_NAMED:
        raise Refused(
            "{most} names have been changed. Give one of them back to itself first.",
            most=MOST_NAMED,
        )
    return [] if named.apply(table).people == table.people else [named]


def open_table(game_set: GameSet, table: Table, command: c.OpenTable, at: float) -> list[Event]:
    """Return the events that choose rules, seat players and start, in one step.

    Whoever sits at the table is replaced. Refused during a game, for too many players, for the same
    name twice and for what cannot be dealt.
    """
    rules, left_out = _chosen(game_set, table, command)
    size = rules.sets[0] if command.set is None else command.set
    check_set(rules, size)
    if len(command.players) > MOST_SEATS:
        raise Refused(
            "A table has ten seats: too few for {count} players.", count=len(command.players)
        )
    check_deal(rules, size, len(command.players), _profiles(game_set, rules))
    if table.phase in ("playing", "scoring"):
        raise Refused("A game is being played. Finish it before you open a new one.")
    events = [*_cleared(table), *_seated(command.players)]
    if (rules, size) != (table.rules, table.size):
        events.append(_agreed(rules, size, left_out))
    ready = table
    for event in events:
        ready = game_set.evolve(ready, event)
    return [*events, *start(game_set, ready, c.Start(command.starter), at)]


def _profiles(game_set: GameSet, rules: Rules) -> tuple[Rules, ...]:
    return game_set.games[rules.game].profiles


def _cleared(table: Table) -> list[Event]:
    """Return the events that free all seats; after a game they open the lobby first."""
    reopened: list[Event] = [e.LobbyOpened()] if table.phase == "finished" else []
    return reopened + [e.SeatFreed(seat.number) for seat in table.seats if seat.until is None]


def _seated(names: tuple[str, ...]) -> list[Event]:
    """Return the events that seat the players clockwise from seat 1.

    Refused if a name comes twice.
    """
    events: list[Event] = []
    taken: tuple[Seat, ...] = ()
    for number, name in enumerate(names, start=1):
        name = free_name(taken, clean_name(name))
        taken = (*taken, Seat(number, name))
        events.append(e.SeatTaken(number, name))
    return events


def _chosen(
    game_set: GameSet, table: Table, command: c.ChooseRules | c.OpenTable
) -> tuple[Rules, tuple[str, ...]]:
    """Return the rules that a command names, with its changes, and the settings not known here.

    Settings that this release does not know are left out of saved rules; without changes and
    without a new name, the rules are returned as found.
    """
    found = saved_rules.find(game_set, table, command.rules)
    if command.name is None and not command.changes:
        return found.rules, found.left_out
    name = found.rules.name if command.name is None else clean_name(command.name)
    renamed = None if name == found.profile.name else name
    changes = {**found.changes, **command.changes}
    return with_settings(found.profile, changes, renamed), found.left_out


def _agreed(rules: Rules, size: int, left_out: tuple[str, ...] = ()) -> e.RulesAgreed:
    """Return the event with the rules as plain JSON values, as its journal row will have them."""
    return e.RulesAgreed(msgspec.json.decode(msgspec.json.encode(rules)), size, left_out)


def _next_of(values: tuple[Any, ...], value: Any) -> Any:
    """Return the value after `value`; the first if that is the last or not among them."""
    return values[(values.index(value) + 1) % len(values)] if value in values else values[0]
