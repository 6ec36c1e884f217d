"""Catalogues: every language has every text; what is missing or damaged is in English."""

import logging
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from babel.messages.catalog import Message

from centerpiece.locale.catalogue import CATALOGUES, Catalogues
from tests.catalogues import pseudo, with_esperanto, with_pseudo
from tools.texts import (
    HOLE,
    ROOT,
    Text,
    begun,
    faults,
    languages,
    merged,
    misfits,
    path_of,
    texts,
    update,
    written,
)

HEADERS = {"X-Name", "X-Card-Folder", "X-Card-Version", "Plural-Forms", "Language"}
PLEASE = "run python tools/texts.py"


@pytest.mark.parametrize("language", languages())
def test_every_language_has_every_text(language: str) -> None:
    """No entry is missing, fuzzy or superfluous; every hole and plural form fits."""
    assert [] == faults(language), PLEASE


@pytest.mark.parametrize("language", languages())
def test_a_catalogue_is_as_the_program_writes_it(language: str) -> None:
    """So a difference between two versions shows translations and nothing else."""
    assert path_of(language).read_text("utf-8") == update(language, texts()), PLEASE


@pytest.mark.parametrize("language", languages())
def test_a_header_has_all_that_the_program_needs(language: str) -> None:
    """A language that no native speaker has reviewed says so in its own words."""
    code = language.replace("_", "-")
    headers = CATALOGUES.headers[code]

    assert set() == HEADERS - headers.keys()
    assert language == headers["Language"]
    assert "Not yet" not in headers.get("X-Unreviewed", "")


def test_no_two_languages_share_a_folder_of_a_modules_card() -> None:
    """Ten folders each, of 99."""
    first = [int(headers["X-Card-Folder"]) for headers in CATALOGUES.headers.values()]

    assert len(first) == len(set(first))
    assert all(folder % 10 == 0 and 10 <= folder <= 90 for folder in first)


@pytest.mark.parametrize("language", languages())
def test_gettexts_own_tools_read_a_catalogue(language: str) -> None:
    if shutil.which("msgfmt") is None:
        pytest.skip("gettext is not installed")
    checked = subprocess.run(
        ["msgfmt", "-c", "-o", "/dev/null", path_of(language)], capture_output=True, text=True
    )

    assert (0, "") == (checked.returncode, checked.stderr)


def test_every_page_text_that_a_script_asks_for_exists() -> None:
    """A misspelt key would be shown as it is."""
    asked = {
        part: {
            key
            for script in (ROOT / folder).glob("*.js")
            for key in re.findall(r"""\bt\("([\w.-]+)\"""", script.read_text("utf-8"))
        }
        for part, folder in (
            ("page", "centerpiece/web/static"),
            ("hall", "centerpiece/hall/server/static"),
        )
    }
    english = CATALOGUES.english

    assert set() == asked["page"] - set(english["page"])
    assert set() == asked["hall"] - set(english["hall"]) - set(english["page"])
    assert set() == set(english["hall"]) & set(english["page"])


def message(english: str, translation: str, context: str | None = None) -> Message:
    made = Message(english, translation, context=context)
    made.flags = set()
    return made


def test_a_reworded_text_is_fuzzy_and_a_dropped_one_goes() -> None:
    """Found by its key, or by its likeness; a fuzzy one is no translation."""
    old = [
        message("The hub speaks", "La hubo parolas", "page speech.title"),
        message("Nobody sits at seat {seat}.", "Neniu sidas ĉe {seat}."),
        message("A sentence that is no longer said.", "Frazo."),
        message("Undo", "Malfari"),
    ]
    wanted = [
        Text("page speech.title", "How the hub talks", "", ()),
        Text("", "Nobody sits on seat {seat}.", "", ()),
        Text("", "Undo", "", ()),
        Text("", "Brand new.", "", ()),
    ]
    file = written(begun("eo", 90), merged(old, wanted))

    entries = {(m.context, m.id): (m.string, m.fuzzy) for m in merged(old, wanted)}
    entries.pop((None, ""), None)
    assert {
        ("page speech.title", "How the hub talks"): ("La hubo parolas", True),
        (None, "Nobody sits on seat {seat}."): ("Neniu sidas ĉe {seat}.", True),
        (None, "Undo"): ("Malfari", False),
        (None, "Brand new."): ("", False),
    } == entries
    assert '#| msgid "The hub speaks"' in file
    assert "no longer said" not in file


@pytest.mark.parametrize(
    ("english", "translation", "fault"),
    [
        ("{name} is out.", "{nomo} iris.", "unknown holes ['nomo']"),
        ("{count|tile|tiles}", "{count|a|b|c}", "not 2 plural forms"),
        ("{name} is out.", "{name} {iris.", "a broken hole"),
    ],
)
def test_a_translation_that_does_not_fit_is_named(
    english: str, translation: str, fault: str
) -> None:
    assert [fault] == list(misfits(Text("", english, "", ()), translation, 2))


def test_a_missing_a_fuzzy_and_an_empty_entry_are_in_english(tmp_path: Path) -> None:
    entries = (
        'msgctxt "page nav"\nmsgid "Pages"\nmsgstr ""\n\n'
        '#, fuzzy\nmsgid "Undo"\nmsgstr "Refari"\n\n'
        'msgid "Redo"\nmsgstr "Re"\n"fari \\"tuj\\""'
    )
    catalogue = with_esperanto(tmp_path, entries).get("eo")

    assert "Pages" == catalogue.text("page", "nav")
    assert {"Redo": 'Refari "tuj"'} == catalogue.core()


@pytest.mark.parametrize("entry", ['msgid "Undo"\nmsgstr "Mal', "msgid Undo", 'msgstr "x"\n<<<<'])
def test_a_damaged_catalogue_is_a_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, entry: str
) -> None:
    """And its language is in English."""
    languages = with_esperanto(tmp_path, f'msgid "Redo"\nmsgstr "Refari"\n\n{entry}')

    with caplog.at_level(logging.ERROR):
        catalogue = languages.get("eo")

    assert {} == catalogue.core()
    assert "Pages" == catalogue.text("page", "nav")
    assert "damaged=" in caplog.text


def test_only_languages_in_use_are_read(tmp_path: Path) -> None:
    """The list of languages needs only headers."""
    languages = with_esperanto(tmp_path)

    assert ["en", "eo", "es"] == sorted({*languages.headers} & {"en", "eo", "es"})
    languages.get("en")
    assert ["en"] == list(languages._read)


def test_plural_forms_follow_the_header(tmp_path: Path) -> None:
    """French says 0 like 1; texts such as “2 to 4” have the last form."""
    languages = with_esperanto(tmp_path)
    path = languages.folder / "eo" / "LC_MESSAGES" / "centerpiece.po"
    french = re.sub(
        "Plural-Forms: .*;", "Plural-Forms: nplurals=2; plural=(n > 1);", path.read_text()
    )
    path.write_text(f'{french}\nmsgid "Redo"\nmsgstr "Refari"\n')

    catalogue = Catalogues(languages.folder).get("eo")

    assert [0, 0, 1, 0, 1] == [catalogue.plural(count) for count in (0, 1, 2, -1, "2 to 4")]
    assert [0, 0, 1] == catalogue.document("page")["plurals"][:3]


def test_every_text_can_be_translated(tmp_path: Path) -> None:
    """In a language that nobody speaks, every text is in its brackets, and no hole is lost."""
    catalogue = with_pseudo(tmp_path).get("eo")
    document = catalogue.document("page", "hall")

    assert {
        text for text in document["page"].values() if text[0] != "⟦" or text[-1] != "⟧"
    } == set()
    assert {pseudo(text.english) for text in texts() if not text.context} == set(
        document["core"].values()
    )
    for text in texts():
        assert HOLE.findall(text.english) == HOLE.findall(pseudo(text.english))
