"""The pages in a real browser: scored, watched, played, paired, read aloud."""

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from centerpiece.web.server import listen, run
from tests.patience import TIMEOUT_S, until
from tests.web.browsers import ELSEWHERE, SMALLEST, Running, play, problems, too_wide
from tests.web.conftest import Open, Rig
from tests.web.test_words import LANGUAGES

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect
Page = playwright.Page

PHONE = {"width": 390, "height": 844}
SMALL = {"width": 320, "height": 640}
LAPTOP = {"width": 1280, "height": 800}
LARGE = {"width": 360, "height": 640}
TELEVISION = {"width": 1920, "height": 1080}
PAGES = ("/", "/#scores", "/#more", "/board", "/hub", "/table", "/history", "/rules", "/settings")


@pytest.fixture
def windows(browser: Any, running: Running) -> Iterator[Any]:
    """Opens windows, each with its own cookies, and sees to it that no script failed."""
    opened: list[Any] = []
    failures: list[str] = []

    def window(path: str = "/", size: dict[str, int] = PHONE, **options: Any) -> Any:
        context = browser.new_context(viewport=size, **options)
        context.set_default_timeout(TIMEOUT_S * 1000)
        opened.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(running.address + path)
        return page

    yield window
    for context in opened:
        context.close()
    assert [] == failures


@contextmanager
def served_here(rig: Rig) -> Iterator[str]:
    """The rig's pages over loopback, so that the test holds the hub's end of the wire."""
    stopping, listener = asyncio.Event(), listen("127.0.0.1", 0)
    serving = run(rig.app, listener, stopping, rig.app.state.site.close)
    thread = threading.Thread(target=rig.loop.run_until_complete, args=(serving,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        rig.loop.call_soon_threadsafe(stopping.set)
        thread.join(TIMEOUT_S)


def test_a_page_that_nothing_happens_on_stays_connected(browser: Any, open_rig: Open) -> None:
    """
    Two minutes of its own clock with no news but the heartbeat: one connection, no banner.
    """
    rig = open_rig()
    with served_here(rig) as address:
        page = browser.new_page()
        page.clock.install()
        opened: list[str] = []
        page.on("request", lambda asked: opened.append(asked.url))
        page.add_init_script(
            """const Real = EventSource; let beats = 0;
            window.EventSource = class extends Real { constructor(...about) { super(...about);
              this.addEventListener("heartbeat", () => document.body.dataset.beats = ++beats);
            } };"""
        )
        page.goto(address)
        expect(page.locator("h1")).to_have_text("Before the game")
        for beat in range(8):
            page.clock.run_for(15_000)
            rig.loop.call_soon_threadsafe(rig.app.state.site.events.beat)
            expect(page.locator("body")).to_have_attribute("data-beats", str(beat + 1))

        assert 1 == len([url for url in opened if url.endswith("/api/events")])
        expect(page.locator(".banner")).to_have_count(0)
        page.close()


def total(page: Any, seat: int) -> Any:
    return page.locator(f"#seat-{seat} .total")


class Finger:
    """Taps on a phone, and counts them."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.taps = 0

    def tap(self, name: str, within: str = "body") -> None:
        place = self.page.locator(within)
        place.get_by_role("button", name=name, exact=True).first.click()
        self.taps += 1

    def type(self, number: str) -> None:
        for digit in number:
            self.tap(digit, "#keypad")

    def counted(self) -> int:
        """The taps since it was last asked."""
        taps, self.taps = self.taps, 0
        return taps


def seated(page: Any, name: str) -> Finger:
    """A phone that says whose it is."""
    finger = Finger(page)
    finger.tap(name, ".whose")
    expect(page.locator(".mine")).to_contain_text(name)
    finger.counted()
    return finger


def test_an_evening_on_three_phones_each_with_its_own_seat(running: Running, windows: Any) -> None:
    """
    Set up on one, played and counted on all at once; one loses the network and returns, the plug
    is pulled: all show the same, nothing is lost, and what is frequent takes one tap.
    """
    pages = [windows() for _ in range(3)]
    for name in ("Ann", "Bob", "Cara"):
        pages[0].get_by_label("Name", exact=True).fill(name)
        pages[0].get_by_role("button", name="Add", exact=True).click()
        expect(pages[1].locator(".around")).to_contain_text(name)
    expect(pages[1].locator(".forecast")).to_contain_text("With this set it takes 4 to 8 players")
    pages[1].get_by_role("button", name="Classic, double-9 set").click()
    expect(pages[2].locator(".forecast")).to_contain_text("3 players draw 14 tiles each.")
    running.send("change-rule", setting="rounds", value=2)
    pages[0].get_by_role("button", name="Start the game").click()
    expect(pages[2].get_by_role("heading", name="Double nine")).to_be_visible()
    pages[1].locator(".starter").get_by_role("button", name="Ann").click()
    expect(pages[2].locator(".starter")).to_have_count(0)
    ann, bob, cara = (seated(*who) for who in zip(pages, ("Ann", "Bob", "Cara"), strict=True))

    bob.tap("Open train", ".mine")
    expect(ann.page.locator("#seat-2")).to_contain_text("Open train")
    assert 1 == bob.counted()
    bob.tap("Open double", ".mine")
    expect(ann.page.locator(".alerts")).to_contain_text("Open double on Bob’s train")
    bob.tap("Open double", ".mine")
    expect(ann.page.locator(".alerts")).to_have_count(0)
    assert 2 == bob.counted()
    bob.tap("Last tile", ".mine")
    expect(cara.page.locator("#seat-2")).to_contain_text("Last tile")
    assert 1 == bob.counted()

    # Who is out says so; the others' keypads open by themselves, and both count at once.
    bob.tap("I’m out!", ".mine")
    for phone, name in ((ann, "Ann"), (cara, "Cara")):
        expect(phone.page.locator("#keypad h2")).to_contain_text(name)
    ann.type("3")
    cara.page.get_by_label("Tiles", exact=True).check(force=True)
    for half in (3, 5, 0, 0):
        cara.page.locator(f"[data-half='{half}']").click()
    ann.tap("Plus", "#keypad")
    ann.type("28")
    expect(ann.page.locator(".display")).to_contain_text("31")
    ann.tap("Done", "#keypad")
    expect(bob.page.locator(".chips")).to_contain_text("Ann 31")
    cara.page.locator("[data-half='9']").click()
    expect(cara.page.locator("[data-half='9']")).to_be_disabled()  # the engine
    cara.tap("Back", "#keypad")
    cara.tap("Done", "#keypad")
    for phone in (ann, bob, cara):
        expect(phone.page.locator(".summary")).to_contain_text("Bob went out")
        expect(phone.page.locator(".summary li").nth(1)).to_contain_text("Cara")
    assert [{"round": 1, "seat": 3, "tiles": [[0, 0], [3, 5]]}] == running.state()["hands"]

    # Cara's phone loses the network, and says so; Ann goes on.
    cara.page.context.set_offline(True)
    expect(cara.page.locator(".banner")).to_contain_text("Not connected")
    ann.tap("Next round")
    expect(bob.page.locator("h1")).to_have_text("Round 2 of 2")
    cara.page.context.set_offline(False)
    expect(cara.page.locator("h1")).to_have_text("Round 2 of 2")
    assert 0 == cara.page.evaluate("scrollY")

    # The plug is pulled, and put back.
    running.kill()
    expect(ann.page.locator(".banner")).to_contain_text("Not connected")
    running.start()
    expect(ann.page.locator(".banner")).to_have_count(0)
    running.send("go-out", seat=3)
    for seat, pips in ((1, 5), (2, 40)):
        running.send("enter-score", seat=seat, pips=pips)
    ann.tap("Final standings")
    expect(bob.page.get_by_role("heading", name="Cara has won")).to_be_visible()
    assert [36, 40, 8] == [seat["total"] for seat in running.state()["seats"]]
    ann.tap("Play again, same people")
    expect(bob.page.locator("h1")).to_have_text("Round 1 of 2")


def test_a_host_counts_a_round_of_five_with_thirteen_taps(running: Running, windows: Any) -> None:
    """
    Eight digits, four times on, and one tap for the end, at the seat of whoever is out; if that one
    announced the last tile, the page has offered it before.
    A second phone that counts the same hand is told what the first one entered.
    """
    play(running, 0, ("Ann", "Bob", "Cara", "Dan", "Eva"))
    host, other = Finger(windows()), windows()
    host.tap("I keep score for all")
    host.counted()
    host.tap("Went out", "#seat-2")
    for number in ("31", "12", "47", "20"):
        host.type(number)
        if number == "12":
            other.get_by_role("button", name="Enter scores (3 missing)").click()
            expect(other.locator("#keypad h2")).to_contain_text("Dan")
            other.keyboard.type("9")
        host.tap("Done" if number == "20" else "Next", "#keypad")
    expect(host.page.locator(".summary")).to_contain_text("Bob went out")
    assert host.counted() <= 13
    assert [20, 0, 31, 12, 47] == [seat["total"] for seat in running.state()["seats"]]

    other.keyboard.press("Enter")
    expect(other.locator(".question")).to_contain_text("Dan already has 12")
    host.tap("Next round")
    host.tap("Last tile", "#seat-3")
    host.counted()
    host.tap("Cara went out")
    expect(host.page.locator("#keypad h2")).to_contain_text("Dan")
    assert 1 == host.counted()


@pytest.mark.parametrize(
    ("rules", "players", "deed", "told"),
    [
        ("chickenfoot/classic", 4, "Toe", "toes"),
        ("castle-rock/classic", 1, "Draw", "pile"),
        ("muggins/classic", 4, "+15", "awards"),
        ("super-15/double-15", 3, "Reverse", "direction"),
    ],
)
def test_each_game_has_its_own_strip(
    running: Running, windows: Any, rules: str, players: int, deed: str, told: str
) -> None:
    """
    One tap for what its players do, and nothing of another game's.
    """
    names = ["Ann", "Bob", "Cara", "Dan"][:players]
    running.send("open-table", rules=rules, players=names, changes={"turn_limit_s": 60}, starter=1)
    before, phone = running.state()[told], Finger(windows())
    if players > 1:
        phone.tap("I keep score for all")
        phone.counted()
    notice = phone.page.locator(".notice [role=status]")
    said = notice.inner_text()
    phone.tap(deed)
    expect(notice).not_to_have_text(said)
    assert 1 == phone.counted()
    assert before != running.state()[told]
    assert not phone.page.get_by_role("button", name="Open train").count()

    if running.state()["turn"]:
        phone.tap("Ann has played")
        expect(phone.page.locator("#seat-1")).not_to_contain_text("To play")
        assert 1 == phone.counted()


def test_a_score_of_an_earlier_round_is_corrected_and_leaves_a_trail(
    running: Running, windows: Any
) -> None:
    """
    Tapped on the sheet, typed anew, told to everyone; undo takes it back.
    """
    play(running, 2)
    page = windows("/#scores")
    before = running.state()["seats"][1]["scores"][0]

    page.get_by_role("button", name=f"Correct round 1 of Bob: {before}").click()
    page.keyboard.type("44")
    page.get_by_role("button", name="Done").click()

    expect(page.locator(".trail")).to_contain_text(f"Round 1, Bob: 44 instead of {before}")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".trail")).to_have_count(0)
    assert before == running.state()["seats"][1]["scores"][0]


def test_what_is_rare_is_behind_the_three_dots(running: Running, windows: Any) -> None:
    """
    At a seat and for the whole game; what ends something asks first.
    """
    play(running, 0)
    page = windows()
    page.get_by_role("button", name="More about Bob").click()
    page.get_by_role("button", name="A double is left open here").click()
    expect(page.locator("#seat-2 [aria-pressed=true]")).to_contain_text("Open double")
    page.get_by_role("button", name="More about Bob").click()
    page.get_by_role("button", name="Penalty …").click()
    page.get_by_role("button", name="Lose a turn").click()
    expect(page.locator("#seat-2")).to_contain_text("Loses a turn")

    running.send("go-out", seat=1)
    page.get_by_role("button", name="The game", exact=True).click()
    page.get_by_label("Rounds in this game: 13").fill("5")
    page.get_by_role("button", name="Play fewer").click()
    expect(page.locator("h1")).to_have_text("Round 1 of 5")
    page.get_by_role("button", name="The game", exact=True).click()
    page.get_by_role("button", name="End the game here").click()
    assert "scoring" == running.state()["phase"]
    page.get_by_role("button", name="Yes").click()
    expect(page.locator("h1")).to_have_text("The game is over")


def test_house_rules_are_agreed_on_with_a_sentence_each(running: Running, windows: Any) -> None:
    """
    Changed, saved under a name, and found on the rule card.
    """
    page = windows()
    page.get_by_text("House rules").click()
    field = page.get_by_label("What does the double blank count?")
    field.fill("25")
    field.press("Tab")
    expect(page.locator("#rule-double_blank")).to_contain_text("(changed)")
    page.get_by_label("Save these rules under a name").fill("Sunday")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("select[data-do=profile]")).to_have_value("mexican-train/Sunday")

    card = windows("/rules")
    expect(card.get_by_role("heading", name="Mexican Train: Sunday")).to_be_visible()
    expect(card.locator(".lesson li")).to_have_count(6)
    card.get_by_label("Find a rule").fill("double blank")
    expect(card.locator(".rules-list").first).to_be_visible()
    expect(card.locator(".rule-card section")).to_have_count(2)
    expect(card.locator("main")).to_contain_text("The double blank counts 25 points.")


def test_people_are_seated_by_the_names_of_earlier_evenings(running: Running, windows: Any) -> None:
    """
    Known names are one tap away, a seat taken at the hub gets its name, and the order can change.
    """
    play(running, 1)
    page = windows()
    expect(page.locator("h1")).to_have_text("Round 2 of 13")
    running.send("finish-game")
    page.get_by_role("button", name="New game").click()
    page.get_by_role("button", name="Bob, seat 2").click()
    page.get_by_role("button", name="Remove Bob").click()
    page.get_by_role("button", name="+ Bob").click()
    page.get_by_role("button", name="Bob, seat 5").drag_to(
        page.get_by_role("button", name="Dan, seat 4")
    )
    expect(page.get_by_role("button", name="Bob, seat 4")).to_be_visible()
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Bob, seat 4").press("ArrowLeft")
    expect(page.get_by_role("button", name="Bob, seat 3")).to_be_focused()
    page.get_by_role("button", name="Cara, seat 4").click()
    page.get_by_label("New name for Cara").fill("Kara")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".around")).to_contain_text("Kara")
    assert ["Ann", "Bob", "Kara", "Dan"] == [seat["name"] for seat in running.state()["seats"]]


def test_a_phone_is_paired_at_the_virtual_hub(running: Running, windows: Any) -> None:
    """
    A stranger's phone may look; after train and advance were held, it may write; removed, it may
    look again.
    """
    phone = windows(extra_http_headers=ELSEWHERE)
    finger = Finger(phone)
    finger.tap("Pair this phone to keep score")
    expect(phone.locator("dialog[open]")).to_be_visible()
    phone.keyboard.type("00")
    expect(phone.locator("#complaint")).to_contain_text("Hold train and advance together")

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
        finger.tap(digit, "dialog")
    expect(phone.get_by_role("button", name="Start the game")).to_be_visible()
    assert 3 == finger.counted()
    expect(hub.locator("#said")).to_contain_text("Phone may write now.")
    phone.goto(f"{running.address}/settings")
    phone.get_by_role("button", name="Remove Phone").click()
    expect(phone.get_by_label("Name of this phone")).to_be_visible()
    phone.goto(running.address)
    expect(phone.get_by_role("button", name="Pair this phone to keep score")).to_be_visible()


def test_the_virtual_hub_is_played_by_clicks(running: Running, windows: Any) -> None:
    """
    Pressed, held and chorded with the mouse alone; the pixels are those of the frame, and on a
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
        """As long as a finger is on it: what is shorter is a bounce to the hub."""
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
        """On the button for as long as it takes."""
        self._send("touchStart", [self._middle(button)])
        expect(self.page.locator(f"#{button}")).to_have_attribute("data-filling", "")
        yield
        self._send("touchEnd", [])

    def _send(self, type: str, points: list[dict[str, float]]) -> None:
        self._touch.send("Input.dispatchTouchEvent", {"type": type, "touchPoints": points})


def test_a_round_is_played_by_touch_and_every_button_says_what_it_does(
    running: Running, windows: Any
) -> None:
    """
    From the lobby to the second round, on a phone: the labels follow the game, its questions and
    the count.
    """
    page = windows("/hub", PHONE, has_touch=True)
    finger = OnTheHub(page)

    def labelled(**labels: str) -> None:
        for button, words in labels.items():
            expect(page.locator(f"#does-{button}")).to_have_text(words, use_inner_text=True)

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
        seats="Seats 1, 3, 5, and 7 Tap Marker Twice Open double Hold Last tile "
        "A dark seat Hold Join",
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
    says("Seat 1's train is open")
    finger.tap("train")
    says("The Mexican Train has started.")
    with finger.holding("seat-5"):
        says("Seat 5 is down to the last tile.")

    finger.tap("advance")
    finger.tap("seat-5")
    labelled(
        seats="Every seat Tap a digit Seats 1, 3, 5, and 7 Hold Count mine A dark seat Hold Join",
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
        seats="Seats 1, 3, 5, and 7 Tap My total Hold Count mine A dark seat Hold Join",
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


def test_the_virtual_hub_is_heard(running: Running, windows: Any) -> None:
    """
    Once sound is switched on, the page plays the cue that the hub sounded, and says what it says,
    with a caption. How much that is, one list on the settings page tells, and every topic by itself
    behind it; who wants silence there has it here, in the middle of a sentence.
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
    played = re.compile(r"^[1-9]")  # seconds; asked without a script, which the page would forbid
    expect(page.locator("body")).to_have_attribute("data-played", played)
    expect(page.locator("#heard")).to_contain_text("Steam whistle")

    settings, body = windows("/settings"), page.locator("body")
    settings.get_by_role("button", name="Read the standings aloud").click()
    expect(page.locator("#caption")).to_have_text(NOTHING_YET)
    expect(body).to_have_attribute("data-said", NOTHING_YET)
    much, time_left = settings.get_by_label("How much it says"), settings.get_by_label("Time left")
    expect(much).to_have_value("full")
    settings.get_by_text("All topics").click()
    time_left.select_option("nothing")
    expect(much).to_have_value("mixed")
    much.select_option("short")
    expect(time_left).to_have_value("short")
    much.select_option("nothing")
    expect(time_left).to_have_count(0)
    expect(body).to_have_attribute("data-hushed", NOTHING_YET)


NOTHING_YET = "No round has been counted yet."
CLIPPED = """() => [...document.querySelectorAll('.board :is(h1, p, .name, .total, .chart)')]
    .filter((e) => e.getBoundingClientRect().bottom > innerHeight
        || (e.scrollWidth > e.clientWidth + 1 && e.clientWidth)).map((e) => e.textContent)"""


@pytest.mark.parametrize("count", [4, 10])
def test_the_big_screen_follows_without_being_touched(
    running: Running, windows: Any, count: int
) -> None:
    """
    Engine, trains, standings and moments change as the game goes on; a podium at the end. No letter
    is too small, nothing is clipped.
    """
    names = ("Ann", "Bob", "Cara", "Dan", "Eva", "Friederike", "Gus", "Hannah", "Ida", "Jan")
    rules = "mexican-train/classic" if count == 4 else "mexican-train/double-15"
    play(running, 3, names[:count], rules)
    page = windows("/board", TELEVISION)
    expect(page.locator("h1")).to_contain_text("Round 4 of")
    assert (count == 4) == page.locator(".chart").is_visible()
    running.send("toggle-marker", seat=2)
    expect(page.locator("#row-2")).to_contain_text("Open train")
    running.send("start-train")
    expect(page.locator(".siding")).to_contain_text("Mexican Train")
    assert page.evaluate(SMALLEST) >= 0.04 * TELEVISION["height"]
    assert [] == page.evaluate(CLIPPED)

    running.send("toggle-double", where=2)
    expect(page.locator(".moment")).to_contain_text("Open double: Bob")
    expect(page.locator(".alert")).to_have_text("Open double on Bob’s train")
    expect(page.locator(".moment")).to_have_count(0)
    running.send("call-last-tile", seat=3)
    expect(page.locator(".moment")).to_contain_text("Cara: last tile!")
    running.send("finish-game")
    expect(page.locator(".step-1")).to_contain_text("Ann")
    expect(page.locator(".awards")).to_contain_text("Most whistles: Cara (1)")
    assert page.evaluate(SMALLEST) >= 0.04 * TELEVISION["height"]
    assert [] == page.evaluate(CLIPPED)
    expect(page.locator(".join")).to_have_count(0)  # no phone could follow a code to this machine
    page.get_by_role("link", name="Table").click()
    expect(page.locator("h1")).to_have_text("The game is over")


def test_a_code_at_the_end_leads_to_the_score_sheet(browser: Any, open_rig: Open) -> None:
    """
    Where phones can reach the hub: to this game's sheet, which opens by itself.
    """
    rig = open_rig()
    with served_here(rig) as address:
        page = browser.new_page(viewport=TELEVISION)
        page.goto(f"{address}/board")
        for command in ENDED:
            answer = page.request.post(f"{address}/api/commands", data=command)
            assert answer.ok, answer.text()
        code = page.locator(".stage .join img")
        expect(code).to_have_attribute("src", "/api/qr.svg?game=1")
        expect(code).to_have_js_property("complete", True)
        assert page.evaluate(SMALLEST) >= 0.04 * TELEVISION["height"]
        assert page.request.get(f"{address}/api/qr.svg?game=x").status == 404
        page.goto(f"{address}/history#game-1")
        expect(page.locator("#game-1 table")).to_contain_text("Cara")
        page.close()


ENDED: list[dict[str, Any]] = [
    {
        "type": "open-table",
        "rules": "mexican-train/classic",
        "players": ["Ann", "Bob", "Cara", "Dan"],
    },
    {"type": "go-out", "seat": 2},
    *({"type": "enter-score", "seat": seat, "pips": 7 * seat} for seat in (1, 3, 4)),
    {"type": "finish-game"},
]


@pytest.mark.parametrize("size", [(1024, 768), (1280, 800)])
def test_a_tablet_in_the_middle_is_the_hub(
    running: Running, windows: Any, size: tuple[int, int]
) -> None:
    """
    People sit down, start and play by touching it, two of them at the same moment.
    """
    page = windows("/table", {"width": size[0], "height": size[1]}, has_touch=True)
    touching = page.context.new_cdp_session(page)

    def fingers(*places: str) -> None:
        """Down on all these places at once, or, with none, up again."""
        boxes = [page.locator(place).first.bounding_box() for place in places]
        points = [
            {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2, "id": number}
            for number, box in enumerate(boxes)
        ]
        kind = "touchStart" if points else "touchEnd"
        touching.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        # A press shorter than a contact bounces is none; one that waits for its answer may be long.
        page.wait_for_timeout(60)

    for seat in (1, 2, 3, 4):
        expect(page.locator(f"[data-button=seat-{seat}]").first).to_be_visible()
        fingers(f"[data-button=seat-{seat}]")
        fingers()
        expect(page.locator(".said").last).to_contain_text(f"eat {seat}")
    fingers(".near [data-button=advance]")
    expect(page.locator(".near .engine")).to_contain_text("Round 1 of 13")
    fingers()
    expect(page.locator(".place")).to_have_count(4)
    expect(page.locator(".is-asked")).to_have_count(4)
    fingers("[data-button=seat-1]")
    fingers()
    expect(page.locator(".is-asked")).to_have_count(0)

    fingers(".edge-left [data-button=seat-2]", ".edge-right [data-button=seat-4]")
    fingers()
    expect(page.locator(".is-open")).to_have_count(2)
    fingers(".edge-top [data-button=seat-3].hold")
    expect(page.locator(".edge-top .signs")).to_contain_text("Last tile")
    fingers()
    assert [False, True, False, True] == [seat["marker"] for seat in running.state()["seats"]]

    # Who went out? Then the keypad turns towards whoever counts.
    fingers(".near [data-button=advance]")
    fingers()
    expect(page.locator(".is-asked")).to_have_count(4)
    fingers(".edge-top [data-button=seat-3]")
    fingers()
    for edge, digit in (("right", 7), ("bottom", 4), ("left", 9)):
        expect(page.locator(f".counting.towards-{edge}")).to_be_visible()
        fingers(f".counting [data-button=seat-{digit}]")
        fingers()
        expect(page.locator(".counting output")).to_have_text(str(digit))
        fingers(".counting [data-button=advance]")
        fingers()
    expect(page.locator(".counting")).to_have_count(0)
    until(lambda: [4, 9, 0, 7] == [seat["total"] for seat in running.state()["seats"]])
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0


def test_past_evenings_can_be_looked_up(running: Running, windows: Any) -> None:
    """
    The list, one evening's sheet with its chart, everybody's record, and the printable page.
    """
    play(running, 3)
    running.send("finish-game")
    page = windows("/history")
    expect(page.locator(".evenings")).to_contain_text("Mexican Train")
    page.get_by_role("button", name="Score sheet").click()
    expect(page.locator(".chart")).to_be_visible()
    with page.expect_download() as picture:
        page.get_by_role("button", name="Save a picture").click()
    assert "game-1.png" == picture.value.suggested_filename
    page.locator(".records").get_by_role("link", name="Cara").click()
    expect(page.locator(".person")).to_contain_text("Games played")
    page.get_by_role("link", name="All evenings").click()

    # A trial need not count; undo brings it back.
    page.get_by_role("button", name="Delete this game").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.locator(".evenings")).to_have_count(0)
    expect(page.locator(".records")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".records")).to_contain_text("Cara")
    page.get_by_role("link", name="Score sheet for the printer").click()
    expect(page.locator("table")).to_contain_text("Dan")


def test_the_page_speaks_spanish_and_writes_large(running: Running, windows: Any) -> None:
    """
    For one screen or for all, and the hub's own sentences too.
    """
    play(running, 0)
    everyone, one = windows(), windows("/settings")
    one.locator("select[data-name=language]").first.select_option(label="Español")
    expect(one.get_by_role("heading", name="Ajustes")).to_be_visible()
    one.goto(running.address)
    expect(one.locator("h1")).to_have_text("Ronda 1 de 13")
    expect(one.locator(".notice")).to_contain_text("Ronda 1: el doble 12. Empieza Ann.")
    expect(everyone.locator("h1")).to_have_text("Round 1 of 13")

    running.ask("PUT", "/api/settings", {"language": "es", "large_text": True})
    expect(everyone.locator("h1")).to_have_text("Ronda 1 de 13")
    assert everyone.evaluate("document.documentElement.hasAttribute('data-large')")


def test_who_has_won_is_said_of_one_of_several_and_of_nobody(
    running: Running, windows: Any
) -> None:
    """
    Partners win together: they are no tie.
    """
    said = """async (language) => {
        const { loadWords, won } = await import("/static/words.js");
        await loadWords(language);
        return [["Ann"], ["Ann", "Cara"], []].map(won);
    }"""
    page = windows()

    assert page.evaluate(said, "en") == ["Ann has won", "Ann and Cara have won", "Nobody has won"]
    assert page.evaluate(said, "es") == [
        "Ha ganado Ann",
        "Han ganado Ann y Cara",
        "No ha ganado nadie",
    ]


def test_the_page_opens_offline_as_it_was_last_seen(running: Running, windows: Any) -> None:
    """
    From the home screen, without a network: the standings are there, and it says that they are old.
    """
    play(running, 1)
    page = windows()
    expect(page.locator("h1")).to_have_text("Round 2 of 13")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    score = total(page, 2).inner_text()
    running.kill()

    page.goto(running.address)

    expect(page.locator(".banner")).to_contain_text("Not connected")
    expect(page.locator("h1")).to_have_text("Round 2 of 13")
    assert score == total(page, 2).inner_text()
    running.start()


def test_scores_are_readable_before_any_script_runs(running: Running, windows: Any) -> None:
    """
    On an old phone, too.
    """
    play(running, 1)
    page = windows(java_script_enabled=False)
    expect(page.locator("table.plain")).to_contain_text("Cara")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A game in progress that is only looked at."""
    service = Running(tmp_path_factory.mktemp("shown"))
    play(service, 3)
    service.send("toggle-marker", seat=2)
    service.send("toggle-double", where=3)
    service.send("call-last-tile", seat=1)
    yield service
    service.stop()


def prefer(page: Any, **choices: Any) -> None:
    """What this screen chooses for itself; it is drawn anew."""
    keep = "(chosen) => localStorage.setItem('centerpiece.choices', JSON.stringify(chosen))"
    page.evaluate(keep, choices)
    page.reload()


def ready(page: Any) -> None:
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator("main section, main .block").first).to_be_visible()
    for closed in page.locator("#topics:not([open]) > summary").all():
        closed.click()


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_accessible_and_fits_every_screen(
    browser: Any, shown: Running, path: str
) -> None:
    """
    WCAG 2.2 AA as far as axe can tell, light and dark, in every language, and no sideways scrolling
    from 320 px to 1920 px, with text at 200 % and large Spanish text as well.
    """
    page = browser.new_page(viewport=PHONE)
    page.goto(shown.address + path)
    ready(page)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert [] == problems(page), scheme
    for text in ("100%", "200%"):
        page.evaluate("(size) => { document.documentElement.style.fontSize = size }", text)
        for size in (SMALL, PHONE, TELEVISION):
            page.set_viewport_size(size)
            assert 0 == too_wide(page), (text, size)
    for language in sorted(set(LANGUAGES) - {"en"}):
        page.set_viewport_size(LARGE)
        prefer(page, language=language, large_text=True)
        ready(page)
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert [] == problems(page), language
        for size in (SMALL, LARGE, TELEVISION):
            page.set_viewport_size(size)
            assert 0 == too_wide(page), (language, size)
    page.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_dialogs_are_accessible_too(running: Running, windows: Any, language: str) -> None:
    """
    Keypad, menus, questions and set-up: as axe sees them in every language, with large text on a
    small phone; opened and closed by keyboard alone.
    """
    page = windows("/", LARGE)
    prefer(page, language=language, large_text=language != "en")
    page.locator("#house-rules summary").first.click()
    expect(page.locator("#rule-double_blank-field")).to_be_visible()
    wrong: list[Any] = []

    def look() -> None:
        wrong.extend(problems(page))
        assert 0 == too_wide(page)

    def asked(deed: str) -> None:
        page.locator(deed).first.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        look()

    def closed() -> None:
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)

    look()
    running.send("open-table", rules="mexican-train/family", players=["Ann", "Bob", "Cara", "Dan"])
    for deed in (".head [data-do=seat]", "[data-do=menu]", ".deeds [data-do=out]"):
        asked(deed)
        closed()
    asked(".head [data-do=seat]")
    page.locator("dialog [data-do=penalty]").click()
    look()
    closed()
    running.send("go-out", seat=1)
    asked(".deeds [data-do=score]")
    expect(page.locator("#keypad")).to_contain_text("(+50)")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#keypad h2")).to_contain_text("Bob")
    page.locator("#keypad input[value=tiles]").check(force=True)
    page.locator("[data-half='3']").click()
    look()
    stranger = windows("/", LARGE, extra_http_headers=ELSEWHERE)
    prefer(stranger, language=language, large_text=language != "en")
    page = stranger
    asked("[data-do=pair]")

    assert [] == wrong


@pytest.mark.parametrize("rounds", [None, 1])
def test_the_first_page_is_light(browser: Any, running: Running, rounds: int | None) -> None:
    """
    At most 40 kB over the network until it can be used, words included: in the lobby, in a game.
    """
    if rounds is not None:
        play(running, rounds)
    page = browser.new_context(service_workers="block").new_page()
    sent: dict[str, int] = {}
    page.on(
        "requestfinished",
        lambda request: sent.update({request.url: request.sizes()["responseBodySize"]}),
    )
    page.goto(running.address)
    expect(page.locator(".games" if rounds is None else "#seat-1")).to_be_visible()
    page.wait_for_load_state("load")
    page.context.close()

    assert 20_000 < sum(size for url, size in sent.items() if "/api/events" not in url) <= 40_000
