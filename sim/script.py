"""Scenario scripts: an evening at the table as text, one step a line.

A script works the hub by its buttons, and by commands as a phone sends them, in virtual time; it
checks what people perceive: lights, sounds and the public state.
"""

import shlex
import shutil
import tempfile
from collections.abc import Callable
from functools import reduce
from itertools import count
from operator import or_
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from centerpiece.display.looks import LOOKS
from centerpiece.games.registry import GAMES
from centerpiece.hub.commit_queue import Answer
from centerpiece.hub.preferences import PREFERENCES, Preferences
from centerpiece.storage.errors import JournalError
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.text import Misfit, Problem, Refused, fitted
from hal.ports import BUTTONS, CUES
from sim.hands import PAUSE, Hands, dialled, double, hold, tap


class FailedStep(NamedTuple):
    """A failed expectation, or an unreadable line."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class Unmet(Exception):
    """An expectation failed."""


class Misread(Exception):
    """A line is not a valid step."""


class Stage(Hands):
    """A simulated hub whose journal survives a restart."""

    def __init__(self, folder: Path) -> None:
        self._disks = (folder / f"disk-{number}" / "table.db" for number in count())
        self.path = next(self._disks)
        super().__init__(self.path)

    def restart(self) -> None:
        """Simulate a power cut: all memory is lost, and a new hub starts from the journal.

        The journal is not closed first: the new hub gets a copy of the disk as it was at that
        instant. Docks and their markers stay.
        """
        cut, self.path = self.path, next(self._disks)
        self.path.parent.mkdir(parents=True)
        for file in cut.parent.glob(cut.name + "*"):
            shutil.copy(file, self.path.parent)
        docks = self.board.docks.home
        self.stop()
        self.start(self.path, docks)


class Runner:
    """Parses and runs steps."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._line = ""
        self._refusal: str | None = None
        self._sounds_seen = self._said_seen = 0
        self._verbs: dict[str, Callable[[list[str]], None]] = {
            "table": self._table,
            "tap": lambda words: self.stage.do(tap(_button(words))),
            "double": lambda words: self.stage.do(double(_button(words))),
            "hold": self._hold,
            "chord": self._chord,
            "press": lambda words: self.stage.board.buttons.press(_button(words)),
            "release": self._release,
            "wait": lambda words: self.stage.wait(_number(words[0])),
            "score": self._score,
            "correct": self._correct,
            "went-out": self._went_out,
            "count": self._count,
            "award": self._award,
            "join": lambda words: self._do(c.Join(" ".join(words))),
            "leave": lambda words: self._do(c.Leave(_whole("A seat", words[0]))),
            "penalty": self._penalty,
            "set": self._set,
            "do": self._do_any,
            "prefer": self._prefer,
            "lift": lambda words: self.stage.move(_whole("A seat", words[0]), home=False),
            "dock": lambda words: self.stage.move(_whole("A seat", words[0]), home=True),
            "stall": lambda words: self.stage.stall(_number(words[0])),
            "restart": lambda words: self.stage.restart(),
            "unplug": lambda words: self._device(words).unplug(),
            "plug": lambda words: self._device(words).plug(),
            "expect": self._expect,
            "refused": self._refused,
            "refused-because": self._refused_because,
        }

    def step(self, line: str) -> None:
        """Run one line; an empty line or comment does nothing.

        Raise Unmet for a failed expectation, Misread for an invalid line, Refused if a command is
        refused.
        """
        words = _words(line)
        if not words:
            return
        self._line = line
        verb, *rest = words
        if verb not in self._verbs:
            raise Misread(f"there is no verb {verb!r}; the verbs are {', '.join(self._verbs)}")
        if verb not in ("expect", "refused-because"):
            self._sounds_seen, self._said_seen = len(self.stage.heard), len(self.stage.said)
        try:
            self._verbs[verb](rest)
        except (ValueError, IndexError, msgspec.ValidationError) as error:
            if isinstance(error, JournalError):
                raise
            raise Misread(f"{verb}: {error}") from error

    def _do(self, command: Command) -> None:
        """Send a command as a phone does; if it is refused or not saved, raise that Problem.

        While the disk stalls there is no answer, and no error.
        """
        answers: list[Answer] = []
        self.stage.hub.order(command, answers.append)
        self.stage.wait(PAUSE)
        for answer in answers:
            if isinstance(answer, Problem):
                raise answer

    def _do_any(self, words: list[str]) -> None:
        """Send any command by its name: `do rename seat=2 name=Eve`."""
        kind, *rest = words
        document = {"type": kind, **{key: _value(text) for key, text in _pairs(rest)}}
        self._do(_converted(document, reduce(or_, GAMES.commands)))

    def _table(self, words: list[str]) -> None:
        """Open a table: `table rules=… players=Ann,Bob set=… starter=…`, and settings to change."""
        given = dict(_pairs(words))
        players = tuple(name for name in given.pop("players", "").split(",") if name)
        size, starter = given.pop("set", None), given.pop("starter", "1")
        self._do(
            c.OpenTable(
                rules=given.pop("rules", "mexican-train/classic"),
                players=players,
                set=_whole("The size of a set", size) if size else None,
                starter=None if starter == "ask" else _whole("A seat", starter),
                changes={key: _value(text) for key, text in given.items()},
            )
        )

    def _hold(self, words: list[str]) -> None:
        button, *rest = words
        self.stage.do(hold(_button([button]), _number(rest[0]) if rest else None))

    def _chord(self, words: list[str]) -> None:
        """Hold buttons, joined by a plus, for the seconds given; Misread for an unknown button."""
        for button in words[0].split("+"):
            _button([button])
        self.stage.do(hold(words[0], _number(words[1])))

    def _release(self, words: list[str]) -> None:
        self.stage.board.buttons.release(_button(words))
        self.stage.wait(PAUSE)

    def _score(self, words: list[str]) -> None:
        seat, *rest = words
        given = _counted(rest)
        self._do(c.EnterScore(_whole("A seat", seat), **given))

    def _correct(self, words: list[str]) -> None:
        number, seat, *rest = words
        played, where = _whole("A round", number), _whole("A seat", seat)
        self._do(c.CorrectScore(where, **_counted(rest), round=played))

    def _went_out(self, words: list[str]) -> None:
        number, seat = words
        played = _whole("A round", number)
        self._do(c.ChangeOut(played, None if seat == "nobody" else _whole("A seat", seat)))

    def _count(self, words: list[str]) -> None:
        """Dial the hand of the seat that is being counted: `count PIPS [double-blank]`."""
        for gesture in dialled(_whole("A hand", words[0]), "double-blank" in words[1:]):
            self.stage.do(gesture)

    def _award(self, words: list[str]) -> None:
        seat, points = words
        self._do_any(["award", f"seat={seat}", f"points={points}"])

    def _penalty(self, words: list[str]) -> None:
        """Impose a penalty: `penalty SEAT KIND [POINTS]`."""
        seat, kind, *rest = words
        document = {"type": "penalize", "seat": _whole("A seat", seat), "kind": kind}
        if rest:
            document["points"] = _whole("A penalty", rest[0])
        self._do(_converted(document, c.Penalize))

    def _set(self, words: list[str]) -> None:
        setting, *rest = words
        self._do(c.ChangeRule(setting, _value(" ".join(rest))))

    def _prefer(self, words: list[str]) -> None:
        """Set a preference of the hub, as its page does: `prefer NAME VALUE`."""
        name, value = words
        changed = {name: _value(value)}
        self.stage.hub.change(
            PREFERENCES,
            lambda known: _converted(msgspec.to_builtins(known) | changed, Preferences),
        )

    def _device(self, words: list[str]) -> Any:
        """Return the simulated lights, sound or docks; Misread for any other name."""
        board = self.stage.board
        devices = {"lights": board.lights, "sound": board.sound, "docks": board.docks}
        if words[0] not in devices:
            raise Misread(f"there is no device {words[0]!r}; the devices are {', '.join(devices)}")
        return devices[words[0]]

    def _expect(self, words: list[str]) -> None:
        """Check one expectation of lights, sound, speech or state; raise Unmet if it fails.

        Misread is raised for an unknown look, zone or cue.
        """
        match words:
            case ["light", zone, look]:
                if look not in (*LOOKS, "echo"):
                    raise Misread(f"there is no look {look!r}; there are {', '.join(LOOKS)}, echo")
                if zone not in self.stage.zones:
                    raise Misread(f"there is no zone {zone!r}")
                if look not in (seen := self.stage.sees(zone, look)):
                    shown = " and ".join(sorted(seen))
                    raise Unmet(f"expected light {zone} {look}, but it is {shown}")
            case ["sound", cue]:
                if cue not in CUES:
                    raise Misread(f"there is no cue {cue!r}; the cues are {', '.join(CUES)}")
                if cue not in self._heard_now():
                    raise Unmet(f"expected sound {cue}, but heard {self._heard_now() or 'nothing'}")
            case ["no", "sound"]:
                if self._heard_now():
                    raise Unmet(f"expected no sound, but heard {self._heard_now()}")
            case ["said", *words]:
                if not any(" ".join(words) in said for said in self._said_now()):
                    heard = self._said_now() or "nothing"
                    raise Unmet(f"expected said {' '.join(words)!r}, but heard {heard}")
            case ["nothing", "said"]:
                if self._said_now():
                    raise Unmet(f"expected nothing said, but heard {self._said_now()}")
            case [path, *rest]:
                expected = self._expected_value(rest)
                found = _at(self.stage.hub.state(), path)
                if found != expected or (isinstance(expected, bool) != isinstance(found, bool)):
                    raise Unmet(f"expected {path} {_shown(expected)}, but it is {_shown(found)}")
            case _:
                raise Misread("expect what?")

    def _expected_value(self, rest: list[str]) -> Any:
        """Return the value that the line expects: its end read as JSON, or else `rest` as words."""
        try:
            raw = shlex.split(self._line, comments=True, posix=False)[2:]
            return msgspec.json.decode(" ".join(raw))
        except (ValueError, msgspec.DecodeError):
            return _value(" ".join(rest))

    def _heard_now(self) -> list[str]:
        return self.stage.heard[self._sounds_seen :]

    def _said_now(self) -> list[str]:
        return self.stage.said[self._said_seen :]

    def _refused(self, words: list[str]) -> None:
        """Run the step in `words`, which must be refused, as a command or by the cue `refused`.

        The reason is kept for `refused-because`. Unmet is raised if it was done, or was refused and
        changed something all the same.
        """
        self._refusal = None
        seq = self.stage.hub.state()["seq"]
        verb, *rest = words
        if verb not in self._verbs:
            raise Misread(f"there is no verb {verb!r}; the verbs are {', '.join(self._verbs)}")
        try:
            self._verbs[verb](rest)
        except Refused as refusal:
            self._refusal = str(refusal)
        if self._refusal is None and "refused" in self._heard_now():
            self._refusal = self.stage.hub.state()["notice"]
        if self._refusal is None:
            raise Unmet(f"expected {' '.join(words)!r} to be refused, but it was done")
        if self.stage.hub.state()["seq"] != seq:
            raise Unmet(f"{' '.join(words)!r} was refused, but changed something")

    def _refused_because(self, words: list[str]) -> None:
        """Check that the reason of the last refusal contains these words.

        Unmet is raised if it does not, or if nothing was refused by the last `refused`.
        """
        expected = " ".join(words)
        if self._refusal is None:
            raise Unmet("nothing was refused before")
        if expected not in self._refusal:
            raise Unmet(f"expected a refusal with {expected!r}, but it was {self._refusal!r}")


def run_text(text: str, name: str = "script") -> list[FailedStep]:
    """Run a script on a new hub and return its failures, with `name` as the name of the file.

    An invalid line, or an error of the journal, is the last failure: it ends the run. After any
    other failure the next line runs.
    """
    failed = []
    with tempfile.TemporaryDirectory(prefix="centerpiece-") as folder:
        stage = Stage(Path(folder))
        runner = Runner(stage)
        try:
            for number, line in enumerate(text.splitlines(), start=1):
                try:
                    runner.step(line)
                except Unmet as unmet:
                    failed.append(FailedStep(name, number, str(unmet)))
                except Refused as refusal:
                    failed.append(FailedStep(name, number, f"refused: {refusal}"))
                except (Misread, JournalError) as error:
                    failed.append(FailedStep(name, number, str(error)))
                    break
        finally:
            stage.stop()
    return failed


def run_file(path: Path) -> list[FailedStep]:
    return run_text(path.read_text(encoding="utf-8"), str(path))


def _words(line: str) -> list[str]:
    """Split a line into words without its comment; Misread if a quotation is open."""
    try:
        return shlex.split(line, comments=True)
    except ValueError as error:
        raise Misread(f"cannot be read: {error}") from None


def _button(words: list[str]) -> str:
    """Return the button named; Misread unless `words` is one word, the name of a button."""
    if len(words) != 1 or words[0] not in BUTTONS:
        raise Misread(f"no button is called {' '.join(words)!r}; there are {', '.join(BUTTONS)}")
    return words[0]


def _number(text: str) -> float:
    """Return a number of seconds, with or without its `s`; Misread if it is none."""
    try:
        return float(text.removesuffix("s"))
    except ValueError:
        raise Misread(f"a number of seconds was expected, not {text!r}") from None


def _whole(what: str, word: str) -> int:
    """Return a whole number; Refused if `word` is none, as for a phone.

    `what` names the number in the refusal.
    """
    try:
        return int(word)
    except ValueError:
        raise Refused("{what} must be a whole number: “{word}”.", what=what, word=word) from None


def _converted(document: dict[str, Any], kind: Any) -> Any:
    """Return a document as a command or value of the type `kind`; Refused if it does not fit."""
    try:
        return fitted(document, kind)
    except Misfit as misfit:
        raise Refused("This is not a command. {problem}", problem=misfit.sentence) from None


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    """Return words like `key=value` as pairs; Misread for others."""
    pairs = []
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise Misread(f"key=value was expected, not {word!r}")
        pairs.append((key, value))
    return pairs


def _value(text: str) -> Any:
    """Return JSON as a value; anything else is a text."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _shown(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _counted(words: list[str]) -> dict[str, Any]:
    """Return the fields of a hand: its pips, `double-blank`, `hidden`, `confirm`, `blanks=N`.

    Only those that are in `words` are there.
    """
    given: dict[str, Any] = {}
    for word in words:
        if word in ("double-blank", "hidden", "confirm"):
            given[word.replace("-", "_")] = True
        elif word.startswith("blanks="):
            given["blanks"] = _whole("A number of blanks", word.removeprefix("blanks="))
        else:
            given["pips"] = _whole("A score", word)
    return given


def _at(document: Any, path: str) -> Any:
    """Return the value at a dotted path in a document; Unmet if there is none.

    Lists count from 1.
    """
    value = document
    for part in path.split("."):
        try:
            value = value[_index(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            raise Unmet(f"there is no {path} in the state (at {part!r})") from None
    return value


def _index(part: str) -> int:
    if int(part) < 1:
        raise Unmet("lists count from 1")
    return int(part) - 1
