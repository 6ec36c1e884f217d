"""Past games for the pages, read on a thread so that no press waits for them.

Reading a long journal takes time: a separate thread does it over a connection of its own, and
the short form of each game is cached.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import msgspec
from starlette.exceptions import HTTPException

from centerpiece.hub.hub import Hub
from centerpiece.reports.season import Season, SeasonChoice
from centerpiece.storage.history import History, PastGame, Record, statistics
from centerpiece.storage.journal import Damage, Journal
from centerpiece.table.checks import clean_name
from centerpiece.table.commands import DeleteGame, NamePerson
from centerpiece.text import Refused

T = TypeVar("T")


class PastGames:
    """The games played at this table."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._thread = ThreadPoolExecutor(1, "past")
        self._closed = False
        self._history: History | None = None
        self._journal: Journal | None = None
        self._overview: tuple[int, msgspec.Raw] | None = None
        self._season = Season()
        self._seasons: tuple[tuple[int, SeasonChoice], msgspec.Raw] | None = None
        self._short: WeakKeyDictionary[PastGame, msgspec.Raw] = WeakKeyDictionary()

    async def query(self, function: Callable[[list[PastGame]], T]) -> T:
        """Call `function` with all games, the earliest first, on the thread; return its result.

        For a journal in memory it is called at once, in the hub's thread. Raise HTTPException 503
        while the hub stops.
        """
        if not isinstance(self._hub.journal.path, Path):
            self._history = self._history or History(self._hub.journal, self._hub.game_set)
            return function(self._history.games())
        if self._closed:
            raise HTTPException(503)  # the hub is stopping
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: self._run(function))

    async def check(self, command: DeleteGame | NamePerson) -> None:
        """Raise Refused for a command about a game or a person that is not in the history.

        Also for a new name that is somebody else's in a game that both played. A name changed back
        to itself is always allowed.
        """
        started_at = command.started_at
        if isinstance(command, DeleteGame):
            if not await self.query(lambda games: any(g.started_at == started_at for g in games)):
                raise Refused("There is no such game in the history.")
            return
        written, given = clean_name(command.name), clean_name(command.now)
        if written == given:
            return  # a name that was changed is given back
        name, now = written.casefold(), given.casefold()
        tables = await self.query(
            lambda games: [
                {player.casefold() for player in game.players}
                for game in games
                if started_at in (None, game.started_at)
            ]
        )
        if not any(name in people for people in tables):
            raise Refused("There is nobody of that name in the history.")
        if name != now and any(name in people and now in people for people in tables):
            raise Refused(
                "{name} and {now} have played together, so they are two people.",
                name=written,
                now=given,
            )

    async def season(self, choice: SeasonChoice) -> msgspec.Raw:
        """Return the season of `choice` as encoded JSON.

        The latest choice's is kept until an event changes the table; another choice is computed
        anew.
        """
        key, people = (self._hub.seq, choice), self._hub.table.people
        if self._seasons is None or self._seasons[0] != key:
            encoded = await self.query(
                lambda games: msgspec.json.encode(
                    self._season.document(games, choice) | {"names": people}
                )
            )
            self._seasons = key, msgspec.Raw(encoded)
        return self._seasons[1]

    async def overview(self) -> msgspec.Raw:
        """Return all games in short, the latest first, as encoded JSON.

        It is kept until an event changes the table.
        """
        seq = self._hub.seq
        if self._overview is None or self._overview[0] != seq:
            encoded = await self.query(self._overview_of)
            self._overview = seq, msgspec.Raw(encoded)
        return self._overview[1]

    def _overview_of(self, games: list[PastGame]) -> bytes:
        assert self._history is not None
        for game in games:
            if game not in self._short:
                self._short[game] = msgspec.Raw(msgspec.json.encode(_short(game)))
        short = [self._short[game] for game in reversed(games)]
        return msgspec.json.encode(overview(short, self._history.damage, statistics(games)))

    def close(self) -> None:
        """Close the file and end the thread."""
        self._closed = True
        self._thread.submit(self._close)
        self._thread.shutdown()

    def _run(self, function: Callable[[list[PastGame]], T]) -> T:
        """Call `function` with all games; return its result.

        On a read-only disk, close the file afterwards.
        """
        try:
            return function(self._games())
        finally:
            if self._hub.journal.file.disk_read_only:
                self._close()

    def _games(self) -> list[PastGame]:
        """Return all games, the earliest first.

        The file is opened if it is not open, or if the hub has replaced it.
        """
        if self._journal is not None and not self._journal.file.in_place():
            # The hub has replaced its file.
            self._close()
        if self._history is None:
            self._journal = Journal(self._hub.journal.path, self._hub.game_set, read_only=True)
            self._history = History(self._journal, self._hub.game_set)
        return self._history.games()

    def _close(self) -> None:
        if self._journal is not None:
            self._journal.close()
        self._journal = self._history = None


def overview(
    games: list[msgspec.Raw], damage: list[tuple[float, Damage]], records: list[Record]
) -> dict[str, Any]:
    """Return the document of the games, as given, with the records of the players and lost events.

    Each lost event comes with the time of the last intact one before it.
    """
    return {
        "damage": [{"at": at, "seq": each.seq, "said": each.how} for at, each in damage],
        "games": games,
        "players": [_record(record) for record in records],
    }


def find_game(games: list[PastGame], number: int, convert: Callable[[PastGame], T]) -> T | None:
    """Return one game by its number, converted on the calling thread; None if there is none."""
    return next((convert(game) for game in games if game.number == number), None)


def in_full(game: PastGame) -> dict[str, Any]:
    """Return one game in full. Imports score sheets late, which keeps them out of the start."""
    from centerpiece.reports.score_sheet import document

    return document(game)


def exported(game: PastGame, kind: str) -> str:
    """Return one game's score sheet as "html", "csv" or "json"."""
    from centerpiece.reports.score_sheet import export

    return export(game, kind)


def _short(game: PastGame) -> dict[str, Any]:
    """Return a game in short, for the list; it takes as long as to return it in full."""
    whole = in_full(game)
    times = ("started_at", "ended_at", "doubtful")
    keys = ("number", *times, "game", "title", "rules", "finished", "winners")
    return {key: whole[key] for key in keys} | {
        "rounds": len(game.rounds),
        "players": list(game.players),
        "hurt": game.damaged,
    }


def _record(record: Record) -> dict[str, Any]:
    return {
        "name": record.name,
        "game": record.game.name,
        "games": record.games,
        "wins": record.wins,
        "rounds": record.rounds,
        "average": record.average,
        "best": record.best,
        "worst": record.worst,
    }
