"""Coroutines around the hub's callbacks: a phone is answered once its change is written."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from centerpiece.hub.commit_queue import Answer, OnDone
from centerpiece.hub.hub import Hub
from centerpiece.storage.settings import SettingKey
from centerpiece.table.commands import Command
from centerpiece.text import Problem

Value = TypeVar("Value")


async def order(hub: Hub, command: Command, seen: int | None = None, order_key: str = "") -> int:
    """Carry out a command; return the `seq` after it, or raise the problem."""
    return await _result(
        lambda on_done: hub.order(command, on_done, seen=seen, order_key=order_key)
    )


async def change(
    hub: Hub, key: SettingKey[Value], to: Callable[[Value], Value], order_key: str = ""
) -> Value:
    """Change a setting by `to`, a function of its present value; return the new one once written.

    Raise the Problem if the hub refuses it or the disk does. A change with the `order_key` of an
    earlier one is not made again.
    """
    await _result(lambda on_done: hub.change(key, to, on_done, order_key))
    return hub.settings[key]


async def _result(start: Callable[[OnDone], None]) -> int:
    """Call `start` with a callback, and wait until the hub calls that.

    Return the `seq` that the hub answers, or raise the Problem.
    """
    result: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def on_done(answer: Answer) -> None:
        if result.done():
            return  # the request was cancelled
        if isinstance(answer, Problem):
            result.set_exception(answer)
        else:
            result.set_result(answer)

    start(on_done)
    return await result
