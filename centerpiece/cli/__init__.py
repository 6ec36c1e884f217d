"""The command line: one module for each family of commands. It may import every other package.

A command prints its result and returns its exit code, 0 unless its docstring says more. A request
that cannot be met is raised as a `Problem` or a DeviceError, which `__main__` prints.
"""
