"""The few addresses that a hub in a hall has more: how the link is, and leaving the hall.

Leaving is for whoever may write at the table, like everything that changes something there.
"""

import asyncio
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from centerpiece.web.errors import answer
from centerpiece.web.pairing import Pairing

if TYPE_CHECKING:
    from centerpiece.hall.table.hall_link import HallLink


def hall_routes(link: "HallLink", phones: Pairing) -> list[Route]:
    """Return the routes of one hub."""

    async def status(request: Request) -> Response:
        return answer(link.status())

    async def leave(request: Request) -> Response:
        phones.check(request)
        await asyncio.to_thread(link.stop)
        link.leave()
        return answer(link.status())

    async def join(request: Request) -> Response:
        phones.check(request)
        link.join()
        return answer(link.status())

    return [
        Route("/api/hall", status, methods=["GET"]),
        Route("/api/hall/leave", leave, methods=["POST"]),
        Route("/api/hall/join", join, methods=["POST"]),
    ]
