"""Languages: every phrase has its clips; numbers and plurals follow the rules."""

import ast
import json
import re
import shutil
import subprocess
import zlib
from itertools import product
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import centerpiece
from centerpiece.games.registry import GAMES
from centerpiece.hub.time_limits import TURN_IS_UP, WARNINGS
from centerpiece.speech.caller import of_notice
from centerpiece.speech.language import MOST_TRACKS
from centerpiece.speech.languages import codes, language
from centerpiece.speech.numbers import pieces
from centerpiece.table.question import What
from centerpiece.table.telling import Person, SpokenLine
from centerpiece.text import Sentence
from tests.speech.numbers import NUMBERS, golden, told

ROOT = Path(centerpiece.__file__).parent
HOLE = re.compile(r"\{(\w+)")
ANN, IDA = Person("Ann", 1), Person("Ida", 2)
PEOPLE = ((ANN,), (ANN, IDA), (ANN, IDA, Person("seat 3", 3)))
PHONES_ONLY = re.compile(
    "The settings|only {count} {count|saved|called “|game “|A name |“{name}”|{low}|pips on doubles"
    "|ten seats;|No lot|tiles, not|penalty is at most|multiple of|only be changed|to fit"
)
"""Refusals that no button can meet: they are answered on a phone, not aloud."""

FULL_ONLY = ("changed", "ask.out.how")
"""Phrases that are never said in short."""
CARDS = {
    "de": (2, 1298727641),
    "en": (4, 2644055098),
    "es": (4, 2188226489),
    "fr": (2, 3255108120),
    "it": (2, 3280493200),
    "nl": (2, 3952748220),
    "pt-BR": (2, 238764173),
}
"""The version of each language's words on a module's card, and a checksum of where they are. Who
changes a word raises the version in the catalogue: an older card would say the wrong ones."""


def every_fact(template: str) -> list[dict[str, object]]:
    """Return facts of all kinds for the gaps of a template."""
    names = sorted(set(HOLE.findall(template)))
    kinds = [
        PEOPLE
        if name == "names"
        else (ANN,)
        if name in ("name", "was", "next") and not (name == "was" and "{points}" in template)
        else (0, 1, 2, 21, 147, 247, 1101)
        for name in names
    ]
    return [dict(zip(names, facts, strict=True)) for facts in product(*kinds)]


@pytest.mark.parametrize("code", codes())
def test_every_sentence_has_all_its_clips(code: str) -> None:
    """For any facts, no clip is missing, and no gap is left."""
    tongue = language(code)
    known = tongue.vocabulary()
    assert all(re.search(r"\w", text) for text in known.values())
    for phrase, template in (tongue.phrases | tongue.notices).items():
        for facts in every_fact(template):
            for short in (False, True):
                said = tongue.say([SpokenLine(phrase, facts, short)])  # type: ignore[arg-type]
                assert {clip.key for clip in said.clips} <= {*known, "name/ann", "name/ida"}
                assert "{" not in said.words
                assert said.words[-1] in ".?!:", phrase
                assert 0.0 <= min(c.pause for c in said.clips) <= max(c.pause for c in said.clips)


def test_a_short_sentence_has_at_most_seven_words() -> None:
    """With names of one word; what is said only in full may be longer."""
    english = language("en")
    known = [*dict.fromkeys(english.phrases, False).items()]
    known += dict.fromkeys(english.notices, True).items()
    for phrase, short in known:
        facts = dict.fromkeys(HOLE.findall((english.phrases | english.notices)[phrase]), 48)
        people = dict.fromkeys(("name", "next", "was"), ANN)
        people |= dict.fromkeys(("names", "missing"), (ANN,))
        said = english.say([SpokenLine(phrase, facts | people, short)])  # type: ignore[arg-type]
        for sentence in re.split(r"(?<=[.?!:])\s", said.words):
            assert phrase in FULL_ONLY or len(sentence.split()) <= 7, sentence


def test_all_languages_say_the_same_things() -> None:
    """No phrase is missing or left over in one language, and no gap has no fact."""
    english = language("en")
    for code in codes():
        other = language(code)
        for phrase, template in other.phrases.items():
            assert set(HOLE.findall(template)) == set(HOLE.findall(english.phrases[phrase])), phrase
        for notice, template in other.notices.items():
            assert set(HOLE.findall(template)) <= set(HOLE.findall(notice)), notice


def test_whatever_a_press_is_refused_for_can_be_said() -> None:
    """Nearly all templates of the pages, found in the code, have a spoken form; there is a generic
    phrase for new ones.
    """
    found = set()
    for room in ("table", "games", "hub"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                match node:
                    case ast.Call(func=ast.Name(name), args=[ast.Constant(str(text)), *_]):
                        found.update({text} if name in ("Refused", "Doubted") else ())
                    case ast.Call(func=ast.Name(name), args=[_, *_, ast.Constant(str(text))]):
                        found.update({text} if name in ("in_phase", "_in_game") else ())
    refusals = {text for text in found if not PHONES_ONLY.search(text)}
    known = language("en").notices

    assert len(refusals) > 60
    assert len(refusals - set(known)) <= 0.1 * len(refusals), refusals - set(known)
    new = of_notice("refusals", Sentence("Something new."), GAMES.new_table(), known)
    assert (SpokenLine("refused"),) == new.full == new.short


def test_no_notice_outlives_its_sentence() -> None:
    """A changed sentence of the pages needs its spoken form changed too."""
    written = {
        node.value
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant)
    }

    assert set() == set(language("en").notices) - written


PHRASED = {
    "SpokenLine": (0,),
    "named": (1,),
    "of_seat": (1, 2),
    "in_words": (1, 2),
    "_double": (0,),
}
"""The positions of phrase names among the arguments of a call."""


def phrases_in(path: Path) -> set[str]:
    calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    return {
        argument.value
        for call in calls
        if isinstance(call.func, ast.Name)
        for at in PHRASED.get(call.func.id, ())
        for argument in call.args[at : at + 1]
        if isinstance(argument, ast.Constant) and argument.value
    }


def test_every_phrase_that_is_named_can_be_said() -> None:
    """Those of the caller and of our games; another package may name a missing phrase."""
    named = {path.parent.name: phrases_in(path) for path in ROOT.glob("games/*/game.py")}
    named["caller"] = phrases_in(ROOT / "speech/caller.py")

    assert len(GAMES.games) + 1 == len([each for each in named.values() if each])
    assert set() == set().union(*named.values()) - set(language("en").phrases)


def test_time_warnings_and_questions_can_be_said() -> None:
    """Those of the limits, and every question of the hub."""
    asked = set(get_args(What)) - {"starter", "double"}  # with the round that begins

    assert {f"ask.{what}" for what in asked} <= set(language("en").phrases)
    assert {TURN_IS_UP, *(words for _, words in WARNINGS)} <= set(language("en").notices)


@pytest.mark.parametrize("code", codes())
def test_numbers_are_worded_as_people_word_them(code: str) -> None:
    """0 to 999 and samples beyond, as they were proofread."""
    expected = [line.split("\t")[:2] for line in golden(code).read_text("utf-8").splitlines()]

    assert expected == [[str(number), language(code).numbers.words(number)] for number in NUMBERS]


@pytest.mark.parametrize("code", codes())
@pytest.mark.parametrize("step", [29, pytest.param(1, marks=pytest.mark.long)])
def test_numbers_are_said_as_people_say_them(code: str, step: int) -> None:
    """The phonemes of some or all numbers, as they were proofread aloud."""
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")
    version = subprocess.run(["espeak-ng", "--version"], capture_output=True, text=True).stdout
    if "1.51" not in version:
        pytest.skip("the sounds were read aloud by espeak-ng 1.51")
    expected = golden(code).read_text("utf-8").splitlines()[::step]

    assert expected == told(code, NUMBERS[::step])


@pytest.mark.parametrize("code", codes())
@given(number=st.integers(-9999, 9999), form=st.sampled_from(["", "m", "f"]))
def test_a_number_joined_from_clips_has_the_same_words(code: str, number: int, form: str) -> None:
    numbers = language(code).numbers

    parts = pieces(numbers, number, form)

    words = " ".join(part.words for part in parts)
    assert numbers.words(number, form).replace(" ", "") == words.replace(" ", "")
    assert {part.key for part in parts} <= set(language(code).vocabulary())


def test_plurals_and_genders_follow_the_number() -> None:
    """One tile, two tiles; una ficha, veintiuna fichas, un dedo; einen Stein."""
    english, spanish, german = language("en"), language("es"), language("de")

    assert "One tile each." == english.say([SpokenLine("tiles", {"tiles": 1})]).words
    assert "Twelve tiles each." == english.say([SpokenLine("tiles", {"tiles": 12})]).words
    assert (
        "Veintiuna fichas para cada uno." == spanish.say([SpokenLine("tiles", {"tiles": 21})]).words
    )
    assert "Una pata. Un dedo, por favor." == spanish.say([SpokenLine("foot", {"toes": 1})]).words
    draws = german.say([SpokenLine("caught.draw", {"name": ANN, "tiles": 1})])
    assert "Ann zieht einen Stein." == draws.words
    said = spanish.say([SpokenLine("wins.short", {"names": (ANN, IDA)})])
    assert "¡Ganan Ann e Ida!" == said.words
    assert "phrase/e" in [clip.key for clip in said.clips]


def test_a_name_can_be_told_by_its_seat() -> None:
    """A voice without the name's clip says the seat; so does anybody without a name."""
    tongue = language("en")
    named = tongue.person(Person("Zoë/../x", 3))

    assert ("name/zoë-x", "seat/3") == (named.key, named.instead and named.instead.key)
    assert "seat/3" == tongue.person(Person("Seat 3", 3)).key


def test_a_name_is_read_by_the_spelling_it_was_given() -> None:
    """A recording of the name, or its track on a card, is used where the spelling has none."""
    tongue = language("en")._replace(spellings={"Siobhán": "Shivawn"})
    said = tongue.say([SpokenLine("starts", {"name": Person("Siobhán", 3)})])
    clip = said.clips[0]

    assert "Shivawn starts." == said.words
    assert ("name/shivawn", "Shivawn") == clip[:2]
    assert clip.instead is not None
    assert ("name/siobhán", "seat/3") == (clip.instead.key, clip.instead.instead.key)  # type: ignore[union-attr]
    assert "name/ann" == tongue.person(ANN).key


@pytest.mark.parametrize("code", codes())
def test_every_word_has_a_place_on_a_modules_card(code: str) -> None:
    """Folders 1 to 99, tracks 1 to 255, no two in one place; a moved word raises the version."""
    tongue = language(code)
    places = tongue.places
    folders = range(tongue.folder, tongue.folder + 8)

    assert list(tongue.vocabulary()) == sorted(places, key=list(tongue.vocabulary()).index)
    assert len(places) == len(set(places.values()))
    assert all(folder in folders and 1 <= track <= MOST_TRACKS for folder, track in places.values())
    assert all((tongue.folder, n + 1) == places[f"number/{n}"] for n in range(200))
    assert CARDS[code] == (tongue.version, zlib.crc32(json.dumps(places).encode()))
