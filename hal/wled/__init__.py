"""Lights on a WLED controller, over the network."""
