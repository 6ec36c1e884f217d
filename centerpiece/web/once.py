"""What does not change is made once, beside the hub, when somebody first asks for it."""

import asyncio
from collections.abc import Callable


class Once:
    """Bytes that are made on a thread and then kept."""

    def __init__(self, make: Callable[[], bytes]) -> None:
        self._make = make
        self._made: asyncio.Future[bytes] | None = None

    async def get(self) -> bytes:
        """The bytes; who leaves while they are made leaves them to the others."""
        if self._made is None:
            self._made = asyncio.ensure_future(asyncio.to_thread(self._make))
        return await asyncio.shield(self._made)
