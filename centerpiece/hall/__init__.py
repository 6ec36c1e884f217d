"""A hall of tables: journals forwarded to Redis, one leaderboard, one clock, one set of rules.

A table's side is `link` (with `outbox`, `forward` and `obey`); the hall's side is `serving` (with
`follow`, `rally`, `desk` and `pages`). They meet in Redis Streams and nowhere else.
`server` alone imports redis, and nothing here is imported by a table that follows no hall.
"""
