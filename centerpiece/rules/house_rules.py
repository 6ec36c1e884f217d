"""House rules: a profile with some settings changed, saved under a name of the table's own."""

from typing import Any, Self

import msgspec

from centerpiece.rules.deal import changed_lines
from centerpiece.rules.rules import Rules, with_settings
from centerpiece.text import Refused


class HouseRules(msgspec.Struct, frozen=True, kw_only=True):
    """A named set of changes to a profile, as it is saved."""

    name: str
    game: str
    profile: str
    changes: dict[str, Any]
    version: int = 1

    @property
    def full_name(self) -> str:
        """Game and name, such as `mexican-train/Tuesday group`."""
        return f"{self.game}/{self.name}"

    def on(self, rules: Rules) -> Rules:
        """Return the profile `rules` with the changes, under the set's name.

        Refused if they do not fit.
        """
        return with_settings(rules, self.changes, name=self.name)

    def fitting(self, rules: Rules) -> tuple[dict[str, Any], list[str]]:
        """Return the changes that fit the profile `rules`, and the names of the settings left out.

        A set that was saved by an older release may name settings or values that are gone, or that
        contradict each other.
        """
        try:
            self.on(rules)
            return self.changes, []
        except Refused:
            pass
        kept: dict[str, Any] = {}
        for setting, value in self.changes.items():
            try:
                rules.changed({setting: value})
            except Refused:
                continue
            kept[setting] = value
        try:
            with_settings(rules, kept)
        except Refused:
            kept = _that_agree(rules, kept)
        return kept, [setting for setting in self.changes if setting not in kept]

    @classmethod
    def of(cls, rules: Rules, profile: Rules, name: str) -> Self:
        """Return the differences of `rules` from their `profile` as a saved set called `name`."""
        before, after = msgspec.to_builtins(profile), msgspec.to_builtins(rules)
        changes = {key: after[key] for key in rules.settings if after[key] != before[key]}
        if "hands" in changes:
            changes["hands"] = changed_lines(profile.hands, rules.hands)
        return cls(name=name, game=rules.game, profile=profile.name, changes=changes)


def _that_agree(rules: Rules, changes: dict[str, Any]) -> dict[str, Any]:
    """Return those of the changes that contradict neither the rules nor an earlier change."""
    kept: dict[str, Any] = {}
    for setting, value in changes.items():
        try:
            with_settings(rules, {**kept, setting: value})
        except Refused:
            continue
        kept[setting] = value
    return kept
