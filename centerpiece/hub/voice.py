"""The hub's voice: composes messages for what happens, and times them.

Words wait until the cue before them is over; a cue cuts words short. At most one message waits: a
later one replaces it. A message whose clips are not ready within a second of its turn is dropped
in favour of its cue. Events are only noted while a press is handled, so composing does not delay
it; the messages are composed at the next `wake`.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import NamedTuple

from centerpiece.hub.output_settings import OutputSettings
from centerpiece.speech import caller
from centerpiece.speech.caller import Message
from centerpiece.speech.language import Language
from centerpiece.speech.languages import in_use, language
from centerpiece.speech.spoken_card import SpokenSection, sections
from centerpiece.table import events as e
from centerpiece.table.events import Event
from centerpiece.table.game_set import GameSet
from centerpiece.table.question import Question
from centerpiece.table.state import Table
from centerpiece.table.telling import Call, Happened, Person, Topic
from centerpiece.text import Sentence
from hal.ports import CUE_SECONDS, Clip, ClipSequence, Clock

PATIENCE, ASKED_FOR = 1.0, 10.0
"""Seconds by which words may be late: those about an event, and those that somebody asked for."""
RETRY = 0.1
MARGIN = 0.1
"""Seconds between a cue and words, or between two messages."""
SITTING_DOWN = (e.SeatTaken, e.Renamed, e.Joined, e.Substituted, e.GameStarted)
TAKING_BACK = (e.Undone, e.Redone)


class Utterance(NamedTuple):
    """A message about to be spoken, for listeners that speak or show it as well."""

    message: Message | SpokenSection
    after: float
    """Seconds until its turn."""
    spellings: Mapping[str, str] = {}
    """Names as they are to be read."""

    def words(self) -> dict[str, str]:
        """Return the words by language code, in the languages that are in use."""
        spoken = [each._replace(spellings=self.spellings) for each in in_use()]
        return {each.code: self.message.say(each).words for each in spoken}


class WaitingMessage(NamedTuple):
    """A message that has not begun, and when it is due."""

    message: Message | SpokenSection
    due: float


class Voice:
    """The voice of one hub. Times are monotonic."""

    def __init__(
        self, game_set: GameSet, clock: Clock, outputs: OutputSettings, table: Table
    ) -> None:
        self._game_set = game_set
        self._clock = clock
        self._outputs = outputs
        self._table = table
        self._noted: list[Happened | Call | Message | SpokenSection] = []
        self._waiting: WaitingMessage | None = None
        self._busy_until = 0.0
        self._try_at = inf
        self._not_before = 0.0
        self._prepared: tuple[str, bool] | None = None
        self._unnamed = False
        self._read = 0
        """The number of rule card sections read since the standings."""
        self._on_said: list[Callable[[Utterance], None]] = []

    def on_said(self, listener: Callable[[Utterance], None]) -> None:
        """Call `listener` with every message a moment before its turn."""
        self._on_said.append(listener)

    # Noting messages

    def happened(self, before: Table, table: Table, events: Sequence[Event]) -> None:
        """Note written events, if any of them is told; they are spoken after the next `wake`."""
        self._table = table
        game = self._game_set.game_of(table)
        if any(caller.tells(game, event) for event in events):
            self._noted.append(Happened(game, before, table, tuple(events)))
        if any(isinstance(event, SITTING_DOWN) for event in events):
            self._unnamed = True

    def asked(self, question: Question) -> None:
        phrases = language(self._outputs.preferences.language).phrases
        self._noted.append(caller.of_question(question, self._table, phrases))

    def notice(self, topic: Topic, sentence: Sentence) -> None:
        """Note a refusal or a time warning, to be spoken."""
        notices = language(self._outputs.preferences.language).notices
        self._noted.append(caller.of_notice(topic, sentence, self._table, notices))

    def read_standings(self) -> None:
        """Note the standings, to be spoken; the rule card begins anew after them."""
        self._read = 0
        self._noted.append(caller.of_standings(self._game_set.game_of(self._table), self._table))

    def read_sample(self, seat: int) -> None:
        """Note the name of the player at `seat`, to be spoken; with seat 0, two numbers."""
        self._noted.append(caller.of_sample(self._table, seat))

    def read_card(self) -> None:
        """Note the next section of the rule card, to be spoken; after the last, the first."""
        card = sections(self._game_set.game_of(self._table), self._table)
        if card:
            self._noted.append(card[self._read % len(card)])
            self._read += 1

    def follow(self) -> None:
        """Have clips made for preferences that have just been written, if anybody is seated."""
        self._unnamed = self._unnamed or bool(self._table.seats)

    # Speaking

    def cue(self, cue: str) -> None:
        """Note that a cue is playing: words wait for its end."""
        self._busy_until = self._clock.now() + CUE_SECONDS[cue] + MARGIN

    def hold_back(self, until: float) -> None:
        """Say nothing before the time `until`, so that words do not run ahead of the lights."""
        self._not_before = until

    def wake(self, now: float) -> None:
        """Compose what was noted; begin the waiting message if it is due."""
        if self._unnamed:
            self._prepare()
        noted, self._noted = self._noted, []
        for each in noted:
            self._take(each, now)
        if self._waiting is not None and now >= self._next_try():
            self._begin(self._waiting, now)

    def next_wake(self) -> float:
        """Return the monotonic time at which to call `wake`; inf if there is nothing to say."""
        if self._noted or self._unnamed:
            return self._clock.now()
        return inf if self._waiting is None else self._next_try()

    def _next_try(self) -> float:
        due = self._waiting.due if self._waiting else inf
        return max(due, self._busy_until, self._try_at if self._try_at != inf else 0.0)

    def _take(self, noted: Happened | Call | Message | SpokenSection, now: float) -> None:
        """Compose a message and let it wait its turn, in place of one that has not begun.

        Undo and the like also drop the one that waits. Nothing is composed while the voice or its
        topic is off.
        """
        if isinstance(noted, Happened) and any(isinstance(e, TAKING_BACK) for e in noted.events):
            self._waiting = None
        if not self._outputs.aloud():
            return
        topics = self._outputs.preferences.speech
        if isinstance(noted, Happened):
            message: Message | SpokenSection | None = caller.of_events(noted, topics)
        elif isinstance(noted, Call):
            message = caller.message([noted], topics)
        else:
            message = noted
        if message is None:
            return
        if self._outputs.preferences.attention and now >= self._busy_until:
            self._outputs.play("attention")
            self.cue("attention")
        due = max(now, self._busy_until, self._not_before)
        self._waiting, self._try_at = WaitingMessage(message, due), inf
        for listener in self._on_said:
            listener(Utterance(message, due - now, self._outputs.preferences.spellings))

    def _begin(self, waiting: WaitingMessage, now: float) -> None:
        """Begin a waiting message; while its clips are not ready, try again for some seconds.

        If they never are, its cue is played instead, if it has one; a section of the rule card is
        replaced by the message where to read it. Dropped if the voice is off.
        """
        if not self._outputs.aloud():  # switched off since it was noted
            self._waiting, self._try_at = None, inf
            return
        takes = self._outputs.say(self._sentence(waiting.message.say(self._language()).clips))
        patience = ASKED_FOR if waiting.message.asked_for else PATIENCE
        if takes is None and now < waiting.due + patience:
            self._try_at = now + RETRY
            return
        self._waiting, self._try_at = None, inf
        if takes:
            self._busy_until = now + takes + MARGIN
        elif isinstance(waiting.message, SpokenSection):
            self._waiting = WaitingMessage(waiting.message.otherwise, now)
        elif waiting.message.cue is not None:
            self._outputs.play(waiting.message.cue)
            self.cue(waiting.message.cue)

    def _prepare(self) -> None:
        """Have clips made for new names, and once for all words of the language.

        Does nothing while the voice is off.
        """
        self._unnamed = False
        if not self._outputs.preferences.aloud:
            return
        tongue = self._language()
        people = [Person(seat.name, seat.chair) for seat in self._table.seats]
        clips = [tongue.person(person) for person in people]
        sentence = self._sentence(tuple(clips))
        manner = (sentence.language, sentence.calm)
        if self._prepared != manner:
            self._prepared = manner
            clips += [Clip(key, text) for key, text in tongue.vocabulary().items()]
        self._outputs.prepare(sentence._replace(clips=tuple(clips)))

    def _language(self) -> Language:
        """Return the language to speak, with the spellings of names."""
        preferences = self._outputs.preferences
        return language(preferences.language)._replace(spellings=preferences.spellings)

    def _sentence(self, clips: tuple[Clip, ...]) -> ClipSequence:
        preferences = self._outputs.preferences
        code = language(preferences.language).code
        return ClipSequence(code, clips, preferences.calm)
