"""`centerpiece setup-network`: manages the hub's Wi-Fi."""

import argparse
import asyncio
import logging

from centerpiece.config import load
from centerpiece.service import log_limit
from centerpiece.service.systemd import notify
from centerpiece.wifi.set_up_page import serve

log = logging.getLogger("centerpiece.wifi")


def command(options: argparse.Namespace) -> int:
    """Manage the Wi-Fi until the process is stopped; return 0.

    Without a password for the hub's own network, end at once.
    """
    log_limit.begin()
    config = load(options.config)
    if not config.network.password:
        notify("READY=1")
        log.info("network=none reason=%s", "[network] password is empty")
        return 0
    asyncio.run(serve(config))
    return 0
