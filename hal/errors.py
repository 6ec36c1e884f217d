"""What can go wrong with a device; each message says what was expected, what came, what to do."""


class DeviceError(Exception):
    """A device cannot be used. At start this ends the program with exit code 3."""


class DeviceMissing(DeviceError, FileNotFoundError):
    """The device, or the library that drives it, is not there."""


class DeviceDenied(DeviceError, PermissionError):
    """The device is there, but this user may not open it."""


class DeviceLost(DeviceError, ConnectionError):
    """The device was there and has gone, or no longer answers."""


class WiringError(DeviceError, ValueError):
    """The settings describe a hub that cannot be built."""
