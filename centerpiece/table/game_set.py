"""A set of games with one way in: `decide` and `evolve` over all their commands and events."""

from collections.abc import Mapping, Sequence
from typing import Any, Union

import msgspec
from msgspec.structs import fields, replace

from centerpiece.rules.rules import Rules
from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table.commands import Command
from centerpiece.table.decide import decide
from centerpiece.table.events import Event
from centerpiece.table.game import Game
from centerpiece.table.state import Play, Round, Table
from centerpiece.text import Refused


class GameSet:
    """The bookkeeping over a given set of games."""

    def __init__(self, games: Sequence[Game]) -> None:
        self.games: Mapping[str, Game] = {game.name: game for game in games}
        self.commands = (*c.SHARED, *(kind for game in games for kind in game.commands))
        self.events = (*e.SHARED, *(kind for game in games for kind in game.events))
        self._by_rules = {game.rules: game for game in games}
        self.blanks = {name: blank for game in games for name, blank in game.blanks.items()}
        """Names in the public state that only some games have, with their value in all others."""
        self._any_rules: Any = Union[tuple(game.rules for game in games)]  # noqa: UP007
        self._any_play: Any = Union[(Play, *(game.play for game in games))]

    @property
    def any_event(self) -> Any:
        """The union type of all events, for reading them."""
        return Union[self.events]  # noqa: UP007

    def new_table(self) -> Table:
        """Return an empty table with the first rules of the first game."""
        rules = next(iter(self.games.values())).profiles[0]
        return Table(rules, rules.sets[0])

    def game_of(self, table: Table) -> Game:
        return self._by_rules[type(table.rules)]

    def profile(self, full_name: str) -> Rules:
        """Return the profile called `game/profile`, or the first one of `game`.

        If there is none, Refused names those there are.
        """
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
            "{game} has no rules called “{asked}”. The rules are: {known}.",
            game=game.title,
            asked=name,
            known=", ".join(profile.name for profile in game.profiles),
        )

    def read_rules(self, document: dict[str, Any]) -> Rules:
        """Read a rule book from an event; settings that are not in it have their defaults."""
        rules: Rules = msgspec.convert(document, self._any_rules, str_keys=True, strict=False)
        return rules

    def read_table(self, document: dict[str, Any]) -> Table:
        """Read a table from its JSON document; removes `rounds` from the document.

        Values that do not fit their types raise msgspec's ValidationError.
        """
        kinds = {field.name: field.type for field in fields(Table)}
        kinds |= {"rules": self._any_rules, "play": self._any_play}
        kinds["agreed"] = self._any_rules | None
        rounds = [(played, played.pop("rules", None)) for played in document.pop("rounds", [])]
        return Table(
            **{
                name: msgspec.convert(value, kinds[name], str_keys=True)
                for name, value in document.items()
            },
            rounds=tuple(
                replace(
                    msgspec.convert(played, Round, str_keys=True),
                    rules=rules and self.read_rules(rules),
                )
                for played, rules in rounds
            ),
        )

    def decide(self, table: Table, command: Command, at: float) -> list[Event]:
        """Return the events of a command, or raise Refused."""
        return decide(self, table, command, at)

    def evolve(self, table: Table, event: Event) -> Table:
        """Return the table after an event. Never refuses: it has already happened."""
        if isinstance(event, e.RulesAgreed):
            changed = event.agree(table, self.read_rules(event.rules))
        else:
            changed = event.apply(table)
        game = self.game_of(changed)
        if isinstance(event, e.RoundStarted):
            changed = replace(changed, play=game.new_play(changed))
        after = game.after(changed, event)
        return table.share_sheet_cache(after) if event.in_play else after
