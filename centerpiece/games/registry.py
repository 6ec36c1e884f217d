"""All games, in the order in which the lobby offers them. A new game is added here."""

from centerpiece.games.castle_rock.game import CastleRock
from centerpiece.games.chickenfoot.game import Chickenfoot
from centerpiece.games.mexican_train.game import MexicanTrain
from centerpiece.games.muggins.game import Muggins
from centerpiece.games.super_15.game import Super15
from centerpiece.table.books import Books

BOOKS = Books((MexicanTrain(), Chickenfoot(), Muggins(), CastleRock(), Super15()))
"""The books over all games."""
