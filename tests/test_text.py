"""Sentences with their facts apart, filled in English."""

import pytest

from centerpiece.hub.preferences import Preferences
from centerpiece.table.commands import GoOut, Join, Penalize
from centerpiece.text import Misfit, Problem, Sentence, fitted


@pytest.mark.parametrize(
    ("template", "facts", "expected"),
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
def test_a_sentence_is_filled(template, facts, expected):
    """Numbers choose their plural, lists are joined, and a fact is never read as a template."""
    assert expected == str(Sentence(template, facts))


def test_a_problem_keeps_its_facts():
    """So nobody has to parse the words."""
    problem = Problem("{file} has {n} {n|line|lines}.", file="a{b}c", n=1)

    assert "a{b}c has 1 line." == str(problem)
    assert {"file": "a{b}c", "n": 1} == problem.facts


@pytest.mark.parametrize(
    ("document", "field", "words"),
    [
        ([], "", "one JSON object"),
        ({}, "type", "is missing"),
        ({"type": "fly"}, "type", "There is no type “fly”."),
        ({"type": "go-out"}, "seat", "is missing"),
        ({"type": "go-out", "seat": "one"}, "seat", "must be a whole number, not one."),
        ({"type": "go-out", "seat": 1, "sea": 2}, "sea", "There is no field “sea” here."),
        ({"type": "join", "name": "A", "seat": 1.5}, "seat", "a whole number or null, not 1.5."),
        (
            {"type": "penalize", "seat": 1, "kind": "jail"},
            "kind",
            "must be one of draw, keep, points, skip, not jail.",
        ),
    ],
)
def test_a_document_that_does_not_fit_is_told_where(document, field, words):
    """The field, the value and what was expected, in our words and not the library's."""
    with pytest.raises(Misfit) as misfit:
        fitted(document, GoOut | Join | Penalize)

    assert field == misfit.value.field
    assert words in str(misfit.value)


@pytest.mark.parametrize(
    ("document", "kind", "field"),
    [
        ([{"type": "go-out", "seat": 1}, {"type": "go-out", "seat": "two"}], list[GoOut], "2.seat"),
        ({"seat-1": 4, "seat-2": "five"}, dict[str, int], "seat-2"),
        (5, tuple[GoOut, ...], ""),
    ],
)
def test_in_lists_and_tables_the_part_is_named(document, kind, field):
    """Lists count from 1, as everywhere."""
    with pytest.raises(Misfit, match="must be") as misfit:
        fitted(document, kind)

    assert field == misfit.value.field


def test_numbers_tell_their_limits():
    with pytest.raises(Misfit, match="“volume” must be a number"):
        fitted({"volume": 2}, Preferences)
