"""One folder for each game: its rule books, what it adds to the books, its panel map.

Pure: nothing here opens, waits, logs, reads a clock or rolls dice.
`registry` knows all games; `centerpiece.table.game` says what a game is.
"""
