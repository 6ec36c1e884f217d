"""Pairing: only paired phones may write.

A phone that sends the number shown on the hub's face gets a random 256-bit token. The hub stores
only its digest, so a copy of the file grants no access. Whether pairing is open is not revealed:
a wrong number gets the same answer at any time.
Tokens are never logged and leave the hub only as an HttpOnly cookie.
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
from centerpiece.web.hub_requests import change
from centerpiece.web.json_answers import WebError
from centerpiece.web.repeated_requests import order_key
from centerpiece.web.request_guard import body_of, is_this_machine

COOKIE = "centerpiece"
LASTS = 180 * 86_400
"""Seconds after which a phone that was not seen is forgotten."""
SEEN_EVERY = 86_400.0
MOST_PHONES = 50
TRIES = 6
TRIES_WITHIN = 600.0
"""Wrong numbers that an address may send in so many seconds."""
RESENT_WITHIN = 120.0
"""Seconds in which a browser may send its request to pair again."""
ADDRESSES = 1_000
"""Addresses remembered for the limit on tries."""


class PhoneRegister:
    """The paired phones of a hub."""

    def __init__(self, hub: Hub, simulated: bool) -> None:
        self._hub = hub
        self._simulated = simulated
        self._last_seen: dict[str, float] = {}
        """Monotonic time of each phone's last request since the start, by digest."""
        self._tries: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._keeper: str | None = None
        """The digest of the keeper's key, until it is used."""
        self._obeying = False
        """True while a note to forget all phones is being carried out."""

    # Permission to write

    def may_write(self, request: Request) -> bool:
        """Return whether this request may change anything."""
        return self.phone_of(request) is not None or self._is_newcomer(request)

    def check(self, request: Request) -> None:
        """Raise WebError 403 if a request does not come from a phone that may write."""
        if not self.may_write(request):
            raise WebError(
                403,
                "not-paired",
                "This phone can look but not keep score. To pair it, hold Train and Advance at "
                "the hub for three seconds.",
            )

    async def order_of(self, request: Request) -> bytes:
        """Return the body of a request that writes; raise WebError if its phone may not.

        The phone is checked before the body is read and after it: it may have been removed
        meanwhile. A body that is too long is refused too.
        """
        self.check(request)
        body = await body_of(request)
        self.check(request)
        return body

    def phone_of(self, request: Request) -> Phone | None:
        """Return the paired phone that sent a request, and note that it was seen; else None.

        It is known by its cookie, and the time is stored once a day at most. Before that, all
        phones are forgotten if a note of `centerpiece phones forget` asks for it.
        """
        token = request.cookies.get(COOKIE, "")
        if not 20 <= len(token) <= 100:
            return None
        self._obey_note()
        digest = _digest(token)
        phone = self._find(digest)
        if phone is None:
            return None
        at = self._hub.clock.at()
        self._last_seen[digest] = self._hub.clock.now()
        if at - phone.seen > SEEN_EVERY:
            # Fire and forget: a failed update is harmless.
            seen = replace(phone, seen=at)
            self._hub.change(PHONES, lambda phones: (*_without(phones, phone.id), seen))
        return phone

    def _find(self, digest: str) -> Phone | None:
        """Return the phone with this digest; None if there is none.

        A phone counts only if its pairing is on the disk, if no removal of it is under way, and if
        it was not away for too long.
        """
        decided = self._hub.decided.settings[PHONES]
        for phone in self._present(self._hub.settings[PHONES]):
            if hmac.compare_digest(phone.digest, digest):
                return phone if any(each.id == phone.id for each in decided) else None
        return None

    def _present(self, phones: tuple[Phone, ...]) -> tuple[Phone, ...]:
        """Return the phones without those that were not seen for `LASTS` seconds.

        Those are removed for good with the next pairing, not at once: the clock may be wrong today.
        """
        return tuple(phone for phone in phones if self._seconds_away(phone) <= LASTS)

    def _seconds_away(self, phone: Phone) -> float:
        """Return the seconds since a phone was last seen.

        For one seen since the hub's start they are monotonic; else they come from the stored time.
        A stored time from before the wall clock was first set is meaningless, and counts as just
        now: 0.0.
        """
        last = self._last_seen.get(phone.digest)
        if last is not None:
            return self._hub.clock.now() - last
        return self._hub.clock.at() - phone.seen if phone.seen >= FIRST_DAY else 0.0

    def knows(self, scope: Scope) -> bool:
        """Return whether a connection belongs to a paired phone, and so keeps its place."""
        return self.phone_of(Request(scope)) is not None

    def _is_newcomer(self, request: Request) -> bool:
        """Return whether the request comes from the simulator's own machine: no pairing there."""
        return self._simulated and is_this_machine(request)

    # Pairing

    async def pair(self, request: Request, name: str, number: str) -> tuple[Phone, str]:
        """Pair the phone that sends `number`, under the name `name`; return it with its token.

        The token is not stored. Raise WebError for a wrong number, too many wrong ones from its
        address, or one phone more than `MOST_PHONES`. A request that is sent again gets the same
        phone, with a new token.
        """
        if (known := self._just_paired(request)) is not None:
            return await self._renew(known)
        self.check_number(request.client.host if request.client else "", number)
        self._obey_note()
        if len(self._present(self._hub.decided.settings[PHONES])) >= MOST_PHONES:
            raise WebError(
                409, "pairing", "{most} phones are paired. Remove one first.", most=MOST_PHONES
            )
        return await self._add(request, name)

    def check_number(self, address: str, number: str) -> None:
        """Raise WebError if `number` is not the one on the face, or none is shown; count that.

        After `TRIES` wrong numbers `address` is refused for a while, also with the right one. The
        right one forgets the wrong ones.
        """
        self._check_tries(address)
        if not self._hub.pairs_with(number):
            self._count_try(address)
            raise WebError(
                403,
                "pairing",
                "That is not the number on the hub's face. Hold Train and Advance together at "
                "the hub for three seconds, then type the two digits that it shows.",
            )
        self._tries.pop(address, None)

    def check_set_up_page(self, request: Request) -> None:
        """Refuse everybody but the set-up page, which runs on this machine and says who asks."""
        if not is_this_machine(request):
            raise WebError(403, "set-up", "Only the hub's own set-up page may ask this.")

    def keeper_key(self) -> str:
        """Return a new key, by which one device can pair once without the number on the face.

        It is for the tablet of a simulated hub, which has no buttons to press. An earlier key is
        void.
        """
        key = secrets.token_urlsafe(16)
        self._keeper = _digest(key)
        return key

    async def keep(self, request: Request, key: str) -> tuple[Phone, str]:
        """Pair the device that sends the keeper's key; return it with its token.

        Raise WebError for any other key, and for one that was used, unless the same request is sent
        again: then the device gets a new token.
        """
        if (known := self._just_paired(request)) is not None:
            return await self._renew(known)
        if self._keeper is None or not hmac.compare_digest(self._keeper, _digest(key)):
            raise WebError(
                403,
                "keeper",
                "This link has already been used, or the hub has been restarted since. Take "
                "the newest one, from where the hub was started.",
            )
        self._keeper = None
        self._obey_note()
        return await self._add(request, "Tablet")

    def _just_paired(self, request: Request) -> Phone | None:
        """Return the phone that an earlier sending of this very request has paired; else None.

        That was within `RESENT_WITHIN` seconds, and its answer was lost. None also for a request
        without a key of its own.
        """
        key, at = order_key(request.scope), self._hub.clock.at()
        for phone in self._hub.decided.settings[PHONES]:
            if key and phone.key == _digest(key) and abs(at - phone.paired) < RESENT_WITHIN:
                return phone
        return None

    async def _renew(self, phone: Phone) -> tuple[Phone, str]:
        """Replace a phone's token by a new one once that is written; return both.

        Its old token was in an answer that the phone has never got.
        """
        token = secrets.token_urlsafe(32)
        renewed = replace(phone, digest=_digest(token))
        self._last_seen[renewed.digest] = self._hub.clock.now()

        def change_phone(phones: tuple[Phone, ...]) -> tuple[Phone, ...]:
            return tuple(renewed if each.id == phone.id else each for each in phones)

        await change(self._hub, PHONES, change_phone)
        return renewed, token

    async def _add(self, request: Request, name: str) -> tuple[Phone, str]:
        """Store a new phone under the name `name`, tell the table, and return it with its token.

        Phones that were away for too long are removed with the same change. Return once that is
        written.
        """
        token, at, key = secrets.token_urlsafe(32), self._hub.clock.at(), order_key(request.scope)
        digests = {"digest": _digest(token), "key": _digest(key) if key else ""}
        phone = Phone(secrets.token_hex(4), clean_name(name), paired=at, seen=at, **digests)
        self._last_seen[phone.digest] = self._hub.clock.now()
        await change(self._hub, PHONES, lambda phones: (*self._present(phones), phone))
        self._hub.tell(Sentence("{name} can now keep score.", {"name": phone.name}), "join")
        return phone, token

    def number(self, request: Request) -> dict[str, Any] | None:
        """Return the number on the face and for how many seconds it is still shown.

        None if the request's phone may not write, and while the face shows no number.
        """
        window = self._hub.pairing() if self.may_write(request) else None
        if window is None:
            return None
        return {"number": window.number, "open_s": round(window.ends - self._hub.clock.now())}

    def listed(self, request: Request) -> list[dict[str, Any]]:
        """Return all paired phones for the page, the latest paired first, without digests.

        `this` marks the phone that sent the request. Those that were away for too long are left
        out.
        """
        own = self.phone_of(request)
        phones = self._present(self._hub.settings[PHONES])
        latest = sorted(phones, key=lambda phone: -phone.paired)
        at = self._hub.clock.at()
        return [
            {
                "id": phone.id,
                "name": phone.name,
                "paired": phone.paired,
                "seen": at - self._seconds_away(phone),
                "this": own is not None and phone.id == own.id,
            }
            for phone in latest
        ]

    async def revoke(self, phone_id: str) -> None:
        """Remove the phone with this id, so that it may not write; return once that is written.

        Raise WebError 404 if there is no such phone.
        """
        if all(phone.id != phone_id for phone in self._hub.decided.settings[PHONES]):
            raise WebError(
                404, "not-found", "There is no such phone. It may have been removed already."
            )
        await change(self._hub, PHONES, lambda phones: _without(phones, phone_id))

    def _check_tries(self, address: str) -> None:
        """Raise WebError 429 if `address` sent `TRIES` wrong numbers in `TRIES_WITHIN` seconds.

        It is the same whether pairing is open or not. The hub closes pairing after a few wrong
        numbers: without a limit one device could keep it closed for everybody.
        """
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
        """Forget all phones if `centerpiece phones forget` has left its note beside the journal.

        The note is removed once that is written. Nothing happens without a note, while an earlier
        one is being carried out, or for a journal in memory.
        """
        path = self._hub.journal.path
        if self._obeying or not isinstance(path, Path) or not (note := forget_note(path)).exists():
            return

        def on_done(answer: Answer) -> None:
            self._obeying = False
            if not isinstance(answer, Problem):
                note.unlink(missing_ok=True)

        self._obeying = True
        self._hub.change(PHONES, lambda phones: (), on_done)

    def _count_try(self, address: str) -> None:
        """Count a wrong number of `address`; `TRIES_WITHIN` seconds after the first, start anew.

        Of more than `ADDRESSES` addresses, the one whose last try is oldest is forgotten.
        """
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
