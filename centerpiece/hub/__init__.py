"""The synchronous core of a hub: button edges and commands in, light, sound and pages out.

Time is passed in, so it runs on any clock; nothing here waits or opens anything.
"""
