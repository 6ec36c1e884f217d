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
import main
