"""Works that are not a list: what writes them goes through them, writes the same bytes, and holds
none."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from metasearch.bulk import export, report
from metasearch.bulk import export as clusters
from metasearch.bulk.job import JobOutcome, JobWork
from metasearch.errors import UsageError
from metasearch.formats import WRITABLE
from tests.bulk import samples
from tests.bulk.samples import BROKEN, LIBRARY, SCOPUS, VERSIONS, run
from tests.bulk.telling import count, left_out
from tests.cases import each

#: Those that are held as a whole.
WHOLE = {"atom", "rss", "jsonfeed", "table"}
#: Many works, some of several records, with tags that no field holds.
MANY = "".join(
    f"TY  - JOUR\nTI  - Work number {n % 60} of lakes and rivers\nAU  - Doe, J{n % 60}\n"
    f"PY  - 2001\nDO  - 10.1000/x{n % 60}\nN1  - note {n}\nC{n % 7}  - own {n}\nER  - \n"
    for n in range(90)
)
NAMES = [name for name, form in WRITABLE.items() if not form.library]


class Stream:
    """The works of a folder, as it were: made anew each time, one after another."""

    def __init__(self, works: list[JobWork]) -> None:
        self._works = works
        self.passes = self.taken = 0

    def __iter__(self) -> Iterator[JobWork]:
        self.passes += 1
        for work in self._works:
            self.taken += 1
            yield replace(work)

    def __len__(self) -> int:
        return len(self._works)


def sheet(workbook: bytes) -> bytes:
    """The works in a workbook."""
    with zipfile.ZipFile(io.BytesIO(workbook)) as parts:
        return parts.read("xl/worksheets/sheet1.xml")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> JobOutcome:
    """Whose works are a list."""
    paths = samples.write(
        tmp_path_factory.mktemp("files"),
        a_ris=SCOPUS,
        b_bib=LIBRARY,
        c_ndjson=BROKEN,
        v_ris=VERSIONS,
        m_ris=MANY,
    )
    return run(*paths, versions="group")


@pytest.fixture
def streamed(kept: JobOutcome) -> JobOutcome:
    """The same, whose works are none, and whose entries were handed out."""
    files = [
        replace(file, reading=replace(file.reading, entries=[], hand_out=len))
        for file in kept.files
    ]
    for file, whole in zip(files, kept.files, strict=True):
        file.reading.handed = whole.reading.count, whole.reading.check_sum, whole.reading.tags()
    return replace(kept, files=files, works=Stream(list(kept.works)))


@each("name", NAMES)
def test_the_same_bytes(name: str, kept: JobOutcome, streamed: JobOutcome) -> None:
    """In every format, with all options."""
    options = {"provenance": True, "bom": True, "style": "apa"}

    assert b"".join(export.write(name, streamed, **options)) == b"".join(
        export.write(name, kept, **options)
    )
    assert left_out(streamed, name) == left_out(kept, name)


@pytest.mark.parametrize("name", ["parquet", "xlsx"])
def test_the_same_rows(name: str, kept: JobOutcome, streamed: JobOutcome) -> None:
    """In formats that a library writes; a workbook holds the time at which it was written."""
    pytest.importorskip(WRITABLE[name].library)
    some, others = (b"".join(export.write(name, it)) for it in (kept, streamed))

    assert some == others if name == "parquet" else sheet(some) == sheet(others)


def test_the_same_numbers_and_clusters(kept: JobOutcome, streamed: JobOutcome) -> None:
    """Also the report, and each list of clusters."""
    assert count(streamed) == count(kept)
    assert report.as_json(count(streamed), streamed.files, "1") == report.as_json(
        count(kept), kept.files, "1"
    )
    assert clusters.cluster_bytes(streamed) == clusters.cluster_bytes(kept)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WHOLE])
def test_works_are_written_as_they_come(name: str, streamed: JobOutcome) -> None:
    """When a part is given out, no more than one further work was taken than parts were, beyond
    whole passes."""
    works = streamed.works
    assert isinstance(works, Stream)
    written = 0
    ahead = []
    for part in export.write(name, streamed):
        written += bool(part)
        ahead.append(works.taken % len(works) - written)

    assert max(ahead) <= 1
    assert works.passes <= 2


def test_counting_goes_through_the_works_once(streamed: JobOutcome) -> None:
    """Reading them anew is what costs."""
    works = streamed.works
    assert isinstance(works, Stream)

    count(streamed)
    assert works.passes == 1

    left_out(streamed, "csv")
    assert works.passes == 2


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_what_is_held_as_a_whole_is_bounded(
    name: str, kept: JobOutcome, streamed: JobOutcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of works that are in memory anyway, any number is taken."""
    monkeypatch.setattr(export, "MOST_WHOLE", 10)

    with pytest.raises(UsageError, match="at most 10 works") as caught:
        list(export.write(name, streamed))

    assert "ndjson" in caught.value.advice
    assert b"".join(export.write(name, kept))


def test_a_loss_is_noticed_by_sum(streamed: JobOutcome) -> None:
    """A record that takes the place of another one, too."""
    works = list(streamed.works)
    alone = [number for number, work in enumerate(works) if len(work.items) == 1]
    works[alone[0]] = works[alone[1]]

    with pytest.raises(AssertionError, match="in no work, or in two"):
        count(replace(streamed, works=Stream(works)))


def test_no_works_are_a_whole_document(tmp_path: Path) -> None:
    """A list of nothing is closed as any other."""
    outcome = run(*samples.write(tmp_path, a_ris=""))

    assert json.loads(b"".join(export.write("json", outcome)))["hits"] == []
    last = b"".join(export.write("ndjson", outcome)).splitlines()[-1]
    assert json.loads(last)["hits"] == []
