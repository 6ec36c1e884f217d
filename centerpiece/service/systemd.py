"""Notifications to systemd: ready, stopping, watchdog. Without systemd they do nothing."""

import asyncio
import functools
import logging
import os
import socket

log = logging.getLogger("centerpiece.service")


def notify(message: str) -> None:
    """Send a message to systemd; without systemd do nothing, and only log a failure."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    try:
        _link().sendto(message.encode(), address)
    except OSError as error:
        log.warning("systemd could not be told %s: %s", message, error)


@functools.cache
def _link() -> socket.socket:
    """Open the socket once, so that a later notification needs no free file descriptor.

    Non-blocking, so a busy systemd cannot stall the loop.
    """
    link = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    link.setblocking(False)
    return link


async def keep_watch() -> None:
    """Notify the watchdog at half the interval that systemd asks for, until cancelled.

    Returns at once if systemd asks for none.
    """
    interval = int(os.environ.get("WATCHDOG_USEC", "0")) / 1e6
    if interval <= 0 or os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return
    while True:
        notify("WATCHDOG=1")
        await asyncio.sleep(interval / 2)
