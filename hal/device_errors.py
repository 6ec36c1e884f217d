"""Errors of devices; each says what is wrong and what to do about it."""


class DeviceError(Exception):
    """A device cannot be used. A command that needs it ends with exit code 3.

    `problem` and `remedy` are two halves of one sentence, without a capital and a full stop.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}; {remedy}")
        self.problem = problem
        self.remedy = remedy


class DeviceMissing(DeviceError, FileNotFoundError):
    """The device, or the library that drives it, is not there."""


class DeviceDenied(DeviceError, PermissionError):
    """The device is there, but this user may not open it."""


class DeviceBusy(DeviceError, BlockingIOError):
    """Another program has the device: most often a running hub."""


class DeviceLost(DeviceError, ConnectionError):
    """The device was there and is gone, or no longer answers."""


class WiringError(DeviceError, ValueError):
    """The settings describe a hub that cannot be built."""
