"""Mexican Train: keeps markers, the shared train and doubles left open.

The hub does not see tiles, so players judge if a play was legal. It keeps what people would
otherwise have to remember, and shows what follows from it.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, ClassVar, cast

from msgspec.structs import replace

from centerpiece.games.mexican_train.lesson import LESSON
from centerpiece.games.mexican_train.rules import PROFILES, MexicanTrainRules
from centerpiece.table.binding import PLAYING, SEAT, bind
from centerpiece.table.checks import player
from centerpiece.table.commands import CallLastTile, Command
from centerpiece.table.events import Event, Left, Parked, RoundEnded, SeatEvent
from centerpiece.table.game import CAUGHT, LAST_TILE, Game, Offer, Siding, Signs
from centerpiece.table.state import TRAIN, Play, Table
from centerpiece.table.telling import Call, Happened, SpokenLine, Tell, named
from centerpiece.text import Refused, Sentence


class ToggleMarker(Command, frozen=True):
    """Put the marker on a seat's train, or take it off; `open` says which of the two."""

    seat: int
    open: bool | None = None


class ToggleDouble(Command, frozen=True):
    """Mark a double as left open or satisfied, at a seat or at 0 for the Mexican Train."""

    where: int


class StartTrain(Command, frozen=True):
    """Start the Mexican Train, or the next one where there may be several."""


class MarkerPlaced(SeatEvent, frozen=True):
    in_play = True
    words: ClassVar[str] = "{name}'s train is open to everyone."

    def apply(self, table: Table) -> Table:
        """Place the marker and end the seat's last-tile call: its player has drawn a tile."""
        opened = _play(table).markers | {self.seat}
        return replace(_with_play(table, markers=opened), calls=table.calls - {self.seat})


class MarkerRemoved(SeatEvent, frozen=True):
    in_play = True
    words: ClassVar[str] = "{name}'s train is closed again."

    def apply(self, table: Table) -> Table:
        return _with_play(table, markers=_play(table).markers - {self.seat})


class TrainStarted(Event, frozen=True):
    """A Mexican Train was started; `number` is which one, where there may be several."""

    in_play = True
    number: int = 1

    def apply(self, table: Table) -> Table:
        return _with_play(table, started=self.number)

    def sentence(self, table: Table) -> Sentence:
        if _rules(table).trains > 1:
            return Sentence("Mexican Train {number} has started.", {"number": self.number})
        return Sentence("The Mexican Train has started.")


class DoubleOpened(Event, frozen=True):
    in_play = True
    where: int

    def apply(self, table: Table) -> Table:
        """Note the double as the latest; on the Mexican Train, that train has started."""
        started = max(_play(table).started, int(self.where == TRAIN))
        doubles = (*_without(table, self.where), self.where)
        return _with_play(table, started=started, doubles=doubles)

    def sentence(self, table: Table) -> Sentence:
        if self.where == TRAIN:
            return Sentence("An open double on the Mexican Train." + _obliges(table, TRAIN))
        name = {"name": table.name(self.where)}
        return Sentence("An open double on {name}'s train." + _obliges(table, self.where), name)

    def cue(self, table: Table) -> str | None:
        return "double"


class DoubleSatisfied(Event, frozen=True):
    in_play = True
    where: int

    def apply(self, table: Table) -> Table:
        return _with_play(table, doubles=_without(table, self.where))

    def sentence(self, table: Table) -> Sentence:
        if self.where == TRAIN:
            return Sentence("The double on the Mexican Train is covered.")
        name = {"name": table.name(self.where)}
        return Sentence("The double on {name}'s train is covered.", name)


class MexicanTrainPlay(Play, frozen=True):
    """Markers, trains and doubles as far as they were reported; the oldest double first."""

    markers: frozenset[int] = frozenset()
    started: int = 0
    """The number of Mexican Trains started."""
    doubles: tuple[int, ...] = ()


WAITING = Siding("closed", "Mexican Train", "has not started")
RUNNING = Siding("open", "Mexican Train", "is running")
OPEN_DOUBLE = Siding("double", "Mexican Train", "is running")


def _tell_double(happened: Happened, event: DoubleOpened) -> Iterator[Call]:
    if event.where == TRAIN:
        yield Call("play", (SpokenLine("double.open.train"),))
    else:
        yield Call("play", (named(happened.table, "double.open", event.where),))


class MexicanTrain(Game):
    rules = MexicanTrainRules
    profiles = PROFILES
    minutes = (60, 180)
    lesson = LESSON
    key_settings: ClassVar[dict[str, str]] = {
        "last_tile": "Must the last tile be announced?",
        "penalty": "What if somebody forgets to?",
        "open_double": "Who must play on an open double?",
        "marker_off": "When does the marker come off?",
        "doubles_a_turn": "How many doubles in one turn?",
        "first_turn": "How long is the first turn?",
        "double_blank": "What does the double blank count?",
        "rounds": "How many rounds?",
    }
    commands = (ToggleMarker, ToggleDouble, StartTrain)
    events = (MarkerPlaced, MarkerRemoved, TrainStarted, DoubleOpened, DoubleSatisfied)
    play = MexicanTrainPlay
    spoken: ClassVar[Mapping[type[Event], Tell]] = {DoubleOpened: _tell_double}
    blanks: ClassVar[dict[str, Any]] = {"train": {"started": False, "open_double": False}}
    panel = bind(
        PLAYING,
        "",
        ("seat", "tap", "Open train", "open / close this train", ToggleMarker(SEAT)),
        (
            "seat",
            "double",
            "Open double",
            "a double left open on this train / covered",
            ToggleDouble(SEAT),
        ),
        ("seat", "hold", "Last tile", "my last tile: the whistle", CallLastTile(SEAT)),
        ("dock", "lift", "Open", "this train is open", ToggleMarker(SEAT, True)),
        ("dock", "home", "Closed", "this train is closed", ToggleMarker(SEAT, False)),
        ("train", "tap", "Train starts", "the Mexican Train has started", StartTrain()),
        (
            "train",
            "double",
            "Open double",
            "a double left open on it / covered",
            ToggleDouble(TRAIN),
        ),
    )

    def decide(self, table: Table, command: Command, at: float) -> list[Event]:
        """Return the event of a marker, a Mexican Train or a double.

        No event for a marker that is there, or if all trains have started. Refused outside a round,
        for a seat that does not play, and for the Mexican Train if the rules have none.
        """
        if not isinstance(command, self.commands):
            return super().decide(table, command, at)
        if table.phase != "playing":
            raise Refused("No round is being played.")
        play = _play(table)
        match command:
            case ToggleMarker(seat, opens):
                player(table, seat)
                is_open = seat in play.markers
                if opens == is_open:
                    return []
                return [(MarkerRemoved if is_open else MarkerPlaced)(seat)]
            case StartTrain():
                _check_train(table)
                if play.started >= _rules(table).trains:
                    return []
                return [TrainStarted(play.started + 1)]
            case ToggleDouble(where):
                _check_train(table) if where == TRAIN else player(table, where)
                return [(DoubleSatisfied if where in play.doubles else DoubleOpened)(where)]
        raise AssertionError(f"unhandled {command!r}")

    def after(self, table: Table, event: Event) -> Table:
        """Remove marker and double of a seat that leaves, and all open doubles when a round ends.

        Other events change nothing.
        """
        if isinstance(event, RoundEnded):
            return _with_play(table, doubles=())
        if not isinstance(event, Left | Parked):
            return table
        markers = _play(table).markers - {event.seat}
        return _with_play(table, markers=markers, doubles=_without(table, event.seat))

    def signs(self, table: Table) -> Signs:
        """Return open trains and doubles, the one to satisfy first, and the Mexican Train."""
        play = _play(table)
        on: dict[type[Command], Collection[int]] = {
            ToggleMarker: play.markers,
            ToggleDouble: play.doubles,
        }
        if play.started >= _rules(table).trains:
            on[StartTrain] = (TRAIN,)
        siding = RUNNING if play.started else WAITING
        if not play.doubles:
            return Signs(play.markers, siding=siding, on=on)
        siding = OPEN_DOUBLE if TRAIN in play.doubles else siding
        due = _due(table)
        order = sorted(play.doubles, key=lambda where: (where != due, where))
        alerts = tuple(_open_double(table, where, due) for where in order)
        return Signs(play.markers, play.doubles, due, siding, on=on, alerts=alerts)

    def share(self, table: Table) -> dict[str, Any]:
        """Return the state of the Mexican Train.

        Where there may be several, also the number of those that have started.
        """
        play = _play(table)
        train = {"started": play.started > 0, "open_double": TRAIN in play.doubles}
        if _rules(table).trains > 1:
            return {"train": train, "trains": play.started}
        return {"train": train}

    def offers(self) -> tuple[Offer, ...]:
        double = Offer(
            "A double was left open here",
            ToggleDouble(SEAT),
            "The double is covered",
            short="Open double",
            icon="double",
        )
        return (
            Offer(
                "Open the train",
                ToggleMarker(SEAT),
                "Close the train",
                short="Open train",
                icon="open",
            ),
            double,
            LAST_TILE,
            Offer(
                "The Mexican Train has started",
                StartTrain(),
                short="Has started",
                icon="open",
            ),
            double._replace(action=ToggleDouble(TRAIN)),
            CAUGHT,
        )


def _play(table: Table) -> MexicanTrainPlay:
    return table.play if isinstance(table.play, MexicanTrainPlay) else MexicanTrainPlay()


def _with_play(table: Table, **changes: Any) -> Table:
    return replace(table, play=replace(_play(table), **changes))


def _without(table: Table, where: int) -> tuple[int, ...]:
    """Return the places of the open doubles but `where`, a seat's number or TRAIN."""
    return tuple(other for other in _play(table).doubles if other != where)


def _rules(table: Table) -> MexicanTrainRules:
    return cast(MexicanTrainRules, table.rules)


def _check_train(table: Table) -> None:
    if _rules(table).trains == 0:
        raise Refused("These rules have no Mexican Train.")


def _due(table: Table) -> int | None:
    """Return the place of the double to satisfy next; None if none obliges anybody.

    That is the latest where open doubles oblige the next player, the oldest where they oblige
    everyone.
    """
    doubles = _play(table).doubles
    match _rules(table).open_double:
        case "everyone" if doubles:
            return doubles[0]
        case "next-player" if doubles:
            return doubles[-1]
    return None


def _open_double(table: Table, where: int, due: int | None) -> Sentence:
    """Return the alert for the open double at `where`, a seat's number or TRAIN.

    Of several, the one at `due` is marked “this one first”.
    """
    first = where == due and len(_play(table).doubles) > 1
    if where == TRAIN:
        if first:
            return Sentence("Open double on the Mexican Train: this one first")
        return Sentence("Open double on the Mexican Train")
    name = {"name": table.name(where)}
    if first:
        return Sentence("Open double on {name}’s train: this one first", name)
    return Sentence("Open double on {name}’s train", name)


def _obliges(table: Table, where: int) -> str:
    """Return the sentence, after a space, about who must play on an open double at `where`."""
    rules = _rules(table)
    if rules.double_followed_by == "owner" and rules.open_double == "everyone":
        if where == TRAIN:
            return " Only whoever played it may cover it, and nothing else may be played first."
        return " Only its owner may cover it, and nothing else may be played first."
    match rules.open_double:
        case "everyone":
            return " Nothing else may be played until it is covered."
        case "next-player":
            return " The next player must cover it, or else the one after."
    return " Nobody has to play on it."
