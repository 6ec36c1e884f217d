"""The web application of a hub: its routes.

Reading is open to everyone on the network; every route that changes anything checks for a paired
phone. All handlers run in the hub's thread, between two presses, so none may take long; a change
is answered once it is written.
"""

import asyncio
import logging
import re
from collections.abc import Callable, Collection
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from centerpiece import __version__
from centerpiece.hub.hub import Hub
from centerpiece.hub.preferences import PREFERENCES, Preferences
from centerpiece.hub.voice import Utterance
from centerpiece.reports.season import SeasonChoice
from centerpiece.reports.season_results import SEASON_FORMATS
from centerpiece.rules.rules import Rules
from centerpiece.speech.languages import language
from centerpiece.speech.topics import Topics
from centerpiece.storage.history import PastGame
from centerpiece.storage.lock import address_noted
from centerpiece.storage.phones import Phone
from centerpiece.table import saved_rules
from centerpiece.table.commands import DeleteGame, NamePerson
from centerpiece.text import Misfit, fitted
from centerpiece.web import machine, past_games, rule_books
from centerpiece.web.event_stream import Stream, event
from centerpiece.web.hub_requests import change, order
from centerpiece.web.json_answers import HANDLERS, WebError, answer, fitting
from centerpiece.web.lazy_bytes import LazyBytes
from centerpiece.web.pairing import COOKIE, LASTS, PhoneRegister
from centerpiece.web.qr_code import print_addresses, svg
from centerpiece.web.repeated_requests import RepeatedRequests, order_key
from centerpiece.web.request_guard import Guard, body_of, host_of
from centerpiece.web.server import address_of, listen, reaches_phones, run
from centerpiece.web.static_files import PAGES, SIMULATED, Asset, Assets
from centerpiece.web.virtual_hub import ButtonPress, MarkerMove, VirtualHub

log = logging.getLogger("centerpiece.web")

T = TypeVar("T")


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request to pair: the phone's name, and the number on the hub's face."""

    name: str
    number: Annotated[str, msgspec.Meta(pattern="^[0-9]{2}$")]


class PairingNumber(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question of the Wi-Fi set-up page: is this the number on the hub's face?"""

    device: Annotated[str, msgspec.Meta(max_length=64)]
    """The address of the device on which it was typed."""
    number: Annotated[str, msgspec.Meta(max_length=16)]


class Read(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request to read something aloud."""

    what: Literal["standings", "card", "sample"]
    seat: Annotated[int, msgspec.Meta(ge=0, le=999)] = 0
    """The seat whose name is the sample; 0 for two numbers."""


class KeeperKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key from the keeper's link."""

    key: str


_SPAN = {"since": 0.0, "until": float("inf")}
_KEYS = msgspec.json.Decoder(KeeperKey)
_PAIRS = msgspec.json.Decoder(Pair)
_NUMBERS = msgspec.json.Decoder(PairingNumber)
_READ = msgspec.json.Decoder(Read)
_SWITCHES = msgspec.json.Decoder(machine.MachineSwitches)
_CHANGES = msgspec.json.Decoder(dict[str, Any])


class Site:
    """The pages of one hub."""

    def __init__(
        self,
        hub: Hub,
        *,
        simulated: bool,
        address: str = "http://centerpiece.local/",
        assets: Assets | None = None,
    ) -> None:
        self.hub = hub
        self.simulated = simulated
        self.address = address
        self.assets = assets or Assets()
        self.phones = PhoneRegister(hub, simulated)
        self.past = past_games.PastGames(hub)
        self.events = Stream(self._greeting)
        self.virtual: VirtualHub | None = None
        if simulated:
            board = hub.board
            docks: Any = board.docks if hasattr(board.docks, "level") else None
            self.virtual = VirtualHub(
                hub, self.phones, board.buttons, board.lights, board.sound, docks
            )
        self._commands: msgspec.json.Decoder[Any] = msgspec.json.Decoder(
            Union[tuple(hub.game_set.commands)]  # noqa: UP007
        )
        self._push_due = False
        self._code = LazyBytes(lambda: svg(address))
        self._sheet = "", self._code
        self._api = LazyBytes(self._openapi)
        self._cards: dict[str, tuple[tuple[Rules, Rules | None], Asset]] = {}
        hub.on_news(self._on_news)
        hub.on_said(self._on_said)

    def routes(self) -> list[Route]:
        """Return the routes of pages and API; those of the virtual hub only on the simulator."""
        get, post, put, delete = ["GET"], ["POST"], ["PUT"], ["DELETE"]
        routes = [
            *(Route(path, self._page(name), methods=get) for path, name in PAGES.items()),
            Route("/api/about", self.about, methods=get),
            Route("/api/openapi.json", self.openapi, methods=get),
            Route("/api/state", self.state, methods=get),
            Route("/api/events", _Asgi(self._listen)),
            Route("/api/commands", self.command, methods=post),
            Route("/api/speech", self.read_aloud, methods=post),
            Route("/api/rules", self.rules, methods=get),
            Route("/api/rulecard", self.rulecard, methods=get),
            Route("/api/panel", self.panel, methods=get),
            Route("/api/players", self.players, methods=get),
            Route("/api/history", self.history, methods=get),
            Route("/api/history/{number}", self.past_game, methods=get),
            Route("/api/history/{number}/sheet.{format}", self.score_sheet, methods=get),
            Route("/api/season", self.season, methods=get),
            Route("/api/season/rounds.{format}", self.season_rounds, methods=get),
            Route("/api/settings", self.settings, methods=get),
            Route("/api/settings", self.set_settings, methods=put),
            Route("/api/machine", self.set_machine, methods=put),
            Route("/api/pair", self.pairing, methods=get),
            Route("/api/pair", self.pair, methods=post),
            Route("/api/pair/number", self.check_number, methods=post),
            Route("/api/phones/{id}", self.revoke, methods=delete),
            Route("/api/qr.svg", self.qr, methods=get),
            Route("/sw.js", self.worker, methods=get),
            Route("/static/{name}", self.static, methods=get),
        ]
        if self.virtual is not None:
            routes += [
                *(Route(path, self._page(name), methods=get) for path, name in SIMULATED.items()),
                Route("/api/keeper", self.keep, methods=post),
                Route("/api/hub", self.virtual.layout, methods=get),
                Route("/api/hub/frames", _Asgi(self.virtual.frames)),
                Route("/api/hub/press", self.virtual.press, methods=post),
                Route("/api/hub/marker", self.virtual.move, methods=post),
                Route("/api/sounds/{cue}.wav", self.virtual.sound, methods=get),
            ]
        return routes

    def close(self) -> None:
        """End all streams and stop reading past games, so that the server can stop."""
        self.events.close()
        self.past.close()
        if self.virtual is not None:
            self.virtual.close()

    # The table

    async def state(self, request: Request) -> Response:
        """Answer with the public state."""
        return answer(self.hub.state())

    async def command(self, request: Request) -> Response:
        """Carry out a command of a paired phone; answer with the table's `seq` once it is written.

        The table refuses a command for a state (If-Match) that is no longer the present one.
        """
        command = fitting(await self.phones.order_of(request), self._commands)
        if isinstance(command, DeleteGame | NamePerson):
            await self.past.check(command)
            self.phones.check(request)  # it may have been removed meanwhile
        key = order_key(request.scope)
        return answer({"seq": await order(self.hub, command, _seen(request), key)})

    def _greeting(self) -> bytes:
        return event(msgspec.json.encode(self.hub.state()), number=self.hub.seq)

    async def _listen(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream events to a page; first load the language that its query names, if known."""
        code = Request(scope).query_params.get("language", "")
        if code in self.assets.languages:
            await asyncio.to_thread(language, code)
        await self.events(scope, receive, send)

    def _on_news(self) -> None:
        """Push the state soon, once for all changes of a moment, if a page is open."""
        if self.events.count and not self._push_due:
            self._push_due = True
            asyncio.get_running_loop().call_soon(self._push)

    def _push(self) -> None:
        self._push_due = False
        self.events.push("state", self._greeting())

    def _on_said(self, utterance: Utterance) -> None:
        """Push what the hub says to all pages, for captions and the browser's own voice."""
        if self.events.count:
            speech = {
                "words": utterance.words(),
                "seats": utterance.message.seats,
                "after": round(utterance.after, 2),
            }
            self.events.push("speech", event(msgspec.json.encode(speech), "speech"))

    async def read_aloud(self, request: Request) -> Response:
        """Read aloud the standings, the next section of the rule card, or a sample."""
        read = fitting(await self.phones.order_of(request), _READ)
        self.hub.read_aloud(read.what, read.seat)
        return answer({"seq": self.hub.seq})

    # Rules

    async def rules(self, request: Request) -> Response:
        """Answer with all games, their profiles, and the house rules saved at this table."""
        return _compressed(
            request,
            {
                "games": rule_books.games(self.hub.game_set),
                "house_rules": self.hub.table.saved_rules,
            },
        )

    async def rulecard(self, request: Request) -> Response:
        """Answer with a rule book in full: the one that the query names, or else the table's.

        The table's is the one that holds from the next round on; lines that differ from the round
        in play are marked.
        """
        table = self.hub.table
        name = request.query_params.get("rules")
        rules, in_play = table.next_rules, table.rules if table.agreed else None
        if name:
            rules, in_play = saved_rules.find(self.hub.game_set, table, name).rules, None
        return self._card(rules, in_play).respond(request)

    def _card(self, rules: Rules, in_play: Rules | None) -> Asset:
        """Return the card of a rule book, kept by its name until `rules` or `in_play` change.

        `in_play` is the rule book of the round in play; None marks no line as coming.
        """
        name, key = rules.full_name, (rules, in_play)
        if name not in self._cards or self._cards[name][0] != key:
            card = rule_books.card(self.hub.game_set.games[rules.game], rules, in_play)
            self._cards[name] = key, Asset.of(msgspec.json.encode(card), ".json")
        return self._cards[name][1]

    async def panel(self, request: Request) -> Response:
        """Answer with the button functions of the chosen game."""
        return answer({"panel": rule_books.panel(self.hub.game_set.game_of(self.hub.table))})

    # People and preferences

    async def players(self, request: Request) -> Response:
        """Answer with the names that have played here, the latest first."""
        return answer({"players": self.hub.settings.players()})

    async def settings(self, request: Request) -> Response:
        """Answer with all preferences: volume, brightness, language and so on."""
        return answer(self.hub.preferences)

    async def set_settings(self, request: Request) -> Response:
        """Change the preferences that the body names; answer with all of them once written.

        Refuse a phone that may not write, a value that does not fit, and a language that the pages
        lack.
        """
        changes = fitting(await self.phones.order_of(request), _CHANGES)
        chosen = changes.get("language", "en")
        if chosen not in self.assets.languages:
            raise Misfit("There is no {field} “{value}”.", field="language", value=chosen)
        return answer(
            await change(
                self.hub,
                PREFERENCES,
                lambda present: fitted(msgspec.to_builtins(present) | changes, Preferences),
                order_key(request.scope),
            )
        )

    async def set_machine(self, request: Request) -> Response:
        """Request to switch SSH or the card's protection; refuse where this machine offers none."""
        switches = fitting(await self.phones.order_of(request), _SWITCHES)
        await asyncio.to_thread(machine.request_change, self.hub.journal.path, switches)
        return answer(switches)

    # Past evenings

    async def history(self, request: Request) -> Response:
        """Answer with all games, the latest first, and the players' records."""
        return answer(await self.past.overview())

    async def past_game(self, request: Request) -> Response:
        """Answer with one past game in full, by the number in the path; 404 if there is none."""
        return answer(
            await self._game(
                request, lambda game: msgspec.Raw(msgspec.json.encode(past_games.in_full(game)))
            )
        )

    async def score_sheet(self, request: Request) -> Response:
        """Answer with a past game's score sheet as HTML, CSV or JSON; 404 without such a game."""
        kind = request.path_params["format"]
        text = await self._game(request, lambda game: past_games.exported(game, kind))
        media = {"html": "text/html", "csv": "text/csv", "json": "application/json"}[kind]
        headers = {
            "Cache-Control": "no-store",
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
            "frame-ancestors 'none'",
        }
        return Response(text, headers=headers, media_type=media)

    async def season(self, request: Request) -> Response:
        """Answer with the season in the query: a span of time, one game or all, certain people.

        What is left out of the query does not narrow it down.
        """
        asked = request.query_params
        since, until = (_time(asked.get(key), default) for key, default in _SPAN.items())
        people = frozenset(name.casefold() for name in asked.getlist("person"))
        choice = SeasonChoice(since, until, asked.get("game", ""), people)
        return answer(await self.past.season(choice))

    async def season_rounds(self, request: Request) -> Response:
        """Answer with every round of all finished games, as CSV or JSON; 404 for another format."""
        kind = request.path_params["format"]
        if kind not in SEASON_FORMATS:
            raise HTTPException(404)
        make, media = SEASON_FORMATS[kind]
        headers = {"Cache-Control": "no-store"}
        return Response(await self.past.query(make), headers=headers, media_type=media)

    async def _game(self, request: Request, convert: Callable[[PastGame], T]) -> T:
        """Return the past game with the number in the path, converted on the history thread.

        `convert` makes the result from the game. Raise 404 if it is no number, or no such game.
        """
        digits = request.path_params["number"]
        if not re.fullmatch("[0-9]{1,9}", digits):
            raise HTTPException(404)
        number = int(digits)
        game = await self.past.query(lambda games: past_games.find_game(games, number, convert))
        if game is None:
            raise WebError(404, "not-found", "There is no game number {number}.", number=number)
        return game

    # Pairing

    async def about(self, request: Request) -> Response:
        """Answer with facts about the hub and whether the request's phone may write.

        A paired phone's cookie is renewed.
        """
        response = answer(
            {
                "version": __version__,
                "address": self.address,
                "reachable": reaches_phones(self.address),
                "simulated": self.simulated,
                "may_write": self.phones.may_write(request),
                **msgspec.to_builtins(machine.current()),
                "languages": {code: each["X-Name"] for code, each in self.assets.languages.items()},
                "unreviewed": {
                    code: each["X-Unreviewed"]
                    for code, each in self.assets.languages.items()
                    if "X-Unreviewed" in each
                },
                "speech": Topics(),
            }
        )
        if self.phones.phone_of(request) is not None:
            _give_token(request, response, request.cookies[COOKIE])
        return response

    async def openapi(self, request: Request) -> Response:
        """Answer with the API's OpenAPI document."""
        return Response(await self._api.get(), media_type="application/json")

    def _openapi(self) -> bytes:
        from centerpiece.web.openapi import openapi

        simulator = (ButtonPress, KeeperKey, MarkerMove) if self.virtual else ()
        return msgspec.json.encode(
            openapi(self.hub.game_set.commands, (Pair, Read, PairingNumber), simulator)
        )

    async def pairing(self, request: Request) -> Response:
        """Answer whether this phone may write; if so, with the face's number and all phones."""
        may_write = self.phones.may_write(request)
        return answer(
            {
                "may_write": may_write,
                "open": self.phones.number(request),
                "phones": self.phones.listed(request) if may_write else [],
            }
        )

    async def pair(self, request: Request) -> Response:
        """Pair this phone by the number on the hub's face; answer with its id, name and cookie.

        One that is paired already stays so, whatever number it sends.
        """
        phone = self.phones.phone_of(request)
        if phone is not None:
            return answer({"id": phone.id, "name": phone.name})
        body = fitting(await body_of(request), _PAIRS)
        return _paired(request, *await self.phones.pair(request, body.name, body.number))

    async def check_number(self, request: Request) -> Response:
        """Check a number for the Wi-Fi set-up page, as for pairing; pair nobody.

        The answer is empty if it is the number on the hub's face, else an error. Refuse anybody but
        that page.
        """
        self.phones.check_set_up_page(request)
        asked = fitting(await body_of(request), _NUMBERS)
        self.phones.check_number(asked.device, asked.number)
        return answer({})

    async def keep(self, request: Request) -> Response:
        """Pair the device that asks, if it sends the key of the link for a simulated hub's tablet.

        A device that is already paired stays as it is: its key is not looked at, and the link can
        still be used by another.
        """
        phone = self.phones.phone_of(request)
        if phone is not None:
            return answer({"id": phone.id, "name": phone.name})
        keeper = fitting(await body_of(request), _KEYS)
        return _paired(request, *await self.phones.keep(request, keeper.key))

    async def revoke(self, request: Request) -> Response:
        """Remove a paired phone."""
        self.phones.check(request)
        await self.phones.revoke(request.path_params["id"])
        return answer({})

    # Files

    def _page(self, name: str) -> Callable[[Request], Any]:
        async def page(request: Request) -> Response:
            text = self.assets.page(name, self.hub.state())
            return Asset.of(text.encode(), ".html").respond(request)

        return page

    async def static(self, request: Request) -> Response:
        """Answer with a file of the pages by its name; 404 for an unknown one, and for HTML."""
        name = request.path_params["name"]
        get = self.assets.get
        asset = await asyncio.to_thread(get, name) if name.endswith(".json") else get(name)
        if asset is None or asset.kind.startswith("text/html"):
            raise WebError(404, "not-found", "This page does not exist. The table is at /.")
        return asset.respond(request)

    async def worker(self, request: Request) -> Response:
        """Answer with the service worker, which must be at the root to control all pages."""
        return self.assets.worker.respond(request)

    async def qr(self, request: Request) -> Response:
        """Answer with a QR code of the hub's address.

        With `game` in the query, it is that of this game's score sheet.
        """
        game = request.query_params.get("game", "")
        headers = {"Cache-Control": "no-cache"}
        code = self._code if game == "" else self._code_of(game)
        return Response(await code.get(), headers=headers, media_type="image/svg+xml")

    def _code_of(self, game: str) -> LazyBytes:
        """Return the QR code of the sheet of game number `game`; raise 404 if that is no number.

        Only the latest is kept, which the big screen shows.
        """
        if not re.fullmatch("[0-9]{1,9}", game):
            raise HTTPException(404)
        if game != self._sheet[0]:
            address = f"{self.address}history#game-{game}"
            self._sheet = game, LazyBytes(lambda: svg(address))
        return self._sheet[1]


def _seen(request: Request) -> int | None:
    """Return the `seq` in the If-Match header: that of the table which the sender saw.

    None without the header; -1, which no table has, if it is malformed.
    """
    seen = request.headers.get("if-match", "").strip(' "')
    if not seen:
        return None
    return int(seen) if re.fullmatch("[0-9]{1,15}", seen) else -1


def _time(text: str | None, default: float) -> float:
    """Return a time in a query as seconds since 1970; `default` if there is none.

    Raise Misfit if it is no number.
    """
    if not text:
        return default
    if not re.fullmatch(r"[0-9]{1,11}(\.[0-9]{1,9})?", text):
        raise Misfit("There is no {field} “{value}”.", field="time", value=text[:20])
    return float(text)


def _compressed(request: Request, body: Any) -> Response:
    """Return a long document compressed and with an ETag."""
    return Asset.of(msgspec.json.encode(body), ".json").respond(request)


def _paired(request: Request, phone: Phone, token: str) -> Response:
    """Return the answer to a newly paired phone, with its token as a cookie."""
    response = answer({"id": phone.id, "name": phone.name})
    _give_token(request, response, token)
    return response


def _give_token(request: Request, response: Response, token: str) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(
        COOKIE, token, max_age=LASTS, path="/", httponly=True, samesite="strict", secure=secure
    )


class _Asgi:
    """Marks a method as an ASGI application: Starlette takes functions for request handlers."""

    def __init__(self, app: Callable[..., Any]) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)


def build(
    hub: Hub,
    *,
    simulated: bool,
    address: str = "http://centerpiece.local/",
    names: Collection[str] = (),
    more: Callable[[PhoneRegister], list[Route]] | None = None,
    assets: Assets | None = None,
) -> Starlette:
    """Return the application of a hub; `app.state.site` is its `Site`.

    `address` is the URL of the pages, `names` are further host names to answer to. `more` returns
    additional routes, such as the hall's. `assets` are the files of the pages, read now if not
    given.
    """
    site = Site(hub, simulated=simulated, address=address, assets=assets)
    guard = Middleware(Guard, names=[*names, host_of(address.partition("//")[2].strip("/"))])
    routes = [*site.routes(), *(more(site.phones) if more else [])]
    middleware = [guard, Middleware(RepeatedRequests)]
    app = Starlette(routes=routes, middleware=middleware, exception_handlers=HANDLERS)
    app.router.redirect_slashes = False
    app.state.site = site
    return app


async def serve(
    hub: Hub,
    host: str,
    port: int,
    *,
    simulated: bool,
    address: str | None = None,
    started: Callable[[str, str | None], None] = print_addresses,
    more: Callable[[PhoneRegister], list[Route]] | None = None,
) -> None:
    """Serve the pages at `host` and `port` until cancelled; raise PortTaken if they cannot be had.

    `started` is called with the address of the pages, and on the simulator with the keeper's link,
    else None. Its key is in the fragment, which browsers do not send: a link preview in a messenger
    does not use it up. `address` overrides the address that follows from host and port.
    """
    listener = listen(host, port)
    address = address or address_of(host, listener.getsockname()[1])
    assets = await asyncio.to_thread(Assets)
    app = build(hub, simulated=simulated, address=address, more=more, assets=assets)
    log.info("pages=%s", address)
    site: Site = app.state.site
    keeper = f"{address}table#keeper={site.phones.keeper_key()}" if simulated else None
    started(address, keeper)
    compressing = asyncio.create_task(asyncio.to_thread(assets.compress))
    path = hub.journal.path
    note = address_noted(path.parent, address) if isinstance(path, Path) else nullcontext()
    try:
        with note:
            await run(app, listener, closing=site.close, knows=site.phones.knows)
    finally:
        await compressing
