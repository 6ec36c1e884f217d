"""`centerpiece usb`: which boards are plugged in; `centerpiece usb flash`: firmware for one."""

import argparse

from centerpiece.cli.arguments import settled
from centerpiece.storage.lock import claimed
from hal.device_errors import DeviceBusy, DeviceError
from hal.hardware_settings import UsbSettings
from hal.usb.find import boards, find, open_port
from hal.usb.flash import BoardToFlash, firmware, flash


def command(options: argparse.Namespace) -> int:
    """List the boards, or put the firmware on one."""
    config = settled(options)
    if options.action is None:
        return _listed()
    chosen = options.port
    settings = UsbSettings(port=chosen) if chosen else config.hardware.usb
    try:
        if claimed(config.data_folder()):
            raise DeviceBusy(
                "a hub is running", "stop it meanwhile (`sudo systemctl stop centerpiece`)"
            )
        with open_port(find(settings)) as port:
            for sentence in flash(BoardToFlash(port), firmware()):
                print(sentence)
    except DeviceError as error:
        print(f"✗ {error}.")
        return 1
    print("The board is restarting.")
    return 0


def _listed() -> int:
    found = boards()
    for each in found:
        print(f"{each.serial}  {each.port}")
    if not found:
        print("No board is plugged in.")
    return 0 if found else 1
