"""Keys of orders that are done, so that an order that arrives twice is done once.

A browser sends a request again when its connection is reset, and cannot know whether the first one
was carried out. A key is written in the transaction of its order: a restart forgets none of the
latest, and none is remembered of an order that the disk refused.
"""

from collections.abc import Mapping

from centerpiece.storage.settings import SettingKey

MOST_KEYS = 32
"""Keys kept on the disk: orders are repeated within seconds, and each key is written again with
every order after it."""
ORDER_KEYS: SettingKey[Mapping[str, int]] = SettingKey("order-keys", dict[str, int], {})
"""The `seq` after each order, by its key, the latest last."""


def with_key(known: Mapping[str, int], key: str, seq: int) -> Mapping[str, int]:
    """Return the keys with a new one and its `seq`; beyond MOST_KEYS the oldest are dropped."""
    return dict([*known.items(), (key, seq)][-MOST_KEYS:])
