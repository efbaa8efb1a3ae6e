"""`metasearch cache`: what is in the page cache, and how it is emptied."""

from __future__ import annotations

import asyncio
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from metasearch.cache import DiskStore
from tests.cli.conftest import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the command line of a test keeps pages."""
    return tmp_path / "cache" / "metasearch" / "pages"


def fill(folder: Path) -> None:
    async def work() -> None:
        store = DiskStore(folder.parent)
        for number in range(3):
            await store.set(f"a{number}", b"{}" * 1000, 600, "arxiv")
        await store.set("b", b"{}", 600, "crossref")
        await store.close()

    asyncio.run(work())


def test_stats(run: Run, folder: Path) -> None:
    """Folder, number, bytes, limit, and the pages of each source."""
    fill(folder)
    outcome = run("cache", "stats")

    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == f"folder  {folder}"
    assert lines[1] == "pages   4"
    assert lines[2].endswith(" of at most 1,073,741,824")
    assert lines[3].startswith("  arxiv     3 pages, ")
    assert lines[4].startswith("  crossref  1 page, ")
    assert outcome.err == ""


def test_stats_as_json(run: Run, folder: Path, tmp_path: Path) -> None:
    """The same for programs, with the limit of the configuration."""
    fill(folder)
    config = tmp_path / "my.toml"
    config.write_text("[cache]\nmax_bytes = 5_000_000\n")
    found = json.loads(run("cache", "stats", "--json", "--config", str(config)).out)

    assert found["folder"] == str(folder)
    assert found["entries"] == 4
    assert 0 < found["bytes"] < found["limit"] == 5_000_000
    assert [(it["source"], it["entries"]) for it in found["sources"]] == [
        ("arxiv", 3),
        ("crossref", 1),
    ]


def test_a_look_makes_nothing(run: Run, folder: Path) -> None:
    """Where nothing was ever kept, both commands say so and leave it at that."""
    assert "pages   0" in run("cache", "stats").out
    assert "the cache is empty" in run("cache", "clear").err
    assert not folder.exists()


def test_a_cache_that_is_switched_off(run: Run, tmp_path: Path) -> None:
    """Is told, in words and as null."""
    config = tmp_path / "my.toml"
    config.write_text("[cache]\nenabled = false\n")

    assert run("cache", "stats", "--config", str(config)).out == "the page cache is switched off\n"
    assert (
        json.loads(run("cache", "stats", "--json", "--config", str(config)).out)["folder"] is None
    )
    assert run("cache", "clear", "--config", str(config)).code == 0


def test_clear(run: Run, folder: Path) -> None:
    """All pages go, and how many is said on stderr."""
    fill(folder)
    outcome = run("cache", "clear", "--yes")

    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == f"4 pages removed from {folder}\n"
    assert "pages   0" in run("cache", "stats").out


def test_clear_asks_nobody_where_nobody_is(run: Run, folder: Path) -> None:
    """A script must say that it is meant."""
    fill(folder)
    outcome = run("cache", "clear", stdin=b"y\n")

    assert outcome.code == 2
    assert "--yes" in outcome.err
    assert "pages   4" in run("cache", "stats").out


@pytest.mark.parametrize(("answer", "code", "left"), [("y\n", 0, 0), ("n\n", 130, 4), ("", 130, 4)])
def test_clear_asks_first(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int, left: int
) -> None:
    """On a terminal; the question stands on stderr."""

    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    fill(folder)
    with monkeypatch.context() as context:
        # Only the first stream is replaced by `run`; a command line looks at what stands there when
        # it asks.
        context.setattr(io, "TextIOWrapper", Terminal)
        outcome = run("cache", "clear", stdin=answer.encode())

    assert (outcome.code, outcome.out) == (code, "")
    assert "Remove all pages" in outcome.err
    assert f"pages   {left}" in run("cache", "stats").out


def test_a_folder_that_cannot_be_used(run: Run, folder: Path) -> None:
    """One error, with its reason and what to do; nothing is said twice."""
    folder.parent.mkdir(parents=True)
    folder.symlink_to(folder.parent)
    for command in (["stats"], ["clear", "--yes"]):
        outcome = run("cache", *command)

        assert outcome.code == 2
        assert outcome.err.count("cannot be used") == 1
        assert "[cache] dir" in outcome.err


def test_a_file_that_is_no_cache_is_empty(run: Run, folder: Path) -> None:
    """It begins anew, as in a search."""
    folder.mkdir(parents=True)
    (folder / "cache.db").write_bytes(b"this is no database" * 999)

    assert "pages   0" in run("cache", "stats").out


def test_a_busy_cache_is_told(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clearing that was not done is not called done."""
    from metasearch import cache as pages

    fill(folder)
    monkeypatch.setattr(pages, "LOCK_TIMEOUT", 0.01)
    with closing(sqlite3.connect(folder / "cache.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        outcome = run("cache", "clear", "--yes")
        other.execute("ROLLBACK")

    assert outcome.code == 2
    assert "busy" in outcome.err
    assert "pages   4" in run("cache", "stats").out


def test_control_characters_of_a_file_stay_there(run: Run, folder: Path) -> None:
    """A planted name cannot write to the terminal."""
    fill(folder)
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        connection.execute("UPDATE Cache SET tag = ?", ("\x1b[31mred",))

    assert "\x1b" not in run("cache", "stats").out
