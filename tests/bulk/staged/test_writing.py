"""Worker processes write the same bytes as one process, and so do stretches of the works."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

from metasearch.bulk import export
from metasearch.bulk import export as clusters
from metasearch.bulk.export import JobObserver, observe
from metasearch.bulk.job import JobOutcome
from metasearch.bulk.staged import chunks
from metasearch.bulk.staged import parts as ordering
from metasearch.bulk.staged import records as reading
from metasearch.bulk.staged import works as writing
from metasearch.bulk.staged.works import StagedWorks
from metasearch.formats import WRITABLE
from tests.bulk.staged.sets import files, hostile, on_disk, records
from tests.cases import sample

_TEXT = "TY  - JOUR\nID  - {id}\nTI  - {title}\nAU  - Same, S.\nPY  - {year}\nSP  - 1\nER  -\n"
_TITLE = "one two three four five six seven eight {} {}"


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> JobOutcome:
    """In many parts, with keys that are made different and works of one name."""
    tmp = tmp_path_factory.mktemp("writing")
    clashes = [
        _TEXT.format(id="x", title=_TITLE.format("nine" * n, "ten" * n), year=1950 + 5 * n)
        for n in range(1, 9)
    ]
    paths = files(tmp / "in", [*records(40, words=60), *hostile(10), *clashes], parts=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "PART", 9)
        patch.setattr(ordering, "PART", 7)
        patch.setattr(chunks, "CHUNK", 20)
        return on_disk(paths, tmp / "job")


def staged(outcome: JobOutcome) -> StagedWorks:
    """Its works."""
    assert isinstance(outcome.works, StagedWorks)
    return outcome.works


@pytest.mark.parametrize("most", sample([25, 1, 10_000], 3))
def test_stretches_have_all_works_in_their_order(outcome: JobOutcome, most: int) -> None:
    """With their ranks and names; each knows how many it has, and can be divided again."""
    whole = list(outcome.works)
    stretches = list(staged(outcome).divide(most))

    assert [work for some in stretches for work in some] == whole
    assert [len(list(some)) for some in stretches] == [len(some) for some in stretches]
    assert [work for some in stretches for less in some.divide(9) for work in less] == whole
    assert (len(stretches) > 1) == (most < 10_000)


def test_some_works_are_told_apart_by_name(outcome: JobOutcome) -> None:
    """So that stretches have to know of the others."""
    assert sum(bool(work.hit.also) for work in outcome.works) > 3
    assert len({work.hit.id for work in outcome.works}) == len(outcome.works)


@pytest.mark.parametrize("name", sample(sorted(writing.ONE_AFTER_ANOTHER), 4))
def test_stretches_are_written_as_the_whole(outcome: JobOutcome, name: str) -> None:
    """In each format that is one record after another."""
    whole = b"".join(export.write(name, outcome))
    parts = [
        writing._write_stretch(
            name, False, False, JobOutcome(outcome.files, some, "separate", 0, "default")
        )[0]
        for some in staged(outcome).divide(25)
    ]

    assert len(parts) > 4
    assert b"".join(parts) == whole
    assert name in WRITABLE


@pytest.mark.slow
def test_processes_write_what_one_writes(
    outcome: JobOutcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its options."""
    monkeypatch.setattr(writing, "STRETCH", 50)

    for provenance in (False, True):
        parts = list(writing.write("ris", outcome, 2, provenance=provenance))
        assert b"".join(parts) == b"".join(export.write("ris", outcome, provenance=provenance))
        assert len(parts) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ris", "nbib"])
def test_what_is_told_is_found_out_while_works_are_written(
    outcome: JobOutcome, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The same numbers and remarks as when the works are gone through once more."""
    monkeypatch.setattr(writing, "STRETCH", 50)
    telling = JobObserver(outcome, name)

    parts = list(writing.write(name, outcome, 2, telling=telling))

    assert b"".join(parts) == b"".join(export.write(name, outcome))
    assert telling.summary(outcome) == observe(outcome, name)
    assert telling.summary(outcome).numbers.duplicates > 10


@pytest.mark.slow
def test_processes_write_the_list_of_clusters_that_one_writes(
    outcome: JobOutcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In several stretches."""
    monkeypatch.setattr(writing, "STRETCH", 50)
    parts = list(writing.write_clusters(outcome, 2))

    assert b"".join(parts) == clusters.cluster_bytes(outcome)
    assert len(parts) > 1
