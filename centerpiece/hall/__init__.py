"""A hall of tables: one leaderboard, one clock, one set of rules.

Each table publishes its line (`table`, begun by its `hall_link`); the hall reads the lines, adds
them up and gives orders (`server`, begun by its `hall_process`). They meet in Redis and nowhere
else, and say to each other what `wire` knows.
`wire.redis_connection` alone imports redis, and a table that follows no hall imports none of this.
"""
