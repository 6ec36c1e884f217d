"""Running a hub: asyncio, systemd, and the choice of its devices."""
