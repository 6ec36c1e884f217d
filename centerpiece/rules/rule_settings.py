"""Settings and statements, the parts of a rule book: each is one declaration in the book's class.

    turn = TURN.says("On your turn, play one tile.")
    trains: int = TURN.number(1, (0, 99), "There may be {value} Mexican Trains.")

A statement always holds in a game; a setting is up to the table. Both have a heading on the card,
and a condition for being mentioned. A setting has its default, its other values and the sentence
for each value: the book validates with it; the card, the pages and the documents are made from it.
A game declares its own in its own rule book and nowhere else.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import msgspec

from centerpiece.text import Refused, Sentence


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """The common part of all settings; each subclass knows its kind of values."""

    section: str
    """The heading on the card."""
    default: Any
    said: Mapping[Any, str] = {}
    """The sentences of single values."""
    otherwise: str = ""
    """The sentence of all other values, with `{value}`."""
    applies: Callable[[Any], bool] = lambda rules: True
    """A predicate on the rule book: False where the setting means nothing."""
    unsaid: Any = msgspec.UNSET
    """The value that a card does not mention."""

    kind: ClassVar[str]
    """The kind of input on a page: choice, number, numbers; or fixed, for none."""

    @property
    def others(self) -> str:
        """The other values, for a document; empty if there are none."""
        return ""

    @property
    def expected(self) -> Sentence:
        """The allowed values, for an error message."""
        raise NotImplementedError

    def holds(self, value: Any) -> bool:
        """Return True if the value is allowed."""
        raise NotImplementedError

    def read(self, value: Any, before: Any) -> Any:
        """Return an allowed value as the rule book keeps it; `before` is the value it replaces."""
        return tuple(value) if isinstance(value, list) else value

    def sentence(self, value: Any) -> Sentence:
        """Return the sentence of a value."""
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
    """A line of the card that always holds; its holes are names of settings."""

    section: str
    words: str
    applies: Callable[[Any], bool] = lambda rules: True

    def sentence(self, rules: Any) -> Sentence:
        """Return the sentence with its gaps filled from the book `rules`."""
        holes = re.findall(r"\{(\w+)", self.words)
        return Sentence(self.words, {name: getattr(rules, name) for name in holes})


class SettingsSection(msgspec.Struct, frozen=True):
    """A heading of the card, under which settings and statements are declared.

    `when` may have `applies` and `unsaid`, for lines that are not always on the card. A declaration
    stands where its field's default would, so its type is Any.
    """

    title: str

    def says(self, words: str, **when: Any) -> Statement:
        """Declare a statement, which holds always; with `applies` only where that is true."""
        return Statement(section=self.title, words=words, **when)

    def choice(self, *said: tuple[Any, str], **when: Any) -> Any:
        """Declare a choice among values, each with its sentence; the first value is the default."""
        return Choice(section=self.title, default=said[0][0], said=dict(said), **when)

    def number(
        self,
        default: int | tuple[int, ...] | None,
        limits: tuple[int, int],
        otherwise: str,
        said: Mapping[Any, str] | None = None,
        **when: Any,
    ) -> Any:
        """Declare a number between two limits, or a list of numbers where the default is a tuple.

        `said` has the sentences of single values, and of None where that is allowed; `otherwise` is
        that of all others.
        """
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
"""The headings in the order of play; those of a game's own come between the two."""


class _Declaring(msgspec.StructMeta):
    """Collects the declarations of a class, and leaves the settings' defaults as fields."""

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
    """Every possible line of the card by name: the shared ones, then a game's own."""
    settings: ClassVar[Mapping[str, Setting]]
    """Those of them that are settings."""

    def sentence(self, name: str) -> Sentence:
        """Return this book's sentence for a setting or a statement."""
        each = self.declared[name]
        if isinstance(each, Statement):
            return each.sentence(self)
        return each.sentence(getattr(self, name))

    def silent(self, original: Self | None = None) -> frozenset[str]:
        """Return the names of the settings and statements that the card leaves out.

        Those are the ones that do not apply, and settings at a value that a card does not mention.
        Such a value is mentioned where the profile `original` has another.
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
        """Return this book's sentences for the settings that differ from the book `before`."""
        return [
            self.sentence(name)
            for name in self.settings
            if getattr(self, name) != getattr(before, name)
        ]

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """Return the book with some settings changed; Refused for unknown settings and bad values.

        Contradictions between settings are not checked.
        """
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
    """Return a value as it is written in a command."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
