"""`centerpiece setup-network`: looks after the hub's Wi-Fi until it is stopped."""

import argparse
import asyncio
import logging
import sys

from centerpiece.config import ConfigError, load
from centerpiece.service.systemd import notify
from centerpiece.wifi.set_up_page import serve

log = logging.getLogger("centerpiece.wifi")


def command(options: argparse.Namespace) -> int:
    """`centerpiece setup-network`: until it is stopped; the exit code."""
    logging.basicConfig(format="%(levelname)s %(name)s %(message)s", level=logging.INFO)
    try:
        settings = load(options.config).network
    except ConfigError as error:
        print(f"centerpiece: {error}", file=sys.stderr)
        return 2
    if not settings.password:
        notify("READY=1")
        log.info("network: [network] password is empty, so the hub opens no network of its own")
        return 0
    try:
        asyncio.run(serve(settings))
    except OSError as error:
        print(f"centerpiece: {error}", file=sys.stderr)
        return 2
    return 0
