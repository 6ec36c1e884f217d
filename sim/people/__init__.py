"""Virtual people: how they play, what they report to the hub, and what the table truly is."""
