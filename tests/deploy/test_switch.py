"""Updates: a healthy version is kept, a broken one goes back by itself.

The versions are the real program, started by the unit's own command line; what is wrong with the
bad ones is written into their modules.
"""

import sqlite3

import pytest

from tests.deploy.conftest import needs_root, playing_in

pytestmark = [needs_root, pytest.mark.real_time("versions that must come up in time")]

DIES = "def run(options): return 3"
SILENT = """
import threading
def run(options):
    threading.Event().wait(60)
"""
NO_PAGES = """
async def _serve(service, simulated, config):
    await service.run()
"""
UNWELL = """
def everything(*asked):
    yield Check("lights", "fail", "The lights are not as this version wants them.", "Rewire them.")
"""
FALLS = UNWELL + "    raise RuntimeError('in the middle of it')\n"
STOPS = """
import os, signal
def save(options):
    os.kill(os.getppid(), signal.SIGTERM)
    return 1
"""
NEWER_FORMAT = """
import sqlite3
def run(options):
    path = load_config(options).journal_path()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.commit()
    database.close()
    return 3
"""


@pytest.fixture
def playing(hub):
    """A running hub, with somebody at the table."""
    assert 0 == hub.systemctl("start", "centerpiece"), hub.log
    return hub


@pytest.fixture(scope="module")
def unchanged(installed_once, tmp_path_factory):
    """A running hub for tests that do not change it."""
    with playing_in(tmp_path_factory.mktemp("unchanged"), installed_once) as hub:
        yield hub


def test_a_healthy_version_is_kept(playing):
    """It is started, answers and is used; the one before stays for a way back.

    The games were backed up before: a verified copy, made by the version that wrote them.
    """
    old = playing.current
    older = playing.another("0.0.1-aaaaaaaa")
    new = playing.another("0.2.0-bbbbbbbb")

    done = playing.switch(new)

    assert (f"version {new} is in use\n", "", 0) == (done.stdout, done.stderr, done.returncode)
    assert new == playing.current
    assert b'"phase"' in playing.page()
    assert not (playing.programs / "pending").exists()
    assert {old, new} == {path.name for path in (playing.programs / "versions").iterdir()}
    assert not (playing.programs / "versions" / older).exists()

    backup = playing.root / f"var/lib/centerpiece/backups/before-{new}.db"
    playing.systemctl("stop", "centerpiece")
    done = playing.ask("restore", backup, "--force")
    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.parametrize(
    ("wrong", "more"),
    [
        ({"centerpiece__cli__run": DIES}, {}),
        ({"centerpiece__cli__run": SILENT}, {"CENTERPIECE_FAKE_LIMIT": "2"}),
        ({"centerpiece__cli__run": NO_PAGES}, {"CENTERPIECE_TRIES": "3"}),
    ],
    ids=["cannot start", "never says that it is ready", "serves no pages"],
)
def test_a_version_that_does_not_come_up_goes_back_by_itself(playing, wrong, more):
    """The one before is used again and answers; the exit code says that the update failed."""
    old = playing.current
    new = playing.another("0.2.0-bad", **wrong)

    done = playing.switch(new, **more)

    assert 1 == done.returncode
    assert f"version {new} did not come up healthy; {old} is back in use" in done.stderr
    assert old == playing.current
    assert b'"phase"' in playing.page()
    assert not (playing.programs / "pending").exists()


def test_a_version_whose_doctor_is_not_content_is_never_started(unchanged):
    """The old one is not stopped, and the doctor's words are shown."""
    old = unchanged.current
    new = unchanged.another("0.2.0-unwell", centerpiece__cli__doctor=UNWELL)
    (unchanged.root / "run/systemctl.log").unlink()

    done = unchanged.switch(new)

    assert 1 == done.returncode
    assert "The lights are not as this version wants them." in done.stdout
    assert (
        f"centerpiece: the doctor of version {new} is not content "
        "(lights: The lights are not as this version wants them.); "
        f"{old} stays in use\n"
    ) == done.stderr
    assert old == unchanged.current
    assert not (unchanged.root / "run/systemctl.log").exists()


def test_a_part_that_is_broken_anyway_keeps_nobody_from_a_newer_version(hub):
    """A part that only the new version cannot use does, and so does a failing doctor."""
    first = hub.another("0.2.0-unwell", centerpiece__cli__doctor=UNWELL)
    hub.switch("--after-restart", first)
    assert 0 == hub.systemctl("start", "centerpiece"), hub.log
    worse = UNWELL + '    yield Check("sound", "fail", "Too loud.", "Use another.")\n'

    refused = hub.switch(hub.another("0.3.0-worse", centerpiece__cli__doctor=worse))
    failed = hub.switch(hub.another("0.3.0-fails", centerpiece__cli__doctor=FALLS))
    assert "is not content (sound: Too loud.); " in refused.stderr
    assert "is not content (the doctor itself failed); " in failed.stderr
    assert first == hub.current

    same = hub.another("0.3.0-same", centerpiece__cli__doctor=UNWELL)
    done = hub.switch(same)
    assert ("", 0, same) == (done.stderr, done.returncode, hub.current)
    assert "version 0.2.0-unwell has the same trouble" in done.stdout


def test_a_change_that_is_stopped_halfway_leaves_a_hub_that_plays(hub):
    """By the time limit, or because somebody pulls the stick."""
    first = hub.another("0.2.0-stops", centerpiece__cli__backup_command=STOPS)
    hub.switch("--after-restart", first)
    assert 0 == hub.systemctl("start", "centerpiece"), hub.log

    done = hub.switch(hub.another("0.3.0-bbbbbbbb"))

    assert (130, first) == (done.returncode, hub.current)
    assert b'"phase"' in hub.page()
    assert not (hub.programs / "pending").exists()


def with_unit(hub, version, line):
    """Give a version a unit of its own."""
    unit = hub.programs / "versions" / version / "deploy/centerpiece.service"
    text = unit.read_text()
    unit.unlink()
    unit.write_text(text + line)
    return version


def test_a_version_runs_with_its_own_units(playing):
    """A version that goes takes its units along."""
    unit = playing.root / "etc/systemd/system/centerpiece.service"
    old = unit.read_text()
    bad = playing.another("0.2.0-bad", centerpiece__cli__run=DIES)
    playing.switch(with_unit(playing, bad, "# bad\n"))
    assert old == unit.read_text()
    assert b'"phase"' in playing.page()

    log = playing.root / "run/systemctl.log"
    log.unlink()
    playing.switch(with_unit(playing, playing.another("0.3.0-good"), "# good\n"))
    assert f"{old}# good\n" == unit.read_text()
    assert "daemon-reload" in log.read_text()
    assert not (unit.parent / "avahi.service").exists()


def test_games_in_a_newer_format_are_put_back_with_the_old_version(playing):
    """The old version could not read them; the new one's file is kept beside them."""
    old = playing.current
    new = playing.another("0.2.0-newer", centerpiece__cli__run=NEWER_FORMAT)
    data = playing.root / "var/lib/centerpiece"

    done = playing.switch(new)

    assert 1 == done.returncode
    assert "with the games as they were before the update" in done.stderr
    assert old == playing.current
    assert b'"phase"' in playing.page()
    (kept,) = data.glob("table.db.before-*")
    with sqlite3.connect(kept) as database:
        assert [(99,)] == database.execute("PRAGMA user_version").fetchall()


def test_after_a_restart_the_new_version_is_kept_when_it_is_well(hub):
    """`--after-restart` leaves a way back until systemd has seen the new version's page."""
    new = hub.another("0.2.0-bbbbbbbb")

    assert 0 == hub.switch("--after-restart", new).returncode
    assert (hub.programs / "pending").exists()
    assert 0 == hub.systemctl("start", "centerpiece"), hub.log

    assert new == hub.current
    assert not (hub.programs / "pending").exists()


def test_after_a_restart_a_version_that_fails_goes_back_by_itself(hub):
    """systemd gives up and starts the rollback unit."""
    old = hub.current
    new = hub.another("0.2.0-bad", centerpiece__cli__run=DIES)
    hub.switch("--after-restart", new)

    assert 1 == hub.systemctl("start", "centerpiece")
    done = hub.switch("--back")

    assert 0 == done.returncode
    assert old == hub.current
    assert b'"phase"' in hub.page()
    told = f"An update was not kept: version {new} did not come up healthy; {old} is back in use."
    for place in ("var/lib/centerpiece-problems/update", "boot/firmware/centerpiece-problem.txt"):
        assert told == (hub.root / place).read_text().strip()


def test_a_failure_long_after_an_update_changes_no_version(unchanged):
    """Without a pending change, the rollback unit does nothing."""
    old = unchanged.current

    done = unchanged.switch("--back")

    assert ("", "", 0) == (done.stdout, done.stderr, done.returncode)
    assert old == unchanged.current


def test_a_version_that_is_not_complete_is_not_switched_to(unchanged):
    """After a power cut while it was being placed."""
    old = unchanged.current
    new = unchanged.another("0.2.0-half")
    (unchanged.programs / "versions" / new / "complete").unlink()

    done = unchanged.switch(new)

    assert 2 == done.returncode
    assert "is not there, or not complete; nothing was changed" in done.stderr
    assert old == unchanged.current


def test_two_changes_at_a_time_are_not_possible(unchanged):
    """The second is refused; reports of systemd meanwhile are for the first."""
    lock = unchanged.root / "run/centerpiece-switch.lock"
    second = f'exec 8>"{lock}"; flock 8; "$0" --root "$1" "$2" 8>&-'

    said = unchanged.run(
        "sh", "-c", second, unchanged.programs / "switch", unchanged.root, unchanged.current
    )
    reported = unchanged.run(
        "sh", "-c", second, unchanged.programs / "switch", unchanged.root, "--back"
    )

    assert (2, True) == (said.returncode, "another change of version is under way" in said.stderr)
    assert (0, "") == (reported.returncode, reported.stderr)
