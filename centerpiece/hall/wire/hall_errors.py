"""Errors between a table and its hall. Each says what to do; the table plays on."""

from centerpiece.text import Problem


class HallError(Problem):
    """The hall cannot be used now."""

    code = "hall"


class WrongAddress(HallError, ValueError):
    """The address given cannot be that of a Redis."""


class OlderJournal(HallError, ValueError):
    """The hall knows more of this table than its journal does."""
