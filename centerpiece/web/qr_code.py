"""The address of the pages as a code for a phone's camera: drawn, or in a terminal's letters.

The library that knows how is loaded when a code is asked for: a start needs none.
"""

import io
import sys


def svg(address: str) -> bytes:
    """A QR code, dark on light with a quiet zone, so that it can be read on any ground."""
    import segno

    out = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        out, kind="svg", border=3, light="#fff", dark="#1c1613", xmldecl=False, omitsize=True
    )
    return out.getvalue()


def welcome(address: str) -> None:
    """Tell whoever started the service where the pages are; on a terminal with a code."""
    print(f"The table is at {address}", flush=True)
    if sys.stdout.isatty():
        import segno

        segno.make(address, error="l", micro=False).terminal(compact=True)
