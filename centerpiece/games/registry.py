"""All games, in the order in which the lobby offers them. A new game is added here."""

from centerpiece.games.mexican_train.game import MexicanTrain
from centerpiece.table.books import Books

BOOKS = Books((MexicanTrain(),))
"""The books over all games."""
