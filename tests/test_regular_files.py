"""Only regular files are opened, nobody is waited for, and a limit of the machine is told as what
it is."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from metasearch import regular_files
from metasearch.adapters.fetch.cassette import ReplayTransport
from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.request import Request
from metasearch.adapters.specs.specfile import read_table
from metasearch.bulk.evaluate import datasets
from metasearch.collections.store import Collection
from metasearch.dedup.pins import Pins
from metasearch.errors import CollectionError, FileFormatError, MetasearchError
from metasearch.formats import ris
from metasearch.formats.reading import read_file
from metasearch.server.limits.client_limits import ApiKeys
from metasearch.settings import ServerSettings, Settings
from tests.cases import each

linux = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks into /proc and /dev")


@pytest.fixture
def odd(tmp_path: Path) -> dict[str, Path]:
    """Whatever may stand at a path and is no regular file; a link to each of some."""
    os.mkfifo(tmp_path / "fifo.ris")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket.ris"))
    places = {"folder": tmp_path, "fifo": tmp_path / "fifo.ris", "socket": tmp_path / "socket.ris"}
    linked = {
        "device": Path("/dev/zero"),
        "proc": Path("/proc/self/status"),
        "another fifo": tmp_path / "fifo.ris",
    }
    for number, (name, path) in enumerate(linked.items()):
        places[name] = tmp_path / f"link-{number}.ris"
        places[name].symlink_to(path)
    return places


KINDS = ["folder", "fifo", "socket", "device", "proc", "another fifo"]


@linux
@pytest.mark.timeout(20)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_regular_file_is_refused(odd: dict[str, Path], kind: str) -> None:
    """At once, also behind a link, and the message says what it is; a FIFO without a writer is not
    waited for."""
    with pytest.raises(regular_files.NoRegularFile) as raised:
        regular_files.open_regular(odd[kind]).close()
    with pytest.raises(regular_files.NoRegularFile):
        regular_files.read(odd[kind], 100, pipes=True)
    with pytest.raises(FileFormatError, match="only regular files are read") as told:
        read_file(odd[kind])

    assert {"proc": "no size", "another fifo": "FIFO", "fifo": "FIFO"}.get(
        kind, kind
    ) in regular_files.why(raised.value)
    assert "metasearch dedup -" in told.value.advice


def replay(path: Path) -> None:
    """A recording whose file is a link to the path."""
    request = Request(source="db", url="https://db.example/")
    place = path.parent / "kept" / "db" / page_key(request)[:16]
    place.mkdir(parents=True)
    (place / "request.json").symlink_to(path)

    async def send() -> None:
        await ReplayTransport(path.parent / "kept").send(request, timeout=1, max_bytes=1000)

    asyncio.run(send())


def rows(path: Path) -> None:
    """A labelled set in one file."""
    link = path.parent / "set.jsonl"
    link.symlink_to(path)
    datasets.read(link)


READERS: dict[str, Callable[[Path], object]] = {
    "records": read_file,
    "pins": Pins.load,
    "configuration": lambda path: Settings.load(path, {}),
    "spec": read_table,
    "keys": lambda path: ApiKeys.load(Settings(server=ServerSettings(keys_file=path))),
    "cassette": replay,
    "labelled set": rows,
}


@linux
@pytest.mark.timeout(20)
@pytest.mark.parametrize("kind", ["fifo", "device", "proc", "socket"])
@pytest.mark.parametrize("name", READERS)
def test_every_reader_refuses_it_in_its_own_words(
    odd: dict[str, Path], name: str, kind: str
) -> None:
    """No reader waits, none reads without end, and each raises an error of ours."""
    with pytest.raises(MetasearchError) as raised:
        READERS[name](odd[kind])

    said = str(raised.value)
    assert "only regular files are read" in said or name == "labelled set", said


@linux
@pytest.mark.timeout(20)
@pytest.mark.parametrize("ending", ["sqlite", "lock"])
def test_a_collection_is_no_fifo(tmp_path: Path, ending: str) -> None:
    """Neither its database nor its lock is waited for."""
    os.mkfifo(tmp_path / f"mine.{ending}")

    with pytest.raises(CollectionError, match="only regular files are read"):
        Collection.open(tmp_path, "mine", "files")


def test_a_regular_file_is_read_up_to_a_bound(tmp_path: Path) -> None:
    """Also an empty one, one behind a link, and the null device, which is empty."""
    file = tmp_path / "a"
    file.write_bytes(b"12345")
    (tmp_path / "link").symlink_to(file)
    (tmp_path / "empty").touch()

    assert regular_files.read(tmp_path / "link", 5) == b"12345"
    assert (
        regular_files.read(tmp_path / "empty", 5) == regular_files.read(Path(os.devnull), 5) == b""
    )
    with pytest.raises(regular_files.TooLargeToRead, match="is larger than 4 bytes"):
        regular_files.read(file, 4)


@linux
def test_a_pipe_that_a_shell_hands_over_is_read_where_that_is_wanted() -> None:
    """`metasearch dedup <(command)` gives the name /dev/fd/63."""
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb") as stream:
            stream.write(b"TY  - JOUR\nTI  - a\nER  - \n" * 5_000)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with pytest.raises(regular_files.NoRegularFile):
            regular_files.open_regular(Path(f"/dev/fd/{reading}"))
        assert len(read_file(Path(f"/dev/fd/{reading}")).entries) == 5_000
    finally:
        os.close(reading)
        writer.join()


@each(
    ("number", "words"),
    [
        (errno.ENFILE, "too many files are open on this machine"),
        (errno.ENOSPC, "no space is left on the disk"),
        (errno.EDQUOT, "the disk quota is used up"),
        (errno.EACCES, os.strerror(errno.EACCES)),
    ],
)
def test_errors_of_the_system_in_words(number: int, words: str) -> None:
    """A limit is told as one; everything else as the system says it."""
    error = OSError(number, os.strerror(number))

    assert regular_files.why(error) == words
    assert regular_files.is_limit(error) == (number != errno.EACCES)


LIMITED = """
import resource, sys
kind, low, file = sys.argv[1], int(sys.argv[2]), sys.argv[3]
from pathlib import Path
import metasearch.bulk.export, metasearch.bulk.export
import metasearch.bulk.export, metasearch.bulk.job
import metasearch.bulk.dedup_run
import metasearch.dedup.strategies, metasearch.formats.ris
from metasearch.cli import main
resource.setrlimit(getattr(resource, kind), (low, low))
if kind == "RLIMIT_NOFILE":
    held = []
    try:
        while True:
            held.append(open("/dev/null"))
    except OSError:
        pass
sys.exit(main(["dedup", file, "-o", sys.argv[4]]))
"""


@pytest.mark.slow
@linux
@pytest.mark.parametrize(
    ("kind", "low", "words"),
    [
        ("RLIMIT_NOFILE", 40, "this process may have only 40 files open at once (ulimit -n)"),
        ("RLIMIT_FSIZE", 1_000, "this process may write only 1,000 bytes to a file (ulimit -f)"),
    ],
)
def test_a_low_limit_is_named(tmp_path: Path, kind: str, low: int, words: str) -> None:
    """`metasearch dedup` under a low limit says which it was, and not that the file cannot be
    read."""
    file = tmp_path / "a.ris"
    file.write_text("TY  - JOUR\nTI  - A long enough title\nER  - \n" * 100)
    arguments = [kind, str(low), str(file), str(tmp_path / "out.ris")]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *arguments], capture_output=True, text=True, check=False
    )

    assert words in " ".join(done.stderr.split()), done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode in (2, 4)


def test_a_lack_of_memory_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no fault of the record at which it shows, and no file is half read for it."""

    def draft(_: object) -> None:
        raise MemoryError

    file = tmp_path / "a.ris"
    file.write_text("TY  - JOUR\nTI  - a\nER  - \n")
    monkeypatch.setattr(ris, "_draft", draft)
    with pytest.raises(FileFormatError, match="there is not enough memory") as raised:
        read_file(file)

    assert "raise the limit" in raised.value.advice
