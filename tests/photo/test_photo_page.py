"""A hand counted from a photograph in a real browser: taken, checked, corrected, handed over."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.patience import until
from tests.photo.photographs import photograph
from tests.web.browsers import KEEPS_SCORE, Running

pytestmark = pytest.mark.real_time("browsers and hubs in processes of their own")

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect
PATIENCE = 120_000
"""Milliseconds that a busy machine may take for a photograph."""


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    failures: list[str] = []
    opened = browser.new_page(viewport={"width": 390, "height": 844})
    opened.add_init_script(KEEPS_SCORE)
    opened.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    opened.on("pageerror", lambda error: failures.append(str(error)))
    yield opened
    opened.close()
    assert [] == failures


def test_a_hand_is_counted_from_a_photograph(running: Running, page: Any, tmp_path: Path) -> None:
    """
    Bad files get a sentence and the keypad. Tiles are found, one is corrected by keyboard, one
    removed, one added; what lies elsewhere is pointed out; the tiles are kept, the picture is not
    sent anywhere.
    """
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    photo = photograph(2, 9, "easy", 3, width=800)
    photo.image.save(tmp_path / "hand.jpg")
    (tmp_path / "letter.pdf").write_text("%PDF-1.7 a letter")
    truth = [sorted(tile["halves"]) for tile in photo.tiles]
    spare = [[a, b] for a in range(9) for b in range(a, 9) if [a, b] not in truth]
    running.send(
        "open-table", rules="mexican-train/classic", set=9, players=["Ann", "Bob", "Cy"], starter=1
    )
    running.send("go-out", seat=1)
    refused: list[str] = []
    page.context.route(
        "**/count_helper.js", lambda route: (refused.append(route.request.url), route.abort())
    )
    page.goto(running.address)
    page.get_by_role("button", name="Enter scores").click()
    sent: list[Any] = []
    page.context.on("request", lambda asked: asked.method == "GET" or sent.append(asked))
    chooser = page.locator("#keypad input[type=file]")
    dialog = page.locator("#photo")

    chooser.set_input_files(tmp_path / "letter.pdf")
    expect(dialog.get_by_role("alert")).to_contain_text("This file is not a picture")
    dialog.get_by_role("button", name="To the keypad").click()

    # With no worker beside the worker, and after one that was given up: always the same.
    chooser.set_input_files(tmp_path / "hand.jpg")
    expect(dialog.locator(".display")).to_have_text(str(sum(map(sum, truth))))
    until(lambda: page.evaluate("1") and refused)
    page.context.unroute_all()
    assert 1 == len(refused)
    dialog.get_by_role("button", name="Close").click()
    for _ in range(2):
        chooser.set_input_files(tmp_path / "hand.jpg")
        dialog.get_by_role("button", name="Close").click()

    chooser.set_input_files(tmp_path / "hand.jpg")
    expect(dialog.locator(".display")).to_have_text(str(sum(map(sum, truth))))
    expect(dialog.locator(".outlines polygon")).to_have_count(3)
    problems = [found["id"] for found in axe.run(page)["violations"]]

    # By keyboard alone: the first tile becomes another one, the last one goes.
    dialog.locator("[data-do=fix][data-at='0']:not(g)").focus()
    page.keyboard.press("Enter")
    # It is shown as large as the dialog, with nothing drawn over it.
    expect(dialog.locator("canvas")).to_have_count(1)
    expect(dialog.locator(".outlines")).to_have_count(0)
    problems += [found["id"] for found in axe.run(page)["violations"]]
    for half in spare[0]:
        dialog.locator(f"[data-half='{half}']").focus()
        page.keyboard.press("Enter")
    expect(dialog.locator("li")).to_have_count(3)
    dialog.locator("[data-do=remove][data-at='2']").focus()
    page.keyboard.press("Enter")
    expect(dialog.locator("li")).to_have_count(2)
    # A tap beside the tiles adds one: the engine, which lies in the middle.
    dialog.locator(".outlines").click(position={"x": 3, "y": 3})
    for _ in range(2):
        dialog.locator("[data-half='9']").click()
    expect(dialog.locator(".trouble")).to_have_text("The 9-9 is in the middle.")
    # A swipe removes one, by a finger and by a mouse, whose click at its end opens nothing.
    _swipe_by_finger(page, dialog.locator("li[data-at='2'] [data-do=fix]"))
    expect(dialog.locator(".trouble")).to_have_count(0)
    dialog.get_by_role("button", name="Add a tile").click()
    for _ in range(2):
        dialog.locator("[data-half='9']").click()
    _swipe_by_mouse(page, dialog.locator("li[data-at='2'] [data-do=fix]"))
    expect(dialog.locator("li")).to_have_count(2)
    expect(dialog.locator(".trouble")).to_have_count(0)
    left = [each["tile"] for each in _hand(dialog)]
    assert [] == sent  # No picture leaves the device; when they are taken, numbers do.
    dialog.get_by_role("button", name="Take these tiles").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#keypad h2")).to_contain_text("Cy")
    (order,) = sent
    assert len(order.post_data) < 200

    hands = running.state()["hands"]
    assert [{"round": 1, "seat": 2, "tiles": sorted(left)}] == hands
    assert [] == problems


def _swipe(line: Any) -> list[dict[str, float]]:
    """Places along a line of the list, from right to left."""
    line.scroll_into_view_if_needed()
    box = line.bounding_box()
    y = box["y"] + box["height"] / 2
    return [{"x": box["x"] + box["width"] * part, "y": y} for part in (0.95, 0.7, 0.4, 0.1)]


def _swipe_by_finger(page: Any, line: Any) -> None:
    places = _swipe(line)
    touch = page.context.new_cdp_session(page)
    kinds = ["touchStart", *["touchMove"] * (len(places) - 1)]
    for kind, place in zip(kinds, places, strict=True):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [place]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def _swipe_by_mouse(page: Any, line: Any) -> None:
    first, *_, last = _swipe(line)
    page.mouse.move(**first)
    page.mouse.down()
    page.mouse.move(**last)
    page.mouse.up()


def _hand(dialog: Any) -> list[dict[str, list[int]]]:
    """The tiles of the list, by their names."""
    names = dialog.locator("li .tile").evaluate_all("all => all.map(each => each.ariaLabel)")
    words = ["blank", "one", "two", "three", "four", "five", "six", "seven", "eight"]
    return [{"tile": _tile(name, words)} for name in names]


def _tile(name: str, words: list[str]) -> list[int]:
    if "-" in name:
        return [int(half) for half in name.split("-")]
    number = words.index(name.split()[-1].lower())
    return [number, number]
