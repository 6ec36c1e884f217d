"""Checks that every request passes first: by which name it came, and from where.

A web page of somebody else must not be able to reach a hub through a browser in the same room:
neither by pointing its own name at the hub's address (the Host check), nor by posting across
origins (the Origin check, JSON only, a cookie that stays on the site).
Both are checked before anything is read from the request's body.
"""

import asyncio
import ipaddress
import re
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from centerpiece.web.json_answers import HEADERS, WebError, on_problem

LARGEST_BODY = 16_384
BODY_WITHIN = 10.0
OURS = (".local", ".lan", ".home.arpa", ".internal", ".localhost")
"""Endings that no stranger can register."""

_NETLOC = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::\d{1,5})?")


class Guard:
    """Checks Host and Origin, and adds the headers that every answer has."""

    def __init__(self, app: ASGIApp, names: Collection[str] = ()) -> None:
        self.app = app
        self.names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            headers = Headers(scope=scope)
            check_host(headers, self.names)
            if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
                check_origin(headers)
                check_content(headers)
        except WebError as error:
            refusal = await on_problem(Request(scope), error)
            await refusal(scope, receive, send_guarded)
        else:
            await self.app(scope, receive, send_guarded)


def check_host(headers: Headers, names: Collection[str] = ()) -> None:
    """The hub answers to addresses and to names that only its own network can give it."""
    host = host_of(headers.get("host", ""))
    if host and (host in names or "." not in host or host.endswith(OURS) or _is_address(host)):
        return
    raise WebError(
        421, "host", "The hub does not answer to this name. Use the address that it shows."
    )


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def host_of(netloc: str) -> str:
    """The host without its port, in small letters; empty if it cannot be read."""
    found = _NETLOC.fullmatch(netloc.lower())
    return (found[1] or found[2]).rstrip(".") if found else ""


def check_origin(headers: Headers) -> None:
    """A write comes from the hub's own pages, or from no page at all."""
    origin = headers.get("origin")
    if origin is None:
        elsewhere = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
    else:
        scheme, _, netloc = origin.lower().partition("://")
        elsewhere = scheme not in ("http", "https") or netloc != headers.get("host", "").lower()
    if elsewhere:
        raise WebError(403, "origin", "Only the hub's own pages may change anything.")


def check_content(headers: Headers) -> None:
    """JSON, and not too much of it."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise WebError(415, "content-type", "Send JSON, with the content type application/json.")
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > LARGEST_BODY:
        raise too_large()


def too_large() -> WebError:
    """More than any command needs."""
    return WebError(413, "too-large", "A request may have at most {most} bytes.", most=LARGEST_BODY)


async def body_of(request: Request) -> bytes:
    """The body, never more than `LARGEST_BODY` of it and never waiting for long."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_WITHIN):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_BODY:
                    raise too_large()
    except (TimeoutError, ClientDisconnect):
        raise WebError(408, "timeout", "The request was cut off.") from None
    return bytes(body)


def is_loopback(request: Request) -> bool:
    """Return whether a request comes from this very machine, and not through a proxy on it."""
    if request.client is None:
        return False
    if "x-forwarded-for" in request.headers or "forwarded" in request.headers:
        return False
    host = request.client.host
    return _is_address(host) and ipaddress.ip_address(host).is_loopback
