"""Rows of labelled sets become records, and nothing is swallowed."""

from __future__ import annotations

from typing import Any

from metasearch.bulk.evaluate.rows import LabelledRowReader
from metasearch.record import TYPES, Record
from tests.cases import each


def read(**row: Any) -> Record:
    reader = LabelledRowReader("sample")
    record = reader.read({"id": "x1", **row})
    assert list(reader.notes()) == []
    return record


def test_every_field() -> None:
    """A whole row is a whole record."""
    record = read(
        source="Embase\rMedline",
        title="CO<sub>2</sub> &amp; soil",
        authors=["Byron, Ada", "Okeke C"],
        year=2001,
        container="Soil Letters",
        publisher="Acme",
        volume="12",
        issue="3",
        pages="601--619",
        doi="https://doi.org/10.5555/ABC",
        isbn="0957-9672 (Print)\r0957-9672",
        url="https://example.org/1",
        abstract="Abstract: It is warm.",
        type="Journal Article",
        lang="zh_CN",
        pmid="123",
    )

    assert (record.source, record.source_id, record.key) == (
        "Embase Medline",
        "x1",
        "Embase Medline:x1",
    )
    assert record.title == "CO2 & soil"
    assert [(it.family, it.given) for it in record.authors] == [("Byron", "Ada"), ("Okeke", "C")]
    assert (record.year, record.venue, record.publisher) == (2001, "Soil Letters", "Acme")
    assert (record.volume, record.issue, record.pages) == ("12", "3", "601-619")
    assert (record.doi, record.issn, record.isbn) == ("10.5555/abc", ("0957-9672",), ())
    assert (record.type, record.language, record.abstract) == ("article", "zh", "It is warm.")
    assert record.ids == {"pmid": "123"}


def test_source_without_name_is_the_set() -> None:
    """A row that names no source comes from the set."""
    assert read(title="T").source == "sample"


@each(
    ("row", "families"),
    [
        ({"authors_raw": "Hall, Laura L"}, ["Hall"]),
        ({"authors_raw": "d. adams, m. baker, and k. clarke."}, ["adams", "baker", "clarke"]),
        ({"authors": ["Adams, Jo", "Baker, Kay, Jr."]}, ["Adams", "Baker"]),
        ({"authors": ["Adams, A, Baker F, Clarke L"]}, ["Adams", "Baker", "Clarke"]),
        ({"authors": ["Garrido, Ann; Ruiz, Eva"]}, ["Garrido", "Ruiz"]),
        ({"authors": ["Raghu, T S"]}, ["Raghu"]),
        ({"authors": ["Adams, Jo"], "authors_raw": "Baker, K."}, ["Adams"]),
    ],
)
def test_authors(row: dict[str, Any], families: list[str]) -> None:
    """A list of names, a byline, and a byline inside a list."""
    assert [author.family for author in read(**row).authors] == families


def test_books_and_journals_in_one_field() -> None:
    """ISBNs and ISSNs are told apart, each once."""
    record = read(isbn="9787030600479 (pbk)\n1001-4322; 10014322")

    assert (record.isbn, record.issn) == (("9787030600479",), ("1001-4322",))


def test_accession_number_for_an_address() -> None:
    """What EndNote writes for an address of Web of Science is an identifier."""
    record = read(url="<Go to ISI>://WOS:000123456700001")

    assert (record.url, record.ids) == (None, {"wos": "000123456700001"})


@each(
    ("word", "type_"),
    [
        ("inproceedings", "conference-paper"),
        ("Conference Paper", "conference-paper"),
        ("bookSection", "chapter"),
        ("phdthesis", "thesis"),
        ("JOUR", "article"),
        ("conference-paper", "conference-paper"),
        ("Generic", None),
        ("misc", None),
    ],
)
def test_types(word: str, type_: str | None) -> None:
    """Words of BibTeX, Zotero, EndNote and RIS are those of a record."""
    assert read(type=word).type == type_


def test_our_own_words_for_types() -> None:
    """Every type of a record is understood as itself."""
    assert [read(type=name).type for name in TYPES] == list(TYPES)


def test_unknown_keys_are_told() -> None:
    """A key that the schema does not have is counted, and so is a value that could not be read."""
    reader = LabelledRowReader("sample")
    for number in range(2):
        reader.read(
            {
                "id": number,
                "title": "T",
                "colour": "blue",
                "empty": "",
                "year": "soon",
                "type": "poem",
            }
        )
    reader.read(
        {"id": 3, "isbn": "12", "authors": ["&"], "publisher": "Acme", "institution": "Bolt"}
    )

    assert list(reader.notes()) == [
        "keys that are not read: 'colour' (2 rows)",
        "1 values of 'authors' could not be read, the first is \"['&']\"",
        "1 values of 'institution' could not be read, the first is 'Bolt'",
        "1 values of 'isbn' could not be read, the first is '12'",
        "2 values of 'type' could not be read, the first is 'poem'",
        "2 values of 'year' could not be read, the first is 'soon'",
    ]


def test_many_unknown_keys_are_one_note() -> None:
    """However many there are, the note stays short."""
    reader = LabelledRowReader("sample")
    reader.read({"id": 1, **{f"key{number}": 1 for number in range(1_000)}})

    (note,) = reader.notes()
    assert note.startswith("keys that are not read: 'key0' (1 rows), 'key1' (1 rows), ")
    assert note.endswith(", 992 more")


def test_keys_that_somebody_else_reads() -> None:
    """What is about the row and not about the work is no unknown key."""
    reader = LabelledRowReader("sample", own=("cluster",))
    reader.read({"id": 1, "title": "T", "cluster": "c1"})

    assert list(reader.notes()) == []


def test_words_of_others_for_journal_and_authors() -> None:
    """`journal` is the container, and `author` a byline, even one whose names run together."""
    record = read(title="T", journal="Soil Letters", author="Byron A.Okeke C. D.")

    assert record.venue == "Soil Letters"
    assert [(it.family, it.given) for it in record.authors] == [("Byron", "A."), ("Okeke", "C. D.")]


@each("value", [[[[]]], {"a": {}}, True, 1.5, ["\ud800", "\x00"], "x" * 100_000])
def test_odd_values_never_raise(value: Any) -> None:
    """Whatever stands in a field, there is a record, and no character in it that cannot be
    shown."""
    keys = (
        "title authors authors_raw author year container journal volume issue pages doi isbn "
        "url abstract"
    ).split()
    keys += ["type", "lang", "source"]

    record = LabelledRowReader("sample").read({"id": "x", **dict.fromkeys(keys, value)})

    assert "\ud800" not in f"{record}"
    assert "\x00" not in record.title
