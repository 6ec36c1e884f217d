"""The command line: one module for each family of commands. It may import every other package."""
