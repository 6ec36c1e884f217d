"""Write the public state's type as TypeScript declarations, for checking the pages' scripts.

    python tools/page_types.py

The scripts stay plain JavaScript: `tsc` only checks them.
"""

from pathlib import Path
from typing import Any

import msgspec

from centerpiece.web.state_types import PublicState

DECLARATIONS = Path(__file__).parent.parent / "centerpiece" / "web" / "page_types.d.ts"
HEAD = "// The public state. Written by tools/page_types.py from centerpiece/web/state_types.py.\n"
PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean"}


def declarations() -> str:
    """Return an interface for the public state, and one for each part of it."""
    _, parts = msgspec.json.schema_components([PublicState], ref_template="{name}")
    return HEAD + "".join(_interface(name, schema) for name, schema in parts.items())


def _interface(name: str, schema: dict[str, Any]) -> str:
    required = schema.get("required", schema["properties"])
    lines = [
        f"  {field}{'' if field in required else '?'}: {_type(of)};\n"
        for field, of in schema["properties"].items()
    ]
    return f"\ninterface {_short(name)} {{\n{''.join(lines)}}}\n"


def _type(schema: dict[str, Any]) -> str:
    """Return a JSON schema as a TypeScript type."""
    match schema:
        case {"$ref": name}:
            return _short(name)
        case {"anyOf": choices}:
            return " | ".join(map(_type, choices))
        case {"enum": values}:
            return " | ".join(msgspec.json.encode(value).decode() for value in values)
        case {"type": "array", "prefixItems": items}:
            return f"[{', '.join(map(_type, items))}]"
        case {"type": "array", "items": items}:
            return f"Array<{_type(items)}>"
        case {"type": "object", "additionalProperties": dict(of)}:
            return f"Record<string, {_type(of)}>"
        case {"type": "object"}:
            return "Record<string, any>"
        case {"type": "null"}:
            return "null"
        case {"type": kind}:
            return PLAIN[kind]
    return "any"


def _short(name: str) -> str:
    """Return a name as scripts write it: `SeatDocument` is `Seat`, `PublicState` is `State`."""
    return name.removesuffix("Document").removeprefix("Public")


if __name__ == "__main__":
    DECLARATIONS.write_text(declarations(), "utf-8")
