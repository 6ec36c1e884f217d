"""A whole game: round after round, who starts, what goes on the score sheet.

The table keeps its own books here, by the sources, so that they can be held against a hub's.
"""

from collections.abc import Collection, Sequence
from random import Random

from centerpiece.rules.rules import Rules
from sim.dominoes.dealing import shuffled, tiles_each
from sim.dominoes.paper_sheet import ScoreSheet, SheetLine
from sim.dominoes.round import TileRound
from sim.dominoes.tiles import PIPS


class Match:
    """One game from the first deal to the winners; `kind` is the game's `TileRound`.

    while match.more():
        round = match.deal()
        ...play it...
        match.count(round)
    """

    def __init__(
        self, kind: type[TileRound], rules: Rules, size: int, players: int, rng: Random
    ) -> None:
        tiles_each(rules, size, players)
        self.kind = kind
        self.rules = rules
        self.size = size
        self.players = players
        self.rng = rng
        self.engines = rules.engines_for(size)
        self.sheet = ScoreSheet(rules, players)
        self.first_starter = self._draw_for_the_start() if rules.starter == "drawn" else 0
        self._starts = self.first_starter
        """The seat whose turn it is to start."""
        self.won_in_play = False
        """Whether points made in play have reached the limit, so that no end was counted."""
        self.ended_in_play = False
        """Whether the game was ended while a round was played, so that nobody knows its end."""

    @property
    def number(self) -> int:
        """The round in play, or played last."""
        return self.sheet.begun

    @property
    def rounds(self) -> int | None:
        """How many there are; None where only points end the game."""
        return len(self.engines) or self.rules.rounds

    def more(self) -> bool:
        """Whether another round is to be played."""
        limit = self.rules.points_limit
        if limit is not None and max(self.sheet.so_far()) >= limit:
            return False
        return self.rounds is None or self.number < self.rounds

    def deal(self) -> TileRound:
        """The next round, dealt to those who are there."""
        engine = self.engines[self.number] if self.engines else None
        if self.number:
            later = [s for s in self.sheet.playing(self.number + 1) if s > self._starts]
            self._starts = (later or self.sheet.playing(self.number + 1))[0]
        self.sheet.begin()
        seats = self.sheet.seats
        starter = seats.index(self._starts)
        return self.kind.dealt(self.rules, self.size, len(seats), self.rng, engine, starter)

    def end(self) -> None:
        """People end the game, whatever is missing."""
        if self.number > len(self.sheet.lines):
            self.ended_in_play = True
            self.sheet.cut_off()
        self.sheet.close()

    def lost_again(self) -> bool:
        """Whether a game that was won in play is not won after all: then its round goes on."""
        limit = self.rules.points_limit
        if not self.won_in_play or limit is None or max(self.sheet.so_far()) >= limit:
            return False
        self.won_in_play = False
        self.sheet.reopen()
        return True

    def can_deal(self, players: int) -> bool:
        """Whether the next round could be dealt to so many."""
        return self.rules.hand(self.size, players) is not None

    def reached(self, played: TileRound) -> bool:
        """Whether points made in play reach the limit: who is first there has won at once."""
        limit = self.rules.points_limit
        return limit is not None and max(self.sheet.with_points(played.points)) >= limit

    def count(self, played: TileRound) -> None:
        """Write down what a round brought that is finished, or that reached the limit."""
        if self.reached(played):
            self.won_in_play = True
            scores: Sequence[int | None] = played.points
        elif not played.over:
            raise ValueError("the round is not over; play it to its end before counting")
        else:
            scores = played.written()
        self._write(self.sheet.seats, played, scores)

    def recount(self, number: int, reported: TileRound, missing: Collection[int] = ()) -> None:
        """Write down a round again, as it is told now, without the hands that are missing."""
        self._write(self.sheet.playing(number), reported, reported.written(missing), number)

    def _write(
        self,
        seats: Sequence[int],
        reported: TileRound,
        scores: Sequence[int | None],
        number: int | None = None,
    ) -> None:
        made = dict(zip(seats, reported.points, strict=True))
        in_order = [(seats[player], points) for player, points in reported.made]
        self.sheet.write(SheetLine(dict(zip(seats, scores, strict=True)), made, in_order), number)

    def _draw_for_the_start(self) -> int:
        """Each draws a tile; the most pips start, and equals draw again."""
        drawing = list(range(self.players))
        while len(drawing) > 1:
            tiles = shuffled(self.size, self.rng)[: len(drawing)]
            most = max(PIPS[tile] for tile in tiles)
            drawing = [
                seat for seat, tile in zip(drawing, tiles, strict=True) if PIPS[tile] == most
            ]
        return drawing[0]
