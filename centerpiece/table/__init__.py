"""The bookkeeping that every game shares: seats, rounds, scores, calls, penalties, undo.

Pure: nothing here opens, waits, logs, reads a clock or rolls dice. Time is passed in. A command is
decided into events or refused; an event has happened and is never refused. This package knows no
game by name: a game is a subclass of `table.game.Game`.
"""
