"""A whole game: the rounds, who starts them, and the score sheet.

It keeps scores independently of the hub, from the rule sheets, so that both can be compared.
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
        """The chair that starts the round."""
        self.won_in_play = False
        """True if points made in play reached the limit, so the round's end was not counted."""
        self.ended_in_play = False
        """True if the game was ended during a round, whose result is unknown."""

    @property
    def number(self) -> int:
        """The round in play, or played last."""
        return self.sheet.begun

    @property
    def rounds(self) -> int | None:
        """The number of rounds; None if only points end the game."""
        return len(self.engines) or self.rules.rounds

    def more(self) -> bool:
        """Return True if another round is to be played.

        There is none once a total has reached the limit, or once all rounds were dealt.
        """
        limit = self.rules.points_limit
        if limit is not None and max(self.sheet.so_far()) >= limit:
            return False
        return self.rounds is None or self.number < self.rounds

    def deal(self) -> TileRound:
        """Return the next round, dealt to the players present, and begin its line of the sheet.

        The start moves on by one chair after the first round.
        """
        engine = self.engines[self.number] if self.engines else None
        if self.number:
            chairs = self.chairs(self.number + 1)
            self._starts = next((chair for chair in chairs if chair > self._starts), chairs[0])
        self.sheet.begin()
        chairs = self.chairs(self.number)
        starter = chairs.index(self._starts)
        return self.kind.dealt(self.rules, self.size, len(chairs), self.rng, engine, starter)

    def chairs(self, number: int) -> list[int]:
        """Return the chairs of those who play a round, clockwise."""
        return [self.sheet.people[column].chair for column in self.sheet.playing(number)]

    def end(self) -> None:
        """End the game early, whatever is missing; the result of a round in play stays unknown."""
        if self.number > len(self.sheet.lines):
            self.ended_in_play = True
            self.sheet.cut_off()
        self.sheet.close()

    def reopen_if_lost(self) -> bool:
        """Reopen the last round if a correction took away a win in play; return False if not."""
        limit = self.rules.points_limit
        if not self.won_in_play or limit is None or max(self.sheet.so_far()) >= limit:
            return False
        self.won_in_play = False
        self.sheet.play_on()
        return True

    def can_deal(self, players: int) -> bool:
        """Tell whether the next round can be dealt to this number of players."""
        return self.rules.hand(self.size, players) is not None

    def reached(self, played: TileRound) -> bool:
        """Return True if the points made in play so far reach the limit, which wins at once.

        `played` is the round in play. Without a limit it is False.
        """
        limit = self.rules.points_limit
        return limit is not None and max(self.sheet.with_points(played.points)) >= limit

    def count(self, played: TileRound) -> None:
        """Write down a round that is over or reached the limit; ValueError if it is neither.

        If it reached the limit, only the points made in play count.
        """
        if self.reached(played):
            self.won_in_play = True
            scores: Sequence[int | None] = played.points
        elif not played.over:
            raise ValueError("the round is not over; play it to its end before counting")
        else:
            scores = played.written()
        self._write(self.sheet.seats, played, scores)

    def recount(self, number: int, reported: TileRound, missing: Collection[int] = ()) -> None:
        """Rewrite round `number` as it is reported now, without the hands of `missing` seats."""
        self._write(self.sheet.playing(number), reported, reported.written(missing), number)

    def _write(
        self,
        columns: Sequence[int],
        reported: TileRound,
        scores: Sequence[int | None],
        number: int | None = None,
    ) -> None:
        """Write a round on the sheet, as its next line or in place of line `number`.

        `columns` are those of the round's players, and `scores` what they get, both in the order of
        its seats.
        """
        made = dict(zip(columns, reported.points, strict=True))
        in_order = [(columns[player], points) for player, points in reported.made]
        scored = dict(zip(columns, scores, strict=True))
        self.sheet.write(SheetLine(scored, made, in_order), number)

    def _draw_for_the_start(self) -> int:
        """Return the chair that starts, drawn by tiles: the most pips start, equals draw again."""
        drawing = list(range(self.players))
        while len(drawing) > 1:
            tiles = shuffled(self.size, self.rng)[: len(drawing)]
            most = max(PIPS[tile] for tile in tiles)
            drawing = [
                seat for seat, tile in zip(drawing, tiles, strict=True) if PIPS[tile] == most
            ]
        return drawing[0]
