"""Printed papers: the panel map and settings of each game, and the rule card of each profile.

`python -m centerpiece.reports.papers docs/` writes them as files; a test compares them.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from centerpiece.games.registry import GAMES
from centerpiece.hub.gestures import GENTLE_CHORD, gentle
from centerpiece.hub.hub import TIMING
from centerpiece.panel.bindings import CHORD_HOLDS
from centerpiece.panel.lookup import panel_of
from centerpiece.rules.card import WIDTH, card, wrapped
from centerpiece.rules.rule_settings import written
from centerpiece.table.binding import Binding, When
from centerpiece.table.game import Game
from centerpiece.table.game_set import GameSet
from centerpiece.table.state import Phase
from centerpiece.text import Sentence

_PHASES: dict[Phase, str] = {
    "lobby": "Before the game",
    "playing": "While a round is played",
    "scoring": "While a round is scored",
    "finished": "When the game is over",
}
_ALWAYS = "At any time"
_WHEN_SAID: dict[When, str] = {
    "starter": "  Who starts? Asked in the first round, and where the tiles decide:",
    "double": "  Who has the double? Asked where the highest double held starts the round:",
    "out": "  Who went out?",
    "last-tile": "  Whose last tile is it? Asked by the whistle:",
    "whistled": "  Who blew the whistle? Asked when nobody has said so:",
    "caught": "  Who did not announce?",
    "drawn": "  Was a tile drawn since?",
    "move": "  Where to?",
    "fit": "  Change to what fits, or play alone where so many would be teams?",
    "back": "  Back again, or somebody new? Asked at a seat that was left:",
    "uncounted": "  Go on without the missing hands?",
    "end": "  End the game here?",
    "rematch": "  A new game? Asked while this one could still go on:",
    "phones": "  Forget all phones?",
    "dock": "  Undo it all the same? Asked where a train marker contradicts it:",
    "gentle": "  Do taps count twice? Asked once, after three double taps that were taken back:",
    "turns": "  Where turns are told (turns_told, turn_limit_s, last_tile_deadline):",
    "won-in-play": "  When the points to win are reached in play:",
    "parade": "  While the standings are shown, place by place:",
    "skipped": "  On a seat that has a turn to lose:",
    "counting": "  While hands are counted:",
    "typed": "  While digits of a hand are typed:",
    "fines-hidden": "  Where the rules fine a hand that is not shown (hidden_bones):",
    "made-in-play": "  Where points are made in play, on the hand being counted:",
    "all-counted": "  When all are counted:",
    "nobody-plays": "  At a seat where nobody plays:",
}
_WHEN = 28
"""Characters of the first column, with buttons and gestures, or values."""


_GENTLE = gentle(TIMING)
_TIMES = (
    f"A hold takes {TIMING.hold:g} s, on advance {TIMING.holds['advance']:g} s, on a seat while "
    f"hands are counted {TIMING.digit:g} s. A double tap is two taps within {TIMING.double:g} s. "
    f"For shaky hands a hold takes {_GENTLE.hold:g} s, two buttons together {GENTLE_CHORD:g} s, a "
    f"second tap within {_GENTLE.same:g} s is none, and a double tap is a tap on a seat while "
    "train is held, or on train while a seat is."
)


def panel_text(game: Game) -> str:
    """Return the panel map of a game, 80 columns wide."""
    bindings = _possible(game)
    lines = [f"{game.title}: what the buttons do", "=" * WIDTH, *wrapped(_TIMES, "")]
    for phase, title in _PHASES.items():
        lines += _section(
            title, [b for b in _reached(bindings, phase) if phase in _listed(b, bindings)]
        )
    lines += _section(_ALWAYS, [b for b in bindings if not _listed(b, bindings)])
    return "\n".join(lines) + "\n"


def _section(title: str, bindings: list[Binding]) -> list[str]:
    """Return a section's lines: title, bindings without a question, then those of each question."""
    lines = ["", title, "-" * len(title)]
    for when in dict.fromkeys(("", *(binding.when for binding in bindings))):
        lines += ["", _WHEN_SAID[when]] if when else []
        for binding in bindings:
            lines += _row(binding) if binding.when == when else []
    return lines


def _possible(game: Game) -> list[Binding]:
    """Return the bindings of a game that can ever apply.

    A game without engines asks for no double, and one without markers for no dock.
    """
    panel = panel_of(game)
    never = set() if panel.has_docks else {"dock"}
    if not any(rules.engines_for(size) for rules in game.profiles for size in rules.sets):
        never.add("double")
    return [binding for binding in panel.bindings if binding.when not in never]


def _reached(bindings: list[Binding], phase: Phase) -> Iterator[Binding]:
    """Yield the bindings of a phase, without those that an earlier one hides.

    A binding hides the later ones with its control, gesture and question.
    """
    seen = set()
    for binding in bindings:
        place = (binding.control, binding.gesture, binding.when)
        if phase in binding.phases and place not in seen:
            seen.add(place)
            yield binding


def _listed(binding: Binding, bindings: list[Binding]) -> set[Phase]:
    """Return the phases under which to list a binding; none if it applies at any time.

    A binding that takes a question back is listed where the question is asked.
    """
    if len(binding.phases) < len(_PHASES) or not binding.when:
        return set(_narrow(binding))
    return {phase for other in bindings if other.when == binding.when for phase in _narrow(other)}


def _narrow(binding: Binding) -> tuple[Phase, ...]:
    return binding.phases if len(binding.phases) < len(_PHASES) else ()


def _row(binding: Binding) -> list[str]:
    gesture = {"double": "double tap"}.get(binding.gesture, binding.gesture)
    if binding.control in CHORD_HOLDS:
        gesture = f"{CHORD_HOLDS[binding.control]:g} s"
    return _beside(f"{binding.control} {gesture}", binding.words)


def settings_text(game: Game) -> str:
    """Return every setting of a game with its values and their meanings."""
    lines = [f"{game.title}: what a table can agree on", "=" * WIDTH]
    for name, setting in game.rules.settings.items():
        lines += ["", name]
        for value, said in setting.said.items():
            lines += _beside(written(value), said)
        if setting.otherwise:
            meaning = Sentence(setting.otherwise, {"value": "n"})
            lines += _beside(setting.others, str(meaning))
    return "\n".join(lines) + "\n"


def _beside(what: str, words: str) -> list[str]:
    return wrapped(words, f"  {what}  ".ljust(_WHEN))


def papers(game_set: GameSet) -> dict[str, str]:
    """Return the text of every paper by its path under the folder of documents."""
    texts = {}
    for game in game_set.games.values():
        texts[f"panel/{game.name}.txt"] = panel_text(game)
        texts[f"settings/{game.name}.txt"] = settings_text(game)
        for profile in game.profiles:
            texts[f"rules/{game.name}-{profile.name}.txt"] = card(profile, None, game.example)
    return texts


def main(arguments: list[str]) -> int:
    """Write all papers below the folder in `arguments` and print their paths; return 0.

    Return 2, with a line on the usage, unless there is exactly one argument.
    """
    if len(arguments) != 1:
        print("usage: python -m centerpiece.reports.papers FOLDER", file=sys.stderr)
        return 2
    for name, text in papers(GAMES).items():
        path = Path(arguments[0]) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
