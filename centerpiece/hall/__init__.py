"""A hall of tables: one leaderboard, one clock, one set of rules.

`table` (started by its `hall_link`) publishes a table's line and carries out orders; `server`
(started by its `hall_process`) reads the lines, adds them up and gives orders. They share Redis and
the protocol in `wire`, nothing else.
`wire.redis_connection` alone imports redis, and a table without a hall imports none of this.
"""
