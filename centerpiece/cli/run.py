"""`centerpiece run`: starts the hub, then loads and serves the pages."""

import argparse
import asyncio
import gc
import importlib
import logging
import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from centerpiece.cli.arguments import load_config
from centerpiece.config import Config, ConfigError
from centerpiece.hub.hub import Hub
from centerpiece.service import log_limit
from centerpiece.service.assemble import assemble
from centerpiece.service.shell import Service
from centerpiece.speech.languages import language
from centerpiece.storage.errors import JournalError
from centerpiece.text import Problem
from hal.boards import BOARDS, completed, drivers, opener
from hal.health import ignore_trouble
from hal.ports import Trouble
from hal.system_clock import SystemClock

if TYPE_CHECKING:
    from centerpiece.hall.table.hall_link import HallLink
    from centerpiece.web.pairing import PhoneRegister

log = logging.getLogger("centerpiece")

SWITCHED_OFF = 10
"""Exit code after a shutdown by the buttons; systemd then powers the machine off."""

GIVE_WAY = 0.0005
"""Interpreter switch interval: bounds how long a worker thread can delay the loop, in seconds."""


def run(options: argparse.Namespace) -> int:
    """Serve until SIGINT, SIGTERM or a shutdown by the buttons.

    Return `SWITCHED_OFF` after a shutdown by the buttons under systemd, else 0. A demo needs the
    simulated hub, or ConfigError is raised; without `--data` its journal is in a temporary folder.
    """
    if not options.demo:
        return _run(options)
    if options.hardware != "sim":
        raise ConfigError("--demo plays on the simulated hub; leave out --hardware")
    if options.data is not None:
        return _run(options)
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="centerpiece-demo-") as folder:
        options.data = Path(folder)
        return _run(options)


def dark(options: argparse.Namespace) -> int:
    """Open the lights, which makes them dark, and close them again; return 0.

    Lights of another package's board are left alone.
    """
    board, settings = BOARDS.get(options.hardware), load_config(options).hardware
    if board is not None:
        settings = completed(settings, board)
        opener("lights", settings.lights.driver)(settings, ignore_trouble, SystemClock()).close()
    return 0


def _run(options: argparse.Namespace) -> int:
    """Assemble the hub and serve until it ends; return `SWITCHED_OFF` or 0, as `run` does.

    Raise ConfigError for a demo with the drivers of real devices.
    """
    os.umask(0o077)  # names, scores and phones are nobody else's business on this machine
    # On a terminal the address and warnings are enough.
    level = logging.WARNING if sys.stderr.isatty() else logging.INFO
    log_limit.begin(level)
    config = load_config(options)
    parts = drivers(options.hardware, config.hardware)
    if options.demo and parts != BOARDS["sim"]:
        raise ConfigError("--demo plays on the simulated hub; leave out driver in [hardware]")
    service = assemble(options.hardware, config)
    serve = _serve(service, parts == BOARDS["sim"], config, options)
    asyncio.run(_with_demo(service.hub, serve) if options.demo else serve)
    return SWITCHED_OFF if service.switched_off and "NOTIFY_SOCKET" in os.environ else 0


async def _serve(
    service: Service, simulated: bool, config: Config, options: argparse.Namespace
) -> None:
    """Run the hub; once it takes presses, load and serve the pages, and the link to a hall if set.

    `simulated` is True if all devices are simulated; the pages are told.
    """

    async def pages() -> None:
        # Worker threads for the pages must not delay a press.
        sys.setswitchinterval(GIVE_WAY)
        # Imported on a thread, so that the hub answers presses meanwhile.
        web = await asyncio.to_thread(importlib.import_module, "centerpiece.web.site")
        helpers = await asyncio.to_thread(importlib.import_module, "centerpiece.web.helpers_report")
        await asyncio.to_thread(language, service.hub.preferences.language)
        # Objects made so far live on: the collector need not scan them during a press.
        gc.freeze()
        link = await _join_hall(service, config) if config.hall.url else None

        def more(phones: "PhoneRegister") -> list[Any]:
            doctor = _doctor_command(options, config)
            own: list[Any] = helpers.routes(phones, service.hub, config, doctor)
            return own + (link.routes(phones) if link is not None else [])

        try:
            await web.serve(
                service.hub,
                host=config.server.host,
                port=config.server.port,
                simulated=simulated,
                more=more,
            )
        finally:
            if link is not None:
                link.stop()

    await service.run(ready=lambda: log.info("hub=%s ready", service.hub.table_id), pages=pages)


def _doctor_command(options: argparse.Namespace, config: Config) -> list[str]:
    """Return the command that examines this hub, which goes on playing."""
    command = [sys.executable, "-m", "centerpiece", "doctor", "--hardware", options.hardware]
    if options.config is not None:
        command += ["--config", str(options.config)]
    return [*command, "--data", str(config.data_folder())]


async def _with_demo(hub: Hub, serve: Coroutine[Any, Any, None]) -> None:
    """Run `serve`, and let virtual players play until it ends."""
    demo = asyncio.create_task(_demo(hub))
    try:
        await serve
    finally:
        demo.cancel()


async def _demo(hub: Hub) -> None:
    """Let virtual players press the simulated hub's buttons; log if they fail."""
    from sim.buttons import SimButtons

    module = await asyncio.to_thread(importlib.import_module, "sim.people.demo")
    assert isinstance(hub.board.buttons, SimButtons)
    try:
        await module.Demo(hub.board.buttons, hub.state, hub.order).run()
    except Exception:
        log.exception("demo=crashed")


async def _join_hall(service: Service, config: Config) -> "HallLink | None":
    """Start the link to the hall and return it; if that fails, report trouble and return None.

    Redis is imported on a thread, so that the hub answers presses meanwhile.
    """
    try:
        module = await asyncio.to_thread(
            importlib.import_module, "centerpiece.hall.table.hall_link"
        )
        link: HallLink = module.HallLink(service.hub, config.hall, service.report, service.call)
    except (Problem, JournalError) as error:
        service.report(Trouble("hall", f"The hall cannot be joined. {error}"))
        return None
    link.start()
    return link
