"""Muggins."""
