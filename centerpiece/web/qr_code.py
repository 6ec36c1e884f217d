"""QR codes of addresses, as SVG and on a terminal.

segno is imported late, which keeps it out of the start.
"""

import io
import sys

from centerpiece.web.server import reaches_phones


def svg(address: str) -> bytes:
    """Return a QR code with its own light background, readable on a page of any colour."""
    import segno

    out = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        out, kind="svg", border=3, light="#fff", dark="#1c1613", xmldecl=False, omitsize=True
    )
    return out.getvalue()


def print_addresses(address: str, keeper: str | None = None) -> None:
    """Print the address of the pages, on a terminal with a QR code.

    `keeper` is the link that lets a tablet act as the simulated hub.
    """
    print(f"The table is at {address}", flush=True)
    if not reaches_phones(address):
        print("Only this machine can open it. To let phones in: make run ARGS=--lan", flush=True)
        return
    _print_code(address)
    if keeper is not None:
        print(f"To use a tablet as the hub, open this (works once): {keeper}", flush=True)
        _print_code(keeper)


def _print_code(address: str) -> None:
    if sys.stdout.isatty():
        import segno

        segno.make(address, error="l", micro=False).terminal(compact=True)
