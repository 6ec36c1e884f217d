"""`centerpiece hall`: runs one process of a hall. A hall may have many, on several machines."""

import argparse
import asyncio
import os
import secrets
import sys
from pathlib import Path

from centerpiece.hall.server.hall_process import HallProcess
from centerpiece.hall.wire.hall_errors import HallError
from centerpiece.hall.wire.hall_keys import NAME
from centerpiece.hall.wire.redis_connection import RedisError, words
from centerpiece.service import log_limit
from centerpiece.web.server import address_of, listen

SHORTEST_TOKEN = 8
GIVE_WAY = 0.0005
"""Interpreter switch interval: bounds how long a page can delay the reading of lines."""
TOKEN_VARIABLE = "CENTERPIECE_HALL_TOKEN"


def run(options: argparse.Namespace) -> int:
    """Run one process of a hall until SIGINT or SIGTERM; return 0.

    Raise HallError for a wrong `--id` or token, or if Redis cannot be used.
    """
    log_limit.begin()
    sys.setswitchinterval(GIVE_WAY)
    if not NAME.fullmatch(options.id):
        raise HallError("--id must be small letters, digits, hyphens, not “{id}”", id=options.id)
    token = organisers_token(options.token_file)
    try:
        hall = HallProcess(options, token)
    except (RedisError, OSError) as error:
        raise HallError("{why}", why=words(error, options.redis)) from None
    listener = listen(options.host, options.port)
    address = address_of(options.host, listener.getsockname()[1])
    print(f"The hall is at {address}", flush=True)
    print(f"The organiser's desk is at {address}desk", flush=True)
    asyncio.run(hall.serve(listener))
    return 0


def organisers_token(path: Path | None) -> str:
    """Return the token in the file `path`, or without a path that of the environment.

    If it is empty, a new one is made and printed. Raise HallError if the file cannot be read or the
    token is too short.
    """
    token = os.environ.get(TOKEN_VARIABLE, "")
    if path is not None:
        try:
            token = path.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise HallError(
                "{file}: {why}; put the organiser's token there", file=path, why=error.strerror
            ) from None
    if not token:
        token = secrets.token_urlsafe(16)
        print(f"The organiser's token, for this time: {token}")
    if len(token) < SHORTEST_TOKEN:
        raise HallError(
            "The organiser's token must have {count} characters or more", count=SHORTEST_TOKEN
        )
    return token
