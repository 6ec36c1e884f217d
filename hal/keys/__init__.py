"""Buttons on keys of any keyboard, number pad, gamepad or macro pad that the kernel knows."""
