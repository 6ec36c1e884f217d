"""The error between a table and its hall."""

from centerpiece.text import Problem


class HallError(Problem):
    """The hall cannot be used now. The sentence says what to do; the table plays on."""

    code = "hall"
