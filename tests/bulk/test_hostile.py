"""Whatever the files hold, the job ends, every record is accounted for, and all that it writes can
be written."""

from __future__ import annotations

import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk import export, report
from metasearch.bulk import export as clusters
from metasearch.bulk.job import FileRead, JobOutcome, deduplicate, read_all
from metasearch.bulk.report import JobNumbers
from metasearch.dedup import DEFAULT
from metasearch.dedup.index import CROWD_OF_FEW, OF_A_YEAR_OF_FEW
from metasearch.formats import WRITABLE
from metasearch.formats.reading.files import STDIN, Input
from tests.bulk.telling import count
from tests.cases import each
from tests.examples import examples
from tests.formats.reading import samples, structured

FILES = {name: it.text.encode() for name, it in samples.SAMPLES.items()}
FILES |= {name: structured.raw(name) for name in structured.SAMPLES}
WRITTEN = [name for name, form in WRITABLE.items() if name != "sse" and not form.library]


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, bytes]:
    """A valid file of some format, its records twice, with bytes that were changed, taken out or
    put in; or cut off."""
    form = draw(st.sampled_from(sorted(FILES)))
    data = bytearray(FILES[form] * 2)
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 30))] = draw(st.binary(max_size=12))
    data = data[draw(st.integers(0, 40)) : draw(st.integers(60, 2_000))]
    if draw(st.booleans()):
        packed = gzip.compress(bytes(data), mtime=0)
        return form, packed[: draw(st.integers(10, len(packed)))]
    return form, bytes(data)


def read(*files: tuple[str, bytes], known: bool = False) -> list[FileRead]:
    """Each file by itself, as it would come from standard input."""
    found = []
    for number, (form, data) in enumerate(files):
        it = Input(STDIN, f"{number}.{form}")
        found += read_all([it], stdin=io.BytesIO(data), format=form if known else None)
    return found


def accounted_for(outcome: JobOutcome) -> JobNumbers:
    """The numbers, which are held against one another there, and once more here by other means."""
    numbers = count(outcome)
    files = outcome.files
    assert numbers.found == sum(len(file.reading.entries) + file.reading.lost for file in files)
    assert sum(len(work.items) for work in outcome.works) == numbers.unique + numbers.duplicates
    assert numbers.found == numbers.unique + numbers.duplicates + sum(
        it.records for it in numbers.lost
    )
    for file in files:
        assert file.reading.entries or file.reading.problems or file.error, (
            "a file without records says nothing"
        )
    return numbers


def everything_written(outcome: JobOutcome, numbers: JobNumbers) -> None:
    lines = [json.loads(line) for line in clusters.cluster_bytes(outcome).splitlines()]
    assert sum(len(line["cluster"]) - 1 for line in lines) == numbers.duplicates
    assert json.loads(report.as_json(numbers, outcome.files, "1"))["unique"] == numbers.unique
    report.as_text(numbers, "1").encode()
    for name in WRITTEN:
        b"".join(export.write(name, outcome)).decode()


@given(files=st.lists(damaged(), min_size=1, max_size=3), known=st.booleans())
def test_cut_and_corrupted_files(files: list[tuple[str, bytes]], known: bool) -> None:
    """Of any formats, side by side, whether or not their format is given."""
    outcome = deduplicate(read(*files, known=known), DEFAULT)

    everything_written(outcome, accounted_for(outcome))


@given(
    files=st.lists(st.tuples(st.sampled_from(sorted(FILES)), st.binary(max_size=300)), max_size=3)
)
def test_any_bytes(files: list[tuple[str, bytes]]) -> None:
    """Also what was never a file of records."""
    outcome = deduplicate(read(*files), DEFAULT)

    everything_written(outcome, accounted_for(outcome))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    "source source_id position url title subtitle titles authors year date venue publisher "
    "edition volume issue pages "
    "doi ids isbn issn type language abstract keywords citations pdf_url id rank sources".split()
)


@given(rows=st.lists(st.dictionaries(KEYS, VALUES, max_size=6), max_size=3))
def test_any_json_in_the_place_of_records(rows: list[dict[str, object]]) -> None:
    """As records of ours: lone surrogates, numbers beyond all bounds, lists in place of text."""
    lines = "\n".join(json.dumps({"source": "a"} | row) for row in [*rows, *rows])

    outcome = deduplicate(read(("ndjson", lines.encode()), known=True), DEFAULT)

    numbers = accounted_for(outcome)
    everything_written(outcome, numbers)
    assert numbers.found == 2 * len(rows)


@each("form", sorted(FILES))
def test_a_file_beside_itself(form: str) -> None:
    """The same records once more are duplicates, all of them, in whatever form they stand."""
    once = deduplicate(read((form, FILES[form])), DEFAULT)
    twice = accounted_for(deduplicate(read((form, FILES[form]), (form, FILES[form])), DEFAULT))

    assert twice.unique == len(once.works) == 2
    assert twice.across == 2


@examples(2)
@given(data=st.data())
def test_order_of_files_changes_no_number(data: st.DataObject) -> None:
    """Whoever comes first: as many works, as many duplicates; only where they are removed
    differs."""
    files = data.draw(st.lists(damaged(), min_size=2, max_size=3))
    read_once = read(*files)

    there = accounted_for(deduplicate(read_once, DEFAULT))
    back = accounted_for(deduplicate(read_once[::-1], DEFAULT))

    assert (there.found, there.unread, there.unique) == (back.found, back.unread, back.unique)
    assert {(it.name, it.total, it.only) for it in there.files} == {
        (it.name, it.total, it.only) for it in back.files
    }


def test_the_work_is_linear(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where all records resemble one another: beyond a crowd, each is compared with a few of
    its year."""
    asked = 0
    judge = type(DEFAULT).judge

    def counted(*arguments: object, **options: object) -> object:
        nonlocal asked
        asked += 1
        return judge(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(type(DEFAULT), "judge", counted)
    records = 5 * CROWD_OF_FEW
    text = "".join(
        f"TY  - JOUR\nTI  - Editorial\nAU  - Ali, A{n % 7}\nPY  - 2000\nSP  - {n}\nER  - \n"
        for n in range(records)
    )
    accounted_for(deduplicate(read(("ris", text.encode())), DEFAULT))

    assert records < asked <= CROWD_OF_FEW**2 / 2 + OF_A_YEAR_OF_FEW * records
