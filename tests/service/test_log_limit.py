"""The log limit."""

import logging

from centerpiece.service.log_limit import MOST, MOST_WORDS, WITHIN, LogLimit


def test_the_same_words_are_written_a_few_times_and_then_counted() -> None:
    """The arguments do not matter; other messages are written meanwhile."""
    now = [0.0]
    limit = LogLimit(lambda: now[0])
    written: list[str] = []

    def say(words: str, *facts: object) -> None:
        record = logging.LogRecord("hub", logging.ERROR, "", 0, words, facts, None)
        if limit.filter(record):
            written.append(record.getMessage())

    for number in range(1_000):
        say("path=%s crashed", number)
    say("the disk is full")
    now[0] += WITHIN
    say("path=%s crashed", "last")

    assert [f"path={n} crashed" for n in range(MOST)] == written[:MOST]
    assert written[MOST:] == [
        "the disk is full",
        f"path=last crashed (and {1_000 - MOST} times more before)",
    ]


def test_words_that_are_always_new_take_no_memory_without_end() -> None:
    """Somebody may have formatted arguments into the template."""
    limit = LogLimit(lambda: 0.0)
    for number in range(3 * MOST_WORDS):
        limit.filter(logging.LogRecord("hub", logging.ERROR, "", 0, f"{number}", (), None))

    assert MOST_WORDS == len(limit._seen)
