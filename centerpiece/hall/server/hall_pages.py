"""The hall's pages. Everybody may read them; orders need the organiser's token."""

import asyncio
import hmac
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from centerpiece.hall.server import documents
from centerpiece.hall.server.desk import Desk
from centerpiece.hall.server.desk_requests import AnyRequest
from centerpiece.hall.wire.hall_errors import HallError
from centerpiece.hall.wire.redis_connection import RedisError, words
from centerpiece.locale.catalogue import CATALOGUES, ENGLISH, Catalogues
from centerpiece.text import Sentence
from centerpiece.web.json_answers import HANDLERS, WebError, answer, failure, fitting
from centerpiece.web.repeated_requests import RepeatedRequests, order_key
from centerpiece.web.request_guard import Guard, body_of
from centerpiece.web.static_files import KINDS, STATIC, Asset

OWN = Path(__file__).with_name("static")
SHARED = ("style.css", "icon.svg", "icons.svg", "choices.js", "dom.js", "words.js")
"""Files of a table's pages that the hall's use too."""
LONGEST_SEARCH = 60
WRONG_TOKENS = 5
"""Wrong tokens a minute from one address before it must wait; the right one always works."""
ADDRESSES = 1_000
_REQUESTS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyRequest)


class HallSite:
    """The pages of one hall process."""

    def __init__(
        self,
        desk: Desk,
        token: str,
        trouble: Callable[[], str] = lambda: "",
        catalogues: Catalogues = CATALOGUES,
    ) -> None:
        self._desk = desk
        self._token = token.encode()
        self._trouble = trouble
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()
        files = [*(STATIC / name for name in SHARED), *OWN.iterdir()]
        self._files = {
            path.name: Asset.of(path.read_bytes(), path.suffix)
            for path in files
            if path.suffix in KINDS
        }
        for code in catalogues.headers:
            words = catalogues.get(code).document("page", "hall")
            self._files[f"{code}.json"] = Asset.of(msgspec.json.encode(words), ".json")
        self._catalogues = catalogues

    async def state(self, request: Request) -> Response:
        """Answer with the hall's document: the part and the names that the query asks for.

        A number in the query that is none counts as 0.
        """
        query = request.query_params
        document = await asyncio.to_thread(
            documents.document,
            self._desk,
            self._desk.hall_now(),
            query.get("q", "")[:LONGEST_SEARCH],
            _whole(query.get("people", "0")),
            _whole(query.get("tables", "0")),
        )
        languages = {code: each["X-Name"] for code, each in self._catalogues.headers.items()}
        return answer(document | {"trouble": self._trouble(), "languages": languages})

    async def order(self, request: Request) -> Response:
        """Give the order in the body; refuse it without the organiser's token.

        A request that is repeated with its order key gives no second order.
        """
        self._check(request)
        asked = fitting(await body_of(request), _REQUESTS)
        await asyncio.to_thread(self._desk.do, asked, order_key(request.scope))
        return answer({})

    async def check_token(self, request: Request) -> Response:
        """Check the organiser's token; answer the rules to choose from."""
        self._check(request)
        return answer({"rules": self._desk.rules()})

    async def results(self, request: Request) -> Response:
        """Answer with the result to print, in the language of the query or else in English."""
        leaderboard = await asyncio.to_thread(self._desk.leaderboard)
        language = request.query_params.get("language", "en")
        language = language if language in self._catalogues.headers else ENGLISH
        catalogue = self._catalogues.get(language)
        texts = catalogue.part("page") | catalogue.part("hall")

        def say(key: str, **facts: Any) -> str:
            return str(Sentence(texts[key], facts))

        text = documents.as_page(self._desk, leaderboard, language, say)
        return Response(text, media_type="text/html")

    async def results_csv(self, request: Request) -> Response:
        leaderboard = await asyncio.to_thread(self._desk.leaderboard)
        headers = {"Content-Disposition": f'attachment; filename="{self._desk.hall}.csv"'}
        return Response(documents.as_csv(leaderboard), headers=headers, media_type="text/csv")

    async def results_json(self, request: Request) -> Response:
        leaderboard = await asyncio.to_thread(self._desk.leaderboard)
        return answer(documents.as_json(self._desk, leaderboard))

    async def static(self, request: Request) -> Response:
        asset = self._files.get(request.path_params["name"])
        if asset is None or asset.kind.startswith("text/html"):
            raise WebError(404, "not-found", "This page does not exist. The hall is at /.")
        return asset.respond(request)

    async def page(self, request: Request) -> Response:
        name = "desk.html" if request.url.path == "/desk" else "hall.html"
        return self._files[name].respond(request)

    def _check(self, request: Request) -> None:
        """Raise WebError 401 for a request without the organiser's token.

        An address that has sent too many wrong tokens gets 429 instead.
        """
        if self.knows(request.scope):
            return
        if request.headers.get("authorization"):
            self._count_wrong(request.client.host if request.client else "", time.monotonic())
        raise WebError(401, "token", "This needs the organiser's token.")

    def knows(self, scope: Scope) -> bool:
        """Return whether a request has the organiser's token, as a bearer token."""
        given = Headers(scope=scope).get("authorization", "")
        scheme, _, token = given.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(token.encode(), self._token)

    def _count_wrong(self, address: str, now: float) -> None:
        """Count a wrong token of an address at the time `now`; raise WebError 429 after too many.

        Those of the last minute count. Only the latest `ADDRESSES` addresses are remembered.
        """
        tries = [at for at in self._wrong.pop(address, []) if now - at < 60]
        self._wrong[address] = tries
        while len(self._wrong) > ADDRESSES:
            self._wrong.popitem(last=False)
        if len(tries) >= WRONG_TOKENS:
            raise WebError(429, "wait", "Too many wrong tokens. Wait a minute.", wait=60)
        tries.append(now)


async def _on_redis(request: Request, error: Exception) -> Response:
    return failure(503, "hall", Sentence("{why}", {"why": words(error)}), {"Retry-After": "5"})


def build(site: HallSite) -> Starlette:
    """Return the application of a hall process."""
    routes = [
        Route("/", site.page),
        Route("/desk", site.page),
        Route("/results", site.results),
        Route("/api/hall", site.state),
        Route("/api/hall/results.csv", site.results_csv),
        Route("/api/hall/results.json", site.results_json),
        Route("/api/hall/token", site.check_token, methods=["POST"]),
        Route("/api/hall/orders", site.order, methods=["POST"]),
        Route("/static/{name}", site.static),
    ]
    handlers = {**HANDLERS, RedisError: _on_redis, HallError: _on_redis}
    middleware = [Middleware(Guard), Middleware(RepeatedRequests)]
    app = Starlette(routes=routes, middleware=middleware, exception_handlers=handlers)
    app.router.redirect_slashes = False
    return app


def _whole(text: str) -> int:
    return min(int(text), 10**9) if text.isdecimal() and len(text) < 12 else 0
