"""The attack: strangers try every write, with every credential that must not work.

In process, so that an address on the network can be played. What each single key does is told in
`tests/web/test_who_may_write.py`; here all of them meet all of the routes, in great numbers.
"""

import asyncio
import io
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.storage.journal import Journal
from centerpiece.storage.phones import PHONES
from centerpiece.web.pairing import LASTS, TRIES
from centerpiece.web.site import build as build_pages
from sim.board import build
from sim.clock import VirtualClock
from tests.chaos.result import Result
from tests.web.conftest import PHONE, Client

WRITES = {
    ("POST", "/api/commands"): b'{"type": "toggle-seat", "seat": 1}',
    ("PUT", "/api/settings"): b'{"muted": true}',
    ("PUT", "/api/machine"): b'{"ssh": true}',
    ("POST", "/api/speech"): b'{"what": "standings"}',
    ("POST", "/api/pair"): b'{"name": "Stranger", "number": "42"}',
    ("POST", "/api/pair/number"): b'{"device": "10.0.0.1", "number": "42"}',
    ("DELETE", "/api/phones/{id}"): b"",
    ("POST", "/api/hub/press"): b'{"button": "undo", "down": true}',
    ("POST", "/api/hub/marker"): b'{"seat": 1, "home": false}',
    ("POST", "/api/keeper"): b'{"key": "guessed"}',
}
MUST = (
    "content-security-policy",
    "x-content-type-options",
    "x-frame-options",
    "referrer-policy",
    "cross-origin-resource-policy",
    "permissions-policy",
)


class House:
    """A hub with its pages, and clients of them."""

    def __init__(self, simulated: bool = True, journal: Path | str = ":memory:") -> None:
        self.clock = VirtualClock()
        self.hub = Hub(GAMES, Journal(journal, GAMES), build(clock=self.clock))
        self.app = build_pages(self.hub, simulated=simulated)
        self.loop = asyncio.new_event_loop()

    def client(self, address: str = PHONE[0]) -> Client:
        return Client(self.loop, self.app, (address, 50_000))

    def paired(self, name: str = "Ann", address: str = PHONE[0]) -> Client:
        self.hub.open_pairing()
        minute = self.hub.pairing()
        assert minute is not None
        phone = self.client(address)
        wish = {"name": name, "number": minute.number}
        assert phone.post("/api/pair", json=wish).status_code == 200
        while self.hub.pairing():
            self.hub.pairs_with("")
        return phone

    def facts(self) -> tuple[Any, ...]:
        """Return everything that a write could change."""
        store = self.hub.settings
        return self.hub.seq, self.hub.preferences, store[PHONES], self._down()

    def _down(self) -> frozenset[str]:
        virtual = self.app.state.site.virtual
        return frozenset() if virtual is None else frozenset(virtual._down)

    def close(self) -> None:
        self.hub.journal.close()
        self.loop.close()


def strangers(house: House, luck: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return credentials that must not work: their kind, and their headers."""
    phone = house.paired("Bob")
    token = phone.cookies["centerpiece"]
    (known,) = [p for p in phone.get("/api/pair").json()["phones"] if p["this"]]
    yield "another origin", {"Cookie": f"centerpiece={token}", "Origin": "http://evil.example"}
    yield "no origin of its own", {"Cookie": f"centerpiece={token}", "Origin": "null"}
    yield "another site", {"Cookie": f"centerpiece={token}", "Sec-Fetch-Site": "cross-site"}
    yield "another name", {"Cookie": f"centerpiece={token}", "Host": "evil.example"}
    yield "a form", {"Cookie": f"centerpiece={token}", "Content-Type": "text/plain"}
    flipped = luck.randrange(len(token))
    forged = token[:flipped] + chr(ord(token[flipped]) ^ 1) + token[flipped + 1 :]
    yield "forged", {"Cookie": f"centerpiece={forged}"}
    yield "shortened", {"Cookie": f"centerpiece={token[:-1]}"}
    yield "guessed", {"Cookie": f"centerpiece={luck.randbytes(32).hex()[:43]}"}
    yield "no key", {}
    assert phone.delete(f"/api/phones/{known['id']}").status_code == 200
    yield "revoked and replayed", {"Cookie": f"centerpiece={token}"}
    away = house.paired("Cara").cookies["centerpiece"]
    house.clock.move(LASTS + 60)
    yield "expired", {"Cookie": f"centerpiece={away}"}


def knock(seed: int, rounds: int) -> Result:
    """Try every kind of stranger at every route that writes, on a simulated and a real hub."""
    luck = Random(seed)
    failures: list[str] = []
    tries, worst = 0, 0.0
    keys: set[str] = set()
    with logged() as log:
        for simulated in (True, False):
            house = House(simulated)
            for _ in range(rounds):
                for kind, headers in strangers(house, luck):
                    keys |= {headers.get("Cookie", "=").partition("=")[2]} - {""}
                    for method, path in WRITES:
                        tries += 1
                        began = time.perf_counter()
                        problem = _try(house, luck, method, path, headers)
                        worst = max(worst, time.perf_counter() - began)
                        if problem:
                            failures.append(f"seed {seed}: {kind}, {method} {path}: {problem}")
            house.close()
    failures += [f"seed {seed}: a key was logged" for key in keys if key in log.getvalue()]
    return Result(tries, failures, worst)


def _try(house: House, luck: Random, method: str, path: str, headers: dict[str, Any]) -> str | None:
    """Try once from the network; return what is wrong with the answer."""
    stranger = house.client(f"10.0.{luck.randrange(256)}.{luck.randrange(1, 255)}")
    while house.hub.pairing():
        house.hub.pairs_with("")
    before = house.facts()
    answer = stranger.request(
        method,
        path.replace("{id}", "12345678"),
        content=WRITES[method, path],
        headers={"Content-Type": "application/json"} | headers,
    )
    if not 400 <= answer.status_code < 500:
        return f"answered {answer.status_code}"
    if house.facts() != before:
        return "refused, and yet something has changed"
    if missing := [name for name in MUST if name not in answer.headers]:
        return f"an answer without {missing}"
    return None


@contextmanager
def logged() -> Iterator[io.StringIO]:
    """Collect all log messages meanwhile, also those that are silenced."""
    root, log = logging.getLogger(), io.StringIO()
    handler, silence = logging.StreamHandler(log), root.manager.disable
    root.addHandler(handler)
    logging.disable(logging.NOTSET)
    try:
        yield log
    finally:
        root.removeHandler(handler)
        logging.disable(silence)


def routes_that_write(simulated: bool) -> set[tuple[str, str]]:
    """Return every route that changes something, from the site's own list."""
    house = House(simulated)
    found = {
        (method, route.path)
        for route in house.app.state.site.routes()
        for method in (route.methods or ())
        if method not in ("GET", "HEAD")
    }
    house.close()
    return found


def hammer_pairing(seed: int, tries: int) -> Result:
    """Guess numbers as fast as they are answered, from one address and from many, while somebody
    opens pairing once a second; the paired write in between and wait for nobody."""
    luck = Random(seed)
    house = House(simulated=False)
    phone = house.paired()
    failures: list[str] = []
    waits: list[float] = []
    let_in = limited = minutes = 0
    fixed = house.client("10.9.9.9")
    many = [house.client(f"10.1.{n // 250}.{n % 250 + 1}") for n in range(2000)]
    began = time.perf_counter()
    for number in range(tries):
        stranger = fixed if number % 2 else luck.choice(many)
        if number % 1_000 == 0:
            house.hub.open_pairing()
            minutes += 1
        wish = {"name": "x", "number": f"{luck.randrange(100):02}"}
        status = stranger.post("/api/pair", json=wish).status_code
        let_in += status == 200
        limited += status == 429
        stranger.cookies.clear()
        if number % 50 == 0:
            start = time.perf_counter()
            seat = {"type": "toggle-seat", "seat": 1 + number // 50 % 10}
            answer = phone.post("/api/commands", json=seat)
            waits.append(time.perf_counter() - start)
            if answer.status_code != 200:
                failures.append(f"seed {seed}, try {number}: the paired got {answer.text}")
        house.clock.move(0.001)
    rate = tries / (time.perf_counter() - began)
    if let_in > 2 + minutes / 10:  # three guesses among ninety numbers: one in thirty is luck
        failures.append(f"seed {seed}: {let_in} strangers were let in, in {minutes} minutes")
    if limited < tries // 2 - TRIES * (1 + tries // 600_000) - 1:
        failures.append(f"seed {seed}: only {limited} of {tries} were told to wait")
    kept = len(house.app.state.site.phones._tries)
    house.close()
    figures = (
        f"{rate:.0f} tries a second, {limited} told to wait, {kept} addresses kept; "
        f"{let_in} of {minutes} numbers guessed"
    )
    return Result(tries, failures, max(waits), figures)
