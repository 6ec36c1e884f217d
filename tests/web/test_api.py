"""The HTTP API: commands, errors, settings, rules, history."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import fields

from centerpiece.games.registry import GAMES
from centerpiece.hub.voice import Utterance
from centerpiece.reports.papers import papers
from centerpiece.speech.languages import language
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.table import lobby
from centerpiece.table.commands import Command
from centerpiece.text import Sentence
from centerpiece.web import openapi, qr_code, rule_books
from centerpiece.web.json_answers import HEADERS
from hal.ports import Edge
from tests.web.conftest import Open, Rig


def test_the_state_is_the_hubs_public_state(rig: Rig) -> None:
    rig.seated("Ann", "Bob", "Cara", "Dan")

    assert rig.hub.state() == rig.client.get("/api/state").json()


def test_a_command_answers_with_the_new_sequence_number(rig: Rig) -> None:
    """The sender can tell when its event stream has caught up."""
    rig.seated("Ann", "Bob", "Cara", "Dan")

    answer = rig.send("toggle-marker", seat=2)

    assert (200, {"seq": rig.hub.seq}) == (answer.status_code, answer.json())
    assert rig.client.get("/api/state").json()["seats"][1]["marker"] is True


@pytest.mark.parametrize("number", [10**36, -(10**36), 2**63])
@pytest.mark.parametrize("kind", GAMES.commands, ids=lambda kind: str(kind.__name__))
def test_a_number_that_no_computer_counts_to_breaks_nothing(
    rig: Rig, kind: type[Command], number: int
) -> None:
    """In the lobby and in a game, in every number field of every command."""
    numbers = {f.name: number for f in fields(kind) if "int" in str(f.type)}
    words = {f.name: "x" for f in fields(kind) if f.type is str}
    command = {"type": str(kind.__struct_config__.tag), **numbers, **words}

    in_the_lobby = rig.send(**command)
    rig.send("open-table", rules="mexican-train/classic", players=["Ann", "Bob", "Cara", "Dan"])
    in_a_game = rig.send(**command)

    assert {in_the_lobby.status_code, in_a_game.status_code} <= {200, 409, 422}


def test_a_refused_command_says_why_and_changes_nothing(rig: Rig) -> None:
    before = rig.hub.state()

    answer = rig.send("block")

    assert 409 == answer.status_code
    error = answer.json()["error"]
    assert ("refused", "No round is being played.") == (error["code"], error["message"])
    assert before == rig.hub.state()


def test_an_implausible_score_is_asked_back(rig: Rig) -> None:
    """By its code the page knows that the command would be accepted with `confirm`."""
    rig.seated("Ann", "Bob", "Cara", "Dan").send("go-out", seat=1)

    answer = rig.send("enter-score", seat=2, pips=9000)
    assert (409, "confirm") == (answer.status_code, answer.json()["error"]["code"])

    confirmed = rig.send("enter-score", seat=2, pips=9000, confirm=True)
    assert 200 == confirmed.status_code


def test_the_second_of_two_phones_is_told_what_the_first_entered(rig: Rig) -> None:
    rig.seated("Ann", "Bob", "Cara", "Dan").send("go-out", seat=1)
    rig.send("enter-score", seat=2, pips=31)

    answer = rig.send("enter-score", seat=2, pips=13)

    assert 409 == answer.status_code
    assert "31" in answer.json()["error"]["message"]


def test_a_command_meant_for_an_earlier_state_is_late(rig: Rig) -> None:
    """A page that is behind must not undo what it has not seen."""
    rig.seated("Ann", "Bob", "Cara", "Dan")
    seen = rig.hub.seq
    rig.send("toggle-marker", seat=2)

    late = rig.client.post(
        "/api/commands", json={"type": "undo"}, headers={"If-Match": f'"{seen}"'}
    )

    assert (409, "late") == (late.status_code, late.json()["error"]["code"])
    assert rig.hub.state()["seats"][1]["marker"] is True


def test_an_undo_never_takes_back_what_its_page_could_not_know(rig: Rig) -> None:
    """Presses that have arrived are processed before the states are compared."""
    rig.seated("Ann", "Bob", "Cara", "Dan")
    rig.send("toggle-marker", seat=1)
    seen, now = rig.hub.seq, rig.clock.now()
    edges = [Edge("seat-2", True, now), Edge("seat-2", False, now + 0.1)]

    def hear() -> None:
        while edges:
            rig.hub.hear(edges.pop(0))

    rig.hub.before_orders(hear)

    late = rig.client.post("/api/commands", json={"type": "undo"}, headers={"If-Match": str(seen)})

    assert (409, "late") == (late.status_code, late.json()["error"]["code"])
    assert seen + 1 == rig.hub.seq
    assert (2, True) == (rig.hub.state()["starter"], rig.hub.state()["seats"][0]["marker"])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "not JSON"),
        (b"[]", "one JSON object"),
        (b"{}", "“type” is missing"),
        (b'{"type": "dance"}', "no type “dance”"),
        (b'{"type": "go-out"}', "“seat” is missing"),
        (b'{"type": "go-out", "seat": "one"}', "“seat” must be a whole number"),
        (b'{"type": "go-out", "seat": 1.5}', "“seat” must be a whole number"),
        (b'{"type": "go-out", "seat": 1, "sea": 2}', "no field “sea”"),
        (b'{"type": "penalize", "seat": 1, "kind": "jail"}', "“kind” must be one of"),
        (b'{"type": "rename", "seat": 1, "name": "\\ud800"}', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b'{"type": "rename", "seat": 1, "name": "\xff\xfe"}', "not JSON"),
        (b'{"type":"change-rule","setting":"a","value":' + b"[" * 8000, "nested too deeply"),
    ],
)
def test_a_malformed_command_is_told_what_is_wrong(rig: Rig, body: bytes, words: str) -> None:
    """422, with a sentence that names the field."""
    answer = rig.client.post(
        "/api/commands", content=body, headers={"Content-Type": "application/json"}
    )

    assert 422 == answer.status_code
    assert "malformed" == answer.json()["error"]["code"]
    assert words in answer.json()["error"]["message"]


def test_a_body_over_sixteen_kilobytes_is_refused(rig: Rig) -> None:
    """By its announced length, or once it has arrived in chunks."""
    large = b" " * 16_385

    async def pieces() -> AsyncIterator[bytes]:
        yield large[:9000]
        yield large[9000:]

    headers = {"Content-Type": "application/json"}

    announced = rig.client.post("/api/commands", content=large, headers=headers)
    in_pieces = rig.client.post("/api/commands", content=pieces(), headers=headers)

    assert [413, 413] == [announced.status_code, in_pieces.status_code]
    assert "too-large" == announced.json()["error"]["code"]


def test_only_json_is_taken(rig: Rig) -> None:
    """A foreign page cannot send JSON without a preflight request."""
    answer = rig.client.post("/api/commands", content=b"{}", headers={"Content-Type": "text/plain"})

    assert (415, "content-type") == (answer.status_code, answer.json()["error"]["code"])


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", "/static/nothing.js", 404),
        ("GET", "/static/../app.py", 404),
        ("GET", "/state/", 404),
        ("GET", "/api/commands", 405),
        ("POST", "/api/state", 405),
        ("POST", "/api/events", 405),
        ("PATCH", "/", 405),
        ("GET", "/api/rulecard?rules=poker/classic", 409),
        ("GET", "/api/sounds/bang.wav", 404),
        ("DELETE", "/api/phones/nobody", 404),
        ("GET", "/api/history/1", 404),
        ("GET", "/api/history/0", 404),
        ("GET", "/api/history/x", 404),
        ("GET", f"/api/history/{'9' * 5_000}", 404),
        ("GET", f"/api/history/{'9' * 5_000}/sheet.html", 404),
    ],
)
def test_every_error_has_the_same_shape(rig: Rig, method: str, path: str, status: int) -> None:
    """A code for programs and a sentence for people."""
    headers = {"Content-Type": "application/json"}

    answer = rig.client.request(method, path, headers=headers)

    assert status == answer.status_code
    error = answer.json()["error"]
    assert {"code", "message", "said"} == set(error)
    assert error["message"].endswith(".")
    assert list(HEADERS.values()) == [answer.headers.get(name) for name in HEADERS]


def test_a_mistake_of_ours_has_the_same_shape(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to a bug says that nothing was lost, and nothing about its cause."""

    def broken() -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(rig.hub, "state", broken)

    answer = rig.client.get("/api/state")

    assert (500, "internal") == (answer.status_code, answer.json()["error"]["code"])
    assert "secret" not in answer.text
    assert "DENY" == answer.headers["x-frame-options"]


def test_a_hub_that_stops_tells_so_and_does_not_crash(open_rig: Open, tmp_path: Path) -> None:
    """A request for past games may come after the history thread has ended."""
    rig = open_rig(journal=Journal(tmp_path / "table.db", GAMES))
    rig.app.state.site.close()

    answer = rig.client.get("/api/history")

    assert (503, "http") == (answer.status_code, answer.json()["error"]["code"])


def test_a_full_disk_is_told_and_changes_nothing(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """503; the table is unchanged, and its state says that it is not saved."""
    rig.seated("Ann", "Bob", "Cara", "Dan")
    before = rig.hub.state()["seats"]
    rig.hub.journal.database.execute("PRAGMA query_only = ON")

    answer = rig.send("toggle-marker", seat=1)

    error = answer.json()["error"]
    assert (503, "not-saved") == (answer.status_code, error["code"])
    assert "the disk is read-only" == error["said"]["facts"]["reason"]["template"]
    assert before == rig.hub.state()["seats"]
    assert rig.hub.state()["saved"] is False
    rig.hub.journal.database.execute("PRAGMA query_only = OFF")
    assert 200 == rig.send("toggle-marker", seat=1).status_code


def test_settings_on_a_read_only_disk_are_refused_in_the_same_way(rig: Rig) -> None:
    """Settings are written separately from the journal's events."""
    rig.hub.journal.database.execute("PRAGMA query_only = ON")

    answer = rig.client.put("/api/settings", json={"muted": True})

    assert (503, "not-saved") == (answer.status_code, answer.json()["error"]["code"])
    assert rig.hub.preferences.muted is False


def test_settings_are_changed_one_by_one_and_survive_a_restart(
    open_rig: Open, tmp_path: Path
) -> None:
    """Settings that a request does not name keep their values."""
    first = open_rig(journal=Journal(tmp_path / "table.db", GAMES))
    first.client.put("/api/settings", json={"volume": 0.5, "language": "es"})
    changed = first.client.put("/api/settings", json={"brightness": 0.3}).json()
    first.hub.journal.close()

    again = open_rig(journal=Journal(tmp_path / "table.db", GAMES))

    assert (0.5, 0.3, "es") == (changed["volume"], changed["brightness"], changed["language"])
    assert changed == again.client.get("/api/settings").json()
    assert 0.3 == again.hub.board.lights.brightness  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {"volume": 2},
        {"volume": "loud"},
        {"quiet_from": "25:00"},
        {"language": "xx"},
        {"language": "../en"},
        {"loud": 1},
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(rig: Rig, wrong: object) -> None:
    before = rig.hub.preferences

    assert 422 == rig.client.put("/api/settings", json=wrong).status_code
    assert before == rig.hub.preferences


def test_house_rules_are_saved_listed_chosen_and_forgotten(rig: Rig) -> None:
    rig.send("choose-rules", rules="mexican-train/classic")
    rig.send("change-rule", setting="double_blank", value=25)
    rig.send("save-house-rules", name="Sunday")
    rig.send("choose-rules", rules="mexican-train/classic")

    rig.send("choose-rules", rules="mexican-train/Sunday")

    assert 25 == rig.hub.table.rules.double_blank
    assert ["Sunday"] == [h["name"] for h in rig.client.get("/api/rules").json()["house_rules"]]
    rig.send("forget-house-rules", name="Sunday")
    assert [] == rig.client.get("/api/rules").json()["house_rules"]


def test_a_rule_that_is_changed_in_a_game_is_marked_until_it_holds(rig: Rig) -> None:
    """It applies from the next round on, and is marked on the card and in the state until then."""
    rig.seated("Ann", "Bob", "Cara", "Dan")
    rig.send("change-rule", setting="double_blank", value=25)

    def marked() -> list[str]:
        sections = rig.client.get("/api/rulecard").json()["sections"]
        lines = [line for section in sections for line in section["lines"]]
        return [line["said"]["template"] for line in lines if line["coming"]]

    waiting = marked()
    agreed = rig.client.get("/api/state").json()["from_next_round"]
    rig.send("go-out", seat=1)
    rig.send("count-rest")
    rig.send("next-round")

    assert ("The double blank counts {value} {value|point|points}.", 25) == (
        agreed[0]["template"],
        agreed[0]["facts"]["value"],
    )
    assert agreed[0]["template"] in waiting
    assert [] == marked()


def play_a_game(rig: Rig) -> None:
    rig.seated("Ann", "Bob", "Cara", "Dan")
    for out, scores in ((1, {2: 31, 3: 12, 4: 7}), (2, {1: 5, 3: 50, 4: 20})):
        rig.send("go-out", seat=out)
        for seat, pips in scores.items():
            rig.send("enter-score", seat=seat, pips=pips)
        rig.send("next-round")
    rig.send("finish-game")


def test_a_hurt_evening_is_told_as_hurt(open_rig: Open, tmp_path: Path) -> None:
    """The damage is invalid UTF-8; everything else can still be read."""
    rig = open_rig(journal=Journal(tmp_path / "table.db", GAMES))
    play_a_game(rig)
    lost = rig.hub.seq - 3
    rig.hub.journal.database.execute(
        "UPDATE events SET body = X'7B22FF227D' WHERE seq = ?", (lost,)
    )

    overview = rig.client.get("/api/history").json()
    rig.app.state.site.close()

    assert [True] == [game["hurt"] for game in overview["games"]]
    assert [lost] == [each["seq"] for each in overview["damage"]]


def test_only_a_past_game_can_be_deleted(open_rig: Open, tmp_path: Path) -> None:
    """Others would only make the table grow."""
    rig = open_rig(journal=Journal(tmp_path / "table.db", GAMES))
    play_a_game(rig)
    (game,) = rig.client.get("/api/history").json()["games"]
    delete = {"type": "delete-game", "started_at": game["started_at"] + 1}

    refused = rig.client.post("/api/commands", json=delete)
    done = rig.client.post("/api/commands", json=delete | {"started_at": game["started_at"]})
    left = rig.client.get("/api/history").json()["games"]
    rig.app.state.site.close()

    assert (409, 200, []) == (refused.status_code, done.status_code, left)
    assert 1 == len(rig.hub.table.deleted)


def test_only_somebody_who_played_can_be_named(
    open_rig: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others, or names without end, would only make the table grow and the history slow."""
    monkeypatch.setattr(lobby, "MOST_NAMED", 2)
    rig = open_rig(journal=Journal(tmp_path / "table.db", GAMES))
    play_a_game(rig)
    start = rig.client.get("/api/history").json()["games"][0]["started_at"]
    tries: list[dict[str, Any]] = [
        {"name": "Zed", "now": "Zoe"},
        {"name": "Ann", "now": "Anna", "started_at": start + 1},
        {"name": "ann", "now": "Anna", "started_at": start},
        {"name": "Bob", "now": "Robert"},
        {"name": "Robert", "now": "Bobby"},
        {"name": "Bob", "now": "Bob"},
        {"name": "Cara", "now": "Carla"},
    ]

    answers = [rig.send("name-person", **each).status_code for each in tries]
    rig.app.state.site.close()

    assert [409, 409, 200, 200, 409, 200, 200] == answers


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_season_is_told(open_rig: Open, tmp_path: Path, on_disk: bool) -> None:
    """Sums for a span, a game and a circle, and every round for a spreadsheet and a program."""
    rig = open_rig(journal=Journal(tmp_path / "table.db" if on_disk else ":memory:", GAMES))
    assert [] == rig.client.get("/api/season").json()["people"]
    play_a_game(rig)

    season = rig.client.get("/api/season?game=mexican-train&person=Ann&person=bob").json()
    later = rig.client.get(f"/api/season?since={season['first'] + 1}").json()
    rows = rig.client.get("/api/season/rounds.csv").text.splitlines()
    document = rig.client.get("/api/season/rounds.json").json()
    codes = [
        rig.client.get(f"/api/season{path}").status_code
        for path in ("?since=x", "?until=-1", f"?since={'9' * 400}", "/rounds.xml")
    ]
    rig.app.state.site.close()

    assert ["Ann", "Bob"] == [each["name"] for each in season["people"]]
    assert [] == later["people"]
    assert "evening,started_at,game" in rows[0]
    assert len(rows) == 1 + len(document)
    assert [422, 422, 422, 404] == codes


def test_only_people_of_the_history_are_named(open_rig: Open) -> None:
    """Others would only make the table grow; and two who have met are not one."""
    rig = open_rig()
    play_a_game(rig)

    def name(name: str, now: str) -> int:
        body = {"type": "name-person", "name": name, "now": now}
        return int(rig.client.post("/api/commands", json=body).status_code)

    assert [409, 409, 200] == [name("Zoe", "Ann"), name("Ann", "bob"), name("ann", "Anna")]
    (game,) = rig.client.get("/api/history").json()["games"]
    assert "Anna" in game["players"]
    assert [409, 200] == [name("Ann", "Annie"), name("ann", "ann")]
    season = rig.client.get("/api/season").json()
    rig.app.state.site.close()
    assert [] == season["names"]
    assert "Ann" in season["everybody"]


@pytest.mark.parametrize("on_disk", [False, True])
def test_past_evenings_are_told(open_rig: Open, tmp_path: Path, on_disk: bool) -> None:
    """Overview, one game in full and its printable sheet, also while the hub writes."""
    rig = open_rig(journal=Journal(tmp_path / "table.db" if on_disk else ":memory:", GAMES))
    nothing = {"games": [], "players": [], "damage": []}
    assert nothing == rig.client.get("/api/history").json()
    play_a_game(rig)

    overview = rig.client.get("/api/history").json()
    game = rig.client.get("/api/history/1").json()
    sheet = rig.client.get("/api/history/1/sheet.html")
    table = rig.client.get("/api/history/1/sheet.csv")
    rig.app.state.site.close()

    assert [["Ann"]] == [each["winners"] for each in overview["games"]]
    assert {"Ann", "Bob", "Cara", "Dan"} == {record["name"] for record in overview["players"]}
    assert [0, 5, None] == game["players"][0]["scores"]  # the third round was cut off
    assert ("text/html; charset=utf-8", True) == (
        sheet.headers["content-type"],
        "Ann" in sheet.text,
    )
    assert "script-src" not in sheet.headers["content-security-policy"]
    assert table.text.startswith("Round,")


def test_every_setting_of_every_profile_has_a_sentence_and_fits_the_page(rig: Rig) -> None:
    """The page's data has the same sentences as the printed rule card."""
    cards = [
        rig.client.get("/api/rulecard", params={"rules": profile["rules"]}).json()
        for game in rig.client.get("/api/rules").json()["games"]
        for profile in game["profiles"]
    ]

    sheets = papers(GAMES)
    for card in cards:
        printed = " ".join(sheets[f"rules/{card['game']}-{card['name']}.txt"].split())
        for section in card["sections"]:
            said = [str(Sentence(**line["said"])) for line in section["lines"]]
            assert f"{section['title']} {'-' * len(section['title'])} {' '.join(said)}" in printed

    settings = [setting for card in cards for setting in card["settings"]]
    assert all(setting["said"]["template"] for setting in settings)
    kinds = {setting["kind"] for setting in settings}
    assert {"choice", "number", "numbers", "fixed"} == kinds
    for setting in settings:
        if setting["kind"] == "choice":
            assert setting["value"] in [choice["value"] for choice in setting["choices"]]


def test_the_panel_tells_what_the_buttons_do(rig: Rig) -> None:
    """Bindings of the game and shared ones, without answers to questions."""
    rows = rig.client.get("/api/panel").json()["panel"]
    marker = {
        "phases": ["playing"],
        "control": "seat",
        "gesture": "tap",
        "words": "open / close this train",
        "when": "",
    }
    digit = "a digit of the hand being counted: 1 to 9, seat 10 is 0"

    assert marker in rows
    assert ["counting"] == [row["when"] for row in rows if row["words"] == digit]
    assert {"undo", "lets phones pair for a minute: type the number on the face"} <= {
        row["words"] for row in rows
    }
    assert "this seat went out" not in {row["words"] for row in rows}


def test_names_that_played_are_remembered(rig: Rig) -> None:
    """The next evening's set-up offers them."""
    rig.seated("Ann", "José", "山田", "Dan")

    assert {"Ann", "José", "山田", "Dan"} == set(rig.client.get("/api/players").json()["players"])


def test_the_address_is_drawn_as_a_code(rig: Rig) -> None:
    answer = rig.client.get("/api/qr.svg")

    assert "image/svg+xml" == answer.headers["content-type"]
    assert answer.text.startswith("<svg")


def test_a_sound_is_a_wav_file(rig: Rig) -> None:
    answer = rig.client.get("/api/sounds/knock.wav")

    assert ("audio/wav", b"RIFF") == (answer.headers["content-type"], answer.content[:4])


def test_odd_settings_from_a_phone_never_crash_the_hub(rig: Rig) -> None:
    """Property: any JSON as a house rule's value is accepted or refused with a sentence."""
    card = rig.client.get("/api/rulecard").json()
    odd = [None, True, -1, 10**30, 1.5, "x", "", [], [[]], [None], {}, {"a": 1}, ["1"], 1e308]
    for setting in card["settings"]:
        for value in odd:
            answer = rig.send("change-rule", setting=setting["name"], value=value)
            assert answer.status_code in (200, 409), (setting["name"], value, answer.text)


ODD: st.SearchStrategy[object] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 20),
    st.sampled_from([10**9, -(10**9), 2**63, 10**30, 1.5, "points", "Ann", "", "x" * 200]),
    st.text(max_size=5),
    st.lists(st.integers(0, 12), max_size=3),
    st.dictionaries(st.sampled_from(["double_blank", "sets", "rounds", "x"]), st.integers(0, 20)),
)
SENSIBLE = {
    "seat": st.integers(0, 5),
    "pips": st.integers(0, 60),
    "name": st.sampled_from(["Ann", "Eve", "José"]),
    "rules": st.sampled_from([p.full_name for g in GAMES.games.values() for p in g.profiles]),
    "players": st.sampled_from([["Ann", "Bob"], ["Ann", "Bob", "Cara", "Dan"]]),
    "confirm": st.booleans(),
}


@st.composite
def orders(draw: st.DrawFn) -> dict[str, object]:
    """Make commands with any fields, more often sensible than not."""
    kind = draw(st.sampled_from(GAMES.commands))
    order: dict[str, object] = {"type": kind.__struct_config__.tag}
    for field in kind.__struct_fields__:
        sensible = SENSIBLE.get(field, ODD)
        if draw(st.integers(0, 9)) < 8:
            order[field] = draw(st.one_of(sensible, sensible, sensible, ODD))
    return order


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(bodies=st.lists(orders(), max_size=25))
def test_no_command_however_odd_crashes_the_hub(
    open_rig: Open, bodies: list[dict[str, Any]]
) -> None:
    """Property: done, refused with a sentence or malformed; and the state can be encoded."""
    rig = open_rig()
    rig.seated("Ann", "Bob", "Cara", "Dan")
    for order in bodies:
        answer = rig.client.post("/api/commands", json=order)
        assert answer.status_code in (200, 409, 422), (order, answer.text)
    assert 200 == rig.client.get("/api/state").status_code
    assert 200 == rig.client.get("/api/rulecard").status_code
    assert 200 == rig.client.get("/").status_code


def test_what_does_not_change_is_made_once(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed rule makes a new card."""
    made = []
    for module, name in ((rule_books, "card"), (openapi, "openapi"), (qr_code, "svg")):
        real = getattr(module, name)
        watched = lambda *how, real=real, name=name: made.append(name) or real(*how)  # noqa: E731
        monkeypatch.setattr(module, name, watched)
    monkeypatch.setattr("centerpiece.web.site.svg", qr_code.svg)
    rig.seated("Ann", "Bob", "Cara", "Dan")
    for _ in range(3):
        for path in ("/api/rulecard", "/api/openapi.json", "/api/qr.svg"):
            assert 200 == rig.client.get(path).status_code

    assert ["card", "openapi", "svg"] == sorted(made)
    before = rig.client.get("/api/rulecard").json()
    rig.client.post(
        "/api/commands", json={"type": "change-rule", "setting": "hidden_bones", "value": 5}
    )
    assert before != rig.client.get("/api/rulecard").json()


def test_all_that_a_phone_keeps_for_later_is_there(rig: Rig) -> None:
    """A single missing path keeps the service worker from installing."""
    kept = re.findall(r'"(/[^"]*)"', rig.client.get("/sw.js").text)

    assert {"/", "/board", "/static/en.json", "/static/phone.js", "/api/about"} < set(kept)
    assert [] == [path for path in kept if rig.client.get(path).status_code != 200]


def test_a_name_cannot_break_the_page(rig: Rig) -> None:
    """Neither as markup nor as a placeholder of our templates."""
    rig.send("join", name="</script><b>{{data}}")
    rig.send("join", name="{{summary}}")

    page = rig.client.get("/").text

    assert "</script><b>" not in page
    data = page.partition('id="data">')[2].partition("</script>")[0]
    assert ["</script><b>{{data}}", "{{summary}}"] == [s["name"] for s in json.loads(data)["seats"]]
    assert "&lt;/script&gt;&lt;b&gt;{{data}}" in page


def test_a_damaged_list_of_phones_does_not_keep_the_hub_from_starting(
    open_rig: Open, tmp_path: Path
) -> None:
    """No phone is paired then."""
    path = tmp_path / "table.db"
    journal = Journal(path, GAMES)
    journal.keep([JournalEntry(settings={"phones": b'[{"id": 5}]'})])
    journal.close()

    rig = open_rig(journal=Journal(path, GAMES))

    assert [] == rig.client.get("/api/pair").json()["phones"]


def test_a_screen_that_listens_gets_the_words_of_every_language(rig: Rig) -> None:
    """Speech is an event of its own; reading aloud on request gives one, too."""
    said: list[Utterance] = []
    rig.hub.on_said(said.append)
    language("es")

    answer = rig.client.post("/api/speech", json={"what": "standings"})
    rig.hub.wake()
    wrong = rig.client.post("/api/speech", json={"what": "poems"})

    assert (200, 422) == (answer.status_code, wrong.status_code)
    (utterance,) = said
    assert {
        "en": "No round has been counted yet.",
        "es": "Todavía no se ha contado ninguna ronda.",
    }.items() <= utterance.words().items()
