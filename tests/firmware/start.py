# ruff: noqa: F401
# Starts the firmware as a board does; `ticks` lets its clock begin elsewhere, to see it wrap.
import os
import sys

sys.path.insert(0, os.getenv("FIRMWARE"))
import hub

if os.getenv("TICKS"):
    from time import ticks_ms

    begun, first = ticks_ms(), int(os.getenv("TICKS"))
    hub.ticks_ms = lambda: ticks_ms() - begun + first
if os.getenv("DOCKS"):
    import layout

    first = 0 if os.getenv("DOCKS") == "expander" else 16
    layout.DOCKS = tuple([(f"dock-{n}", first + n - 1) for n in range(1, 11)])
    layout.DOCKS_ON = (0, 20, 21, 0x20) if first == 0 else None
import main
