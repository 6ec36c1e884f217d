"""Words for people: sentences with their facts apart, and the errors that carry one.

A sentence is written where it is needed, as an English template with named holes. The template is
the key of every other language's catalogue, so the page can tell the same in Spanish.

- `{name}` is filled with a fact: a number, a name, a list of names, or another sentence.
- `{count|tile|tiles}` chooses by the fact's number, in the order of the language's plural forms;
  a list of names counts its names, so “{names} {names|has|have} won.” is right for any of them.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

_HOLE = re.compile(r"\{(\w+)((?:\|[^{}|]*)*)\}")


class Sentence(msgspec.Struct, frozen=True):
    """A template such as "{name} is out." and what fills it."""

    template: str
    facts: dict[str, Any] = {}

    def __str__(self) -> str:
        return _filled(self.template, self.facts)


def _filled(template: str, facts: Mapping[str, Any]) -> str:
    """English. A hole for which there is no fact stays as it is."""

    def fill(hole: re.Match[str]) -> str:
        name, forms = hole.groups()
        if name not in facts:
            return hole[0]
        fact = facts[name]
        return forms[1:].split("|")[_number(fact) != 1] if forms else _told(fact)

    return _HOLE.sub(fill, template)


def _number(fact: Any) -> Any:
    return len(fact) if isinstance(fact, list | tuple) else fact


def _told(fact: Any) -> str:
    if not isinstance(fact, list | tuple):
        return str(fact)
    *others, last = map(_told, fact) if fact else ("nobody",)
    return f"{', '.join(others)} and {last}" if others else last


class Problem(Exception):
    """Something that a person should know: `sentence` is for them, `code` for programs.

    Whoever meets it may ask for its facts; nobody takes its words apart.
    """

    code: ClassVar[str] = "problem"

    def __init__(self, template: str, **facts: Any) -> None:
        self.sentence = Sentence(template, facts)
        super().__init__(str(self.sentence))

    @property
    def facts(self) -> dict[str, Any]:
        """What the sentence tells of, by name."""
        return self.sentence.facts


class Refused(Problem):
    """A command that cannot be done. Nothing has changed."""

    code = "refused"


class Doubted(Refused):
    """As refused, but the same command is taken if it is sent again with `confirm` set."""

    code = "confirm"


def kebab(name: str) -> str:
    """How commands and events are called on the wire: OpenTrain is `open-train`."""
    return re.sub(r"(?<=.)(?=[A-Z])", "-", name).lower()
