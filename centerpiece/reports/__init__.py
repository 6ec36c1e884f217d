"""Paper: score sheets, charts, rule cards and panel maps, the sticker below a hub."""
