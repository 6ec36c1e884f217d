"""From the table to a frame: what is shown where, what comes first, and until when."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from centerpiece.display.colours import AMBER, DIM, GREEN, WARM
from centerpiece.display.face import digits, pips
from centerpiece.display.looks import CALLED_FOR, NEVER, Seen, paint, whole
from centerpiece.display.scene import Layout, Moment, Placed, Scene, looks
from centerpiece.games.mexican_train.game import StartTrain, ToggleDouble, ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.table.game import Face
from centerpiece.table.state import TRAIN
from hal.ports import BUTTONS, Zone, default_zones
from tests.evenings import AT, LiveLedger, opened, order, scored, tried
from tests.strategies import evenings

LAYOUT = Layout(default_zones())
SCENE = Scene(GAMES, LAYOUT)
NOW = 5000.0
OFFSET = AT - NOW


def seen(ledger: LiveLedger, moment: Moment | None = None) -> list[str]:
    """The looks of the first five seats and the train: `train/person`, or one for all of it."""
    shown = looks(GAMES, ledger.table, moment or Moment())
    zones = [shown[name] for name in (*(f"seat-{n}" for n in range(1, 6)), "train")]
    return [look.train if look == whole(look.train) else "/".join(look) for look in zones]


def zone(ledger: LiveLedger, name: str, moment: Moment | None = None, now: float = NOW) -> bytes:
    painted = SCENE.paint(ledger.table, moment or Moment(), now, OFFSET)
    return LAYOUT.zone(painted.pixels, name)


def lit(pixels: bytes) -> int:
    return sum(any(pixels[at : at + 3]) for at in range(0, len(pixels), 3))


# Looks and their order


def test_seats_in_the_lobby_are_taken_or_free() -> None:
    """Somebody sits there, or it is dark."""
    ledger = LiveLedger()
    order(ledger, c.ToggleSeat(1), c.ToggleSeat(4))

    assert ["closed/plays", "off", "off", "closed/plays", "off", "closed"] == seen(ledger)


def test_the_train_and_the_person_are_shown_at_once() -> None:
    """Each with its own order: a double before a marker; last tile, skipped, starter, plays."""
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
    """Also on the train that all share."""
    ledger = opened("mexican-train/rally")
    order(ledger, ToggleDouble(3), ToggleDouble(TRAIN), ToggleDouble(2))
    assert ["double/plays", "double-waits/plays", "double-waits"] == [
        seen(ledger)[n] for n in (1, 2, 5)
    ]
    order(ledger, ToggleDouble(2))

    assert ["closed/plays", "double-waits/plays", "double"] == [seen(ledger)[n] for n in (1, 2, 5)]


def test_whoever_may_answer_is_asked_and_nobody_else() -> None:
    """The hub says which seats; a question of the table's own goes to all who play."""
    ledger = opened(starter=None)
    order(ledger, c.DesignateStarter())
    order(ledger, c.Join("Eve"), c.Leave(2))
    assert ["asked", "off", "asked", "closed/plays"] == seen(ledger, Moment(asked=(1, 3)))[:4]
    order(ledger, *[c.Undo()] * 3, c.Leave(2))

    assert ["asked", "off", "asked", "asked", "off", "closed"] == seen(ledger)


def test_hands_are_counted_one_after_the_other() -> None:
    """One breathes, the others wait, whoever went out does not; then the leader shines."""
    ledger = opened()
    order(ledger, c.GoOut(2))
    counting = Moment(counting=3)
    assert ["uncounted", "closed/out", "counting", "uncounted"] == seen(ledger, counting)[:4]
    order(ledger, c.EnterScore(3, 12))
    assert ["uncounted", "closed/out", "closed/plays", "counting"] == seen(
        ledger, Moment(counting=4)
    )[:4]
    called_for = looks(GAMES, ledger.table, Moment(called_for=True, asked=(1, 4)))
    assert [CALLED_FOR] * 2 == [called_for["seat-1"], called_for["seat-4"]]
    order(ledger, c.EnterScore(1, 30), c.EnterScore(4, 5))

    assert ["closed/starter", "leader", "closed/plays", "closed/plays"] == seen(ledger)[:4]
    assert ["closed/starter", "closed/out", "place", "closed/plays"] == seen(
        ledger, Moment(placed=Placed(3, 12))
    )[:4]


def test_of_the_looks_for_a_whole_seat_the_first_is_shown() -> None:
    """asked, counting, uncounted, winner, place, leader: taken away one by one."""
    ledger = opened(rounds=1)
    order(ledger, c.GoOut(1))
    everything = Moment(asked=(2,), counting=2, placed=Placed(2, 0))
    shown = []
    for moment in (everything, replace(everything, asked=()), Moment(placed=Placed(2, 0))):
        shown.append(seen(ledger, moment)[1])
    order(
        ledger, *(c.EnterScore(seat, pips, confirm=True) for seat, pips in ((2, 0), (3, 9), (4, 7)))
    )
    shown.append(seen(ledger, Moment(placed=Placed(2, 0)))[1])
    shown.append(seen(ledger)[1])
    order(ledger, c.NextRound())
    shown.append(seen(ledger, Moment(placed=Placed(2, 0)))[1])

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
    """All of them, if there are several."""
    ledger = opened(rounds=1)
    scored(ledger, 1, s2=10, s3=30)
    order(ledger, c.EnterScore(4, 0, confirm=True), c.NextRound())

    assert ["winner", "closed/plays", "closed/plays", "winner", "off", "closed"] == seen(ledger)


# Face and ring


def test_the_face_shows_the_engine_in_its_suits_colour() -> None:
    """And the game's number in the lobby, the pips while a hand is counted on the hub."""
    ledger = LiveLedger()
    assert digits("1", WARM) == zone(ledger, "face")
    ledger = opened()
    assert pips(12, SCENE.suits[12]) == zone(ledger, "face")
    order(ledger, c.GoOut(1), c.EnterScore(2, 11))
    assert digits("11", WARM) == zone(ledger, "face", Moment(counting=2))
    order(ledger, c.NextRound(uncounted=True))

    assert pips(11, SCENE.suits[11]) == zone(ledger, "face")


def test_a_face_can_be_shown_for_a_while_instead() -> None:
    """The size of the set, when it is chosen."""
    moment = Moment(face=Face("digits", 9))

    assert digits("9", WARM) == zone(LiveLedger(), "face", moment)


def test_the_ring_fills_while_advance_is_held() -> None:
    """From nothing to all of it, pixel by pixel."""
    ledger = opened()
    filled = [
        lit(zone(ledger, "ring", Moment(holding=(NOW, 1.5)), NOW + n * 1.5 / 24)) for n in range(25)
    ]

    assert list(range(25)) == filled


def test_the_ring_empties_in_the_last_five_minutes() -> None:
    """Dark before; then as much as is left; then dark for good."""
    ledger = opened("mexican-train/rally")
    end = NOW + 105 * 60

    def shown(before_the_end: float) -> int:
        return lit(zone(ledger, "ring", now=end - before_the_end))

    assert [0, 24, 24, 23, 12, 1, 0, 0] == [
        shown(left) for left in (301.0, 300.0, 287.6, 287.4, 150.0, 0.5, 0.0, -60.0)
    ]
    assert AMBER == tuple(zone(ledger, "ring", now=end - 100.0)[:3])
    assert pytest.approx(end - 300.0) == SCENE.paint(ledger.table, Moment(), NOW, OFFSET).until


def test_going_away_the_lights_go_out_one_after_the_other() -> None:
    """And stay dark, without a timer."""
    ledger = opened()
    counts = []
    now = NOW
    while now < NOW + 2.5:
        painted = SCENE.paint(ledger.table, Moment(leaving=NOW), now)
        counts.append(lit(painted.pixels))
        now = painted.until

    assert sorted(counts, reverse=True) == counts
    assert (LAYOUT.count, 0) == (counts[0], counts[-1])
    assert NEVER == now


# Layouts


def test_a_chain_may_go_on_behind_its_last_zone() -> None:
    """Pixels without a job stay dark, and every frame is as long as the chain."""
    longer = Scene(GAMES, Layout(default_zones(), LAYOUT.count + 5))
    table = opened().table
    short, long = (scene.paint(table, Moment(), NOW).pixels for scene in (SCENE, longer))

    assert short + bytes(15) == long


def test_any_chain_will_do() -> None:
    """Zones in any order, with gaps, of any size, or missing: each has its pixels."""
    zones = (Zone("seat-2", 1, 2), Zone("ring", 10, 5), Zone("face", 20, 30), Zone("seat-1", 4, 6))
    layout = Layout(zones)
    ledger = opened()
    order(ledger, ToggleMarker(2))
    frame = Scene(GAMES, layout).paint(ledger.table, Moment(), NOW).pixels

    assert 3 * 50 == len(frame)
    assert bytes((*GREEN, *DIM)) == layout.zone(frame, "seat-2")
    assert paint(Seen("closed", "starter"), 6, NOW, -1e9).pixels == layout.zone(frame, "seat-1")
    assert bytes(3) == frame[:3]
    assert bytes(15) == layout.zone(frame, "ring")
    assert 0 == layout.size("train")


def test_an_echo_touches_only_its_own_zone() -> None:
    """And only while it lasts."""
    ledger = opened()
    plain = SCENE.paint(ledger.table, Moment(), NOW).pixels
    pressed = {"seat-3": NOW + 0.08, "whistle": NOW + 0.08}
    echoed = SCENE.paint(ledger.table, Moment(), NOW, echoes=pressed)

    assert pytest.approx(NOW + 0.08) == echoed.until
    different = {
        each.name
        for each in LAYOUT.zones
        if LAYOUT.zone(plain, each.name) != LAYOUT.zone(echoed.pixels, each.name)
    }
    assert {"seat-3"} == different
    after = SCENE.paint(ledger.table, Moment(), NOW + 0.08, echoes=pressed)
    assert plain == after.pixels


# What always holds

moments = st.builds(
    Moment,
    asked=st.sampled_from([(), (), (1, 2), (4,)]),
    counting=st.sampled_from([None, None, 1, 3]),
    typed=st.sampled_from(["", "", "4", "47", "112"]),
    called_for=st.booleans(),
    placed=st.sampled_from([None, None, Placed(1, -3), Placed(2, 1024)]),
    dealing=st.booleans(),
    pairing=st.sampled_from(["", "", "0427"]),
    face=st.sampled_from([None, None, Face("digits", 133), Face("pips", 7)]),
    face_since=st.floats(NOW - 9.0, NOW),
    refused_until=st.floats(NOW - 1.0, NOW + 1.0),
    holding=st.one_of(st.none(), st.tuples(st.floats(NOW - 1.4, NOW), st.just(1.5))),
    began=st.floats(NOW - 3.0, NOW),
    roulette=st.none(),
    leaving=st.none(),
    clock_shift=st.just(0.0),
)


echoing = st.dictionaries(st.sampled_from(BUTTONS), st.floats(NOW - 0.1, NOW + 0.1), max_size=3)
offsets = st.floats(0.0, 7200.0).map(lambda later: OFFSET + later)


@given(evenings, moments, offsets, echoing)
def test_a_frame_stays_until_the_time_it_names_and_then_changes(
    asked: list[Command], moment: Moment, offset: float, echoes: dict[str, float]
) -> None:
    """So a timer is set for exactly that time, and for no other."""
    ledger = LiveLedger()
    tried(ledger, asked)
    painted = SCENE.paint(ledger.table, moment, NOW, offset, echoes)

    assert 3 * LAYOUT.count == len(painted.pixels)
    assert NOW < painted.until
    last = min(painted.until, NOW + 1e5)
    for part in (0.1, 0.5, 0.9):
        between = NOW + part * (last - NOW)
        then = SCENE.paint(ledger.table, moment, between, offset, echoes)
        assert painted.pixels == then.pixels
    if painted.until != NEVER:
        after = SCENE.paint(ledger.table, moment, painted.until, offset, echoes)
        assert painted.pixels != after.pixels


@given(evenings, moments, st.floats(0.0, 100.0), echoing, echoing)
def test_the_same_table_and_moment_are_the_same_frame(
    asked: list[Command],
    moment: Moment,
    later: float,
    echoes: dict[str, float],
    others: dict[str, float],
) -> None:
    """A scene keeps nothing: another one, or the same one later, paints the same."""
    ledger = LiveLedger()
    tried(ledger, asked)
    first = SCENE.paint(ledger.table, moment, NOW, echoes=echoes)
    SCENE.paint(ledger.table, moment, NOW, echoes=others)
    SCENE.paint(ledger.table, Moment(), NOW + later)

    assert first == SCENE.paint(ledger.table, moment, NOW, echoes=echoes)
    another = Scene(GAMES, Layout(default_zones()))
    assert first == another.paint(ledger.table, moment, NOW, echoes=echoes)
