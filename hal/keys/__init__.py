"""Buttons that are keys: any keyboard, number pad, gamepad or macro pad that the kernel knows."""
