"""A Raspberry Pi's own pins: buttons, the chain of lights, and how they are wired."""
