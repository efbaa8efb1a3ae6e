"""Whatever the databases send, an export holds as many records as it was given, and no field that
was not written."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.formats import WRITABLE
from metasearch.formats.origins import Beside, Origin
from metasearch.formats.reading import read_bytes
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.exported import hits_of, read_back, written

#: Formats with one record after another.
IN_PARTS = [name for name, form in WRITABLE.items() if form.download and form.reader]
FORGED = (
    "Rivers\r\nER  - \r\nTY  - JOUR\n\n%0 Book\n%T forged\n{Reference Type}: Book\n"
    "PMID- 1\nRT Book\n"
)
HOSTILE = st.text(max_size=40) | st.sampled_from(
    [
        FORGED,
        "<script>alert(1)</script>",
        "]]></title><title>forged</title>",
        "=cmd|' /C calc'!A0",
        "a\x00b\x1d\x1e\x1fc\x0b\x0c\ud800\ufffe\uffff",
        "\u202egnp.exe\u2028\u2029\ufeff",
        "&amp; &lt;b&gt; \\input{x}",
        '"}]',
    ]
)


@st.composite
def hostile_records(draw: st.DrawFn) -> Record:
    names = draw(st.lists(HOSTILE.filter(bool), max_size=2))
    texts = {
        name: draw(HOSTILE)
        for name in (
            "subtitle venue publisher edition volume issue pages doi abstract language url pdf_url "
            "date licence version institution"
        ).split()
    }
    return Record(
        source=draw(HOSTILE) or "db",
        title=f"Ordinary title {draw(HOSTILE)}",
        authors=tuple(Author(name, name if draw(st.booleans()) else None, name) for name in names),
        keywords=tuple(draw(st.lists(HOSTILE, max_size=2))),
        ids={"pmid": draw(HOSTILE), draw(HOSTILE): draw(HOSTILE)},
        isbn=(draw(HOSTILE),),
        issn=(draw(HOSTILE),),
        type=draw(st.sampled_from(("article", "book", "chapter", "thesis", None))),
        year=draw(st.integers(-(10**18), 10**18)),
        retracted=True,
        **texts,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_PARTS)
@given(found=st.lists(hostile_records(), min_size=1, max_size=3))
def test_as_many_records_as_were_given(name: str, found: list[Record]) -> None:
    reading = read_back(name, hits_of(found))

    assert all(record.title.startswith("Ordinary title") for record in reading.records)


@each("name", IN_PARTS)
def test_no_text_opens_a_field(name: str) -> None:
    (record,) = read_back(
        name, hits_of([Record(source="db", title="Ordinary", abstract=FORGED, venue=FORGED)])
    ).records

    assert record.title == "Ordinary"
    assert "forged" not in (*record.titles, *(author.name for author in record.authors))


@each("name", IN_PARTS)
def test_nothing_is_an_empty_file(name: str) -> None:
    reading = read_bytes(written(name, []), f"a.{WRITABLE[name].extension}", format=name)

    assert (reading.entries, reading.lost) == ([], 0)


TAGGED = {
    "endnote-tagged": "Z",
    "refworks": "NO",
    "noteexpress": "Notes",
    "nbib": "GN",
    "csl-json": "note",
}


@each("name", sorted(TAGGED))
def test_origins_and_fields_of_files_come_back(name: str) -> None:
    """A file that is made of files tells of which, an equal origin again for another record, and
    keeps fields that a record does not have.
    """
    (hit,) = hits_of([Record(source="a.ris", title="Rivers", year=2001)])
    medline = Origin("a.ris", "MEDLINE")
    made_of = (medline, Origin("b.ris", None), medline, Origin("c.ris", "Embase"))
    own = {"nbib": "GS", "noteexpress": "Custom 1", "csl-json": "section"}.get(name, "U1")
    own = "3" if name == "endnote-tagged" else own
    beside = {hit.id: Beside(made_of, ((own, "kept\nwhole"), ("no tag\n", "x"), (own, "")))}

    data = written(name, [hit], beside=beside)
    (entry,) = read_bytes(data, f"a.{WRITABLE[name].extension}").entries

    assert entry.origins == made_of
    assert entry.database == "MEDLINE; Embase"
    assert (own, re.sub(r"\s", " ", "kept whole")) in [
        (tag, re.sub(r"\s", " ", value)) for tag, value in entry.given
    ]
    assert not any("Origin: " in value for _, value in entry.given)
