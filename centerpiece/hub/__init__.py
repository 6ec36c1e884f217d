"""From edges and commands to light, sound and page: one way through, on any clock.

Time comes in with what happens; nothing here waits, and nothing is opened but the ports.
"""
