"""Checks that decisions share: the seat, the phase, the deal, the set, the name."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from centerpiece.rules.domino_sets import tiles_in
from centerpiece.rules.rules import Rules
from centerpiece.table.state import MOST_SEATS, Phase, Round, Seat, Table
from centerpiece.text import Refused, Sentence

LONGEST_NAME = 40
_PRINTED_RULES = (
    Sentence("classic"),
    Sentence("family"),
    Sentence("rally"),
    Sentence("online"),
    Sentence("double-15"),
)
"""The printed rule books by name, as sentences so that every language has a word for them."""


def rules_word(name: str) -> Sentence | str:
    """Return the word to translate for the printed rule book `name`; any other name unchanged."""
    return next((word for word in _PRINTED_RULES if word.template == name), name)


def in_phase(table: Table, phase: Phase, otherwise: str) -> None:
    """Raise Refused with the words `otherwise` unless the table is in this `phase`."""
    if table.phase != phase:
        raise Refused(otherwise)


def current_round(table: Table) -> Round:
    return table.rounds[-1]


def player(table: Table, number: int, in_round: int | None = None) -> Seat:
    """Return the seat of chair `number` that plays in round `in_round`, by default the current one.

    If its player left the chair later, the seat that is returned has another number. Refused if no
    seat has this number, or if nobody plays on the chair in that round.
    """
    seat = table.seat(number)
    if seat is None:
        raise empty_seat(table, number)
    players = table.players(in_round)
    if seat in players:
        return seat
    for former in players:
        if former.chair == number:
            return former
    raise Refused("{name} does not play in this round.", name=seat.name)


def empty_seat(table: Table, number: int) -> Refused:
    """Return, without raising it, the refusal for a seat where nobody sits."""
    if not table.seats:
        return Refused("Nobody sits at seat {seat}: all seats are free.", seat=number)
    taken = listed([seat.number for seat in table.seats if seat.number <= MOST_SEATS])
    return Refused("Nobody sits at seat {seat}. Seats taken: {taken}.", seat=number, taken=taken)


def check_deal(rules: Rules, size: int, players: int, others: Sequence[Rules] = ()) -> None:
    """Raise Refused unless these rules can deal a double-`size` set to so many `players`.

    The refusal names what would do: first rules among `others` (of the same game) with the same
    set, then `rules` with other sets. Its fact `instead` has them as rules and set, for changing to
    one of them in one step.
    """
    if _can_deal(rules, size, players):
        return
    facts: dict[str, Any] = {
        "game": rules.title,
        "rules": rules_word(rules.name),
        "players": players,
    }
    instead = fitting_rules(rules, size, players, others)
    facts["instead"] = [{"rules": fits.full_name, "set": tiles} for fits, tiles in instead]
    profiles = [fits for fits, tiles in instead if tiles == size]
    fitting = [tiles for _, tiles in instead if tiles != size]
    facts["profiles"] = [
        Sentence(
            "{rules} ({hand} {hand|tile|tiles} each)",
            {"rules": rules_word(other.name), "hand": other.hand(size, players)},
        )
        for other in profiles
    ]
    if profiles and fitting:
        raise Refused(
            "{game}, {rules} rules, cannot deal a double-{size} set to {players} "
            "{players|player|players}. With these tiles, these rules would do: {profiles}. "
            "Or these sets: {sets}.",
            size=size,
            sets=_sets(fitting),
            **facts,
        )
    if profiles:
        raise Refused(
            "{game}, {rules} rules, cannot deal a double-{size} set to {players} "
            "{players|player|players}. With these tiles, these rules would do: {profiles}.",
            size=size,
            **facts,
        )
    if fitting:
        raise Refused(
            "{game}, {rules} rules, cannot deal a double-{size} set to {players} "
            "{players|player|players}. These sets would do: {sets}.",
            size=size,
            sets=_sets(fitting),
            **facts,
        )
    counts = sorted({count for table in rules.hands.values() for count in table})
    if counts[0] == counts[-1]:
        expected = "{game}, {rules} rules, is for {most} {most|player|players}, not {players}."
    else:
        expected = "{game}, {rules} rules, is for {fewest} to {most} players, not {players}."
    raise Refused(expected, fewest=counts[0], most=counts[-1], **facts)


def fitting_rules(
    rules: Rules, size: int, players: int, others: Sequence[Rules]
) -> list[tuple[Rules, int]]:
    """Return what can be dealt to so many players instead, as pairs of rules and size of set.

    First come those of `others` that can deal the set `size`, then `rules` with its other sets.
    """
    profiles = [(other, size) for other in others if _can_deal(other, size, players)]
    return profiles + [
        (rules, other) for other in rules.sets if other != size and _can_deal(rules, other, players)
    ]


def _can_deal(rules: Rules, size: int, players: int) -> bool:
    """Return True if the rules list a hand for so many players, and the set has the tiles."""
    hand = rules.hand(size, players)
    return hand is not None and players * hand + rules.held_out() <= tiles_in(size)


def clean_name(name: str) -> str:
    """Return a name with single spaces and in one Unicode form.

    Refused if it is empty, too long or has invisible characters.
    """
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if not name:
        raise Refused("A name needs at least one letter.")
    if len(name) > LONGEST_NAME:
        raise Refused(
            "A name can have at most {most} letters; “{start}…” has {count}.",
            most=LONGEST_NAME,
            start=name[:12],
            count=len(name),
        )
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn") for letter in name):
        raise Refused("A name cannot contain control characters.")
    return name


def check_set(rules: Rules, size: int) -> None:
    """Raise Refused if these rules do not allow a double-`size` set.

    Also refused if the set has too few doubles for the rounds, or not those that the rules list.
    """
    if size not in rules.sets:
        raise Refused(
            "{game}, {rules} rules, is not played with a double-{size} set. "
            "These sets would do: {sets}.",
            game=rules.title,
            rules=rules_word(rules.name),
            size=size,
            sets=_sets(rules.sets),
        )
    doubles = rules.engines_for(size)
    high = [engine for engine in doubles if engine > size]
    if high:
        raise Refused(
            "The settings engines and sets contradict each other: a double-{size} set has no "
            "double {engine}.",
            size=size,
            engine=high[0],
        )
    if len(doubles) < min(rules.rounds or 1, len(rules.engines_for(max(rules.sets)))):
        raise Refused(
            "A double-{size} set has only {count} {count|double|doubles} for the rounds that the "
            "settings rounds, first_engine and last_engine ask for. Change them, or take a larger "
            "set.",
            size=size,
            count=len(doubles),
        )


def _sets(sizes: Sequence[int]) -> list[Sentence]:
    return [Sentence("double-{size}", {"size": size}) for size in sizes]


def listed(numbers: Sequence[int]) -> str:
    """Return numbers joined by commas, for a sentence; “none” without any."""
    return ", ".join(map(str, numbers)) or "none"
