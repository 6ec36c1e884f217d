"""The one place that imports redis: connections that fail fast, and errors as sentences.

The protocol is pinned to 2, so that answers have one shape. Nothing is retried here, since callers
know better when to; every wait has a timeout.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from centerpiece.hall.wire.hall_errors import HallError
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
"""A client of one server, of a cluster, or of the primary that Sentinels name."""

TimeOf = Callable[[Redis], float]
"""Returns the hall's time."""


def connect(
    url: str,
    *,
    password_file: str | None = None,
    ca: str | None = None,
    certificate: str | None = None,
    key: str | None = None,
    cluster: bool = False,
    answer_within: float = 5.0,
    connect_within: float = 3.0,
) -> Redis:
    """Return a client, which connects when used; only a cluster is asked for its nodes at once.

    `connect_within` and `answer_within` are in seconds. Raise HallError for a wrong address, an
    unreadable password file, or a cluster that is not there.
    """
    options: dict[str, Any] = {
        "protocol": 2,
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": answer_within,
        "socket_connect_timeout": connect_within,
        "socket_keepalive": True,
    }
    if url.startswith("rediss"):
        options |= {"ssl_ca_certs": ca, "ssl_certfile": certificate, "ssl_keyfile": key}
    user = {} if password_file is None else {"password": _password(password_file)}
    sentinels = _SENTINELS.fullmatch(url)
    try:
        if sentinels is not None:
            return _primary(sentinels, options, user)
        if cluster:
            return RedisCluster.from_url(url, **options, **user)
        return redis.Redis.from_url(url, **options, **user)
    except ValueError:
        # Without the reason: it may quote a password with a slash.
        raise HallError(
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
"""An address with Sentinels, and their name for the primary."""


def _primary(address: re.Match[str], options: dict[str, Any], user: dict[str, Any]) -> Redis:
    """Return a client that asks the Sentinels for the primary whenever it connects.

    `address` is a match of `_SENTINELS`; `user` has the password of the primary, if there is one.
    """
    if address["kind"].startswith("rediss"):
        options["ssl"] = True
    if address["user"]:
        user = {**user, "username": address["user"]}
    places = [place.split(":") for place in address["places"].split(",")]
    hosts = [(host, int(port)) for host, port in places]
    sentinel: Any = Sentinel
    sentinels = sentinel(hosts, sentinel_kwargs=options, **options, **user)
    return sentinels.master_for(address["name"])


def login(settings: object) -> dict[str, Any]:
    """Return the options of `connect` from the config or the command line."""
    names = ("password_file", "ca", "certificate", "key", "cluster")
    return {name: getattr(settings, name) for name in names}


_SENTENCES: tuple[tuple[type[Exception] | str, str], ...] = (
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
"""Templates by class, or by code where redis-py has no class; the first that fits is used."""


def words(error: Exception, url: str = "") -> str:
    """Return an error as a sentence for the page, with what to do about it.

    `url` is the address used, shown without its password; without it the sentence names none.
    """
    if isinstance(error, Problem):
        return str(error)
    answer = _answer(error)
    code = answer.partition(" ")[0] if isinstance(error, ResponseError) else ""
    template = next(
        template
        for kind, template in _SENTENCES
        if (code == kind if isinstance(kind, str) else isinstance(error, kind))
    )
    where = f" at {_without_secrets(url)}" if url else ""
    return str(Sentence(template, {"where": where, "answer": answer}))


def _answer(error: Exception) -> str:
    """Return the server's message without the command it quotes, which may hold a password."""
    return str(error).rpartition(" caused error: ")[2].partition(", with args")[0]


def _password(path: str) -> str:
    """Read a password; raise HallError if its file cannot be read."""
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
    """Return scheme, host and port, or “…” for an address in which they are ambiguous.

    Passwords stand before the host or among the options, and a slash or question mark in one makes
    its first half look like a host.
    """
    if (match := _SENTINELS.fullmatch(url)) is not None:
        return f"{match['kind']}{match['places']}/{match['name']}"
    match = _PLAIN.fullmatch(url)
    return f"{match['kind']}{match['place']}{match['port'] or ''}" if match else "…"


def server_time(client: Redis) -> float:
    """Return the hall's time, which is that of Redis."""
    answer: Any = client.time()
    seconds, micros = answer if isinstance(answer, tuple) else next(iter(answer.values()))
    return float(seconds) + float(micros) / 1e6
