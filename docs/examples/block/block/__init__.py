"""The block game: a line of dominoes, nothing to draw, and a knock for “I cannot play”."""
