"""systemctl for a temporary root: starts and stops the hub by its unit file, and no more.

    CENTERPIECE_FAKE_ROOT   the root; units are read from its /etc/systemd/system
    every call is written to $CENTERPIECE_FAKE_ROOT/run/systemctl.log

`start` returns when the service has said READY=1 and ExecStartPost is done, as for Type=notify.
"""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ["CENTERPIECE_FAKE_ROOT"])
RUN = ROOT / "run"
LIMIT = 60.0


def unit() -> dict[str, list[str]]:
    """Return the unit's keys, each with all its values."""
    keys: dict[str, list[str]] = {}
    for line in (ROOT / "etc/systemd/system/centerpiece.service").read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            keys.setdefault(key, []).append(value)
    return keys


def environment(keys: dict[str, list[str]]) -> dict[str, str]:
    words = [word for value in keys["Environment"] for word in shlex.split(value)]
    file = (ROOT / "etc/default/centerpiece").read_text()
    words += [line for line in file.splitlines() if "=" in line and not line.startswith("#")]
    state = ROOT / "var/lib" / keys["StateDirectory"][0]
    # The sandbox has no /run/centerpiece of its own here; lgpio is not used on the simulator.
    own = dict(word.split("=", 1) for word in words)
    return {**os.environ, **own, "STATE_DIRECTORY": str(state)}


def command(line: str, variables: dict[str, str]) -> list[str]:
    """Return a command line as systemd reads it, with absolute paths below the root."""
    line = re.sub(r"\$\{(\w+)\}", lambda found: variables[found[1]], line.lstrip("+-"))
    words = [word.replace("$$", "$") for word in shlex.split(line)]
    ours = ("/opt/centerpiece", "/etc/centerpiece")
    return [f"{ROOT}{word}" if word.startswith(ours) else word for word in words]


def start() -> int:
    if active():
        return 0
    supervisor = subprocess.Popen(
        [sys.executable, __file__, "_supervise"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert supervisor.stdout is not None
    if supervisor.stdout.readline() != b"ready\n":
        supervisor.wait(LIMIT)
        return 1
    keys = unit()
    for line in keys.get("ExecStartPost", []):
        words = command(line, environment(keys))
        if subprocess.run([*words, "--root", str(ROOT)], check=False).returncode != 0:
            stop()
            return 1
    return 0


def supervise() -> int:
    """Run the service: wait for READY, then for its end, then run the follow-up commands."""
    keys = unit()
    variables = environment(keys)
    address = RUN / "notify"
    address.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(address))
        listening.settimeout(0.1)
        log = open(RUN / "service.log", "ab")  # noqa: SIM115
        service = subprocess.Popen(
            command(keys["ExecStart"][0], variables),
            env={**variables, "NOTIFY_SOCKET": str(address), "WATCHDOG_USEC": "20000000"},
            stdout=log,
            stderr=log,
            cwd=RUN,
        )
        (RUN / "service.pid").write_text(f"{service.pid} {os.getpid()}")
        ready = wait_ready(listening, service)
        if not ready:
            service.kill()
    sys.stdout.write("ready\n" if ready else "failed\n")
    sys.stdout.flush()
    os.close(1)
    code = service.wait()
    (RUN / "service.pid").unlink(missing_ok=True)
    for line in keys.get("ExecStopPost", []):
        after = {**os.environ, "EXIT_STATUS": str(code)}
        subprocess.run(command(line, variables), env=after, stdout=log, stderr=log, check=False)
    (RUN / "service.exit").write_text(str(code))
    return 0


def wait_ready(listening: socket.socket, service: "subprocess.Popen[bytes]") -> bool:
    tries = int(float(os.environ.get("CENTERPIECE_FAKE_LIMIT", LIMIT)) * 10)
    for _ in range(tries):
        try:
            if b"READY=1" in listening.recv(4096):
                return True
        except TimeoutError:
            if service.poll() is not None:
                return False
    return False


def pids() -> tuple[int, int] | None:
    try:
        service, supervisor = (RUN / "service.pid").read_text().split()
    except (FileNotFoundError, ValueError):
        return None
    return int(service), int(supervisor)


def active() -> bool:
    found = pids()
    if found is None:
        return False
    try:
        return " Z " not in Path(f"/proc/{found[0]}/stat").read_text()
    except FileNotFoundError:
        return False


def stop() -> int:
    found = pids()
    if found is None:
        return 0
    supervisor = os.pidfd_open(found[1])
    try:
        os.kill(found[0], signal.SIGTERM)
        import select

        if not select.select([supervisor], [], [], LIMIT)[0]:
            os.kill(found[0], signal.SIGKILL)
            select.select([supervisor], [], [], LIMIT)
    except ProcessLookupError:
        pass
    finally:
        os.close(supervisor)
    return 0


def main() -> int:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if words == ["_supervise"]:
        return supervise()
    with open(RUN / "systemctl.log", "a") as log:
        log.write(" ".join(words) + "\n")
    match words[0]:
        case "start":
            return start()
        case "stop":
            return stop()
        case "is-active":
            return 0 if active() else 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
