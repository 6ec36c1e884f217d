"""Castle Rock: counts the row and the tiles left to draw.

The hub does not see the tiles: finding what can be removed is up to the player. It counts, starts a
new row by itself when one is empty, and remembers the best result for each size of set.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, cast

from msgspec.structs import replace

from centerpiece.games.castle_rock.lesson import LESSON
from centerpiece.games.castle_rock.rules import PROFILES, CastleRockRules
from centerpiece.rules.domino_sets import tiles_in
from centerpiece.table.binding import PLAYING, SEAT, bind
from centerpiece.table.changes import change_round
from centerpiece.table.checks import player
from centerpiece.table.commands import Command
from centerpiece.table.events import Event, GameFinished, RoundStarted, SeatEvent
from centerpiece.table.game import Face, Game, Offer, Ring, Signs
from centerpiece.table.scoring import Standing
from centerpiece.table.state import Entry, Play, Table
from centerpiece.table.telling import Call, Fact, Happened, SpokenLine, Tell, always, person
from centerpiece.text import Refused, Sentence

THREE = 3
"""Tiles that the row needs for anything to be removed."""


class DrawTile(Command, frozen=True):
    """Draw a tile and add it to the row."""


class RemoveMiddle(Command, frozen=True):
    """Remove the tile between two that share a number."""

    seat: int


class RemoveThree(Command, frozen=True):
    """Remove three neighbours that share a number."""

    seat: int


class RowEvent(Event, frozen=True):
    """An event of the row; `words` is its sentence, with `{row}` and `{pile}`."""

    in_play = True
    words: ClassVar[str] = ""

    def sentence(self, table: Table) -> Sentence:
        play = _play(table)
        return Sentence(self.words, {"row": play.row, "pile": play.pile})


class TileDrawn(RowEvent, frozen=True):
    words: ClassVar[str] = "A tile was drawn. In the row: {row}, left to draw: {pile}."

    def apply(self, table: Table) -> Table:
        play = _play(table)
        return replace(table, play=CastleRockPlay(play.row + 1, play.pile - 1))


class MiddleRemoved(RowEvent, frozen=True):
    words: ClassVar[str] = "The middle tile was removed. In the row: {row}, left to draw: {pile}."

    def apply(self, table: Table) -> Table:
        return _with_fewer(table, 1)


class ThreeRemoved(RowEvent, frozen=True):
    words: ClassVar[str] = "Three tiles were removed. In the row: {row}, left to draw: {pile}."

    def apply(self, table: Table) -> Table:
        return _with_fewer(table, THREE)


class RowStarted(RowEvent, frozen=True):
    """The row was empty and a new one was laid, of as many tiles as there are."""

    words: ClassVar[str] = "The row is empty: draw {row} tiles for a new one. Left to draw: {pile}."

    def apply(self, table: Table) -> Table:
        return replace(table, play=_new_row(table, _play(table).pile))


class PatienceEnded(SeatEvent, frozen=True):
    """Nothing more can be removed, or the player gives up; `left` counts row and pile."""

    left: int

    def apply(self, table: Table) -> Table:
        """End the round as out if nothing is left, otherwise as blocked; nobody is asked which.

        The tiles left are the only entry.
        """
        return change_round(
            replace(table, phase="scoring"),
            ended=True,
            out=None if self.left else self.seat,
            blocked=bool(self.left),
            entries={self.seat: Entry(self.left)},
        )

    def sentence(self, table: Table) -> Sentence:
        facts = {"name": table.name(self.seat), "left": self.left}
        if self.left <= _rules(table).won_with:
            return Sentence("{name} has won with {left} {left|tile|tiles} left.", facts)
        return Sentence("The game is over with {left} {left|tile|tiles} left.", facts)


class CastleRockPlay(Play, frozen=True):
    """The numbers of tiles in the row and in the pile."""

    row: int = 0
    pile: int = 0


def _tell_end(happened: Happened, event: PatienceEnded) -> Iterator[Call]:
    """Yield the call for the end: won if few enough tiles are left."""
    facts: dict[str, Fact] = {"left": event.left}
    if event.left <= _rules(happened.table).won_with:
        facts["name"] = person(happened.table, event.seat)
        yield always("winner", SpokenLine("patience.won", facts))
    else:
        yield always("winner", SpokenLine("patience", facts))


class CastleRock(Game):
    rules = CastleRockRules
    profiles = PROFILES
    minutes = (5, 15)
    lesson = LESSON
    key_settings: ClassVar[dict[str, str]] = {
        "row": "How many tiles start the row?",
        "won_with": "How many tiles may be left to win?",
    }
    commands = (DrawTile, RemoveMiddle, RemoveThree)
    events = (TileDrawn, MiddleRemoved, ThreeRemoved, RowStarted, PatienceEnded)
    play = CastleRockPlay
    spoken: ClassVar[Mapping[type[Event], Tell]] = {PatienceEnded: _tell_end}
    blanks: ClassVar[dict[str, Any]] = {"pile": None}
    panel = bind(
        PLAYING,
        "",
        ("seat", "tap", "Middle", "the middle tile removed", RemoveMiddle(SEAT)),
        ("seat", "hold", "Three", "three removed", RemoveThree(SEAT)),
        ("train", "tap", "Draw", "a tile drawn: the face counts the pile down", DrawTile()),
    )

    def new_play(self, table: Table) -> Play:
        return _new_row(table, tiles_in(table.size))

    def decide(self, table: Table, command: Command, at: float) -> list[Event]:
        """Return the events of a tile drawn or tiles removed, and of the end if no move is left.

        Refused once the game is over, for a row of fewer than three tiles, or without tiles to
        draw.
        """
        if not isinstance(command, self.commands):
            return super().decide(table, command, at)
        if table.phase != "playing":
            raise Refused("The game is over. Undo to go on with it.")
        play = _play(table)
        match command:
            case DrawTile():
                if not play.pile:
                    raise Refused(
                        "There are no tiles left to draw. Remove what you can, then end the game."
                    )
                stuck = play.pile == 1 and play.row + 1 < THREE
                ended = [PatienceEnded(table.players()[0].number, play.row + 1)] if stuck else []
                return [TileDrawn(), *ended]
            case RemoveMiddle(seat):
                return self._removed(table, seat, MiddleRemoved(), 1)
            case RemoveThree(seat):
                return self._removed(table, seat, ThreeRemoved(), THREE)
        raise AssertionError(f"unhandled {command!r}")

    def _removed(self, table: Table, seat: int, event: Event, gone: int) -> list[Event]:
        """Return the removal `event` of `gone` tiles and what follows: a new row, or the end.

        The game ends if nothing is left to try. Refused while the row has fewer than three tiles.
        """
        player(table, seat)
        play = _play(table)
        if play.row < THREE:
            raise Refused(
                "You need three tiles in the row to remove one; the row has {row}.", row=play.row
            )
        row = play.row - gone
        if row == 0 and play.pile:
            fresh = _new_row(table, play.pile)
            stuck = fresh.row < THREE and not fresh.pile
            return [event, RowStarted(), *([PatienceEnded(seat, fresh.row)] if stuck else [])]
        if row < THREE and not play.pile:
            return [event, PatienceEnded(seat, row)]
        return [event]

    def went_out(self, table: Table, seat: int, on_double: bool) -> list[Event]:
        """Return the end with the tiles left in row and pile; `on_double` changes nothing."""
        play = _play(table)
        return [PatienceEnded(seat, play.row + play.pile)]

    def blocked(self, table: Table) -> list[Event]:
        return self.went_out(table, table.players()[0].number, False)

    def after(self, table: Table, event: Event) -> Table:
        """Add the tiles left in a finished game to the table's results, which outlast the game.

        Other events change nothing.
        """
        if not isinstance(event, GameFinished):
            return table
        left = [entry.pips for played in table.rounds for entry in played.entries.values()]
        if not left or table.started_at is None:
            return table
        key, own = _key(table), (table.started_at, min(left))
        others = [each for each in table.results.get(key, ()) if each[0] != own[0]]
        return replace(table, results={**table.results, key: (*others, own)})

    def winners(self, table: Table, lines: Sequence[Standing]) -> list[int]:
        """Return the only player if few enough tiles are left, otherwise nobody."""
        won_with = _rules(table).won_with
        return [
            line.seat.number
            for line in lines
            if any(left is not None and left <= won_with for left in line.scores)
        ]

    def signs(self, table: Table) -> Signs:
        """Return the tiles left to draw, on ring and as a note; nothing unless a game is played."""
        if not table.rounds:
            return Signs()
        pile = _play(table).pile
        note = Sentence("Tiles left to draw: {pile}", {"pile": pile})
        playing = table.phase == "playing"
        return Signs(
            ring=Ring(pile, tiles_in(table.size)) if playing else None,
            notes=(note,) if playing else (),
        )

    def offers(self) -> tuple[Offer, ...]:
        """Return the buttons of the row, without the last tile: nobody else is there to hear it."""
        return (
            Offer("A tile drawn", DrawTile(), short="Draw", icon="next", pinned=True),
            Offer(
                "The middle tile removed", RemoveMiddle(SEAT), short="Middle removed", icon="out"
            ),
            Offer("Three removed", RemoveThree(SEAT), icon="out"),
        )

    def share(self, table: Table) -> dict[str, Any]:
        best, play = _best(table), _play(table)
        if not table.rounds:
            return {"pile": None, "row": None, "best": best}
        return {"pile": play.pile, "row": play.row, "best": best}

    def face(self, table: Table) -> Face:
        """Return the number of tiles in the pile, or at the end what is left of row and pile."""
        play = _play(table)
        return Face("digits", play.pile if table.phase == "playing" else play.row + play.pile)

    def remark(self, table: Table, event: Event) -> Sentence | None:
        """Return the best result at the end, the pile at the start, or the usual remark."""
        facts = {"best": _best(table), "size": table.size}
        if isinstance(event, GameFinished) and facts["best"] is not None:
            return Sentence("Best so far with a double-{size} set: {best} left.", facts)
        if isinstance(event, RoundStarted):
            play = _play(table)
            return Sentence("Left to draw: {pile}.", {"pile": play.pile})
        return super().remark(table, event)


def _play(table: Table) -> CastleRockPlay:
    return table.play if isinstance(table.play, CastleRockPlay) else CastleRockPlay()


def _with_fewer(table: Table, gone: int) -> Table:
    play = _play(table)
    return replace(table, play=replace(play, row=play.row - gone))


def _rules(table: Table) -> CastleRockRules:
    return cast(CastleRockRules, table.rules)


def _key(table: Table) -> str:
    return f"{table.rules.game}/{table.size}"


def _best(table: Table) -> int | None:
    """Return the fewest tiles ever left with this size of set; None before a first result."""
    return min((left for _, left in table.results.get(_key(table), ())), default=None)


def _new_row(table: Table, pile: int) -> CastleRockPlay:
    row = min(_rules(table).row, pile)
    return CastleRockPlay(row, pile - row)
