"""A second opinion, in plain lists and tuples: watches what was played and objects.

It knows nothing of bit sets, options or turns; it keeps the layout as people would see it.
"""

from sim.dominoes.chickenfoot import FootOpened
from sim.dominoes.happenings import Drew, EngineFound, Happening, Played
from sim.dominoes.mexican_train import DoubleOpened, DoubleSatisfied, MarkerPlaced, MarkerRemoved
from sim.dominoes.tiles import HIGH, LOW, each


def halves(tile: int) -> tuple[int, int]:
    """A tile as people see it."""
    return LOW[tile], HIGH[tile]


class Referee:
    """Keeps hands and layout from the deal and from what happens."""

    def __init__(self, played) -> None:
        self.game = played.rules.game
        self.rules = played.rules
        self.players = played.players
        self.hands = [[halves(tile) for tile in each(hand)] for hand in played.hands]
        self.engine = getattr(played, "engine", None)
        self.marked: set[int] = set()
        self.open: list[int | None] = []
        self.chains: dict[int, list[tuple[int, int]]] = {}
        self.ends: dict[int, int] = {}
        self.toes: list[int] = []
        self.foot = (played.foot, played.missing) if self.game == "chickenfoot" else None
        self.objections: list[str] = []
        self.plays = 0

    def watch(self, told: list[Happening]) -> None:
        """Follow what happened, and object to what should not have."""
        for happening in told:
            match happening:
                case Drew(seat, tile):
                    self.hands[seat].append(halves(tile))
                case MarkerPlaced(seat):
                    self.marked.add(seat)
                case MarkerRemoved(seat):
                    self.marked.discard(seat)
                case DoubleOpened(seat):
                    self.open.append(seat)
                case DoubleSatisfied(seat):
                    self.open.remove(seat)
                case Played(seat, tile, place):
                    self._play(seat, halves(tile), place)
                case FootOpened() | EngineFound():
                    pass

    def _object(self, why: str) -> None:
        self.objections.append(f"play {self.plays}: {why}")

    def _play(self, seat: int, tile: tuple[int, int], place: int) -> None:
        self.plays += 1
        if tile not in self.hands[seat]:
            self._object(f"seat {seat} does not hold {tile}")
            return
        self.hands[seat].remove(tile)
        watch = {
            "mexican-train": self._on_a_train,
            "chickenfoot": self._on_a_toe,
            "muggins": self._on_the_line,
            "super-15": self._on_a_branch,
        }[self.game]
        watch(seat, tile, place)

    def _join(self, tile: tuple[int, int], end: int, where: str) -> int:
        if end not in tile:
            self._object(f"{tile} does not fit on a {end} at {where}")
        return tile[1] if tile[0] == end else tile[0]

    def _on_a_train(self, seat: int, tile: tuple[int, int], place: int) -> None:
        private = place < self.players and place != seat and place not in self.marked
        owner = place if place < self.players else None
        if private and owner not in self.open:
            self._object(f"seat {seat} played on the private train {place}")
        if self.open and owner not in self.open and not self._first_string(seat, place):
            self._object(f"seat {seat} played at {place} with doubles open at {self.open}")
        end = self.ends.get(place, self.engine)
        self.ends[place] = self._join(tile, end, f"train {place}")

    def _first_string(self, seat: int, place: int) -> bool:
        return self.rules.first_turn == "own-train" and place == seat

    def _on_a_toe(self, seat: int, tile: tuple[int, int], place: int) -> None:
        suit, missing = self.foot
        if missing:
            if place != suit:
                self._object(f"seat {seat} left the foot of {suit} with {missing} toes missing")
            self.foot = (suit, missing - 1)
            self.toes.append(self._join(tile, suit, "the foot"))
            return
        if place not in self.toes:
            self._object(f"no toe shows {place}")
            return
        self.toes.remove(place)
        left = self._join(tile, place, "a toe")
        if tile[0] == tile[1]:
            self.foot = (place, self.rules.later_toes)
        else:
            self.toes.append(left)

    def _on_the_line(self, seat: int, tile: tuple[int, int], place: int) -> None:
        if not self.ends:
            self.ends = {0: tile[1], 1: tile[0]}
            self.sides = {0: 0, 1: 0}
            self.spinner = tile[0] if tile[0] == tile[1] else None
            self.bare = {0, 1} if self.spinner is not None else set()
            return
        if place > 1 and (self.spinner is None or self.bare):
            self._object(f"the spinner's end {place} is not open yet")
        end = self.ends.get(place, self.spinner)
        self.ends[place] = self._join(tile, end, f"end {place}")
        self.bare.discard(place)
        if self.spinner is None and tile[0] == tile[1]:
            self.spinner, self.bare = tile[0], {place}

    def _on_a_branch(self, seat: int, tile: tuple[int, int], place: int) -> None:
        double = tile[0] == tile[1]
        if self.engine is None:
            self.engine = tile[0]
            if not double:
                self._object(f"the starter {tile} is no double")
            return
        if place > len(self.ends) or place >= self.rules.branches:
            self._object(f"there is no branch {place}")
        end = self.ends.get(place, self.engine)
        if double and end == 13:
            self.ends[place] = tile[0]
        else:
            self.ends[place] = self._join(tile, end, f"branch {place}")
