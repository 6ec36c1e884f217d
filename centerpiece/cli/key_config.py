"""Writes learned keys into the config file, and leaves everything else in it unchanged."""

import os
import re
from pathlib import Path
from tempfile import NamedTemporaryFile

from centerpiece.config import load


def with_keys(text: str, keys: dict[str, str], devices: dict[str, str]) -> str:
    """Return the config's text with these keys in place of all earlier ones.

    `keys` has the button of each key, `devices` the name of each keyboard by its identifier.
    """
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
    """Replace the config file at `path` atomically by one with this text; its permissions stay.

    If `text` is no valid config, raise ConfigError and change nothing.
    """
    path = path.resolve()
    mode = path.stat().st_mode if path.exists() else 0o644
    with NamedTemporaryFile("w", dir=path.parent, suffix=".toml", delete=False) as new:
        new.write(text)
        new.flush()
        os.fsync(new.fileno())
    try:
        load(Path(new.name))
        os.chmod(new.name, mode)
        os.replace(new.name, path)
    except BaseException:
        os.unlink(new.name)
        raise


def _table(text: str, name: str, lines: list[str]) -> str:
    """Return `text` with `lines` first in the TOML table `name`, for earlier ones of the same keys.

    A table that is missing is added at the end.
    """
    added = "\n".join(lines)
    head = re.search(rf"^\[{re.escape(name)}\].*$", text, re.MULTILINE)
    if head is None:
        return f"{text.rstrip()}\n\n[{name}]\n{added}\n"
    rest = text[head.end() :]
    following = re.search(r"^\[", rest, re.MULTILINE)
    end = following.start() if following else len(rest)
    replaced = {_key(line) for line in lines}
    body = "\n".join(line for line in rest[:end].split("\n") if _key(line) not in replaced)
    return f"{text[: head.end()]}\n{added}{body}{rest[end:]}"


def _key(line: str) -> str:
    return line.partition("=")[0].strip()


def _without(text: str, name: str) -> str:
    """Return `text` without a TOML table."""
    table = rf"^\[{re.escape(name)}\].*?(?=^\[|\Z)"
    return re.sub(table, "", text, flags=re.MULTILINE | re.DOTALL)
