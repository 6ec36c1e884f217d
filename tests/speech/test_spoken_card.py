"""The rule card as it is read aloud."""

import re

import pytest

from centerpiece.games.registry import GAMES
from centerpiece.speech.languages import codes, language
from centerpiece.speech.spoken_card import sections
from centerpiece.table.state import Table


@pytest.mark.parametrize("code", codes())
def test_a_tile_is_read_as_two_numbers(code: str) -> None:
    """Not as a subtraction, which espeak-ng hears in a plain hyphen between Portuguese numbers."""
    tongue = language(code)
    texts = [
        section.say(tongue).words
        for game in GAMES.games.values()
        for rules in game.profiles
        for section in sections(game, Table(rules, rules.sets[0]))
    ]

    assert [text for text in texts if re.search(r"\d\N{NON-BREAKING HYPHEN}\d", text)]
    assert not [text for text in texts if re.search(r"\d-\d", text)]
