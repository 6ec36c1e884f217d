"""From the table to a frame: which look is shown where, in which order, and until when."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from centerpiece.display.colours import AMBER, DIM, GREEN, WARM
from centerpiece.display.face import digits, pips
from centerpiece.display.looks import CALLED_FOR, NEVER, Painted, Seen, paint, whole
from centerpiece.display.render import Layout, Scene, looks
from centerpiece.games.mexican_train.game import StartTrain, ToggleDouble, ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.panel.dial import Dial, Hand, Typed
from centerpiece.panel.pairing_minute import PairingMinute
from centerpiece.panel.parade import Parade, Placed
from centerpiece.panel.ui import Leaving, ShownFace, Ui
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.table.game import Face
from centerpiece.table.question import Question, What
from centerpiece.table.state import TRAIN
from centerpiece.text import Sentence
from hal.ports import BUTTONS, Zone, default_zones
from tests.evenings import AT, LiveLedger, opened, order, scored, tried
from tests.strategies import evenings

LAYOUT = Layout(default_zones())
SCENE = Scene(GAMES, LAYOUT)
NOW = 5000.0
OFFSET = AT - NOW


NO_UI = Ui()
UNCOUNTED = Question("uncounted", (1, 4), Sentence("Go on?"))


def asking(*seats: int, what: What = "out") -> Ui:
    return Ui(question=Question(what, seats, Sentence("Who?")))


def counting(seat: int, number: int = 1, typed: str = "") -> Ui:
    return Ui(dial=Dial(Typed(typed), hand=Hand(number, seat)))


def placed(seat: int, total: int) -> Ui:
    return Ui(parade=Parade((Placed(seat, total),), NOW, Sentence("")))


def seen(ledger: LiveLedger, ui: Ui = NO_UI) -> list[str]:
    """Return the looks of the first five seats and the train: `train/person`, or one for both."""
    shown = looks(GAMES.game_of(ledger.table), ledger.table, ui, NOW)
    zones = [*shown[:5], shown[-1]]
    return [look.train if look == whole(look.train) else "/".join(look) for look in zones]


def zone(ledger: LiveLedger, name: str, ui: Ui = NO_UI, now: float = NOW, **how: Any) -> bytes:
    painted = SCENE.render(ledger.table, ui, now, ahead=OFFSET, **how)
    return LAYOUT.zone(painted.pixels, name)


def lit(pixels: bytes) -> int:
    return sum(any(pixels[at : at + 3]) for at in range(0, len(pixels), 3))


# Looks and their order


def test_seats_in_the_lobby_are_taken_or_free() -> None:
    """A free seat is dark."""
    ledger = LiveLedger()
    order(ledger, c.ToggleSeat(1), c.ToggleSeat(4))

    assert ["closed/plays", "off", "off", "closed/plays", "off", "closed"] == seen(ledger)


def test_the_train_and_the_person_are_shown_at_once() -> None:
    """A double goes before a marker; last tile before skipped, starter and plays."""
    ledger = opened(starter=2)
    shown = [seen(ledger)[1]]
    for command in (
        ToggleMarker(2),
        c.Penalize(2, "skip"),
        c.CallLastTile(2),
        ToggleDouble(2),
        ToggleMarker(2),
    ):
        order(ledger, command)
        shown.append(seen(ledger)[1])

    assert [
        "closed/starter",
        "open/starter",
        "open/skipped",
        "open/last-tile",
        "double/last-tile",
        "double/last-tile",
    ] == shown
    assert "closed/plays" == seen(ledger)[0]


def test_the_double_that_is_due_blinks_and_the_others_wait() -> None:
    """The shared train does the same."""
    ledger = opened("mexican-train/rally")
    order(ledger, ToggleDouble(3), ToggleDouble(TRAIN), ToggleDouble(2))
    assert ["double/plays", "double-waits/plays", "double-waits"] == [
        seen(ledger)[n] for n in (1, 2, 5)
    ]
    order(ledger, ToggleDouble(2))

    assert ["closed/plays", "double-waits/plays", "double"] == [seen(ledger)[n] for n in (1, 2, 5)]


def test_whoever_may_answer_is_asked_and_nobody_else() -> None:
    """The ui names the seats; a question of the table's own goes to all who play."""
    ledger = opened(starter=None)
    order(ledger, c.DesignateStarter())
    order(ledger, c.Join("Eve"), c.Leave(2))
    assert ["asked", "off", "asked", "closed/plays"] == seen(ledger, asking(1, 3))[:4]
    order(ledger, *[c.Undo()] * 3, c.Leave(2))

    assert ["asked", "off", "asked", "asked", "off", "closed"] == seen(ledger)


def test_hands_are_counted_one_after_the_other() -> None:
    """One breathes, the others wait, the seat that went out does not; then the leader is lit."""
    ledger = opened()
    order(ledger, c.GoOut(2))
    assert ["uncounted", "closed/out", "counting", "uncounted"] == seen(ledger, counting(3))[:4]
    order(ledger, c.EnterScore(3, 12))
    assert ["uncounted", "closed/out", "closed/plays", "counting"] == seen(ledger, counting(4))[:4]
    called_for = looks(GAMES.game_of(ledger.table), ledger.table, Ui(question=UNCOUNTED), NOW)
    assert [CALLED_FOR] * 2 == [called_for[0], called_for[3]]
    order(ledger, c.EnterScore(1, 30), c.EnterScore(4, 5))

    assert ["closed/starter", "leader", "closed/plays", "closed/plays"] == seen(ledger)[:4]
    assert ["closed/starter", "closed/out", "place", "closed/plays"] == seen(ledger, placed(3, 12))[
        :4
    ]


def test_looks_for_a_whole_seat_have_an_order() -> None:
    """Asked, counting, uncounted, winner, place, leader: remove them one by one."""
    ledger = opened(rounds=1)
    order(ledger, c.GoOut(1))
    everything = replace(counting(2), question=asking(2).question, parade=placed(2, 0).parade)
    shown = []
    for ui in (everything, replace(everything, question=None), placed(2, 0)):
        shown.append(seen(ledger, ui)[1])
    order(
        ledger, *(c.EnterScore(seat, pips, confirm=True) for seat, pips in ((2, 0), (3, 9), (4, 7)))
    )
    shown.append(seen(ledger, placed(2, 0))[1])
    shown.append(seen(ledger)[1])
    order(ledger, c.NextRound())
    shown.append(seen(ledger, placed(2, 0))[1])

    assert ["asked", "counting", "uncounted", "place", "leader", "winner"] == shown


def test_the_train_has_looks_too() -> None:
    """Closed until it is started; a double on it blinks."""
    ledger = opened()
    assert "closed" == seen(ledger)[-1]
    order(ledger, StartTrain())
    assert "open" == seen(ledger)[-1]
    order(ledger, ToggleDouble(TRAIN))

    assert "double" == seen(ledger)[-1]


def test_winners_shine_and_the_others_rest() -> None:
    """All winners, if there are several."""
    ledger = opened(rounds=1)
    scored(ledger, 1, s2=10, s3=30)
    order(ledger, c.EnterScore(4, 0, confirm=True), c.NextRound())

    assert ["winner", "closed/plays", "closed/plays", "winner", "off", "closed"] == seen(ledger)


# Face and ring


def test_the_face_shows_the_engine_in_its_suits_colour() -> None:
    """In the lobby the game's number, while counting on the hub the points."""
    ledger = LiveLedger()
    assert digits("1", WARM) == zone(ledger, "face")
    ledger = opened()
    assert pips(12, SCENE.suits[12]) == zone(ledger, "face")
    order(ledger, c.GoOut(1), c.EnterScore(2, 11))
    assert digits("11", WARM) == zone(ledger, "face", counting(2))
    order(ledger, c.NextRound(uncounted=True))

    assert pips(11, SCENE.suits[11]) == zone(ledger, "face")
    order(ledger, c.GoOut(1))
    assert pips(12, SCENE.suits[12]) == zone(ledger, "face", counting(2)), "an earlier round"
    added = Ui(dial=Dial(Typed(sum=21), hand=Hand(2, 2)))
    assert digits("21", WARM) == zone(ledger, "face", added)


def test_a_face_can_be_shown_for_a_while_instead() -> None:
    """The size of the set, when it is chosen."""
    ui = Ui(face=ShownFace(Face("digits", 9), NOW))

    assert digits("9", WARM) == zone(LiveLedger(), "face", ui)


def test_the_ring_fills_while_advance_is_held() -> None:
    """Pixel by pixel."""
    ledger = opened()
    filled = [
        lit(zone(ledger, "ring", now=NOW + n * 1.5 / 24, holding=(NOW, 1.5))) for n in range(25)
    ]

    assert list(range(25)) == filled


def test_the_ring_empties_in_the_last_five_minutes() -> None:
    """It is dark before and after."""
    ledger = opened("mexican-train/rally")
    end = NOW + 105 * 60

    def shown(before_the_end: float) -> int:
        return lit(zone(ledger, "ring", now=end - before_the_end))

    assert [0, 24, 24, 23, 12, 1, 0, 0] == [
        shown(left) for left in (301.0, 300.0, 287.6, 287.4, 150.0, 0.5, 0.0, -60.0)
    ]
    assert AMBER == tuple(zone(ledger, "ring", now=end - 100.0)[:3])
    assert pytest.approx(end - 300.0) == SCENE.render(ledger.table, NO_UI, NOW, ahead=OFFSET).until


def test_the_lights_go_out_one_by_one_at_a_shutdown() -> None:
    """They stay dark, without a timer."""
    ledger = opened()
    counts = []
    now = NOW
    while now < NOW + 2.5:
        painted = SCENE.render(ledger.table, Ui(leaving=Leaving(NOW)), now)
        counts.append(lit(painted.pixels))
        now = painted.until

    assert sorted(counts, reverse=True) == counts
    assert (LAYOUT.count, 0) == (counts[0], counts[-1])
    assert NEVER == now


# Layouts


def test_a_chain_may_go_on_behind_its_last_zone() -> None:
    """Pixels without a zone stay dark, and every frame is as long as the chain."""
    longer = Scene(GAMES, Layout(default_zones(), LAYOUT.count + 5))
    table = opened().table
    short, long = (scene.render(table, NO_UI, NOW).pixels for scene in (SCENE, longer))

    assert short + bytes(15) == long


def test_any_chain_will_do() -> None:
    """Zones in any order, with gaps, of any size, or missing."""
    zones = (Zone("seat-2", 1, 2), Zone("ring", 10, 5), Zone("face", 20, 30), Zone("seat-1", 4, 6))
    layout = Layout(zones)
    ledger = opened()
    order(ledger, ToggleMarker(2))
    frame = Scene(GAMES, layout).render(ledger.table, NO_UI, NOW).pixels

    assert 3 * 50 == len(frame)
    assert bytes((*GREEN, *DIM)) == layout.zone(frame, "seat-2")
    assert paint(Seen("closed", "starter"), 6, NOW, -1e9).pixels == layout.zone(frame, "seat-1")
    assert bytes(3) == frame[:3]
    assert bytes(15) == layout.zone(frame, "ring")
    assert 0 == layout.size("train")


def test_an_echo_touches_only_its_own_zone() -> None:
    ledger = opened()
    plain = SCENE.render(ledger.table, NO_UI, NOW).pixels
    pressed = {"seat-3": NOW + 0.08, "whistle": NOW + 0.08}
    echoed = SCENE.render(ledger.table, Ui(echoes=pressed), NOW)

    assert pytest.approx(NOW + 0.08) == echoed.until
    different = {
        each.name
        for each in LAYOUT.zones
        if LAYOUT.zone(plain, each.name) != LAYOUT.zone(echoed.pixels, each.name)
    }
    assert {"seat-3"} == different
    after = SCENE.render(ledger.table, Ui(echoes=pressed), NOW + 0.08)
    assert plain == after.pixels


# What always holds

echoing = st.dictionaries(st.sampled_from(BUTTONS), st.floats(NOW - 0.1, NOW + 0.1), max_size=3)
uis = st.builds(
    Ui,
    question=st.sampled_from([None, None, asking(1, 2).question, asking(4).question, UNCOUNTED]),
    dial=st.builds(
        Dial,
        st.builds(Typed, st.sampled_from(["", "", "4", "47", "112"])),
        hand=st.none() | st.builds(Hand, st.integers(1, 3), st.sampled_from([1, 3])),
    ),
    parade=st.sampled_from([None, None, placed(1, -3).parade, placed(2, 1024).parade]),
    pressed_at=st.floats(NOW - 9.0, NOW),
    dealing=st.booleans(),
    pairing=st.sampled_from([None, None, PairingMinute("42", NOW + 60.0)]),
    face=st.none()
    | st.builds(
        ShownFace,
        st.sampled_from([Face("digits", 133), Face("pips", 7)]),
        st.floats(NOW - 9.0, NOW),
    ),
    refused_until=st.floats(NOW - 1.0, NOW + 1.0),
    began=st.floats(NOW - 3.0, NOW),
    echoes=echoing,
)
holds = st.one_of(st.none(), st.tuples(st.floats(NOW - 1.4, NOW), st.just(1.5)))
offsets = st.floats(0.0, 7200.0).map(lambda later: OFFSET + later)


@given(evenings, uis, offsets, holds)
def test_a_frame_stays_until_the_time_it_names_and_then_changes(
    asked: list[Command], ui: Ui, ahead: float, holding: tuple[float, float] | None
) -> None:
    """One timer for exactly that time is enough."""
    ledger, ui = LiveLedger(), ui.at(NOW)
    tried(ledger, asked)

    def rendered(now: float) -> Painted:
        return SCENE.render(ledger.table, ui, now, ahead=ahead, holding=holding)

    painted = rendered(NOW)
    assert 3 * LAYOUT.count == len(painted.pixels)
    assert NOW < painted.until
    # A parade that is over is dropped from the ui (`Ui.at`); the frame itself need not know.
    last = min(painted.until, ui.next_change(NOW), NOW + 1e5)
    for part in (0.1, 0.5, 0.9):
        assert painted.pixels == rendered(NOW + part * (last - NOW)).pixels
    if painted.until not in (NEVER, ui.next_change(NOW)):
        assert painted.pixels != rendered(painted.until).pixels


@given(evenings, uis, st.floats(0.0, 100.0), uis)
def test_the_same_table_and_ui_are_the_same_frame(
    asked: list[Command], ui: Ui, later: float, other: Ui
) -> None:
    """A scene has no memory: another one, or the same one later, renders the same."""
    ledger = LiveLedger()
    tried(ledger, asked)
    first = SCENE.render(ledger.table, ui, NOW)
    SCENE.render(ledger.table, other, NOW + later)

    assert first == SCENE.render(ledger.table, ui, NOW)
    another = Scene(GAMES, Layout(default_zones()))
    assert first == another.render(ledger.table, ui, NOW)
