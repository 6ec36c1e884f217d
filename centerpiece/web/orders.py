"""Waiting for what becomes of an order: phones are answered once it is written, and not before."""

import asyncio
from collections.abc import Callable

from centerpiece.hub.orders import Answer, Told
from centerpiece.text import Problem


async def done(order: Callable[[Told], None]) -> int:
    """Give an order to the hub and wait; the `seq` after it, or the problem is raised."""
    answered: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def told(answer: Answer) -> None:
        if answered.done():
            return  # the phone has gone
        if isinstance(answer, Problem):
            answered.set_exception(answer)
        else:
            answered.set_result(answer)

    order(told)
    return await answered
