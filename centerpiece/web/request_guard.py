"""Host and Origin checks for every request, before its body is read.

A foreign web page must not reach a hub through a browser in the same room: neither by pointing
its own name at the hub's address (DNS rebinding: the Host check), nor by posting across origins
(the Origin check, JSON only, a SameSite cookie).
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
BODY_TIMEOUT = 10.0
LOCAL_SUFFIXES = (".local", ".lan", ".home.arpa", ".internal", ".localhost")
"""Domains that nobody can register publicly."""

_NETLOC = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::\d{1,5})?")


class Guard:
    """ASGI middleware that checks Host and Origin, and adds the security headers."""

    def __init__(self, app: ASGIApp, names: Collection[str] = ()) -> None:
        self.app = app
        self.names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request's Host and, if it writes, its Origin and content type; then pass it on.

        One that fails is answered with an error. Each answer gets those of `HEADERS` that it lacks.
        """
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
    """Raise WebError 421 unless the Host is an IP address, a local name or one of `names`.

    Every other name could be registered and pointed at the hub by a stranger.
    """
    host = host_of(headers.get("host", ""))
    local = "." not in host or host.endswith(LOCAL_SUFFIXES)
    if host and (host in names or local or _is_address(host)):
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
    """Return the host without its port, in lower case; empty if malformed."""
    match = _NETLOC.fullmatch(netloc.lower())
    return (match[1] or match[2]).rstrip(".") if match else ""


def check_origin(headers: Headers) -> None:
    """Raise WebError 403 for a request that a page of another site sends.

    The hub's own pages pass, and so do clients that are no browser and send neither Origin nor
    Sec-Fetch-Site.
    """
    origin = headers.get("origin")
    if origin is None:
        elsewhere = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
    else:
        scheme, _, netloc = origin.lower().partition("://")
        elsewhere = scheme not in ("http", "https") or netloc != headers.get("host", "").lower()
    if elsewhere:
        raise WebError(403, "origin", "Only the hub's own pages may change anything.")


def check_content(headers: Headers) -> None:
    """Raise WebError for a body that is not JSON or is announced as beyond `LARGEST_BODY`."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise WebError(415, "content-type", "Send JSON, with the content type application/json.")
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > LARGEST_BODY:
        raise too_large()


def too_large() -> WebError:
    """Return the error for a request that is too long."""
    return WebError(413, "too-large", "A request may have at most {most} bytes.", most=LARGEST_BODY)


async def body_of(request: Request) -> bytes:
    """Return the body; raise WebError beyond `LARGEST_BODY` bytes or `BODY_TIMEOUT` seconds."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_TIMEOUT):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_BODY:
                    raise too_large()
    except (TimeoutError, ClientDisconnect):
        raise WebError(408, "timeout", "The request was cut off.") from None
    return bytes(body)


def is_this_machine(request: Request) -> bool:
    """Return whether a request comes from this machine, and not through a proxy on it.

    True also for the machine's own address in the network: a connection to that address comes from
    it.
    """
    if request.client is None:
        return False
    if "x-forwarded-for" in request.headers or "forwarded" in request.headers:
        return False
    host = request.client.host
    if not _is_address(host):
        return False
    own = request.scope.get("server") or ("",)
    return ipaddress.ip_address(host).is_loopback or host == own[0]
