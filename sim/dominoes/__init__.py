"""A reference implementation of the games: dominoes shuffled, dealt and played tile by tile.

Pure and seeded: randomness comes in as a `random.Random`; nothing here opens, waits or reads a
clock. Of `centerpiece` only the rule books are imported, so that a mistake in the hub cannot be
hidden by the same mistake here.

`tiles` are small integers and hands are bit sets; `dealing` shuffles; `round` is the interface that
each game implements in a module of its own; `happenings` are what people would report to the hub;
`match` plays rounds to a whole game; `trains` finds the longest train, `rows` what can be removed
from a row.
"""
