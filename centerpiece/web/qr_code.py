"""QR codes of addresses, as SVG and on a terminal.

segno is imported late, which keeps it out of the start.
"""

import io
import sys

from centerpiece.web.server import reaches_phones


def svg(address: str) -> bytes:
    """Return the QR code of `address` as SVG, with a light background for pages of any colour."""
    import segno

    out = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        out, kind="svg", border=3, light="#fff", dark="#1c1613", xmldecl=False, omitsize=True
    )
    return out.getvalue()


def print_addresses(address: str, keeper: str | None = None) -> None:
    """Print the addresses of the pages; on a terminal a QR code for phones comes last.

    If only this machine can open `address`, a hint on that comes instead of the code. `keeper` is
    the link that lets a tablet act as the simulated hub. All of it fits on 24 lines.
    """
    lines = [f"The table is at {address}"]
    if keeper is not None:
        lines.append(f"Hub:        {address}hub")
        lines.append(f"Tablet:     {keeper} (in the middle of the table; works once)")
    lines.append(f"Television: {address}board")
    if not reaches_phones(address):
        lines.append("Only this machine can open it. To let phones in: make run ARGS=--lan")
    elif sys.stdout.isatty():
        lines.append("Phones:     scan this")
    print(*lines, sep="\n", flush=True)
    if reaches_phones(address) and sys.stdout.isatty():
        import segno

        segno.make(address, error="l", micro=False).terminal(compact=True, border=2)
