"""Mexican Train with people: markers by a tap or by themselves, doubles by two taps."""

from collections.abc import Iterator
from typing import Any, ClassVar

from sim.dominoes.happenings import Happening, Played
from sim.dominoes.mexican_train_tiles import (
    DoubleCovered,
    DoubleLeft,
    MexicanTrainTiles,
    TrainLaid,
    TrainMarked,
    TrainUnmarked,
)
from sim.dominoes.round import TileRound
from sim.dominoes.tiles import name_of
from sim.hands import HandGesture, double, home, lift, tap
from sim.people.reporting import Commentary, Reporter


class MexicanTrainReporter(Reporter):
    """Reports a round of Mexican Train."""

    round = MexicanTrainTiles
    played: MexicanTrainTiles
    commentary: ClassVar[Commentary] = {
        Played: lambda r, t: f"Seat {t.seat + 1} plays {name_of(t.tile)} on {_train(r, t)}.",
        TrainMarked: lambda r, t: f"Seat {t.seat + 1} lays the marker: the train is open.",
        TrainUnmarked: lambda r, t: f"Seat {t.seat + 1} takes the marker off.",
        TrainLaid: lambda r, t: "The Mexican Train leaves the station.",
        DoubleLeft: lambda r, t: f"{_owner(t.seat)} has an open double.",
        DoubleCovered: lambda r, t: f"{_owner(t.seat)} has its double covered.",
    }

    def __init__(self, played: TileRound) -> None:
        super().__init__(played)
        self.required_cues[DoubleLeft] = "double"

    def press(self, happening: Happening) -> Iterator[HandGesture]:
        """Yield the gesture for a marker, a shared train or a double; other happenings need none.

        A marker is moved where there are docks, else its seat is tapped.
        """
        match happening:
            case TrainMarked(seat):
                yield lift(self.number(seat)) if self.docks else tap(self.button(seat))
                # The hub assumes that a player who lays the marker has drawn.
                self.known_last_tiles.discard(seat)
            case TrainUnmarked(seat):
                yield home(self.number(seat)) if self.docks else tap(self.button(seat))
            case TrainLaid():
                yield tap("train")
            case DoubleLeft(place) | DoubleCovered(place):
                yield double("train" if place is None else self.button(place))

    def retract_last_tile(self, seat: int) -> tuple[HandGesture, ...]:
        """Return two taps that close the train and open it again.

        By that the hub knows that the player has drawn.
        """
        self.known_last_tiles.discard(seat)
        return tap(self.button(seat)), tap(self.button(seat))

    def shows(self) -> dict[str, Any]:
        return {"train": {"started": self.played.started > 0, "open_double": self._open_on_train()}}

    def shows_of_seat(self, seat: int) -> dict[str, Any]:
        played = self.played
        return {"marker": played.marked[seat], "open_double": seat in played.open}

    def train_look(self) -> str:
        return "double" if self._open_on_train() else "open" if self.played.started else "closed"

    def _open_on_train(self) -> bool:
        return any(place >= self.played.players for place in self.played.open)


def _owner(seat: int | None) -> str:
    return "The Mexican Train" if seat is None else f"Seat {seat + 1}"


def _train(played: MexicanTrainTiles, tile: Played) -> str:
    if tile.place >= played.players:
        return "the Mexican Train"
    return "their own train" if tile.place == tile.seat else f"the train of seat {tile.place + 1}"
