"""What can go wrong between a table and its hall. Each says what to do; the table plays on."""

from centerpiece.text import Problem


class HallError(Problem):
    """The hall cannot be used now."""

    code = "hall"


class WrongAddress(HallError, ValueError):
    """What was given cannot be the address of a Redis."""


class IdTaken(HallError, ValueError):
    """Another hub forwards its journal under the same name."""


class LostEvents(HallError, ValueError):
    """The hall knows more of this table than the table does."""


class OtherVersion(HallError, ValueError):
    """A stream that this release cannot read."""


class Unreadable(HallError, ValueError):
    """Under the name of a table lies something that is no journal."""

    def __init__(self, table: str) -> None:
        super().__init__(
            "Something that is no journal lies under the name of {table}. "
            "Free the name; the table will send its journal again.",
            table=table,
        )


class Gap(HallError, LookupError):
    """An event did not follow the one before it."""
