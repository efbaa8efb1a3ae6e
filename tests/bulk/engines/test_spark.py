"""The engine spark finds what union-find in memory finds, however its rows lie."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from metasearch.bulk.engines import spark as spark_near
from metasearch.bulk.engines import spark_session
from metasearch.bulk.engines.spark import Spark
from metasearch.bulk.job import deduplicate, read_all
from metasearch.bulk.staged.pool import JobRules
from metasearch.bulk.staged.stages import StagedJob
from metasearch.dedup import strategy
from metasearch.errors import UsageError
from metasearch.formats.reading.files import gather
from tests.bulk.engines import samples
from tests.bulk.engines.samples import Pair
from tests.bulk.staged.abstracts import records, works
from tests.bulk.staged.union_find import UnionFind

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    # Starting Java and compiling the first plans take long on a busy machine.
    pytest.mark.timeout(400),
    # The sockets to Java are closed with the process.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spark]:
    """One session for all tests: its start takes longer than all of them."""
    try:
        spark_session.check_packages()
        spark_session.check_java()
    except UsageError as exc:
        pytest.skip(str(exc))
    folder = tmp_path_factory.mktemp("spark")
    with pytest.MonkeyPatch.context() as patch:
        # What is compiled for speed costs more here than it saves.
        patch.setenv(
            "PYSPARK_SUBMIT_ARGS",
            "--conf spark.sql.codegen.wholeStage=false --conf "
            "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 pyspark-shell",
        )
        with spark_session.session(folder, workers=2), Spark(folder / "scratch") as engine:
            yield engine


def a_graph() -> tuple[list[Pair], list[Pair]]:
    """Keys and edges: pairs at random, a long chain, a key of very many, records that have edges
    only."""
    rng = random.Random(1)
    rows = [(rng.randrange(10_000), -rng.randrange(8_000)) for _ in range(6_000)]
    rows += [(20_000 + number, 10_000 + number + more) for number in range(12) for more in (0, 1)]
    rows += [(30_000 + number, 7) for number in range(20_000)]
    edges = [(60_001, 60_000), (60_000, 60_001), (60_005, 60_005), (60_002, 60_000), (60_009, 5)]
    return rows, edges


def test_components_are_those_of_union_find(engine: Spark, tmp_path: Path) -> None:
    """Ordered by component and number; also a chain of 12 records, and a key that 20,000 share."""
    rows, edges = a_graph()

    engine.components(
        samples.keys(tmp_path / "keys", rows),
        samples.edges(tmp_path / "edges", edges),
        tmp_path / "components",
    )

    assert samples.read(tmp_path / "components") == samples.components(rows, edges)


def test_neither_order_nor_parts_change_anything(engine: Spark, tmp_path: Path) -> None:
    """The same rows in another order and in other parts, some of them twice."""
    rows, edges = a_graph()
    rows = rows[:1_000] + rows[5_980:7_000]
    expected = samples.components(rows, edges)
    random.Random(2).shuffle(rows)
    tables = [rows[start::5] for start in range(5)]

    engine.components(
        samples.keys(tmp_path / "keys", *tables, tables[0], []),
        samples.edges(tmp_path / "edges", edges[2:], edges[:2]),
        tmp_path / "components",
    )

    assert samples.read(tmp_path / "components") == expected


def test_nothing_is_joined_where_nothing_is_shared(engine: Spark, tmp_path: Path) -> None:
    """Also where there is no folder of edges; and whatever a folder is called."""
    folder = tmp_path / "it's [a-z]*? {b} key=3"
    stage = samples.keys(folder / "keys", [], [(3, 1), (4, 2)])

    engine.components(stage, folder / "edges", folder / "components")

    assert samples.read(folder / "components") == []


def test_titles_of_several_years_are_kept_together(engine: Spark, tmp_path: Path) -> None:
    """All rows of a title that has three different years stand in one part; rows without a year,
    and titles of fewer years, are left out."""
    rng = random.Random(3)
    rows = [
        (rng.randrange(200), number, rng.choice([None, 1999, 2000, 2001]), str(number), "", False)
        for number in range(800)
    ]
    stage = samples.titles(tmp_path / "titles", rows[:300], rows[300:])

    engine.repeats(stage, tmp_path / "recurring")

    years = {title: {row[2] for row in rows if row[0] == title} - {None} for title, *_ in rows}
    expected = [row for row in rows if len(years[row[0]]) >= 3 and row[2] is not None]
    found = samples.read(tmp_path / "recurring")
    assert sorted(found) == sorted(expected)
    parts = [
        set(pq.read_table(part, columns=["title"])["title"].to_pylist())
        for part in (tmp_path / "recurring").glob("*.parquet")
    ]
    assert sum(map(len, parts)) == len(set().union(*parts)) > 0


def test_a_damaged_part_is_told_in_our_words(engine: Spark, tmp_path: Path) -> None:
    keys = samples.keys(tmp_path / "keys", [(1, 5), (2, 5)])
    (keys / "part-00001.parquet").write_bytes(b"PAR1 and no more")

    with pytest.raises(UsageError, match=r"part-00001\.parquet"):
        engine.components(keys, tmp_path / "edges", tmp_path / "components")

    assert not list(tmp_path.glob("components*/*"))


# ---------------------------------------------------------------------------- near signatures


def signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits


def near_ones(count: int, seed: int) -> list[tuple[int, int]]:
    """(number, signature): families of signatures of which two differ in up to six bits; every
    third record has two."""
    rng = random.Random(seed)
    families = [rng.getrandbits(64) for _ in range(count // 5)]
    rows = []
    for number in range(count):
        for _ in range(2 if number % 3 == 0 else 1):
            bits = rng.choice(families)
            for _ in range(rng.randrange(4)):
                bits ^= 1 << rng.randrange(64)
            rows.append((number, bits))
    return rows


def joined(rows: list[tuple[int, int]], distance: int) -> list[Pair]:
    """The components of all near pairs, each compared with each."""
    numbers = np.array([number for number, _ in rows])
    bits = np.array([bits for _, bits in rows], dtype=np.uint64)
    pairs = [
        (int(numbers[place]), int(numbers[other]))
        for place, one in enumerate(bits)
        for other in np.flatnonzero(np.bitwise_count(bits[:place] ^ one) <= distance)
    ]
    return samples.components((), pairs)


def test_near_signatures_are_joined_as_comparing_all_joins_them(
    engine: Spark, tmp_path: Path
) -> None:
    """By the tables of one block, also where the distance does not divide the bits evenly."""
    rows = near_ones(1_500, seed=4)
    table = [("a", number, signed(bits)) for number, bits in rows]
    table += [("b", 10_000 + number, signed(bits)) for number, bits in rows]
    stage = samples.signatures(tmp_path / "signatures", table[::2], table[1::2])

    assert engine.near(stage, {"a": 3, "b": 2}, tmp_path / "edges") == 0

    edges = [(int(str(a)), int(str(b))) for a, b in samples.read(tmp_path / "edges")]
    of_a = [pair for pair in edges if max(pair) < 10_000]
    of_b = [(a - 10_000, b - 10_000) for a, b in edges if max(a, b) >= 10_000]
    assert samples.components((), of_a) == joined(rows, 3)
    assert samples.components((), of_b) == joined(rows, 2)
    assert len(joined(rows, 3)) > len(joined(rows, 2)) > 0


def test_where_many_share_a_block_a_second_one_divides_them(
    engine: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And finds all the same; what has two blocks in common with hundreds is compared with one of
    them, and the rest is counted."""
    rows = [(number, bits >> 16 | 5 << 48) for number, bits in near_ones(900, seed=5)]
    table = [("a", number, signed(bits)) for number, bits in rows]
    stage = samples.signatures(tmp_path / "signatures", table)
    monkeypatch.setattr(spark_near, "MOST", 100)

    assert engine.near(stage, {"a": 3}, tmp_path / "edges") == 0
    edges = [(int(str(a)), int(str(b))) for a, b in samples.read(tmp_path / "edges")]
    assert samples.components((), edges) == joined(rows, 3)

    monkeypatch.setattr(spark_near, "MOST_NEAR", 3)
    assert engine.near(stage, {"a": 3}, tmp_path / "fewer") > 0
    fewer = [(int(str(a)), int(str(b))) for a, b in samples.read(tmp_path / "fewer")]
    whole = dict(samples.components((), edges))
    assert fewer
    assert all(whole[a] == whole[b] for a, b in fewer)


def test_no_signatures_make_no_edges(engine: Spark, tmp_path: Path) -> None:
    stage = samples.signatures(tmp_path / "signatures")

    assert engine.near(stage, {"a": 3}, tmp_path / "edges") == 0
    assert samples.read(tmp_path / "edges") == []


# --------------------------------------------------------------------------------- whole jobs


@pytest.mark.parametrize("name", ["default", "drpkp"])
def test_a_whole_job_finds_the_works_that_memory_finds(
    engine: Spark, tmp_path: Path, name: str
) -> None:
    """The same as in memory, and the same bytes as of an engine in this process: DRPKP, too, whose
    two jobs are those of its paper."""
    path = tmp_path / "records.ris"
    path.write_text(records())
    inputs = gather([path]).files
    job = StagedJob(inputs, JobRules(name))

    found, written = works(job, tmp_path / "spark", engine)

    assert (found, written) == works(job, tmp_path / "plain", UnionFind())
    in_memory = deduplicate(read_all(inputs), strategy(name).chain, dedup=name)
    assert found == [[item.key for item in work.items] for work in in_memory.works]
    assert 0 < sum(len(work) > 1 for work in found) < len(found)
