"""Adapters on a Raspberry Pi's own pins: buttons, the chain of lights, and their wiring."""
