"""The one place that imports redis: a connection that fails fast, and its errors in words.

The protocol is pinned to 2, so that answers have one shape; nothing is retried behind our back,
since whoever asks knows better when to ask again; every wait has an end.
"""

from pathlib import Path
from typing import Any

from centerpiece.hall.wire.errors import HallError, WrongAddress
from centerpiece.text import Problem

try:
    import redis
except ModuleNotFoundError:
    raise HallError("The hall needs redis: pip install 'centerpiece[hall]'.") from None
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    ClusterDownError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    ResponseError,
    TimeoutError,
    WatchError,
)
from redis.retry import Retry

__all__ = ["Redis", "RedisError", "ResponseError", "WatchError", "connect", "is_cluster", "words"]

Redis = Any
"""A client of one server or of a cluster; both know the same commands."""

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
    """A client. Nothing is sent yet, except that a cluster is asked for its nodes."""
    options: dict[str, Any] = {
        "protocol": 2,
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": answer_within,
        "socket_connect_timeout": connect_within,
        "socket_keepalive": True,
    }
    if password_file is not None:
        options["password"] = _password(password_file)
    if url.startswith("rediss://"):
        options |= {"ssl_ca_certs": ca, "ssl_certfile": certificate, "ssl_keyfile": key}
    try:
        if cluster:
            return RedisCluster.from_url(url, **options)
        return redis.Redis.from_url(url, **options)
    except ValueError as error:
        raise WrongAddress(
            "The hall's address must be like redis://hall.local:6379 or rediss://… for TLS, "
            "not “{url}” ({why}).",
            url=_without_password(url),
            why=str(error),
        ) from None
    except RedisClusterException as error:
        raise HallError("{why}", why=words(error, url)) from None


def is_cluster(client: Redis) -> bool:
    """Whether keys lie on several nodes, so that one command takes one key."""
    return isinstance(client, RedisCluster)


def words(error: Exception, url: str = "") -> str:
    """A sentence for the page: what is wrong, and what to do."""
    where = f" at {_without_password(url)}" if url else ""
    if isinstance(error, Problem):
        return str(error)
    said = str(error).rpartition(" caused error: ")[2]
    if isinstance(error, AuthenticationError) or said.startswith(("WRONGPASS", "NOAUTH")):
        return f"The hall{where} refuses the login. Check user and password under [hall]."
    if isinstance(error, NoPermissionError):
        return f"The hall{where} does not allow this table to write ({said}). Check its ACL."
    if isinstance(error, ReadOnlyError):
        return f"The hall's Redis{where} is a read-only replica. Give the primary's address."
    if isinstance(error, OutOfMemoryError):
        return f"The hall's Redis{where} is full. Give it more memory (maxmemory)."
    if isinstance(error, TimeoutError):
        return f"The hall{where} takes too long to answer."
    if isinstance(error, BusyLoadingError):
        return f"The hall's Redis{where} is starting."
    if isinstance(error, ClusterDownError | RedisClusterException):
        return f"The hall's cluster{where} is not complete ({said})."
    if isinstance(error, redis.ConnectionError):
        return f"The hall does not answer{where}. Is Redis running, and the network up?"
    if said.startswith("MISCONF"):
        return f"The hall's Redis{where} cannot save to its disk. Make room there."
    if said.startswith("NOREPLICAS"):
        return f"The hall's Redis{where} misses its replicas and takes nothing in."
    return f"The hall's Redis{where} says: {said}."


def _password(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise HallError(
            "{file}: {why}; put the hall's password there.", file=path, why=error.strerror
        ) from None


def _without_password(url: str) -> str:
    scheme, slashes, rest = url.partition("://")
    login, at, place = rest.rpartition("@")
    user = login.partition(":")[0]
    return f"{scheme}{slashes}{user}{at}{place}" if slashes else url


def server_time(client: Redis) -> float:
    """The hall's clock is the clock of Redis."""
    answer: Any = client.time()
    seconds, micros = answer if isinstance(answer, tuple) else next(iter(answer.values()))
    return float(seconds) + float(micros) / 1e6
