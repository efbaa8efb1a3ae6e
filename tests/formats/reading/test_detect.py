"""Which format a file is in: content first, then its name."""

from __future__ import annotations

import re

import pytest

from metasearch.errors import FileFormatError
from metasearch.formats.reading import by_name, detect, read_bytes
from metasearch.formats.registry import READABLE
from tests.cases import each
from tests.conftest import ROOT
from tests.formats.reading.samples import SAMPLES

MARC = (
    "00060nam a2200037 i 4500" + "245000900000" + "\x1e" + "10\x1faMud\x1e\x1d"
)  # leader, directory, field
OTHERS = {
    "bibtex": "% a comment\n@article{byron,\n  author = {Ada Byron},\n  title = {Iron in "
    "lakes},\n  year = 2019\n}\n",
    "csv": "Title,Authors,Year\nIron in lakes,Ada Byron,2019\n",
    "csl-json": '[{"type": "article-journal", "title": "Iron in lakes", "issued": {"date-parts": '
    "[[2019]]}}]",
    "ndjson": '{"source": "a", "source_id": "1", "title": "Iron in lakes"}\n',
    "marcxml": '<collection xmlns="http://www.loc.gov/MARC21/slim"><record><datafield tag="245" '
    'ind1="1" ind2="0">'
    '<subfield code="a">Iron in lakes</subfield></datafield></record></collection>',
    "endnote-xml": '<?xml version="1.0" encoding="UTF-8"?><xml><records><record><ref-type '
    'name="Book">6</ref-type>'
    "<titles><title>Iron in lakes</title></titles></record></records></xml>",
    "marc": MARC,
}


@each("form", OTHERS)
@each("encoding", [None, "utf-16"])
def test_formats_that_are_not_made_of_tags(form: str, encoding: str | None) -> None:
    """They are detected too, and read in the encoding that is named, whatever they say
    themselves."""
    data = OTHERS[form].encode(encoding or "utf-8")
    reading = read_bytes(data, "a.txt", encoding=encoding)

    assert reading.format == form
    assert [record.title for record in reading.records] in (["Iron in lakes"], ["Mud"])
    assert encoding is None or reading.encoding == encoding


@each("form", SAMPLES)
@each("name", ["a.txt", "a.ris", "a.csv", "noname"])
@each("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_content_counts_more_than_the_name(form: str, name: str, encoding: str) -> None:
    """Whatever it is called, and in whatever encoding."""
    text = SAMPLES[form].text.removeprefix("\ufeff")

    assert detect(text.encode(encoding), name) == form


@each(
    ("name", "form"),
    [
        ("a.ris", "ris"), ("A.RIS", "ris"), ("a.ris.gz", "ris"), ("a.nbib", "nbib"), ("a.bib",
        "bibtex"),
        ("a.enw", "endnote-tagged"), ("a.NET", "noteexpress"), ("a.ciw", "wos"), ("a.mrc", "marc"),
        ("a.csv", "csv"),
        ("a.tsv", "csv"), ("a.json", "csl-json"), ("a.ndjson", "ndjson"), ("a.jsonl", "ndjson"),
        ("a.xml", "marcxml"),
    ],
)  # fmt: skip
def test_the_ending_counts_where_content_says_nothing(name: str, form: str) -> None:
    assert by_name(name) == form


@each("name", ["a.txt", "a.docx", "a", "", ".ris", "a.ris.zip"])
def test_a_format_that_nobody_knows(name: str) -> None:
    """The error says which there are, and how to name one."""
    with pytest.raises(FileFormatError, match="is not known") as caught:
        by_name(name)

    assert "--from" in caught.value.advice
    assert all(form in caught.value.advice for form in READABLE)


def test_every_format_is_described() -> None:
    """A line for people, endings, and a module of its own."""
    assert all(one.about and one.endings for one in READABLE.values())
    assert len({one.reader for one in READABLE.values()}) == len(READABLE)


def test_the_page_lists_every_format() -> None:
    """The table of docs/files.md has a row for each, with its usual endings."""
    rows = dict(
        re.findall(
            r"^\| `([a-z][a-z-]*)` \|(.*)$",
            (ROOT / "docs" / "files.md").read_text("utf-8"),
            re.MULTILINE,
        )
    )

    assert rows.keys() == READABLE.keys()
    for name, row in rows.items():
        assert {ending.removeprefix(".") for ending in row.split("|")[1].split()} <= set(
            READABLE[name].endings
        )
