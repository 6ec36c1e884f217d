"""The hardware abstraction layer: what a hub is made of, and the adapters that drive a real one.

Nothing here knows a game: ports speak of edges, frames and cues.
Each vendor library is imported inside its own adapter and nowhere else.
"""
