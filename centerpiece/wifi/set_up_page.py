"""`centerpiece setup-network`: looks after the hub's Wi-Fi, and serves the page that sets it up.

The decisions are `which_network`'s, the deeds `nmcli`'s. The page is honest: it is no captive
portal, answers to its own address only, and says what will happen to the phone that uses it.
It can change something only while the hub's own network is open.

A hub that was never set up has a network without a password. There the page asks for the number
on the hub's face, so that nobody sets it up from the next house, and offers to just play.
"""

import asyncio
import logging
import os
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from html import escape
from pathlib import Path
from typing import Protocol
from urllib.parse import parse_qs

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from centerpiece.config import Config, NetworkSettings
from centerpiece.service.problems import tell
from centerpiece.service.systemd import notify
from centerpiece.web.json_answers import WebError
from centerpiece.web.request_guard import BODY_WITHIN, check_host, check_origin
from centerpiece.web.server import listen, run, stop_signal
from centerpiece.wifi.nmcli import Network, NetworkTrouble, Nmcli
from centerpiece.wifi.which_network import JoinRequest, NetworkView, WifiStatus, asked, step, tried

log = logging.getLogger("centerpiece.wifi")

PORT = 8000
ADDRESS = "10.42.0.1"
"""The hub's own in the network that it opens, as NetworkManager gives it."""
TABLES_PORT = 80
TICK = 5.0
ANSWER_FIRST = 2.0
"""Seconds between a wish and the closing of the network that its answer travels on."""
LARGEST_FORM = 2048
WISHES = 1
"""Requests that may wait: each takes a minute, and the last word of a person counts."""


class Radio(Protocol):
    """The network as its keeper needs it; `Nmcli` is the real one."""

    def look(self) -> NetworkView: ...
    def networks(self) -> list[Network]: ...
    def open(self, ssid: str, password: str) -> None: ...
    def close(self) -> None: ...
    def join(self, wish: JoinRequest) -> None: ...


class NetworkKeeper:
    """Looks after one network. Its methods block; time is passed in."""

    def __init__(
        self, settings: NetworkSettings, radio: Radio, now: float, marker: Path | None = None
    ) -> None:
        """`marker` is the file that says that somebody has set the hub up."""
        self.settings = settings
        self.radio = radio
        self.marker = marker
        self.link = WifiStatus("looking", now)
        self.networks: list[Network] = []
        self._troubled = ""

    @property
    def open_to_all(self) -> bool:
        """Nobody has set the hub up yet, and its network has no password."""
        marked = self.marker is not None and self.marker.exists()
        return self.settings.open_until_set_up and not marked

    def set_up(self) -> None:
        """Somebody has chosen how to go on: the next time, the network has its password."""
        if self.marker is not None and self.open_to_all:
            self.marker.touch()

    def tick(self, now: float) -> None:
        """See how things are and do what follows from it."""
        before = self.link
        seen = self.radio.look()
        self.link, action = step(before, seen, now, self.settings.patience_s)
        if before.phase != self.link.phase:
            log.info("network: %s after %s", self.link.phase, before.phase)
            if self.link.phase in ("home", "own"):
                missing = seen.known and self.link.phase == "own"
                tell("network", GONE.format(own=self.settings.ssid) if missing else "")
        if action == "open":
            self._open(now)
        elif action == "close":
            self.radio.close()

    def join(self, wish: JoinRequest, now: Callable[[], float]) -> None:
        """Try to join another network; if that fails, the own one opens again."""
        self.link = asked(self.link, now())
        trouble = ""
        try:
            self.radio.join(wish)
        except NetworkTrouble as error:
            trouble = str(error)
        else:
            self.set_up()
        self.link, action = tried(trouble, now())
        if action == "open":
            self._open(now())

    def _open(self, now: float) -> None:
        # A radio that serves a network hears others badly, so it listens before.
        self.networks = self.radio.networks() or self.networks
        try:
            password = "" if self.open_to_all else self.settings.password
            self.radio.open(self.settings.ssid, password)
            self._troubled = ""
        except NetworkTrouble as error:
            if str(error) != self._troubled:
                log.warning("network: %s", error)
            self._troubled = str(error)
            self.link = WifiStatus("looking", now, trouble=self.link.trouble)


Check = Callable[[str], str]
"""Compare a number with that on the hub's face: an empty answer, or why not. May block."""


def ask_hub(port: int) -> Check:
    """The hub itself knows its number."""

    def check(number: str) -> str:
        wish = msgspec.json.encode({"name": "set-up", "number": number})
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/api/pair", wish, {"Content-Type": "application/json"}
        )
        try:
            urllib.request.urlopen(request, timeout=20).close()
        except urllib.error.HTTPError:
            return WRONG_NUMBER
        except OSError:
            return "The hub is not ready yet. Try again in a minute."
        return ""

    return check


class SetupPage:
    """One page with one form."""

    def __init__(
        self, keeper: NetworkKeeper, check: Check = lambda number: "", port: int = TABLES_PORT
    ) -> None:
        self.keeper = keeper
        self._check = check
        self._table = f"http://{ADDRESS}{'' if port == TABLES_PORT else f':{port}'}/"
        self.wishes: asyncio.Queue[JoinRequest] = asyncio.Queue(WISHES)
        """Requests of a person."""

    def app(self) -> Starlette:
        """The application."""
        return Starlette(
            routes=[
                Route("/", self.form, methods=["GET"]),
                Route("/join", self.join, methods=["POST"]),
                Route("/play", self.play, methods=["POST"]),
            ],
        )

    async def form(self, request: Request) -> HTMLResponse:
        """Show what the hub sees in the air, and where it may go."""
        try:
            check_host(request.headers)
        except WebError as error:
            return _page(f"<p>{escape(str(error))}</p>", error.status)
        if self.keeper.link.phase != "own":
            return _page(AT_HOME)
        return self._asking(self.keeper.link.trouble)

    async def join(self, request: Request) -> HTMLResponse:
        """Take a wish, and say what happens now."""
        return await self._taken(request, self._join)

    async def play(self, request: Request) -> HTMLResponse:
        """Stay as it is, with a password from the next time on."""
        return await self._taken(request, self._play)

    async def _taken(
        self, request: Request, deed: Callable[[dict[str, str]], HTMLResponse]
    ) -> HTMLResponse:
        try:
            check_host(request.headers)
            check_origin(request.headers)
            if self.keeper.link.phase != "own":
                return _page(AT_HOME, 409)
            fields = fields_of(await _body(request))
            await self._check_number(fields)
            return deed(fields)
        except WebError as error:
            return _page(f"<p>{escape(str(error))}</p>", error.status)
        except ValueError as error:
            return self._asking(str(error), 422)

    async def _check_number(self, fields: dict[str, str]) -> None:
        if self.keeper.open_to_all:
            wrong = await asyncio.to_thread(self._check, fields.get("number", "").strip())
            if wrong:
                raise ValueError(wrong)

    def _asking(self, trouble: str, status: int = 200) -> HTMLResponse:
        keeper = self.keeper
        return _page(_form(keeper.networks, trouble, keeper.open_to_all, self._table), status)

    def _join(self, fields: dict[str, str]) -> HTMLResponse:
        wish = wish_of(fields)
        try:
            self.wishes.put_nowait(wish)
        except asyncio.QueueFull:
            return _page(ASKED, 429)
        return _page(LEAVING.format(ssid=escape(wish.ssid), own=escape(self.keeper.settings.ssid)))

    def _play(self, fields: dict[str, str]) -> HTMLResponse:
        self.keeper.set_up()
        settings = self.keeper.settings
        own, password = escape(settings.ssid), escape(settings.password)
        return _page(PLAY.format(table=self._table, own=own, password=password))


async def _body(request: Request) -> bytes:
    body = b""
    try:
        async with asyncio.timeout(BODY_WITHIN):
            async for piece in request.stream():
                body += piece
                if len(body) > LARGEST_FORM:
                    raise ValueError("That was too long. Fill in the form on this page.")
    except (TimeoutError, ClientDisconnect):
        raise ValueError("Part of that is missing. Send it again.") from None
    return body


def fields_of(body: bytes) -> dict[str, str]:
    """The form's fields, or a ValueError that says that there are none."""
    try:
        fields = parse_qs(body.decode(), True, strict_parsing=True, max_num_fields=5)
    except (UnicodeDecodeError, ValueError):
        raise ValueError("That did not work. Fill in the form on this page.") from None
    return {name: values[0] for name, values in fields.items()}


def wish_of(fields: dict[str, str]) -> JoinRequest:
    """The network that is wanted, or a ValueError that says what is wrong with it."""
    ssid = (fields.get("other") or fields.get("ssid", "")).strip()
    password = fields.get("password", "")
    if not 1 <= len(ssid.encode()) <= 32 or ssid.startswith("-") or "\0" in ssid + password:
        raise ValueError("Choose a network, or type its name (at most 32 letters).")
    if password and not 8 <= len(password.encode()) <= 64:
        raise ValueError("A Wi-Fi password has 8 to 63 letters. Look at the label of your router.")
    return JoinRequest(ssid, password)


def _form(networks: list[Network], trouble: str, asks_number: bool, table: str) -> str:
    choices = "".join(
        f'<label><input type="radio" name="ssid" value="{escape(each.ssid)}" required> '
        f"{escape(each.ssid)}{'' if each.secured else ' (open)'}</label>"
        for each in networks
    ).replace(" required", " checked", 1)
    seen = f"<fieldset><legend>Your Wi-Fi</legend>{choices}</fieldset>" if choices else ""
    warning = f'<p class="trouble" role="alert">{escape(trouble)}</p>' if trouble else ""
    number, play = (NUMBER, JUST_PLAY) if asks_number else ("", "")
    return f"""{warning}{play}<p>Your phone is in the hub's own network. You can play here as it is:
<a href="{table}">open the table</a>. Or show the hub the Wi-Fi of this house:</p>
<form method="post" action="/join">{number}{seen}
<label>{"Another one" if choices else "Name of your Wi-Fi"}
<input name="other" maxlength="32" autocomplete="off" autocapitalize="none"></label>
<label>Its password
<input name="password" type="password" maxlength="64" autocomplete="off"></label>
<button>Join this Wi-Fi</button></form>"""


NUMBER = """<label>The number on the hub's face
<input name="number" inputmode="numeric" maxlength="6" autocomplete="off" required></label>"""

JUST_PLAY = f"""<p>Hold <b>Train</b> and <b>Advance</b> on the hub for three seconds: its face shows
a number.</p><form method="post" action="/play">{NUMBER}<button>Just play</button></form>"""

WRONG_NUMBER = (
    "That is not the number on the hub's face. Hold Train and Advance for three seconds, "
    "and type the number that it shows."
)

PLAY = """<p>The table is yours: <a href="{table}">open it</a>.</p>
<p>This Wi-Fi stays as it is until the hub is unplugged. From then on it has a password, which is
on the hub's sticker too:</p><p>“{own}”<br><b>{password}</b></p>"""

GONE = (
    "The Wi-Fi that this hub knows is out of reach, so it has opened its own, “{own}”. "
    "Phones can play in it; the hub goes home by itself when it can."
)

AT_HOME = "<p>The hub is in a network already. There is nothing to set up.</p>"

ASKED = """<p>Somebody has just chosen another network, and the hub is about to try it.
Look here again in a minute.</p>"""

LEAVING = """<p>The hub now leaves this network and tries to join “{ssid}”.</p>
<p>Your phone goes back to the Wi-Fi it usually has. Scan the third code of the sticker there,
and the table opens.</p>
<p>If the network “{own}” is there again after a minute, it did not work: join it once more,
and this page says why.</p>"""

_STYLE = """:root{color-scheme:light dark}
body{font:20px/1.5 system-ui,sans-serif;max-width:34rem;margin:auto;padding:1rem}
label{display:block;margin:.75rem 0}input,button{font:inherit}
input:not([type=radio]){display:block;width:100%;box-sizing:border-box;padding:.5rem}
button{width:100%;padding:.75rem;margin-top:1rem}
.trouble{border-left:.4rem solid #b3261e;padding-left:.75rem}"""

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def _page(body: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>The hub's Wi-Fi</title><style>{_STYLE}</style>"
        f"<main><h1>The hub's Wi-Fi</h1>{body}</main></html>",
        status,
        _HEADERS,
    )


async def keep(
    keeper: NetworkKeeper,
    wishes: "asyncio.Queue[JoinRequest]",
    now: Callable[[], float] = time.monotonic,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Tick until cancelled; a wish comes before the next tick."""
    while True:
        await asyncio.to_thread(keeper.tick, now())
        notify("WATCHDOG=1")
        try:
            wish = await asyncio.wait_for(wishes.get(), TICK)
        except TimeoutError:
            continue
        await pause(ANSWER_FIRST)
        await asyncio.to_thread(keeper.join, wish, now)


async def serve(config: Config) -> None:
    """Look after the network and serve the page, until somebody ends the process."""
    state = os.environ.get("STATE_DIRECTORY")
    marker = Path(state) / "set-up" if state else None
    keeper = NetworkKeeper(config.network, Nmcli(), time.monotonic(), marker)
    listener = listen("0.0.0.0", PORT)
    page = SetupPage(keeper, ask_hub(config.server.port), config.server.port)
    notify("READY=1")
    keeping = asyncio.create_task(keep(keeper, page.wishes))
    try:
        await run(page.app(), listener, stop_signal())
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
