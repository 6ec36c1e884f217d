"""The attack: random and malformed input.

Edges without rhyme or reason, requests made from the API's own description, noise on the serial
line, a Redis that talks nonsense, config files with mistakes. Nothing may crash, reach a state
that cannot be, or grow.
"""

import asyncio
import logging
import queue
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from centerpiece.config import ConfigError, HallSettings, load
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.storage.journal import Journal
from centerpiece.table.commands import ChooseRules, FinishGame, OpenLobby, OpenTable, Undo
from centerpiece.text import Refused
from hal.device_errors import DeviceError
from hal.hardware_settings import SoundSettings
from hal.ports import BUTTONS, Edge
from sim.board import build
from sim.clock import VirtualClock
from tests.chaos.power import HERE
from tests.chaos.result import Result, resident

PROFILES = [rules.full_name for game in GAMES.games.values() for rules in game.profiles]
PHASES = ("lobby", "playing", "scoring", "finished")
SOON = 30.0


# Edges


def edges(seed: int, count: int, block: int = 10_000) -> Result:
    """Press random edges in virtual time, in every game; replay the journal and compare."""
    luck = Random(seed)
    failures: list[str] = []
    worst = 0.0
    sizes: list[int] = []
    held: list[str] = []
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        clock = VirtualClock()
        hub = Hub(GAMES, Journal(Path(name) / "table.db", GAMES), build(clock=clock))
        # Durability has its own attack; here only the count of edges matters.
        hub.journal.database.execute("PRAGMA synchronous=OFF")
        for number in range(count):
            if number % block == 0:
                _new_game(hub, luck)
                sizes.append(resident())
            began = time.perf_counter()
            try:
                _edge(hub, clock, luck, held)
            except Exception as error:
                failures.append(f"seed {seed}, edge {number}: {error!r}")
            worst = max(worst, time.perf_counter() - began)
            if number % 200 == 0 and (problem := illegal(hub)):
                failures.append(f"seed {seed}, edge {number}: {problem}")
        _new_game(hub, luck)
        sizes.append(resident())
        if hub.journal.recover(GAMES).table != hub.table:
            failures.append(f"seed {seed}: the journal tells of another table")
        events = hub.seq
        hub.journal.close()
    failures += grown(sizes)
    return Result(count, failures, worst, f"{events} events, memory {size_range(sizes)}")


def _new_game(hub: Hub, luck: Random) -> None:
    """Begin another game, with which undo starts afresh."""
    hub.wake()
    for command in (FinishGame(), OpenLobby(), ChooseRules(luck.choice(PROFILES))):
        try:
            hub.do(command)
        except Refused:
            continue
    names = tuple(f"P{n}" for n in range(luck.randint(2, 8)))
    for _ in range(20):
        try:
            hub.do(OpenTable(luck.choice(PROFILES), names[: luck.randint(2, 8)]))
            return
        except Refused:
            continue


def _edge(hub: Hub, clock: VirtualClock, luck: Random, held: list[str]) -> None:
    clock.move(luck.choice([0.0, 0.001, 0.004, 0.006, 0.05, 0.2, 0.35, 0.9, 2.0]))
    now = clock.now()
    if luck.random() < 0.02:
        now -= luck.uniform(0, 2)  # a thread that was late
    button, down = luck.choice(BUTTONS), luck.random() < 0.5
    if held and luck.random() < 0.8:  # mostly as fingers do: what is down comes up
        button, down = held.pop(), False
    elif down:
        held.append(button)
    hub.hear(Edge(button, down, now))
    due = hub.next_wake()
    if due is not None and due <= clock.now():
        hub.wake()
    if hub.ui.leaving:  # it would be switched off: switch it on again
        clock.move(5)
        hub.wake()


def illegal(hub: Hub) -> str | None:
    """Return what is wrong with the public state; empty if nothing."""
    state = hub.state()
    seats = [seat["seat"] for seat in state["seats"]]
    if state["phase"] not in PHASES:
        return f"phase {state['phase']}"
    if seats != sorted(set(seats)) or not all(1 <= seat <= 10 for seat in seats):
        return f"seats {seats}"
    if state["rounds"] is not None and state["round"] > state["rounds"] + len(state["play_offs"]):
        return f"round {state['round']} of {state['rounds']}"
    if any(len(seat["scores"]) > state["round"] for seat in state["seats"]):
        return "scores of rounds that were not played"
    if not isinstance(state["notice"], str) or "{" in state["notice"]:
        return f"notice {state['notice']!r}"
    if hub.ui.question_ends + SOON < hub.clock.now():
        return f"a question that hangs: {state['asks']}"
    frame = hub.board.lights.frame  # type: ignore[attr-defined]
    return None if len(frame) == 3 * hub.board.lights.count else "a frame of another length"


def grown(sizes: list[int], most: float = 1.25) -> list[str]:
    """Return the growth of memory from the first to the last third, without the warm-up."""
    third = len(sizes) // 3
    if third < 2:
        return []
    early, late = max(sizes[1 : third + 1]), min(sizes[-third:])
    return [f"memory grew: {size_range(sizes)}"] if late > most * early else []


def size_range(sizes: list[int]) -> str:
    """Return first and last size as text."""
    return f"{sizes[min(1, len(sizes) - 1)] >> 20} to {sizes[-1] >> 20} MB"


# HTTP


def requests(examples: int, seed: int = 1) -> Result:
    """Send valid and nearly valid requests to every address of the API's description."""
    import hypothesis
    import schemathesis
    from hypothesis import HealthCheck

    from centerpiece.web.site import build as build_pages
    from tests.web.conftest import NEWCOMER, Client

    clock = VirtualClock()
    hub = Hub(GAMES, Journal(":memory:", GAMES), build(clock=clock))
    app = build_pages(hub, simulated=True)
    loop = asyncio.new_event_loop()
    client = Client(loop, app, NEWCOMER)
    schema = schemathesis.openapi.from_dict(client.get("/api/openapi.json").json())
    failures: list[str] = []
    seen: dict[int, int] = {}
    worst = 0.0

    def ask(case: Any) -> None:
        nonlocal worst
        began = time.perf_counter()
        content = case.body if isinstance(case.body, bytes) else None
        body = {} if _absent(case.body) else {"json": case.body}
        options = {"content": content} if content is not None else body
        headers = {str(k): str(v) for k, v in (case.headers or {}).items()}
        headers.setdefault("Content-Type", "application/json")
        try:
            path, query = case.formatted_path, case.query or None
            answer = client.request(case.method, path, params=query, headers=headers, **options)
        except (UnicodeError, ValueError, TypeError, httpx_error()):
            return  # a browser could not have sent it
        worst = max(worst, time.perf_counter() - began)
        seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
        if problem := _unfit(answer, case) or illegal(hub):
            failures.append(f"{case.method} {case.formatted_path} {case.body!r}: {problem}")
        clock.move(0.4)
        hub.wake()

    modes = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
    for found in schema.get_all_operations():
        operation = found.ok()
        for mode in modes:
            shots = examples * (8 if operation.path == "/api/commands" else 1)
            quiet = hypothesis.settings(
                max_examples=shots,
                database=None,
                deadline=None,
                suppress_health_check=list(HealthCheck),
                phases=[hypothesis.Phase.generate],
            )
            try:
                strategy = operation.as_strategy(generation_mode=mode)
                hypothesis.seed(seed)(quiet(hypothesis.given(strategy)(ask)))()
            except hypothesis.errors.Unsatisfiable:
                continue  # nothing can be wrong with a request that has no parts
            except Exception as error:
                failures.append(f"{operation.label}: {error!r}")
    loop.close()
    hub.journal.close()
    figures = ", ".join(f"{status}: {count}" for status, count in sorted(seen.items()))
    return Result(sum(seen.values()), failures, worst, figures)


def httpx_error() -> type[Exception]:
    import httpx

    return httpx.InvalidURL


def _absent(body: object) -> bool:
    return type(body).__name__ == "NotSet"


def _unfit(answer: Any, case: Any) -> str | None:
    """Return what is wrong with an answer that is no success and no proper error."""
    if answer.status_code >= 500:
        return f"{answer.status_code} {answer.text}"
    if answer.status_code >= 400 and case.method != "HEAD":
        error = answer.json().get("error", {})
        if not error.get("code") or not error.get("message"):
            return f"an error without a sentence: {answer.text}"
    return None


# The serial line


def serial_noise(seed: int, bursts: int) -> Result:
    """Put noise on the sound module's line; only cues may be lost."""
    from hal.sound.serial_sound import SerialSound
    from tests.dfplayer import PtyPlayer

    luck = Random(seed)
    failures: list[str] = []
    worst = 0.0
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name, crashes() as crashed:
        player = PtyPlayer(Path(name) / "tty")
        sound = SerialSound(SoundSettings(port=str(player.path)), lambda trouble: None)
        sizes = []
        for number in range(bursts):
            began = time.perf_counter()
            player.say(_noise(luck))
            sound.play(luck.choice(["whistle", "round", "undo"]))
            if number % 50 == 0:
                sizes.append(resident())
            worst = max(worst, time.perf_counter() - began)
        if not sound._thread.is_alive():
            failures.append(f"seed {seed}: the thread that speaks with the module has ended")
        sound.close()
        player.close()
        failures += [f"seed {seed}: {crash}" for crash in crashed]
    failures += grown(sizes)
    failures += _module_noise(luck, bursts * 20)
    return Result(bursts * 21, failures, worst)


def _noise(luck: Random) -> bytes:
    """Return random bytes and pieces of a module's messages."""
    good = b"\x7e\xff\x06\x41\x00\x00\x00\xfe\xba\xef"
    kinds: list[Callable[[], bytes]] = [
        lambda: luck.randbytes(luck.randint(1, 40)),
        lambda: good[: luck.randint(1, 9)],
        lambda: good[:4] + luck.randbytes(3) + good[7:],
        lambda: b"\x7e" * luck.randint(1, 30),
        lambda: good,
    ]
    return luck.choice(kinds)()


def _module_noise(luck: Random, bursts: int) -> list[str]:
    """Put noise into the protocol itself, in virtual time."""
    from hal.sound.dfplayer import SoundModule

    now = 0.0
    module = SoundModule(SoundSettings(), 1.0, now)
    try:
        for _ in range(bursts):
            now += luck.choice([0.001, 0.05, 0.3, 2.0])
            module.receive(_noise(luck), now)
            module.next(now)
            module.wake(now)
            module.trouble()
            if luck.random() < 0.2:
                module.play("whistle", now)
    except Exception as error:
        return [f"the module's protocol: {error!r}"]
    return []


# Redis


def redis_nonsense(seed: int, connections: int) -> Result:
    """Follow a Redis with random answers; the hub must play on and report the hall away."""
    from centerpiece.hall.table import hall_link

    luck = Random(seed)
    failures: list[str] = []
    posted: queue.Queue[Callable[[], None]] = queue.Queue()
    troubles: list[str] = []
    server = Nonsense(luck)
    paused, hall_link.uneven_pauses = hall_link.uneven_pauses, lambda: iter(lambda: 0.001, None)
    began, worst = time.monotonic(), 0.0
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name, crashes() as crashed:
        hub = Hub(GAMES, Journal(Path(name) / "table.db", GAMES), build())
        link = hall_link.HallLink(
            hub,
            HallSettings(url=f"redis://127.0.0.1:{server.port}"),
            lambda trouble: troubles.append(trouble.message),
            posted.put,
        )
        link.start()
        sizes = [resident()]
        hub.do(OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12))
        while server.count < connections and time.monotonic() - began < 4 * SOON:
            start = time.perf_counter()
            for command in (OpenLobby(), Undo()):
                try:
                    hub.do(command)
                except Refused:
                    continue
            worst = max(worst, time.perf_counter() - start)
            try:
                posted.get(timeout=0.05)()
            except queue.Empty:
                pass
            except Exception as error:
                failures.append(f"seed {seed}: in the hub's thread: {error!r}")
            sizes.append(resident())
        if problem := illegal(hub):
            failures.append(f"seed {seed}: {problem}")
        if not troubles:
            failures.append(f"seed {seed}: no trouble was reported while the hall was away")
        link.stop(SOON)
        server.close()
        hub.journal.close()
        failures += [f"seed {seed}: {crash}" for crash in crashed]
    hall_link.uneven_pauses = paused
    failures += grown(sizes)
    return Result(server.count, failures, worst, f"{server.count} connections")


class Nonsense:
    """A server with a different wrong answer each time."""

    def __init__(self, luck: Random) -> None:
        self._luck = luck
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.count = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            self.count += 1
            threading.Thread(target=self._talk, args=(near,), daemon=True).start()

    def _talk(self, near: socket.socket) -> None:
        try:
            with near:
                near.settimeout(2)
                for _ in range(self._luck.randint(0, 12)):
                    if not near.recv(65536):
                        return
                    near.sendall(self._answer())
        except OSError:
            return

    def _answer(self) -> bytes:
        luck = self._luck
        number = luck.choice([0, -1, -7, 1, 3, 10**6, 10**12])
        answers = [
            b"+OK\r\n" * luck.randint(1, 9),
            b"-ERR no\r\n",
            b"-LOADING wait\r\n",
            b"-MOVED 1 127.0.0.1:1\r\n",
            b"-NOAUTH\r\n",
            b":%d\r\n" % number,
            b"$%d\r\nabc\r\n" % number,
            b"*%d\r\n" % number,
            b"*2\r\n$1\r\na\r\n*-1\r\n",
            b"*1\r\n*2\r\n$6\r\nhall:x\r\n*1\r\n*2\r\n$3\r\n1-0\r\n*2\r\n$1\r\nb\r\n$1\r\n{\r\n",
            b"%1\r\n+a\r\n+b\r\n",
            b"_\r\n,nan\r\n",
            b"HTTP/1.1 400 Bad Request\r\n\r\n",
            luck.randbytes(luck.randint(1, 200)),
            b"*1\r\n" * 2000,
        ]
        return luck.choice(answers)


@contextmanager
def crashes() -> Iterator[list[str]]:
    """Collect the errors that ended threads meanwhile."""
    found: list[str] = []
    before = threading.excepthook
    threading.excepthook = lambda args: found.append(f"{args.thread}: {args.exc_value!r}")
    try:
        yield found
    finally:
        threading.excepthook = before


# Config files


def configs(seed: int, count: int) -> Result:
    """Start with damaged config files; each must give a sentence or a working hub."""
    luck = Random(seed)
    failures: list[str] = []
    used, worst = 0, 0.0
    example = (HERE.parent.parent / "deploy" / "centerpiece.toml").read_text("utf-8")
    whole = example.replace("\n# ", "\n").replace("\n#", "\n")
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        path = Path(name) / "centerpiece.toml"
        for number in range(count):
            text = _mutated(luck.choice([example, whole, COMPLETE]).encode(), luck)
            path.write_bytes(text)
            began = time.perf_counter()
            try:
                _start(path)
                used += 1
            except (ConfigError, DeviceError) as error:
                if not str(error).strip():
                    failures.append(f"seed {seed}, file {number}: refused without a word")
            except Exception as error:
                failures.append(f"seed {seed}, file {number}: {error!r} for {text[:400]!r}")
            worst = max(worst, time.perf_counter() - began)
    return Result(count, failures, worst, f"{used} of them could be used")


COMPLETE = """
[table]
id = "table-7"
suits = "high-contrast"
[server]
host = "127.0.0.1"
port = 8080
[gestures]
debounce_ms = 5
double_ms = 300
hold_ms = 800
[hardware.lights]
brightness = 0.5
[hardware.sound]
port = "/dev/serial0"
baud = 9600
[hardware.buttons]
pull = "up"
[network]
ssid = "centerpiece"
password = "trains and stations"
[hall]
url = "redis://hall.local"
id = "rally"
"""


def _start(path: Path) -> None:
    """Start a hub from a config file, as `run` does, up to the first light."""
    config = load(path)
    config.data_folder()
    config.hardware.check()
    board = build(config.hardware, clock=VirtualClock())
    journal = Journal(":memory:", GAMES)
    try:
        Hub(GAMES, journal, board, config.table.id, config.timing())
    finally:
        journal.close()


_PIECES = (b"-1", b"0", b"1e999", b"true", b'"x"', b"[]", b"{}", b"nan", b"''", b"9" * 30, b"\xff")


def _mutated(text: bytes, luck: Random) -> bytes:
    """Return a config with changed bytes, lost, doubled or swapped lines, and exchanged values."""
    lines = text.splitlines()
    for _ in range(luck.choice([1, 1, 2, 5])):
        at, other = luck.randrange(len(lines)), luck.randrange(len(lines))
        dice = luck.random()
        if dice < 0.2:
            lines.insert(at, lines[other])
        elif dice < 0.3:
            del lines[at]
            lines = lines or [b""]
        elif dice < 0.7:
            key, equals, _ = lines[at].partition(b"=")
            lines[at] = key + equals + b" " + luck.choice(_PIECES)
        else:
            changed = bytearray(lines[at] or b"#")
            changed[luck.randrange(len(changed))] = luck.randrange(256)
            lines[at] = bytes(changed)
    return b"\n".join(lines)


def quietly() -> None:
    """Silence the log: attacks provoke thousands of warnings."""
    logging.disable()
