"""A collection is filled, in whole transactions, by one at a time, and searched by anybody
meanwhile."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from metasearch.adapters.specs import registry as folder
from metasearch.adapters.specs.registry import collection_file, collection_names, name_for
from metasearch.collections.search import PageOrder, Stopped, TooMuch, facts, search
from metasearch.collections.store import APPLICATION, VERSION, Collection, remove
from metasearch.errors import CollectionError
from metasearch.record import Record
from tests.cases import each


def work(number: int, **fields: object) -> Record:
    return Record(
        source="x",
        source_id=f"k{number}",
        **({"title": f"Work {number}", "year": 2000 + number} | fields),
    )  # type: ignore[arg-type]


def fill(folder: Path, *records: Record, name: str = "refs") -> Path:
    with Collection.open(folder, name, "files") as collection, collection.transaction():
        for record in records:
            collection.put(record.source_id, record)
    return folder / f"{name}.sqlite"


def titles(path: Path, words: str = "", **wanted: int) -> list[str]:
    return [it["title"] for it in orjson.loads(search(path, PageOrder(words, **wanted)))["records"]]


# --------------------------------------------------------------------------- filling


def test_put_tells_what_it_did(tmp_path: Path) -> None:
    """A record is new, changed or the same; a deleted one that comes back is new."""
    with Collection.open(tmp_path, "refs", "oai") as collection, collection.transaction():
        assert collection.put("k", work(1)) == "added"
        assert collection.put("k", work(1)) == "unchanged"
        assert collection.put("k", work(2)) == "changed"
        assert collection.delete("k") is True
        assert collection.delete("k") is False
        assert collection.put("k", work(2)) == "added"
        assert collection.count == 1


def test_what_was_changed_is_no_longer_found_as_it_was(tmp_path: Path) -> None:
    path = fill(tmp_path, work(1, title="Old words"))
    fill(tmp_path, work(1, title="New words"))

    assert titles(path, '"old"') == []
    assert titles(path, '"words"') == ["New words"]


def test_a_collection_comes_into_being_with_its_first_record(tmp_path: Path) -> None:
    """Before it, and where it does not come, nobody finds a collection; what a killed process left
    is no part of it."""
    (tmp_path / "refs.new").write_bytes(b"half a collection")
    with Collection.open(tmp_path, "refs", "files") as collection:
        with collection.transaction():
            collection.note(roots="[]")
        assert not collection.exists
        assert collection_names(tmp_path) == []
        with collection.transaction():
            collection.put("k1", work(1))
        assert collection.exists
        assert collection_names(tmp_path) == ["refs"]
        with collection.transaction():
            collection.put("k2", work(2))
        assert sorted(titles(tmp_path / "refs.sqlite")) == ["Work 1", "Work 2"]
    with Collection.open(tmp_path, "none", "files") as collection, collection.transaction():
        collection.note(roots="[]")

    assert sorted(file.name for file in tmp_path.iterdir()) == ["refs.lock", "refs.sqlite"]


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    path = fill(tmp_path, work(1))

    def break_off(collection: Collection) -> None:
        with collection.transaction():
            collection.put("k2", work(2))
            raise RuntimeError

    with Collection.open(tmp_path, "refs", "files") as collection, pytest.raises(RuntimeError):
        break_off(collection)

    assert titles(path) == ["Work 1"]


def test_a_search_goes_on_while_the_collection_is_filled(tmp_path: Path) -> None:
    """It sees what was there before the transaction."""
    path = fill(tmp_path, work(1))

    with Collection.open(tmp_path, "refs", "files") as collection, collection.transaction():
        collection.put("k2", work(2))
        assert titles(path) == ["Work 1"]
    assert len(titles(path)) == 2


@pytest.mark.slow
def test_a_process_that_dies_leaves_whole_pages_and_no_lock(tmp_path: Path) -> None:
    """What was committed is there, what was not is not, and the next one can go on."""
    path = fill(tmp_path, work(1))
    script = (
        "import os, sys; from pathlib import Path; from metasearch.record import Record\n"
        "from metasearch.collections.store import Collection\n"
        "collection = Collection.open(Path(sys.argv[1]), 'refs', 'files')\n"
        "with collection.transaction(): collection.put('k2', Record(source='x', title='Work 2'))\n"
        "with collection.transaction(): collection.put('k3', Record(source='x', title='Work 3')); "
        "os._exit(9)\n"
    )

    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)

    assert done.returncode == 9
    assert sorted(titles(path)) == ["Work 1", "Work 2"]
    fill(tmp_path, work(4))


def test_one_fills_it_at_a_time(tmp_path: Path) -> None:
    fill(tmp_path, work(1))
    with Collection.open(tmp_path, "refs", "files"):
        with pytest.raises(CollectionError, match="another process is writing to this collection"):
            Collection.open(tmp_path, "refs", "files")
        with pytest.raises(CollectionError, match="another process"):
            remove(tmp_path, "refs")
        fill(tmp_path, work(1), name="other")
    fill(tmp_path, work(1))


def test_files_and_repositories_do_not_mix(tmp_path: Path) -> None:
    fill(tmp_path, work(1))

    with pytest.raises(CollectionError, match="filled by `metasearch index`"):
        Collection.open(tmp_path, "refs", "oai")


def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    path = fill(tmp_path / "made", work(1))

    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_remove(tmp_path: Path) -> None:
    fill(tmp_path, work(1))

    remove(tmp_path, "refs")

    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CollectionError, match="no such collection"):
        remove(tmp_path, "refs")


# --------------------------------------------------------------------------- searching


def test_best_first_and_the_same_order_every_time(tmp_path: Path) -> None:
    """A title counts for more than an abstract; of equals the newest is first, then the key
    decides."""
    same = [work(n, title="Trees", year=2000 + n % 2, abstract="") for n in range(6)]
    path = fill(tmp_path, work(9, title="Birds", abstract="trees"), *reversed(same))

    found = [
        it.get("source_id") for it in orjson.loads(search(path, PageOrder('"trees"')))["records"]
    ]

    assert found == ["k1", "k3", "k5", "k0", "k2", "k4", "k9"]


def test_newest_first(tmp_path: Path) -> None:
    """By year, whatever fits the words best; what has no year comes last."""
    path = fill(
        tmp_path,
        work(1, title="Trees", year=2001),
        work(2, title="Birds", abstract="Birds in trees", year=2020),
        work(3, title="Trees and trees", year=None),
        work(4, title="Trees", year=2010),
    )

    assert titles(path, '"trees"')[-1] == "Birds"
    assert titles(path, '"trees"', newest=True) == ["Birds", "Trees", "Trees", "Trees and trees"]


def test_pages(tmp_path: Path) -> None:
    """Every record is on one page, and each page says how many there are in all."""
    path = fill(tmp_path, *(work(n) for n in range(7)))

    pages = [
        orjson.loads(search(path, PageOrder('"work"', start=start, size=3)))
        for start in (0, 3, 6, 9)
    ]

    assert [page["total"] for page in pages] == [7] * 4
    assert [len(page["records"]) for page in pages] == [3, 3, 1, 0]
    assert len({it["source_id"] for page in pages for it in page["records"]}) == 7


def test_years(tmp_path: Path) -> None:
    path = fill(tmp_path, *(work(n) for n in range(5)), work(9, title="Timeless", year=None))

    assert titles(path, first=2003) == ["Work 4", "Work 3"]
    assert titles(path, last=2001) == ["Work 1", "Work 0"]
    assert titles(path, '"work"', first=2002, last=2002) == ["Work 2"]
    assert titles(path)[-1] == "Timeless"


@pytest.mark.parametrize(
    "words", ["a b OR", '"unclosed', "title :", "nowhere : x", "NEAR(", "^", "*", "'; DROP TABLE x"]
)
def test_what_is_no_expression(tmp_path: Path, words: str) -> None:
    """An error in words, and nothing else; the collection is as it was."""
    path = fill(tmp_path, work(1))

    with pytest.raises(CollectionError):
        search(path, PageOrder(words))
    assert titles(path) == ["Work 1"]


def test_it_stops_when_nobody_waits(tmp_path: Path) -> None:
    path = fill(tmp_path, *(work(n) for n in range(3000)))
    stop = threading.Event()
    stop.set()

    with pytest.raises(Stopped):
        search(path, PageOrder('"work"', size=1000), stop=stop.is_set)


def test_a_page_is_bounded(tmp_path: Path) -> None:
    """It is a short one where records are long, and the next one goes on there."""
    path = fill(tmp_path, *(work(n, abstract="x" * 5000) for n in range(3)))

    pages = [
        orjson.loads(search(path, PageOrder(start=start), max_bytes=11_000)) for start in (0, 2)
    ]

    assert [len(page["records"]) for page in pages] == [2, 1]
    with pytest.raises(TooMuch):
        search(path, PageOrder(), max_bytes=1000)


def test_a_record_is_bounded(tmp_path: Path) -> None:
    with (
        Collection.open(tmp_path, "refs", "files") as collection,
        pytest.raises(ValueError, match="larger than 4,194,304 bytes"),
    ):
        collection.put("k", work(1, abstract="x" * (4 << 20)))


def test_a_closed_collection_can_be_asked_where_nothing_may_be_written(tmp_path: Path) -> None:
    """SQLite's WAL mode, in which a collection is filled, wants a file beside it even for reading;
    see its file format."""
    path = fill(tmp_path, work(1))

    assert path.read_bytes()[18:20] == b"\1\1"
    assert sorted(it.name for it in tmp_path.iterdir()) == ["refs.lock", "refs.sqlite"]


def test_half_characters_cost_no_record(tmp_path: Path) -> None:
    """A file may hold one half of a surrogate pair; UTF-8, and so SQLite, may not."""
    path = fill(tmp_path, work(1, title="Broken \ud800 pair"))

    assert titles(path, '"broken"') == ["Broken ? pair"]


# ---------------------------------------------------------------------- files that are none of ours


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="there is no such collection"):
        search(tmp_path / "refs.sqlite", PageOrder())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"not a database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_what_is_no_database(tmp_path: Path, content: bytes) -> None:
    """It is refused, and left as it is."""
    path = tmp_path / "refs.sqlite"
    path.write_bytes(content)

    with pytest.raises(CollectionError):
        search(path, PageOrder())
    with pytest.raises(CollectionError):
        Collection.open(tmp_path, "refs", "files")
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_collection(tmp_path: Path) -> None:
    """A process that dies at its first step leaves one."""
    (tmp_path / "refs.sqlite").write_bytes(b"")

    with pytest.raises(CollectionError, match="not a collection of metasearch"):
        search(tmp_path / "refs.sqlite", PageOrder())
    assert titles(fill(tmp_path, work(1))) == ["Work 1"]


def test_a_database_of_somebody_else(tmp_path: Path) -> None:
    path = tmp_path / "refs.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE records (body)")
        db.commit()

    with pytest.raises(CollectionError, match="not a collection of metasearch"):
        search(path, PageOrder())
    with pytest.raises(CollectionError, match="not a collection of metasearch"):
        Collection.open(tmp_path, "refs", "files")


def test_a_collection_of_a_later_version(tmp_path: Path) -> None:
    path = fill(tmp_path, work(1))
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")

    with pytest.raises(CollectionError, match=f"it has version {VERSION + 1}"):
        search(path, PageOrder())


def test_a_collection_whose_tables_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "refs.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {VERSION}")

    with pytest.raises(CollectionError, match="cannot be read"):
        search(path, PageOrder())


def test_a_broken_page_is_an_error_in_words(tmp_path: Path) -> None:
    """Wherever it lies: SQLite reads a page when it needs it, not when the file is opened."""
    path = fill(tmp_path, *(work(number) for number in range(40)))
    whole, size = path.read_bytes(), 4096
    assert len(whole) > 5 * size
    broken = 0

    def use() -> None:
        with Collection.open(tmp_path, "refs", "files") as collection:
            assert collection.count
            collection.files()
            collection.has("k1")
            with collection.transaction():
                collection.put("k1", work(99))

    for start in range(size, len(whole), size):
        path.write_bytes(whole[:start] + b"\xff" * size + whole[start + size :])
        try:
            use()
        except CollectionError as error:
            broken += 1
            assert error.advice, start  # noqa: PT017, for many pages are free

    assert broken > 3


def test_a_view_that_never_ends(tmp_path: Path) -> None:
    """A file made to keep us busy is given up like any slow search."""
    path = fill(tmp_path, work(1))
    with closing(sqlite3.connect(path)) as db:
        db.execute("ALTER TABLE records RENAME TO hidden")
        db.execute(
            "CREATE VIEW records AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
            "n) "
            "SELECT i AS id, i AS key, i AS year, 0 AS deleted, '{}' AS body FROM n"
        )
        db.commit()
    asked = iter([False] * 50 + [True] * 1000)

    with pytest.raises(Stopped):
        search(path, PageOrder(), stop=lambda: next(asked, True))


def test_a_broken_row_costs_no_page(tmp_path: Path) -> None:
    path = fill(tmp_path, work(1), work(2))
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE records SET body = '{' WHERE key = 'k1'")
        db.commit()

    found = orjson.loads(search(path, PageOrder()))

    assert [it and it["title"] for it in found["records"]] == ["Work 2", None]


# --------------------------------------------------------------------------- the folder


def test_names_are_those_of_the_files(tmp_path: Path) -> None:
    """Whatever else lies there is no collection."""
    fill(tmp_path, work(1))
    for name in ("Big.sqlite", "notes.txt", ".hidden.sqlite", "a b.sqlite", "refs.sqlite-wal"):
        (tmp_path / name).write_bytes(b"")

    assert collection_names(tmp_path) == ["refs"]
    assert collection_names(tmp_path / "nowhere") == []
    assert collection_names(None) == []


def test_a_folder_is_read_again_when_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every search asks for the collections: what has not changed for some seconds is not read
    again."""
    read: list[Path] = []

    def names(there: Path) -> list[str]:
        read.append(there)
        return sorted(path.stem for path in there.iterdir())

    monkeypatch.setattr(folder, "_names", names)
    (tmp_path / "one.sqlite").touch()

    for _ in range(3):  # it has just changed, and may change again within one tick of its clock
        assert collection_names(tmp_path) == ["one"]
    assert len(read) == 3
    os.utime(tmp_path, (1_000, 1_000))
    for _ in range(3):
        assert collection_names(tmp_path) == ["one"]
    assert len(read) == 4
    (tmp_path / "two.sqlite").touch()
    assert collection_names(tmp_path) == ["one", "two"]


@pytest.mark.parametrize(
    "name", ["../refs", "/etc/passwd", "", "a/b", "A", "a.b", "-a", "x" * 41, "a\0"]
)
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(CollectionError, match="cannot be the name of a collection"):
        collection_file(tmp_path, name)


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    outside = fill(tmp_path / "outside", work(1))
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "refs.sqlite").symlink_to(outside)

    with pytest.raises(CollectionError, match="a link that leads out"):
        collection_file(inside, "refs")


def test_facts(tmp_path: Path) -> None:
    path = fill(tmp_path, work(1), work(2))

    found = facts(path, "refs")

    assert (found.name, found.records, found.lost, found.meta["kind"]) == ("refs", 2, 0, "files")


@each(
    ("text", "name"),
    [("My Refs", "my-refs"), ("export.arxiv.org", "export-arxiv-org"), ("文献", ""), ("_x_", "x")],
)
def test_a_name_is_made_of_a_folder_or_host(text: str, name: str) -> None:
    assert name_for(text) == name
