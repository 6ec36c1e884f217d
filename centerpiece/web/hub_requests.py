"""Waiting for the result of an order: phones are answered once it is written, and not before."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from centerpiece.hub.commit_queue import Answer, OnDone
from centerpiece.hub.hub import Hub
from centerpiece.storage.settings import SettingKey
from centerpiece.table.commands import Command
from centerpiece.text import Problem

Value = TypeVar("Value")


async def order(hub: Hub, command: Command, seen: int | None = None) -> int:
    """Have a command carried out; return the `seq` after it, or raise the problem."""
    return await _result(lambda on_done: hub.order(command, on_done, seen=seen))


async def change(hub: Hub, key: SettingKey[Value], to: Callable[[Value], Value]) -> Value:
    """Have a setting changed; return its value once it is written, or raise the problem."""
    await _result(lambda on_done: hub.change(key, to, on_done))
    return hub.settings[key]


async def _result(start: Callable[[OnDone], None]) -> int:
    result: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def on_done(answer: Answer) -> None:
        if result.done():
            return  # the phone has gone
        if isinstance(answer, Problem):
            result.set_exception(answer)
        else:
            result.set_result(answer)

    start(on_done)
    return await result
