"""Writes the keys that were learned into the config file, and leaves all else in it as it is."""

import os
import re
from pathlib import Path
from tempfile import NamedTemporaryFile

from centerpiece.config import load


def with_keys(text: str, keys: dict[str, str], devices: dict[str, str]) -> str:
    """The config's text with these keys; what was there of them before is gone."""
    comment = "".join(f"  # {name}" for name in [", ".join(devices.values())] if name)
    listed = ", ".join(f'"{ident}"' for ident in devices)
    text = _table(
        _without(text, "hardware.buttons.keys"),
        "hardware.buttons",
        ['driver = "keys"', f"devices = [{listed}]{comment}"],
    )
    lines = "\n".join(f'"{key}" = "{button}"' for key, button in keys.items())
    return f"{text.rstrip()}\n\n[hardware.buttons.keys]\n{lines}\n"


def write(path: Path, text: str) -> None:
    """Replace the file, if the new one can be read; all of it or nothing."""
    path = path.resolve()
    mode = path.stat().st_mode if path.exists() else 0o644
    with NamedTemporaryFile("w", dir=path.parent, suffix=".toml", delete=False) as made:
        made.write(text)
        made.flush()
        os.fsync(made.fileno())
    try:
        load(Path(made.name))
        os.chmod(made.name, mode)
        os.replace(made.name, path)
    except BaseException:
        os.unlink(made.name)
        raise


def _table(text: str, name: str, lines: list[str]) -> str:
    """`text` with these lines first in the table of this name, in place of others of their keys."""
    added = "\n".join(lines)
    head = re.search(rf"^\[{re.escape(name)}\].*$", text, re.MULTILINE)
    if head is None:
        return f"{text.rstrip()}\n\n[{name}]\n{added}\n"
    rest = text[head.end() :]
    following = re.search(r"^\[", rest, re.MULTILINE)
    end = following.start() if following else len(rest)
    ours = {_key(line) for line in lines}
    body = "\n".join(line for line in rest[:end].split("\n") if _key(line) not in ours)
    return f"{text[: head.end()]}\n{added}{body}{rest[end:]}"


def _key(line: str) -> str:
    return line.partition("=")[0].strip()


def _without(text: str, name: str) -> str:
    """`text` without the table of this name."""
    table = rf"^\[{re.escape(name)}\].*?(?=^\[|\Z)"
    return re.sub(table, "", text, flags=re.MULTILINE | re.DOTALL)
