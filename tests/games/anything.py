"""Strategies for any commands at a game's table, sensible or not."""

from typing import Any

from hypothesis import strategies as st

from centerpiece.games.registry import GAMES
from centerpiece.rules.rules import Rules
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from tests.evenings import FOUR

SEATS = st.integers(0, 5)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "seat": SEATS,
    "where": SEATS,
    "round": st.integers(0, 3),
    "more": st.sampled_from([1, 10]),
    "open": st.sampled_from([None, True, False]),
    "points": st.sampled_from([-5, 0, 3, 5, 10, 45, 60]),
}
"""Values for the fields of the games' own commands."""


def own_commands(game: str) -> st.SearchStrategy[Command]:
    """Return a strategy for the commands that only this game has."""
    kinds = GAMES.games[game].commands
    return st.one_of(
        [
            st.builds(kind, **{field: FIELDS[field] for field in kind.__struct_fields__})
            for kind in kinds
        ]
    )


def shared_commands() -> st.SearchStrategy[Command]:
    """Return a strategy for commands of every game."""
    pips = st.integers(0, 40)
    return st.one_of(
        st.builds(c.GoOut, SEATS),
        st.just(c.Block()),
        st.builds(c.TakeBackLastTile, SEATS),
        st.just(c.BlowWhistle()),
        st.builds(c.Catch, SEATS),
        st.builds(c.Penalize, SEATS, st.sampled_from(["draw", "points", "skip", "keep"])),
        st.builds(c.EnterScore, SEATS, pips, confirm=st.booleans()),
        st.builds(c.EnterScore, SEATS, pips, tiles=st.integers(-1, 9), confirm=st.just(True)),
        st.just(c.CountRest()),
        st.builds(c.CorrectScore, SEATS, pips, confirm=st.booleans(), round=st.integers(0, 3)),
        st.just(c.NextRound()),
        st.just(c.NextRound(uncounted=True)),
        st.just(c.FinishGame()),
        st.just(c.OpenLobby()),
        st.just(c.Start()),
        st.builds(c.Leave, SEATS),
        st.builds(c.DesignateStarter, SEATS),
        st.just(c.Undo()),
        st.just(c.Redo()),
    )


def evenings(rules: Rules) -> st.SearchStrategy[list[Command]]:
    """Return a strategy for opening a game, and anything after it."""
    game = rules.game
    opening = st.builds(
        lambda size, count: c.OpenTable(rules.full_name, FOUR[:count], size),
        st.sampled_from(rules.sets),
        st.sampled_from([n for n in range(1, 5) if all(n in t for t in rules.hands.values())]),
    )
    following = st.lists(
        st.one_of(own_commands(game), own_commands(game), shared_commands()), max_size=40
    )
    return st.builds(lambda first, rest: [first, *rest], opening, following)
