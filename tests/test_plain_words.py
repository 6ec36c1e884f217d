"""Plain words: the shortest guard that keeps riddles out of names and docstrings."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = ("centerpiece", "hal", "sim", "bench", "tools")
QUESTIONS = ("what", "whether", "who", "whom", "whose", "how", "where", "when", "which", "why")
RELICS = {"deed", "known_rows", "unheard", "walks"}
PER_GAME = {"game.py", "rules.py", "lesson.py"}
"""Module names that each game has."""


def trees(*folders: str) -> Iterator[tuple[Path, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT), ast.parse(path.read_text("utf-8"))


def test_a_docstring_says_what_it_describes() -> None:
    """
    "Return the seats whose hand is missing", not "Whose hand is missing".
    """
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    riddles = [
        f"{path}: {doc.splitlines()[0]}"
        for path, tree in trees(*PROGRAM, "tests")
        for node in ast.walk(tree)
        if isinstance(node, documented) and (doc := ast.get_docstring(node))
        if doc.lower().startswith(tuple(f"{word} " for word in QUESTIONS))
    ]

    assert [] == riddles


def test_a_class_name_means_one_thing() -> None:
    """
    Whoever searches for a class finds one.
    """
    names = Counter(
        node.name
        for _, tree in trees(*PROGRAM)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )

    assert [] == [name for name, times in names.items() if times > 1]


def test_a_module_name_means_one_thing() -> None:
    """
    But for what every game has, and what Python names itself.
    """
    names = Counter(path.name for path, _ in trees(*PROGRAM) if not path.name.startswith("__"))

    assert set() == {name for name, times in names.items() if times > 1} - PER_GAME


def test_words_of_the_past_are_gone() -> None:
    """
    Each was a riddle once; the field has other words for all of them.
    """
    used = {
        f"{path}:{node.lineno} {name}"
        for path, tree in trees(*PROGRAM)
        for node in ast.walk(tree)
        for name in (
            getattr(node, "name", None),
            getattr(node, "id", None),
            getattr(node, "arg", None),
        )
        if name in RELICS
    }

    assert set() == used
