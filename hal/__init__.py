"""The hardware abstraction layer: the ports of a hub, and the adapters for real devices.

Nothing here knows a game: ports speak of edges, frames and cues.
Each vendor library is imported only inside its own adapter.
"""
