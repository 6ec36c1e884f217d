"""The service around the hub: threads, timers, systemd and shutdown."""

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from centerpiece.display.looks import recognized
from centerpiece.display.render import Layout
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.panel.ui import ECHO
from centerpiece.service.shell import Service, notify
from centerpiece.storage.journal import Journal
from centerpiece.storage.writer import DirectWriter
from centerpiece.table import commands as c
from hal.ports import Edge, Trouble
from sim.board import SimBoard, build
from tests.evenings import FOUR
from tests.patience import TIMEOUT_S


class TimeTravelLoop(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next timer instead of waiting for it.

    While `held`, time stands still, so that the test can wait for another thread.
    """

    def __init__(self) -> None:
        super().__init__()
        self._now = 1000.0
        self.held = False
        self.slept: list[float] = []
        real_select = self._selector.select  # type: ignore[attr-defined]

        def select(timeout: float | None) -> Any:
            if self.held or timeout is None or timeout <= 0:
                return real_select(timeout)
            ready = real_select(0)
            if not ready:
                self.slept.append(timeout)
                self._now += timeout
            return ready

        self._selector.select = select  # type: ignore[attr-defined]

    def time(self) -> float:
        return self._now


class LoopClock:
    """A hub clock that shows the loop's time."""

    def __init__(self, loop: TimeTravelLoop) -> None:
        self._loop = loop

    def now(self) -> float:
        return self._loop.time()

    def at(self) -> float:
        return 1_800_000_000.0 + self._loop.time()


class Running:
    """A running service, in a loop that does not wait."""

    def __init__(self, loop: TimeTravelLoop, path: Path | str = ":memory:") -> None:
        self.loop = loop
        self.board: SimBoard = build(clock=LoopClock(loop))
        self.journal = Journal(path, GAMES)
        self.hub = Hub(GAMES, self.journal, self.board)
        self.service = Service(self.hub)

    def play(
        self,
        story: Callable[[], Awaitable[None]],
        pages: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """Run the service, run the story in it, and stop it."""

        async def told() -> None:
            ready = asyncio.Event()
            running = asyncio.create_task(self.service.run(ready=ready.set, pages=pages))
            waiting = asyncio.create_task(ready.wait())
            await asyncio.wait([waiting, running], return_when=asyncio.FIRST_COMPLETED)
            try:
                await story()
            finally:
                self.service.stop()
                await running

        self.loop.run_until_complete(told())

    def tap(self, button: str) -> None:
        self.board.buttons.press(button)
        self.board.buttons.release(button)

    async def two_sit_down(self) -> None:
        """Tap two seats, and check that both are seated."""
        for button in ("seat-2", "seat-3"):
            self.tap(button)
            await passed(0.1)
        assert [2, 3] == [seat["seat"] for seat in self.hub.state()["seats"]]

    def look(self, zone: str) -> tuple[str, ...]:
        """Return the looks of a zone."""
        return recognized(Layout(self.board.zones).zone(self.board.lights.frame, zone))

    @property
    def timer(self) -> float | None:
        """Return when the service's timer is due."""
        timer = self.service._timer
        return None if timer is None else timer.when()


@pytest.fixture
def loop() -> Iterator[TimeTravelLoop]:
    loop = TimeTravelLoop()
    yield loop
    loop.close()


@pytest.fixture
def running(loop: TimeTravelLoop) -> Running:
    return Running(loop)


async def passed(seconds: float) -> None:
    """Let time pass, as the loop's timers make it."""
    await asyncio.sleep(seconds)


# Edges and timers


@pytest.mark.real_time("another thread")
def test_an_edge_from_another_thread_is_handled_on_the_loops_thread(running: Running) -> None:
    heard_in: list[int] = []
    hear = running.hub.hear

    def watched(edge: Edge) -> None:
        heard_in.append(threading.get_ident())
        hear(edge)

    running.hub.hear = watched  # type: ignore[method-assign]

    async def story() -> None:
        finger = threading.Thread(target=running.tap, args=("seat-2",))
        running.loop.held = True
        finger.start()
        finger.join(TIMEOUT_S)
        running.loop.held = False
        await passed(0.1)
        assert [2] == [seat["seat"] for seat in running.hub.state()["seats"]]

    running.play(story)
    assert [threading.get_ident()] * 2 == heard_in


def test_after_the_end_no_edge_reaches_the_hub(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    """The journal is closed; a later edge is only logged."""
    heard: list[Edge] = []

    async def story() -> None:
        running.tap("seat-2")
        await passed(0.1)

    running.play(story)
    running.hub.hear = lambda edge: heard.append(edge)  # type: ignore[method-assign]
    running.service.edge(Edge("seat-3", True, 0.0))

    assert [] == heard
    assert "was lost" in caplog.text


def test_edges_that_come_together_are_all_carried_out_and_painted_once(running: Running) -> None:
    """Ten taps while the hub is busy: ten seats taken, one frame."""
    frames = running.board.lights.frames

    async def story() -> None:
        for number in range(1, 11):
            running.board.buttons.press(f"seat-{number}")
        await passed(0.2)
        before = len(frames)
        for number in range(1, 11):
            running.board.buttons.release(f"seat-{number}")
        assert before == len(frames)
        await passed(0.0)
        assert [*range(1, 11)] == [seat["seat"] for seat in running.hub.state()["seats"]]
        assert before + 1 == len(frames)

    running.play(story)


def test_gestures_that_time_makes_together_are_painted_once(running: Running) -> None:
    """Two short presses become taps only when their lines are quiet."""
    frames = running.board.lights.frames

    async def story() -> None:
        for number in (1, 2):
            running.tap(f"seat-{number}")
        await passed(0.0)
        before = len(frames)
        await passed(0.075)
        assert [1, 2] == [seat["seat"] for seat in running.hub.state()["seats"]]
        assert before + 1 == len(frames)

    running.play(story)


@pytest.mark.parametrize("called_by", ["timer", "order", "report"])
def test_a_tap_that_waits_is_heard_before_what_would_make_it_a_hold(
    running: Running, called_by: str
) -> None:
    """The time stamps of the queued edges decide if the loop wakes up late."""
    running.hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=1))

    async def story() -> None:
        await passed(3.0)
        running.board.buttons.press("seat-3")
        await passed(0.1)
        now = running.loop.time()
        running.service._edges.append(Edge("seat-3", False, now))
        running.loop._now += 2.0
        if called_by == "order":
            before = running.hub.seq
            running.hub.do(c.Rename(1, "Zoe"))
            assert before + 2 == running.hub.seq
        elif called_by == "report":
            running.service.wrote(None)
            await passed(0.0)
        else:
            running.service._wake()
        seat = running.hub.state()["seats"][2]
        assert (True, False) == (seat["marker"], seat["last_tile"])

    running.play(story)


@pytest.mark.real_time("another thread")
def test_a_writers_report_is_handled_on_the_loops_thread(loop: TimeTravelLoop) -> None:
    """Until then nothing is shown; the service runs meanwhile."""
    running = Running(loop)
    writer = DirectWriter(running.journal)
    running.hub = Hub(GAMES, running.journal, running.board, writer=writer)
    running.service = Service(running.hub, writer)

    async def story() -> None:
        writer.hold()
        running.tap("seat-2")
        await passed(0.1)
        assert [] == running.hub.state()["seats"]
        reporting = threading.Thread(target=writer.go_on)
        reporting.start()
        reporting.join()
        assert [] == running.hub.state()["seats"]
        await passed(0.0)
        assert [2] == [seat["seat"] for seat in running.hub.state()["seats"]]

    running.play(story)


def test_a_marker_that_settles_is_carried_out_by_the_timer(running: Running) -> None:
    """Nothing else happens meanwhile; the docks are read at the start."""
    running.board.docks.fit([1, 2], home=False)

    async def story() -> None:
        two = c.OpenTable("mexican-train/family", ("Ann", "Bob"), 12, starter=1)
        running.board.docks.dock(1)
        await passed(0.5)
        running.hub.do(two)
        await passed(1.0)
        running.board.docks.lift(1)
        await passed(0.5)
        seats = running.hub.state()["seats"]
        assert ["lifted", "lifted"] == [seat["dock"] for seat in seats]
        assert [True, False] == [seat["marker"] for seat in seats]  # the second one is awaited

    running.play(story)


def test_an_edge_that_fails_takes_no_other_with_it(running: Running) -> None:
    """The next press is handled, and the lights follow."""
    hear = running.hub.hear

    def broken(edge: Edge) -> None:
        if edge.button == "undo":
            raise RuntimeError("this button is cursed")
        hear(edge)

    running.hub.hear = broken  # type: ignore[method-assign]

    async def story() -> None:
        for button in ("seat-1", "undo", "seat-2", "undo"):
            running.tap(button)
        await passed(0.1)
        assert [1, 2] == [seat["seat"] for seat in running.hub.state()["seats"]]
        await passed(0.5)
        assert [("closed", "plays")] * 2 == [running.look(f"seat-{number}") for number in (1, 2)]

    running.play(story)


def test_edges_of_many_threads_are_all_heard_each_threads_in_their_order(running: Running) -> None:
    heard: list[Edge] = []
    running.hub.hear = lambda edge: heard.append(edge)  # type: ignore[method-assign]
    buttons, each, interval = ("seat-1", "seat-2", "seat-3"), range(2000), sys.getswitchinterval()

    def drum(button: str) -> None:
        for number in each:
            running.service.edge(Edge(button, True, float(number)))

    async def story() -> None:
        running.loop.held = True
        await asyncio.gather(*(asyncio.to_thread(drum, button) for button in buttons))
        await passed(0.0)
        running.loop.held = False
        for button in buttons:
            assert [*each] == [edge.now for edge in heard if edge.button == button]

    sys.setswitchinterval(1e-6)
    try:
        running.play(story)
    finally:
        sys.setswitchinterval(interval)


def test_an_edge_that_comes_while_others_are_heard_is_heard_after_them(running: Running) -> None:
    """It needs no further call of the loop."""
    heard: list[str] = []

    def hear(edge: Edge) -> None:
        heard.append(edge.button)
        if edge.button == "seat-1":
            running.service.edge(Edge("seat-3", True, edge.now))

    running.hub.hear = hear  # type: ignore[method-assign]

    async def story() -> None:
        for button in ("seat-1", "seat-2"):
            running.board.buttons.press(button)
        await passed(0.1)
        assert ["seat-1", "seat-2", "seat-3"] == heard

    running.play(story)


def test_an_edge_that_is_lost_silences_no_other(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    """An edge before the service runs is lost and logged."""
    edges = [Edge("seat-1", down, 1000.0) for down in (True, False)]
    with caplog.at_level(logging.ERROR):
        for edge in edges:
            running.service.edge(edge)
    assert 2 == len(caplog.records)

    async def story() -> None:
        running.tap("seat-2")
        await passed(1.0)
        assert [2] == [seat["seat"] for seat in running.hub.state()["seats"]]

    running.play(story)


def test_a_hold_is_heard_by_time_alone(running: Running) -> None:
    """No edge comes after 1.5 s; the timer does."""
    running.hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=1))

    async def story() -> None:
        running.board.buttons.press("seat-3")
        await passed(0.79)
        assert running.hub.state()["seats"][2]["last_tile"] is False
        await passed(0.02)
        assert running.hub.state()["seats"][2]["last_tile"] is True

    running.play(story)


def test_an_idle_hub_has_no_timer(running: Running) -> None:
    """Neither in the lobby nor in a quiet round."""

    async def story() -> None:
        assert running.timer is None
        running.hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=1))
        await passed(0.0)
        assert running.timer is not None
        running.tap("seat-9")  # the face need not say any longer how many tiles to draw
        await passed(2.5)
        assert running.timer is None
        running.loop.slept.clear()
        await passed(3600.0)
        assert [3600.0] == running.loop.slept

    running.play(story)


def test_there_is_one_timer_and_it_is_for_what_comes_first(running: Running) -> None:
    """An echo ends before a blink does."""
    running.hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=1))

    async def story() -> None:
        await passed(3.0)
        running.hub.do(c.CallLastTile(2))
        await passed(0.05)  # what there is to say of it has been composed
        blink = running.timer
        running.board.buttons.press("seat-1")
        await passed(0.0)
        await passed(0.0)
        soonest = running.timer
        assert soonest is not None
        assert blink is not None
        assert pytest.approx(running.loop.time() + ECHO) == soonest < blink
        assert running.hub.next_wake() == pytest.approx(soonest)

    running.play(story)


def test_a_phones_command_sets_the_timer_too(running: Running) -> None:
    """A moving light needs a timer although nobody pressed anything."""
    running.hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=1))

    async def story() -> None:
        await passed(3.0)
        running.tap("seat-9")
        await passed(0.6)
        running.hub.do(c.CallLastTile(2))
        running.board.lights.frames.clear()
        await passed(4.0)
        assert 9 <= len(running.board.lights.frames) <= 11

    running.play(story)


def test_a_listener_that_fails_does_not_silence_the_buttons(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    """The error is logged, and the next press is handled."""

    async def story() -> None:
        faults = ["a page went wrong"]

        def broken() -> None:
            if faults:
                raise RuntimeError(*faults)

        running.hub.on_news(broken)
        with caplog.at_level(logging.ERROR):
            running.tap("seat-1")
            await passed(1.0)
        faults.clear()
        running.tap("seat-2")
        await passed(1.0)
        assert [1, 2] == [seat["seat"] for seat in running.hub.state()["seats"]]

    running.loop.set_exception_handler(lambda loop, context: None)
    running.play(story)


@pytest.mark.real_time("another thread")
def test_trouble_from_another_thread_reaches_the_page(running: Running) -> None:
    """Lights report from a thread of their own."""

    async def story() -> None:
        told = asyncio.Event()
        running.hub.on_news(told.set)
        running.loop.held = True
        threading.Thread(
            target=running.service.report, args=(Trouble("lights", "The lights do not answer."),)
        ).start()
        await told.wait()
        running.loop.held = False
        assert ["lights"] == [t["device"] for t in running.hub.state()["trouble"]]

    running.play(story)


def test_trouble_before_the_start_is_not_lost(running: Running) -> None:
    """Devices are opened before the loop runs."""
    device = threading.Thread(
        target=running.service.report, args=(Trouble("sound", "The sound module does not answer."),)
    )
    device.start()
    device.join()
    assert [] == running.hub.state()["trouble"], "only the loop's thread touches the hub"

    async def story() -> None:
        await passed(0.1)
        assert ["sound"] == [t["device"] for t in running.hub.state()["trouble"]]

    running.play(story)


def test_a_button_held_since_the_start_is_told_until_it_is_let_go(running: Running) -> None:
    """A squashed cable looks like a hub that does not answer; now the page says where to look."""
    running.board.buttons.press("seat-4")

    async def story() -> None:
        (told,) = running.hub.state()["trouble"]
        assert told["message"].startswith("Pressed since the start: seat-4.")
        running.board.buttons.release("seat-4")
        await passed(0.1)
        assert [] == running.hub.state()["trouble"]

    running.play(story)


def test_no_thread_meets_a_closed_loop(running: Running) -> None:
    """A device calls the loop at the moment the service ends and the loop is closed.

    Its report is either delivered or dropped.
    """
    errors: list[BaseException] = []
    calling, ending = threading.Event(), threading.Event()

    class Slow(TimeTravelLoop):
        def call_soon_threadsafe(self, *work: Any, **context: Any) -> Any:
            calling.set()
            ending.wait(TIMEOUT_S)
            return super().call_soon_threadsafe(*work, **context)

    class Watched:
        """A lock that signals when the closing thread waits for it."""

        def __init__(self) -> None:
            self._lock = threading.Lock()

        def __enter__(self) -> None:
            if threading.current_thread() is not device:
                ending.set()
            self._lock.acquire()

        def __exit__(self, *error: object) -> None:
            self._lock.release()

    def report() -> None:
        try:
            running.service.report(Trouble("lights", "The lights do not answer."))
        except BaseException as error:
            errors.append(error)

    loop, device = Slow(), threading.Thread(target=report)
    running.service._loop = loop
    running.service._lock = Watched()  # type: ignore[assignment]
    device.start()
    assert calling.wait(TIMEOUT_S)
    running.service.close()
    loop.close()
    ending.set()
    device.join()
    report()

    assert [] == errors


# The end


def test_everything_is_closed_at_the_end(loop: TimeTravelLoop, tmp_path: Path) -> None:
    """The lights are dark, and another service may open the journal."""
    running = Running(loop, tmp_path / "table.db")

    async def story() -> None:
        running.hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=1))
        assert any(running.board.lights.frame)

    running.play(story)
    assert not any(running.board.lights.frame)
    running.board.sound.played.clear()
    running.board.sound.play("whistle")
    assert [] == running.board.sound.played
    again = Journal(tmp_path / "table.db", GAMES)
    assert "playing" == again.recover(GAMES).table.phase
    again.close()


def test_a_safe_shutdown_by_the_buttons_ends_the_service(running: Running) -> None:
    """Hold two buttons for five seconds: the lights sweep out, and `switched_off` is set."""

    async def story() -> None:
        for button in ("advance", "undo"):
            running.board.buttons.press(button)
        await passed(7.4)
        assert not running.service.switched_off
        await passed(0.2)
        assert running.service.switched_off

    running.play(story)
    assert "goodbye" in running.board.sound.played


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(running: Running, signum: int) -> None:
    """SIGTERM and SIGINT, from systemd and from a terminal."""

    async def told() -> None:
        def ready() -> None:
            running.loop.held = True
            os.kill(os.getpid(), signum)

        await asyncio.wait_for(running.service.run(ready=ready), None)

    running.loop.run_until_complete(told())
    assert not any(running.board.lights.frame)
    assert not running.service.switched_off


def test_pages_that_cannot_start_end_the_service_and_say_why(running: Running) -> None:
    """The error of a port that is taken is raised, and the devices are closed."""

    async def pages() -> None:
        raise OSError("port 8080 is in use")

    async def told() -> None:
        await running.service.run(pages=pages)

    with pytest.raises(OSError, match="port 8080"):
        running.loop.run_until_complete(told())
    assert not any(running.board.lights.frame)


def test_the_hub_is_ready_before_the_pages_begin(running: Running) -> None:
    """The first press does not wait for the web server."""
    order: list[str] = []

    async def pages() -> None:
        order.append("pages")
        await asyncio.Event().wait()

    async def told() -> None:
        task = asyncio.create_task(
            running.service.run(ready=lambda: order.append("ready"), pages=pages)
        )
        await passed(0.1)
        running.service.stop()
        await task

    running.loop.run_until_complete(told())
    assert ["ready", "pages"] == order


# systemd


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[str]]]:
    """Listen as systemd does; return a function that reads the messages."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(str(tmp_path / "notify"))
    listening.setblocking(False)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))

    def heard() -> list[str]:
        said = []
        while True:
            try:
                said.append(listening.recv(100).decode())
            except BlockingIOError:
                return said

    yield heard
    listening.close()


def test_systemd_is_told_of_readiness_and_of_the_end(
    running: Running, systemd: Callable[[], list[str]]
) -> None:
    """READY when the hub takes its first press; STOPPING when it no longer does."""

    async def story() -> None:
        assert ["READY=1"] == systemd()

    running.play(story)
    assert ["STOPPING=1"] == systemd()


def test_the_watchdog_is_fed_at_half_its_interval(
    running: Running, systemd: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "30000000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))

    async def story() -> None:
        await passed(61.0)
        assert ["READY=1", *["WATCHDOG=1"] * 5] == systemd()

    running.play(story)


def test_a_watchdog_for_somebody_else_is_not_fed(
    running: Running, systemd: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variables may be inherited."""
    monkeypatch.setenv("WATCHDOG_USEC", "30000000")
    monkeypatch.setenv("WATCHDOG_PID", "1")

    async def story() -> None:
        await passed(61.0)
        assert ["READY=1"] == systemd()

    running.play(story)


def test_without_systemd_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a desktop there is no socket; one that has gone is only logged."""
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", "/nowhere/notify")
    notify("READY=1")


def test_a_watchdog_message_needs_no_free_file_descriptor(
    systemd: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Running out of file descriptors must not look to systemd like a dead hub."""
    notify("READY=1")
    monkeypatch.setattr(socket, "socket", lambda *how: os.open("/nowhere", os.O_RDONLY))
    notify("WATCHDOG=1")

    assert ["READY=1", "WATCHDOG=1"] == systemd()


def test_a_busy_systemd_does_not_block(
    systemd: Callable[[], list[str]], caplog: pytest.LogCaptureFixture
) -> None:
    """A full socket buffer does not block the hub's thread."""
    for _ in range(1_000):
        notify("WATCHDOG=1")

    assert "could not be told" in caplog.text
    assert 0 < len(systemd()) < 1_000


def test_an_abstract_socket_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """systemd may use one, written with an @."""
    name = f"centerpiece-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(f"\0{name}")
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
        notify("READY=1")
        listening.settimeout(TIMEOUT_S)

        assert b"READY=1" == listening.recv(100)
