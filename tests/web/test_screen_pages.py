"""The big screen, and the tablet in the middle of the table."""

import re
from typing import Any

import pytest

from tests.patience import until
from tests.web.browsers import SMALLEST, TELEVISION, Running, play
from tests.web.conftest import Open, served_here

pytestmark = pytest.mark.real_time("browsers and hubs in processes of their own")

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect


SETS = [TELEVISION, {"width": 1280, "height": 720}]
OVERLAP = """([one, other]) => {
    const box = (e) => e.getBoundingClientRect();
    const boxes = (all) => [...document.querySelectorAll(all)].map(box);
    const apart = (a, b) => a.right < b.left + 1 || b.right < a.left + 1
        || a.bottom < b.top + 1 || b.bottom < a.top + 1;
    return boxes(one).some((a) => boxes(other).some((b) => !apart(a, b)));
}"""
"""Returns whether any element of one selector lies over one of the other."""
CLIPPED = """() => [...document.querySelectorAll('.board :is(h1, p, .name, .total, .chart)')]
    .filter((e) => e.getBoundingClientRect().bottom > innerHeight
        || (e.scrollWidth > e.clientWidth + 1 && e.clientWidth)).map((e) => e.textContent)"""


@pytest.mark.parametrize("count", [4, 10])
def test_the_big_screen_follows_without_being_touched(
    running: Running, windows: Any, count: int
) -> None:
    """Rows fill the screen above a chart. No letters are too small, nothing is clipped or covered,
    also on the podium at the end, with confetti.
    """
    names = ("Ann", "Bob", "Cara", "Dan", "Eva", "Friederike", "Gus", "Hannah", "Ida", "Jan")
    rules = "mexican-train/classic" if count == 4 else "mexican-train/double-15"
    play(running, 3, names[:count], rules)
    page = windows("/board", TELEVISION)
    expect(page.locator("h1")).to_contain_text("Round 4 of")
    running.send("toggle-marker", seat=2)
    expect(page.locator("#row-2")).to_contain_text("Open train")
    running.send("start-train")
    expect(page.locator(".siding")).to_contain_text("Mexican Train")

    running.send("toggle-double", where=2)
    expect(page.locator(".moment")).to_contain_text("Open double: Bob")
    expect(page.locator(".alert")).to_have_text("Open double on Bob’s train")
    expect(page.locator(".moment")).to_have_count(0)
    page.evaluate("dispatchEvent(new Event('offline'))")
    expect(page.locator(".banner p")).to_be_visible()
    for size in SETS:
        page.set_viewport_size(size)
        page.evaluate("new Promise(requestAnimationFrame)")
        assert page.evaluate(SMALLEST) >= 0.04 * size["height"]
        assert page.locator(".banner p").bounding_box()["height"] >= 0.04 * size["height"]
        assert [] == page.evaluate(CLIPPED)
        assert not page.evaluate(OVERLAP, [".standings .name", ".sign, .total, .stage *"])
        assert not page.evaluate(OVERLAP, [".alert", ".chart"])
        rows, chart = (
            page.locator(f".standings {each}").bounding_box() for each in ("ol", "svg.chart")
        )
        assert rows["height"] >= 0.4 * size["height"]
        assert rows["height"] + chart["height"] >= 0.65 * size["height"]
    running.send("call-last-tile", seat=3)
    expect(page.locator(".moment")).to_contain_text("Cara: last tile!")
    running.send("finish-game")
    expect(page.locator(".step-1")).to_contain_text("Ann")
    expect(page.locator(".confetti")).to_have_count(1)
    expect(page.locator(".awards")).to_contain_text("Most whistles: Cara (1)")
    shared = page.locator(".awards", has_text="Most rounds won: Ann, Bob, and Cara (1)")
    expect(shared).to_have_count(int(count == 10))  # three of four share it: that is no award
    for size in SETS:
        page.set_viewport_size(size)
        page.evaluate("new Promise(requestAnimationFrame)")
        assert page.evaluate(SMALLEST) >= 0.04 * size["height"]
        assert [] == page.evaluate(CLIPPED)
        for part in (".rest", ".podium", ".awards"):
            assert not page.evaluate(OVERLAP, [".plot", part])
    expect(page.locator(".join")).to_have_count(0)  # no phone could follow a code to this machine
    page.get_by_role("link", name="Table").click()
    expect(page.locator("h1")).to_have_text("The game is over")


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


def test_a_code_at_the_end_leads_to_the_score_sheet(browser: Any, open_rig: Open) -> None:
    """Only where phones can reach the hub."""
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


OVERLAPS = """() => {
    const parts = ".edge button, .controls button, .engine, .said, .digits button";
    const boxes = [...document.querySelectorAll(parts)]
        .filter((e) => !document.querySelector(".counting") || e.closest(".counting"))
        .map((e) => [e, e.getBoundingClientRect()]).filter(([, box]) => box.width);
    const out = boxes.filter(([, { left, top, right, bottom }]) =>
        left < 0 || top < 0 || right > innerWidth || bottom > innerHeight);
    const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    const pairs = boxes.flatMap(([e, a], at) => boxes.slice(at + 1)
        .filter(([other, b]) => !e.contains(other) && meet(a, b)).map(([other]) => [e, other]));
    return [...out, ...pairs].map(([e]) => e.textContent.trim());
}"""
"""Returns what is cut off or covered on the tablet."""


@pytest.mark.parametrize("size", [(800, 480), (1024, 768), (1280, 800)])
def test_a_tablet_in_the_middle_is_the_hub(
    running: Running, windows: Any, size: tuple[int, int]
) -> None:
    """People sit down, start and play by touch, two of them at the same moment. Everybody keeps
    the edge, nothing is covered or cut off, and the digits have keys of 20 mm.
    """
    page = windows("/table", {"width": size[0], "height": size[1]}, has_touch=True)
    touching = page.context.new_cdp_session(page)

    def fingers(*places: str) -> None:
        """Touch all these places at once; without places, lift all fingers."""
        boxes = [page.locator(place).first.bounding_box() for place in places]
        points = [
            {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2, "id": number}
            for number, box in enumerate(boxes)
        ]
        kind = "touchStart" if points else "touchEnd"
        touching.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        # A press shorter than a contact bounces is none; one that waits for its answer may be long.
        page.wait_for_timeout(60)

    for seat in (2, 4, 7, 9):
        expect(page.locator(f"[data-button=seat-{seat}]").first).to_be_visible()
        fingers(f"[data-button=seat-{seat}]")
        fingers()
        expect(page.locator(".said").last).to_contain_text(f"eat {seat}")
    expect(page.locator(".near .engine")).to_contain_text(
        "13 rounds · Double-12 set · 18 tiles each"
    )
    page.locator(".edge-left [data-seat='4']").click()
    expect(page.locator("#new-name")).to_be_focused()
    page.keyboard.type("Friederike")
    page.keyboard.press("Enter")
    expect(page.locator(".edge-left")).to_contain_text("Friederike")
    assert [] == page.evaluate(OVERLAPS)
    page.locator(".near [data-do=start]").click()
    expect(page.locator(".near .engine")).to_contain_text("Round 1 of 13")
    expect(page.locator(".place")).to_have_count(4)
    expect(page.locator(".edge-left .place")).to_contain_text("Friederike")
    assert [] == page.evaluate(OVERLAPS)
    expect(page.locator(".is-asked")).to_have_count(4)
    fingers("[data-button=seat-2]")
    fingers()
    expect(page.locator(".is-asked")).to_have_count(0)

    fingers(".edge-left [data-button=seat-4]", ".edge-right [data-button=seat-9]")
    fingers()
    expect(page.locator(".is-open")).to_have_count(2)
    fingers(".edge-top [data-button=seat-7].hold")
    expect(page.locator(".edge-top .signs")).to_contain_text("Last tile")
    fingers()
    assert [False, True, False, True] == [seat["marker"] for seat in running.state()["seats"]]

    # Who went out? Then the keypad turns towards whoever counts.
    fingers(".near [data-button=advance]")
    fingers()
    expect(page.locator(".is-asked")).to_have_count(4)
    expect(page.locator(".near .is-question .left")).to_have_text(re.compile("^[0-9]+$"))
    assert not page.evaluate(OVERLAP, [".said", ".centre > *, .controls, .corner"])
    fingers(".edge-top [data-button=seat-7]")
    fingers()
    for edge, digit in (("right", 5), ("bottom", 4), ("left", 9)):
        expect(page.locator(f".counting.towards-{edge}")).to_be_visible()
        assert [] == page.evaluate(OVERLAPS)
        assert page.locator(".digits button").first.bounding_box()["width"] >= 104
        fingers(f".counting [data-button=seat-{digit}]")
        fingers()
        expect(page.locator(".counting output")).to_have_text(str(digit))
        fingers(".counting [data-button=advance]")
        fingers()
    expect(page.locator(".counting")).to_have_count(0)
    until(lambda: [4, 9, 0, 5] == [seat["total"] for seat in running.state()["seats"]])
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    for narrow in (size, (800, 480)):
        page.set_viewport_size({"width": narrow[0], "height": narrow[1]})
        parts = [".centre > *", ".said", ".controls", ".edge > li", ".corner"]
        for at, part in enumerate(parts):
            below = ", ".join(f".middle .near {each}, {each}.place" for each in parts[at + 1 :])
            assert not page.evaluate(OVERLAP, [f".middle .near {part}", f".far {part}, {below}"])

    # The end of the game is turned towards the winner, who sits opposite.
    running.send("finish-game")
    expect(page.locator(".end.towards-top .step-1")).to_contain_text("Seat 7")
    expect(page.locator(".end .chart")).to_have_count(0)  # one round makes no line
    page.get_by_role("button", name="Play again, same people").click()
    page.get_by_role("button", name="Yes").click()  # The game could still go on.
    expect(page.locator(".near .engine")).to_contain_text("Round 1 of 13")
    expect(page.locator(".end")).to_have_count(0)
