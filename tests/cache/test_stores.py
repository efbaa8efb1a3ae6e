from __future__ import annotations

import asyncio
import logging
import os
import pickle
import sqlite3
import stat
import subprocess
import sys
import threading
import tracemalloc
import zlib
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from metasearch import cache as disk
from metasearch import cache as pages
from metasearch.cache import LARGEST_ROW, CacheStats, DiskStore, MemoryStore
from metasearch.errors import CacheError


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[DiskStore]:
    it = DiskStore(tmp_path / "cache")
    yield it
    await it.close()


def database(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "pages" / "cache.db"


def plant(tmp_path: Path, sql: str, *values: Any) -> None:
    """Changes the SQLite file behind the store's back."""
    with closing(sqlite3.connect(database(tmp_path))) as connection, connection:
        connection.execute(sql, values)


def rows(tmp_path: Path) -> int:
    with closing(sqlite3.connect(database(tmp_path))) as connection:
        return int(connection.execute("SELECT count(*) FROM Cache").fetchone()[0])


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (os.mkdir, (str(self.path),))


async def test_what_is_set_is_got(store: DiskStore) -> None:
    """Bytes come back as they were, under their key only, and are counted."""
    value = b"\x00" + bytes(range(256)) * 500
    await store.set("a", value, 60)

    assert await store.get("a") == value
    assert await store.get("b") is None
    stats = await store.stats()
    assert (stats.entries, stats.hits, stats.misses, stats.problem) == (1, 1, 1, None)


async def test_what_is_asked_for_together_is_read_together(
    store: DiskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each caller gets its own value, however many ask, and as often as somebody asks."""
    values = {f"{n}": b"%d" % n for n in range(0, 50, 2)}
    for key, value in values.items():
        await store.set(key, value, 60)
    reads: list[int] = []
    read = store._get_all

    def counted(loop: asyncio.AbstractEventLoop, asked: list[Any]) -> None:
        reads.append(len(asked))
        read(loop, asked)

    monkeypatch.setattr(store, "_get_all", counted)
    keys = [*map(str, range(50)), "0", "0"]

    assert await asyncio.gather(*map(store.get, keys)) == [values.get(key) for key in keys]
    assert reads == [disk.MOST_TOGETHER] * 6 + [4]
    stats = await store.stats()
    assert (stats.hits, stats.misses) == (27, 25)


async def test_who_finds_nothing_does_not_wait_for_what_others_find(
    store: DiskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a page takes its time to be decompressed, and who finds none has to ask a source."""
    await store.set("a", b"1", 60)
    inflate, go_on = store._value, threading.Event()

    def slow(key: str, row: bytes) -> bytes | None:
        go_on.wait(60)
        return inflate(key, row)

    monkeypatch.setattr(store, "_value", slow)
    there, missing = (asyncio.create_task(store.get(key)) for key in "ab")

    assert await asyncio.wait_for(missing, 60) is None
    assert not there.done()
    go_on.set()
    assert await there == b"1"


async def test_who_leaves_costs_the_others_nothing(store: DiskStore) -> None:
    """The value is for those who stay."""
    await store.set("a", b"1", 60)
    leaving, staying = (asyncio.create_task(store.get("a")) for _ in range(2))
    await asyncio.sleep(0)
    leaving.cancel()

    assert await staying == b"1"
    assert leaving.cancelled()


def test_a_loop_that_ended_while_it_asked_costs_the_next_one_nothing(tmp_path: Path) -> None:
    """As where a program runs one search after another, each in a loop of its own."""
    store = DiskStore(tmp_path / "cache")
    first = asyncio.new_event_loop()
    asking = first.create_task(store.get("a"))
    first.call_soon(first.stop)
    first.run_forever()
    assert not asking.done()

    async def then() -> bytes | None:
        await store.set("a", b"1", 60)
        found = await asyncio.wait_for(store.get("a"), 60)
        await store.close()
        return found

    assert asyncio.run(then()) == b"1"
    asking.cancel()
    first.run_until_complete(asyncio.wait([asking]))
    first.close()


async def test_nobody_waits_for_a_store_that_is_closed_meanwhile(store: DiskStore) -> None:
    """Who has asked in the same moment gets nothing."""
    await store.set("a", b"1", 60)
    asked = asyncio.create_task(store.get("a"))
    await asyncio.sleep(0)
    await store.close()

    assert await asyncio.wait_for(asked, 60) in (None, b"1")


async def test_it_outlives_the_process(tmp_path: Path) -> None:
    """Another store on the same folder finds what the first has kept."""
    first = DiskStore(tmp_path)
    await first.set("a", b"1", 60)
    await first.close()
    second = DiskStore(tmp_path)

    assert await second.get("a") == b"1"
    await second.close()


async def test_values_are_compressed_on_disk(store: DiskStore, tmp_path: Path) -> None:
    """A page of text takes a fraction of its size."""
    await store.set("a", b"x" * 1_000_000, 60)
    with closing(sqlite3.connect(database(tmp_path))) as connection:
        (size,) = connection.execute("SELECT length(value) FROM Cache").fetchone()

    assert size < 10_000


async def test_values_expire(store: DiskStore, tmp_path: Path) -> None:
    """After its time a value is a miss; a time of nothing keeps nothing."""
    await store.set("a", b"1", 60)
    await store.set("b", b"1", 0)
    plant(tmp_path, "UPDATE Cache SET expire_time = 1")

    assert await store.get("a") is None
    assert await store.get("b") is None
    assert rows(tmp_path) == 1


async def test_upkeep_drops_what_has_expired(
    store: DiskStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Now and then a write clears the expired rows away, in the writing thread."""
    monkeypatch.setattr(disk, "UPKEEP_EVERY", 2)
    for key in "ab":
        await store.set(key, b"1", 60)
    plant(tmp_path, "UPDATE Cache SET expire_time = 1")
    await store.set("c", b"1", 60)

    assert rows(tmp_path) == 1


async def test_the_size_limit_is_kept(tmp_path: Path) -> None:
    """The oldest values make room."""
    store = DiskStore(tmp_path / "cache", size_limit=1 << 20)
    for number in range(60):
        await store.set(str(number), os.urandom(100_000), 60)
    stats = await store.stats()

    assert stats.bytes < 2 << 20
    assert await store.get("0") is None
    assert await store.get("59") is not None
    await store.close()


async def test_delete_and_clear(store: DiskStore) -> None:
    """One goes, or all; what is not there goes without complaint."""
    for key in "abc":
        await store.set(key, b"1", 60)
    await store.delete("a")
    await store.delete("nothing")

    assert (await store.stats()).entries == 2
    await store.clear()
    assert (await store.stats()).entries == 0


async def test_only_the_owner_may_enter(store: DiskStore, tmp_path: Path) -> None:
    """The folder has mode 0700, also where it was open before."""
    folder = tmp_path / "cache" / "pages"
    folder.mkdir(parents=True, mode=0o755)
    await store.set("a", b"1", 60)

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_nothing_is_touched_before_the_first_use(tmp_path: Path) -> None:
    """A store that nobody uses makes neither folder nor thread."""
    before = set(threading.enumerate())
    DiskStore(tmp_path / "cache")

    assert not list(tmp_path.iterdir())
    assert set(threading.enumerate()) <= before  # those of other tests may end


# Hostile and broken files


@pytest.mark.parametrize("mode", [1, 2, 3, 4])
async def test_a_planted_pickle_is_not_executed(
    store: DiskStore, tmp_path: Path, mode: int
) -> None:
    """A row that holds a pickle, under every mode that diskcache knows, is a miss and is
    deleted."""
    ran = tmp_path / "ran"
    await store.set("a", b"1", 60)
    plant(
        tmp_path,
        "UPDATE Cache SET mode = ?, value = ?",
        mode,
        sqlite3.Binary(pickle.dumps(Bomb(ran))),
    )

    assert await store.get("a") is None
    await store.set("b", b"2", 60)  # the writing thread deletes first
    assert not ran.exists()
    assert rows(tmp_path) == 1
    assert (await store.stats()).problem is None


async def test_a_planted_pickled_key_is_not_executed(store: DiskStore, tmp_path: Path) -> None:
    """Keys are not unpickled either, by nothing that the store does."""
    ran = tmp_path / "ran"
    await store.set("a", b"1", 60)
    plant(tmp_path, "UPDATE Cache SET raw = 0, key = ?", sqlite3.Binary(pickle.dumps(Bomb(ran))))
    await store.get("a")
    await store.stats()
    await store.clear()

    assert not ran.exists()


async def test_a_planted_file_name_reads_and_removes_nothing(
    store: DiskStore, tmp_path: Path
) -> None:
    """A row cannot make the store read or delete a file of the user's."""
    precious = tmp_path / "precious"
    precious.write_bytes(zlib.compress(b"private"))
    for key in "ab":
        await store.set(key, b"1", 60)
    plant(tmp_path, "UPDATE Cache SET filename = '../../precious', value = NULL")

    assert await store.get("a") is None
    await store.delete("b")
    await store.clear()
    assert precious.exists()


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"not zlib",
        zlib.compress(b"cut short" * 99)[:-9],
        zlib.compress(b"1") + b"more",
        "text",
        7,
        None,
    ],
)
async def test_a_row_that_cannot_be_read_is_a_miss(
    store: DiskStore, tmp_path: Path, value: Any
) -> None:
    """Whatever lies in the row, the search goes on, and the row goes."""
    await store.set("a", b"1", 60)
    plant(tmp_path, "UPDATE Cache SET value = ?", value)

    assert await store.get("a") is None
    await store.set("b", b"2", 60)
    assert rows(tmp_path) == 1
    assert (await store.stats()).problem is None


async def test_a_bomb_in_a_row_is_a_miss(
    store: DiskStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decompression stops at a bound."""
    await store.set("a", bytes(100_000), 60)
    monkeypatch.setattr(disk, "LARGEST_VALUE", 50_000)

    assert await store.get("a") is None


@pytest.mark.parametrize(
    "content", [b"", b"this is no database" * 999, b"SQLite format 3\x00" + b"\xff" * 5000]
)
async def test_a_broken_file_begins_anew(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """A file that is no database is replaced by an empty one, without a warning."""
    file = database(tmp_path)
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    store = DiskStore(tmp_path / "cache")

    assert await store.get("a") is None
    await store.set("a", b"1", 60)
    assert await store.get("a") == b"1"
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    await store.close()


async def test_a_file_that_breaks_in_use_begins_anew(store: DiskStore, tmp_path: Path) -> None:
    """Also when the tables vanish under a store that is open."""
    await store.set("a", b"1", 60)
    plant(tmp_path, "DROP TABLE Cache")

    assert await store.get("a") is None
    await store.set("a", b"2", 60)
    assert await store.get("a") == b"2"


@pytest.mark.parametrize("obstacle", ["file", "link"])
async def test_a_folder_that_is_not_ours_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, obstacle: str
) -> None:
    """One warning, then silence: the store keeps nothing, and nothing raises."""
    folder = tmp_path / "cache" / "pages"
    folder.parent.mkdir()
    if obstacle == "file":
        folder.write_bytes(b"")
    else:
        folder.symlink_to(tmp_path)
    store = DiskStore(tmp_path / "cache")
    for _ in range(3):
        await store.set("a", b"1", 60)
        assert await store.get("a") is None

    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(warnings) == 1
    assert "cannot be used" in warnings[0].getMessage()
    assert CacheError.advice in warnings[0].getMessage()
    assert "cannot be used" in str((await store.stats()).problem)
    await store.close()


async def test_a_busy_file_is_a_miss(
    store: DiskStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock held by another process costs a value, not the store."""
    monkeypatch.setattr(pages, "LOCK_TIMEOUT", 0.01)
    await store.set("a", b"1", 60)
    with closing(sqlite3.connect(database(tmp_path), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        await store.set("b", b"2", 60)
        other.execute("ROLLBACK")

    assert await store.get("a") == b"1"
    assert await store.get("b") is None
    assert (await store.stats()).problem is None


async def test_a_file_that_is_busy_when_it_is_opened_is_a_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing waits for the other process, neither now nor at the next call; the file stays."""
    monkeypatch.setattr(pages, "LOCK_TIMEOUT", 0.01)
    monkeypatch.setattr(disk, "BUSY_PAUSE", 0.2)
    first = DiskStore(tmp_path / "cache")
    await first.set("a", b"1", 60)
    await first.close()
    store = DiskStore(tmp_path / "cache")
    with closing(sqlite3.connect(database(tmp_path), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with asyncio.timeout(60):
            assert await store.get("a") is None
            assert (await store.stats()).busy
        other.execute("ROLLBACK")
    await asyncio.sleep(0.25)

    assert await store.get("a") == b"1"
    await store.close()


@pytest.mark.parametrize("act", ["get", "set", "delete"])
async def test_a_planted_file_name_without_end_is_not_read(
    store: DiskStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    """SQLite refuses to return it, whoever asks for the row, so that it never takes the memory."""
    monkeypatch.setattr(pages, "LARGEST_ROW", 1 << 20)
    await store.set("a", b"1", 60)
    plant(tmp_path, "UPDATE Cache SET filename = CAST(zeroblob(?) AS TEXT)", 1 << 24)
    tracemalloc.start()
    if act == "get":
        assert await store.get("a") is None
    elif act == "set":
        await store.set("a", b"2", 60)
    else:
        await store.delete("a")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 1 << 23
    await store.set("b", b"3", 60)
    assert await store.get("b") == b"3"
    assert (await store.stats()).problem is None


async def test_what_is_too_large_is_not_kept(
    store: DiskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a value that does not compress below a row's limit, nor one that is huge before; both
    quietly."""
    await store.set("row", os.urandom(LARGEST_ROW), 60)
    monkeypatch.setattr(disk, "LARGEST_VALUE", 1000)
    await store.set("value", bytes(1001), 60)

    assert await store.get("row") is None
    assert await store.get("value") is None
    assert (await store.stats()).problem is None


async def test_a_closed_store_is_silent(tmp_path: Path) -> None:
    """Closing twice and using it afterwards do nothing."""
    store = DiskStore(tmp_path)
    await store.set("a", b"1", 60)
    await store.close()
    await store.close()
    await store.set("a", b"2", 60)

    assert await store.get("a") is None


async def test_the_loop_runs_while_the_disk_works(store: DiskStore) -> None:
    """All work on the file happens in the store's own threads."""
    names = set()
    guarded = store._guard

    def spy(*args: Any) -> Any:
        names.add(threading.current_thread().name)
        return guarded(*args)

    store._guard = spy  # type: ignore[method-assign]
    await asyncio.gather(*(store.set(str(n), b"1", 60) for n in range(20)))
    await asyncio.gather(*(store.get(str(n)) for n in range(20)))

    assert names == {"metasearch-cache-write_0", "metasearch-cache-read_0"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sqlite_synchronous", "0; DROP TABLE Cache"),
        ("sqlite_writable_schema", 1),
        ("disk_min_file_size", 10),
        ("disk_unheard_of", "x"),
        ("eviction_policy", "none"),
        ("cull_limit", -1),
        ("_disk", "x"),
        ("size_limit", "x"),
        ("count", "many"),
        (b"\xff", b"\xff"),
    ],
)
async def test_planted_settings_are_not_obeyed(tmp_path: Path, name: Any, value: Any) -> None:
    """A file that brings settings of its own is not ours: it begins anew, and nothing raises."""
    first = DiskStore(tmp_path / "cache")
    await first.set("a", b"1", 60)
    await first.close()
    plant(tmp_path, "INSERT OR REPLACE INTO Settings VALUES (?, ?)", name, value)
    store = DiskStore(tmp_path / "cache")

    assert await store.get("a") is None
    await store.set("a", b"2", 60)
    assert await store.get("a") == b"2"
    assert (await store.stats()).problem is None
    await store.close()


async def test_a_row_larger_than_any_of_ours_is_a_miss(
    store: DiskStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite refuses to hand it out, so that it never takes the memory; the row goes, the others
    stay."""
    monkeypatch.setattr(pages, "LARGEST_ROW", 1 << 20)
    for key in "ab":
        await store.set(key, b"1", 60)
    plant(tmp_path, "UPDATE Cache SET value = zeroblob(?) WHERE key = 'a'", 1 << 22)

    assert await store.get("a") is None
    await store.set("c", b"3", 60)
    assert await store.get("b") == b"1"
    assert rows(tmp_path) == 2
    assert (await store.stats()).problem is None


async def test_numbers_that_a_file_makes_up_are_not_believed(tmp_path: Path) -> None:
    """Values and space are counted, whatever the file says of them, so the size limit holds."""
    store = DiskStore(tmp_path / "cache", size_limit=1 << 20)
    await store.set("a", b"1", 60)
    plant(tmp_path, "UPDATE Settings SET value = -1000000000 WHERE key IN ('count', 'size')")
    for number in range(30):
        await store.set(str(number), os.urandom(100_000), 60)
    stats = await store.stats()

    assert 0 < stats.entries < 30
    assert 0 < stats.bytes < 2 << 20
    await store.close()


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
async def test_a_file_that_is_damaged_in_the_middle_gives_nothing_wrong(
    tmp_path: Path, share: float
) -> None:
    """Some pages of the file are overwritten: each value is right or a miss, and the store goes
    on."""
    values = {str(number): bytes([number]) * 3000 + os.urandom(3000) for number in range(40)}
    first = DiskStore(tmp_path / "cache")
    for key, value in values.items():
        await first.set(key, value, 60)
    await first.close()
    with database(tmp_path).open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(int(size * share))
        file.write(b"\xff" * (size // 10))
    store = DiskStore(tmp_path / "cache")

    assert {await store.get(key) for key in values} <= {*values.values(), None}
    assert None in {await store.get(key) for key in values}
    await store.set("new", b"1", 60)
    await store.stats()
    await store.clear()
    await store.close()


# Several processes

WRITER = """
import asyncio, sys
from pathlib import Path
from metasearch.cache import DiskStore

async def main(folder, name, many):
    store = DiskStore(Path(folder))
    for number in range(int(many)):
        await store.set(f"{name}{number}", f"{name}{number}".encode() * 5000, 600)
        print(number, flush=True)
    assert (await store.stats()).problem is None
    await store.close()

asyncio.run(main(*sys.argv[1:]))
"""


def writer(tmp_path: Path, name: str, many: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", WRITER, str(tmp_path / "cache"), name, str(many)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


@pytest.mark.slow
async def test_two_processes_write_into_one_folder(store: DiskStore, tmp_path: Path) -> None:
    """Both come through, and each finds what the other has kept; a third reads meanwhile."""
    with writer(tmp_path, "a", 60) as first, writer(tmp_path, "b", 60) as second:
        while first.poll() is None or second.poll() is None:
            assert await store.get("a0") in (None, b"a0" * 5000)
            await asyncio.sleep(0.01)
    found = {
        key: await store.get(key)
        for key in (f"{name}{number}" for name in "ab" for number in range(60))
    }

    assert (first.returncode, second.returncode) == (0, 0)
    assert all(value in (None, key.encode() * 5000) for key, value in found.items())
    # A write that would have had to wait too long is given up, so on a busy machine a few may be
    # missing.
    assert sum(value is not None for value in found.values()) > 100


@pytest.mark.slow
async def test_a_process_that_is_killed_while_it_writes_breaks_nothing(
    store: DiskStore, tmp_path: Path
) -> None:
    """Kill -9, several times: what had been kept is there, whole, and the file can be written."""
    for name in "abc":
        with writer(tmp_path, name, 100_000) as process:
            assert process.stdout is not None
            for _ in range(20):
                process.stdout.readline()
            process.kill()

    for name in "abc":
        assert {
            await store.get(f"{name}{number}") == f"{name}{number}".encode() * 5000
            for number in range(19)
        } == {True}
    await store.set("new", b"1", 60)
    assert await store.get("new") == b"1"
    assert (await store.stats()).problem is None


# Numbers


async def test_values_are_counted_by_tag(store: DiskStore) -> None:
    """How many there are under each tag, and what they take, the largest first; other bytes are no
    tag."""
    for number in range(3):
        await store.set(f"a{number}", os.urandom(1000), 60, "arxiv")
    await store.set("b", os.urandom(9000), 60, "crossref")
    tags = (await store.stats()).tags

    assert {tag: count for tag, (count, _) in tags.items()} == {"arxiv": 3, "crossref": 1}
    assert list(tags) == ["crossref", "arxiv"]
    assert tags["crossref"][1] == pytest.approx(9000, rel=0.05)


async def test_planted_tags_are_no_harm(store: DiskStore, tmp_path: Path) -> None:
    """Bytes, a number, a text without end: counted or left out, never an error."""
    for key in "abc":
        await store.set(key, b"1", 60, "x")
    plant(tmp_path, "UPDATE Cache SET tag = ? WHERE key = 'a'", b"\xff\xfe")
    plant(tmp_path, "UPDATE Cache SET tag = ? WHERE key = 'b'", "x" * 10_000)

    stats = await store.stats()
    assert stats.entries == 3
    assert stats.tags["x"][0] == 1
    assert stats.problem is None


async def test_clearing_gives_the_space_back(store: DiskStore) -> None:
    """The file shrinks, and whoever asked is told that it is done; a store that keeps nothing says
    no."""
    for number in range(20):
        await store.set(str(number), os.urandom(100_000), 60)
    before = (await store.stats()).bytes

    assert await store.clear()
    assert (await store.stats()).bytes < before / 10
    await store.close()
    assert not await store.clear()


# In memory


async def test_memory_keeps_and_forgets() -> None:
    """The same interface: values, expiry, size limit, numbers."""
    now = 0.0
    store = MemoryStore(size_limit=10, clock=lambda: now)
    await store.set("a", b"12345", 60)
    await store.set("b", b"12345", 5)

    assert await store.get("a") == b"12345"
    now = 5.0
    assert await store.get("b") is None
    assert await store.stats() == CacheStats(1, 5, hits=1, misses=1, tags={"": (1, 5)})

    await store.set("c", b"1234567", 60)
    assert await store.get("a") is None
    assert await store.get("c") == b"1234567"
    await store.set("c", b"1", 60)
    await store.set("d", bytes(11), 60)
    assert (await store.stats()).bytes == 1
    await store.delete("c")
    await store.clear()
    await store.close()
    assert (await store.stats()).entries == 0
