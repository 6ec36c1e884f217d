"""Documents: score sheets, charts, rule cards, panel maps, and the sticker below a hub."""
