"""What holds once the game of `docs/examples/block` is installed.

`test_a_game_from_elsewhere` installs it and runs this in a process that finds it; the journal is
in the folder that BLOCK_DATA names, so that others can look at it afterwards.
"""

import os
from pathlib import Path

from centerpiece.games.registry import GAMES
from centerpiece.storage.journal import Journal
from tests.evenings import ledger_facts
from tests.web.conftest import Open, open_rig

__all__ = ["open_rig"]

JOURNAL = Path(os.environ.get("BLOCK_DATA", ".")) / "table.db"


def test_pages_show_the_game_and_a_restart_knows_it(open_rig: Open) -> None:
    """Its rules with all settings, card, panel and offers; what was offered is done, and kept."""
    journal = Journal(JOURNAL, GAMES)
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
    again = open_rig(journal=Journal(JOURNAL, GAMES))
    assert known == ledger_facts(again.hub.ledger)
    assert [9, 0] == [seat["total"] for seat in again.client.get("/api/state").json()["seats"]]
