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
    """Return the key of a request that writes; empty for one that reads, or without a valid key."""
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
        """Answer a request with the kept answer to one with the same key, path, method and sender.

        If that one is not answered yet, wait for it. The first of a key is passed on, as is a
        request without a key, and the next one if the first was not kept.
        """
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
        """Pass on the first request of a key; keep its answer as `name` if its status is in `KEPT`.

        Repetitions that wait for it are then answered; without an answer to keep, one of them is
        passed on. Of more than `MOST_ANSWERS` answers, the oldest is forgotten.
        """
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
