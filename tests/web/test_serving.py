"""The server: its address, its errors, its start after the hub, its end."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from centerpiece.web.qr_code import print_addresses
from centerpiece.web.server import PortTaken, address_of, listen, reaches_phones
from tests.patience import TIMEOUT_S
from tests.web.browsers import Running

pytestmark = pytest.mark.real_time("hubs in processes of their own, with sockets and signals")


def test_a_port_that_is_taken_is_told_with_what_to_do() -> None:
    """Starting two hubs on one machine is a common mistake."""
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken) as error:
            listen("127.0.0.1", port)

    assert str(error.value) == (
        f"The pages cannot be served at 127.0.0.1 port {port}: another program is there. "
        "Stop it, or choose another port with --port."
    )


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [
        ("192.0.2.1", 0, r"port 0: this machine has no such address\. .* with --host\.$"),
        ("no such name", 0, r"port 0: no machine has that name\. .* with --host\.$"),
        ("127.0.0.1", 99999, r"port 99999: a port is a number from 0 to 65535\.$"),
        ("127.0.0.1", -1, r"port -1: a port is a number from 0 to 65535\.$"),
    ],
)
def test_a_place_that_is_none_is_told_with_what_to_do(host: str, port: int, words: str) -> None:
    """A hub was moved to another network, or an option is misspelt."""
    with pytest.raises(PortTaken, match=words):
        listen(host, port)


def test_run_ends_with_that_sentence(tmp_path: Path) -> None:
    """There is no traceback."""
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "centerpiece", "run", "--data", str(tmp_path)]
        ended = subprocess.run(
            [*command, "--port", str(port)], capture_output=True, text=True, timeout=TIMEOUT_S
        )

    assert 2 == ended.returncode
    assert "choose another port with --port" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_terminal_is_told_where_the_table_is_and_nothing_more(tmp_path: Path) -> None:
    """Log lines at level INFO are for the system's journal."""
    screen, terminal = os.openpty()
    command = [sys.executable, "-m", "centerpiece", "run", "--data", str(tmp_path), "--port", "0"]
    process = subprocess.Popen(command, stdout=terminal, stderr=terminal)
    os.close(terminal)
    try:
        said = b""
        while not said.endswith(b"\n"):
            said += os.read(screen, 1024)
    finally:
        process.terminate()
        process.wait(timeout=TIMEOUT_S)
        os.close(screen)

    assert re.match(rb"The table is at http://127\.0\.0\.1:\d+/\r\n", said)
    assert b"INFO" not in said


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_hub_stops_with_pages_open(tmp_path: Path, how: signal.Signals) -> None:
    """It ends their streams in good order instead of waiting for them."""
    running = Running(tmp_path)
    process = running._process
    assert process is not None
    pages = []
    for _ in range(5):
        page = socket.create_connection(("127.0.0.1", running.port), timeout=TIMEOUT_S)
        page.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert page.recv(15) == b"HTTP/1.1 200 OK"
        pages.append(page)

    process.send_signal(how)
    process.communicate(timeout=TIMEOUT_S)

    assert 0 == process.returncode
    for page in pages:
        while page.recv(65_536):
            pass
        page.close()
    assert "Traceback" not in (tmp_path / "log.txt").read_text()
    running._process = None


def test_the_hub_knows_nothing_of_the_pages() -> None:
    """It starts before they are loaded, and would run without them."""
    script = (
        "import sys, centerpiece.cli.run, centerpiece.service.shell, centerpiece.hub.hub\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('starlette', 'uvicorn')"
        " or name.startswith('centerpiece.web')])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
    )

    assert "[]" == ended.stdout.strip()


@pytest.mark.parametrize(
    ("host", "port", "address"),
    [
        ("127.0.0.1", 8080, "http://127.0.0.1:8080/"),
        ("192.168.1.5", 80, "http://192.168.1.5/"),
        ("::1", 8080, "http://[::1]:8080/"),
    ],
)
def test_the_address_is_one_that_can_be_typed(host: str, port: int, address: str) -> None:
    """Without port 80, which browsers assume."""
    assert address == address_of(host, port)


def test_a_hub_that_listens_everywhere_tells_where_it_can_be_reached() -> None:
    assert "0.0.0.0" not in address_of("0.0.0.0", 8080)


def test_the_code_is_drawn_on_a_terminal_only(capsys: pytest.CaptureFixture[str]) -> None:
    """A log file gets plain lines; an address that no phone can open, a hint."""
    print_addresses("http://192.168.1.5/", "http://192.168.1.5/table#keeper=key")
    print_addresses("http://127.0.0.1:8080/")

    assert [
        "The table is at http://192.168.1.5/",
        "Hub:        http://192.168.1.5/hub",
        "Tablet:     http://192.168.1.5/table#keeper=key (in the middle of the table; works once)",
        "Television: http://192.168.1.5/board",
        "The table is at http://127.0.0.1:8080/",
        "Television: http://127.0.0.1:8080/board",
        "Only this machine can open it. To let phones in: make run ARGS=--lan",
    ] == capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("address", "reaches"),
    [("http://127.0.0.1:8080/", False), ("http://[::1]/", False), ("http://hub.local/", True)],
)
def test_a_code_is_shown_where_a_phone_can_follow_it(address: str, reaches: bool) -> None:
    """A loopback address is useless on a phone."""
    assert reaches == reaches_phones(address)


def test_on_a_terminal_the_phones_code_comes_last() -> None:
    """Everything fits on 24 lines, so that no other code can be scanned by mistake."""
    ours, theirs = os.openpty()
    script = "from centerpiece.web.qr_code import print_addresses; "
    script += "print_addresses('http://192.168.100.50:8080/', 'http://192.168.100.50:8080/table#keeper=key')"
    with subprocess.Popen([sys.executable, "-c", script], stdout=theirs) as process:
        os.close(theirs)
        seen = b""
        try:
            while piece := os.read(ours, 65_536):
                seen += piece
        except OSError:
            pass  # The other end of a terminal ends with an error.
        process.wait(TIMEOUT_S)
    os.close(ours)

    lines = seen.decode().splitlines()
    assert "Phones:     scan this" in lines
    assert all("▄" in line for line in lines[lines.index("Phones:     scan this") + 2 : -2])
    assert len(lines) < 24
