"""The pages and the API of a hub. Imported once the hub is running, and never by the hub."""
