"""The type of the public state: for the API's document, and for the scripts of the pages.

`tools/page_types.py` turns it into TypeScript declarations, so that `tsc` knows the document in
every script.
"""

from typing import Any, Literal, NotRequired, TypedDict

from centerpiece.hub.preferences import Preferences
from centerpiece.table.question import What
from centerpiece.table.state import Phase

Place = int | Literal["train"]


class SaidDocument(TypedDict):
    """A sentence: an English template and the facts that fill it."""

    template: str
    facts: NotRequired[dict[str, Any]]


class EarlierDocument(TypedDict):
    """Somebody who sat on a chair before."""

    name: str
    until: int


class SeatDocument(TypedDict):
    seat: int
    name: str
    team: int | None
    scores: list[int | None]
    total: int
    place: int | None
    plays: bool
    left: bool
    parked: bool
    earlier: list[EarlierDocument]
    won: int | None
    marker: bool
    dock: Literal["home", "lifted"] | None
    last_tile: bool
    open_double: bool
    skipped: bool


class TrainDocument(TypedDict):
    started: bool
    open_double: bool


class ToesDocument(TypedDict):
    needed: int
    played: int


class AsksDocument(TypedDict):
    what: What
    seats: list[int]
    double: NotRequired[int | None]


class QuestionDocument(TypedDict):
    said: SaidDocument
    remaining_s: float | None


class CountingDocument(TypedDict):
    seat: int
    typed: str
    round: NotRequired[int]
    in_play: NotRequired[bool]
    sum: NotRequired[int]
    double_blank: NotRequired[bool]


class MissingDocument(TypedDict):
    round: int
    seats: list[int]


class PlayOffDocument(TypedDict):
    round: int
    seats: list[int]


class PenaltyDocument(TypedDict):
    round: int
    seat: int
    kind: str
    points: int


class CorrectionDocument(TypedDict):
    round: int
    seat: int
    was: int | None
    now: int


class HandDocument(TypedDict):
    """A hand that was entered tile by tile."""

    round: int
    seat: int
    tiles: list[tuple[int, int]]


class CountsDocument(TypedDict):
    """The rules that a keypad needs."""

    double_blank: int
    blank_half: int
    hidden: bool
    doubles_twice: bool
    on_double: bool
    tiles: bool
    wins: str
    goal: int | None
    alone: bool
    turns: bool


class OfferDocument(TypedDict):
    """A button on a page, and the command that it sends."""

    words: str
    short: str
    icon: str
    kept: bool
    pinned: bool
    off: str
    command: dict[str, Any]
    back: dict[str, Any]
    number: str


class ClockDocument(TypedDict):
    remaining_s: int


class SidingDocument(TypedDict):
    look: str
    name: str
    words: str


class TroubleDocument(TypedDict):
    device: str
    message: str


class InPlayDocument(TypedDict):
    round: int
    seat: int
    points: int


class AwardDocument(TypedDict):
    seat: int
    points: int
    taken: bool


class PublicState(TypedDict):
    """The public state of a table, as `GET /api/state` answers it."""

    table: str
    phase: Phase
    game: str
    rules: str
    title: str
    from_next_round: list[SaidDocument]
    set: int
    started_at: float | None
    round: int
    rounds: int | None
    engine: int | None
    engines: list[int | None]
    hand: int | None
    starter: int | None
    play_offs: list[PlayOffDocument]
    out: int | None
    blocked: bool
    penalties: list[PenaltyDocument]
    missing: list[MissingDocument]
    leaders: list[int]
    left_out: list[int]
    corrections: list[CorrectionDocument]
    hands: list[HandDocument]
    counts: CountsDocument
    winners: list[int]
    tie: list[int]
    seats: list[SeatDocument]
    train: TrainDocument
    toes: ToesDocument | None
    pile: int | None
    spell: bool
    offers: list[OfferDocument]
    seq: int
    saved: bool
    saving: bool
    asks: AsksDocument | None
    question: QuestionDocument | None
    counting: CountingDocument | None
    turn: int | None
    direction: Literal["clockwise", "counterclockwise"]
    open_doubles: list[Place]
    double_due: Place | None
    clock: ClockDocument | None
    turn_clock: ClockDocument | None
    undo: SaidDocument | None
    redo: SaidDocument | None
    undo_of: dict[str, SaidDocument]
    notice: str
    said: SaidDocument
    siding: SidingDocument
    alerts: list[SaidDocument]
    notes: list[SaidDocument]
    on: dict[str, list[int]]
    settings: Preferences
    trouble: list[TroubleDocument]
    trains: NotRequired[int]
    undrawn: NotRequired[int | None]
    caster: NotRequired[int | None]
    row: NotRequired[int | None]
    best: NotRequired[int | None]
    awards: NotRequired[list[AwardDocument]]
    in_play: NotRequired[list[InPlayDocument]]
    caller: NotRequired[int | None]
