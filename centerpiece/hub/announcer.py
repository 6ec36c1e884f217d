"""The announcer: cues and words for events, refusals and questions.

`announcement_of` is pure: it chooses the cues and the notice. The `Announcer` plays them, events
only once they are written, reflexes at once.
"""

from collections.abc import Sequence
from typing import NamedTuple

from centerpiece.hub.output_settings import OutputSettings
from centerpiece.hub.voice import Voice
from centerpiece.table import saved_rules
from centerpiece.table.commands import Command, FewerRounds, NextProfile, NextSet, TakeFitting
from centerpiece.table.events import Event
from centerpiece.table.game_set import GameSet
from centerpiece.table.question import Question
from centerpiece.table.rounds import rounds_of
from centerpiece.table.scoring import last_hand_counted, standings
from centerpiece.table.state import Table
from centerpiece.table.telling import Topic
from centerpiece.table.undo import Ledger
from centerpiece.text import Sentence


class Announcement(NamedTuple):
    """The cues for some events, and a notice."""

    cues: tuple[str, ...]
    notice: Sentence | None = None
    """Replaces the sentence of the last event."""


def announcement_of(before: Table, after: Ledger, events: Sequence[Event]) -> Announcement:
    """Return the cues of events; once they complete the hands, also a notice naming the leader.

    `before` is the table before the events, `after` the ledger after them. There is no notice
    unless the round's last hand was entered, or while nobody has a place.
    """
    table = after.table
    cues = tuple(cue for event in events if (cue := event.cue(table)) is not None)
    game = after.game_set.game_of(table)
    if not last_hand_counted(game, before, table):
        return Announcement(cues)
    first = [line for line in standings(game, table) if line.place == 1]
    if not first:
        return Announcement(cues)
    facts = {"names": [line.seat.name for line in first], "total": first[0].total}
    leads = Sentence("{names} {names|leads|lead} with {total}.", facts)
    notice = Sentence("{told} {more}", {"told": after.notice(), "more": leads})
    return Announcement((*cues, "leader"), notice)


def choice_shown(game_set: GameSet, table: Table, command: Command | None) -> int | None:
    """Return the number that the face shows after a choice in the lobby: set, rounds or rules.

    None after any other command, or without one.
    """
    match command:
        case NextSet():
            return table.size
        case FewerRounds():
            return int(rounds_of(table))
        case NextProfile() | TakeFitting():
            offered = saved_rules.names(game_set, table, table.rules.game)
            return offered.index(table.rules.name) + 1
    return None


class Announcer:
    """Plays cues and passes words to the voice."""

    def __init__(self, outputs: OutputSettings, voice: Voice) -> None:
        self._outputs = outputs
        self._voice = voice

    def play(self, cue: str) -> None:
        self._outputs.play(cue)
        self._voice.cue(cue)

    def happened(self, before: Table, after: Ledger, events: Sequence[Event]) -> Announcement:
        """Play the cues of written events, pass them to the voice, and return the announcement."""
        self._voice.happened(before, after.table, events)
        announcement = announcement_of(before, after, events)
        for cue in announcement.cues:
            self.play(cue)
        return announcement

    def ask(self, question: Question) -> None:
        self._voice.asked(question)

    def say(self, topic: Topic, sentence: Sentence, cue: str) -> None:
        """Play a cue, and have a sentence spoken after it if its topic is on."""
        self._voice.notice(topic, sentence)
        self.play(cue)
