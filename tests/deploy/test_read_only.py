"""The wheel, unpacked and served as an image serves it: by another user, on a system that is
read-only but for the folders that deploy/Containerfile gives to that user.

It needs root and a mount namespace of its own, in which all this holds for the server alone. The
kernel also refuses memory that can be written and executed, as the unit of systemd asks it to.
"""

from __future__ import annotations

import http.client
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from metasearch.demo import EXAMPLE_QUERIES
from tests.deploy.files import METASEARCH, ROOT, final

#: Seconds that a server on a busy machine has to begin, and to answer.
BEGINNING = 60.0
#: Seconds from SIGTERM to the end: less than every file of deploy/ gives it.
END = 8.0
WRITABLE = ("/var/cache/metasearch", "/var/lib/metasearch", "/tmp")
TOOLS = ("unshare", "setpriv", "mount")
#: Mounts what the image has, makes all else read-only, and becomes the command that follows.
NAMESPACE = f"""
set -eu
mount -t tmpfs -o mode=0755 tmpfs "$1"
mkdir "$1/app" "$1/packages" "$1/python"
mount --bind "$2" "$1/app"
mount --bind "$3" "$1/packages"
mount --bind "$4" "$1/python"
mount --move "$1" /mnt
shift 4
for folder in /var/cache /var/lib; do
  mount -t tmpfs -o mode=0755 tmpfs $folder
  mkdir -m 0700 $folder/metasearch
  chown {METASEARCH}:{METASEARCH} $folder/metasearch
  mount --bind $folder/metasearch $folder/metasearch
done
mount -t tmpfs -o mode=1777,noexec,nosuid,nodev tmpfs /tmp
while read -r _ place _; do
  case $place in
    /proc* | /sys* | /dev/pts | /tmp | /var/*/metasearch) ;;
    /tmp/*) ;;
    *) [ ! -e "$place" ] || mount -o remount,bind,ro "$place" ;;
  esac
done < /proc/self/mounts
for folder in /etc /usr /mnt/app /mnt/packages /mnt/python /var/lib /dev/shm; do
  if [ -d $folder ] && touch $folder/metasearch-test 2>/dev/null; then
    echo "$folder can be written to" >&2
    exit 1
  fi
done
cd /var/lib/metasearch
exec setpriv --reuid {METASEARCH} --regid {METASEARCH} --clear-groups --no-new-privs \\
  --inh-caps=-all --bounding-set=-all "$@"
"""
#: Forbids memory that can be written and executed (PR_SET_MDWE, Linux 6.3; older kernels ignore
#: it), and becomes the command.
NO_NEW_CODE = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(65, 1, 0, 0, 0); os.execv(sys.argv[1], "
    "sys.argv[1:])"
)
#: The interpreter itself, and not a virtual environment, whose links may lead to where the user may
#: not go.
PYTHON = f"/mnt/python/bin/python{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as an installer unpacks it."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root of a Linux can make a mount namespace")
    missing = [name for name in TOOLS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} of util-linux: not installed")
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        pytest.skip("this system allows no mount namespace")
    pytest.importorskip("hatchling.build", reason="hatchling, which builds the wheel")
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    built = subprocess.run(
        [sys.executable, "-c", build, str(folder)], cwd=ROOT, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    app = folder / "app"
    with zipfile.ZipFile(folder / built.stdout.split()[-1]) as wheel:
        wheel.extractall(app)
    where = "import metasearch; print(metasearch.__file__)"
    ran = subprocess.run(
        inside(app, PYTHON, "-c", where), env=environment(), capture_output=True, text=True
    )
    assert ran.stdout == "/mnt/app/metasearch/__init__.py\n", ran.stderr
    return app


def inside(app: Path, *command: str) -> list[str]:
    """The command, in a namespace of its own."""
    place = app.parent / "image"
    place.mkdir(exist_ok=True)
    brought = [str(place), str(app), sysconfig.get_path("purelib"), sys.base_prefix]
    script = ["sh", "-c", NAMESPACE, "sh", *brought]
    return ["unshare", "--mount", "--propagation", "private", *script, *command]


def environment() -> dict[str, str]:
    """The variables of the image, with the wheel in place of what is installed there."""
    (env,) = final("ENV")
    variables = dict(word.split("=", 1) for word in shlex.split(env.text))
    own = {"PYTHONPATH": "/mnt/app:/mnt/packages", "LD_LIBRARY_PATH": "/mnt/python/lib"}
    return {**variables, **own, "PATH": os.defpath}


@dataclass(frozen=True)
class Served:
    """A running server, and what it has said on stderr so far."""

    process: subprocess.Popen[bytes]
    log: Path
    port: int

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        """Status and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=BEGINNING)
        try:
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def written(self) -> set[str]:
        """The files in the folders that it may write to, as it sees them."""
        root = Path(f"/proc/{self.process.pid}/root")
        found = {path for folder in WRITABLE for path in (root / folder[1:]).rglob("*")}
        return {f"/{path.relative_to(root)}" for path in found if not path.is_dir()}

    def said(self) -> list[dict[str, object]]:
        """The lines of its log."""
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]


@contextmanager
def served(app: Path, folder: Path, *options: str) -> Iterator[Served]:
    """A server as the image starts it, on loopback at a free port."""
    (command,) = final("CMD")
    assert command.words is not None
    words = [*command.words, "--host", "127.0.0.1", "--port", "0", *options]
    server = [PYTHON, "-c", NO_NEW_CODE, PYTHON, "-m", "metasearch", *words]
    log = folder / "log"
    with log.open("wb") as stderr:
        process = subprocess.Popen(inside(app, *server), env=environment(), stderr=stderr)
    try:
        until = time.monotonic() + BEGINNING
        while b"listening on http" not in log.read_bytes():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)
        address = log.read_text().partition("listening on ")[2].partition('"')[0]
        yield Served(process, log, urlsplit(address).port or 0)
    finally:
        process.kill()
        process.wait()


def ends(server: Served) -> int:
    """The exit code after SIGTERM."""
    server.process.send_signal(signal.SIGTERM)
    return server.process.wait(END)


@pytest.mark.slow
def test_the_demo_is_searched(unpacked: Path, tmp_path: Path) -> None:
    """It is alive and ready, finds works, and ends by itself with exit code 0; nothing was logged
    that is worth a warning, and nothing stays in the folder for temporary files."""
    with served(unpacked, tmp_path, "--demo") as server:
        health, ready = server.get("/healthz"), server.get("/readyz")
        query = EXAMPLE_QUERIES[0].replace(" ", "+")
        status, body = server.get(f"/search?q={query}&format=json&timeout=20")
        owner = Path(f"/proc/{server.process.pid}").stat().st_uid
        temporary = {name for name in server.written() if name.startswith("/tmp/")}
        code = ends(server)

    assert owner == METASEARCH
    assert health == (200, b"OK\n")
    assert ready[0] == 200
    assert status == 200
    assert json.loads(body)["hits"]
    assert all(name.startswith("/tmp/metasearch-") for name in temporary)
    assert code == 0
    assert {line["level"] for line in server.said()} == {"info"}


@pytest.mark.slow
def test_state_and_cache_are_where_the_image_has_them(unpacked: Path, tmp_path: Path) -> None:
    """With the usual databases, of which none is asked here, and projects: the key of the cookies
    is in the cache and the workspace in the state, closed to others; nothing else is written."""
    with served(unpacked, tmp_path, "--workspace") as server:
        ready = server.get("/readyz")
        page = server.get("/settings", Accept="text/html")
        projects = server.get("/projects", Accept="text/html")
        written = server.written()
        root = Path(f"/proc/{server.process.pid}/root")
        modes = {
            name: (root / name[1:]).stat().st_mode & 0o077
            for name in written
            if not name.startswith("/tmp/")
        }
        code = ends(server)

    assert (ready[0], page[0], projects[0]) == (200, 200, 200)
    assert "/var/cache/metasearch/cookie-key" in written
    assert "/var/lib/metasearch/workspace.sqlite3" in written
    assert all(
        name.startswith(("/tmp/metasearch-", "/var/cache/metasearch/", "/var/lib/metasearch/"))
        for name in written
    )
    assert set(modes.values()) == {0}
    assert code == 0
    assert {line["level"] for line in server.said()} == {"info"}
