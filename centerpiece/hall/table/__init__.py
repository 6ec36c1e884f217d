"""A table in a hall: publishes its line, carries out orders."""
