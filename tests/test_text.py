"""Sentences with their facts apart: filled in English, whatever the facts are."""

import pytest

from centerpiece.text import Problem, Sentence


@pytest.mark.parametrize(
    ("template", "facts", "told"),
    [
        ("{name} is out.", {"name": "Ann"}, "Ann is out."),
        ("{n} {n|tile|tiles} each.", {"n": 1}, "1 tile each."),
        ("{n} {n|tile|tiles} each.", {"n": 0}, "0 tiles each."),
        ("{n} {n|tile|tiles} each.", {"n": 12}, "12 tiles each."),
        ("{names} {names|has|have} won.", {"names": ["Ann"]}, "Ann has won."),
        ("{names} {names|has|have} won.", {"names": ["Ann", "Bob"]}, "Ann and Bob have won."),
        ("A tie of {names}.", {"names": ("Ann", "Bob", "Cara")}, "A tie of Ann, Bob and Cara."),
        ("Missing: {names}.", {"names": []}, "Missing: nobody."),
        ("Undone: {what}", {"what": Sentence("{x} sat.", {"x": "Bob"})}, "Undone: Bob sat."),
        ("Write {like} so.", {}, "Write {like} so."),
        ("Hello {name}.", {"name": "{name}"}, "Hello {name}."),
    ],
)
def test_a_sentence_is_filled(template, facts, told):
    """Numbers choose their plural, lists are read out, and a fact is never read as a template."""
    assert told == str(Sentence(template, facts))


def test_a_problem_keeps_its_facts():
    """Whoever meets it asks for them instead of reading the words."""
    problem = Problem("{file} has {n} {n|line|lines}.", file="a{b}c", n=1)

    assert "a{b}c has 1 line." == str(problem)
    assert {"file": "a{b}c", "n": 1} == problem.facts
