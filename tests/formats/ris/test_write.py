"""RIS: what reference managers read back is what the hit says."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from metasearch.formats import FORMATS
from metasearch.formats.reading import read_bytes
from metasearch.formats.reading.worktypes import RIS_TYPES
from metasearch.record import TYPES, Author, Hit
from tests.cases import each
from tests.formats.samples import MERGED, hit, hostile_hits, properties

Fields = list[tuple[str, str]]
RIS = FORMATS["ris"]


def read(body: bytes) -> list[Fields]:
    """A strict reader: every line is a tagged one, TY opens a record and ER closes it."""
    text = body.decode()
    assert text == "" or text.endswith("\r\n")
    records: list[Fields] = []
    is_open = False
    for raw in text.split("\r\n")[:-1]:
        found = re.fullmatch(r"([A-Z][A-Z0-9])  - ([^\r\n]*)", raw)
        assert found, raw
        if found[1] == "TY":
            assert not is_open
            is_open = True
            records.append([])
        assert is_open
        if found[1] == "ER":
            assert found[2] == ""
            is_open = False
        else:
            records[-1].append((found[1], found[2]))
    assert not is_open
    return records


def values(fields: Fields, tag: str) -> list[str]:
    return [value for name, value in fields if name == tag]


def test_a_merged_work() -> None:
    """A whole record, line by line."""
    assert RIS.write([MERGED], provenance=True).decode().split("\r\n") == [
        "TY  - JOUR",
        "ID  - arxiv:9907.00001",
        "TI  - Toward unique identifiers",
        "AU  - Paskin, Norman",
        "AU  - IEEE Standards Committee",
        "T2  - Proceedings of the IEEE",
        "PY  - 1999",
        "DA  - 1999/07//",
        "VL  - 87",
        "IS  - 7",
        "SP  - 1208",
        "EP  - 1227",
        "PB  - IEEE",
        "SN  - 0018-9219",
        "DO  - 10.1109/5.771073",
        "AN  - arxiv:9907.00001; openalex:W2147152072",
        "UR  - https://example.org/works/5.771073",
        "L1  - https://example.org/works/5.771073.pdf",
        "LA  - en",
        "AB  - Names for things, and things that last.",
        "KW  - identifiers",
        "KW  - DOI & handles",
        "DB  - arxiv",
        "DP  - arxiv",
        "DB  - crossref",
        "DP  - crossref",
        "N1  - Fields by source: arxiv: ids.arxiv; crossref: title, year",
        "ER  - ",
        "",
    ]


def test_every_type_has_a_ris_type() -> None:
    """The table covers the closed vocabulary, no more and no less."""
    assert set(RIS_TYPES) == set(TYPES)


@each(
    ("fields", "expected"),
    [
        ({"type": "preprint"}, "MANSCPT"),
        ({"type": "conference-paper"}, "CPAPER"),
        ({"type": "thesis"}, "THES"),
        ({"type": "dataset"}, "DATA"),
        ({"type": None}, "GEN"),
        ({"type": None, "venue": "Nature", "volume": "5"}, "JOUR"),
    ],
)
def test_types(fields: dict[str, str | None], expected: str) -> None:
    """TY follows the record's type; an untyped record with a journal's numbering is taken for an
    article."""
    assert values(read(RIS.write([hit(**fields)]))[0], "TY") == [expected]


def test_a_preprint_is_a_manuscript_that_says_what_it_is() -> None:
    """No type of RIS is a preprint; UNPB is a journal article to Zotero. Both are read as preprints
    here."""
    (fields,) = read(RIS.write([hit(type="preprint", title="Iron")]))
    written = RIS.write([hit(type="preprint", title="Iron")])

    assert (values(fields, "TY"), values(fields, "M3")) == (["MANSCPT"], ["Preprint"])
    assert [it.type for it in read_bytes(written, "a.ris").records] == ["preprint"]
    assert [
        it.type for it in read_bytes(written.replace(b"MANSCPT", b"UNPB"), "a.ris").records
    ] == ["preprint"]


def test_provenance_only_on_request() -> None:
    """Zotero makes a note of N1 beside each record."""
    assert b"N1  - " not in RIS.write([MERGED])
    assert b"N1  - Fields by source: arxiv: " in RIS.write([MERGED], provenance=True)


def test_pages_in_several_parts_are_a_first_and_a_last_page() -> None:
    """A reader takes SP for a page."""
    (fields,) = read(RIS.write([hit(pages="12-3; discussion 13-14")]))

    assert (values(fields, "SP"), values(fields, "EP")) == (["12"], ["13"])


@each(
    ("date", "expected"),
    [
        ("2020", ["2020///"]),
        ("2020-03", ["2020/03//"]),
        ("2020-03-15", ["2020/03/15/"]),
        ("March", []),
        (None, []),
    ],
)
def test_dates_keep_their_precision(date: str | None, expected: list[str]) -> None:
    """DA has a slash for every part, known or not."""
    assert values(read(RIS.write([hit(date=date)]))[0], "DA") == expected


def test_books_name_their_isbn_first() -> None:
    """SN of a chapter is the book's ISBN before the series' ISSN."""
    written = RIS.write([hit(type="chapter", isbn=("9783540323334",), issn=("0302-9743",))])

    assert values(read(written)[0], "SN") == ["9783540323334", "0302-9743"]


def test_a_title_cannot_end_the_record() -> None:
    """Line breaks of every kind become blanks, so the tags behind them are only text."""
    written = RIS.write([hit(title="A\r\nER  - \r\nTY  - BOOK\u2028UR  - http://evil.example/")])

    assert values(read(written)[0], "TI") == ["A ER - TY - BOOK UR - http://evil.example/"]


def test_no_hits_are_no_bytes() -> None:
    """An empty list is an empty file."""
    assert RIS.write([]) == b""


@properties
@given(st.lists(hostile_hits(), max_size=3))
def test_any_text_stays_within_its_value(hits: list[Hit]) -> None:
    """A strict reader finds as many records as there are hits, with as many authors and sources as
    they have."""
    records = read(RIS.write(hits))

    assert len(records) == len(hits)
    for fields, it in zip(records, hits, strict=True):
        assert values(fields, "DB") == list(it.sources)
        assert len(values(fields, "AU")) <= len(it.record.authors)
        assert all(url.startswith(("http://", "https://")) for url in values(fields, "L1"))


def test_a_corporate_name_stays_whole() -> None:
    """A name that the source does not take apart is written as it stands."""
    assert values(read(RIS.write([hit(authors=(Author("ATLAS Collaboration"),))]))[0], "AU") == [
        "ATLAS Collaboration"
    ]
