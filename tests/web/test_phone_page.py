"""The phone page in a real browser: setting up, counting, correcting, looking up."""

import re
from typing import Any

import pytest
from PIL import Image

from tests.web.browsers import Finger, Running, play, prefer

pytestmark = pytest.mark.real_time("browsers and hubs in processes of their own")

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

NAMES = ("Ann", "Bob", "Cara", "Dan")


def test_an_evening_on_three_phones_each_with_its_own_seat(running: Running, windows: Any) -> None:
    """Set up and counted on all, with a lost network and a power cut in between.

    Each is asked for a name, and nothing else. All show the same, nothing is lost, and frequent
    actions take one tap.
    """
    phones = [Finger(windows(asked=True)) for _ in range(3)]
    for phone, name in zip(phones, ("Ann", "Bob", "Cara"), strict=True):
        expect(phone.page.get_by_role("heading", name="Who are you?")).to_be_visible()
        expect(phone.page.locator(".deeds")).to_have_count(0)
        phone.page.get_by_label("Name", exact=True).fill(name)
        phone.page.keyboard.press("Enter")
        expect(phone.page.locator(".mine")).to_contain_text(name)
    ann, bob, cara = phones
    suits = "For 3 players: Family, double-12 set, 15 tiles each."
    expect(ann.page.locator(".forecast")).to_contain_text(suits)
    expect(ann.page.locator(".stepper")).to_contain_text("13 rounds, about 2 hours")
    running.send("change-rule", setting="rounds", value=3)
    ann.tap("One round less")
    expect(bob.page.locator(".stepper")).to_contain_text("2 rounds")
    running.send("choose-rules", rules="mexican-train/classic", set=9, changes={"rounds": 2})
    expect(cara.page.locator(".forecast")).to_contain_text("3 players draw 14 tiles each.")
    ann.tap("Start the game")
    expect(cara.page.get_by_role("heading", name="Double nine")).to_be_visible()
    cara.tap("Someone else")
    cara.tap("Ann", "dialog")
    expect(cara.page.get_by_role("button", name="Someone else")).to_have_count(0)
    for phone in phones:
        phone.counted()

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
    """Eight digits, four times "next", and one tap for who went out.

    The page offers that tap if the player announced the last tile. A second phone that counts the
    same hand is shown the first one's number.
    """
    play(running, 0, ("Ann", "Bob", "Cara", "Dan", "Eva"))
    host, other = Finger(windows()), windows()
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
    expect(other.get_by_role("button", name="Change to 9")).to_be_focused()
    expect(other.get_by_role("button", name="Keep 12")).to_be_visible()
    host.tap("Next round")
    host.tap("Last tile", "#seat-3")
    host.counted()
    host.tap("Cara went out")
    expect(host.page.locator("#keypad h2")).to_contain_text("Dan")
    assert 1 == host.counted()


@pytest.mark.parametrize(
    ("rules", "players", "button", "key"),
    [
        ("chickenfoot/classic", 4, "Toe", "toes"),
        ("castle-rock/classic", 1, "Draw", "pile"),
        ("muggins/classic", 4, "+15", "awards"),
        ("super-15/double-15", 3, "Reverse", "direction"),
    ],
)
def test_each_game_has_its_own_strip(
    running: Running, windows: Any, rules: str, players: int, button: str, key: str
) -> None:
    """A game's frequent actions take one tap; those of other games are absent."""
    names = ["Ann", "Bob", "Cara", "Dan"][:players]
    running.send("open-table", rules=rules, players=names, changes={"turn_limit_s": 60}, starter=1)
    before, phone = running.state()[key], Finger(windows())
    notice = phone.page.locator(".notice [role=status]")
    said = notice.inner_text()
    phone.tap(button)
    expect(notice).not_to_have_text(said)
    assert 1 == phone.counted()
    assert before != running.state()[key]
    assert not phone.page.get_by_role("button", name="Open train").count()

    if running.state()["turn"]:
        phone.tap("Ann has played")
        expect(phone.page.locator("#seat-1")).not_to_contain_text("To play")
        assert 1 == phone.counted()


BOXES = """() => [...document.querySelectorAll(".mine .act, .deeds:last-of-type button, .redo")]
    .map((e) => { const { x, y, width, height } = e.getBoundingClientRect();
        return [e.textContent.trim(), x, y, width, height].join(" "); })"""
SIZES = [(320, 640), (390, 844), (800, 480), (1024, 768), (1920, 1080)]


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_others_do_moves_no_button_of_mine(
    running: Running, windows: Any, language: str
) -> None:
    """Signs, alerts, questions of the hub and likely winners come where nothing is pressed."""
    play(running, 1)
    page = windows()
    prefer(page, seat={"seat": 2, "name": "Bob"}, language=language)
    expect(page.locator(".mine .act").first).to_be_visible()

    def boxes() -> list[Any]:
        found = []
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("scrollTo(0, 0)")
            found.append(page.evaluate(BOXES))
        return found

    before = boxes()
    running.send("toggle-double", where=3)
    running.send("toggle-marker", seat=4)
    running.send("call-last-tile", seat=4)
    expect(page.locator(".likely")).to_be_visible()
    assert before == boxes()
    for down in (True, False):
        running.ask("POST", "/api/hub/press", {"button": "advance", "down": down})
        page.wait_for_timeout(60)
    expect(page.locator("#question-left")).to_have_text(re.compile("^[1-9]0?$"))
    assert [each[:4] for each in before] == [each[:4] for each in boxes()]


def test_what_was_typed_outlives_a_reload_and_a_refusal(running: Running, windows: Any) -> None:
    """Digits typed for the next hand wait until the hub accepts this one."""
    play(running, 0)
    page = windows()
    running.send("go-out", seat=1)
    running.send("enter-score", seat=2, pips=3)
    page.get_by_role("button", name="Enter scores").click()
    expect(page.locator(".display")).to_be_visible()
    page.keyboard.type("4")
    page.keyboard.press("+")
    page.keyboard.type("7")
    page.reload()
    expect(page.locator(".display")).to_have_text("4 + 7 =11")
    page.locator("#keypad").get_by_role("button", name="Bob: 3").click()
    waiting: list[Any] = []
    page.route("**/api/commands", lambda route: waiting.append(route))
    page.keyboard.type("9")
    with page.expect_request("**/api/commands"):
        page.keyboard.press("Enter")
    page.keyboard.type("1")
    waiting[0].continue_()
    expect(page.get_by_role("button", name="Keep 3")).to_be_visible()
    page.unroute("**/api/commands")
    page.keyboard.type("2")
    expect(page.locator(".display")).to_contain_text("Typed for the next hand: 12")
    page.get_by_role("button", name="Change to 9").click()
    expect(page.locator("#keypad h2")).to_contain_text("Cara")
    expect(page.locator(".display")).to_have_text("12")
    key = page.locator("[data-digit='8']").bounding_box()
    assert (key["width"] >= 88, key["height"] >= 88) == (True, True)


def test_a_score_of_an_earlier_round_is_corrected_and_leaves_a_trail(
    running: Running, windows: Any
) -> None:
    """Undo takes the correction back."""
    play(running, 2)
    page = windows("/#scores")
    before = running.state()["seats"][1]["scores"][0]

    page.get_by_role("button", name=f"Correct round 1 of Bob: {before}").click()
    expect(page.locator("#keypad h2")).to_contain_text("Bob")
    page.keyboard.type("44")
    page.get_by_role("button", name="Done").click()

    expect(page.locator(".trail")).to_contain_text(f"Round 1, Bob: 44 instead of {before}")
    page.get_by_role("button", name="Undo: ").click()
    expect(page.locator(".trail")).to_have_count(0)
    assert before == running.state()["seats"][1]["scores"][0]


def test_points_made_in_play_are_corrected_on_the_sheet(running: Running, windows: Any) -> None:
    """One line for each seat and round that has ended."""
    play(running, 1, ("Ann", "Bob"), "muggins/classic")
    page = windows("/#scores")
    page.get_by_role("button", name="Round 1, Bob: 0").click()
    expect(page.locator("#keypad .display")).to_be_focused()
    page.keyboard.type("15")
    page.get_by_role("button", name="Done").click()

    expect(page.locator(".trail").first).to_contain_text("Round 1, Bob: 15")
    assert 15 == running.state()["in_play"][1]["points"]


def test_what_is_rare_is_behind_the_three_dots(running: Running, windows: Any) -> None:
    """For a seat and for the whole game; ending something needs a confirmation."""
    play(running, 0)
    page = windows()
    page.get_by_role("button", name="More about Bob").click()
    page.get_by_role("button", name="A double was left open here").click()
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
    """Changed, saved under a name, and shown on the rule card."""
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
    """One tap adds a known name or names a seat taken at the hub; the order can be changed."""
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


def test_a_game_ends_with_a_podium_and_a_picture(running: Running, windows: Any) -> None:
    """In order, the winner highest, in everybody's shape; playing again is the main action."""
    play(running, 3)
    page = windows()
    running.send("finish-game")
    first, second, third = (page.locator(f".step-{place} div") for place in (1, 2, 3))
    expect(page.locator(".step-1")).to_contain_text("Ann")
    expect(page.locator(".confetti")).to_have_count(1)
    expect(page.locator(".rest")).to_contain_text("Dan")
    page.evaluate("document.getAnimations().forEach((each) => each.finish())")
    boxes = [each.bounding_box() for each in (second, first, third)]
    assert boxes == sorted(boxes, key=lambda box: box["x"])
    assert boxes[1]["height"] > boxes[0]["height"] > boxes[2]["height"]
    expect(page.locator(".deeds .main")).to_have_text("Play again, same people")
    with page.expect_download() as picture:
        page.get_by_role("button", name="Save a picture").click()
    assert "game-1.png" == picture.value.suggested_filename
    width, height = Image.open(picture.value.path()).size
    assert 1080 == width < height  # high enough for the chart below the people
    page.reload()
    expect(page.locator(".chart use")).to_have_count(4)
    expect(page.locator(".confetti")).to_have_count(0)


def test_a_game_of_one_player_ends_with_the_tiles_left(running: Running, windows: Any) -> None:
    """On every page, with the best so far and no podium of one."""
    running.send("open-table", rules="castle-rock/classic", players=["Ann"])
    board = windows("/board")
    expect(board.locator(".standings")).to_contain_text("3 tiles in the row")
    expect(board.locator(".standings")).to_contain_text("Tiles left to draw: 52")
    pages = [windows(), windows("/table", {"width": 1024, "height": 768}), board]
    running.send("draw-tile")
    expect(pages[1].locator(".near .engine")).to_contain_text("4 tiles in the row")
    running.send("block")
    running.send("next-round")
    for page in pages:
        expect(page.locator("#ending-title")).to_have_text("55 tiles left")
        expect(page.locator(".ending")).to_contain_text("Best so far with a double-9 set: 55 left")
        expect(page.locator(".podium")).to_have_count(0)
        expect(page.locator("#app")).not_to_contain_text("Nobody has won")
    pages[0].goto(f"{running.address}/#scores")
    expect(pages[0].get_by_role("heading", name="Score sheet")).to_be_visible()
    expect(pages[0].get_by_role("heading", name="Standings")).to_be_hidden()


def test_partners_have_one_total_and_one_line(running: Running, windows: Any) -> None:
    """On the sheet, in the chart and among the awards: a team that always led came from nowhere."""
    running.send("open-table", rules="muggins/classic", players=NAMES, starter=1)
    for out, points in ((1, 20), (2, 5), (1, 10)):
        running.send("award", seat=out, points=points)
        running.send("go-out", seat=out)
        for seat in {1, 2, 3, 4} - {out}:
            running.send("enter-score", seat=seat, pips=1)
        running.send("next-round")
    page = windows("/#scores")
    expect(page.locator("thead th span")).to_have_text(["Ann", "Cara", "Bob", "Dan"])
    expect(page.locator("tfoot td")).to_have_text(["30", "5"])
    expect(page.locator(".chart .line")).to_have_count(2)
    running.send("finish-game")
    page.goto(running.address)
    expect(page.locator("#ending-title")).to_have_text("Ann and Cara have won")
    expect(page.locator(".chart .line")).to_have_count(2)
    expect(page.locator(".awards")).to_contain_text("Most rounds won")
    expect(page.locator(".awards")).not_to_contain_text("comeback")


def test_past_evenings_can_be_looked_up(running: Running, windows: Any) -> None:
    """The list, one game's sheet with its chart, the players' records, and the printable page."""
    play(running, 3)
    running.send("finish-game")
    page = windows("/history")
    expect(page.locator(".evenings")).to_contain_text("Mexican Train")
    page.get_by_role("button", name="Score sheet").click()
    expect(page.locator(".chart")).to_be_visible()
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


def test_a_season_adds_up_and_people_have_names(running: Running, windows: Any) -> None:
    """Sums, who beats whom and records; somebody is renamed, and undo takes it back."""
    for _ in range(2):
        play(running, 3)
        running.send("finish-game")
    page = windows("/#more")
    page.get_by_role("link", name="Season").click()
    rows = page.locator("table.season").first.locator("tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.first).to_contain_text("Ann")
    expect(page.locator("table.season").nth(1)).to_contain_text("2:0")
    expect(page.locator(".records")).to_contain_text("Most points in a round")
    expect(page.locator(".days a")).to_have_count(1)
    page.get_by_label("Look for somebody").fill("dan")
    page.get_by_label("Look for somebody").blur()
    expect(rows).to_have_count(1)

    rows.first.get_by_role("link", name="Dan").click()
    expect(page.locator(".person")).to_contain_text("Games")
    page.get_by_label("Name", exact=True).fill("Daniel")
    page.get_by_role("button", name="Change the name").click()
    expect(page.locator("h2").first).to_have_text("Daniel")
    page.get_by_label("Name", exact=True).fill("Cara")
    page.get_by_role("button", name="Change the name").click()
    expect(page.locator("#complaint")).to_contain_text("they are two people")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("table.season").first).to_contain_text("Dan")

    page.locator(".days a").click()
    expect(page.locator("#game-1 table")).to_contain_text("Dan")


def test_a_round_that_decides_a_tie_is_none_of_the_agreed_ones(
    running: Running, windows: Any
) -> None:
    """After two agreed rounds it must not be called round 3 of 2."""
    people = ["Ann", "Bob", "Cara"]
    running.send(
        "open-table",
        rules="mexican-train/classic",
        set=9,
        players=people,
        changes={"rounds": 2},
        starter=1,
    )
    page = windows()
    expect(page.locator("h1")).to_have_text("Round 1 of 2")
    for out, other in ((1, 2), (2, 1)):
        running.send("go-out", seat=out)
        running.send("enter-score", seat=other, pips=10)
        running.send("enter-score", seat=3, pips=30)
        running.send("next-round")
    running.send("play-off")

    expect(page.locator("h1")).to_have_text("The deciding round")
    expect(windows("/board").locator("h1")).to_have_text("The deciding round")


def test_who_has_won_is_said_of_one_of_several_and_of_nobody(
    running: Running, windows: Any
) -> None:
    """Partners win together, which is no tie."""
    said = """async (languages) => {
        const { loadWords, won } = await import("/static/words.js");
        const said = [];
        for (const language of languages) {
            // Without a choice, a page in another language than the hub's loads itself again.
            localStorage.setItem("centerpiece.choices", JSON.stringify({ language }));
            await loadWords();
            said.push([["Ann"], ["Ann", "Cara"], []].map(won));
        }
        return said;
    }"""
    page = windows()

    assert page.evaluate(said, ["es", "en"]) == [
        ["Ha ganado Ann", "Han ganado Ann y Cara", "No ha ganado nadie"],
        ["Ann has won", "Ann and Cara have won", "Nobody has won"],
    ]


LISTENED = """const said = []; speechSynthesis.speak = (words) => {
    said.push(words.text);
    document.body.dataset.said = said.join(" ");
};"""


def test_a_phone_says_only_what_concerns_its_own_seat(running: Running, windows: Any) -> None:
    """A later sentence about this seat shows that others' news were not merely pending."""
    play(running, 0)
    pages = {}
    for name, seat, speech in (("Bob", 2, "mine"), ("Cara", 3, "mine"), ("Dan", 4, "all")):
        page = windows()
        page.context.add_init_script(LISTENED)
        prefer(page, seat={"seat": seat, "name": name}, speech=speech)
        expect(page.locator(".mine")).to_contain_text(name)
        page.evaluate("() => import('/static/speech.js').then(() => null)")  # it listens
        pages[name] = page.locator("body")
    for seat, name in ((2, "Bob"), (3, "Cara")):
        running.send("call-last-tile", seat=seat)
        for listener in (name, "Dan"):
            expect(pages[listener]).to_have_attribute("data-said", re.compile(name))
    running.send("go-out", seat=2)

    expect(pages["Bob"]).to_have_attribute("data-said", re.compile("Bob.*Bob"))
    expect(pages["Bob"]).not_to_have_attribute("data-said", re.compile("Cara"))
    expect(pages["Cara"]).not_to_have_attribute("data-said", re.compile("Bob"))
