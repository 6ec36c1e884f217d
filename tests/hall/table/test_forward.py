"""A table's stream is its journal: sent again without harm, never with a gap."""

from typing import Any

import fakeredis
import pytest

from centerpiece.hall.server.archive import history, snapshot
from centerpiece.hall.table.forward import Forwarder
from centerpiece.hall.table.outbox import Outbox
from centerpiece.hall.wire import keys
from centerpiece.hall.wire.connection import RedisError
from centerpiece.hall.wire.entries import FIELD, stream_id
from centerpiece.hall.wire.errors import HallError, IdTaken, LostEvents, OtherVersion
from centerpiece.table import commands as c
from tests.hall.tables import HallTable, assert_stream_is_journal

SIX = ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn")


def test_the_stream_is_the_journal_event_for_event(seat_table: Any, client: Any) -> None:
    """The event's own number is the entry's ID, and the bytes are the journal's."""
    table = seat_table()
    table.open(*SIX)
    table.press(30)
    table.send()

    entries = client.xrange("table:table-1")
    assert [stream_id(row.seq).encode() for row in table.rows()] == [e[0] for e in entries]
    assert_stream_is_journal(client, table)


def test_sending_again_changes_nothing(seat_table: Any, client: Any) -> None:
    """A table that does not know what arrived sends no event twice."""
    table = seat_table()
    table.open(*SIX)
    table.send()
    before = client.xrange("table:table-1")
    table.connect(client)
    table.send()

    assert before == client.xrange("table:table-1")


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_batches_of_any_size_give_the_same_stream(seat_table: Any, client: Any, batch: int) -> None:
    """Where a batch ends makes no difference."""
    table = seat_table()
    table.open(*SIX)
    table.press(25)
    forwarder = Forwarder(client, table.name, table.id, table.outbox)
    while forwarder.step(batch).events:
        pass

    assert_stream_is_journal(client, table)


def test_a_wiped_redis_is_filled_again_from_the_start(seat_table: Any, client: Any) -> None:
    """Also when it was wiped between two presses, with the connection whole."""
    table = seat_table()
    table.open(*SIX)
    table.send()
    client.flushall()
    table.press(1)
    table.send()

    assert_stream_is_journal(client, table)


@pytest.mark.parametrize("lost", [[1], [2, 3], [9], [1, 2, 20]])
@pytest.mark.parametrize("packed", [0, 10])
def test_a_hole_is_noticed_and_filled(
    seat_table: Any, client: Any, lost: list[int], packed: int
) -> None:
    """By a table that comes back, and by one that never left; the hall's archive is no hole."""
    table = seat_table()
    table.open(*SIX)
    table.press(25)
    table.send()
    snapshot(client, table.name, packed + 5, kept=5)
    gone = [seq for seq in lost if seq > packed]
    for again in (lambda: table.connect(client), lambda: table.clock.move(11.0)):
        client.xdel(keys.stream("table-1"), *map(stream_id, lost))
        before = client.xlen(keys.stream("table-1"))
        again()
        table.send()
        table.send()

        assert_stream_is_journal(client, table)
        if not gone:
            assert before == client.xlen(keys.stream("table-1"))


def test_a_stream_that_claims_to_be_further_than_anything_is_a_sentence(
    seat_table: Any, client: Any
) -> None:
    """Numbers in Redis go further than those of a journal."""
    table = seat_table()
    table.open(*SIX)
    client.xadd(keys.stream("table-1"), {FIELD: b"x"}, id=f"{2**64 - 2}-0")

    with pytest.raises(OtherVersion):
        table.send()


def test_an_older_copy_of_redis_is_brought_up_to_date(seat_table: Any, client: Any) -> None:
    """A stream that ends earlier than the table remembers goes on where it ends."""
    table = seat_table()
    table.open(*SIX)
    table.press(20)
    table.send()
    held = client.xrange(keys.stream("table-1"), count=9)
    client.flushall()
    for entry_id, fields in held:
        client.xadd(keys.stream("table-1"), fields, id=entry_id)
    table.send()

    assert_stream_is_journal(client, table)


def test_a_table_without_redis_plays_on_and_catches_up(seat_table: Any) -> None:
    """Hours without a hall are sent when it returns."""
    server = fakeredis.FakeServer()
    client = fakeredis.FakeRedis(server=server, protocol=2)
    table = seat_table(client=client)
    server.connected = False
    table.open(*SIX)
    table.press(700)
    with pytest.raises(RedisError):
        table.send()
    server.connected = True
    table.send()

    assert_stream_is_journal(client, table)


def test_a_second_hub_of_the_same_name_is_refused_and_both_are_told(
    seat_table: Any, client: Any, tmp_path: Any
) -> None:
    """Nothing of the second is taken, and the first learns of it."""
    first = seat_table()
    first.open(*SIX)
    first.send()
    second = seat_table(folder=tmp_path / "other")
    second.open("Zoe", "Yan")
    with pytest.raises(IdTaken, match="table-1 is in use by another hub"):
        second.send()
    first.clock.move(60)
    first.press(1)
    first.send()

    assert_stream_is_journal(client, first)
    assert "Another hub calls itself table-1 too" in first.sender.clash


def test_two_hubs_of_the_same_name_never_mix_after_a_wipe(
    seat_table: Any, client: Any, tmp_path: Any
) -> None:
    """Whoever comes first has the name; the other is refused from then on."""
    first, second = seat_table(), seat_table(folder=tmp_path / "other")
    first.open(*SIX)
    second.open("Zoe", "Yan")
    first.send()
    client.flushall()
    second.send()
    first.press(3)
    with pytest.raises(IdTaken):
        first.send()

    assert_stream_is_journal(client, second)


def test_a_journal_restored_from_an_older_copy_is_told_apart(
    seat_table: Any, client: Any, tmp_path: Any
) -> None:
    """The hall knows events that the table has lost: they are not written over in silence."""
    table = seat_table()
    table.open(*SIX)
    table.send()
    older = [row for row in table.rows() if row.seq < 5]
    table.journal.database.execute("DELETE FROM events WHERE seq >= 5")

    assert 4 == len(older)
    with pytest.raises(LostEvents, match="restored from an older copy"):
        table.send()


def test_a_stream_of_another_version_is_refused_with_a_sentence(
    seat_table: Any, client: Any
) -> None:
    """Somebody else's entries, or a later format, are neither read nor overwritten."""
    table = seat_table()
    table.open(*SIX)
    client.xadd("table:table-1", {FIELD: b"what is this"}, id="1-0")
    with pytest.raises(OtherVersion, match="cannot be read"):
        table.send()
    client.delete("table:table-1")
    later = b'{"format":2,"journal":"x","at":1.0,"step":1,"version":1,"event":{}}'
    client.xadd("table:table-1", {FIELD: later}, id="1-0")
    with pytest.raises(OtherVersion, match="in format 2"):
        table.send()

    assert 1 == client.xlen("table:table-1")


def test_undo_and_redo_are_forwarded_like_everything_else(seat_table: Any, client: Any) -> None:
    """History is never rewritten, so the stream never is."""
    table = seat_table()
    table.open(*SIX)
    table.press(2)
    table.do(c.Undo(), c.Undo(), c.Redo())
    table.send()

    assert_stream_is_journal(client, table)


def test_a_restarted_hub_goes_on_where_it_was(seat_table: Any, client: Any) -> None:
    """The journal's name is kept in the journal."""
    table: HallTable = seat_table()
    table.open(*SIX)
    table.send()
    table.restart()
    table.press(3)
    table.send()

    assert_stream_is_journal(client, table)


def test_reading_the_outbox_does_not_keep_the_hub_from_writing(seat_table: Any) -> None:
    """A reader in the middle of the file is no reason to wait."""
    table = seat_table()
    table.open(*SIX)
    outbox = Outbox(table.path)
    outbox.rows(1, 2)
    table.press(1)

    assert len(table.rows()) == len(outbox.rows(1, 1000))
    outbox.close()


def test_the_outbox_follows_a_file_that_was_written_anew(seat_table: Any) -> None:
    """And a row that is damaged is not sent to anybody."""
    table = seat_table()
    table.open(*SIX)
    outbox = Outbox(table.path)
    outbox.rows(1, 2)
    table.path.unlink()
    table.press(1)

    assert len(table.rows()) == len(outbox.rows(1, 1000))
    table.journal.database.execute("UPDATE events SET body = X'FF' WHERE seq = 2")
    with pytest.raises(HallError, match="Event 2 is missing"):
        outbox.rows(1, 1000)
    outbox.close()


def test_signs_of_life_name_the_table_and_its_hall(seat_table: Any, client: Any) -> None:
    """The hall learns of a table by its first sign of life."""
    table = seat_table()
    table.open(*SIX)
    table.send()

    assert {b"table-1"} == client.smembers(keys.roster("rally"))
    assert len(history(client, "table-1")[0]) == table.sender.sent
