"""The report for helpers: one readable file, which a paired phone can download and send.

Versions, settings, the doctor's findings and the last lines of the log, without any password.
"""

import asyncio
import platform
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from centerpiece import __version__
from centerpiece.config import Config
from centerpiece.hub.hub import Hub
from centerpiece.hub.preferences import PREFERENCES
from centerpiece.service.log_limit import recent_lines
from centerpiece.web.pairing import PhoneRegister

PATIENCE = 120.0
"""Seconds for the doctor, who reads the whole journal."""
_IN_ADDRESS = re.compile(r"//(.+)@|[?&]password=([^&]+)")
"""The login in an address, up to the last @: a password may hold any sign by mistake."""
HIDDEN = "•••"


def routes(phones: PhoneRegister, hub: Hub, config: Config, doctor: Sequence[str]) -> list[Route]:
    """Return the route of the report, for paired phones; `doctor` is the doctor's command."""

    one_at_a_time = asyncio.Lock()

    async def download(request: Request) -> Response:
        phones.check(request)
        async with one_at_a_time:
            found = await findings(doctor)
        phones.check(request)  # it may have been removed meanwhile
        name = time.strftime("centerpiece-%Y-%m-%d.txt")
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="{name}"',
        }
        return Response(report(hub, config, found), headers=headers, media_type="text/plain")

    return [Route("/api/report", download, methods=["GET"])]


def report(hub: Hub, config: Config, findings: str) -> str:
    """Return the report; every password in it is hidden, wherever it stands."""
    libraries = sorted(f"{each.name} {each.version}" for each in distributions())
    parts = {
        "Versions": [
            f"centerpiece {__version__}, Python {platform.python_version()}",
            platform.platform(),
            ", ".join(libraries),
        ],
        "Settings": [
            "Only those that are not as usual.",
            _readable(config, Config()),
            _readable(hub.preferences, PREFERENCES.default),
        ],
        "Doctor": [findings],
        "Log": recent_lines(),
    }
    head = time.strftime("Report of a centerpiece, %Y-%m-%d %H:%M %Z\n")
    text = head + "".join(
        f"\n# {title}\n\n{chr(10).join(lines)}\n" for title, lines in parts.items()
    )
    for secret in sorted(secrets(config), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def secrets(config: Config) -> set[str]:
    """Return every password in the settings, in each way in which it may be written."""
    found = {config.network.password}
    for each in _IN_ADDRESS.finditer(config.hall.url):
        found |= {each[1] or each[2], (each[1] or "").partition(":")[2]}
    if config.hall.password_file:
        with suppress(OSError):
            found.add(Path(config.hall.password_file).read_text("utf-8", "replace").strip())
    forms = {form for each in found for form in (each, unquote(each)) if form}
    return forms | {msgspec.json.encode(form).decode()[1:-1] for form in forms}


async def findings(command: Sequence[str]) -> str:
    """Run the doctor in a process of its own, so that no press waits for it."""
    try:
        doctor = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
    except OSError as error:
        return f"The doctor could not be run: {error}."
    try:
        said, _ = await asyncio.wait_for(doctor.communicate(), PATIENCE)
    except TimeoutError:
        return "The doctor did not come to an end."
    finally:
        if doctor.returncode is None:
            doctor.kill()
            await doctor.wait()
    return said.decode(errors="replace").strip()


def _readable(settings: msgspec.Struct, usual: msgspec.Struct) -> str:
    changed = _changed(msgspec.to_builtins(settings), msgspec.to_builtins(usual))
    return msgspec.json.format(msgspec.json.encode(changed), indent=2).decode()


def _changed(settings: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that differ from the usual ones."""
    return {
        key: _changed(value, usual[key]) if isinstance(usual.get(key), dict) else value
        for key, value in settings.items()
        if value != usual.get(key)
    }
