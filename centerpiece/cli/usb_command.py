"""`centerpiece usb`: lists the boards that are plugged in; `flash` writes the firmware to one."""

import argparse

from centerpiece.cli.arguments import load_config
from centerpiece.storage.lock import claimed
from hal.device_errors import DeviceBusy, DeviceError
from hal.hardware_settings import UsbSettings
from hal.usb.find import boards, find, open_port
from hal.usb.flash import BoardToFlash, firmware, flash


def command(options: argparse.Namespace) -> int:
    """Print the boards that are plugged in; with `flash`, write the firmware to one.

    Return 1 if there is no board, or if flashing fails, as it does while a hub runs; else 0. A
    failure is printed, not raised.
    """
    config = load_config(options)
    if options.action is None:
        return _list_boards()
    settings = UsbSettings(port=options.port) if options.port else config.hardware.usb
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


def _list_boards() -> int:
    """Print the boards that are plugged in; return 1 if there is none."""
    connected = boards()
    for board in connected:
        print(f"{board.serial}  {board.port}")
    if not connected:
        print("No board is plugged in.")
    return 0 if connected else 1
