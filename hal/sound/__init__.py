"""Sound devices: a module on a serial line, the machine's sound card, none."""
