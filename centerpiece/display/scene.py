"""From the table to one frame for the chain of lights. Pure: the same input, the same frame.

`Moment` holds what promises nothing and need not survive a power cut: a question that waits for a
seat, a button being held. So does an echo, which lies over the picture. All else is read from the
table.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from math import ceil

import msgspec

from centerpiece.display import face as faces
from centerpiece.display.colours import AMBER, DIM, GOLD, SUITS, WARM, Colour, game_colour
from centerpiece.display.looks import NEVER, STILL, Painted, paint
from centerpiece.display.roulette import Roulette
from centerpiece.table.books import Books
from centerpiece.table.game import Face, Game, Ring
from centerpiece.table.rounds import remaining
from centerpiece.table.scoring import standings
from centerpiece.table.state import Direction, Table
from centerpiece.table.turns import left_of_turn, may_announce
from hal.ports import SEATS, Frame, Zone

LAST_MINUTES = 300.0
NO_ECHOES: Mapping[str, float] = {}
NEARLY = 1e-6
"""Seconds: so close to its end a picture is painted anew, as floats are not exact."""
_SEAT_ZONES = {number: f"seat-{number}" for number in SEATS}
_LOOKING = (*_SEAT_ZONES.values(), "train")
"""The zones that have a look, in the order in which `looks` tells them."""


class Moment(msgspec.Struct, frozen=True, gc=False):
    """What the hub shows for an instant only. Times are monotonic."""

    asking: bool = False
    refused_until: float = 0.0
    holding: tuple[float, float] | None = None
    """Since when `advance` is held, and for how long it must be."""
    began: float = -1e9
    """When the round began."""
    face: Face | None = None
    """Shown instead of the usual face."""
    roulette: Roulette | None = None
    """While it is shown who the lot fell on."""
    leaving: float | None = None
    """Since when the hub is shutting down."""
    clock_shift: float = 0.0
    """What a hall's clock is ahead of the table's own."""


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


def looks(books: Books, table: Table, asking: bool = False) -> dict[str, str]:
    """The look of every seat and of the train."""
    game = books.game_of(table)
    if table.phase == "lobby":
        taken = {seat.number for seat in table.seats}
        shown = {f"seat-{n}": "closed" if n in taken else "off" for n in SEATS}
        if asking:
            shown = dict.fromkeys(shown, "asked")
        return shown | {"train": "closed"}
    if table.phase == "finished":
        playing = {seat.number for seat in table.players()}
        best = game.winners(table, standings(game, table))
        shown = {
            f"seat-{n}": "winner" if n in best else "closed" if n in playing else "off"
            for n in SEATS
        }
        return shown | {"train": "off"}
    asking = asking or table.asks_who_is_out() or table.asks_which_double()
    return _looks_in_game(game, table, asking)


def _looks_in_game(game: Game, table: Table, asking: bool) -> dict[str, str]:
    current = table.rounds[-1]
    signs = game.signs(table)
    to_play = current.starter if table.turn is None else table.turn
    shown = dict.fromkeys(_SEAT_ZONES.values(), "off")
    for seat in table.players():
        number = seat.number
        if asking:
            look = "asked"
        elif number in signs.doubles:
            look = "double"
        elif number in table.calls and may_announce(table, number):
            look = "last-tile"
        elif number == current.out:
            look = "out"
        elif number in signs.open_trains:
            look = "open"
        elif number == to_play:
            look = "starter"
        else:
            look = "closed"
        shown[_SEAT_ZONES[number]] = look
    shown["train"] = signs.siding.look
    return shown


class _Picture(msgspec.Struct, frozen=True, gc=False):
    """What was painted last, without echoes, and what it was painted of."""

    table: Table
    moment: Moment
    since: float
    until: float
    shown: dict[str, str]
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

    def __init__(self, books: Books, layout: Layout, suits: tuple[Colour, ...] = SUITS) -> None:
        self.books = books
        self.layout = layout
        self.suits = suits
        self._face_size, self._ring_size = 3 * layout.size("face"), layout.size("ring")
        self._dark_ring = bytes(3 * self._ring_size)
        # Most seats show a look that does not move, and tables look alike again and again.
        self._once = lru_cache(maxsize=512)(partial(_painted_once, layout))
        self._looks_of: tuple[Table | None, bool] = (None, False)
        self._looks: dict[str, str] = {}
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
        shown = self._shown(table, moment.asking)
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

    def _shown(self, table: Table, asking: bool) -> dict[str, str]:
        before, asked_before = self._looks_of
        if table is not before or asking != asked_before:
            self._looks = looks(self.books, table, asking)
            self._looks_of = table, asking
        return self._looks

    def _face(self, table: Table, moment: Moment, now: float) -> tuple[bytes, float]:
        shown = moment.face or self._usual_face(table)
        if shown.kind == "pips":
            pixels = faces.pips(shown.value, self.suits[shown.value])
        elif shown.kind == "digits":
            pixels = faces.digits(shown.value, WARM)
        else:
            pixels = bytes(6 * faces.HALF)
        until = NEVER
        if moment.refused_until > now:
            pixels, until = faces.refused(pixels), moment.refused_until
        size = self._face_size
        return pixels if len(pixels) == size else pixels[:size].ljust(size, b"\0"), until

    def _usual_face(self, table: Table) -> Face:
        if table.phase == "lobby":
            return Face("digits", self._game_number(table))
        if table.asked is not None:
            return Face("pips", table.asked)
        return self.books.game_of(table).face(table)

    def _game_number(self, table: Table) -> int:
        return list(self.books.games).index(table.rules.game) + 1

    def _ring(self, table: Table, moment: Moment, now: float, offset: float) -> tuple[bytes, float]:
        count = self._ring_size
        if moment.holding is not None:
            since, duration = moment.holding
            lit = min(count, int((now - since) / duration * count + 1e-9))
            return _lit(lit, count, WARM), since + (lit + 1) * duration / count
        if table.phase == "lobby":
            return self._lobby_ring(table, count), NEVER
        signs = self.books.game_of(table).signs(table)
        if signs.ring is not None:
            return _counted(signs.ring, count), NEVER
        left = remaining(table, now + offset + moment.clock_shift)
        if left is not None and left <= LAST_MINUTES:
            return _running_out(left, LAST_MINUTES, count, now, AMBER)
        if (turn := left_of_turn(table, now + offset)) is not None:
            return _running_out(turn, table.rules.turn_limit_s or 1, count, now, WARM)
        until = NEVER if left is None else now + left - LAST_MINUTES
        if signs.way and table.turn is not None:
            following = table.next_after(table.turn, table.skipped)
            return _way(count, table.turn, following, table.direction), until
        return self._dark_ring, until

    def _lobby_ring(self, table: Table, count: int) -> bytes:
        """As many pixels as the profile's number, in the game's colour."""
        names = [profile.name for profile in self.books.game_of(table).profiles]
        known = table.rules.base or table.rules.name
        number = names.index(known) + 1 if known in names else 1
        return _lit(min(number, count), count, game_colour(self._game_number(table)))

    def _sweep_out(self, gone: float, now: float) -> Painted:
        """The lights go out from the far end: the whistle far away."""
        count = self.layout.count
        lit = max(0, count - int(gone / 1.5 * count))
        frame = _lit(lit, count, DIM)
        return Painted(frame, now + 1 / 30 if lit else NEVER)


def _painted_once(layout: Layout, shown: tuple[str, ...]) -> tuple[list[bytes], list[str]]:
    """The chain with the looks that do not move, and the zones of those that do."""
    pieces, moving = layout.pieces.copy(), []
    for name, look in zip(_LOOKING, shown, strict=True):
        if name not in layout.place:
            continue
        if look in STILL:
            pieces[layout.place[name]] = paint(look, layout.size(name), 0.0).pixels
        else:
            moving.append(name)
    return pieces, moving


def _spin(shown: dict[str, str], table: Table, roulette: Roulette, now: float) -> float:
    """Let the light be where it is now; until when."""
    step = next((n for n in range(roulette.steps) if now < roulette.until(n)), None)
    if step is None:
        return NEVER
    for seat in table.players():
        shown[f"seat-{seat.number}"] = "closed"
    shown[f"seat-{roulette.seats[step % len(roulette.seats)]}"] = "starter"
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
