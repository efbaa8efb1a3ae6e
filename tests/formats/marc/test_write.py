"""MARC 21 as others read it: pymarc, yaz-marcdump, and what ISO 2709 has no room for."""

from __future__ import annotations

import io
import shutil
import subprocess

import pymarc
import pytest

from metasearch.formats.iso2709 import LONGEST_FIELD, LONGEST_RECORD
from metasearch.record import PEOPLE, Author, Hit, Record
from tests.cases import each
from tests.formats.exported import hits_of, read_back, written
from tests.formats.samples import MERGED


def marc(hit: Hit) -> pymarc.Record:
    reader = pymarc.MARCReader(written("marc", [hit]), to_unicode=True, permissive=False)
    (record,) = reader
    assert isinstance(record, pymarc.Record)
    return record


def subfields(record: pymarc.Record, tag: str) -> list[str]:
    return [field.format_field() for field in record.get_fields(tag)]


def test_pymarc_reads_each_field() -> None:
    record = marc(MERGED)

    assert record.title == "Toward unique identifiers"
    assert record["001"].data == MERGED.id
    assert record["008"].data == "000101s1999    xx " + "|" * 17 + "eng d"
    assert [(it["2"], it["a"]) for it in record.get_fields("024")] == [
        ("doi", "10.1109/5.771073"),
        ("arxiv", "9907.00001"),
        ("openalex", "W2147152072"),
    ]
    assert record["100"]["a"] == "Paskin, Norman"
    assert record["710"]["a"] == "IEEE Standards Committee"
    assert record["773"].get_subfields("t", "g", "x") == [
        "Proceedings of the IEEE",
        "Vol. 87",
        "no. 7",
        "p. 1208-27",
        "0018-9219",
    ]
    assert record["264"]["c"] == "1999-07"
    assert subfields(record, "653") == ["identifiers", "DOI & handles"]
    assert record["520"]["a"] == "Names for things, and things that last."


@each("kind", ["thesis", "report"])
def test_fields_that_few_formats_have_come_back(kind) -> None:
    """What the servers of library protocols write of a work, a file of it holds too."""
    record = Record(
        source="db",
        title="Rivers",
        original_title="Flüsse",
        translated_title="Rivières",
        titles=("Streams",),
        authors=(Author("Bo Li", "Li", "Bo", "0000-0002-1825-0097", "University of Bogs"),),
        institution="University of Fens",
        year=2020,
        type=kind,
        subjects=("Water",),
        open_access="green",
        licence="https://creativecommons.org/licenses/by/4.0/",
        retracted=True,
        ids={"lccn": "2020123456", "oclc": "123456789"},
        language="nds",
    )
    hits = hits_of([record, Record(source="db", doi="10.1000/untitled", language="klingon")])
    for name in ("marc", "marcxml"):
        found, untitled = read_back(name, hits).records
        for field in (
            "original_title", "translated_title", "titles", "authors", "institution", "subjects",
            "open_access", "licence", "retracted", "ids", "language",
        ):  # fmt: skip
            assert getattr(found, field) == getattr(record, field), field
        assert (untitled.title, untitled.doi) == ("", "10.1000/untitled")
        assert untitled.language == "klingon"
    read = marc(hits[0])
    assert [(f["a"], f.get("2")) for f in read.get_fields("041")] == [("nds", None)]
    assert (read["010"]["a"], read["035"]["a"]) == ("2020123456", "(OCoLC)123456789")


@each("authors", [(), (Author("Ann Lee Jr.", "Lee", "Ann", suffix="Jr."),)])
def test_editors_translators_places_and_suffixes(authors: tuple[Author, ...]) -> None:
    """Each stands where a library looks for them, and comes back; editors alone stay editors."""
    record = Record(
        source="db",
        title="Knots",
        type="book",
        authors=authors,
        editors=(Author("Bo Li", "Li", "Bo"), Author("Knot Society", collective=True)),
        translators=(Author("Eva Stein III", "Stein", "Eva", suffix="III"),),
        place="Cambridge, Mass.",
    )
    (hit,) = hits_of([record])

    for name in ("marc", "marcxml"):
        (found,) = read_back(name, [hit]).records
        for field in (*PEOPLE, "place"):
            assert getattr(found, field) == getattr(record, field)
    read = marc(hit)
    assert read["264"]["a"] == "Cambridge, Mass."
    assert [f.get_subfields("a", "c", "e", "4") for f in read.get_fields("100", "700", "710")] == [
        *([["Lee, Ann", "Jr."]] if authors else []),
        ["Li, Bo", "editor", "edt"],
        ["Knot Society", "editor", "edt"],
        ["Stein, Eva", "III", "translator", "trl"],
    ]


def test_a_code_of_two_letters_stands_in_041_with_its_scheme() -> None:
    """Reference managers show it; 008 has the code of libraries."""
    record = marc(hits_of([Record(source="db", title="河流", language="zh")])[0])

    assert (record["041"].indicator2, record["041"]["a"], record["041"]["2"]) == (
        "7",
        "zh",
        "iso639-1",
    )
    assert record["008"].data[35:38] == "chi"


@each(
    ("fields", "level", "tag"),
    [
        ({"venue": "Journal"}, "ab", "773"),
        ({"venue": "Series", "type": "book"}, "am", "490"),
        ({"venue": "Book", "type": "chapter"}, "aa", "773"),
    ],
)
def test_what_contains_the_work(fields, level, tag) -> None:
    """A work without a type is a part of its venue; books stand in a series."""
    record = marc(hits_of([Record(source="db", title="T", issn=("0018-9219",), **fields)])[0])

    assert str(record.leader)[6:8] == level
    assert record[tag][{"773": "t", "490": "a"}[tag]] == fields["venue"]
    assert record["022"]["a"] == "0018-9219"


def test_pymarc_reads_marcxml() -> None:
    (record,) = pymarc.parse_xml_to_array(io.BytesIO(written("marcxml", [MERGED])))

    assert str(record) == str(marc(MERGED)).replace(str(marc(MERGED).leader), str(record.leader))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("yaz-marcdump") is None, reason="yaz-marcdump is not installed")
def test_yaz_marcdump_reads_both() -> None:
    """It goes by the lengths, and reports those that are wrong."""
    long = Record(source="db", title="Ü" * 3_999, abstract="Satz für Satz. " * 3_000)
    hits = [MERGED, *hits_of([long, Record(source="db", title="湖泊沉积物")])]
    for name, form in (("marc", "marc"), ("marcxml", "marcxml")):
        done = subprocess.run(
            ["yaz-marcdump", "-i", form, "-o", "line", "/dev/stdin"],
            input=written(name, hits),
            capture_output=True,
            check=True,
        )
        assert done.stderr == b""
        assert done.stdout.decode().count("003 metasearch") == 3
        assert "湖泊沉积物" in done.stdout.decode()
        assert b"bad" not in done.stdout.lower()


def test_a_long_abstract_goes_on_in_further_fields() -> None:
    text = " ".join(f"word{number}" for number in range(4_000))
    (hit,) = hits_of([Record(source="db", title="Rivers", abstract=text)])

    record = marc(hit)

    assert len(record.get_fields("520")) > 3
    assert all(len(it.as_marc("utf-8")) <= LONGEST_FIELD for it in record.fields)
    assert read_back("marc", [hit]).records[0].abstract == text
    assert not record.get_fields("500")


def test_a_long_field_is_cut_and_the_record_says_so() -> None:
    (hit,) = hits_of([Record(source="db", title="長" * 4_000)])

    record = marc(hit)

    assert 3_000 < len(record.title or "") < 4_000
    assert subfields(record, "500") == [
        "245 was cut: of its 12,004 bytes a field of ISO 2709 holds 9,999"
    ]
    assert read_back("marcxml", [hit]).records[0].title == "長" * 4_000


def test_what_a_record_has_no_room_for_is_counted() -> None:
    authors = tuple(Author(f"N. Author{n}", f"Author{n}", "N.") for n in range(5_000))
    (hit,) = hits_of([Record(source="db", title="Rivers", authors=authors, abstract="Short.")])

    data = written("marc", [hit])
    record = marc(hit)

    kept = len(record.get_fields("700", "100"))
    assert len(data) <= LONGEST_RECORD
    assert subfields(record, "500") == [
        f"left out, because a record of ISO 2709 has no room for them: 700 ({5_000 - kept:,})"
    ]
    assert 2_000 < kept < 5_000
    assert record["520"]["a"] == "Short."
    assert len(read_back("marcxml", [hit]).records[0].authors) == 5_000
