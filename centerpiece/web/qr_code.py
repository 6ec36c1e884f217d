"""The address of the pages as a code for a phone's camera: drawn, or in a terminal's letters.

The library that knows how is loaded when a code is asked for: a start needs none.
"""

import io
import sys

from centerpiece.web.server import reaches_phones


def svg(address: str) -> bytes:
    """A QR code, dark on light with a quiet zone, so that it can be read on any ground."""
    import segno

    out = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        out, kind="svg", border=3, light="#fff", dark="#1c1613", xmldecl=False, omitsize=True
    )
    return out.getvalue()


def welcome(address: str, keeper: str | None = None) -> None:
    """Tell whoever started the service where the pages are; on a terminal with codes.

    `keeper` is the link that makes a tablet the hub itself.
    """
    print(f"The table is at {address}", flush=True)
    if not reaches_phones(address):
        print("Only this machine can open it. To let phones in: make run ARGS=--lan", flush=True)
        return
    _drawn(address)
    if keeper is not None:
        print(f"To use a tablet as the hub, open this (works once): {keeper}", flush=True)
        _drawn(keeper)


def _drawn(address: str) -> None:
    if sys.stdout.isatty():
        import segno

        segno.make(address, error="l", micro=False).terminal(compact=True)
