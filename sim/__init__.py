"""The simulated hub: the same ports as the real one, on a desktop, in real or virtual time."""
