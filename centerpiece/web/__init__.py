"""The pages and the API of a hub. Loaded after the hub is alive, and never imported by it."""
