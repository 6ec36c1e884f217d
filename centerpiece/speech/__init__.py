"""Speech: from events to words, and from words to clips with keys. Pure."""
