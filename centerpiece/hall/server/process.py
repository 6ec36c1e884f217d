"""One process of a hall: a thread that follows the tables, and a loop that serves the pages."""

import asyncio
import logging
import os
import secrets
import socket
import threading
import time
from argparse import Namespace

from centerpiece.games.registry import GAMES
from centerpiece.hall.server.desk import Desk
from centerpiece.hall.server.follow import Follower
from centerpiece.hall.server.pages import HallSite, build
from centerpiece.hall.wire.connection import Redis, RedisError, connect, login, words
from centerpiece.hall.wire.errors import HallError
from centerpiece.web.server import run, stop_signal

log = logging.getLogger("centerpiece.hall")

EVERY = 0.25
"""Seconds between two looks at all streams."""


class Hall:
    """One process: a thread that follows the tables, and a loop that serves the pages."""

    def __init__(self, options: Namespace, token: str) -> None:
        self._options = options
        self._stopping = threading.Event()
        self._trouble = ""
        client = self._connect()
        client.ping()
        name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
        self.follower = Follower(client, options.id, GAMES, name)
        self.desk = Desk(self._connect(), self.follower, GAMES)
        self.site = HallSite(
            self.desk, self.follower, token, self.follower.shares.hall_now, lambda: self._trouble
        )

    async def serve(self, listener: socket.socket) -> None:
        """Follow and serve until told to stop."""
        thread = threading.Thread(target=self.follow, name="hall-follow", daemon=True)
        thread.start()
        try:
            await run(build(self.site), listener, stop_signal(), knows=self.site.knows)
        finally:
            self._stopping.set()
            await asyncio.to_thread(thread.join, 5.0)

    def follow(self) -> None:
        """Look at all streams, again and again; a Redis that fails is tried again."""
        opened = False
        while not self._stopping.is_set():
            began = time.monotonic()
            try:
                if not opened:
                    self.desk.open(self._options.title)
                    opened = True
                self.desk.refresh()
                self.follower.step()
                self._say("")
            except (RedisError, HallError, OSError) as error:
                self._say(words(error, self._options.redis))
                self._stopping.wait(1.0)
            except Exception:
                log.exception("hall=%s", self._options.id)
                self._say("Something is wrong with the hall; see the log. It is tried again.")
                self._stopping.wait(1.0)
            self._stopping.wait(max(0.0, EVERY - (time.monotonic() - began)))
        try:
            self.follower.close()
        except (RedisError, OSError):
            log.info("hall=%s left without a word", self._options.id)

    def _connect(self) -> Redis:
        return connect(self._options.redis, **login(self._options))

    def _say(self, sentence: str) -> None:
        if sentence != self._trouble:
            self._trouble = sentence
            log.log(logging.WARNING if sentence else logging.INFO, "hall=%r", sentence or "well")
