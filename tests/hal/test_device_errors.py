"""Errors of devices: two fields, one sentence."""

import pytest

from hal import device_errors

KINDS = [device_errors.DeviceError, *device_errors.DeviceError.__subclasses__()]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_says_what_was_found_and_what_to_do(kind: type[device_errors.DeviceError]) -> None:
    """Whatever builtin it also is: that of the system would make a number of the first."""
    error = kind("no card; not one", "put one in")

    assert ("no card; not one", "put one in") == (error.problem, error.remedy)
    assert "no card; not one; put one in" == str(error)
