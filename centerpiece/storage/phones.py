"""The paired phones, as a setting."""

from pathlib import Path

import msgspec

from centerpiece.storage.settings import SettingKey


class Phone(msgspec.Struct, frozen=True):
    """A paired phone. Only a digest of its token is stored, so a copied file gives no access."""

    id: str
    name: str
    digest: str
    paired: float
    seen: float
    key: str = ""
    """A digest of the key of the request that paired it."""


PHONES: SettingKey[tuple[Phone, ...]] = SettingKey("phones", tuple[Phone, ...], ())


def forget_note(journal: Path) -> Path:
    """Return the file beside a journal that asks the hub to forget all phones."""
    return journal.with_name("forget-phones")
