"""Adapters for a hub on a Raspberry Pi Pico on a USB cable, with the firmware in `deploy/pico/`."""
