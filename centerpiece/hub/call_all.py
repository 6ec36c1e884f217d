"""Calling a function on several items although it may fail for one of them."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

log = logging.getLogger("centerpiece.hub")

Item = TypeVar("Item")


def call_all(function: Callable[[Item], object], items: Iterable[Item]) -> None:
    """Call a function on every item; raise the first error at the end, log the others."""
    first: Exception | None = None
    for item in items:
        try:
            function(item)
        except Exception as error:
            if first is not None:
                log.exception("further error")
            first = first or error
    if first is not None:
        raise first
