"""Texts of the pages: a language is offered, sent and cached as soon as it has a catalogue."""

import shutil
import subprocess
from pathlib import Path

import pytest

from centerpiece.locale.catalogue import CATALOGUES, Catalogues
from tests.catalogues import with_esperanto
from tests.web.conftest import Open

STANDINGS = 'msgctxt "page standings"\nmsgid "Standings"\nmsgstr "Rangoj"'


def test_a_language_begins_with_one_file(open_rig: Open, tmp_path: Path) -> None:
    """It is offered under its own name, used once chosen, and cached on phones; no code lists the
    languages. What it lacks is in English.
    """
    rig = open_rig(languages=with_esperanto(tmp_path, STANDINGS))

    about = rig.client.get("/api/about").json()
    chosen = rig.client.put("/api/settings", json={"language": "eo"})

    assert {code: each["X-Name"] for code, each in CATALOGUES.headers.items()} | {
        "eo": "Esperanto"
    } == about["languages"]
    assert "Not yet reviewed by a native speaker" == about["unreviewed"]["eo"]
    assert not {"en", "es"} & about["unreviewed"].keys()
    assert 200 == chosen.status_code
    page = rig.client.get("/").text
    assert '<html lang="eo">' in page
    assert "Rangoj" in page
    assert '"/static/eo.json"' in rig.client.get("/sw.js").text
    words = rig.client.get("/static/eo.json").json()
    assert ("Esperanto", "Rangoj", {}) == (words["name"], words["page"]["standings"], words["core"])
    assert CATALOGUES.english["page"] | {"standings": "Rangoj"} == words["page"]
    assert [1, 0, 1, 1] == words["plurals"][:4]


def test_a_language_that_is_no_longer_there_is_told_in_english(
    open_rig: Open, tmp_path: Path
) -> None:
    """After going back to an earlier release, the pages open all the same."""
    languages = with_esperanto(tmp_path, STANDINGS)
    rig = open_rig(languages=languages)
    rig.client.put("/api/settings", json={"language": "eo"})
    (languages.folder / "eo" / "LC_MESSAGES" / "centerpiece.po").unlink()

    again = open_rig(languages=Catalogues(languages.folder), journal=rig.hub.journal)

    assert "Standings" in again.client.get("/").text


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_words_awards_and_chart_hold_their_examples() -> None:
    """Without a browser, in the pages' own language."""
    command = ["node", "--test", str(Path(__file__).with_name("modules.test.mjs"))]
    done = subprocess.run(command, capture_output=True, text=True)

    assert 0 == done.returncode, done.stdout
