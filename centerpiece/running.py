"""`centerpiece run`: builds the hub that was asked for, makes it live, then brings up the pages.

The adapters are chosen here, once, by name. What is missing is an error, never a silent fallback.
"""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from centerpiece.config import Config, ConfigError, load
from centerpiece.games.registry import BOOKS
from centerpiece.hub import Hub
from centerpiece.journal import Journal, JournalError
from centerpiece.present.colours import SUIT_SETS
from centerpiece.service import Service
from hal.errors import DeviceError
from hal.ports import Board, Report, Trouble

log = logging.getLogger("centerpiece")

FILE = "table.db"

SWITCHED_OFF = 10
"""Exit code: the buttons were held; systemd, which started us, switches the machine off."""


def run(options: argparse.Namespace) -> int:
    """Serve until told to stop; the exit code."""
    logging.basicConfig(format="%(levelname)s %(name)s %(message)s", level=logging.INFO)
    try:
        config = settled(options)
        service = _service(options.hardware, config)
    except (ConfigError, JournalError) as error:
        return _complain(error, 2)
    except DeviceError as error:
        return _complain(error, 3)
    try:
        asyncio.run(_serve(service, options.hardware == "sim", config))
    except OSError as error:
        return _complain(error, 2)
    return SWITCHED_OFF if service.switched_off and "NOTIFY_SOCKET" in os.environ else 0


def settled(options: argparse.Namespace) -> Config:
    """The config file with the command line's word on top."""
    config = load(options.config)
    server = config.server
    if getattr(options, "host", None) is not None:
        server = replace(server, host=options.host)
    if getattr(options, "port", None) is not None:
        server = replace(server, port=options.port)
    data = getattr(options, "data", None)
    return replace(config, server=server, data=str(data) if data else config.data)


def journal_path(config: Config) -> Path:
    """Where the table's journal is."""
    return config.data_folder() / FILE


def _service(hardware: str, config: Config) -> Service:
    reports: list[Callable[[Trouble], None]] = []
    early: list[Trouble] = []

    def report(trouble: Trouble) -> None:
        # Devices are opened before there is a service to tell.
        for tell in reports or [early.append]:
            tell(trouble)

    journal = Journal(journal_path(config), BOOKS)
    try:
        board = _board(hardware, config, report)
        hub = Hub(
            BOOKS,
            journal,
            board,
            config.table.id,
            config.timing(),
            SUIT_SETS[config.table.suits],
        )
    except BaseException:
        journal.close()
        raise
    service = Service(hub)
    reports.append(service.report)
    for trouble in early:
        service.report(trouble)
    return service


def _board(hardware: str, config: Config, report: Report) -> Board:
    if hardware == "pi":
        from hal.board import build as build_real

        return build_real(config.hardware, report)
    from sim.board import build as build_simulated

    return build_simulated(config.hardware.lights.zones, report=report)


async def _serve(service: Service, simulated: bool, config: Config) -> None:
    async def pages() -> None:
        from centerpiece.web.app import serve

        await serve(
            service.hub,
            host=config.server.host,
            port=config.server.port,
            simulated=simulated,
            edge=service.edge if simulated else None,
        )

    await service.run(ready=lambda: log.info("hub=%s ready", service.hub.table_id), pages=pages)


def _complain(error: Exception, code: int) -> int:
    print(f"centerpiece: {error}", file=sys.stderr)
    return code
