"""Paired phones: they may write, and nobody else.

A phone that brings the number on the hub's face gets a random token of 256 bits. The hub keeps
only a digest of it, so a copy of the file lets nobody in. Nobody else is told whether there is
such a number now: a wrong one gets the same answer at all times.
Tokens are never logged, and never leave the hub but as a cookie that scripts cannot read.
"""

import hashlib
import hmac
import secrets
from collections import OrderedDict
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from starlette.requests import Request
from starlette.types import Scope

from centerpiece.hub.commit_queue import Answer
from centerpiece.hub.hub import Hub
from centerpiece.storage.clock_jumps import FIRST_DAY
from centerpiece.storage.phones import PHONES, Phone, forget_note
from centerpiece.table.checks import clean_name
from centerpiece.text import Problem, Sentence
from centerpiece.web.awaited import change
from centerpiece.web.json_answers import WebError
from centerpiece.web.request_guard import is_loopback

COOKIE = "centerpiece"
LASTS = 365 * 86_400
"""A phone that was not seen for a year is forgotten."""
SEEN_EVERY = 86_400.0
MOST_PHONES = 50
TRIES = 6
TRIES_WITHIN = 600.0
"""Wrong numbers that an address may send before it has to wait, and for how long."""
ADDRESSES = 1_000
"""Addresses that are remembered for the limit on tries."""


class Pairing:
    """The paired phones of a hub."""

    def __init__(self, hub: Hub, simulated: bool) -> None:
        self._hub = hub
        self._simulated = simulated
        self._met: dict[str, float] = {}
        """When a phone was last seen by this hub since its start, in its own time."""
        self._tries: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._keeper: str | None = None
        """The digest of the keeper's key, until it is used."""

    # Who may write

    def may_write(self, request: Request) -> bool:
        """Return whether this request may change anything."""
        return self.phone_of(request) is not None or self._is_newcomer(request)

    def check(self, request: Request) -> None:
        """Refuse a write from a phone that is not paired."""
        if not self.may_write(request):
            raise WebError(
                403,
                "not-paired",
                "This phone can look but not keep score. To pair it, hold Train and Advance at "
                "the hub for three seconds.",
            )

    def phone_of(self, request: Request) -> Phone | None:
        """The paired phone that sent a request."""
        token = request.cookies.get(COOKIE, "")
        if not 20 <= len(token) <= 100:
            return None
        self._obey_note()
        digest = _digest(token)
        phone = self._known(digest)
        if phone is None:
            return None
        if self._away(phone) > LASTS:
            return None
        at = self._hub.clock.at()
        self._met[digest] = self._hub.clock.now()
        if at - phone.seen > SEEN_EVERY:
            # Nobody waits for it, and a failure changes nothing.
            seen = replace(phone, seen=at)
            self._hub.change(PHONES, lambda phones: (*_without(phones, phone.id), seen))
        return phone

    def _known(self, digest: str) -> Phone | None:
        """Return the phone with this digest, if it may write.

        It must be written down, and not be about to be forgotten.
        """
        decided = self._hub.decided.settings[PHONES]
        for phone in self._hub.settings[PHONES]:
            if hmac.compare_digest(phone.digest, digest):
                return phone if any(each.id == phone.id for each in decided) else None
        return None

    def _away(self, phone: Phone) -> float:
        """For how long a phone was not seen: by the clock that nobody can set, if it was met since
        the start; and one that was seen before the clock was set was not away since 1970."""
        met = self._met.get(phone.digest)
        if met is not None:
            return self._hub.clock.now() - met
        return self._hub.clock.at() - phone.seen if phone.seen >= FIRST_DAY else 0.0

    def knows(self, scope: Scope) -> bool:
        """Return whether a connection is a paired phone's: then nobody else takes its place."""
        return self.phone_of(Request(scope)) is not None

    def _is_newcomer(self, request: Request) -> bool:
        """Somebody trying the simulator on their own machine need not pair with it."""
        return self._simulated and is_loopback(request)

    # Pairing

    async def pair(self, request: Request, name: str, number: str) -> tuple[Phone, str]:
        """Let a phone in that brings the number; its token is shown this one time."""
        address = request.client.host if request.client else ""
        self._check_tries(address)
        if not self._hub.pairs_with(number):
            self._count_try(address)
            raise WebError(
                403,
                "pairing",
                "That is not the number on the hub's face. Hold Train and Advance together at "
                "the hub for three seconds, then type the two digits that it shows.",
            )
        if len(self._hub.decided.settings[PHONES]) >= MOST_PHONES:
            raise WebError(
                409, "pairing", "{most} phones are paired. Remove one first.", most=MOST_PHONES
            )
        self._tries.pop(address, None)
        return await self._let_in(name)

    def keeper_key(self) -> str:
        """Make a new key, for a single use.

        A simulated hub has no buttons to pair its own tablet with.
        """
        key = secrets.token_urlsafe(16)
        self._keeper = _digest(key)
        return key

    async def keep(self, request: Request, key: str) -> tuple[Phone, str]:
        """Let in the device that brings the keeper's key; the token is shown this one time."""
        if self._keeper is None or not hmac.compare_digest(self._keeper, _digest(key)):
            raise WebError(
                403,
                "keeper",
                "This link has already been used, or the hub has been restarted since. Take "
                "the newest one, from where the hub was started.",
            )
        self._keeper = None
        return await self._let_in("Tablet")

    async def _let_in(self, name: str) -> tuple[Phone, str]:
        token, at = secrets.token_urlsafe(32), self._hub.clock.at()
        phone = Phone(secrets.token_hex(4), clean_name(name), _digest(token), at, at)
        self._met[phone.digest] = self._hub.clock.now()
        await change(self._hub, PHONES, lambda phones: (*phones, phone))
        self._hub.announce(Sentence("{name} can now keep score.", {"name": phone.name}), "join")
        return phone, token

    def number(self, request: Request) -> dict[str, Any] | None:
        """The number on the face, and for how long: for those who may write, and nobody else."""
        minute = self._hub.pairing() if self.may_write(request) else None
        if minute is None:
            return None
        return {"number": minute.number, "open_s": round(minute.ends - self._hub.clock.now())}

    def listed(self, request: Request) -> list[dict[str, Any]]:
        """All paired phones, the latest first; never their tokens."""
        mine = self.phone_of(request)
        phones = self._hub.settings[PHONES]
        latest = sorted(phones, key=lambda phone: -phone.paired)
        return [
            {
                "id": phone.id,
                "name": phone.name,
                "paired": phone.paired,
                "seen": phone.seen,
                "this": mine is not None and phone.id == mine.id,
            }
            for phone in latest
        ]

    async def revoke(self, phone_id: str) -> None:
        """A phone may only look from now on."""
        if all(phone.id != phone_id for phone in self._hub.decided.settings[PHONES]):
            raise WebError(
                404, "not-found", "There is no such phone. It may have been removed already."
            )
        await change(self._hub, PHONES, lambda phones: _without(phones, phone_id))

    def _check_tries(self, address: str) -> None:
        """An address that has sent wrong numbers has to wait, whether there is a right one or not;
        so nobody who never rests spoils the minute of those at the table."""
        now = self._hub.clock.now()
        began, count = self._tries.get(address, (now, 0))
        if count >= TRIES and now - began < TRIES_WITHIN:
            raise WebError(
                429,
                "too-often",
                "Too many wrong numbers. Wait ten minutes, then try again.",
                wait=max(1, round(began + TRIES_WITHIN - now)),
            )

    def _obey_note(self) -> None:
        """Forget all phones if somebody at the hub's own shell has asked for it."""
        path = self._hub.journal.path
        if not isinstance(path, Path) or not (note := forget_note(path)).exists():
            return

        def on_done(answer: Answer) -> None:
            if not isinstance(answer, Problem):
                note.unlink(missing_ok=True)

        if self._hub.decided.settings[PHONES] or not self._hub.settings[PHONES]:
            self._hub.change(PHONES, lambda phones: (), on_done)

    def _count_try(self, address: str) -> None:
        now = self._hub.clock.now()
        began, count = self._tries.pop(address, (now, 0))
        if now - began >= TRIES_WITHIN:
            began, count = now, 0
        self._tries[address] = (began, count + 1)
        while len(self._tries) > ADDRESSES:
            self._tries.popitem(last=False)


def _without(phones: tuple[Phone, ...], phone_id: str) -> tuple[Phone, ...]:
    return tuple(phone for phone in phones if phone.id != phone_id)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
