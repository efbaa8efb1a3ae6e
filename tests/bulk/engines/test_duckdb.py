"""The engine duckdb finds what union-find in memory finds, whatever it may take."""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.engines import duckdb
from metasearch.bulk.engines.duckdb import MIB, Bounds, DuckDB, NoMemory, Way, session
from metasearch.errors import UsageError
from tests.bulk.engines import samples
from tests.bulk.engines.samples import Pair
from tests.cases import each, sample
from tests.examples import examples

WAYS: tuple[Way, ...] = ("recursion", "stars")
SMALL = Bounds(memory=128 * MIB, threads=2)


def engine(folder: Path, bounds: Bounds = SMALL, way: Way | None = None) -> DuckDB:
    return DuckDB(folder / "scratch", bounds, way=way)


def found(
    folder: Path,
    tables: list[list[Pair]],
    edges: list[Pair] | None = None,
    bounds: Bounds = SMALL,
    way: Way | None = None,
) -> list[tuple[object, ...]]:
    """The components of keys, a part a table."""
    into = folder / f"components-{way}"
    stage = samples.keys(folder / "keys", *tables)
    engine(folder, bounds, way).components(
        stage, samples.edges(folder / "edges", *([edges] if edges else [])), into
    )
    return samples.read(into)


_NUMBERS = st.integers(0, 40)
_PAIRS = st.lists(st.tuples(_NUMBERS, st.integers(-(2**63), -(2**63) + 40)), max_size=60)


@examples(0.5)
@given(
    tables=st.lists(_PAIRS, max_size=3),
    edges=st.lists(st.tuples(_NUMBERS, _NUMBERS), max_size=5),
    threads=st.integers(1, 3),
    way=st.sampled_from(WAYS),
    steps=st.integers(1, 4),
)
def test_components_are_those_of_union_find(
    tables: list[list[Pair]], edges: list[Pair], threads: int, way: Way, steps: int
) -> None:
    """Whatever the keys, the parts they lie in, the threads and the way; also where the recursion
    leaves the rest to the stars."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb, "MOST_STEPS", steps)
        bounds = Bounds(memory=192 * MIB, threads=threads)

        assert found(Path(folder), tables, edges, bounds, way) == samples.components(
            [row for rows in tables for row in rows], edges
        )


@pytest.mark.parametrize("way", sample(WAYS, 2))
def test_a_chain_is_one_component(tmp_path: Path, way: Way) -> None:
    """Each record shares a key with the next alone: the ends of 3,000 are joined all the same."""
    rows = [(number, number + more) for number in range(3_000) for more in (0, 1)]
    random.Random(1).shuffle(rows)

    assert found(tmp_path, [rows[:2_000], rows[2_000:]], way=way) == [
        (number, 0) for number in range(3_000)
    ]


@pytest.mark.parametrize("way", sample(WAYS, 2))
def test_a_key_of_very_many_records(tmp_path: Path, way: Way) -> None:
    """A key that 20,000 records share makes no more than an edge a record."""
    rows = [(number, 7) for number in range(20_000)] + [(5, 8), (20_005, 8), (20_006, 9)]
    duck = engine(tmp_path, way=way)

    duck.components(
        samples.keys(tmp_path / "keys", rows), tmp_path / "edges", tmp_path / "components"
    )

    assert samples.read(tmp_path / "components") == [
        (number, 0) for number in (*range(20_000), 20_005)
    ]
    assert duck.found is not None
    assert (duck.found.edges, duck.found.components) == (20_000, 1)
    assert (duck.found.largest, duck.found.records) == (20_001, 20_001)


@pytest.mark.parametrize("tables", [[], [[]], [[(3, 1), (4, 2)]]])
def test_nothing_is_joined(tmp_path: Path, tables: list[list[Pair]]) -> None:
    """No part, a part without rows, records that share nothing: a part without rows."""
    assert found(tmp_path, tables) == []
    assert (tmp_path / "components-None" / "part-00000.parquet").exists()


def test_only_edges(tmp_path: Path) -> None:
    """Edges join records that have no key; one from a record to itself joins nothing."""
    assert found(tmp_path, [], [(9, 4), (4, 9), (6, 6), (2, 9)]) == [(2, 2), (4, 2), (9, 2)]


# -------------------------------------------------------------------------------------- bounds


def test_the_way_is_chosen_by_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is expected to fit is found by the recursion, and else by stars: both write the same
    file, with any number of threads."""
    monkeypatch.setattr(duckdb, "STATE_OF_A_RECORD", 5_000)
    rng = random.Random(1)
    rows = [(rng.randrange(40_000), rng.randrange(20_000)) for _ in range(50_000)]
    keys = samples.keys(tmp_path / "keys", rows)
    files = []
    for memory, threads, way in ((1024, 2, "recursion"), (64, 1, "stars")):
        duck = engine(tmp_path, Bounds(memory=memory * MIB, threads=threads))
        duck.components(keys, tmp_path / "edges", tmp_path / way)
        assert duck.found is not None
        assert duck.found.way == way
        files.append((tmp_path / way / "part-00000.parquet").read_bytes())

    assert files[0] == files[1]


#: Takes some 70 MiB.
_SORT = (
    "CREATE TABLE sorted AS SELECT hash(range) AS it, repeat(range::VARCHAR, 10) AS more"
    " FROM range(700_000) ORDER BY it"
)


def test_what_does_not_fit_is_written_to_disk(tmp_path: Path) -> None:
    """A sort of more than memory holds succeeds; without disk it fails, and the error says so."""
    with session(tmp_path / "scratch", Bounds(memory=64 * MIB, threads=1)) as db:
        db.run(_SORT)
        assert db.row("SELECT count(*) FROM sorted") == (700_000,)

    with (
        pytest.raises(UsageError, match="no more room on the disk") as raised,
        session(tmp_path / "scratch", Bounds(memory=64 * MIB, threads=1, disk=1)) as db,
    ):
        db.run(_SORT)
    assert "--tmp" in raised.value.advice
    assert not (tmp_path / "scratch").exists()


def test_too_little_memory_is_said(tmp_path: Path) -> None:
    """What cannot be written to disk and does not fit ends with what would help."""
    with (
        pytest.raises(UsageError, match="more memory than it may have") as raised,
        session(tmp_path / "scratch", Bounds(memory=64 * MIB, threads=1)) as db,
    ):
        db.run("CREATE TABLE lists AS SELECT list(range) FROM range(20_000_000)")
    assert "--memory-limit" in raised.value.advice


def test_a_recursion_that_does_not_fit_becomes_stars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a wrong estimate costs is time."""

    def too_large(_: object) -> int:
        raise NoMemory("no")

    monkeypatch.setattr(duckdb, "_recursion", too_large)
    duck = engine(tmp_path, way="recursion")
    keys = samples.keys(tmp_path / "keys", [(1, 5), (2, 5)])

    duck.components(keys, tmp_path / "edges", tmp_path / "components")

    assert samples.read(tmp_path / "components") == [(1, 1), (2, 1)]
    assert duck.found is not None
    assert duck.found.way == "stars"


@each(
    ("memory", "threads", "said"), [(127 * MIB, 2, "127 MiB of memory"), (64 * MIB, 0, "0 threads")]
)
def test_too_little_is_refused(memory: int, threads: int, said: str) -> None:
    """Before anything is begun, with what would do."""
    with pytest.raises(UsageError, match=said) as raised:
        Bounds(memory=memory, threads=threads)
    assert raised.value.advice


# --------------------------------------------------------------------------------------- files


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    """Neither a pattern of DuckDB, nor columns of it, nor quotes in a path mean anything."""
    folder = tmp_path / "it's [a-z]* key=3"

    assert found(folder, [[(1, 5), (2, 5)]]) == [(1, 1), (2, 1)]
    with pytest.raises(UsageError, match="question mark"):
        found(tmp_path / "why?", [])


def test_what_is_not_finished_is_not_read(tmp_path: Path) -> None:
    """A part that somebody is writing has another ending; what a killed process left in the scratch
    folder is removed."""
    keys = samples.keys(tmp_path / "keys", [(1, 5), (2, 5)])
    (keys / "part-00001.unfinished").write_bytes(b"half a part")
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "tables.duckdb").write_bytes(b"half a database")

    engine(tmp_path).components(keys, tmp_path / "edges", tmp_path / "components")

    assert samples.read(tmp_path / "components") == [(1, 1), (2, 1)]
    assert not (tmp_path / "scratch").exists()


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    """Its name and what to do are in the error, and nothing is written."""
    keys = samples.keys(tmp_path / "keys", [(1, 5), (2, 5)])
    (keys / "part-00001.parquet").write_bytes(b"PAR1 and no more")

    with pytest.raises(UsageError, match=r"part-00001\.parquet") as raised:
        engine(tmp_path).components(keys, tmp_path / "edges", tmp_path / "components")

    assert "--resume" in raised.value.advice
    assert not (tmp_path / "components").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """A file stands where the scratch folder should be."""
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(UsageError, match="cannot be written"):
        DuckDB(tmp_path / "file" / "scratch", SMALL).components(
            tmp_path / "keys", tmp_path / "edges", tmp_path / "components"
        )


def test_the_extra_is_named_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without DuckDB the error says how to install it."""
    monkeypatch.setitem(sys.modules, "duckdb", None)

    with pytest.raises(UsageError, match="not installed") as raised:
        found(tmp_path, [])
    assert 'pip install ".[bulk]"' in raised.value.advice


# -------------------------------------------------------------------------------------- titles


def test_titles_of_several_years(tmp_path: Path) -> None:
    """All rows of titles that stand in three years are together; rows without a year, and titles
    of fewer years, are left out."""
    rows = [
        (title, number, year, "", str(number), number % 2 == 0)
        for title, years in (
            (-4, (1999, 2000, None, 2001)),
            (9, (2000, 2000, 2001)),
            (3, (1, 2, 3)),
        )
        for number, year in enumerate(years)
    ]
    random.Random(2).shuffle(rows)
    stage = samples.titles(tmp_path / "titles", rows[:4], rows[4:], [])

    engine(tmp_path).repeats(stage, tmp_path / "recurring")

    assert samples.read(tmp_path / "recurring") == sorted(
        row for row in rows if row[0] != 9 and row[2] is not None
    )


def test_no_titles(tmp_path: Path) -> None:
    """A part without rows."""
    engine(tmp_path).repeats(tmp_path / "titles", tmp_path / "recurring")

    assert samples.read(tmp_path / "recurring") == []
