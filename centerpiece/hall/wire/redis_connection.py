"""The one place that imports redis: a connection that fails fast, and its errors in words.

The protocol is pinned to 2, so that answers have one shape; nothing is retried behind our back,
since whoever asks knows better when to ask again; every wait has an end.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from centerpiece.hall.wire.hall_errors import HallError, WrongAddress
from centerpiece.text import Problem, Sentence

try:
    import redis
except ModuleNotFoundError:
    raise HallError("The hall needs redis: pip install 'centerpiece[hall]'.") from None
from redis import exceptions as e
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry
from redis.sentinel import Sentinel

__all__ = ["Redis", "RedisError", "ResponseError"]

Redis = Any
"""A client of one server, of a cluster, or of whichever server some Sentinels call the primary."""

TimeOf = Callable[[Redis], float]
"""Tells the hall's time."""
ANSWER_WITHIN = 5.0
CONNECT_WITHIN = 3.0


def connect(
    url: str,
    *,
    password_file: str | None = None,
    ca: str | None = None,
    certificate: str | None = None,
    key: str | None = None,
    cluster: bool = False,
    answer_within: float = ANSWER_WITHIN,
    connect_within: float = CONNECT_WITHIN,
) -> Redis:
    """Return a client. Nothing is sent yet, except that a cluster is asked for its nodes."""
    options: dict[str, Any] = {
        "protocol": 2,
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": answer_within,
        "socket_connect_timeout": connect_within,
        "socket_keepalive": True,
    }
    tls = {"ssl_ca_certs": ca, "ssl_certfile": certificate, "ssl_keyfile": key}
    if url.startswith("rediss"):
        options |= tls
    user = {} if password_file is None else {"password": _password(password_file)}
    sentinels = _SENTINELS.fullmatch(url)
    try:
        if sentinels is not None:
            return _primary(sentinels, options, user)
        if cluster:
            return RedisCluster.from_url(url, **options, **user)
        return redis.Redis.from_url(url, **options, **user)
    except ValueError:
        # What is wrong with it is not told: it may be a password with a slash.
        raise WrongAddress(
            "The hall's address must be like redis://hall.local:6379 or rediss://… for TLS, "
            "not “{url}”. Put a password into a file: password_file.",
            url=_without_secrets(url),
        ) from None
    except e.RedisClusterException as error:
        raise HallError("{why}", why=words(error, url)) from None


_SENTINELS = re.compile(
    r"(?P<kind>rediss?\+sentinel://)(?:(?P<user>[\w.-]+)@)?"
    r"(?P<places>[\w.-]+:\d{1,5}(?:,[\w.-]+:\d{1,5})*)/(?P<name>[\w.-]+)",
    re.ASCII,
)
"""The address of a hall with Sentinels: where they are, and what they call the primary."""


def _primary(address: re.Match[str], options: dict[str, Any], user: dict[str, Any]) -> Redis:
    """Return a client that asks the Sentinels for the primary whenever it connects."""
    if address["kind"].startswith("rediss"):
        options["ssl"] = True
    if address["user"]:
        user = {**user, "username": address["user"]}
    places = [place.split(":") for place in address["places"].split(",")]
    asked: Any = Sentinel
    sentinels = asked(
        [(host, int(port)) for host, port in places], sentinel_kwargs=options, **options, **user
    )
    return sentinels.master_for(address["name"])


def login(settings: object) -> dict[str, Any]:
    """Return what `connect` needs beside the address, from the config or the command line."""
    names = ("password_file", "ca", "certificate", "key", "cluster")
    return {name: getattr(settings, name) for name in names}


_WORDS: tuple[tuple[type[Exception] | str, str], ...] = (
    (
        e.AuthenticationError,
        "The hall{where} refuses the login. Check user and password under [hall].",
    ),
    (
        e.NoPermissionError,
        "The hall{where} does not allow this table to write ({answer}). Check its ACL.",
    ),
    (
        e.ReadOnlyError,
        "The hall's Redis{where} is a read-only replica. Give the primary's address.",
    ),
    (e.OutOfMemoryError, "The hall's Redis{where} is full. Give it more memory (maxmemory)."),
    (e.TimeoutError, "The hall{where} takes too long to answer."),
    (e.BusyLoadingError, "The hall's Redis{where} is starting."),
    (e.ClusterDownError, "The hall's cluster{where} is not complete ({answer})."),
    (e.RedisClusterException, "The hall's cluster{where} is not complete ({answer})."),
    (e.ConnectionError, "The hall does not answer{where}. Is Redis running, and the network up?"),
    ("MISCONF", "The hall's Redis{where} cannot save to its disk. Make room there."),
    ("NOREPLICAS", "The hall's Redis{where} has lost its replicas and accepts nothing."),
    (Exception, "The hall's Redis{where} says: {answer}."),
)
"""The sentence for an error, by its class, or by its code where redis-py has no class for it."""


def words(error: Exception, url: str = "") -> str:
    """Return a sentence for the page: what is wrong, and what to do."""
    if isinstance(error, Problem):
        return str(error)
    answer = _answer(error)
    code = answer.partition(" ")[0] if isinstance(error, ResponseError) else ""
    template = next(
        template
        for which, template in _WORDS
        if (code == which if isinstance(which, str) else isinstance(error, which))
    )
    where = f" at {_without_secrets(url)}" if url else ""
    return str(Sentence(template, {"where": where, "answer": answer}))


def _answer(error: Exception) -> str:
    """Return what the server said, without the words that it was sent: one may be a password."""
    return str(error).rpartition(" caused error: ")[2].partition(", with args")[0]


def _password(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise HallError(
            "{file}: {why}; put the hall's password there.", file=path, why=error.strerror
        ) from None


_PLAIN = re.compile(
    r"(?P<kind>rediss?://)(?:[^/?#@]*@)?(?P<place>[\w.-]+|\[[0-9a-f:.]+\])(?P<port>:\d{1,5})?"
    r"(?:/\d*)?(?:\?[^@]*)?",
    re.ASCII | re.IGNORECASE,
)


def _without_secrets(url: str) -> str:
    """Return kind, host and port; an address of which these cannot be told for sure is hidden.

    Passwords stand before the host, or among the options behind it, and some have a slash or a
    question mark in them, so that one half looks like a host.
    """
    if (found := _SENTINELS.fullmatch(url)) is not None:
        return f"{found['kind']}{found['places']}/{found['name']}"
    found = _PLAIN.fullmatch(url)
    return f"{found['kind']}{found['place']}{found['port'] or ''}" if found else "…"


def server_time(client: Redis) -> float:
    """Return the hall's time: that of Redis."""
    answer: Any = client.time()
    seconds, micros = answer if isinstance(answer, tuple) else next(iter(answer.values()))
    return float(seconds) + float(micros) / 1e6
