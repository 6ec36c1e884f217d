"""Checks to run where the game of `docs/examples/block` is installed.

    python -m tests.games.with_block promises
    python -m tests.games.with_block pages FOLDER

`test_a_game_from_elsewhere` installs it and runs this in processes that find it; the journal stays
in the folder, so that others can look at it afterwards.
"""

import sys
from pathlib import Path

import tests.conftest  # noqa: F401 (how much the property tests search)
from centerpiece.games.registry import GAMES
from centerpiece.storage.journal import Journal
from tests.evenings import ledger_facts
from tests.games import test_every_game as every_game
from tests.rules import test_rule_settings as every_setting
from tests.web.conftest import Open, rigs


def promises() -> None:
    """Run the properties of every game and of every setting."""
    game = GAMES.games["block"]
    for rules in game.profiles:
        every_game.test_nothing_that_is_asked_does_worse_than_being_refused(rules=rules)
        every_game.test_replaying_the_journal_gives_the_live_game(rules=rules)
        every_game.test_undo_leads_back_through_every_table_there_was(rules=rules)
    every_game.test_fingers_gone_wild_never_stop_the_hub(game=game.name)
    every_setting.test_every_field_of_a_rule_book_is_declared(game)
    for name in game.rules.settings:
        for test in (
            every_setting.test_the_book_takes_what_is_offered_and_nothing_beside_it,
            every_setting.test_a_page_and_a_document_offer_what_the_book_takes,
        ):
            test(game.profiles[0], name)


def pages(path: Path, open_rig: Open) -> None:
    """Open settings, card, panel and offers; send every offer, and read it back."""
    journal = Journal(path, GAMES)
    rig = open_rig(journal=journal)
    block = rig.client.get("/api/rules").json()["games"][-1]
    card = rig.client.get("/api/rulecard?rules=block/draw").json()
    settings = {setting["name"]: setting for setting in card["settings"]}

    assert ("block", "Block") == (block["name"], block["title"])
    assert ["block/classic", "block/draw"] == [each["rules"] for each in block["profiles"]]
    assert "Block" == card["title"]
    assert "Scoring" in [section["title"] for section in card["sections"]]
    assert list(GAMES.games["block"].rules.settings) == list(settings)
    assert "until-playable" == settings["draw"]["value"]
    assert ["all", "difference"] == [
        choice["value"] for choice in settings["lightest_takes"]["choices"]
    ]

    assert 200 == rig.send("open-table", rules="block/classic", players=["Ann", "Bob"]).status_code
    panel = [binding["words"] for binding in rig.client.get("/api/panel").json()["panel"]]
    state = rig.client.get("/api/state").json()
    assert "knocks: cannot play" in panel
    own = ["knocks: cannot play", "a tile is laid after a knock"]
    assert own == [offer["words"] for offer in state["offers"]][:2]

    order = {**state["offers"][0]["command"], "seat": 2}
    assert 200 == rig.client.post("/api/commands", json=order).status_code
    state = rig.client.get("/api/state").json()
    assert ([2], {"knock": [2]}) == (state["knocked"], state["on"])
    note = {"template": "{names} {names|has|have} knocked.", "facts": {"names": ["Bob"]}}
    assert [note] == state["notes"]

    rig.send("go-out", seat=1)
    rig.send("enter-score", seat=2, pips=9)
    known = ledger_facts(rig.hub.ledger)
    journal.close()
    again = open_rig(journal=Journal(path, GAMES))
    assert known == ledger_facts(again.hub.ledger)
    assert [9, 0] == [seat["total"] for seat in again.client.get("/api/state").json()["seats"]]


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["promises"]:
            promises()
        case ["pages", folder]:
            with rigs() as opened:
                pages(Path(folder) / "table.db", opened)
