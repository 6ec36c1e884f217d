"""The protocol between tables and hall over Redis: keys, lines, orders."""
