"""Sentences for people, with their facts apart, and the errors that carry one.

`fitted` validates input from outside, and says in such a sentence which field is wrong.

A sentence is written where it is needed, as an English template with named holes. The template is
the key of every other language's catalogue, so a page can show the same sentence in Spanish.

- `{name}` is filled with a fact: a number, a name, a list of names, or another sentence.
- `{count|tile|tiles}` chooses by the fact's number, in the order of the language's plural forms;
  a list of names counts its names, so “{names} {names|has|have} won.” is right for any of them.
"""

import re
from collections.abc import Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec

NOT_JSON = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""Errors of reading somebody's JSON: it does not fit, is no text, or is nested too deeply."""
_HOLE = re.compile(r"\{(\w+)((?:\|[^{}|]*)*)\}")


class Sentence(msgspec.Struct, frozen=True):
    """A template such as "{name} is out." and the facts that fill it."""

    template: str
    facts: dict[str, Any] = {}

    def __str__(self) -> str:
        return _filled(self.template, self.facts)


def _filled(template: str, facts: Mapping[str, Any]) -> str:
    """Fill an English template; a hole without a fact stays as it is."""

    def fill(hole: re.Match[str]) -> str:
        name, forms = hole.groups()
        if name not in facts:
            return hole[0]
        fact = facts[name]
        return forms[1:].split("|")[_number(fact) != 1] if forms else _in_words(fact)

    return _HOLE.sub(fill, template)


def _number(fact: Any) -> Any:
    return len(fact) if isinstance(fact, list | tuple) else fact


def _in_words(fact: Any) -> str:
    if not isinstance(fact, list | tuple):
        return str(fact)
    *others, last = map(_in_words, fact) if fact else ("nobody",)
    return f"{', '.join(others)} and {last}" if others else last


class Problem(Exception):
    """An error that a person should read: `sentence` is for them, `code` for programs.

    Programs use its facts and never parse its words.
    """

    code = "problem"

    def __init__(self, template: str, **facts: Any) -> None:
        self.sentence = Sentence(template, facts)
        super().__init__(str(self.sentence))

    @property
    def facts(self) -> dict[str, Any]:
        """The facts of the sentence, by name."""
        return self.sentence.facts


class Refused(Problem):
    """A command that cannot be done. Nothing has changed."""

    code = "refused"


class Doubted(Refused):
    """A refusal that can be overridden by sending the command again with `confirm` set."""

    code = "confirm"


def kebab(name: str) -> str:
    """Return the name of a class on the wire: OpenTrain is `open-train`."""
    return re.sub(r"(?<=.)(?=[A-Z])", "-", name).lower()


# Input from outside


class Misfit(Problem, ValueError):
    """A document that does not match its type; `field` is where."""

    code = "malformed"

    @property
    def field(self) -> str:
        """The path to the field, such as `server.port`; empty for the whole document."""
        return str(self.facts.get("field", ""))


def fitted(document: Any, kind: Any, field: str = "") -> Any:
    """Convert a decoded document to the type `kind`; raise Misfit for its first wrong field.

    `field` is the path to the document, if it is part of a larger one.
    """
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError:
        raise _misfit(document, kind, field) from None


def _misfit(document: Any, kind: Any, path: str) -> Misfit:
    """Return the error for the first part of a document that does not fit the type `kind`.

    `path` leads to the document; it is empty for a whole one.
    """
    for name, item, of in _items(document, kind):
        try:
            fitted(item, of, _below(path, name))
        except Misfit as misfit:
            return misfit
    structs = [each for each in _alternatives(kind) if _is_struct(each)]
    if (structs or get_origin(kind) is dict) and not path and not isinstance(document, dict):
        return Misfit("A request must be one JSON object.")
    if not structs:
        return _wrong(document, kind, path)
    if not isinstance(document, dict):
        return Misfit("“{field}” must be one object.", field=path)
    tag = structs[0].__struct_config__.tag_field
    if tag and tag not in document:
        return Misfit("The field “{field}” is missing.", field=_below(path, tag))
    if tag:
        structs = [s for s in structs if s.__struct_config__.tag == document[tag]]
    if not structs:
        return Misfit("There is no {field} “{value}”.", field=tag, value=_shown(document[tag]))
    return _wrong_field(document, structs[0], path, tag)


def _wrong_field(document: dict[str, Any], kind: Any, path: str, tag: str | None) -> Misfit:
    """Return the error for an object: an unknown, a missing or a wrong field, in this order.

    `tag` is a field that is always known, since it names the type.
    """
    known = {each.encode_name: each for each in msgspec.structs.fields(kind)}
    for name in document:
        if name not in known and name != tag:
            return Misfit("There is no field “{field}” here.", field=_below(path, name))
    for name, each in known.items():
        if name not in document and each.required:
            return Misfit("The field “{field}” is missing.", field=_below(path, name))
        if name in document:
            try:
                fitted(document[name], each.type, _below(path, name))
            except Misfit as misfit:
                return misfit
    return _wrong(document, kind, path)


def _wrong(value: Any, kind: Any, path: str) -> Misfit:
    """Return the error for a value at `path` that the type `kind` does not accept."""
    return Misfit(
        "The field “{field}” must be {expected}, not {value}.",
        field=path,
        expected=_expected(msgspec.inspect.type_info(kind)),
        value=_shown(value),
    )


def _items(document: Any, kind: Any) -> list[tuple[str, Any, Any]]:
    """Return name, value and type of each item of a list or dict; lists count from 1.

    Nothing else has items, nor has a list or dict where `kind` is something else.
    """
    if isinstance(document, list) and get_origin(kind) in (list, tuple):
        return [(str(n), item, get_args(kind)[0]) for n, item in enumerate(document, 1)]
    if isinstance(document, dict) and get_origin(kind) is dict:
        return [(name, item, get_args(kind)[1]) for name, item in document.items()]
    return []


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _shown(value: Any) -> str:
    """Return a value as it came, shortened."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= 40 else f"{text[:39]}…"


_EXPECTED = {
    "IntType": Sentence("a whole number"),
    "FloatType": Sentence("a number"),
    "StrType": Sentence("a text"),
    "BoolType": Sentence("true or false"),
    "NoneType": Sentence("null"),
    "ListType": Sentence("a list"),
    "VarTupleType": Sentence("a list"),
}


def _expected(info: Any) -> Sentence:
    """Return a phrase for what a type accepts, such as “a whole number”; `info` is msgspec's."""
    kind = type(info).__name__
    if kind == "UnionType":
        kinds = [_expected(each) for each in info.types]
        return Sentence("{one} or {other}", {"one": kinds[0], "other": kinds[-1]})
    if kind == "LiteralType":
        return Sentence("one of {values}", {"values": ", ".join(map(_shown, info.values))})
    low, high = getattr(info, "ge", None), getattr(info, "le", None)
    if low is not None and high is not None:
        return Sentence("a number from {low} to {high}", {"low": low, "high": high})
    return _EXPECTED.get(kind, Sentence("an object"))
