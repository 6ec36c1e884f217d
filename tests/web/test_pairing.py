"""Pairing: only people who were at the table may write."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from centerpiece.__main__ import main
from centerpiece.games.registry import GAMES
from centerpiece.panel.pairing_minute import MOST_WRONG
from centerpiece.storage.journal import Journal
from centerpiece.storage.phones import PHONES
from centerpiece.storage.settings import Settings
from centerpiece.storage.writer import Batch
from centerpiece.web.pairing import LASTS, MOST_PHONES, SEEN_EVERY, TRIES, TRIES_WITHIN
from centerpiece.web.site import build
from centerpiece.wifi.set_up_page import check_with_hub
from tests.hub.test_slow_disk import MoodyWriter
from tests.patience import TIMEOUT_S
from tests.web.conftest import NEWCOMER, PHONE, Client, Open, Rig, served_here
from tests.web.test_api import play_a_game

WRITES = [
    ("POST", "/api/commands", {"type": "toggle-seat", "seat": 1}),
    ("PUT", "/api/settings", {"muted": True}),
    ("PUT", "/api/machine", {"ssh": True}),
    ("POST", "/api/speech", {"what": "standings"}),
    ("DELETE", "/api/phones/1234", None),
    ("POST", "/api/hub/press", {"button": "undo", "down": True}),
    ("POST", "/api/hub/marker", {"seat": 1, "home": False}),
]
"""All routes that change something, except pairing."""
TODAY = 1_800_000_000.0


def write(client: Client, method: str, path: str, body: object, **headers: Any) -> httpx.Response:
    kind = {"Content-Type": "application/json"}
    content = {} if body is None else {"json": body}
    return client.request(method, path, headers=kind | headers, **content)


def pair(rig: Rig, name: str = "Ann's phone") -> Client:
    phone = rig.visitor()
    rig.open_pairing()
    assert 200 == rig.pair(phone, name).status_code
    return phone


def wrong(number: str) -> str:
    return "10" if number != "10" else "11"


def test_the_list_of_writes_is_complete(rig: Rig) -> None:
    """A new route that changes something must be added to these tests."""
    written = {
        (method, route.path)
        for route in rig.app.state.site.routes()
        for method in (route.methods or ())
        if method not in ("GET", "HEAD")
    }
    tried = {(method, path.replace("1234", "{id}")) for method, path, _ in WRITES}

    pairing = {("POST", path) for path in ("/api/pair", "/api/pair/number", "/api/keeper")}
    assert tried | pairing == written


def test_the_keepers_link_makes_one_device_the_hub(rig: Rig) -> None:
    """It may press the buttons; a second device with the same key may not."""
    press = ("/api/hub/press", {"button": "seat-1", "down": True})
    tablet, other = rig.visitor(), rig.visitor()
    key = rig.app.state.site.phones.keeper_key()

    assert 403 == tablet.post("/api/keeper", json={"key": "guessed"}).status_code
    assert 200 == tablet.post("/api/keeper", json={"key": key}).status_code
    assert 200 == tablet.post(press[0], json=press[1]).status_code
    assert 403 == other.post("/api/keeper", json={"key": key}).status_code
    assert 403 == other.post(press[0], json=press[1]).status_code


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_a_phone_that_is_not_paired_may_only_look(
    rig: Rig, method: str, path: str, body: object
) -> None:
    """The sentence of each refused write says how to pair."""
    stranger = rig.visitor()

    answer = write(stranger, method, path, body)

    assert (403, "not-paired") == (answer.status_code, answer.json()["error"]["code"])
    assert 200 == stranger.get("/api/state").status_code


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_on_a_real_hub_the_own_machine_must_pair_too(
    open_rig: Open, method: str, path: str, body: object
) -> None:
    """Writing without pairing is for the simulator only, as are its routes."""
    rig = open_rig(simulated=False, address=NEWCOMER)

    answer = write(rig.client, method, path, body)

    assert (404 if path.startswith("/api/hub") else 403) == answer.status_code


def test_the_printed_address_works_on_the_same_computer(rig: Rig) -> None:
    """A connection to one's own address in the network comes from that address."""

    async def at_its_own_address(scope: Any, receive: Any, send: Any) -> None:
        await rig.app({**scope, "server": (PHONE[0], 80)}, receive, send)

    here = Client(rig.loop, at_its_own_address, PHONE)  # type: ignore[arg-type]

    assert 200 == write(here, *WRITES[0]).status_code
    assert 403 == write(rig.visitor(), *WRITES[0]).status_code


def test_behind_a_proxy_nobody_is_a_newcomer(rig: Rig) -> None:
    """Otherwise a proxy on the same machine would let everybody write."""
    answer = write(rig.client, *WRITES[0], **{"X-Forwarded-For": "203.0.113.9"})

    assert 403 == answer.status_code


@pytest.mark.parametrize("path", ["/hub", "/api/hub", "/api/hub/frames", "/api/sounds/knock.wav"])
def test_the_virtual_hub_exists_only_with_the_simulator(open_rig: Open, path: str) -> None:
    assert 404 == open_rig(simulated=False).client.get(path).status_code


def test_a_phone_pairs_while_train_and_advance_are_held(rig: Rig) -> None:
    """It may write from then on; the table announces it, and scripts cannot read the cookie."""
    phone = rig.visitor()
    rig.open_pairing()

    answer = rig.pair(phone, "Ann's phone")

    cookie = answer.headers["set-cookie"]
    assert 200 == answer.status_code
    assert all(word in cookie for word in ("HttpOnly", "SameSite=strict", "Path=/"))
    assert "Ann's phone can now keep score." == rig.hub.state()["notice"]
    assert 200 == write(phone, *WRITES[0]).status_code


def test_several_phones_pair_while_the_minute_lasts(rig: Rig) -> None:
    """The same number serves all; a paired phone does not need it."""
    phone = pair(rig)

    assert 200 == rig.pair(rig.visitor(), "Bob").status_code
    assert 200 == rig.pair(phone, "again", "00").status_code
    assert 200 == rig.pair(rig.visitor(), "Cara").status_code


@pytest.mark.parametrize("at", [None, 0.0, TODAY - 61, TODAY + 61, TODAY + 2 * LASTS, 4e9])
def test_the_window_closes_after_a_minute(rig: Rig, at: float | None) -> None:
    """By the monotonic clock, whatever the wall clock is set to; paired phones stay paired."""
    rig.clock.set(TODAY)
    early, late = rig.visitor(), rig.visitor()
    number = rig.open_pairing()
    assert 200 == rig.pair(early, "Early", number).status_code
    rig.clock.move(59)
    if at is not None:
        rig.clock.set(at)
        rig.hub.wake()

    assert 200 == rig.pair(late, "In time", number).status_code
    rig.clock.move(2)
    rig.clock.set(TODAY)
    assert 403 == rig.pair(rig.visitor(), "Late", number).status_code
    for clock in (0.0, TODAY + 2 * LASTS, TODAY):
        rig.clock.set(clock)
        assert [200, 200] == [write(each, *WRITES[0]).status_code for each in (early, late)]


def test_nobody_is_told_whether_phones_may_pair(rig: Rig) -> None:
    """Only the face shows it, and unpaired devices cannot see the face."""
    rig.seated("Ann", "Bob", "Cara", "Dan")
    stranger = rig.visitor()
    quiet = ["/api/state", "/api/pair", "/api/about", "/"]
    before = [stranger.get(path).content for path in quiet]
    closed = rig.pair(stranger, "x", "42")
    number = rig.open_pairing()
    after = [stranger.get(path).content for path in quiet]
    opened = rig.pair(rig.visitor(("192.168.1.21", 50_000)), "x", wrong(number))

    assert before == after
    assert (closed.status_code, closed.json()) == (opened.status_code, opened.json())
    assert number == rig.client.get("/api/pair").json()["open"]["number"]


def test_wrong_numbers_are_counted_whoever_sends_them(rig: Rig) -> None:
    """After three wrong ones pairing closes, and the right one fails, too."""
    number = rig.open_pairing()
    face = next(z for z in rig.hub.board.zones if z.name == "face")
    shown = rig.hub.board.lights.frame  # type: ignore[attr-defined]
    for n in range(MOST_WRONG):
        other = rig.visitor((f"192.168.1.{n + 100}", 50_000))
        assert 403 == rig.pair(other, "x", wrong(number)).status_code

    assert rig.hub.pairing() is None
    assert 403 == rig.pair(rig.visitor(), "Ann", number).status_code
    place = slice(3 * face.start, 3 * (face.start + face.count))
    assert shown[place] != rig.hub.board.lights.frame[place]  # type: ignore[attr-defined]


@pytest.mark.parametrize("number", ["", "7", "123", "4x", "٤٢", 42, None])
def test_a_number_has_two_digits(rig: Rig, number: object) -> None:
    """Anything else is malformed and does not count as a try."""
    right = rig.open_pairing()
    for _ in range(5):
        answer = rig.client.post("/api/pair", json={"name": "x", "number": number})
        assert 422 == answer.status_code

    assert 200 == rig.pair(rig.visitor(), "Ann", right).status_code


def test_a_revoked_phone_may_only_look(rig: Rig) -> None:
    """At once; its cookie stays invalid."""
    phone = pair(rig)
    (listed,) = phone.get("/api/pair").json()["phones"]
    assert ("Ann's phone", True) == (listed["name"], listed["this"])

    assert 200 == rig.client.delete(f"/api/phones/{listed['id']}").status_code

    assert 403 == write(phone, *WRITES[0]).status_code
    assert [] == phone.get("/api/pair").json()["phones"]


def test_the_buttons_forget_all_phones(rig: Rig) -> None:
    """By train and undo, confirmed by advance; at once and for good."""
    phone = pair(rig)
    rig.clock.move(1.0)
    rig.hold("train", "undo", seconds=5.1)
    assert 200 == write(phone, *WRITES[0]).status_code
    rig.hold("advance", seconds=0.1)

    assert 403 == write(phone, *WRITES[0]).status_code
    again = Client(rig.loop, build(rig.hub, simulated=True), PHONE)
    again.cookies.update(phone.cookies)
    assert 403 == write(again, *WRITES[0]).status_code
    assert 200 == write(pair(rig), *WRITES[0]).status_code


def refused(phone: Client) -> bool:
    """Return whether a write is refused without waiting for the card."""
    asking = phone.begin("POST", "/api/commands", json=WRITES[0][2])
    return asking.done() and 403 == asking.result().status_code


class StalledWriter(MoodyWriter):
    """Writes at once, until the card stalls."""

    stalled = False

    def write(self, batch: Batch) -> None:
        super().write(batch)
        if not self.stalled:
            self.be("finishes")


@pytest.mark.parametrize("older", ["another pairs", "it is seen again"])
def test_no_older_save_brings_a_forgotten_phone_back(open_rig: Open, older: str) -> None:
    """An earlier save waits while the card stalls; card, memory and access agree all the time."""
    writers: list[StalledWriter] = []

    def stalling(journal: Journal) -> StalledWriter:
        writers.append(StalledWriter(journal))
        return writers[0]

    rig = open_rig(writer=stalling)
    (writer,) = writers
    phone, other = pair(rig), rig.visitor()
    number = rig.open_pairing()
    writer.stalled = True
    if older == "another pairs":
        body = {"name": "Bob's phone", "number": number}
        waiting = other.begin("POST", "/api/pair", json=body)
    else:
        rig.clock.move(SEEN_EVERY + 1)
        waiting = phone.begin("GET", "/api/about")
    assert writer.batch is not None

    rig.hold("train", "undo", seconds=5.1)
    rig.hold("advance", seconds=0.1)
    assert refused(phone)
    writer.be("finishes")
    assert refused(phone)
    assert refused(other)
    assert waiting.done()
    assert 200 == waiting.result().status_code
    writer.be("finishes")

    assert writer.batch is None
    assert () == rig.hub.settings[PHONES] == rig.hub.decided.settings[PHONES]
    assert () == Settings.of(rig.hub.journal)[PHONES]
    assert refused(phone)
    assert refused(other)


def test_the_hubs_own_shell_forgets_all_phones(
    open_rig: Open, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """While the hub runs and after a restart; the note works once."""
    rig = open_rig(journal=Journal(tmp_path / "table.db", GAMES))
    data = ["--data", str(tmp_path)]
    phone, other = pair(rig, "Ann's phone"), pair(rig, "Bob's")
    assert main(["phones", *data]) == 0
    assert [line[:8] for line in capsys.readouterr().out.splitlines()] == ["Ann's ph", "Bob's, s"]

    assert main(["phones", "forget", *data]) == 0
    assert 403 == write(phone, *WRITES[0]).status_code
    assert 403 == write(other, *WRITES[0]).status_code
    again = Client(rig.loop, build(rig.hub, simulated=True), PHONE)
    again.cookies.update(phone.cookies)
    assert 403 == write(again, *WRITES[0]).status_code
    capsys.readouterr()
    main(["phones", *data])
    assert "No phone is paired.\n" == capsys.readouterr().out
    assert 200 == write(pair(rig), *WRITES[0]).status_code


def test_a_phone_paired_after_all_were_forgotten_stays(open_rig: Open, tmp_path: Path) -> None:
    """Also if it is the first to come, and while the card still saves that all are forgotten."""
    writers: list[StalledWriter] = []

    def stalling(journal: Journal) -> StalledWriter:
        writers.append(StalledWriter(journal))
        return writers[0]

    rig = open_rig(journal=Journal(tmp_path / "table.db", GAMES), writer=stalling)
    (writer,) = writers
    away = pair(rig, "Ann's phone")
    forget = ["phones", "forget", "--data", str(tmp_path)]
    assert main(forget) == 0
    assert 200 == write(pair(rig, "Bob's"), *WRITES[0]).status_code

    assert main(forget) == 0
    number, other = rig.open_pairing(), rig.visitor()
    writer.stalled = True
    assert refused(away)
    pairing = other.begin("POST", "/api/pair", json={"name": "Cara's", "number": number})
    assert refused(away)
    writer.be("finishes")
    writer.be("finishes")
    writer.stalled = False

    assert 200 == rig.loop.run_until_complete(pairing).status_code
    assert 200 == write(other, *WRITES[0]).status_code
    assert ["Cara's"] == [phone.name for phone in rig.hub.settings[PHONES]]


def test_a_paired_phone_is_known_after_a_restart(open_rig: Open) -> None:
    rig = open_rig()
    phone = pair(rig)
    again = build(rig.hub, simulated=True)

    restarted = Client(rig.loop, again, PHONE)
    restarted.cookies.update(phone.cookies)

    assert 200 == write(restarted, *WRITES[0]).status_code


@pytest.mark.parametrize(
    "token", ["", "x", "A" * 43, "../../etc/passwd" * 3, "é" * 30, "A" * 5000, "null"]
)
def test_a_forged_token_is_worth_nothing(rig: Rig, token: str) -> None:
    """Property of any token."""
    pair(rig)
    headers = {"Cookie": f"centerpiece={token}".encode()}

    assert 403 == write(rig.visitor(), *WRITES[0], **headers).status_code


def test_what_the_hub_keeps_of_a_token_lets_nobody_in(rig: Rig) -> None:
    """The hub stores a digest, so a copy of its file grants no access."""
    phone = pair(rig)
    token = phone.cookies["centerpiece"]
    kept = str(rig.hub.settings[PHONES])
    (digest,) = [phone.digest for phone in rig.hub.settings[PHONES]]

    assert token not in kept
    assert 403 == write(rig.visitor(), *WRITES[0], Cookie=f"centerpiece={digest}").status_code


def test_a_phone_that_was_away_for_half_a_year_is_forgotten(rig: Rig) -> None:
    """Each visit extends it, and renews the cookie; the list says when each was seen last."""
    assert 180 * 86_400 == LASTS
    phone = pair(rig)
    rig.clock.move(7_200)
    assert f"Max-Age={LASTS}" in phone.get("/api/about").headers["set-cookie"]
    rig.clock.move(3_600)
    (listed,) = rig.client.get("/api/pair").json()["phones"]
    assert 7_200 == pytest.approx(listed["seen"] - listed["paired"])
    rig.clock.move(LASTS - 3_660)
    assert 200 == write(phone, *WRITES[0]).status_code
    rig.clock.move(LASTS - 60)
    assert 200 == write(phone, *WRITES[0]).status_code
    rig.clock.move(LASTS + 60)
    assert 403 == write(phone, *WRITES[0]).status_code
    assert [] == rig.client.get("/api/pair").json()["phones"]
    pair(rig, "Bob's")
    assert ["Bob's"] == [phone.name for phone in rig.hub.settings[PHONES]]


class HalfSent:
    """A request of which half has been sent."""

    def __init__(self, rig: Rig, phone: Client, method: str, path: str, body: object) -> None:
        self.rest: asyncio.Future[bytes] = rig.loop.create_future()
        content = b"" if body is None else json.dumps(body).encode()

        async def halves() -> AsyncIterator[bytes]:
            yield content[:5]
            yield content[5:] if await self.rest == b"go" else b""

        kind = {"Content-Type": "application/json"}
        self.answer = phone.begin(method, path, content=halves(), headers=kind)


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_a_phone_removed_while_it_sends_is_out(
    rig: Rig, method: str, path: str, body: object
) -> None:
    """The right to write is checked again when the order is complete."""
    if body is None:
        return  # it is decided at once
    phone = pair(rig)
    half = HalfSent(rig, phone, method, path, body)
    assert not half.answer.done()
    (listed,) = rig.client.get("/api/pair").json()["phones"]
    rig.client.delete(f"/api/phones/{listed['id']}")
    before = rig.hub.seq, rig.hub.preferences

    half.rest.set_result(b"go")
    answer = rig.loop.run_until_complete(half.answer)

    assert 403 == answer.status_code
    assert before == (rig.hub.seq, rig.hub.preferences)


def test_a_phone_removed_while_the_history_is_read_deletes_nothing(
    open_rig: Open, tmp_path: Path
) -> None:
    """Looking for the game may take seconds, in a long history."""
    rig = open_rig(journal=Journal(tmp_path / "table.db", GAMES))
    play_a_game(rig)
    (game,) = rig.client.get("/api/history").json()["games"]
    phone, reading = pair(rig), Event()
    rig.app.state.site.past._thread.submit(reading.wait, TIMEOUT_S)
    delete = {"type": "delete-game", "started_at": game["started_at"]}
    asking = phone.begin("POST", "/api/commands", json=delete)
    (listed,) = rig.client.get("/api/pair").json()["phones"]
    rig.client.delete(f"/api/phones/{listed['id']}")

    reading.set()
    answer = rig.loop.run_until_complete(asking)
    rig.app.state.site.close()

    assert 403 == answer.status_code
    assert () == tuple(rig.hub.table.deleted)


def test_a_removed_tablet_sees_no_more_pictures(rig: Rig) -> None:
    """Its stream ends, before it could read the next pairing number and pair again."""
    phone = pair(rig)
    stream = phone.begin("GET", "/api/hub/frames")
    assert not stream.done()
    (listed,) = rig.client.get("/api/pair").json()["phones"]

    rig.client.delete(f"/api/phones/{listed['id']}")
    seen = rig.loop.run_until_complete(asyncio.wait_for(stream, TIMEOUT_S)).content
    frames = len(seen)
    number = rig.open_pairing()

    assert frames
    assert number == rig.client.get("/api/pair").json()["open"]["number"]
    assert 0 == rig.app.state.site.virtual.stream.count


def test_the_set_up_page_counts_wrong_numbers_by_device(open_rig: Open) -> None:
    """Strangers lock nobody else out; a right number pairs nobody; only this machine may ask."""
    rig = open_rig(simulated=False)
    ask = partial(rig.client.post, "/api/pair/number")
    for _ in range(TRIES):
        assert 403 == ask(json={"device": "10.42.0.66", "number": "00"}).status_code
    number = rig.open_pairing()

    assert 429 == ask(json={"device": "10.42.0.66", "number": number}).status_code
    assert 200 == ask(json={"device": "10.42.0.7", "number": number}).status_code
    assert 403 == rig.visitor().post("/api/pair/number", json={}).status_code
    assert () == rig.hub.settings[PHONES]
    assert 200 == rig.pair(rig.visitor(), "Ann", number).status_code


@pytest.mark.real_time("a request over loopback")
def test_the_set_up_page_asks_the_running_hub(open_rig: Open) -> None:
    """It shows the hub's own sentences."""
    rig = open_rig(simulated=False)
    number = rig.open_pairing()
    with served_here(rig) as address:
        check = check_with_hub(urlsplit(address).port or 0)
        answers = [check("10.42.0.7", each) for each in (wrong(number), number, "x" * 17)]

    assert answers[0].startswith("That is not the number on the hub's face.")
    assert "" == answers[1]
    assert "number" in answers[2]


def test_pairing_is_limited_and_the_paired_are_not_locked_out(rig: Rig) -> None:
    """Of a thousand tries most are refused before they count, so that they cannot close pairing for
    others; paired phones are not affected.
    """
    phone = pair(rig)
    while rig.hub.pairing():
        rig.hub.pairs_with("")
    hammer = rig.visitor(("192.168.1.66", 4000))

    answers = [rig.pair(hammer, "x", "42") for _ in range(1000)]

    assert 1000 - TRIES == sum(answer.status_code == 429 for answer in answers)
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert 200 == write(phone, *WRITES[0]).status_code
    number = rig.open_pairing()
    for _ in range(100):
        assert 429 == rig.pair(hammer, "x", number).status_code
    assert 200 == rig.pair(rig.visitor(), "Bob", number).status_code
    rig.clock.move(TRIES_WITHIN)
    assert 403 == rig.pair(hammer, "x", "42").status_code


def test_the_number_of_phones_is_bounded(rig: Rig) -> None:
    """Removing one makes room."""
    for number in range(MOST_PHONES):
        pair(rig, f"Phone {number}")
    rig.open_pairing()

    full = rig.pair(rig.visitor(), "one more")

    assert 409 == full.status_code
    first = rig.client.get("/api/pair").json()["phones"][0]
    rig.client.delete(f"/api/phones/{first['id']}")
    assert 200 == rig.pair(rig.visitor(), "one more").status_code


@pytest.mark.parametrize("name", ["", " ", "x" * 200, "a\u202eb"])
def test_a_phones_name_must_be_readable(rig: Rig, name: str) -> None:
    """Pairing stays open for a second try."""
    rig.open_pairing()

    assert 409 == rig.pair(rig.visitor(), name).status_code
    assert 200 == rig.pair(rig.visitor(), "Ann").status_code


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://centerpiece.local:8081"},
        {"Origin": "file://"},
        {"Origin": "http://[broken"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize(
    ("method", "path", "body"), [*WRITES, ("POST", "/api/pair", {"name": "x", "number": "42"})]
)
def test_no_other_page_can_write_through_a_paired_browser(
    rig: Rig, method: str, path: str, body: object, headers: dict[str, str]
) -> None:
    """Requests from another origin are refused even with the cookie."""
    answer = write(rig.client, method, path, body, **headers)

    assert (403, "origin") == (answer.status_code, answer.json()["error"]["code"])


def test_the_hubs_own_pages_may_write(rig: Rig) -> None:
    """Their requests have the same origin."""
    headers = {"Origin": "http://centerpiece.local", "Sec-Fetch-Site": "same-origin"}

    assert 200 == write(rig.client, *WRITES[0], **headers).status_code


@pytest.mark.parametrize(
    "host", ["evil.example", "centerpiece.local.evil.example", "", "a b", "[::"]
)
@pytest.mark.parametrize("path", ["/", "/api/state", "/api/commands"])
def test_a_name_that_strangers_can_own_is_not_answered(rig: Rig, host: str, path: str) -> None:
    """A web page that points its own name at the hub (DNS rebinding) gets no answer."""
    answer = rig.client.get(path, headers={"Host": host})

    assert (421, "host") == (answer.status_code, answer.json()["error"]["code"])


@pytest.mark.parametrize(
    "host",
    [
        "centerpiece.local",
        "centerpiece.local:8080",
        "192.168.1.5:8080",
        "localhost",
        "[::1]:80",
        "hub",
        "hub.lan",
    ],
)
def test_addresses_and_local_names_are_answered(rig: Rig, host: str) -> None:
    assert 200 == rig.client.get("/api/state", headers={"Host": host}).status_code


@pytest.mark.parametrize("path", ["/", "/board", "/api/state", "/static/style.css", "/nothing"])
def test_every_answer_has_the_headers_that_keep_browsers_careful(rig: Rig, path: str) -> None:
    """No inline script, no frames, no sniffing, no referrer."""
    headers = rig.client.get(path).headers

    policy = headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert ("nosniff", "no-referrer") == (
        headers["x-content-type-options"],
        headers["referrer-policy"],
    )


def test_tokens_are_never_logged(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    """Neither when pairing nor when a request crashes."""
    caplog.set_level(logging.DEBUG)
    phone = pair(rig)
    rig.hub.order = None  # type: ignore[assignment, method-assign]

    assert 500 == write(phone, *WRITES[0]).status_code

    assert "crashed" in caplog.text
    assert phone.cookies["centerpiece"] not in caplog.text
