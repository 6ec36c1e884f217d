"""The table's truth: dominoes shuffled, dealt and played by the full rules of every profile.

Pure and seeded: randomness comes in as a `random.Random`; nothing here opens, waits or reads a
clock. Nothing here knows the hub: of `centerpiece`, only the rule books are read, so that a
mistake in the hub cannot hide behind the same mistake here.

`tiles` are small integers and hands are bit sets; `deal` shuffles; each game is one module behind
the small interface of `round`; `happenings` are what people at the table would tell the hub;
`match` strings rounds into a whole game; `trains` finds the longest train, `rows` what can be
removed from a row.
"""
