"""`centerpiece setup-network`: manages the hub's Wi-Fi, and serves its set-up page.

`which_network` decides, `nmcli` carries out. The page is no captive portal, answers to its own
address only, and says what will happen to the phone. It takes changes only while the hub's own
network is open.

A hub that was never set up opens a network without a password. Its page then requires the number
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
from centerpiece.text import NOT_JSON
from centerpiece.web.json_answers import WebError
from centerpiece.web.request_guard import BODY_TIMEOUT, check_host, check_origin
from centerpiece.web.server import listen, run, stop_signal
from centerpiece.wifi.nmcli import Network, NetworkTrouble, Nmcli
from centerpiece.wifi.which_network import (
    JoinRequest,
    NetworkView,
    WifiStatus,
    begin_join,
    end_join,
    step,
)

log = logging.getLogger("centerpiece.wifi")

PORT = 8000
ADDRESS = "10.42.0.1"
"""The hub's address in its own network, as NetworkManager assigns it."""
TABLES_PORT = 80
TICK = 5.0
ANSWER_FIRST = 2.0
"""Seconds before the network closes, in which the page's answer must reach the phone."""
LARGEST_FORM = 2048
MOST_PENDING = 1
"""Pending requests to join; each takes a minute."""


class Radio(Protocol):
    """The interface of `Nmcli`. All methods may block."""

    def look(self) -> NetworkView: ...
    def networks(self) -> list[Network]: ...
    def open(self, ssid: str, password: str) -> None: ...
    def close(self) -> None: ...
    def join(self, target: JoinRequest) -> None: ...


class NetworkKeeper:
    """Opens, closes and joins networks as `which_network` decides. Its methods block."""

    def __init__(
        self, settings: NetworkSettings, radio: Radio, now: float, marker: Path | None = None
    ) -> None:
        """Start looking; `marker` is a file that exists once somebody has set the hub up."""
        self.settings = settings
        self.radio = radio
        self.marker = marker
        self.link = WifiStatus("looking", now)
        self.networks: list[Network] = []
        self._troubled = ""

    @property
    def open_to_all(self) -> bool:
        """True while nobody has set the hub up; its own network then has no password."""
        marked = self.marker is not None and self.marker.exists()
        return self.settings.open_until_set_up and not marked

    def set_up(self) -> None:
        """Note that the hub was set up: next time, its own network has a password."""
        if self.marker is not None and self.open_to_all:
            self.marker.touch()

    def tick(self, now: float) -> None:
        """Look at the network at the time `now`; open or close the own one if it is time.

        If the own one opens although a network is saved, that is noted as a problem of the machine.
        """
        before = self.link
        seen = self.radio.look()
        self.link, action = step(before, seen, now, self.settings.patience_s)
        if before.phase != self.link.phase:
            log.info("network=%s before=%s", self.link.phase, before.phase)
            if self.link.phase in ("home", "own"):
                missing = seen.saved and self.link.phase == "own"
                tell("network", GONE.format(own=self.settings.ssid) if missing else "")
        if action == "open":
            self._open(now)
        elif action == "close":
            self.radio.close()

    def join(self, target: JoinRequest, now: Callable[[], float]) -> None:
        """Try to join the network `target`; if that fails, reopen the own one and keep the reason.

        A success is noted as setting the hub up.
        """
        self.link = begin_join(now())
        trouble = ""
        try:
            self.radio.join(target)
        except NetworkTrouble as error:
            trouble = str(error)
        else:
            self.set_up()
        self.link, action = end_join(trouble, now())
        if action == "open":
            self._open(now())

    def _open(self, now: float) -> None:
        """Scan for networks, then open the own one; a failure is logged, and tried again later."""
        # Scan before: a radio that serves a network receives others badly.
        self.networks = self.radio.networks() or self.networks
        try:
            password = "" if self.open_to_all else self.settings.password
            self.radio.open(self.settings.ssid, password)
            self._troubled = ""
        except NetworkTrouble as error:
            if str(error) != self._troubled:
                log.warning("network=own failed: %s", error)
            self._troubled = str(error)
            self.link = WifiStatus("looking", now, trouble=self.link.trouble)


Check = Callable[[str, str], str]
"""Checks a number that was typed on the device with this address; returns an error sentence, or "".
May block."""


def check_with_hub(port: int) -> Check:
    """Return a check that asks the hub on this machine, which counts wrong numbers by device.

    `port` is that of the hub's pages.
    """

    def check(device: str, number: str) -> str:
        body = msgspec.json.encode({"device": device, "number": number})
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/api/pair/number", body, {"Content-Type": "application/json"}
        )
        try:
            urllib.request.urlopen(request, timeout=20).close()
        except urllib.error.HTTPError as error:
            return _sentence(error)
        except OSError:
            return "The hub is not ready yet. Try again in a minute."
        return ""

    return check


def _sentence(error: urllib.error.HTTPError) -> str:
    try:
        return str(msgspec.json.decode(error.read())["error"]["message"])
    except (OSError, KeyError, TypeError, *NOT_JSON):
        return "The hub could not check the number. Try again in a minute."


class SetupPage:
    """A page with a form to choose the Wi-Fi."""

    def __init__(
        self,
        keeper: NetworkKeeper,
        check: Check = lambda device, number: "",
        port: int = TABLES_PORT,
    ) -> None:
        self.keeper = keeper
        self._check = check
        self._table = f"http://{ADDRESS}{'' if port == TABLES_PORT else f':{port}'}/"
        self.pending: asyncio.Queue[JoinRequest] = asyncio.Queue(MOST_PENDING)

    def app(self) -> Starlette:
        """Return the ASGI application."""
        return Starlette(
            routes=[
                Route("/", self.form, methods=["GET"]),
                Route("/join", self.join, methods=["POST"]),
                Route("/play", self.play, methods=["POST"]),
            ],
        )

    async def form(self, request: Request) -> HTMLResponse:
        """Answer with the form to choose a network, while the own one is open.

        Otherwise the page says that there is nothing to set up.
        """
        try:
            check_host(request.headers)
        except WebError as error:
            return _page(f"<p>{escape(str(error))}</p>", error.status)
        if self.keeper.link.phase != "own":
            return _page(AT_HOME)
        return self._show_form(self.keeper.link.trouble)

    async def join(self, request: Request) -> HTMLResponse:
        """Queue a request to join a network, and answer what happens next."""
        return await self._submit(request, self._join)

    async def play(self, request: Request) -> HTMLResponse:
        """Keep the own network open, with a password from the next start on."""
        return await self._submit(request, self._play)

    async def _submit(
        self, request: Request, handle: Callable[[dict[str, str]], HTMLResponse]
    ) -> HTMLResponse:
        """Check a form and answer with what `handle` makes of its fields, or with what is wrong.

        It is not called unless the own network is open and, where it is asked for, the number is
        right.
        """
        try:
            check_host(request.headers)
            check_origin(request.headers)
            if self.keeper.link.phase != "own":
                return _page(AT_HOME, 409)
            fields = fields_of(await _body(request))
            await self._check_number(request, fields)
            return handle(fields)
        except WebError as error:
            return _page(f"<p>{escape(str(error))}</p>", error.status)
        except ValueError as error:
            return self._show_form(str(error), 422)

    async def _check_number(self, request: Request, fields: dict[str, str]) -> None:
        """Raise ValueError for a wrong number in the form.

        None is checked once the hub was set up.
        """
        if self.keeper.open_to_all:
            device = request.client.host if request.client else ""
            number = fields.get("number", "").strip()
            wrong = await asyncio.to_thread(self._check, device, number)
            if wrong:
                raise ValueError(wrong)

    def _show_form(self, trouble: str, status: int = 200) -> HTMLResponse:
        keeper = self.keeper
        return _page(_form_html(keeper.networks, trouble, keeper.open_to_all, self._table), status)

    def _join(self, fields: dict[str, str]) -> HTMLResponse:
        """Queue the request in a form, and answer what happens next.

        Raise ValueError for a bad one; answer 429 while another one waits.
        """
        target = join_request_of(fields)
        try:
            self.pending.put_nowait(target)
        except asyncio.QueueFull:
            return _page(ASKED, 429)
        own = self.keeper.settings.ssid
        return _page(LEAVING.format(ssid=escape(target.ssid), own=escape(own)))

    def _play(self, fields: dict[str, str]) -> HTMLResponse:
        """Note that the hub was set up, and answer with its password from the next start on."""
        self.keeper.set_up()
        settings = self.keeper.settings
        own, password = escape(settings.ssid), escape(settings.password)
        return _page(PLAY.format(table=self._table, own=own, password=password))


async def _body(request: Request) -> bytes:
    """Return the body of a form; raise ValueError if it is too long, cut off or too slow."""
    body = b""
    try:
        async with asyncio.timeout(BODY_TIMEOUT):
            async for piece in request.stream():
                body += piece
                if len(body) > LARGEST_FORM:
                    raise ValueError("That was too long. Fill in the form on this page.")
    except (TimeoutError, ClientDisconnect):
        raise ValueError("Part of that is missing. Send it again.") from None
    return body


def fields_of(body: bytes) -> dict[str, str]:
    """Return the form's fields, or raise a ValueError with a sentence for a person."""
    try:
        fields = parse_qs(body.decode(), True, strict_parsing=True, max_num_fields=5)
    except (UnicodeDecodeError, ValueError):
        raise ValueError("That did not work. Fill in the form on this page.") from None
    return {name: values[0] for name, values in fields.items()}


def join_request_of(fields: dict[str, str]) -> JoinRequest:
    """Return the network to join: the name typed in, or else the one chosen.

    Raise a ValueError with a sentence for a person if name or password is impossible.
    """
    ssid = (fields.get("other") or fields.get("ssid", "")).strip()
    password = fields.get("password", "")
    if not 1 <= len(ssid.encode()) <= 32 or ssid.startswith("-") or "\0" in ssid + password:
        raise ValueError("Choose a network, or type its name (at most 32 letters).")
    if password and not 8 <= len(password.encode()) <= 64:
        raise ValueError("A Wi-Fi password has 8 to 63 letters. Look at the label of your router.")
    return JoinRequest(ssid, password)


def _form_html(networks: list[Network], trouble: str, asks_number: bool, table: str) -> str:
    """Return the form as HTML, with the `trouble` of the last attempt above it.

    With `asks_number` it asks for the number on the hub's face, and offers to just play. `table` is
    the address of the game.
    """
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


async def run_keeper(
    keeper: NetworkKeeper,
    pending: "asyncio.Queue[JoinRequest]",
    now: Callable[[], float] = time.monotonic,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Look at the network every few seconds until cancelled.

    A request to join that comes in `pending` is carried out before the next look, after a moment in
    which its answer can reach the phone.
    """
    while True:
        await asyncio.to_thread(keeper.tick, now())
        notify("WATCHDOG=1")
        try:
            target = await asyncio.wait_for(pending.get(), TICK)
        except TimeoutError:
            continue
        await pause(ANSWER_FIRST)
        await asyncio.to_thread(keeper.join, target, now)


async def serve(config: Config) -> None:
    """Manage the network and serve the page until SIGINT or SIGTERM."""
    state = os.environ.get("STATE_DIRECTORY")
    marker = Path(state) / "set-up" if state else None
    keeper = NetworkKeeper(config.network, Nmcli(), time.monotonic(), marker)
    listener = listen("0.0.0.0", PORT)
    page = SetupPage(keeper, check_with_hub(config.server.port), config.server.port)
    notify("READY=1")
    task = asyncio.create_task(run_keeper(keeper, page.pending))
    try:
        await run(page.app(), listener, stop_signal())
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
