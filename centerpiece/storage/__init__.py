"""Durable storage: the journal, with names and settings in the same SQLite file."""
