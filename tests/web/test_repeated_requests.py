"""Orders that arrive twice: browsers repeat a request after a reset connection."""

import http.client
import json
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from centerpiece.games.registry import GAMES
from centerpiece.hub.order_keys import MOST_KEYS, ORDER_KEYS
from centerpiece.storage.journal import Journal
from centerpiece.storage.phones import PHONES
from centerpiece.web import repeated_requests
from tests.hub.test_slow_disk import MoodyWriter
from tests.patience import TIMEOUT_S, until
from tests.web.conftest import Client, Open, Rig, served_here

SEAT = ("POST", "/api/commands", {"type": "toggle-seat", "seat": 1, "name": "Ann"})
LOUD = ("PUT", "/api/settings", {"volume": 0.3})
KEY = "4f1d0c7be2a94f6d8f00"


def tap(client: Client, order: tuple[str, str, Any], key: str = KEY, **more: str) -> httpx.Response:
    method, path, body = order
    return client.request(method, path, json=body, headers={"Idempotency-Key": key} | more)


def facts(rig: Rig) -> tuple[Any, ...]:
    return rig.hub.seq, rig.hub.preferences, rig.hub.settings[PHONES]


@pytest.fixture(params=["kept running", "restarted"])
def hubs(request: pytest.FixtureRequest, open_rig: Open, tmp_path: Path) -> Any:
    """A hub, and a function that returns it as it is for the second request."""
    path = tmp_path / "table.db"
    rig = open_rig(journal=Journal(path, GAMES))

    def again() -> Rig:
        if request.param == "kept running":
            return rig
        rig.hub.journal.close()
        return open_rig(journal=Journal(path, GAMES))

    return rig, again


@pytest.mark.parametrize("order", [SEAT, LOUD])
def test_an_order_that_arrives_twice_is_done_once(hubs: Any, order: Any) -> None:
    """It gets the same answer, whatever came in between; another key is another order."""
    rig, again = hubs
    first = tap(rig.client, order)
    tap(rig.client, (*SEAT[:2], {"type": "toggle-seat", "seat": 2}), KEY + "-between")
    before, rig = facts(rig), again()

    second = tap(rig.client, order)

    assert (200, first.json()) == (second.status_code, second.json())
    assert before == facts(rig)
    if order is SEAT:
        assert rig.hub.seq < tap(rig.client, order, KEY + "-new").json()["seq"]


def test_a_phone_whose_pairing_arrives_again_after_a_restart_is_one_phone(
    open_rig: Open, tmp_path: Path
) -> None:
    """It gets another token, since the hub stores none; a removed phone gets nothing."""
    path = tmp_path / "table.db"
    rig = open_rig(journal=Journal(path, GAMES))
    wish = ("POST", "/api/pair", {"name": "Ann", "number": rig.open_pairing()})
    assert 200 == tap(rig.visitor(), wish).status_code
    rig.hub.journal.close()
    rig = open_rig(journal=Journal(path, GAMES))
    phone = rig.visitor()

    assert 200 == tap(phone, wish).status_code
    assert ["Ann"] == [each.name for each in rig.hub.settings[PHONES]]
    assert 200 == tap(phone, SEAT, KEY + "-seat").status_code
    assert 403 == tap(rig.visitor(), wish, KEY + "-other").status_code

    (listed,) = rig.client.get("/api/pair").json()["phones"]
    rig.client.delete(f"/api/phones/{listed['id']}")
    rig.hub.journal.close()
    rig = open_rig(journal=Journal(path, GAMES))
    assert 403 == tap(rig.visitor(), wish).status_code


def test_a_press_and_a_phone_that_arrive_twice_count_once(rig: Rig) -> None:
    """The second answer brings the same token, because the first one may have been lost."""
    phone = rig.visitor()
    wish = ("POST", "/api/pair", {"name": "Ann", "number": rig.open_pairing()})
    first = tap(phone, wish)
    phone.cookies.clear()
    second = tap(phone, wish)
    assert first.headers["set-cookie"] == second.headers["set-cookie"]
    assert 1 == len(rig.hub.settings[PHONES])

    for down, key in ((True, "-down"), (True, "-down"), (False, "-up"), (False, "-up")):
        press = ("POST", "/api/hub/press", {"button": "seat-3", "down": down})
        assert 200 == tap(rig.client, press, KEY + key).status_code
    rig.clock.move(1.0)
    rig.hub.wake()

    assert [3] == [seat["seat"] for seat in rig.hub.state()["seats"]]


def test_a_refusal_stays_one(rig: Rig) -> None:
    """An order is not carried out later than somebody was told that it was refused."""
    start = ("POST", "/api/commands", {"type": "start"})
    refused = tap(rig.client, start)
    rig.seated("Ann", "Bob", "Cara", "Dan")
    rig.send("open-lobby")
    again = tap(rig.client, start)

    assert (409, 409) == (refused.status_code, again.status_code)
    assert refused.json() == again.json()


@pytest.mark.parametrize("mood", ["finishes", "fails"])
def test_an_order_that_is_repeated_while_it_is_saved_waits_for_it(
    open_rig: Open, mood: Any
) -> None:
    """Both get the answer of the disk; what it refused may be tried again with the same key."""
    writer = MoodyWriter(Journal(":memory:", GAMES))
    rig = open_rig(journal=writer.journal, writer=lambda _: writer)
    headers = {"Idempotency-Key": KEY}
    asked = [rig.client.begin(*SEAT[:2], json=SEAT[2], headers=headers) for _ in range(2)]
    assert [False, False] == [each.done() for each in asked]

    writer.be(mood)
    answers = []
    for _ in range(2):
        answers = [rig.client.begin("GET", "/api/state"), *asked]
        writer.be(mood)
    statuses = [each.result().status_code for each in answers[1:] if each.done()]

    assert ([200, 200] if mood == "finishes" else [503, 503]) == statuses
    assert (mood == "finishes") == bool(rig.hub.seq)
    last = rig.client.begin(*SEAT[:2], json=SEAT[2], headers=headers)
    writer.be("finishes")
    rig.client.get("/api/state")
    assert 200 == last.result().status_code
    assert ["Ann"] == [seat["name"] for seat in rig.hub.state()["seats"]]


def test_what_is_kept_is_bounded_and_nobody_elses(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand orders leave a few keys; a stranger with a copied key learns nothing."""
    monkeypatch.setattr(repeated_requests, "MOST_ANSWERS", 3)
    phone = rig.visitor()
    rig.open_pairing()
    rig.pair(phone, "Ann")
    for number in range(3 * MOST_KEYS):
        assert 200 == tap(phone, SEAT, f"{KEY}-{number}").status_code

    kept = rig.hub.settings[ORDER_KEYS]
    assert [f"{KEY}-{number}" for number in range(2 * MOST_KEYS, 3 * MOST_KEYS)] == list(kept)
    assert 403 == tap(rig.visitor(), SEAT, f"{KEY}-{3 * MOST_KEYS - 1}").status_code
    assert 3 == len(answers_of(rig))


def answers_of(rig: Rig) -> Any:
    layer = rig.app.middleware_stack
    while not isinstance(layer, repeated_requests.RepeatedRequests):
        layer = layer.app  # type: ignore[union-attr]
    return layer._answers


@pytest.mark.real_time("a server that is stopped")
def test_a_hub_that_stops_while_it_saves_answers_nothing_untrue(open_rig: Open) -> None:
    """The phone gets no answer rather than one that says that something went wrong."""
    writer = MoodyWriter(Journal(":memory:", GAMES))
    rig = open_rig(journal=writer.journal, writer=lambda _: writer)
    got: list[object] = []

    def ask(place: str) -> None:
        link = http.client.HTTPConnection(place, timeout=TIMEOUT_S)
        try:
            body, headers = json.dumps(SEAT[2]), {"Content-Type": "application/json"}
            link.request(*SEAT[:2], body, headers)
            got.append(link.getresponse().status)
        except OSError as error:
            got.append(type(error))
        finally:
            link.close()

    with served_here(rig) as address:
        phone = Thread(target=ask, args=(urlsplit(address).netloc,))
        phone.start()
        until(lambda: writer.batch is not None)
    phone.join(TIMEOUT_S)

    assert got[0] in (http.client.RemoteDisconnected, ConnectionResetError)
