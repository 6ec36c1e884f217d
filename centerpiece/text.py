"""Words for people: a sentence with its facts apart, and the refusal that carries one.

The English template is the key of every other language's catalogue, so a sentence is written
where it is needed and can still be told in Spanish.
"""

import re
from typing import Any

import msgspec


class Sentence(msgspec.Struct, frozen=True):
    """A template such as "{name} is out." and what fills it."""

    template: str
    facts: dict[str, Any] = {}

    def __str__(self) -> str:
        return self.template.format(**self.facts)


class Refused(Exception):
    """A command that cannot be done. Nothing has changed; `sentence` tells a player why.

    `code` is for programs: `refused`, or `confirm` when the same command would be taken if it
    were sent again with `confirm` set.
    """

    def __init__(self, template: str, code: str = "refused", **facts: Any) -> None:
        self.sentence = Sentence(template, facts)
        self.code = code
        super().__init__(str(self.sentence))


def kebab(name: str) -> str:
    """How commands and events are called on the wire: OpenTrain is `open-train`."""
    return re.sub(r"(?<=.)(?=[A-Z])", "-", name).lower()
