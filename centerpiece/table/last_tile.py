"""Decisions about the last tile: announcements, catching, penalties.

The hub sees neither hands nor boneyard. To fine nobody wrongly, it asks where it cannot know.
"""

from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table.checks import in_phase, player
from centerpiece.table.events import Event
from centerpiece.table.question import AsksBack, Question
from centerpiece.table.state import Seat, Table
from centerpiece.table.turns import following, may_announce, may_be_caught
from centerpiece.text import Refused, Sentence

MOST_PENALTY = 10_000
NOBODY = 0
"""The answer that an unclaimed whistle was nobody's."""


def call_last_tile(table: Table, command: c.CallLastTile) -> list[Event]:
    """Return the event that announces a last tile; none if it was announced already.

    Refused outside a round, and where the rules set that deadline, once the next player has
    finished a turn.
    """
    in_phase(table, "playing", "The last tile can only be announced during a round.")
    seat = player(table, command.seat)
    if seat.number in table.calls:
        return []
    if not may_announce(table, seat.number):
        raise Refused(
            "Too late: {next} has finished a turn since {name} played. (If not, tap Advance "
            "until the light is at whoever is playing.)",
            name=seat.name,
            next=table.name(following(table, seat.number)),
        )
    return [e.LastTileCalled(seat.number, command.sounded)]


def take_back_last_tile(table: Table, command: c.TakeBackLastTile) -> list[Event]:
    """Return the event that withdraws an announcement; none if there is none.

    Refused outside a round.
    """
    in_phase(table, "playing", "The last tile can only be announced during a round.")
    seat = player(table, command.seat)
    return [e.LastTileGone(seat.number)] if seat.number in table.announced else []


def blow_whistle(table: Table) -> list[Event]:
    """Return the event of a blown whistle; none outside a round, where it is only a sound."""
    return [e.WhistleBlown()] if table.phase == "playing" else []


def catch(table: Table, command: c.Catch) -> list[Event]:
    """Return the events of catching a seat, with the rules' own penalty.

    A seat that turns out to have announced is not caught. AsksBack if the seat has announced
    already and the command does not say if it has `drawn` since, or if a whistle was blown and the
    command does not say `whose` tile that announced. Refused outside a round, and while the seat
    may still announce.
    """
    in_phase(table, "playing", "Somebody can only be caught during a round.")
    seat = player(table, command.seat)
    if not may_be_caught(table, seat.number):
        raise Refused(
            "{name} can still announce the last tile, until {next} has finished.",
            name=seat.name,
            next=table.name(following(table, seat.number)),
        )
    announced = seat.number in table.announced
    whose = command.whose if table.whistles else None
    if announced and command.drawn is None and whose is None:
        raise AsksBack(_asks_whether_drawn(table, seat))
    if announced and command.drawn is False:
        return [] if seat.number in table.calls else [e.LastTileCalled(seat.number, sounded=True)]
    claimed = _claimed(table, seat, whose) if table.whistles else []
    if whose == seat.number or (announced and command.drawn is None):
        return claimed
    return [*claimed, _caught(table, seat)]


def _asks_whether_drawn(table: Table, seat: Seat) -> Question:
    """Return the question that asks if the seat has drawn since it announced.

    With an empty boneyard a marker is laid, and so the announcement ended, without a tile drawn.
    """
    words = (
        "{name} has already announced the last tile. If {name} has drawn since, tap that seat "
        "again."
    )
    spoken = ""
    if seat.number in table.caught:
        words = (
            "{name} was already caught with the last tile. If {name} has drawn since, tap that "
            "seat again."
        )
        spoken = "ask.drawn.caught"
    sentence = Sentence(words, {"name": seat.name})
    return Question("drawn", (seat.number,), sentence, seat.number, spoken=spoken)


def _claimed(table: Table, caught: Seat, whose: int | None) -> list[Event]:
    """Return the event that says whose last tile a whistle announced, or that it was nobody's.

    `whose` is a seat or NOBODY. If it is None, AsksBack with the question who blew the whistle, for
    the sake of catching the seat `caught`.
    """
    if whose is None:
        seats = tuple(seat.number for seat in table.players())
        words = Sentence("Somebody blew the whistle this round. Who was it?")
        raise AsksBack(Question("whistled", seats, words, caught.number))
    if whose == NOBODY:
        return [e.WhistleDropped()]
    return [e.LastTileCalled(player(table, whose).number, sounded=True, claims=True)]


def _caught(table: Table, seat: Seat) -> Event:
    """Return the event of a catch with the rules' penalty; its kind is None if there is none."""
    kind = table.rules.penalty
    if kind == "none":
        return e.Penalized(seat.number, None, caught=True)
    points = table.rules.penalty_points if kind == "points" else 0
    return e.Penalized(seat.number, kind, points, caught=True)


def penalize(table: Table, command: c.Penalize) -> list[Event]:
    """Return the event of a penalty; points are for one in points, and default to the rules'.

    Refused unless a round is played or counted, and for too many points.
    """
    if table.phase not in ("playing", "scoring"):
        raise Refused("A penalty can only be given while a round is played or counted.")
    seat, points = player(table, command.seat), command.points
    if command.kind != "points":
        return [e.Penalized(seat.number, command.kind)]
    points = table.rules.penalty_points if points is None else points
    if not -MOST_PENALTY <= points <= MOST_PENALTY:
        raise Refused("A penalty can be at most {most} points.", most=MOST_PENALTY)
    return [e.Penalized(seat.number, "points", points)]
