"""Bytes that never change, computed on a thread at the first request."""

import asyncio
from collections.abc import Callable


class LazyBytes:
    """Bytes that are made on a thread and then kept."""

    def __init__(self, make: Callable[[], bytes]) -> None:
        self._make = make
        self._made: asyncio.Future[bytes] | None = None

    async def get(self) -> bytes:
        """Return the bytes. Cancelling one caller does not cancel the work."""
        if self._made is None:
            self._made = asyncio.ensure_future(asyncio.to_thread(self._make))
        return await asyncio.shield(self._made)
