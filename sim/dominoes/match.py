"""A whole game: round after round, who starts, what is on the score sheet, who wins.

The table keeps its own books here, by the sources, so that they can be held against a hub's.
"""

from random import Random

from centerpiece.rules.book import Rules
from sim.dominoes.deal import shuffled, tiles_each
from sim.dominoes.round import Round
from sim.dominoes.tiles import PIPS


class Match:
    """One game from the first deal to the winners; `kind` is the game's `Round`.

    while match.more():
        round = match.deal()
        ...play it...
        match.count(round)
    """

    def __init__(
        self, kind: type[Round], rules: Rules, size: int, players: int, rng: Random
    ) -> None:
        tiles_each(rules, size, players)
        self.kind = kind
        self.rules = rules
        self.size = size
        self.players = players
        self.rng = rng
        self.engines = rules.engines_for(size)
        self.first_starter = self._draw_for_the_start() if rules.starter == "drawn" else 0
        self.sheet: list[list[int]] = []
        """For each round, what each seat wrote down, points made in play included."""
        self._counted = self.sheet, 0, [0] * players
        self.won_in_play = False
        """Whether points made in play have reached the limit, so that no end was counted."""

    @property
    def totals(self) -> list[int]:
        """What each seat has; partners share theirs."""
        sheet, rounds, totals = self._counted
        if sheet is not self.sheet or rounds != len(sheet):
            totals = self._totals(self.sheet)
            self._counted = self.sheet, len(self.sheet), totals
        return list(totals)

    def more(self) -> bool:
        """Whether another round is to be played."""
        limit = self.rules.points_limit
        if limit is not None and max(self.totals) >= limit:
            return False
        rounds = len(self.engines) or self.rules.rounds
        return rounds is None or len(self.sheet) < rounds

    def deal(self) -> Round:
        """The next round, dealt."""
        engine = self.engines[len(self.sheet)] if self.engines else None
        starter = (self.first_starter + len(self.sheet)) % self.players
        return self.kind.dealt(self.rules, self.size, self.players, self.rng, engine, starter)

    def reached(self, played: Round) -> bool:
        """Whether points made in play reach the limit: who is first there has won at once."""
        limit = self.rules.points_limit
        return limit is not None and max(self.totals_with(played.points)) >= limit

    def totals_with(self, points: list[int]) -> list[int]:
        """What each seat would have with these points more."""
        return self._totals([*self.sheet, points]) if any(points) else self.totals

    def count(self, played: Round) -> None:
        """Write down what a round brought that is finished, or that reached the limit."""
        scores = played.points
        if self.reached(played):
            self.won_in_play = True
        elif not played.over:
            raise ValueError("the round is not over; play it to its end before counting")
        else:
            scores = [made + won for made, won in zip(scores, played.score(), strict=True)]
        self.sheet.append(list(scores))

    def winners(self) -> list[int]:
        """The seats with the best total; several when they are equal."""
        totals = self.totals
        best = min(totals) if self.rules.wins == "lowest" else max(totals)
        return [seat for seat, total in enumerate(totals) if total == best]

    def _totals(self, sheet: list[list[int]]) -> list[int]:
        own = [sum(column) for column in zip(*sheet, strict=True)] or [0] * self.players
        sides: dict[int, int] = {}
        teams = [self.rules.team_of(seat, self.players) for seat in range(self.players)]
        for team, points in zip(teams, own, strict=True):
            if team is not None:
                sides[team] = sides.get(team, 0) + points
        return [
            points if team is None else sides[team] for team, points in zip(teams, own, strict=True)
        ]

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
