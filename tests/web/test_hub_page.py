"""The virtual hub in a real browser, by mouse, touch and keyboard."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.web.browsers import (
    ELSEWHERE,
    LAPTOP,
    PHONE,
    SMALL,
    TELEVISION,
    Finger,
    Running,
)

pytestmark = pytest.mark.real_time("browsers and hubs in processes of their own")

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect


def test_a_phone_is_paired_at_the_virtual_hub(running: Running, windows: Any) -> None:
    """It may write once train and advance were held, and only look once it is removed.

    From the first look to one's own seat it takes two taps and a name.
    """
    phone = windows(extra_http_headers=ELSEWHERE, asked=True)
    finger = Finger(phone)
    expect(phone.get_by_role("heading", name="Which number is on the hub?")).to_be_visible()
    phone.keyboard.type("00")
    expect(phone.locator("#complaint")).to_contain_text("Hold Train and Advance together")

    hub = windows("/hub", TELEVISION)
    board, seen_afar = windows("/board"), windows("/board", extra_http_headers=ELSEWHERE)
    expect(hub.locator("#pixels circle").first).to_be_attached()
    hub.keyboard.down("t")
    hub.keyboard.down("a")
    expect(hub.locator("#heard")).to_contain_text("Two rising notes")
    hub.keyboard.up("t")
    hub.keyboard.up("a")
    for screen in (hub, board):
        expect(screen.locator(".pairing-number strong")).to_have_text(running.number())
    expect(seen_afar.locator("h1")).to_be_visible()
    expect(seen_afar.locator(".pairing-number")).to_have_count(0)
    for digit in running.number():
        finger.tap(digit, "main")
    expect(hub.locator("#said")).to_contain_text("Phone can now keep score.")
    phone.get_by_label("Name", exact=True).fill("Ann")
    phone.keyboard.press("Enter")
    expect(phone.locator(".mine")).to_contain_text("Ann")
    assert 2 == finger.counted()
    phone.goto(f"{running.address}/settings")
    phone.get_by_role("button", name="Remove Phone").click()
    expect(phone.get_by_label("Name of this phone")).to_be_visible()
    phone.goto(running.address)
    expect(phone.get_by_role("heading", name="Which number is on the hub?")).to_be_visible()


OUTSIDE = """() => [...document.querySelectorAll('.arcade.seat > *')].filter((part) => {
    const round = part.parentElement.getBoundingClientRect();
    const box = part.getBoundingClientRect();
    const middle = (round.left + round.right) / 2;
    const text = document.createRange();
    text.selectNodeContents(part);
    return [...text.getClientRects()].some((line) => [line.left, line.right].some((x) =>
        [line.top + 0.2 * line.height, line.bottom - 0.2 * line.height].some((y) =>
            Math.hypot(x - middle, y - (round.top + round.bottom) / 2) > round.width / 2)))
        && box.width;
}).map((part) => part.textContent)"""
"""Returns the words on round buttons that run over the edge."""


def test_the_virtual_hub_is_played_by_clicks(running: Running, windows: Any) -> None:
    """Pressed, held and chorded with the mouse alone; the pixels are those of the frame, and on a
    laptop every button is in sight.
    """
    page = windows("/hub", LAPTOP)
    expect(page.locator("#does-undo")).not_to_be_empty()
    bottom = page.locator(".tabs").bounding_box()["y"]
    for button in ("train", "whistle", "advance", "undo"):
        box = page.locator(f"#{button}").bounding_box()
        assert box["y"] + box["height"] <= bottom, button
    for seat in (1, 3, 5, 7):
        page.locator(f"#seat-{seat}").click()
        expect(page.locator("#said")).to_contain_text(f"Seat {seat}")
    assert [] == page.evaluate(OUTSIDE)
    expect(page.locator("#together")).to_contain_text("Any seat and Undo, 3 s")
    drawn = page.locator(".centerpiece").bounding_box()
    assert drawn["width"] >= 0.85 * LAPTOP["height"]
    page.locator("#advance").scroll_into_view_if_needed()
    box = page.locator("#advance").bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + 40)
    page.mouse.down()
    expect(page.locator("#said")).to_contain_text("Round 1")
    page.mouse.up()
    page.locator("#advance").click()
    expect(page.locator("#said")).to_contain_text("starts this round")
    page.locator("#seat-3").click()
    expect(page.locator("#said")).to_contain_text("Seat 3's train is open")
    expect(page.locator("#pixels .lamp[data-rgb='0,200,60']")).to_have_count(2)
    page.locator("#undo").click()
    expect(page.locator("#said")).to_contain_text("Undone")
    expect(page.locator("#heard")).to_contain_text("Slide down")

    page.locator("#train").click(modifiers=["Shift"])
    page.locator("#advance").click(modifiers=["Shift"])
    expect(page.locator("#heard")).to_contain_text("Two rising notes")
    page.locator("#train").click(modifiers=["Shift"])
    page.locator("#advance").click(modifiers=["Shift"])
    expect(page.locator("[data-down]")).to_have_count(0)


class OnTheHub:
    """One finger on the virtual hub."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self._touch = page.context.new_cdp_session(page)

    def tap(self, button: str) -> None:
        """Touch for 60 ms; a shorter press would be taken for bounce."""
        self._send("touchStart", [self._middle(button)])
        self.page.wait_for_timeout(60)
        self._send("touchEnd", [])

    def _middle(self, button: str) -> dict[str, float]:
        place = self.page.locator(f"#{button}")
        place.scroll_into_view_if_needed()
        box = place.bounding_box()
        return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}

    @contextmanager
    def holding(self, button: str) -> Iterator[None]:
        """Hold a button during the block."""
        self._send("touchStart", [self._middle(button)])
        expect(self.page.locator(f"#{button}")).to_have_attribute("data-filling", "")
        yield
        self._send("touchEnd", [])

    def _send(self, type: str, points: list[dict[str, float]]) -> None:
        self._touch.send("Input.dispatchTouchEvent", {"type": type, "touchPoints": points})


PLACES = """() => ["train", "whistle", "advance", "undo"].map((id) => {
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = document.getElementById(id);
    return [offsetLeft, offsetTop, offsetWidth, offsetHeight];
})"""
"""Returns the four buttons' places on the page, however they are scrolled or pressed."""


def test_a_round_is_played_by_touch_and_every_button_says_what_it_does(
    running: Running, windows: Any
) -> None:
    """On a phone, from the lobby to round 2; labels follow the game, questions and the count. No
    button ever moves.
    """
    page = windows("/hub", PHONE, has_touch=True)
    expect(page.locator("#does-advance")).to_contain_text("Start")
    finger = OnTheHub(page)

    def places() -> list[Any]:
        found = []
        for size in (SMALL, {"width": 800, "height": 480}, TELEVISION, PHONE):
            page.set_viewport_size(size)
            found.append(page.evaluate(PLACES))
        return found

    kept = places()

    def labelled(**labels: str) -> None:
        for button, words in labels.items():
            expect(page.locator(f"#does-{button}")).to_have_text(words, use_inner_text=True)
        assert kept == places()

    def says(words: str) -> None:
        expect(page.locator("#said")).to_contain_text(words)

    labelled(train="Tap Next game Twice Next set Hold Next rules")
    expect(page.locator("#does-advance")).to_contain_text("Start")
    for seat in (1, 3, 5, 7):
        finger.tap(f"seat-{seat}")
        says(f"Seat {seat}")
    with finger.holding("advance"):
        says("Who starts?")
    labelled(
        seats="Seats 1, 3, 5, and 7 Tap I start",
        train="Tap Draw lots",
        advance="Tap As shown Hold Standings",
    )
    finger.tap("seat-3")
    labelled(
        seats="Seats 1, 3, 5, and 7 Tap Open train Twice Open double Hold Last tile "
        "An empty seat Hold Join",
        train="Tap Train starts Twice Open double",
        advance="Tap Round over Hold Standings",
    )
    finger.tap("advance")
    says("Who went out?")
    labelled(
        seats="Seats 1, 3, 5, and 7 Tap I am out Hold Out on a double",
        train="Tap Blocked Hold Never mind",
        advance="Tap Never mind",
        undo="Tap Never mind Hold Redo",
    )
    finger.tap("undo")
    labelled(advance="Tap Round over Hold Standings")

    finger.tap("seat-1")
    says("Too late: the question is over.")
    page.wait_for_timeout(2_000)
    finger.tap("seat-1")
    says("Seat 1's train is open")
    finger.tap("train")
    says("The Mexican Train has started.")
    with finger.holding("seat-5"):
        says("Seat 5 has one tile left.")

    finger.tap("advance")
    finger.tap("seat-5")
    labelled(
        seats="Every seat Tap a digit Seats 1, 3, 5, and 7 Hold Count mine An empty seat Hold Join",
        train="Tap Double blank Hold Rest is 0",
        advance="Tap Next hand Hold Next round",
    )
    expect(page.locator("#seat-10")).to_have_text("0")
    for digit in "110":
        finger.tap(f"seat-{digit if digit != '0' else 10}")
    expect(page.locator("#number")).to_have_text("Counting Seat 7’s hand: 110")
    finger.tap("undo")
    finger.tap("seat-2")
    expect(page.locator("#number strong")).to_have_text("112")
    finger.tap("advance")
    expect(page.locator("#number")).to_have_text("Counting Seat 1’s hand: –")
    with finger.holding("seat-3"):
        expect(page.locator("#number")).to_have_text("Counting Seat 3’s hand: –")
    finger.tap("seat-7")
    finger.tap("advance")
    expect(page.locator("#number")).to_have_text("Counting Seat 1’s hand: –")
    with finger.holding("train"):
        says("with 0.")
    labelled(
        seats="Seats 1, 3, 5, and 7 Tap My total Hold Count mine An empty seat Hold Join",
        train="Hold Who was out?",
        advance="Tap Standings Hold Next round",
    )
    expect(page.locator("#number")).to_be_hidden()
    finger.tap("seat-7")
    says("112")
    with finger.holding("advance"):
        says("Round 2")
    labelled(advance="Tap Round over Hold Standings")
    assert [0, 7, 0, 112] == [seat["total"] for seat in running.state()["seats"]]


NOTHING_YET = "No round has been counted yet."


def test_the_virtual_hub_is_heard(running: Running, windows: Any) -> None:
    """With sound on, the page plays the hub's cues and speaks its words, with a caption. The
    settings page chooses how much the hub says, in all or by topic; muting stops a sentence.
    """
    page = windows("/hub", TELEVISION)
    expect(page.locator("#whistle")).to_be_visible()
    page.evaluate(
        """() => {
            const start = AudioBufferSourceNode.prototype.start;
            AudioBufferSourceNode.prototype.start = function () {
                document.body.dataset.played = this.buffer.duration;
                start.call(this);
            };
            const { dataset } = document.body;
            speechSynthesis.speak = (words) => { dataset.said = words.text; };
            speechSynthesis.cancel = () => { dataset.hushed = dataset.said ?? ""; };
        }"""
    )
    with page.expect_response("**/api/sounds/whistle.wav"):
        page.get_by_label("Sound").check()
    page.locator("#whistle").click()
    played = re.compile(r"^[1-9]")  # seconds; checked without a script, which the page would forbid
    expect(page.locator("body")).to_have_attribute("data-played", played)
    expect(page.locator("#heard")).to_contain_text("Steam whistle")

    settings, body = windows("/settings"), page.locator("body")
    settings.get_by_role("button", name="Read the standings aloud").click()
    expect(page.locator("#caption")).to_have_text(NOTHING_YET)
    expect(body).to_have_attribute("data-said", NOTHING_YET)
    running.send("toggle-seat", seat=1, name="Siobhán")
    settings.get_by_text("How names are said").click()
    settings.get_by_label("Siobhán").fill("Shivawn")
    settings.get_by_label("Siobhán").blur()
    expect(page.locator("#caption")).to_have_text("Shivawn.")
    assert {"Siobhán": "Shivawn"} == running.state()["settings"]["spellings"]
    settings.get_by_role("button", name="Hear a sample").click()
    sample = "Fifteen for Shivawn. Fifty for Shivawn."
    expect(page.locator("#caption")).to_have_text(sample)
    expect(body).to_have_attribute("data-said", sample)
    much, time_left = settings.get_by_label("How much it says"), settings.get_by_label("Time left")
    expect(much).to_have_value("full")
    settings.get_by_text("All topics").click()
    time_left.select_option("nothing")
    expect(much).to_have_value("mixed")
    much.select_option("short")
    expect(time_left).to_have_value("short")
    much.select_option("nothing")
    expect(time_left).to_have_count(0)
    expect(body).to_have_attribute("data-hushed", sample)


def test_a_train_marker_is_dragged_out_of_its_dock_and_back(running: Running, windows: Any) -> None:
    """On the virtual hub and the tablet, by mouse, finger and keyboard; both show where it is."""
    four = ["Ann", "Bob", "Cara", "Dan"]
    table = {"type": "open-table", "rules": "mexican-train/classic", "players": four, "starter": 1}
    running.ask("POST", "/api/commands", table)
    hub, tablet = windows("/hub", LAPTOP), windows("/table", LAPTOP, has_touch=True)
    expect(hub.locator("[data-marker]")).to_have_count(4)

    def dragged(page: Any, to: str) -> None:
        """Drag Cara's marker to the middle of an element."""
        train, place = (page.locator(each).bounding_box() for each in ("[data-marker='3']", to))
        page.mouse.move(*_middle(train))
        page.mouse.down()
        page.mouse.move(*_middle(place), steps=4)
        expect(page.locator(".marker.dragged")).to_have_count(1)
        page.mouse.up()
        expect(page.locator(".marker.dragged")).to_have_count(0)

    def shown(lifted: bool) -> None:
        expect(tablet.locator(".place.is-open")).to_have_count(int(lifted))
        for page in (hub, tablet):
            marker = page.locator("[data-marker='3']")
            expect(marker).to_have_attribute("aria-pressed", str(lifted).lower())
            assert page.evaluate(IN_ITS_DOCK) is not lifted

    dragged(hub, "#train")
    shown(lifted=True)
    expect(hub.locator("#said")).to_contain_text("Cara's train is open to everyone.")
    dragged(tablet, "[data-dock='3']")
    shown(lifted=False)
    hub.locator("[data-marker='3']").focus()
    hub.keyboard.press("Enter")
    shown(lifted=True)
    tablet.locator("[data-marker='3']").tap()
    shown(lifted=False)


IN_ITS_DOCK = """() => {
    const [dock, train] = ["dock", "marker"].map((name) =>
        document.querySelector(`[data-${name}="3"]`).getBoundingClientRect());
    return train.left >= dock.left && train.right <= dock.right
        && train.top >= dock.top && train.bottom <= dock.bottom;
}"""
"""Returns whether the train of seat 3 is drawn within its dock."""


def _middle(box: dict[str, float]) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
