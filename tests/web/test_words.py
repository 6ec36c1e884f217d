"""Translations: all texts of the pages and the hub exist in every language."""

import ast
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import centerpiece
import sim
from centerpiece.games.registry import GAMES
from centerpiece.hall.server.hall_pages import OWN
from centerpiece.hall.server.hall_pages import spoken as spoken_in_the_hall
from centerpiece.panel.bindings import DIGIT
from centerpiece.panel.lookup import panel_of
from centerpiece.rules.rule_settings import Statement
from centerpiece.speech import languages as aloud
from centerpiece.web.static_files import STATIC, Assets
from tests.web.conftest import Open

ROOT = Path(centerpiece.__file__).parent
SPOKEN = ("games", "hub", "panel", "reports", "rules", "storage", "table", "text", "web")
"""Packages with sentences for players; the others' messages are for the hub's owner."""
FILES = sorted(
    path
    for path in ROOT.rglob("*.py")
    if path.relative_to(ROOT).parts[0].removesuffix(".py") in SPOKEN
)
LANGUAGES = sorted(Assets().languages)
SENTENCE = re.compile(r"[^<>]*([.!]\)?|(?<!= )\?|: \{\w+\})")


def catalogue(language: str, folder: Path = STATIC) -> dict[str, dict[str, str]]:
    text = (folder / f"{language}.json").read_text("utf-8")
    result: dict[str, dict[str, str]] = json.loads(text, object_pairs_hook=once)
    return result


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object, and fail on a duplicate key: only its last value would be used."""
    assert [] == [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
    return dict(pairs)


def spoken(tree: ast.Module) -> Iterator[str]:
    """Yield every text of a module that reads like a sentence, except docstrings and f-strings.

    A part of another sentence, such as a reason, is found as a sentence of its own.
    """
    quiet: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            quiet.update(id(part) for part in ast.walk(node))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            quiet.add(id(node.value))
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name("Sentence"), args=[ast.Constant(str(text)), *_]):
                if re.search("[a-z]", re.sub(r"\{\w+\}", "", text)):
                    yield text
            case ast.Call(func=ast.Name("Siding"), args=[_, *words]):
                yield from (word.value for word in words if isinstance(word, ast.Constant))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in quiet:
            text = node.value.strip()
            if " " in text and SENTENCE.fullmatch(text):
                yield text


def sentences() -> set[str]:
    """Return everything the hub can say: sentences in the code, rule cards, words of buttons."""
    result = {text for path in FILES for text in spoken(ast.parse(path.read_text("utf-8")))}
    for game in GAMES.games.values():
        for binding in panel_of(game).bindings:
            result.update({binding.words, binding.label} - {DIGIT})
        offers = game.offers()
        result.update(
            text for offer in offers for text in (offer.words, offer.short, offer.off) if text
        )
        result.update(game.key_settings.values())
        result.update(text for step in game.lesson for text in (step.title, step.words))
        for line in game.rules.declared.values():
            result.add(line.section)
            result.update([line.words] if isinstance(line, Statement) else [])
        for setting in game.rules.settings.values():
            result.update((*setting.said.values(), setting.expected.template))
            result.update([setting.otherwise] if setting.otherwise else [])
    return result


def hall_sentences() -> set[str]:
    """Return the sentences of the desk, of the tables' health and of the hall itself."""
    return {
        text
        for name in ("desk", "documents", "hall_pages", "hall_process", "line_board")
        for text in spoken(ast.parse((OWN.parent / f"{name}.py").read_text("utf-8")))
    }


def looked_up(texts: set[str], scripts: Path) -> set[str]:
    """Return all texts that pages may look up: sentences, their parts, and strings in scripts."""
    quoted = {
        text
        for script in scripts.glob("*.js")
        for text in re.findall(r'"([^"\n]+)"', script.read_text("utf-8"))
    }
    return quoted | texts | {part for text in texts for part in parts(text)}


def parts(template: str) -> list[str]:
    """Split a template as the page does if it has no translation as a whole."""
    return re.split(r"(?<=[.?!]) (?=\S)", template)


def holes(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)[|}]", text))


def test_every_language_has_its_three_files() -> None:
    """For the pages, the voice and the hall."""
    assert LANGUAGES == list(aloud.codes()) == sorted(path.stem for path in OWN.glob("*.json"))


def test_every_language_has_the_same_page_texts() -> None:
    """No text is missing in a language, or left over."""
    english = catalogue("en")["page"]
    for language in LANGUAGES:
        page = catalogue(language)["page"]
        assert sorted(english) == sorted(page), language
        assert {key: holes(text) for key, text in english.items()} == {
            key: holes(text) for key, text in page.items()
        }, language


def keys_in(folder: Path) -> set[str]:
    return {
        key
        for script in folder.glob("*.js")
        for key in re.findall(r"""\bt\("([\w.-]+)\"""", script.read_text("utf-8"))
    }


def test_the_hall_speaks_every_language_too() -> None:
    """The texts of its pages, and the sentences of the desk and of the tables' health."""
    said = hall_sentences()
    english = spoken_in_the_hall("en.json")["page"]
    for language in LANGUAGES:
        words = spoken_in_the_hall(f"{language}.json")
        assert sorted(english) == sorted(words["page"]), language
        assert language == "en" or [] == sorted(
            text
            for text in said
            if any(part not in words["core"] for part in parts(text)) and text not in words["core"]
        )


def test_every_page_text_that_a_script_asks_for_exists() -> None:
    """A misspelt key would be shown as it is."""
    page = catalogue("en")["page"]
    assert set() == keys_in(STATIC) - set(page)
    assert set() == keys_in(OWN) - set(spoken_in_the_hall("en.json")["page"])


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_everything_the_hub_can_say_is_translated(language: str) -> None:
    """Sentences, settings and buttons of every game; English needs no catalogue of them."""
    core = catalogue(language)["core"]

    missing = {
        text
        for text in sentences()
        if text not in core and any(part not in core for part in parts(text))
    }

    assert [] == sorted(missing)


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_no_translation_outlives_its_sentence(language: str) -> None:
    """A changed sentence needs a changed key in every catalogue."""
    simulated = {
        text
        for path in Path(sim.__file__).parent.glob("*.py")
        for text in spoken(ast.parse(path.read_text("utf-8")))
    }
    table = set(catalogue(language)["core"]) - looked_up(sentences() | simulated, STATIC)
    hall = set(catalogue(language, OWN)["core"]) - looked_up(hall_sentences(), OWN)

    assert ([], []) == (sorted(table), sorted(hall))


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_a_translation_uses_no_fact_that_its_sentence_lacks(language: str) -> None:
    """An unknown placeholder would be shown as it is."""
    core = catalogue(language)["core"]

    wrong = {text for text, translation in core.items() if not holes(translation) <= holes(text)}

    assert set() == wrong


def test_a_language_begins_with_one_file(open_rig: Open, tmp_path: Path) -> None:
    """It is offered under its own name, used once chosen, and cached on phones; no code lists the
    languages. Without files for voice and hall, these are in English.
    """
    folder = shutil.copytree(STATIC, tmp_path / "static")
    words = {**catalogue("en")["page"], "standings": "Rangoj"}
    esperanto = {"name": "Esperanto", "plurals": ["one", "other"], "page": words, "core": {}}
    (folder / "eo.json").write_text(json.dumps(esperanto), "utf-8")
    rig = open_rig(folder=folder)

    offered = rig.client.get("/api/about").json()["languages"]
    chosen = rig.client.put("/api/settings", json={"language": "eo"})

    assert {"en": "English", "eo": "Esperanto", "es": "Español"} == offered
    assert 200 == chosen.status_code
    page = rig.client.get("/").text
    assert '<html lang="eo">' in page
    assert "Rangoj" in page
    assert '"/static/eo.json"' in rig.client.get("/sw.js").text
    assert esperanto == rig.client.get("/static/eo.json").json()
    assert aloud.language("en") == aloud.language("eo")


def test_a_language_that_is_no_longer_there_is_told_in_english(
    open_rig: Open, tmp_path: Path
) -> None:
    """After going back to an earlier release, the pages open all the same."""
    folder = shutil.copytree(STATIC, tmp_path / "static")
    rig = open_rig(folder=folder)
    rig.client.put("/api/settings", json={"language": "es"})
    (folder / "es.json").unlink()

    again = open_rig(folder=folder, journal=rig.hub.journal)

    assert "Standings" in again.client.get("/").text
