"""Super 15."""
