"""A hall process: one thread reads the lines, a loop serves the pages."""

import asyncio
import logging
import socket
import threading
import time
from argparse import Namespace

from centerpiece.games.registry import GAMES
from centerpiece.hall.server.desk import Desk
from centerpiece.hall.server.hall_pages import HallSite, build
from centerpiece.hall.server.line_board import LineBoard
from centerpiece.hall.server.line_reader import AT_ONCE, LineReader
from centerpiece.hall.wire.hall_errors import HallError
from centerpiece.hall.wire.redis_connection import RedisError, connect, login, words
from centerpiece.web.server import run, stop_signal

log = logging.getLogger("centerpiece.hall")

GATHER = 0.005
"""Seconds in which lines gather: reading many at once costs far less than one by one."""
REFRESH = 1.0
TRY_AGAIN = 1.0


class HallProcess:
    """One process of a hall; any number may run."""

    def __init__(self, options: Namespace, token: str) -> None:
        """Connect to Redis; raise what is wrong with it."""
        self._options = options
        self._stopping = threading.Event()
        self._trouble = ""
        client = connect(options.redis, **login(options))
        client.ping()
        board = LineBoard()
        self._reader = LineReader(client, options.id, board)
        self.desk = Desk(client, options.id, board, GAMES)
        self.site = HallSite(self.desk, token, lambda: self._trouble)
        self._refresh_at = float("-inf")

    async def serve(self, listener: socket.socket) -> None:
        """Read lines and serve the pages until SIGINT or SIGTERM."""
        thread = threading.Thread(target=self.read, name="hall-read", daemon=True)
        thread.start()
        try:
            await run(build(self.site), listener, stop_signal(), knows=self.site.knows)
        finally:
            self._stopping.set()
            await asyncio.to_thread(thread.join, 5.0)

    def read(self) -> None:
        """Read lines until told to stop; after a failure, pause and try again."""
        while not self._stopping.is_set():
            try:
                self._refresh()
                if 0 < self._reader.step() < AT_ONCE:
                    self._stopping.wait(GATHER)
                self._set_trouble("")
            except (RedisError, HallError, OSError) as error:
                self._fail(words(error, self._options.redis))
            except Exception:
                log.exception("hall=%s", self._options.id)
                self._fail("Something went wrong in the hall; see the log. Trying again.")

    def _refresh(self) -> None:
        """Open the hall if it is not, read orders and time, tidy lines; once a second at most."""
        if time.monotonic() < self._refresh_at:
            return
        self.desk.open(self._options.title)
        self._reader.tidy(self.desk.hall_now())
        self._refresh_at = time.monotonic() + REFRESH

    def _fail(self, sentence: str) -> None:
        """Note the trouble, have everything read again, and pause."""
        self._set_trouble(sentence)
        self._reader.doubt()
        self._stopping.wait(TRY_AGAIN)

    def _set_trouble(self, sentence: str) -> None:
        if sentence != self._trouble:
            self._trouble = sentence
            log.log(logging.WARNING if sentence else logging.INFO, "hall=%r", sentence or "well")
