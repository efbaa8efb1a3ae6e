"""What our files do for the sake of Zotero, seen without it; our own readers read it back."""

from __future__ import annotations

import dataclasses

from metasearch.formats import WRITABLE
from metasearch.formats.reading import read_bytes
from metasearch.record import Hit, Record
from tests.cases import each
from tests.formats.zotero.works import BESIDE, HITS


def written(name: str, work: str) -> str:
    return WRITABLE[name].write([HITS[work]]).decode()


def of_files(name: str) -> str:
    """The work that `dedup` found in two files."""
    return WRITABLE[name].write([HITS["of-files"]], beside=BESIDE).decode()


def lines(name: str, work: str) -> list[str]:
    return written(name, work).splitlines()


def read_back(name: str, text: str) -> Record:
    return read_bytes(text.encode(), f"a.{WRITABLE[name].extension}", format=name).records[0]


# --------------------------------------------------------------------------- NBIB


def test_nbib_without_a_pmid_has_the_number_of_nothing() -> None:
    assert written("nbib", "book").startswith("PMID- 0\r\n")


def test_nbib_has_the_doi_in_aid_and_the_address_bare() -> None:
    found = lines("nbib", "merged")

    assert "AID - 10.1000/merged [doi]" in found
    assert "LID - https://example.org/works/merged" in found
    assert not [line for line in found if line.startswith("LID") and line.endswith("[url]")]


@each(
    "work, word",
    [("book", "Book"), ("chapter", "Book Chapter"), ("video", "Video-Audio Media")],
)
def test_nbib_names_types_that_zotero_knows(work: str, word: str) -> None:
    assert f"PT  - {word}" in lines("nbib", work)
    assert read_back("nbib", written("nbib", work)).type == work


# --------------------------------------------------------------------------- EndNote


def test_endnote_tagged_has_the_date_before_the_year() -> None:
    found = lines("endnote-tagged", "article")
    assert found.index("%8 2020-03-05") < found.index("%D 2020")


@each("work", ["preprint", "thesis", "report", "map", "webpage", "video"])
def test_endnote_tagged_has_the_type_of_work_behind_the_doi(work: str) -> None:
    tags = [line[:2] for line in lines("endnote-tagged", work)]
    assert tags.index("%R") < tags.index("%9")


def test_endnote_tagged_has_further_titles_as_notes() -> None:
    found = lines("endnote-tagged", "chinese")

    assert "%Z Other title: Dam removal" in found
    assert not [line for line in found if line.startswith("%Q")]
    assert read_back("endnote-tagged", written("endnote-tagged", "chinese")).titles == (
        "Dam removal",
    )


def test_endnote_tagged_has_origins_as_research_notes() -> None:
    found = of_files("endnote-tagged").splitlines()
    reading = read_bytes(of_files("endnote-tagged").encode(), "a.enw", format="endnote-tagged")

    assert "%< Origin: scopus.ris | Scopus" in found
    assert not [line for line in found if line.startswith("%Z")]
    assert reading.entries[0].origins == BESIDE[HITS["of-files"].id].origins


def test_endnote_xml_has_the_address_where_either_program_reads_it() -> None:
    address = "<url>https://example.org/works/article</url>"
    found = written("endnote-xml", "article")

    assert f"<web-urls>{address}</web-urls><related-urls>{address}</related-urls>" in found


def test_endnote_xml_has_identifiers_as_foreign_keys_and_no_label() -> None:
    found = written("endnote-xml", "article")

    assert "<label>" not in found
    assert "<custom2>PMC7654</custom2>" in found
    assert read_back("endnote-xml", found).ids == {"pmid": "123456", "pmcid": "PMC7654"}


# --------------------------------------------------------------------------- numbers


@each("name", ["ris", "endnote-tagged", "endnote-xml", "refworks"])
@each("number", ["US1234567B2", "US12345678", "WO2019/123456A1", "CN 101106276 A"])
def test_the_number_of_a_patent_is_its_standard_number_and_no_isbn(name: str, number: str) -> None:
    hit = HITS["patent"]
    record = dataclasses.replace(hit.record, ids={"patent": number.replace(" ", "")})
    shown = dataclasses.replace(record, ids={"patent": number})
    text = WRITABLE[name].write([Hit(hit.id, shown, (shown,), {})]).decode()
    read = read_back(name, text)

    marks = {"ris": "SN  - ", "endnote-tagged": "%@ ", "endnote-xml": "<isbn>", "refworks": "SN "}
    assert f"{marks[name]}{number}" in text
    assert (read.isbn, read.issn) == ((), ())
    if number == record.ids["patent"]:
        assert read.ids == record.ids


def test_ris_names_who_issued_a_report() -> None:
    assert "PB  - Geological Survey" in lines("ris", "report")


@each("work", ["dataset", "software"])
def test_ris_and_bibtex_name_the_version(work: str) -> None:
    assert "ET  - 1.0.3" in lines("ris", work)
    assert "  version = {1.0.3}," in lines("bibtex", work)


def test_bibtex_has_day_and_pubmed_numbers() -> None:
    found = lines("bibtex", "article")
    assert {"  month = mar,", "  day = {5},", "  pmid = {123456},", "  pmcid = {PMC7654},"} <= set(
        found
    )
    assert read_back("bibtex", written("bibtex", "article")).date == "2020-03-05"


# --------------------------------------------------------------------------- RefWorks


def test_refworks_has_the_book_of_a_chapter_and_addresses_where_they_are_read() -> None:
    assert {"T2 Handbook of Rivers", "UL https://example.org/works/chapter"} <= set(
        lines("refworks", "chapter")
    )
    assert "JF Journal of Hydrology" in lines("refworks", "article")


# --------------------------------------------------------------------------- CSL-JSON


@each(
    "work, genre",
    [
        ("preprint", "Preprint"),
        ("review", "Review"),
        ("software", "Software"),
        ("proceedings", "Proceedings"),
        ("journal", "Journal"),
    ],
)
def test_csl_json_tells_a_type_as_a_word_that_styles_may_print(work: str, genre: str) -> None:
    text = written("csl-json", work)

    assert f'"genre":"{genre}"' in text
    assert read_back("csl-json", text).type == work


def test_csl_json_of_others_keeps_its_type_beside_such_a_word() -> None:
    text = '[{"type": "chapter", "title": "Dams", "genre": "Review", "container-title": "Rivers"}]'
    assert read_back("csl-json", text).type == "chapter"


def test_csl_json_has_the_repository_and_number_of_a_preprint() -> None:
    text = written("csl-json", "preprint")
    read = read_back("csl-json", text)

    assert '"publisher":"bioRxiv"' in text
    assert '"number":"arXiv:2001.01234"' in text
    assert (read.venue, read.publisher, read.ids) == ("bioRxiv", None, {"arxiv": "2001.01234"})


def test_csl_json_calls_the_series_of_a_book_a_collection() -> None:
    text = written("csl-json", "book")

    assert '"collection-title":"Lecture Notes in Rivers"' in text
    assert read_back("csl-json", text).venue == "Lecture Notes in Rivers"


def test_a_book_of_csl_json_has_no_version() -> None:
    hit = HITS["book"]
    record = dataclasses.replace(hit.record, version="2")
    text = WRITABLE["csl-json"].write([Hit(hit.id, record, (record,), {})]).decode()

    assert '"version"' not in text
    assert '"version":"1.0.3"' in written("csl-json", "dataset")


@each("work", ["preprint", "review", "software", "book"])
def test_what_csl_json_says_in_its_own_words_is_not_kept_beside_the_record(work: str) -> None:
    entry = read_bytes(written("csl-json", work).encode(), "a.json", format="csl-json").entries[0]
    assert not {"genre", "collection-title"} & {name for name, _ in entry.given}


def test_a_translated_title_of_endnote_comes_out_once() -> None:
    text = "%0 Journal Article\n%A Wang, X\n%T 湖泊\n%Q Lakes\n"
    entry = read_bytes(text.encode(), "a.enw", format="endnote-tagged").entries[0]

    assert entry.record.titles == ("Lakes",)
    assert "Q" not in {tag for tag, _ in entry.given}
