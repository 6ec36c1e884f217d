"""`centerpiece sticker`: draws a sticker with the QR codes that lead a phone to the hub."""

import argparse
import socket

from centerpiece.cli.arguments import load_config
from centerpiece.config import ConfigError
from centerpiece.reports.sticker_page import drawing
from centerpiece.text import Problem


def command(options: argparse.Namespace) -> int:
    """Write the sticker as SVG and print its path; return 0.

    Raise ConfigError if the hub's own network has no password, as it is never opened then, and
    Problem if the file cannot be written.
    """
    config = load_config(options)
    if not config.network.password:
        raise ConfigError(
            "[network] password is empty, so there is no network of the hub's own to show; "
            "set one of 8 letters or more"
        )
    page = f"http://{options.name or socket.gethostname()}.local"
    port = "" if config.server.port == 80 else f":{config.server.port}"
    try:
        options.file.write_text(drawing(config.network, f"{page}{port}/"), "utf-8")
    except OSError as error:
        raise Problem(
            "{file} was not written: {why}; choose another place",
            file=options.file,
            why=error.strerror,
        ) from None
    print(options.file)
    return 0
