"""`centerpiece setup-network`: looks after the hub's Wi-Fi until it is stopped."""

import argparse
import asyncio
import logging

from centerpiece.config import load
from centerpiece.service import log_limit
from centerpiece.service.systemd import notify
from centerpiece.wifi.set_up_page import serve

log = logging.getLogger("centerpiece.wifi")


def command(options: argparse.Namespace) -> int:
    """`centerpiece setup-network`: until it is stopped; the exit code."""
    log_limit.begin()
    config = load(options.config)
    if not config.network.password:
        notify("READY=1")
        log.info("network: [network] password is empty, so the hub opens no network of its own")
        return 0
    asyncio.run(serve(config))
    return 0
