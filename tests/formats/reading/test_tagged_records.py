"""One reader for formats that differ only in their tags."""

from __future__ import annotations

from metasearch.formats.reading import read_bytes
from tests.cases import each

_SAME = {
    "refworks": "RT Journal Article\nA1 Noether, Emmy\nT1 On rings\nJF Annals\nYR 1921\nVO 83\n"
    "IS 1\nSP 24\nOP 66\nDO 10.1000/rings\nAN 77\n",
    "noteexpress": "{Reference Type}: Journal Article\n{Author}: Noether, Emmy\n"
    "{Title}: On rings\n{Journal}: Annals\n{Year}: 1921\n{Volume}: 83\n{Issue}: 1\n"
    "{Pages}: 24-66\n{DOI}: 10.1000/rings\n{Accession Number}: 77\n",
    "endnote-tagged": "%0 Journal Article\n%A Noether, Emmy\n%T On rings\n%J Annals\n%D 1921\n"
    "%V 83\n%N 1\n%P 24-66\n%R 10.1000/rings\n%M 77\n",
}


@each("format_", sorted(_SAME))
def test_three_formats_of_one_record(format_: str) -> None:
    """The same record in each of the formats is the same record."""
    (record,) = read_bytes(_SAME[format_].encode(), "rings", format=format_).records

    assert ("77", "On rings", ("Noether",), 1921) == (
        record.source_id,
        record.title,
        tuple(author.family for author in record.authors),
        record.year,
    )
    assert ("Annals", "83", "1", "24-66", "10.1000/rings", "article") == (
        record.venue,
        record.volume,
        record.issue,
        record.pages,
        record.doi,
        record.type,
    )


@each(
    ("format_", "text", "field", "expected"),
    [
        ("refworks", "RT Journal Article\nT1 On rings\nJF N/A\nT2 Annals\n", "venue", "Annals"),
        ("endnote-tagged", "%0 Journal Article\n%T On rings\n%M N/A\n%M 77\n", "source_id", "77"),
    ],
)
def test_a_word_for_nothing_hides_no_value(
    format_: str, text: str, field: str, expected: str
) -> None:
    """Where the first field holds "N/A", the next one is read."""
    (record,) = read_bytes(text.encode(), "rings", format=format_).records

    assert expected == getattr(record, field)
