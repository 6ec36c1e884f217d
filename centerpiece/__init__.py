"""The firmware of a digital table centerpiece for domino games."""

__version__ = "0.2.0"
