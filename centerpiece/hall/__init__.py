"""A hall of tables: journals forwarded to Redis, one leaderboard, one clock, one set of rules.

`table` is a table's side, begun by its `link`; `server` is the hall's, begun by its `process`.
They meet in Redis Streams and nowhere else, and say to each other what `wire` knows.
`wire.connection` alone imports redis, and nothing here is imported by a table that follows no hall.
"""
