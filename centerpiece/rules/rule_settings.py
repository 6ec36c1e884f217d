"""What a rule book is made of: settings and statements, each one declaration in the book's class.

    turn = TURN.says("On your turn, play one tile.")
    trains: int = TURN.number(1, (0, 99), "There may be {value} Mexican Trains.")

A statement is what a game always is; a setting is what a table may agree on. Both say under which
heading of the card they stand, and when there is nothing to say. A setting has its default, what
else it may be and what each value means: the book checks by it; the card, the pages and the
documents read it. A game declares its own in its own rule book, and that is all.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import msgspec

from centerpiece.text import Refused, Sentence


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What all declarations have; each kind knows its values."""

    section: str
    """The heading on the card."""
    default: Any
    said: Mapping[Any, str] = {}
    """The sentences of single values."""
    otherwise: str = ""
    """The sentence of all other values, with `{value}`."""
    applies: Callable[[Any], bool] = lambda rules: True
    """Whether the setting means anything in a book."""
    unsaid: Any = msgspec.UNSET
    """The value that a card does not mention."""

    kind: ClassVar[str]
    """How a page asks for it: choice, number, numbers; or not at all: fixed."""

    @property
    def others(self) -> str:
        """What the other values are, for a document."""
        return ""

    @property
    def expected(self) -> Sentence:
        """What it may be, for somebody who tried something else."""
        raise NotImplementedError

    def holds(self, value: Any) -> bool:
        """Whether it may be this."""
        raise NotImplementedError

    def read(self, value: Any, before: Any) -> Any:
        """A value that it may be, as the book keeps it."""
        return tuple(value) if isinstance(value, list) else value

    def sentence(self, value: Any) -> Sentence:
        """What a value means."""
        for known, sentence in self.said.items():
            if known == value:
                return Sentence(sentence)
        return Sentence(self.otherwise, {"value": value})


class Choice(Setting, frozen=True, kw_only=True):
    """One of several values, each with its sentence."""

    kind = "choice"

    @property
    def expected(self) -> Sentence:
        return Sentence("one of {known}", {"known": ", ".join(map(written, self.said))})

    def holds(self, value: Any) -> bool:
        return any(type(known) is type(value) and known == value for known in self.said)


class Number(Setting, frozen=True, kw_only=True):
    """A whole number between its limits; or None, if there is a sentence for that."""

    limits: tuple[int, int]

    kind = "number"

    @property
    def others(self) -> str:
        return "n: {} to {}".format(*self.limits)

    @property
    def expected(self) -> Sentence:
        facts = dict(zip(("low", "high"), self.limits, strict=True))
        if None in self.said:
            return Sentence("empty or a whole number from {low} to {high}", facts)
        return Sentence("a whole number from {low} to {high}", facts)

    def holds(self, value: Any) -> bool:
        if value is None:
            return None in self.said
        return type(value) is int and self.limits[0] <= value <= self.limits[1]


class Numbers(Number, frozen=True, kw_only=True):
    """A list of such numbers."""

    kind = "numbers"

    @property
    def others(self) -> str:
        return "n, …: {} to {}".format(*self.limits)

    @property
    def expected(self) -> Sentence:
        return Sentence("a list, each of them {each}", {"each": super().expected})

    def holds(self, value: Any) -> bool:
        return isinstance(value, list | tuple) and all(map(super().holds, value))


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the card that nobody has to agree on; its holes are names of settings."""

    section: str
    words: str
    applies: Callable[[Any], bool] = lambda rules: True

    def sentence(self, rules: Any) -> Sentence:
        """The words with what this book has for their holes."""
        holes = re.findall(r"\{(\w+)", self.words)
        return Sentence(self.words, {name: getattr(rules, name) for name in holes})


class SettingsSection(msgspec.Struct, frozen=True):
    """A heading of the card, under which settings and statements are declared.

    `when` is `applies` and `unsaid`, for what does not always have something to say.
    A declaration stands where its field's default would, so it passes for any type.
    """

    title: str

    def says(self, words: str, **when: Any) -> Statement:
        """What holds whatever is agreed on, or whenever it `applies`."""
        return Statement(section=self.title, words=words, **when)

    def choice(self, *said: tuple[Any, str], **when: Any) -> Any:
        """One of these values; the first is the default."""
        return Choice(section=self.title, default=said[0][0], said=dict(said), **when)

    def number(
        self,
        default: int | tuple[int, ...] | None,
        limits: tuple[int, int],
        otherwise: str,
        said: Mapping[Any, str] | None = None,
        **when: Any,
    ) -> Any:
        """A number, or a list of numbers; `said` has what some of them mean, or none."""
        kind = Numbers if isinstance(default, tuple) else Number
        return kind(
            section=self.title,
            default=default,
            limits=limits,
            otherwise=otherwise,
            said=said or {},
            **when,
        )


AIM = SettingsSection("The aim")
SETTING_UP = SettingsSection("Setting up")
STARTING = SettingsSection("Who starts")
TURN = SettingsSection("Your turn")
STUCK = SettingsSection("When you cannot play")
LAST_TILE = SettingsSection("The last tile")
ROUND_END = SettingsSection("The end of a round")
SCORING = SettingsSection("Scoring")
WINNING = SettingsSection("Winning")
LATE = SettingsSection("Coming late")
CLOCK = SettingsSection("The clock")

BEFORE = (AIM, SETTING_UP, STARTING, TURN, STUCK)
AFTER = (LAST_TILE, ROUND_END, SCORING, WINNING, LATE, CLOCK)
"""The headings in the order of play; those of a game's own stand between the two."""


class _Declaring(msgspec.StructMeta):
    """Takes the declarations out of a class, and leaves the settings' defaults."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> Any:
        own = {k: each for k, each in namespace.items() if isinstance(each, Setting | Statement)}
        defaults = {k: each.default for k, each in own.items() if isinstance(each, Setting)}
        kept = {k: each for k, each in namespace.items() if k not in own}
        made: Any = super().__new__(mcls, name, bases, kept | defaults, **options)
        made.declared = {**getattr(made, "declared", {}), **own}
        made.settings = {k: each for k, each in made.declared.items() if isinstance(each, Setting)}
        return made


class Declared(msgspec.Struct, metaclass=_Declaring, frozen=True, kw_only=True):
    """A book whose fields are declared as settings."""

    declared: ClassVar[Mapping[str, Setting | Statement]]
    """Every line that the card may have, by name: the shared ones, then a game's own."""
    settings: ClassVar[Mapping[str, Setting]]
    """Those of them that are settings."""

    def sentence(self, name: str) -> Sentence:
        """What this book says about one setting, or in one statement."""
        each = self.declared[name]
        if isinstance(each, Statement):
            return each.sentence(self)
        return each.sentence(getattr(self, name))

    def silent(self, original: Self | None = None) -> frozenset[str]:
        """What has nothing to say as things are.

        A value that a card does not mention is mentioned where the original has another.
        """

        def usual(name: str, unsaid: Any) -> bool:
            value = getattr(self, name)
            return bool(value == unsaid and value == getattr(original or self, name))

        return frozenset(
            name
            for name, each in self.declared.items()
            if not each.applies(self) or (isinstance(each, Setting) and usual(name, each.unsaid))
        )

    def news(self, before: Self) -> list[Sentence]:
        """What this book says about the settings that another one has otherwise."""
        return [
            self.sentence(name)
            for name in self.settings
            if getattr(self, name) != getattr(before, name)
        ]

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """The book with some settings changed, each good in itself; or Refused."""
        values = {}
        for name, value in changes.items():
            setting = self.settings.get(name)
            if setting is None:
                raise Refused(
                    "There is no setting “{setting}”. The settings are: {known}.",
                    setting=name,
                    known=", ".join(self.settings),
                )
            if not setting.holds(value):
                raise Refused(
                    "{setting} must be {expected}, not {value}.",
                    setting=name,
                    expected=setting.expected,
                    value=msgspec.json.encode(value).decode(),
                )
            values[name] = setting.read(value, getattr(self, name))
        return msgspec.structs.replace(self, **values)


def written(value: object) -> str:
    """A value as it is written in a command."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
