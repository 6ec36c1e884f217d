"""The sending half of a table's link: the journal is forwarded, and signs of life are shown."""

from collections.abc import Callable

from centerpiece import __version__
from centerpiece.hall.table.forward import Forwarder
from centerpiece.hall.table.outbox import Outbox
from centerpiece.hall.wire import keys, signs_of_life
from centerpiece.hall.wire.connection import Redis, server_time
from centerpiece.hall.wire.errors import IdTaken
from hal.ports import Clock

SIGN_OF_LIFE = 10.0
CLASH_SHOWN_S = 60

TimeOf = Callable[[Redis], float]


def offset_of(client: Redis, clock: Clock, time_of: TimeOf = server_time) -> float:
    """What has to be added to the hub's clock to get the hall's."""
    before = clock.at()
    return time_of(client) - (before + clock.at()) / 2


class Sender:
    """Forwards the journal and shows signs of life. One step at a time; its thread may wait."""

    def __init__(
        self,
        client: Redis,
        table: str,
        hall: str,
        journal: str,
        outbox: Outbox,
        clock: Clock,
        time_of: TimeOf = server_time,
    ) -> None:
        self._client = client
        self.table = table
        self.hall = hall
        self.journal = journal
        self._outbox = outbox
        self._clock = clock
        self._time_of = time_of
        self._forwarder = Forwarder(client, table, journal, outbox)
        self._due = 0.0
        self.sent = 0
        self.offset = 0.0
        self.clash = ""

    def step(self, note: str = "") -> bool:
        """Send what is missing; whether more may be waiting. `note` is for the hall to know."""
        try:
            done = self._forwarder.step()
        except IdTaken:
            self._report_clash()
            raise
        self.sent = done.seq
        if self._clock.now() >= self._due:
            self._show_life(note)
        return done.events > 0

    def _show_life(self, note: str) -> None:
        self.offset = offset_of(self._client, self._clock, self._time_of)
        sign = signs_of_life.Alive(
            journal=self.journal,
            hall=self.hall,
            at=self._clock.at() + self.offset,
            seq=self._outbox.last(),
            sent=self.sent,
            offset=round(self.offset, 3),
            release=__version__,
            note=note[: signs_of_life.LONGEST_NOTE],
        )
        with self._client.pipeline(transaction=False) as pipe:
            pipe.set(keys.alive(self.table), signs_of_life.packed(sign))
            pipe.sadd(keys.roster(self.hall), self.table)
            pipe.get(keys.clash(self.table))
            *_, clash = pipe.execute()
        self.clash = self._clash_words(signs_of_life.read_clash(clash))
        self._due = self._clock.now() + SIGN_OF_LIFE
        self._forwarder.doubt()

    def _report_clash(self) -> None:
        clash = signs_of_life.Clash(self.journal, self._time_of(self._client))
        self._client.set(keys.clash(self.table), signs_of_life.packed(clash), ex=CLASH_SHOWN_S)

    def _clash_words(self, clash: signs_of_life.Clash | None) -> str:
        if clash is None or clash.journal == self.journal:
            return ""
        return f"Another hub calls itself {self.table} too. It was refused; give it another name."
