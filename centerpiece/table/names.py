"""How commands and events are called on the wire: OpenTrain is `open-train`."""

import re


def kebab(name: str) -> str:
    """CamelCase to kebab-case."""
    return re.sub(r"(?<=.)(?=[A-Z])", "-", name).lower()
