"""Repeated requests: an order that a browser sends twice is carried out once.

When a connection is reset, a browser sends its request again, although the first one may have been
carried out. So each order of a page carries a random key in the header Idempotency-Key, made when
the finger comes down. A request with a known key gets the answer of the first one, and waits for it
if need be. Answers are kept in memory; `hub.order_keys` and the hall's stream keep the keys of what
was written.
"""

import asyncio
import re
from collections import OrderedDict

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "idempotency-key"
KEPT = (200, 409)
"""Statuses of answers that are kept: what was done, and what the table refused. All others have
changed nothing and may be tried again; nobody without the right to write gets one of these."""
MOST_ANSWERS = 512

_KEY = re.compile("[0-9A-Za-z_-]{16,64}")


def order_key(scope: Scope) -> str:
    """Return the key of a request that writes; empty without a valid one."""
    if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
        return ""
    key = Headers(scope=scope).get(HEADER, "")
    return key if _KEY.fullmatch(key) else ""


class RepeatedRequests:
    """ASGI middleware that answers a repeated request with the first one's answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._answers: OrderedDict[tuple[str, ...], asyncio.Future[list[Message]]] = OrderedDict()
        """Each answer's messages, once it is complete; none for one that is not kept."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = order_key(scope)
        if not key:
            await self._app(scope, receive, send)
            return
        # With its sender's credentials: whoever copies a key gets nobody else's answer.
        headers = Headers(scope=scope)
        sender = headers.get("cookie", ""), headers.get("authorization", "")
        name = (scope["method"], scope["path"], *sender, key)
        while (known := self._answers.get(name)) is not None:
            if messages := await asyncio.shield(known):
                for message in messages:
                    await send(message)
                return
        await self._first(name, scope, receive, send)

    async def _first(
        self, name: tuple[str, ...], scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Have the first request of a key answered; keep the answer if its status is in `KEPT`."""
        answer = self._answers[name] = asyncio.get_running_loop().create_future()
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)
            await send(message)

        done = False
        try:
            await self._app(scope, receive, keep)
            done = messages[0]["status"] in KEPT
        finally:
            if not done:
                self._answers.pop(name, None)
            answer.set_result(messages if done else [])
            while len(self._answers) > MOST_ANSWERS:
                self._answers.popitem(last=False)
