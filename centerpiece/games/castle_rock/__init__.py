"""Castle Rock."""
