"""A hub on a microcontroller: a Raspberry Pi Pico on a USB cable, with `deploy/pico/` on it."""
