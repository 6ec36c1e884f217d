"""The hub in virtual time: from edges and commands to lights and sounds."""

import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from centerpiece.display.looks import recognized
from centerpiece.display.render import Layout
from centerpiece.games.registry import GAMES
from centerpiece.hub import commit_queue
from centerpiece.hub.hub import Hub
from centerpiece.hub.preferences import PREFERENCES
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.table import commands as c
from centerpiece.text import Refused
from hal.ports import SEATS, Edge, Trouble
from sim.board import SimBoard, build
from sim.clock import VirtualClock
from tests.evenings import FOUR, ledger_facts, replayed
from tests.strategies import Move, check_legal, check_page, moves, open_tables


class Rig:
    """A hub in memory, with fingers on its buttons."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.board: SimBoard = build(clock=self.clock)
        self.journal = Journal(":memory:", GAMES)
        self.hub = Hub(GAMES, self.journal, self.board)
        self.hub.on_stale(self.hub.paint)
        self.board.buttons.listen(self.hub.hear)

    def wait(self, seconds: float) -> None:
        """Let time pass and wake the hub whenever it is due, as the service does."""
        until = self.clock.now() + seconds
        for _ in range(100_000):
            wake = self.hub.next_wake()
            if wake is None or wake > until:
                self.clock.move(until - self.clock.now())
                return
            self.clock.move(max(0.0, wake - self.clock.now()))
            self.hub.wake()
        raise AssertionError("the hub wants to be woken without end")

    def hold(self, *buttons: str, seconds: float) -> None:
        for button in buttons:
            self.board.buttons.press(button)
        self.wait(seconds)
        for button in buttons:
            self.board.buttons.release(button)
        self.wait(0.5)

    def tap(self, *buttons: str) -> None:
        for button in buttons:
            self.hold(button, seconds=0.08)

    def double(self, button: str) -> None:
        self.quick(button, button)

    def quick(self, *buttons: str) -> None:
        """Taps in quick succession."""
        for button in buttons:
            self.board.buttons.press(button)
            self.wait(0.05)
            self.board.buttons.release(button)
            self.wait(0.05)
        self.wait(0.5)

    def look(self, zone: str) -> set[str]:
        """Return the colours of a zone in both halves of a blink."""
        seen = set()
        for _ in range(7):
            seen.update(recognized(Layout(self.board.zones).zone(self.board.lights.frame, zone)))
            self.wait(0.1)
        return seen

    @property
    def heard(self) -> list[str]:
        """Return the cues since the last call."""
        played, self.board.sound.played = self.board.sound.played, []
        return played


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    rig.journal.close()


@pytest.fixture
def game(rig: Rig) -> Rig:
    rig.hub.do(c.OpenTable("mexican-train/classic", FOUR, 12, starter=1))
    rig.wait(3.0)
    assert ["join"] * 4 + ["round"] == rig.heard
    rig.hold("seat-9", seconds=0.1)  # nobody sits there: the tiles are dealt
    rig.wait(1.0)
    rig.board.sound.played.clear()
    return rig


# One way through


def test_nothing_is_shown_before_it_is_on_the_disk(game: Rig) -> None:
    """At the moment of writing, the lights still show the table before."""
    frames: list[bytes] = []
    keep = game.journal.keep

    def watched(entries: list[JournalEntry]) -> None:
        frames.append(game.board.lights.frame)
        keep(entries)

    game.journal.keep = watched  # type: ignore[method-assign, assignment]
    before = game.board.lights.frame
    game.hub.do(c.CallLastTile(2))

    assert [before] == frames
    assert before != game.board.lights.frame


def test_a_pressed_seat_echoes_at_once_and_briefly(game: Rig) -> None:
    """The echo starts before the release, whatever the press leads to."""
    steady = game.board.lights.frame
    game.board.buttons.press("seat-2")
    lit = game.board.lights.frame
    game.wait(0.079)
    assert lit == game.board.lights.frame != steady
    game.wait(0.002)

    assert steady == game.board.lights.frame


def test_the_whistle_sounds_the_moment_it_is_pressed(game: Rig) -> None:
    """It promises nothing, so it does not wait for the disk."""
    game.board.buttons.press("whistle")

    assert ["whistle"] == game.heard


def test_a_refusal_is_a_red_outline_a_cue_and_a_sentence(game: Rig) -> None:
    """The outline goes away by itself."""
    face = Layout(game.board.zones).zone(game.board.lights.frame, "face")
    game.tap("seat-9")

    assert ["refused"] == game.heard
    assert "Nobody sits at seat 9" in game.hub.state()["notice"]
    game.wait(1.0)
    assert face == Layout(game.board.zones).zone(game.board.lights.frame, "face")
    assert game.hub.next_wake() is None


def test_frames_are_sent_only_when_something_changed(game: Rig) -> None:
    """An idle hub sends nothing and sets no timer."""
    game.board.lights.frames.clear()
    game.wait(3600.0)
    assert [] == game.board.lights.frames
    game.tap("seat-2")
    frames = game.board.lights.frames

    assert all(one != other for one, other in pairwise(frames))
    assert 1 <= len(frames) <= 3


# Taps, double taps and who is asked


def test_a_broken_listener_does_not_stop_painting(game: Rig) -> None:
    """In a burst of edges, and for timed gestures, the lights show what was written."""

    def broken() -> None:
        raise RuntimeError("this page is cursed")

    seats = ("seat-1", "seat-9")
    game.hub.on_news(broken)
    for seat in seats:
        game.hub.hear(Edge(seat, True, game.clock.now()))
    game.clock.move(0.1)
    for seat in seats:
        with pytest.raises(RuntimeError):
            game.hub.hear(Edge(seat, False, game.clock.now()))
    assert "open" in game.look("seat-1")

    for down in (True, False):
        game.hub.hear(Edge("seat-3", down, game.clock.now()))
    game.clock.move(0.1)
    with pytest.raises(RuntimeError):
        game.hub.wake()
    assert "open" in game.look("seat-3")


def test_a_double_tap_takes_its_first_tap_back(game: Rig) -> None:
    """The first tap's marker is retracted, and undo takes the whole gesture back."""
    game.double("seat-2")

    seat = game.hub.state()["seats"][1]
    assert (False, True) == (seat["marker"], seat["open_double"])
    assert "double" in game.look("seat-2")
    game.tap("undo")
    assert (False, False) == tuple(
        game.hub.state()["seats"][1][key] for key in ("marker", "open_double")
    )


def test_a_double_tap_restores_the_call_that_its_first_tap_ended(game: Rig) -> None:
    """A marker ends a last-tile call; a retracted marker does not."""
    game.hold("seat-2", seconds=0.9)
    game.double("seat-2")

    assert game.hub.state()["seats"][1]["last_tile"] is True


def test_taps_of_others_between_the_two_stay(game: Rig) -> None:
    """Two people at the panel at the same time do not disturb each other."""
    game.quick("seat-2", "seat-3", "seat-2")

    assert [(False, False), (False, True), (True, False), (False, False)] == [
        (seat["marker"], seat["open_double"]) for seat in game.hub.state()["seats"]
    ]


def test_two_quick_taps_count_twice_where_a_double_tap_means_nothing(game: Rig) -> None:
    """Typing digits and taking them back needs no pauses."""
    game.tap("advance", "seat-1")
    game.quick("seat-2", "seat-2", "seat-2")
    assert {"seat": 2, "typed": "222"} == game.hub.state()["counting"]
    game.quick("undo", "undo")

    assert {"seat": 2, "typed": "2"} == game.hub.state()["counting"]


def test_the_whistles_question_waits_ten_seconds_for_a_seat(game: Rig) -> None:
    """All seats blink; the one tapped owns the call, without a second whistle."""
    game.tap("whistle")
    assert "asked" in game.look("seat-1") & game.look("seat-4")
    assert {"off"} == game.look("seat-5")
    game.tap("seat-3")
    assert game.hub.state()["seats"][2]["last_tile"] is True
    assert ["whistle"] == game.heard
    assert "last-tile" in game.look("seat-3")
    game.tap("whistle")
    game.wait(9.0)
    assert "last-tile" == game.hub.state()["asks"]["what"]
    game.wait(3.1)
    game.tap("seat-1")

    assert (False, True) == (
        game.hub.state()["seats"][0]["last_tile"],
        game.hub.state()["seats"][0]["marker"],
    )


def test_a_question_ends_with_its_round(game: Rig) -> None:
    """After whistle, advance, seat: the seat went out and is not asked about its last tile."""
    game.tap("whistle", "advance", "seat-3")

    assert ("scoring", 3) == (game.hub.state()["phase"], game.hub.state()["out"])
    assert "out" in game.look("seat-3")


def test_an_answer_given_twice_is_one_answer(game: Rig) -> None:
    """A nervous finger neither opens a double nor leaves the seat it moved to."""
    game.tap("whistle")
    game.quick("seat-2", "seat-2")
    seat = game.hub.state()["seats"][1]
    assert (True, False) == (seat["last_tile"], seat["open_double"])
    game.hub.do(c.FinishGame())
    game.hub.do(c.OpenLobby())
    game.hold("seat-1", seconds=0.9)
    game.quick("seat-9", "seat-9")

    assert [2, 3, 4, 9] == [seat["seat"] for seat in game.hub.state()["seats"]]


def test_caught_asks_for_a_seat_and_applies_the_agreed_penalty(rig: Rig) -> None:
    """The next seat tapped did not announce its last tile."""
    rig.hub.do(c.OpenTable("mexican-train/classic", FOUR, 12, {"penalty": "points"}))
    rig.wait(3.0)
    rig.heard  # noqa: B018
    rig.hold("whistle", seconds=0.9)
    rig.tap("seat-4")

    assert ["whistle", "caught"] == rig.heard
    assert [{"round": 1, "seat": 4, "kind": "points", "points": 50}] == rig.hub.state()["penalties"]


def test_a_first_tap_in_the_lobby_is_not_retracted_under_a_running_game(rig: Rig) -> None:
    """A phone may start the game between two taps of the train."""
    rig.board.buttons.press("train")
    rig.wait(0.05)
    rig.board.buttons.release("train")
    rig.wait(0.05)
    chosen = rig.hub.state()["game"]
    assert "mexican-train" != chosen
    rig.hub.do(c.OpenTable("mexican-train/classic", FOUR, 12))
    rig.quick("train")

    assert ("mexican-train", True) == (
        rig.hub.state()["game"],
        rig.hub.state()["train"]["open_double"],
    )
    check_legal(rig.hub.table)


# The lobby and what the hub remembers


def test_a_lobby_by_taps_alone(rig: Rig) -> None:
    """Take seats, choose the set by a double tap and the profile by a hold, and start."""
    rig.tap("seat-1", "seat-3", "seat-5", "seat-7")
    rig.tap("seat-5", "seat-5")
    rig.double("train")
    assert 9 == rig.hub.state()["set"]
    rig.hold("train", seconds=0.9)
    rig.hold("advance", seconds=1.6)

    state = rig.hub.state()
    assert ("playing", "family", [1, 3, 5, 7]) == (
        state["phase"],
        state["rules"],
        [seat["seat"] for seat in state["seats"]],
    )


def test_a_seat_remembers_who_sat_there(game: Rig) -> None:
    """The next evening a tap brings the name back."""
    game.hub.do(c.FinishGame())
    game.hub.do(c.OpenLobby())
    game.tap("seat-2", "seat-2")

    assert "Bob" == game.hub.state()["seats"][1]["name"]


def test_a_remembered_name_that_is_taken_is_not_used(game: Rig) -> None:
    """The same holds if it differs only in case: the seat can still be taken."""
    game.hub.do(c.FinishGame())
    game.hub.do(c.OpenLobby())
    game.tap("seat-2")
    game.hub.do(c.Rename(1, "BOB"))
    game.heard  # noqa: B018
    game.tap("seat-2")

    assert ["join"] == game.heard
    assert ["BOB", "Seat 2"] == [seat["name"] for seat in game.hub.state()["seats"][:2]]


def test_the_size_of_the_set_is_shown_as_digits_and_goes_away(rig: Rig) -> None:
    """A phone's command shows it too, and calls `on_stale`, because the next wake has changed."""
    told: list[float | None] = []
    rig.hub.on_news(lambda: told.append(rig.hub.next_wake()))
    usual = rig.board.lights.frame
    rig.hub.do(c.NextSet())

    assert usual != rig.board.lights.frame
    assert rig.clock.now() + 3.0 == told[-1] == rig.hub.next_wake()


# Clock, troubles, shutdown


def test_the_games_clock_warns_three_times_by_light_and_sound(rig: Rig) -> None:
    """At fifteen minutes, five minutes and zero; the ring empties in the last five minutes."""
    rig.hub.do(c.OpenTable("mexican-train/rally", (*FOUR, "Eve", "Finn")))
    rig.wait(5.0)
    rig.heard  # noqa: B018
    ring = bytes(3 * Layout(rig.board.zones).size("ring"))
    rig.wait(90 * 60 - 6.0)
    assert [] == rig.heard
    rig.wait(2.0)
    assert ["time"] == rig.heard
    assert "Fifteen minutes are left." == rig.hub.state()["notice"]
    assert ring == Layout(rig.board.zones).zone(rig.board.lights.frame, "ring")
    rig.wait(10 * 60)
    assert ["time"] == rig.heard
    assert ring != Layout(rig.board.zones).zone(rig.board.lights.frame, "ring")
    rig.wait(5 * 60)
    assert ["time"] == rig.heard
    assert {"remaining_s": 0} == rig.hub.state()["clock"]
    rig.wait(3600.0)

    assert [] == rig.heard


def test_a_warning_is_not_repeated_when_the_end_of_the_game_is_undone(rig: Rig) -> None:
    """Removing the limit and setting it again does not repeat it either."""
    rig.hub.do(c.OpenTable("mexican-train/classic", FOUR, 12, {"time_limit_min": 20}))
    rig.wait(6 * 60)
    assert 1 == rig.heard.count("time")
    for command in (c.FinishGame(), c.ChangeRule("time_limit_min", None)):
        rig.hub.do(command)
        rig.wait(5.0)
        rig.hub.do(c.Undo())
        rig.wait(5.0)
        assert "time" not in rig.heard

    rig.wait(10 * 60)
    assert ["time"] == rig.heard


def test_a_short_game_gets_no_warning_for_more_time_than_it_has(rig: Rig) -> None:
    """A ten-minute game gives no fifteen-minute warning."""
    rig.hub.do(c.OpenTable("mexican-train/classic", FOUR, 12, {"time_limit_min": 10}))
    rig.wait(60.0)

    assert "time" not in rig.heard


def test_a_wall_clock_that_is_set_late_does_not_split_ring_and_page(rig: Rig) -> None:
    """A hub without a battery learns the time after its start; the game's clock runs on."""
    rig.hub.do(c.OpenTable("mexican-train/rally", (*FOUR, "Eve", "Finn")))
    rig.clock.set(rig.clock.at() + 103 * 60)
    rig.clock.move(103 * 60)
    rig.hub.wake()

    assert {"remaining_s": 120} == rig.hub.state()["clock"]
    assert any(Layout(rig.board.zones).zone(rig.board.lights.frame, "ring"))


def test_trouble_is_told_once_and_play_goes_on(game: Rig) -> None:
    """It stays on the page until the device has recovered."""
    told: list[int] = []
    game.hub.on_news(lambda: told.append(1))
    for _ in range(3):
        game.hub.trouble(Trouble("sound", "The sound module does not answer."))
    assert 1 == len(told)
    game.tap("seat-1")
    assert [
        {"device": "sound", "message": "The sound module does not answer."}
    ] == game.hub.state()["trouble"]
    game.hub.trouble(Trouble("sound", ""))

    assert [] == game.hub.state()["trouble"]


def test_trouble_that_was_never_there_can_end(game: Rig) -> None:
    """A device may report that it is well without having failed."""
    game.hub.trouble(Trouble("lights", ""))

    assert [] == game.hub.state()["trouble"]


def test_a_shutdown_in_the_middle_of_a_burst_is_seen_at_once(game: Rig) -> None:
    """The lights sweep out if the chord is due when a burst of edges arrives."""
    for button in ("advance", "undo"):
        game.hub.hear(Edge(button, True, game.clock.now()))
    game.clock.move(5.1)
    game.hub.hear(Edge("seat-1", True, game.clock.now()))
    game.hub.hear(Edge("seat-1", False, game.clock.now()))

    wake = game.hub.next_wake()

    assert wake is not None
    assert wake <= game.clock.now() + 0.1


def test_a_safe_shutdown_sweeps_out_and_hears_nothing_more(game: Rig) -> None:
    """Hold two buttons for five seconds: goodbye, darkness, and the end."""
    ended: list[float] = []
    game.hub.on_shutdown(lambda: ended.append(game.clock.now()))
    began = game.clock.now()
    for button in ("advance", "undo"):
        game.board.buttons.press(button)
    game.wait(4.9)
    assert [] == game.heard
    game.wait(0.2)
    assert ["goodbye"] == game.heard
    seq = game.hub.seq
    game.board.buttons.press("seat-1")
    game.board.buttons.release("seat-1")
    game.wait(2.0)
    assert not any(game.board.lights.frame)
    game.wait(1.0)

    assert [pytest.approx(began + 7.5)] == ended
    assert seq == game.hub.seq


def test_pairing_is_opened_for_a_minute(game: Rig) -> None:
    """Hold `train` and `advance` for three seconds."""
    game.hold("train", "advance", seconds=3.1)

    assert ["join"] == game.heard
    minute = game.hub.pairing()
    assert minute is not None
    assert 55.0 < minute.ends - game.clock.now() < 60.0
    assert "playing" == game.hub.state()["phase"]


def test_ending_the_game_early_takes_two_buttons(game: Rig) -> None:
    """Hold `whistle` and `advance` for three seconds, then `advance`; undo takes it back."""
    game.hold("whistle", "advance", seconds=3.1)
    asks, question = (game.hub.state()[key] for key in ("asks", "question"))
    assert ("playing", "end") == (game.hub.table.phase, asks["what"])
    assert "End the game here?" in question["said"]["template"]
    game.wait(4.0)
    assert question["remaining_s"] - 4.0 == pytest.approx(
        game.hub.state()["question"]["remaining_s"]
    )
    game.tap("advance")
    assert "finished" == game.hub.state()["phase"]
    game.tap("undo")

    assert "playing" == game.hub.state()["phase"]


# What always holds


LONGEST_QUESTION = 20.0
"""After which only what the table itself does not know is asked, also by buttons still held."""


def _check_what_waits(hub: Hub) -> None:
    """Check that a question can be answered, and that the hand being counted exists."""
    state = hub.state()
    playing = {seat.number for seat in hub.table.players()}
    if state["asks"] is not None:
        everybody = set(SEATS) if state["asks"]["what"] == "move" else playing
        assert set(state["asks"]["seats"]) <= everybody
    if state["counting"] is not None:
        assert state["phase"] in ("scoring", "finished")
        assert state["counting"]["seat"] in playing
        assert len(state["counting"]["typed"]) <= 4


@given(open_tables(), moves)
def test_no_sequence_of_edges_raises_or_reaches_an_illegal_state(
    opening: c.OpenTable, found: list[Move]
) -> None:
    """Any buttons at any times, with bounce; the result survives a power cut."""
    rig = Rig()
    rig.hub.do(opening)
    for move in found:
        rig.hub.hear(Edge(move.button, move.down, rig.clock.now()))
        rig.wait(move.wait)
        check_legal(rig.hub.table)
        _check_what_waits(rig.hub)
    rig.wait(LONGEST_QUESTION)
    check_page(rig.hub.ledger)
    question = rig.hub.state()["asks"]
    assert question is None or question["what"] in ("starter", "double")

    assert ledger_facts(rig.hub.ledger) == ledger_facts(replayed(rig.journal.read()))
    rig.journal.close()


@given(moves)
def test_no_sequence_of_edges_raises_in_the_lobby(found: list[Move]) -> None:
    """From the first start, through all games, sets and profiles."""
    rig = Rig()
    for move in found:
        rig.hub.hear(Edge(move.button, move.down, rig.clock.now()))
        rig.wait(move.wait)
    rig.wait(10.0)
    check_page(rig.hub.ledger)

    assert ledger_facts(rig.hub.ledger) == ledger_facts(replayed(rig.journal.read()))
    rig.journal.close()


@given(st.lists(st.sampled_from(["seat-1", "seat-2", "train"]), min_size=1, max_size=12))
def test_a_restart_shows_the_same_lights(taps: list[str]) -> None:
    """A fresh hub on the same journal shows the same lights."""
    rig = Rig()
    rig.hub.do(c.OpenTable("mexican-train/classic", FOUR, 12))
    rig.quick(*taps)
    rig.wait(10.0)
    rig.hub.wake()
    other = build(clock=rig.clock)
    Hub(GAMES, rig.journal, other)

    assert rig.board.lights.frame == other.lights.frame
    rig.journal.close()


def test_refused_commands_of_a_phone_are_raised_and_not_sounded(game: Rig) -> None:
    """The phone shows the sentence itself; the table is not disturbed."""
    with pytest.raises(Refused, match="Nobody sits at seat 9"):
        game.hub.do(c.CallLastTile(9))

    assert [] == game.heard


@pytest.mark.parametrize("uptime", [0.0, 4_256_910.0, 3e8])
def test_lights_move_on_however_long_the_hub_has_run(uptime: float) -> None:
    """After weeks, floats are coarser than a frame's steps; no frame may be due at its own time."""
    clock = VirtualClock(now=uptime)
    hub = Hub(GAMES, Journal(":memory:", GAMES), build(clock=clock))
    hub.do(c.OpenTable("mexican-train/classic", FOUR, 12))
    for number in range(200):
        wake = hub.next_wake()
        if wake is None:
            break
        before = clock.now()
        clock.move(wake - before)
        hub.wake()
        assert clock.now() > before or number == 0

    hub.journal.close()


def test_following_another_clock_warns_without_a_press(rig: Rig) -> None:
    """A hall sets the table's clock to four minutes: the warning comes at once."""
    rig.hub.do(c.OpenTable("mexican-train/rally", FOUR, 12))
    rig.wait(3.0)
    told: list[int] = []
    rig.hub.on_news(lambda: told.append(1))
    assert rig.heard

    rig.hub.follow_clock(101 * 60.0)

    assert [1] == told
    assert 4 * 60 - 3 == rig.hub.state()["clock"]["remaining_s"]
    assert any(Layout(rig.board.zones).zone(rig.board.lights.frame, "ring"))
    rig.wait(0.1)
    assert ["time"] == rig.heard


def test_quiet_hours_follow_a_clock_that_is_set(game: Rig) -> None:
    """A hub that wakes up in the afternoon and learns that it is night goes dim at once."""
    game.hub.change(
        PREFERENCES, lambda known: replace(known, quiet_from="22:00", quiet_until="06:00")
    )
    noon = game.clock.at() - game.clock.at() % 86400 + 12 * 3600 + time.timezone
    game.clock.set(noon)
    game.hub.wake()
    assert 1.0 == game.board.lights.brightness
    game.clock.set(noon + 11 * 3600)
    game.hub.wake()

    assert game.board.lights.brightness < 1.0


def test_a_long_game_takes_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that undo keeps have no cached values, and rows before a snapshot are dropped."""
    monkeypatch.setattr(commit_queue, "SNAPSHOT_EVERY", 20)
    with closing(Journal(tmp_path / "table.db", GAMES)) as journal:
        hub = Hub(GAMES, journal, build(clock=VirtualClock()))
        hub.on_news(hub.state)
        hub.do(c.OpenTable("mexican-train/classic", FOUR, 12, starter=1))
        for number in range(60):
            hub.do(c.Rename(1, f"Ann {number}"))
            if number % 7 == 0:
                hub.do(c.Undo())
                hub.do(c.Redo())

        kept = [step.before for step in hub.ledger.past if step.before is not hub.table]
        assert [{}] * len(kept) == [table.__dict__ for table in kept]
        assert len(journal.file._shadow._events) < 40
        assert hub.state()["seats"][0]["name"] == "Ann 59"
