"""One folder for each game: its rule books, its own commands and events, its panel map.

Pure: nothing here opens, waits, logs, reads a clock or rolls dice. `registry` has all games;
`centerpiece.table.game` is the interface of a game.
"""
