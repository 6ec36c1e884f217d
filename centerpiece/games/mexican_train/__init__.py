"""Mexican Train."""
