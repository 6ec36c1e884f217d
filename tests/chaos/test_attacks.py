"""Every attack in a very short form, and in its short one for the long tests.

`make chaos` runs the long ones and tells figures.
"""

import shutil
from functools import partial
from typing import Any

import pytest

from centerpiece.hub import game_clock
from centerpiece.panel import interpret
from centerpiece.web.pairing import PhoneRegister
from tests.chaos import (
    clocks,
    crowds,
    disks,
    doors,
    kills,
    load,
    orders,
    paper,
    repeats,
    season,
    supply,
    swelling,
    wild,
)
from tests.chaos.__main__ import ATTACKS, Attack, lines
from tests.chaos.result import Result

pytestmark = pytest.mark.real_time("processes that are killed and crowds of connections")

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
IN_SHORT = [attack for attack in ATTACKS if attack.name != "known weaknesses"]
"""All that need no network."""


@needs_gcc
@pytest.mark.long
@pytest.mark.parametrize("attack", IN_SHORT, ids=lambda attack: attack.name)
def test_an_attack_in_its_short_form(attack: Attack) -> None:
    result = attack.run(True)

    assert result.tries
    assert [] == [each for each in result.failures if "slow:" not in each and "only" not in each]


@needs_gcc
def test_a_killed_hub_starts_with_everything_it_had_told() -> None:
    """
    After two `kill -9` in the middle of presses and commands, on one journal.
    """
    assert [] == kills.kill_again_and_again(1, 2, longest_s=0.4).failures


def test_a_hub_killed_at_the_halls_order_carries_it_out_once() -> None:
    """
    Exactly once, whether the order was read or begun before the kill.
    """
    assert [] == orders.kill_while_ordering(1, 2).failures


def test_an_order_that_is_sent_again_after_a_reset_is_done_once() -> None:
    """
    Also by a hub that was killed in between.
    """
    assert [] == repeats.repeat(1, 6, kill_every=5).failures


def test_a_journal_that_is_deleted_under_a_running_hub_is_there_after_a_kill() -> None:
    """
    Without any press, the hub notices, writes it again and reports it.
    """
    assert [] == kills.take_away(1).failures


@needs_gcc
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_failing_disk_takes_nothing_back_and_changes_nothing(seed: int) -> None:
    """
    Full, read-only, failing or unreadable: acknowledged commands are there, others are not.
    """
    assert [] == disks.fail_now_and_then(seed, 40).failures


def test_a_file_that_swells_is_refused_before_the_machine_stands_still() -> None:
    """
    The command itself refuses half a megabyte that would become a third of a gigabyte.
    """
    result = swelling.swell(12_000, 1)

    assert [] == result.failures
    assert "refused" in result.figures


@pytest.mark.parametrize("seed", range(4))
def test_a_jumping_clock_neither_loses_nor_shuffles_anything(seed: int) -> None:
    """
    And the time limit is not affected.
    """
    assert [] == clocks.jump(seed, 25).failures


def test_random_edges_reach_no_state_that_cannot_be() -> None:
    """
    In every game; the journal gives the same state afterwards.
    """
    assert [] == wild.edges(7, 6_000, block=1_000).failures


def test_requests_from_the_apis_own_description_never_crash_the_hub() -> None:
    """
    Every request, valid or not, gets an answer or an error of the one shape.
    """
    result = wild.requests(1)

    assert [] == result.failures
    assert result.tries > 20


def test_noise_on_the_serial_line_is_not_taken_for_words() -> None:
    """
    Cues may be lost; the module's thread goes on.
    """
    assert [] == wild.serial_noise(1, 50).failures


def test_a_redis_that_talks_nonsense_is_a_hall_that_is_away() -> None:
    """
    The hub plays on and reports it.
    """
    assert [] == wild.redis_nonsense(1, 12).failures


def test_a_config_file_with_mistakes_is_refused_with_a_sentence() -> None:
    """
    Or it is used.
    """
    assert [] == wild.configs(1, 300).failures


def test_nothing_is_lost_under_load() -> None:
    """
    Buttons and phones without pause, in virtual time; then with pages, over loopback.
    """
    assert [] == load.virtually(1, 3).failures
    result = load.really(1, pages=20)
    lost = [failure for failure in result.failures if "only" not in failure]  # a busy machine
    assert [] == lost


def test_a_season_leaves_every_evening_in_the_books() -> None:
    """
    With a power cut after each.
    """
    assert [] == season.season(1, 5).failures


def test_no_stranger_writes_whatever_key_they_bring() -> None:
    """
    A missing, forged, guessed, shortened, revoked or expired token, another origin or host.
    """
    assert [] == doors.knock(1, 1).failures


def test_strangers_try_every_route_that_writes() -> None:
    """
    New routes are attacked too; the virtual hub's exists with the simulator only.
    """
    paths = ("/api/hub/press", "/api/hub/marker", "/api/keeper")
    simulated = {("POST", path) for path in paths}
    assert set(doors.WRITES) == doors.routes_that_write(simulated=True)
    assert set(doors.WRITES) - simulated == doors.routes_that_write(simulated=False)


def test_hammering_at_the_door_lets_nobody_in_and_keeps_nobody_out() -> None:
    """
    A thousand tries a second by the hub's clock, with writes of paired phones in between.
    """
    assert [] == doors.hammer_pairing(1, 400).failures


def test_no_crowd_of_strangers_reaches_the_buttons_or_keeps_a_phone_out() -> None:
    """
    Idle, slow, not reading, coming and going, asking without end: a thousand and more of them. How
    quickly is for `make chaos` to judge, on a machine that does nothing else.
    """
    failures = crowds.crowded(0.25).failures
    assert [] == [failure for failure in failures if "slow:" not in failure]


def test_the_lock_has_a_hash_for_every_file_of_a_release() -> None:
    """
    And the same versions as the constraints.
    """
    result = supply.lock()

    assert [] == result.failures
    assert result.tries > 4


def test_a_forged_package_is_refused() -> None:
    assert [] == supply.forged().failures


def test_the_attacks_would_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A hub that lets anybody write, a clock that jumps and a button that crashes are all found.
    """
    monkeypatch.setattr(PhoneRegister, "may_write", lambda self, request: True)
    assert doors.knock(1, 1).failures
    monkeypatch.setattr(repeats, "_sent", partial(_without_key, repeats._sent))
    assert repeats.repeat(1, 6).failures
    monkeypatch.setattr(game_clock, "JUMP", float("inf"))
    assert clocks.jump(1, 10).failures
    monkeypatch.setattr(interpret, "_double", lambda *press: 1 / 0)
    assert wild.edges(7, 1_000).failures


def _without_key(sent: Any, hub: kills.Running, body: dict[str, Any], key: str) -> Any:
    return sent(hub, body, "")


def test_the_table_tells_what_failed() -> None:
    """
    Attacks that find something, and attacks that crash.
    """

    def broken(quick: bool) -> Result:
        raise RuntimeError("no disk")

    found = ATTACKS[0]._replace(name="found", run=lambda quick: Result(9, ["one"], 0.5, "x"))
    breaks = ATTACKS[0]._replace(name="breaks", run=broken)
    failures: list[str] = []

    first, _ = lines([found, breaks], True, failures)

    assert first.startswith("| found | 9 | 1 | 500.0 ms |")
    assert ["found: one", "breaks: the attack itself failed: RuntimeError('no disk')"] == failures


def test_the_paper_has_a_line_for_each_attack_and_keeps_those_that_did_not_run() -> None:
    """
    And every attack is described.
    """
    known = [attack.name for attack in ATTACKS]
    text = paper.PAPER.read_text()
    other = paper.with_line(text, paper.line(known[1], Result(7, [], 0.1, "x"), 3.0, "`c`"), known)

    assert f"| {known[1]} | 7 | 0 | 100.0 ms | 3 s | `c` | x |" in other.splitlines()
    assert len(set(other.splitlines()) ^ set(text.splitlines())) <= 2
    assert [] == [name for name in known if name.lower() not in text.split(paper.END)[1].lower()]
