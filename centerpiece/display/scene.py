"""From the table to one frame for the chain of lights. Pure: the same input, the same frame.

`Moment` holds what promises nothing and need not survive a power cut: a question that waits for a
seat, digits being typed, a button being held. So does an echo, which lies over the picture. All
else is read from the table.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from math import ceil
from typing import NamedTuple

import msgspec

from centerpiece.display import face as faces
from centerpiece.display.colours import AMBER, DIM, GOLD, SUITS, WARM, Colour, game_colour
from centerpiece.display.looks import CALLED_FOR, NEVER, STILL, Painted, Seen, paint, whole
from centerpiece.display.roulette import Roulette
from centerpiece.table.game import Face, Game, Ring, Signs
from centerpiece.table.game_set import GameSet
from centerpiece.table.questions import open_question
from centerpiece.table.rounds import hand, remaining
from centerpiece.table.scoring import all_missing, leading, missing
from centerpiece.table.state import TRAIN, Direction, Table
from centerpiece.table.turns import left_of_turn, may_announce
from hal.ports import SEATS, Frame, Zone

LAST_MINUTES = 300.0
IN_TURN = 2.0
"""Seconds of the engine, and then of the tiles to draw."""
NO_ECHOES: Mapping[str, float] = {}
NEARLY = 1e-6
"""Seconds: so close to its end a picture is painted anew, as floats are not exact."""
_SEAT_ZONES = {number: f"seat-{number}" for number in SEATS}
_LOOKING = (*_SEAT_ZONES.values(), "train")
"""The zones that have a look, in the order in which `looks` tells them."""
_DARK = dict.fromkeys(_LOOKING, whole("off"))
_RESTING = Seen("closed", "plays")
_DRAWN = Seen("closed", "starter")
_CLOSED, _LEADER, _PLACE, _WINNER, _UNCOUNTED, _COUNTING, _ASKED = map(
    whole, ("closed", "leader", "place", "winner", "uncounted", "counting", "asked")
)


class Placed(NamedTuple):
    """A seat whose total is told: in the parade of standings, or because it was tapped."""

    seat: int
    total: int


class Moment(msgspec.Struct, frozen=True, gc=False):
    """What the hub shows for an instant only. Times are monotonic."""

    asked: tuple[int, ...] = ()
    """The seats that may answer the question that the hub asks."""
    counting: int | None = None
    """The seat whose hand is being counted."""
    typed: str = ""
    """The digits of that hand so far."""
    called_for: bool = False
    """Whether somebody tries to go on without the hands that are missing: they blink."""
    placed: Placed | None = None
    """Whose total the face shows."""
    dealing: bool = False
    """Whether nothing was pressed yet in this round: the face says how many tiles to draw."""
    pairing: str = ""
    """The number that a phone has to type, while it may pair."""
    face: Face | None = None
    """Shown instead of the usual face."""
    face_since: float = 0.0
    """Since when the face shows one of these: what was typed is seen at once."""
    refused_until: float = 0.0
    holding: tuple[float, float] | None = None
    """Since when `advance` is held, and for how long it must be."""
    began: float = -1e9
    """When the round began."""
    roulette: Roulette | None = None
    """While it is shown who the lot fell on."""
    leaving: float | None = None
    """Since when the hub is shutting down."""
    clock_shift: float = 0.0
    """What a hall's clock is ahead of the table's own."""


NOTHING = Moment()


class Layout:
    """Where the zones lie on the chain, which may go on behind the last of them."""

    def __init__(self, zones: Iterable[Zone], count: int = 0) -> None:
        self.zones = tuple(sorted(zones, key=lambda zone: zone.start))
        self._by_name = {zone.name: zone for zone in self.zones}
        self.pieces: list[bytes] = []
        """A dark chain: the zones in their order, and whatever lies between two."""
        self.place: dict[str, int] = {}
        """Which of the pieces a zone is."""
        self.count = 0
        for zone in self.zones:
            if zone.start > self.count:
                self.pieces.append(bytes(3 * (zone.start - self.count)))
            self.place[zone.name] = len(self.pieces)
            self.pieces.append(bytes(3 * zone.count))
            self.count = zone.start + zone.count
        if count > self.count:
            self.pieces.append(bytes(3 * (count - self.count)))
            self.count = count

    def size(self, name: str) -> int:
        """How many pixels a zone has; 0 if the hub has no such zone."""
        zone = self._by_name.get(name)
        return zone.count if zone else 0

    def zone(self, frame: Frame, name: str) -> bytes:
        """The pixels of one zone in a frame."""
        zone = self._by_name[name]
        return frame[3 * zone.start : 3 * (zone.start + zone.count)]


def looks(game_set: GameSet, table: Table, moment: Moment = NOTHING) -> dict[str, Seen]:
    """What every seat and the train look like."""
    game = game_set.game_of(table)
    shown = _DARK.copy()
    if table.phase in ("playing", "scoring"):
        _in_game(shown, table, game.signs(table))
    else:
        seated = table.seats if table.phase == "lobby" else table.players()
        shown.update((_SEAT_ZONES[seat.number], _RESTING) for seat in seated)
        shown["train"] = _CLOSED
    for look, seats in _covering(game, table, moment):
        for number in seats:
            shown[_SEAT_ZONES[number]] = look
    return shown


def _in_game(shown: dict[str, Seen], table: Table, signs: Signs) -> None:
    """Each player's train and person, and the train that all share."""
    current = table.rounds[-1]
    to_play = current.starter if table.turn is None else table.turn
    due = signs.due
    for seat in table.players():
        number = seat.number
        if number in signs.doubles:
            train = "double" if number == due else "double-waits"
        else:
            train = "open" if number in signs.open_trains else "closed"
        if number in table.calls and may_announce(table, number):
            person = "last-tile"
        elif number in table.skipped:
            person = "skipped"
        elif number == current.out:
            person = "out"
        else:
            person = "starter" if number == to_play else "plays"
        shown[_SEAT_ZONES[number]] = Seen(train, person)
    waits = TRAIN in signs.doubles and due != TRAIN
    shown["train"] = whole("double-waits" if waits else signs.siding.look)


def _covering(game: Game, table: Table, moment: Moment) -> Iterator[tuple[Seen, Iterable[int]]]:
    """What takes a whole seat, and which seats; what comes later covers what came before."""
    first = [line.seat.number for line in leading(game, table)]
    uncounted: list[int] = []
    if table.phase == "scoring":
        uncounted = missing(game, table, table.rounds[-1])
        if moment.placed is None:
            yield _LEADER, first
    elif table.phase == "finished" and not first:
        uncounted = [seat for _, seats in all_missing(game, table) for seat in seats]
    if moment.placed is not None:
        yield _PLACE, (moment.placed.seat,)
    if table.phase == "finished":
        yield _WINNER, first
    yield CALLED_FOR if moment.called_for else _UNCOUNTED, uncounted
    if moment.counting is not None:
        yield _COUNTING, (moment.counting,)
    if moment.called_for:
        return
    if moment.asked:
        yield _ASKED, moment.asked
    elif question := open_question(table):
        yield _ASKED, question.seats


class _Picture(msgspec.Struct, frozen=True, gc=False):
    """What was painted last, without echoes, and what it was painted of."""

    table: Table
    moment: Moment
    since: float
    until: float
    shown: dict[str, Seen]
    parts: list[bytes]

    def shows(self, table: Table, moment: Moment, now: float) -> bool:
        """Whether painting it anew would give the same."""
        unmoved = self.since <= now < self.until - NEARLY
        return unmoved and table is self.table and moment == self.moment


class Scene:
    """Paints frames for one hub. Keeps the layout, the colours, and what it painted last.

    A table never changes in place, so the same table has the same looks; and a picture that was
    good until a later time is still good if nothing but the clock has moved.
    """

    def __init__(
        self, game_set: GameSet, layout: Layout, suits: tuple[Colour, ...] = SUITS
    ) -> None:
        self.game_set = game_set
        self.layout = layout
        self.suits = suits
        self._face_size, self._ring_size = 3 * layout.size("face"), layout.size("ring")
        self._dark_ring = bytes(3 * self._ring_size)
        # Most seats show a look that does not move, and tables look alike again and again.
        self._once = lru_cache(maxsize=512)(partial(_painted_once, layout))
        self._looks_of: tuple[object, ...] = (None,)
        self._looks: dict[str, Seen] = {}
        self._picture: _Picture | None = None

    def paint(
        self,
        table: Table,
        moment: Moment,
        now: float,
        offset: float = 0.0,
        echoes: Mapping[str, float] = NO_ECHOES,
    ) -> Painted:
        """The frame for this moment, and when it will next be another.

        `offset` is what the game's clock is ahead of `now`, where it has a limit; `echoes` are the
        buttons just pressed, and until when they echo.
        """
        known = self._picture
        if known is None or not known.shows(table, moment, now):
            known = self._picture = self._paint(table, moment, now, offset)
        return self._with_echoes(known, now, echoes)

    def _with_echoes(self, known: _Picture, now: float, echoes: Mapping[str, float]) -> Painted:
        parts, until = known.parts, known.until
        if echoes:
            parts, began = parts.copy(), known.moment.began
            for name, ends in echoes.items():
                look, place = known.shown.get(name), self.layout.place.get(name)
                if look is not None and place is not None and ends > now:
                    pixels, moves = paint(look, self.layout.size(name), now, began, echo=True)
                    parts[place] = pixels
                    until = min(until, moves, ends)
        return Painted(b"".join(parts), until)

    def _paint(self, table: Table, moment: Moment, now: float, offset: float) -> _Picture:
        if moment.leaving is not None:
            frame, until = self._sweep_out(now - moment.leaving, now)
            return _Picture(table, moment, now, until, {}, [frame])
        face, until = self._face(table, moment, now)
        ring, ring_until = self._ring(table, moment, now, offset)
        until = min(until, ring_until)
        shown = self._shown(table, moment)
        if moment.roulette is not None and table.phase == "playing":
            shown = shown.copy()
            until = min(until, _spin(shown, table, moment.roulette, now))
        still, moving = self._once(tuple(shown.values()))
        place, parts = self.layout.place, still.copy()
        if "face" in place:
            parts[place["face"]] = face
        if "ring" in place:
            parts[place["ring"]] = ring
        for name in moving:
            pixels, ends = paint(shown[name], self.layout.size(name), now, moment.began)
            parts[place[name]] = pixels
            until = min(until, ends)
        return _Picture(table, moment, now, until, shown, parts)

    def _shown(self, table: Table, moment: Moment) -> dict[str, Seen]:
        known, *passing = self._looks_of
        here = [moment.asked, moment.counting, moment.called_for, moment.placed]
        if table is not known or passing != here:
            self._looks = looks(self.game_set, table, moment)
            self._looks_of = table, *here
        return self._looks

    def _face(self, table: Table, moment: Moment, now: float) -> Painted:
        pixels, until = self._on_the_face(table, moment, now)
        if moment.refused_until > now:
            pixels, until = faces.refused(pixels), min(until, moment.refused_until)
        size = self._face_size
        return Painted(pixels if len(pixels) == size else pixels[:size].ljust(size, b"\0"), until)

    def _on_the_face(self, table: Table, moment: Moment, now: float) -> Painted:
        """What was just done comes before what waits, and that before what always holds."""
        since = moment.face_since
        if moment.face is not None:
            return self._drawn(moment.face, now, since)
        if moment.typed:
            return faces.typed(moment.typed, WARM, now, since)
        if moment.placed is not None:
            return faces.number(str(moment.placed.total), WARM, now, since)
        if moment.pairing:
            return faces.number(moment.pairing, WARM, now, since)
        if moment.counting is not None:
            return _hand_so_far(table, moment.counting, now, since)
        if moment.dealing and table.phase == "playing" and table.asked is None:
            return self._dealt(table, now, moment.began)
        return self._drawn(self._usual_face(table), now)

    def _drawn(self, shown: Face, now: float, since: float = 0.0) -> Painted:
        if shown.kind == "pips":
            return Painted(faces.pips(shown.value, self.suits[shown.value]), NEVER)
        if shown.kind == "digits":
            return faces.number(str(shown.value), WARM, now, since)
        return Painted(bytes(6 * faces.HALF), NEVER)

    def _dealt(self, table: Table, now: float, began: float) -> Painted:
        """The engine, and in turn with it how many tiles everybody draws."""
        engine, tiles = self._usual_face(table), hand(table)
        if not tiles:
            return self._drawn(engine, now)
        turns = int(max(0.0, now - began) / IN_TURN + 1e-6)
        number = turns % 2 or engine.kind == "dark"
        pixels, _ = self._drawn(Face("digits", tiles) if number else engine, now)
        return Painted(pixels, began + (turns + 1) * IN_TURN)

    def _usual_face(self, table: Table) -> Face:
        if table.phase == "lobby":
            return Face("digits", self._game_number(table))
        if table.asked is not None:
            return Face("pips", table.asked)
        return self.game_set.game_of(table).face(table)

    def _game_number(self, table: Table) -> int:
        return list(self.game_set.games).index(table.rules.game) + 1

    def _ring(self, table: Table, moment: Moment, now: float, offset: float) -> tuple[bytes, float]:
        count = self._ring_size
        if moment.holding is not None:
            since, duration = moment.holding
            lit = min(count, int((now - since) / duration * count + 1e-9))
            return _lit(lit, count, WARM), since + (lit + 1) * duration / count
        if table.phase == "lobby":
            return self._lobby_ring(table, count), NEVER
        signs = self.game_set.game_of(table).signs(table)
        if signs.ring is not None:
            return _counted(signs.ring, count), NEVER
        left = remaining(table, now + offset + moment.clock_shift)
        if left is not None and left <= LAST_MINUTES:
            return _running_out(left, LAST_MINUTES, count, now, AMBER)
        if (turn := left_of_turn(table, now + offset)) is not None:
            return _running_out(turn, table.rules.turn_limit_s or 1, count, now, WARM)
        until = NEVER if left is None else now + left - LAST_MINUTES
        turn = table.rounds[-1].starter if table.turn is None and table.rounds else table.turn
        if signs.way and turn is not None and table.phase == "playing":
            following = table.next_after(turn, table.skipped)
            return _way(count, turn, following, table.direction), until
        return self._dark_ring, until

    def _lobby_ring(self, table: Table, count: int) -> bytes:
        """As many pixels as the profile's number, in the game's colour."""
        names = [profile.name for profile in self.game_set.game_of(table).profiles]
        known = table.rules.base or table.rules.name
        number = names.index(known) + 1 if known in names else 1
        return _lit(min(number, count), count, game_colour(self._game_number(table)))

    def _sweep_out(self, gone: float, now: float) -> Painted:
        """The lights go out from the far end: the whistle far away."""
        count = self.layout.count
        lit = max(0, count - int(gone / 1.5 * count))
        frame = _lit(lit, count, DIM)
        return Painted(frame, now + 1 / 30 if lit else NEVER)


def _painted_once(layout: Layout, shown: tuple[Seen, ...]) -> tuple[list[bytes], list[str]]:
    """The chain with the looks that do not move, and the zones of those that do."""
    pieces, moving = layout.pieces.copy(), []
    for name, seen in zip(_LOOKING, shown, strict=True):
        if name not in layout.place:
            continue
        if STILL.issuperset(seen):
            pieces[layout.place[name]] = paint(seen, layout.size(name), 0.0).pixels
        else:
            moving.append(name)
    return pieces, moving


def _hand_so_far(table: Table, seat: int, now: float, since: float) -> Painted:
    """A hand that was counted already is shown as it was; else a cursor waits for digits."""
    entry = table.rounds[-1].entries.get(seat) if table.rounds else None
    if entry is None:
        return faces.typed("", WARM, now, since)
    return faces.number(str(entry.pips), WARM, now, since)


def _spin(shown: dict[str, Seen], table: Table, roulette: Roulette, now: float) -> float:
    """Let the light be where it is now; until when."""
    step = next((n for n in range(roulette.steps) if now < roulette.until(n)), None)
    if step is None:
        return NEVER
    for seat in table.players():
        shown[_SEAT_ZONES[seat.number]] = _RESTING
    shown[_SEAT_ZONES[roulette.seats[step % len(roulette.seats)]]] = _DRAWN
    return roulette.until(step)


def _lit(lit: int, count: int, colour: Colour) -> bytes:
    return bytes(colour) * lit + bytes(3 * (count - lit))


def _counted(ring: Ring, count: int) -> bytes:
    if ring.of is None:
        return _lit(min(count, ring.left), count, GOLD)
    return _lit(ceil(ring.left / ring.of * count), count, WARM)


def _running_out(
    left: float, limit: float, count: int, now: float, colour: Colour
) -> tuple[bytes, float]:
    """Time that is left: the ring empties. A wall clock in seconds is good to a microsecond."""
    lit = max(0, min(count, ceil((left - 1e-5) * count / limit)))
    later = now + left - (lit - 1) * limit / count if lit else NEVER
    return _lit(lit, count, colour), later


def _way(count: int, turn: int, following: int, direction: Direction) -> bytes:
    """From whose turn it is to who plays next: the bright head shows where play goes.

    A seat that loses its turn is passed over.
    """
    start, end = ((seat - 1) * count // len(SEATS) for seat in (turn, following))
    step = 1 if direction == "clockwise" else -1
    length = (end - start) * step % count or count
    pixels = bytearray(3 * count)
    for further in range(length + 1):
        at = 3 * ((start + step * further) % count)
        level = 1 + 7 * further // length
        pixels[at : at + 3] = bytes(value * level // 8 for value in WARM)
    return bytes(pixels)
