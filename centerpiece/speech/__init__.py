"""What the hub says: from what happened to words, and from words to clips with keys. Pure."""
