"""The unit of systemd: our command line, folders that the server uses, and a closed system."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from metasearch.server import handover
from metasearch.settings import Settings
from tests.deploy.files import DEPLOY, seconds, size, unit
from tests.deploy.server import PATIENCE, PORT, options_of

FILE = DEPLOY / "systemd" / "metasearch.service"
SERVICE = unit(FILE)["Service"]


def value(key: str) -> str:
    """The only value of a key of the service."""
    (found,) = SERVICE[key]
    return found


def environment() -> dict[str, str]:
    """The variables that the unit sets."""
    return dict(line.split("=", 1) for line in SERVICE["Environment"])


def test_the_command_is_one_of_ours() -> None:
    """It listens where the examples of proxies ask, on this machine alone."""
    _, *arguments = shlex.split(value("ExecStart"))
    options = options_of(arguments)

    assert (options["host"], options["port"]) == ("127.0.0.1", PORT)
    assert options["workers"] >= 1


def test_a_reload_is_the_signal_that_starts_anew() -> None:
    """It is sent to the parent alone, which keeps its process and its sockets."""
    assert handover.SIGNAL is not None
    name = handover.SIGNAL.name.removeprefix("SIG")

    assert value("ExecReload") == f"/bin/kill -{name} $MAINPID"


def test_the_server_has_the_time_to_end() -> None:
    """What remains is killed only after the parent has ended its workers; SIGTERM goes to the
    parent alone, which tells them."""
    assert seconds(value("TimeoutStopSec")) > PATIENCE + 2
    assert value("KillMode") == "mixed"


def test_the_folders_that_it_writes_to_are_those_that_systemd_makes(monkeypatch) -> None:
    """The workspace and the collections in the state, the pages in the cache, and nothing else."""
    env = environment()
    for name, path in env.items():
        monkeypatch.setenv(name, path)
    settings = Settings.load(DEPLOY / "systemd" / "config.toml", env)
    state = Path("/var/lib") / value("StateDirectory")
    assert settings.workspace is not None
    assert settings.collections_dir is not None

    assert {settings.workspace.parent, settings.collections_dir.parent} == {state}
    assert settings.cache_dir == Path("/var/cache") / value("CacheDirectory")
    assert env["METASEARCH_CONFIG"] == "/etc/metasearch/config.toml"


def test_it_is_closed() -> None:
    """A user of its own, a read-only system, no privileges, a bound of memory."""
    expected = {
        "DynamicUser": "yes",
        "NoNewPrivileges": "yes",
        "PrivateTmp": "yes",
        "ProtectHome": "yes",
        "ProtectSystem": "strict",
        "CapabilityBoundingSet": "",
        "StateDirectoryMode": "0700",
        "CacheDirectoryMode": "0700",
    }

    assert {key: value(key) for key in expected} == expected
    assert size(value("MemoryHigh")) < size(value("MemoryMax"))


def test_it_may_do_what_the_server_does() -> None:
    """Sockets of workers are files; passwords are computed at a lower priority, which needs
    setpriority."""
    assert {"AF_INET", "AF_INET6", "AF_UNIX"} == set(value("RestrictAddressFamilies").split())
    assert not any("@resources" in line for line in SERVICE["SystemCallFilter"])


def test_it_does_not_promise_what_the_server_does_not_tell() -> None:
    """The server sends no sd_notify, so a unit of type notify would be stopped as too late."""
    package = DEPLOY.parent / "metasearch"
    notifies = any("NOTIFY_SOCKET" in path.read_text("utf-8") for path in package.rglob("*.py"))

    assert notifies or value("Type") == "exec"
    assert notifies or "WatchdogSec" not in SERVICE


def test_the_page_for_libraries_has_its_commands() -> None:
    """Those of the head of the unit, word for word: there is one way to install it."""
    head = re.findall(r"(?m)^#     ?(.+)$", FILE.read_text("utf-8").partition("[Unit]")[0])
    page = (DEPLOY.parent / "docs" / "for-libraries.md").read_text("utf-8")

    assert len(head) >= 9
    assert [line for line in head if line.strip() not in page] == []
    assert "[Service]" not in page


@pytest.fixture
def analyzed(tmp_path: Path) -> Path:
    """The unit with a program that is there on every machine."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    file = tmp_path / FILE.name
    file.write_text(
        re.sub(r"(?m)^ExecStart=\S+", f"ExecStart={shutil.which('true')}", FILE.read_text("utf-8"))
    )
    return file


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of systemd-analyze."""
    return subprocess.run(
        ["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60
    )


@pytest.mark.slow
def test_systemd_reads_it_without_a_complaint(analyzed: Path) -> None:
    """No section, key or value is unknown to it."""
    verified = analyze("verify", "--man=no", str(analyzed))

    about_ours = [line for line in verified.stderr.splitlines() if analyzed.name in line]
    assert about_ours == []


@pytest.mark.slow
def test_systemd_finds_it_closed(analyzed: Path) -> None:
    """Its own measure, 0 (closed) to 10 (open), is below 2."""
    rated = analyze("security", "--offline=true", "--threshold=20", "--no-pager", str(analyzed))
    if "unrecognized option" in rated.stderr:
        pytest.skip("this systemd-analyze rates no files")

    assert rated.returncode == 0, rated.stdout[-300:] + rated.stderr
