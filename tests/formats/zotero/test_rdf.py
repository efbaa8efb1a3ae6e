"""Zotero RDF, as Zotero exports it: works refer to journals, notes and attachments."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from metasearch.formats.reading import Entry, FileReading, read_bytes
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.reading.structured import ZOTERO_RDF

HEAD = """<rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:z="http://www.zotero.org/namespaces/export#"
 xmlns:dcterms="http://purl.org/dc/terms/"
 xmlns:bib="http://purl.org/net/biblio#"
 xmlns:foaf="http://xmlns.com/foaf/0.1/"
 xmlns:link="http://purl.org/rss/1.0/modules/link/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:vcard="http://nwalsh.com/rdf/vCard#"
 xmlns:prism="http://prismstandard.org/namespaces/1.2/basic/">
"""


def read(body: str) -> FileReading:
    reading = read_bytes(f"{HEAD}{body}</rdf:RDF>".encode(), "library.rdf")
    assert reading.format == "zotero-rdf"
    return reading


def item(inner: str, kind: str = "journalArticle", about: str = "#item_1") -> str:
    return (
        f'<rdf:Description rdf:about="{about}"><z:itemType>{kind}</z:itemType>'
        f"<dc:title>Mud in wells</dc:title>{inner}</rdf:Description>"
    )


def entry(inner: str, kind: str = "journalArticle", beside: str = "") -> Entry:
    (found,) = read(item(inner, kind) + beside).entries
    return found


def record(inner: str, kind: str = "journalArticle", beside: str = "") -> Record:
    return entry(inner, kind, beside).record


def people(group: str, *names: tuple[str, str]) -> str:
    inner = "".join(
        f"<rdf:li><foaf:Person><foaf:surname>{family}</foaf:surname>"
        + (f"<foaf:givenName>{given}</foaf:givenName>" if given else "")
        + "</foaf:Person></rdf:li>"
        for family, given in names
    )
    return f"<{group}><rdf:Seq>{inner}</rdf:Seq></{group}>"


JOURNAL = """<bib:Journal rdf:about="urn:issn:0018-9219"><prism:volume>12</prism:volume>
<dc:title>Journal of Wells</dc:title><dc:identifier>DOI 10.1000/mud</dc:identifier>
<prism:number>3</prism:number><dcterms:alternative>J. Wells</dcterms:alternative>
<dc:identifier>ISSN 0018-9219</dc:identifier></bib:Journal>"""
IN_JOURNAL = '<dcterms:isPartOf rdf:resource="urn:issn:0018-9219"/>'


def test_an_article_has_what_its_journal_says_and_its_doi() -> None:
    found = record(IN_JOURNAL + "<bib:pages>101–119</bib:pages>", beside=JOURNAL)

    assert (found.type, found.venue, found.volume) == ("article", "Journal of Wells", "12")
    assert (found.issue, found.pages, found.doi) == ("3", "101-119", "10.1000/mud")
    assert found.issn == ("0018-9219",)


def test_the_doi_of_a_journal_of_several_works_is_none_of_theirs() -> None:
    second = item(IN_JOURNAL, about="#item_2")
    reading = read(item(IN_JOURNAL) + second + JOURNAL)

    assert [one.doi for one in reading.records] == [None, None]
    assert [one.venue for one in reading.records] == ["Journal of Wells"] * 2


def test_a_chapter_in_a_book_of_a_series() -> None:
    found = entry(
        "<dcterms:isPartOf><bib:Book><dcterms:isPartOf><bib:Series><dc:title>Wells 7</dc:title>"
        "</bib:Series></dcterms:isPartOf><dc:identifier>ISBN 978-0-306-40615-7</dc:identifier>"
        "<dc:title>Handbook of wells</dc:title></bib:Book></dcterms:isPartOf>"
        "<dc:publisher><foaf:Organization><vcard:adr><vcard:Address><vcard:locality>London"
        "</vcard:locality></vcard:Address></vcard:adr><foaf:name>Harbour Press</foaf:name>"
        "</foaf:Organization></dc:publisher>"
        + people("bib:editors", ("Rossi", "Paolo"))
        + people("z:translators", ("Hofmann", "Eva"))
        + people("z:seriesEditors", ("Green", "Ann")),
        "bookSection",
    )

    assert (found.record.type, found.record.venue) == ("chapter", "Handbook of wells")
    assert (found.record.publisher, found.record.place) == ("Harbour Press", "London")
    assert found.record.isbn == ("9780306406157",)
    assert [one.name for one in found.record.editors] == ["Paolo Rossi"]
    assert [one.name for one in found.record.translators] == ["Eva Hofmann"]
    assert found.given == (("seriesEditors", "Ann Green"), ("series", "Wells 7"))


def test_authors_keep_their_order_and_a_name_of_one_field_is_whole() -> None:
    found = record(
        people(
            "bib:authors",
            ("Byron", "Ada"),
            ("World Well Organization", ""),
            ("王小明", ""),
            ("Cobb", "Fields W., Jr."),
        )
    )

    assert found.authors == (
        Author("Ada Byron", "Byron", "Ada"),
        Author("World Well Organization"),
        Author("王小明"),
        Author("Fields W. Cobb Jr.", "Cobb", "Fields W.", suffix="Jr."),
    )


@each(("kind", "group"), [("patent", "z:inventors"), ("presentation", "z:presenters")])
def test_kinds_of_work_have_words_of_their_own_for_authors(kind: str, group: str) -> None:
    assert [one.name for one in record(people(group, ("Byron", "Ada")), kind).authors] == [
        "Ada Byron"
    ]


def test_tags_of_both_kinds_are_keywords_and_a_shelf_mark_is_none() -> None:
    found = entry(
        "<dc:subject>mud</dc:subject>"
        "<dc:subject><z:AutomaticTag><rdf:value>wells, old</rdf:value></z:AutomaticTag>"
        "</dc:subject>"
        "<dc:subject><dcterms:LCC><rdf:value>QA 7</rdf:value></dcterms:LCC></dc:subject>"
    )

    assert found.record.keywords == ("mud", "wells, old")
    assert found.given == (("callNumber", "QA 7"),)


def test_extra_has_identifiers() -> None:
    found = entry("<dc:description>PMID: 123456\nPMCID: PMC77\nread it</dc:description>")

    assert found.record.ids == {"pmid": "123456", "pmcid": "PMC77"}
    assert ("extra", "read it") in found.given


def test_addresses_and_the_doi_of_the_work() -> None:
    found = record(
        "<dc:identifier><dcterms:URI><rdf:value>https://example.org/mud</rdf:value></dcterms:URI>"
        "</dc:identifier><dc:identifier>DOI 10.1000/own</dc:identifier>"
    )

    assert (found.url, found.doi) == ("https://example.org/mud", "10.1000/own")


def test_attachments_and_notes_are_no_works() -> None:
    """A note stands beside its work; one of no work is told."""
    reading = read(
        item('<link:link rdf:resource="#a"/><dcterms:isReferencedBy rdf:resource="#n"/>')
        + '<z:Attachment rdf:about="#a"><z:itemType>attachment</z:itemType><dc:title>PDF</dc:title>'
        "</z:Attachment>"
        '<bib:Memo rdf:about="#n"><rdf:value>&lt;p&gt;Read &lt;b&gt;twice&lt;/b&gt;&lt;/p&gt;'
        "</rdf:value></bib:Memo>"
        '<bib:Memo rdf:about="#alone"><rdf:value>alone</rdf:value></bib:Memo>'
        '<z:Collection rdf:about="#c"><dc:title>Mine</dc:title></z:Collection>'
    )

    (found,) = reading.entries
    assert found.given == (("note", "Read twice"),)
    assert [problem.message for problem in reading.problems] == [
        "1 note(s) that belong to no work were not read; the first is this"
    ]


def test_what_no_field_holds_stays_beside() -> None:
    found = entry("<z:shortTitle>Mud</z:shortTitle><dc:rights>© them</dc:rights>")

    assert found.given == (("shortTitle", "Mud"), ("rights", "© them"))


def test_a_preprint_and_a_patent_have_their_numbers() -> None:
    number = "<prism:number>{}</prism:number>"

    assert record(number.format("arXiv:2001.01234"), "preprint").ids == {"arxiv": "2001.01234"}
    assert record(number.format("US1234567B2"), "patent").ids == {"patent": "US1234567B2"}


def test_works_of_other_programs_have_no_item_type() -> None:
    reading = read(
        '<bib:Article rdf:about="#1"><dc:title>Mud in wells</dc:title><dcterms:isPartOf>'
        "<bib:Journal><dc:title>Journal of Wells</dc:title></bib:Journal></dcterms:isPartOf>"
        "</bib:Article>"
        '<foaf:Image rdf:about="#2"/>'
    )

    (found,) = reading.records
    assert (found.type, found.venue) == ("article", "Journal of Wells")
    assert any("the element Image" in problem.message for problem in reading.problems)


def test_a_file_that_breaks_off_keeps_what_is_whole() -> None:
    text = HEAD + item("") + item("<dc:date>2019</dc:date>", about="#item_2")

    reading = read_bytes(text[:-30].encode(), "library.rdf")

    assert [one.title for one in reading.records] == ["Mud in wells"] * 2
    assert any("not well-formed" in problem.message for problem in reading.problems)


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    text = bomb + HEAD + item("<dcterms:abstract>x&b;y</dcterms:abstract>") + "</rdf:RDF>"

    (found,) = read_bytes(text.encode(), "library.rdf").records
    assert "aaa" not in (found.abstract or "")


@given(data=st.data())
def test_any_damage_is_survived_and_told(data: st.DataObject) -> None:
    """Both works are there, or something is told."""
    whole = bytearray(ZOTERO_RDF.encode())
    for _ in range(data.draw(st.integers(1, 4), "times")):
        at = data.draw(st.integers(0, len(whole) - 1), "at")
        whole[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=9), "new")
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)), "cut")])
    assume(not cut.startswith(b"\x1f\x8b"))

    reading = read_bytes(cut, "library.rdf", format="zotero-rdf")

    assert len(reading.entries) == 2 or reading.problems


def test_a_journal_of_many_works_is_read_once() -> None:
    """Its texts do not stand in the file again for each of them."""
    journal = JOURNAL.replace("Journal of Wells", "Journal of Wells" * 20_000)
    works = "".join(item(IN_JOURNAL, about=f"#item_{number}") for number in range(300))

    reading = read(works + journal)

    assert len(reading.entries) == 300
    assert {entry.given for entry in reading.entries} == {()}


def test_a_date_without_a_year_is_told_and_stays_beside() -> None:
    found = read(item("<dc:date>in press</dc:date>"))

    assert found.entries[0].given == (("date", "in press"),)
    assert [problem.message for problem in found.problems] == [
        'date holds no year: "in press"; kept beside the record'
    ]
