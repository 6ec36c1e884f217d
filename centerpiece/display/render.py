"""From the table, the ui and the time to one frame for the chain of lights. Pure."""

from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from math import ceil

from centerpiece.display import face as faces
from centerpiece.display.colours import AMBER, DIM, GOLD, SUITS, WARM, Colour, game_colour
from centerpiece.display.looks import CALLED_FOR, NEVER, STILL, Painted, Seen, paint, whole
from centerpiece.panel.dial import known
from centerpiece.panel.parade import Placed
from centerpiece.panel.roulette import Roulette
from centerpiece.panel.ui import Ui
from centerpiece.table.derived import derived
from centerpiece.table.game import Face, Game, Ring, signs_of
from centerpiece.table.game_set import GameSet
from centerpiece.table.question import open_question
from centerpiece.table.rounds import hand, remaining
from centerpiece.table.scoring import all_missing, is_free, leading, missing
from centerpiece.table.state import TRAIN, Direction, Entry, Table, chair_of
from centerpiece.table.turns import left_of_turn, may_announce
from hal.ports import SEATS, Frame, Zone

LAST_MINUTES = 300.0
IN_TURN = 2.0
"""Seconds for which the face shows the engine, then the number of tiles to draw."""
ZONES = (*(f"seat-{number}" for number in SEATS), "train")
"""The zones that have a look, in the order of `Looks`; a seat is at its number minus one."""
_TRAIN_ZONE = len(SEATS)
_RESTING = Seen("closed", "plays")
_DRAWN = Seen("closed", "starter")
_OFF, _CLOSED, _LEADER, _PLACE, _WINNER, _UNCOUNTED, _COUNTING, _ASKED = map(
    whole, ("off", "closed", "leader", "place", "winner", "uncounted", "counting", "asked")
)
Looks = tuple[Seen, ...]


class Layout:
    """The positions of the zones on the chain, which may be longer than they are."""

    def __init__(self, zones: Iterable[Zone], count: int = 0) -> None:
        self.zones = tuple(sorted(zones, key=lambda zone: zone.start))
        self._by_name = {zone.name: zone for zone in self.zones}
        self.pieces: list[bytes] = []
        """A dark chain, cut into the zones and the gaps between them."""
        self.place: dict[str, int] = {}
        """The index of each zone in `pieces`."""
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
        """Return the number of pixels of a zone; 0 if the hub has no such zone."""
        zone = self._by_name.get(name)
        return zone.count if zone else 0

    def zone(self, frame: Frame, name: str) -> bytes:
        """Return the pixels of one zone in a frame."""
        zone = self._by_name[name]
        return frame[3 * zone.start : 3 * (zone.start + zone.count)]


@derived
def table_looks(game: Game, table: Table) -> Looks:
    """Return the looks of all seats and the shared train, by the table alone."""
    shown = [_OFF] * len(ZONES)
    if table.phase in ("playing", "scoring"):
        _in_game(shown, game, table)
    else:
        for seat in table.seats if table.phase == "lobby" else table.players():
            shown[seat.chair - 1] = _RESTING
        shown[_TRAIN_ZONE] = _CLOSED
    return tuple(shown)


def _in_game(shown: list[Seen], game: Game, table: Table) -> None:
    """Set, in `shown`, the looks of each player's train and person, and of the shared train.

    Chairs where nobody plays any more stay dark.
    """
    current, signs = table.rounds[-1], signs_of(game, table)
    to_play = current.starter if table.turn is None else table.turn
    due = signs.due
    for seat in table.players():
        number = seat.number
        if is_free(game, table, number):
            continue
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
        shown[seat.chair - 1] = Seen(train, person)
    waits = TRAIN in signs.doubles and due != TRAIN
    shown[_TRAIN_ZONE] = whole("double-waits" if waits else signs.siding.look)


def looks(game: Game, table: Table, ui: Ui, now: float) -> Looks:
    """Return the looks of all seats and the shared train at the time `now`.

    What the ui asks, counts or shows covers those of the table.
    """
    covered = list(_covering(game, table, ui, now))
    misplaced = ui.markers.blinking if table.phase == "playing" else ()
    if not covered and not misplaced:
        return table_looks(game, table)
    shown = list(table_looks(game, table))
    for number in misplaced:
        seen = shown[number - 1]
        if seen.train in ("open", "closed"):
            shown[number - 1] = seen._replace(train="misplaced")
    for look, seats in covered:
        for number in seats:
            shown[chair_of(number) - 1] = look
    return tuple(shown)


def _covering(game: Game, table: Table, ui: Ui, now: float) -> Iterator[tuple[Seen, Iterable[int]]]:
    """Yield looks that take a whole seat, with their seats; later ones cover earlier ones.

    While the question is open whether to leave missing hands, no other seats are shown as asked.
    """
    placed = _placed(ui, now)
    called_for = ui.question is not None and ui.question.what == "uncounted"
    if table.phase in ("scoring", "finished"):
        yield from _counted(game, table, placed, called_for)
    elif placed is not None:
        yield _PLACE, (placed.seat,)
    counting = ui.dial.hand_shown(table)
    if counting is not None:
        yield _COUNTING, (counting.seat,)
    if called_for:
        return
    if ui.question is not None and ui.question.seats:
        yield _ASKED, ui.question.seats
    elif question := open_question(table):
        yield _ASKED, question.seats


def _counted(
    game: Game, table: Table, placed: Placed | None, called_for: bool
) -> Iterator[tuple[Seen, Iterable[int]]]:
    """Yield the looks of leaders while hands are counted, and of winners after the game.

    The seat whose total is shown (`placed`) is yielded as well, and those with missing hands;
    these, after the game, only while nobody has won. With `called_for`, the missing ones blink.
    """
    first = [line.seat.number for line in leading(game, table)]
    uncounted: list[int] = []
    if table.phase == "scoring":
        uncounted = missing(game, table, table.rounds[-1])
        if placed is None:
            yield _LEADER, first
    elif not first:
        uncounted = [seat for _, seats in all_missing(game, table) for seat in seats]
    if placed is not None:
        yield _PLACE, (placed.seat,)
    if table.phase == "finished":
        yield _WINNER, first
    yield CALLED_FOR if called_for else _UNCOUNTED, uncounted


def _placed(ui: Ui, now: float) -> Placed | None:
    return None if ui.parade is None else ui.parade.placed(now)


class Scene:
    """Renders frames for one hub, with its layout and colours."""

    def __init__(
        self, game_set: GameSet, layout: Layout, suits: tuple[Colour, ...] = SUITS
    ) -> None:
        self.game_set = game_set
        self.layout = layout
        self.suits = suits
        self._face_size, self._ring_size = 3 * layout.size("face"), layout.size("ring")
        self._dark_ring = bytes(3 * self._ring_size)
        # Cached, because most looks do not move and the same combinations recur.
        self._still = lru_cache(maxsize=512)(partial(_painted_still, layout))

    def render(
        self,
        table: Table,
        ui: Ui,
        now: float,
        *,
        holding: tuple[float, float] | None = None,
        ahead: float = 0.0,
        shift: float = 0.0,
    ) -> Painted:
        """Return the frame for this moment, and when it next changes.

        `holding` is since when `advance` is held, and the time its hold takes. `ahead` is the
        game's clock minus `now`, if the game has a limit; `shift` is a hall's clock minus the
        game's.
        """
        if ui.leaving is not None:
            return self._sweep_out(now - ui.leaving.since, now)
        game = self.game_set.game_of(table)
        shown = looks(game, table, ui, now)
        face, until = self._face(game, table, ui, now)
        if holding is None:
            ring, ring_until = self._ring(game, table, now, ahead, shift)
        else:
            ring, ring_until = _filling(holding, self._ring_size, now)
        until = min(until, ring_until)
        if ui.roulette is not None and table.phase == "playing":
            shown, moves = _spun(shown, table, ui.roulette, now)
            until = min(until, moves)
        still, moving = self._still(shown)
        place, parts = self.layout.place, still.copy()
        if "face" in place:
            parts[place["face"]] = face
        if "ring" in place:
            parts[place["ring"]] = ring
        for name, at in moving:
            parts[place[name]], ends = paint(shown[at], self.layout.size(name), now, ui.began)
            until = min(until, ends)
        for name, ends in ui.echoes.items():
            if ends > now and name in place and name in ZONES:
                look, size = shown[ZONES.index(name)], self.layout.size(name)
                parts[place[name]], moves = paint(look, size, now, ui.began, echo=True)
                until = min(until, moves, ends)
        return Painted(b"".join(parts), until)

    def _face(self, game: Game, table: Table, ui: Ui, now: float) -> Painted:
        """Return the face, cut to the pixels that this hub has, with a red edge after a refusal."""
        pixels, until = self._on_the_face(game, table, ui, now)
        if ui.refused_until > now:
            pixels, until = faces.refused(pixels), min(until, ui.refused_until)
        size = self._face_size
        return Painted(pixels if len(pixels) == size else pixels[:size].ljust(size, b"\0"), until)

    def _on_the_face(self, game: Game, table: Table, ui: Ui, now: float) -> Painted:
        """Return the face: the latest choice, else what is typed, shown or counted, or as usual."""
        counting = ui.dial.hand_shown(table)
        if ui.face is not None:
            return self._drawn(ui.face.face, now, ui.face.since)
        if counting is not None and ui.dial.typed.digits:
            return faces.typed(ui.dial.typed.digits, WARM, now, ui.pressed_at)
        if counting is not None and ui.dial.typed.sum is not None:
            return faces.number(str(ui.dial.typed.sum), WARM, now, ui.pressed_at)
        if ui.parade is not None and (placed := ui.parade.placed(now)) is not None:
            return faces.number(str(placed.total), WARM, now, ui.parade.since(now))
        if ui.pairing is not None:
            return faces.number(ui.pairing.number, WARM, now)
        if counting is not None:
            engine = table.rounds[counting.round - 1].engine
            if counting.round < table.number and engine is not None:
                return self._drawn(Face("pips", engine), now)
            return _hand_so_far(known(game, table, counting), now, ui.pressed_at)
        if ui.dealing and table.phase == "playing" and table.asked is None:
            return self._dealt(game, table, now, ui.began)
        return self._drawn(self._usual_face(game, table), now)

    def _drawn(self, shown: Face, now: float, since: float = 0.0) -> Painted:
        """Return a face, painted: coloured pips, digits that may scroll from `since`, or dark."""
        if shown.kind == "pips":
            return Painted(faces.pips(shown.value, self.suits[shown.value]), NEVER)
        if shown.kind == "digits":
            return faces.number(str(shown.value), WARM, now, since)
        return Painted(bytes(6 * faces.HALF), NEVER)

    def _dealt(self, game: Game, table: Table, now: float, began: float) -> Painted:
        """Return the engine in turn with the number of tiles that everybody draws.

        `began` is the start of the round; without such a number it is the engine alone.
        """
        engine, tiles = self._usual_face(game, table), hand(table)
        if not tiles:
            return self._drawn(engine, now)
        turns = int(max(0.0, now - began) / IN_TURN + 1e-6)
        number = turns % 2 or engine.kind == "dark"
        pixels, _ = self._drawn(Face("digits", tiles) if number else engine, now)
        return Painted(pixels, began + (turns + 1) * IN_TURN)

    def _usual_face(self, game: Game, table: Table) -> Face:
        """Return the game's number in the lobby, a double that is asked for, or the game's face."""
        if table.phase == "lobby":
            return Face("digits", self._game_number(table))
        if table.asked is not None:
            return Face("pips", table.asked)
        return game.face(table)

    def _game_number(self, table: Table) -> int:
        return list(self.game_set.games).index(table.rules.game) + 1

    def _ring(
        self, game: Game, table: Table, now: float, ahead: float, shift: float
    ) -> tuple[bytes, float]:
        """Return the ring, and when it next changes.

        It shows the first of these that there is: in the lobby, its ring; the game's countdown, the
        last minutes, the time of a turn, the way to the next player. Otherwise it is dark. `ahead`
        is the game's clock minus `now`, `shift` a hall's clock minus the game's.
        """
        count = self._ring_size
        if table.phase == "lobby":
            return self._lobby_ring(game, table, count), NEVER
        signs = signs_of(game, table)
        if signs.ring is not None:
            return _counted_down(signs.ring, count), NEVER
        left = remaining(table, now + ahead + shift)
        if left is not None and left <= LAST_MINUTES:
            return _running_out(left, LAST_MINUTES, count, now, AMBER)
        if (turn := left_of_turn(table, now + ahead)) is not None:
            return _running_out(turn, table.rules.turn_limit_s or 1, count, now, WARM)
        until = NEVER if left is None else now + left - LAST_MINUTES
        turn = table.rounds[-1].starter if table.turn is None and table.rounds else table.turn
        if signs.shows_direction and turn is not None and table.phase == "playing":
            following = table.next_after(turn, table.skipped)
            return _way(count, turn, following, table.direction), until
        return self._dark_ring, until

    def _lobby_ring(self, game: Game, table: Table, count: int) -> bytes:
        """Return a ring with as many pixels lit as the profile's number, in the game's colour."""
        names = [rules.name for rules in game.profiles]
        profile = table.rules.base or table.rules.name
        number = names.index(profile) + 1 if profile in names else 1
        return _lit(min(number, count), count, game_colour(self._game_number(table)))

    def _sweep_out(self, gone: float, now: float) -> Painted:
        """Return the frame while the lights go off one by one from the far end.

        `gone` is the seconds since they began to.
        """
        count = self.layout.count
        lit = max(0, count - int(gone / 1.5 * count))
        frame = _lit(lit, count, DIM)
        return Painted(frame, now + 1 / 30 if lit else NEVER)


def _painted_still(layout: Layout, shown: Looks) -> tuple[list[bytes], list[tuple[str, int]]]:
    """Return the pieces of the chain with the still looks painted, and the zones of moving ones.

    Each of these has its name and its place in `shown`.
    """
    pieces, moving = layout.pieces.copy(), []
    for at, (name, seen) in enumerate(zip(ZONES, shown, strict=True)):
        if name not in layout.place:
            continue
        if STILL.issuperset(seen):
            pieces[layout.place[name]] = paint(seen, layout.size(name), 0.0).pixels
        else:
            moving.append((name, at))
    return pieces, moving


def _hand_so_far(counted: Entry | int | None, now: float, since: float) -> Painted:
    """Return the points of a hand, painted, or a blinking cursor while `counted` is None."""
    if counted is None:
        return faces.typed("", WARM, now, since)
    points = counted.pips if isinstance(counted, Entry) else counted
    return faces.number(str(points), WARM, now, since)


def _spun(shown: Looks, table: Table, roulette: Roulette, now: float) -> tuple[Looks, float]:
    """Return the looks with the roulette's light in its present place, and when it moves on.

    Once the roulette is over, the looks are unchanged.
    """
    step = next((n for n in range(roulette.steps) if now < roulette.until(n)), None)
    if step is None:
        return shown, NEVER
    spun = list(shown)
    for seat in table.players():
        spun[seat.number - 1] = _RESTING
    spun[roulette.seats[step % len(roulette.seats)] - 1] = _DRAWN
    return tuple(spun), roulette.until(step)


def _lit(lit: int, count: int, colour: Colour) -> bytes:
    return bytes(colour) * lit + bytes(3 * (count - lit))


def _filling(holding: tuple[float, float], count: int, now: float) -> tuple[bytes, float]:
    """Return the ring filling while a button is held, and when its next light comes.

    `holding` is when the button was pressed, and the seconds its hold takes.
    """
    since, duration = holding
    lit = min(count, int((now - since) / duration * count + 1e-9))
    return _lit(lit, count, WARM), since + (lit + 1) * duration / count


def _counted_down(ring: Ring, count: int) -> bytes:
    if ring.of is None:
        return _lit(min(count, ring.left), count, GOLD)
    return _lit(ceil(ring.left / ring.of * count), count, WARM)


def _running_out(
    left: float, limit: float, count: int, now: float, colour: Colour
) -> tuple[bytes, float]:
    """Return the ring lit for the seconds `left` of `limit`, and when its next light goes out.

    It allows for a float's rounding of the wall clock.
    """
    lit = max(0, min(count, ceil((left - 1e-5) * count / limit)))
    later = now + left - (lit - 1) * limit / count if lit else NEVER
    return _lit(lit, count, colour), later


def _way(count: int, turn: int, following: int, direction: Direction) -> bytes:
    """Return a ring lit from the seat with the `turn` to the `following` one, ever brighter."""
    start, end = ((seat - 1) * count // len(SEATS) for seat in (turn, following))
    step = 1 if direction == "clockwise" else -1
    length = (end - start) * step % count or count
    pixels = bytearray(3 * count)
    for further in range(length + 1):
        at = 3 * ((start + step * further) % count)
        level = 1 + 7 * further // length
        pixels[at : at + 3] = bytes(value * level // 8 for value in WARM)
    return bytes(pixels)
