"""One real Redis for all tests of a worker; tests that damage a server start one of their own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fakeredis
import pytest

from tests.hall.servers import RealRedis, running, wiped
from tests.hall.tables import Rally


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealRedis]:
    with running(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(params=["fakeredis", "redis-server"])
def client(request: pytest.FixtureRequest) -> Any:
    """An empty Redis, faked or real."""
    if request.param == "fakeredis":
        return fakeredis.FakeRedis(protocol=2)
    return wiped(request.getfixturevalue("server"))


@pytest.fixture
def rally(tmp_path: Path, client: Any) -> Iterator[Rally]:
    rally = Rally(tmp_path, client)
    yield rally
    rally.close()
