"""The shell around the hub: asyncio, systemd, and hub and board put together."""
