"""The config file: TOML to typed settings, read once at the start.

Every setting has a default, so no file is needed. A misspelt key is an error.
"""

import os
import re
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal

import msgspec

from centerpiece.hub.gestures import Timing
from centerpiece.panel.bindings import LONG_HOLDS
from centerpiece.panel.lookup import chords
from centerpiece.text import Misfit, Problem, Sentence, fitted
from hal.hardware_settings import HardwareSettings


class ConfigError(Problem, ValueError):
    """The config file cannot be used; it names the key, what was expected and what came."""

    code = "config"


class TableSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[table]`: the table's name in a hall, and the colours of the suits."""

    id: str = "table-1"
    suits: Literal["coloured", "high-contrast"] = "coloured"


class ServerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[server]`: the address of the pages. 127.0.0.1 is this machine only."""

    host: str = "127.0.0.1"
    port: int = 8080


class GestureSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[gestures]`: the thresholds of the buttons in milliseconds."""

    debounce_ms: int = 20
    double_ms: int = 300
    hold_ms: int = 800


class NetworkSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[network]`: the hub's own Wi-Fi. Without a password it is never opened.

    `patience_s` is how long a known network may take to appear before the hub opens its own.
    `open_until_set_up`: it needs no password until somebody has set the hub up on its page.
    """

    ssid: str = "centerpiece"
    password: str = ""
    patience_s: int = 60
    open_until_set_up: bool = False


class HallSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[hall]`: the hall this table belongs to; without a `url`, none.

    `password_file` holds only the password; `ca`, `certificate` and `key` are for `rediss://`.
    """

    url: str = ""
    id: str = "rally"
    password_file: str | None = None
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None
    cluster: bool = False


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings."""

    table: TableSettings = TableSettings()
    server: ServerSettings = ServerSettings()
    gestures: GestureSettings = GestureSettings()
    hardware: HardwareSettings = HardwareSettings()
    hall: HallSettings = HallSettings()
    network: NetworkSettings = NetworkSettings()
    data: str | None = None

    def timing(self) -> Timing:
        """Return the thresholds in seconds; no button's hold is shorter than `hold_ms`."""
        hold = self.gestures.hold_ms / 1000
        return Timing(
            settle=self.gestures.debounce_ms / 1000,
            double=self.gestures.double_ms / 1000,
            hold=hold,
            holds={button: max(hold, seconds) for button, seconds in LONG_HOLDS.items()},
            chords=chords(),
        )

    def data_folder(self) -> Path:
        """Return the journal's folder: as configured, or else systemd's, or else the user's."""
        if self.data:
            return Path(self.data).expanduser()
        if state := os.environ.get("STATE_DIRECTORY"):
            return Path(state.split(":")[0])
        home = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        return Path(home).expanduser() / "centerpiece"

    def journal_path(self) -> Path:
        return self.data_folder() / "table.db"


_LIMITS = {
    "server.port": (0, 65535),
    "gestures.debounce_ms": (1, 50),
    "gestures.double_ms": (100, 1000),
    "gestures.hold_ms": (300, 3000),
    "network.patience_s": (5, 3600),
}


def load(path: Path | None) -> Config:
    """Read and check the settings in a file; without one, return the defaults.

    Raise ConfigError for a file that is missing, no TOML, or has a wrong key or value.
    """
    if path is None:
        return Config()
    import tomllib

    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        config: Config = fitted(document, Config)
    except OSError as error:
        raise ConfigError(
            "{file}: {why}; give --config a file that can be read", file=path, why=error.strerror
        ) from None
    except Misfit as misfit:
        if "expected" not in misfit.facts:
            raise _misplaced(path, misfit) from None
        raise _wrong(path, **misfit.facts) from None
    except ValueError as error:
        raise ConfigError("{file} is not TOML: {why}", file=path, why=str(error)) from None
    _check(path, config)
    return config


def _misplaced(path: Path, misfit: Misfit) -> ConfigError:
    """Return the error for a key that is unknown, or that is a section and was written as a key."""
    section, _, key = misfit.field.rpartition(".")
    keys, place = _keys(section), f"[{section}]" if section else "the file"
    if key in keys:
        return ConfigError(
            "{file}: {key} is a section; write its settings below a line [{field}]",
            file=path,
            key=key,
            field=misfit.field,
        )
    if keys:
        return ConfigError(
            "{file}: {place} has no “{key}”; it takes {known}",
            file=path,
            place=place,
            key=key,
            known=keys,
        )
    return ConfigError("{file}: {why}", file=path, why=str(misfit.sentence).rstrip("."))


def _keys(section: str) -> list[str]:
    """Return the keys of a section such as `hardware.sound`; none if there is no such section.

    Without a name, it is the whole file.
    """
    kind: Any = Config
    for name in section.split(".") if section else ():
        kind = {each.name: each.type for each in msgspec.structs.fields(kind)}.get(name)
        if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
            return []
    return [each.name for each in msgspec.structs.fields(kind)]


def _wrong(path: Path, field: str, expected: Any, value: Any) -> ConfigError:
    """Return the error for a `value` of the setting `field` that is not `expected`.

    `server.port` is called `[server] port` in it, as in the file.
    """
    section, _, key = field.rpartition(".")
    return ConfigError(
        "{file}: {place} must be {expected}, not {value}",
        file=path,
        place=f"[{section}] {key}" if section else key,
        expected=expected,
        value=value,
    )


def _check(path: Path, config: Config) -> None:
    """Raise ConfigError for a number out of range, or a wrong table, hall or network."""
    for field, (low, high) in _LIMITS.items():
        value = attrgetter(field)(config)
        if not low <= value <= high:
            limits = Sentence("{low} to {high}", {"low": low, "high": high})
            raise _wrong(path, field, limits, value)
    for field in ("table.id", "hall.id"):
        name = attrgetter(field)(config)
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,31}", name):
            letters = Sentence("small letters, digits and hyphens, such as “table-7”")
            raise _wrong(path, field, letters, repr(name))
    _check_network(path, config.network)


def _check_network(path: Path, network: NetworkSettings) -> None:
    """Raise ConfigError for a name or password that Wi-Fi does not allow.

    A name has 1 to 32 bytes; a password has 8 to 63 ASCII characters, or is empty.
    """
    if not 1 <= len(network.ssid.encode()) <= 32:
        raise ConfigError("{file}: [network] ssid must be 1 to 32 characters long", file=path)
    if network.password and not re.fullmatch(r"[ -~]{8,63}", network.password):
        raise ConfigError(
            "{file}: [network] password must be 8 to 63 plain letters, digits and signs, "
            "or empty for no network of the hub's own",
            file=path,
        )
