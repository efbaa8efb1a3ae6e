"""Works on disk say what works in memory say, and read no more of themselves than is asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

from metasearch.bulk import export
from metasearch.bulk.export import in_background, observe
from metasearch.bulk.staged.parts import (
    DamagedPart,
    DiskRecord,
    DiskWork,
    content_from,
    encode,
    entry_from,
    values_of,
)
from metasearch.formats import hits
from metasearch.formats.origins import Origin
from metasearch.formats.reading import Entry
from metasearch.record import Record
from tests.bulk.staged.sets import files, hostile, in_memory, on_disk, records
from tests.cases import each

_RECORD = Record(
    source="a.ris", source_id="7", position=3, title="Mud", ids={"pmid": "1", "x": "2"}
)
_ENTRY = Entry(_RECORD, 12, "MEDLINE", (Origin("b.ris", None),), (("N1", "a note"),))


def test_a_stored_record_says_what_the_record_says(tmp_path: Path) -> None:
    """Of each record of a job: place, database, origins, tags, check sum, and all of it."""
    paths = files(tmp_path / "in", [*records(15), *hostile(5)], parts=2)

    for found, expected in zip(
        on_disk(paths, tmp_path / "job").works, in_memory(paths).works, strict=True
    ):
        assert isinstance(found, DiskWork)
        for one, other in zip(found.items, expected.items, strict=True):
            for name in ("line", "position", "database", "origins", "given", "check_sum"):
                assert getattr(one, name) == getattr(other, name)
            assert one == other
        assert found == expected


def test_origins_and_tags_come_back() -> None:
    """Also where a record has them."""
    record = DiskRecord(0, encode(_ENTRY), Path("part"), "k", "k")

    assert (record.line, record.position, record.database) == (12, 3, "MEDLINE")
    assert (record.origins, record.given) == (_ENTRY.origins, _ENTRY.given)
    assert record.entry == _ENTRY


def test_numbers_and_clusters_need_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They read of each work what they tell."""
    paths = files(tmp_path / "in", records(30), parts=1)
    outcome, expected = on_disk(paths, tmp_path / "job"), in_memory(paths)
    told, lines = observe(expected, "ris"), export.cluster_bytes(expected)

    def making(values: Mapping[str, Any]) -> Record:
        raise AssertionError("a record is made")

    monkeypatch.setattr(hits, "record_of", making)
    monkeypatch.setattr(hits, "read", making)

    assert observe(outcome, "ris") == told
    assert export.cluster_bytes(outcome) == lines != b""


@each("data", [b"", b"[]", b"{}", b'{"record": 1}', b'\xff{"record": {}}'])
def test_damaged_bytes_name_their_part(data: bytes) -> None:
    """Whatever is asked first."""
    for name in ("entry", "line", "position", "database", "origins", "given", "check_sum"):
        with pytest.raises(DamagedPart, match="part-7"):
            getattr(DiskRecord(0, data, Path("part-7"), "k", "k"), name)


def test_records_that_say_the_same_have_the_same_content() -> None:
    """Whatever they are called, and in whatever order their identifiers stand; and no others."""
    copy = Record(source="b", source_id="8", position=1, title="Mud", ids={"x": "2", "pmid": "1"})
    other = Record(source="a.ris", source_id="7", position=3, title="Mud", ids={"pmid": "1"})
    one, same, different = (
        content_from(values_of(encode(Entry(record, 1)))) for record in (_RECORD, copy, other)
    )

    assert one == same != different


def test_what_json_has_no_room_for_comes_back() -> None:
    """Numbers of more than 64 bits, and half a character."""
    entry = Entry(Record(source="a", title="half \ud800", citations=1 << 70), 1)
    values = values_of(encode(entry))

    assert entry_from(values) == entry
    assert content_from(values)


@pytest.mark.slow
def test_a_process_of_its_own_tells_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many works are counted beside what writes them."""
    paths = files(tmp_path / "in", [*records(15), *hostile(5)], parts=2)
    outcome = on_disk(paths, tmp_path / "job")
    monkeypatch.setattr("metasearch.bulk.export.MANY", 10)

    with in_background(outcome, "csv", workers=2) as told:
        assert told() == observe(outcome, "csv") == observe(in_memory(paths), "csv")
