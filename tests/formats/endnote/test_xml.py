"""EndNote's XML: styles, standard numbers, databases; files that are damaged."""

from __future__ import annotations

from metasearch.formats.endnote_xml import looks_like
from metasearch.formats.reading import read_bytes
from metasearch.formats.reading.result import Entry
from metasearch.record import PEOPLE, TYPES, Author, Record
from tests.cases import each
from tests.formats.exported import hits_of, read_back
from tests.formats.reading.samples import one, read, told
from tests.formats.reading.structured import ENDNOTE_XML, MARCXML


def record(inner: str) -> Record:
    """The record of a file that holds this one."""
    return one(
        f"<xml><records><record><titles><title>T</title></titles>{inner}</record></records></xml>",
        "endnote-xml",
    )


def test_a_whole_file() -> None:
    """Every field of an article; the runs of <style> are one text, a name that ends in a comma is a
    body's."""
    reading = read(ENDNOTE_XML)
    first, second = reading.records

    assert not reading.problems
    assert [(it.line, it.database) for it in reading.entries] == [(2, "PubMed"), (13, None)]
    assert first == Record(
        source="a.txt",
        source_id="10000001",
        position=1,
        url="https://example.org/1",
        title="Iron in lakes",
        authors=(
            Author("E. Musterfrau", "Musterfrau", "E."),
            Author("Ada Byron", "Byron", "Ada"),
            Author("Lake Group"),
        ),
        year=2019,
        date="2019-03-12",
        venue="Journal of Mud",
        volume="12",
        issue="3",
        pages="101-9",
        doi="10.1000/mud.1",
        ids={"pmid": "10000001"},
        issn=("1234-5679",),
        type="article",
        keywords=("Lakes", "rust"),
    )
    assert (second.type, second.publisher, second.isbn, second.year) == (
        "book",
        "Shore Press",
        ("9780198526636",),
        2001,
    )


@each(
    ("inner", "expected"),
    [
        ("<volume>6(2)</volume>", {"volume": "6", "issue": "2"}),
        ("<volume>6(2)</volume><number>9</number>", {"volume": "6(2)", "issue": "9"}),
        ("<periodical><full-title>Journal</full-title><abbr-1>J</abbr-1></periodical>",
        {"venue": "Journal"}),
        ("<accession-num>WOS:000300000000001</accession-num>", {"ids": {"wos": "000300000000001"}}),
        ("<accession-num>123</accession-num>", {"ids": {}, "source_id": "123"}),
        ("<custom2>PMC1234567</custom2>", {"ids": {"pmcid": "PMC1234567"}}),
        ("<custom7>e12</custom7>", {"pages": "e12"}),
        ("<urls><related-urls><url>https://doi.org/10.1000/ab</url></related-urls></urls>",
        {"doi": "10.1000/ab"}),
        (('<ref-type name="Conference '
         'Proceedings">10</ref-type><pages>1</pages>'), {"type": "conference-paper"}),
        ('<ref-type name="Conference Proceedings">10</ref-type>', {"type": "proceedings"}),
        (('<ref-type '
         'name="Thesis">32</ref-type><publisher>北京大学</publisher>'),
         {"venue": "北京大学学位论文"}),
        (("<keywords><keyword>a&#xD;b</keyword><keyword>c; "
         "d</keyword></keywords>"), {"keywords": ("a", "b", "c", "d")}),
        (("<contributors><secondary-authors><author>Doe, "
         "J.</author></secondary-authors></contributors>"),
         {"authors": (), "editors": (Author("J. Doe", "Doe", "J."),)}),
    ],
)  # fmt: skip
def test_fields(inner: str, expected: dict[str, object]) -> None:
    """What databases write where EndNote has no field for it."""
    found = record(inner)

    assert {name: getattr(found, name) for name in expected} == expected


def contributors(word: str, app: str, **groups: str) -> Entry:
    """The entry of a record of a type, whose groups of authors have one name each."""
    inner = "".join(
        f"<{kind}-authors><author>{name}</author></{kind}-authors>".replace("first-", "")
        for kind, name in groups.items()
    )
    text = (
        f'<xml><records><record><source-app name="{app}">{app}</source-app>'
        f'<ref-type name="{word}">0</ref-type><contributors>{inner}</contributors>'
        "<titles><title>T</title></titles></record></records></xml>"
    )
    (entry,) = read(text, "endnote-xml").entries
    return entry


def people(word: str, app: str) -> str:
    """Who is what, of a record with a name in each group, called by its number."""
    names = {"first": "One, A", "secondary": "Two, B", "tertiary": "Three, C"}
    entry = contributors(word, app, **names, subsidiary="Four, D")
    found = [
        f"{role}: {' '.join(str(person.family) for person in getattr(entry.record, role))}"
        for role in PEOPLE
        if getattr(entry.record, role)
    ]
    beside = " ".join(name.partition(",")[0] for _, name in entry.given)
    return "; ".join([*found, f"beside: {beside}"])


@each(
    ("word", "expected"),
    [
        ("Book", "authors: One; editors: Three; translators: Four; beside: Two"),
        ("Edited Book", "editors: One; translators: Four; beside: Two Three"),
        ("Book Section", "authors: One; editors: Two; translators: Four; beside: Three"),
        ("Encyclopedia", "authors: One; editors: Two; translators: Four; beside: Three"),
        ("Conference Proceedings", "authors: One; editors: Two; beside: Three Four"),
        ("Report", "authors: One; beside: Two Three Four"),
        ("Film or Broadcast", "authors: One; beside: Two Three Four"),
        ("Journal Article", "authors: One; editors: Two; translators: Four; beside: Three"),
    ],
)
def test_what_the_groups_of_authors_are_depends_on_the_type(word: str, expected: str) -> None:
    """As EndNote labels them; whom no field holds stands beside the record."""
    assert people(word, "EndNote") == expected
    assert people(word, "Zotero") == expected


def test_other_programs_have_editors_in_the_second_group_of_a_book() -> None:
    """EndNote has series editors there, where the book has authors."""
    for app, editors in (("Mendeley", 1), ("JabRef", 1), ("", 1), ("EndNote", 0)):
        entry = contributors("Book", app, first="One, A", secondary="Two, B")
        assert len(entry.record.editors) == editors
        assert entry.given == (() if editors else (("secondary-authors", "Two, B"),))
    assert contributors("Book", "EndNote", secondary="Two, B").record.editors
    entry = contributors("Book", "EndNote", translated="Two, B")
    assert entry.given == (("translated-authors", "Two, B"),)


@each("kind", [kind for kind in TYPES if kind not in ("journal", "other")])
@each("authors", [(), (Author("Ann Lee Jr.", "Lee", "Ann", suffix="Jr."),)])
def test_editors_translators_and_the_place_come_back(
    kind: str, authors: tuple[Author, ...]
) -> None:
    """Of every type, with authors and without."""
    written = Record(
        source="db",
        title="Knots",
        type=kind,
        authors=authors,
        editors=(Author("Bo Li", "Li", "Bo"),),
        translators=(Author("Eva Stein", "Stein", "Eva"),),
        place="Cambridge, Mass.",
        venue="Ropes",
    )
    (found,) = read_back("endnote-xml", hits_of([written])).records

    for field in (*PEOPLE, "place"):
        assert getattr(found, field) == getattr(written, field)


def test_a_broken_record_is_told_and_costs_no_other() -> None:
    """Tags that do not match, a record without end, an end without beginning; with the line of
    each."""
    good = "<record><titles><title>{}</title></titles></record>\n"
    text = (
        "<xml><records>\n"
        + good.format("A") + "<record><titles><title>x</titel></titles></record>\n"
        + good.format("B") + "<record><titles>\n"
        + good.format("C") + "</record>\n"
        + good.format("D")
        + "</records></xml>\n"
    )  # fmt: skip
    reading = read(text, "endnote-xml")

    assert [(it.record.title, it.line, it.record.position) for it in reading.entries] == [
        ("A", 2, 1),
        ("B", 4, 3),
        ("C", 6, 5),
        ("D", 8, 7),
    ]
    assert [(problem.line, problem.lost) for problem in reading.problems] == [
        (3, 1),
        (5, 1),
        (7, 1),
    ]


def test_what_people_get_wrong_is_mended() -> None:
    """Bare ampersands, HTML's names for characters and control characters; other entities stay as
    they are written."""
    title = "R&D\x0b caf&eacute; &#1;&lt;b&gt; &unknown; 1&#60;2"
    text = f"<xml><records><record><titles><title>{title}</title></titles></record></records></xml>"
    reading = read(text, "endnote-xml")

    assert [record.title for record in reading.records] == ["R&D café &unknown; 1<2"]
    assert told(reading) == [(1, "it held characters that are not legal in XML; it was mended")]


def test_a_file_that_breaks_off() -> None:
    """Inside of a record, one is lost; between two, nobody knows, and that is told."""
    inside, between = (
        ENDNOTE_XML.partition("A book of mud")[0],
        ENDNOTE_XML.partition("<record><rec-number>2")[0],
    )

    reading = read(inside)
    assert (len(reading.entries), reading.lost) == (1, 1)
    assert "breaks off inside this record" in reading.problems[0].message
    reading = read(between)
    assert (len(reading.entries), reading.lost) == (1, 0)
    assert "breaks off" in reading.problems[0].message


def test_no_entity_is_expanded_and_no_file_read() -> None:
    """A document type definition is not read at all."""
    bomb = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    text = (
        f'<!DOCTYPE xml [<!ENTITY e0 "ha"><!ENTITY file SYSTEM '
        f'"file:///etc/passwd">{bomb}]>\n<xml><records>'
        "<record><titles><title>A &e11; &file; b</title></titles></record></records></xml>"
    )

    assert read(text, "endnote-xml").records[0].title == "A &e11; &file; b"


@each("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "gb18030"])
def test_encodings(encoding: str) -> None:
    """By the mark, or as declared."""
    declared = encoding.removesuffix("-sig")
    text = ENDNOTE_XML.replace('encoding="UTF-8"', f'encoding="{declared}"').replace(
        "Journal of Mud", "Größe"
    )
    reading = read_bytes(text.encode(encoding), "a.xml", format="endnote-xml")

    assert not reading.lost
    assert reading.records[0].venue == "Größe"


def test_a_wrong_declaration_does_not_matter() -> None:
    """UTF-8 is known by its bytes, whatever a program has left in the first line."""
    text = ENDNOTE_XML.replace('encoding="UTF-8"', 'encoding="iso-8859-1"').replace(
        "Journal of Mud", "Größe"
    )

    assert read(text).records[0].venue == "Größe"


def test_detection() -> None:
    """EndNote's own elements give it away; MARCXML has records too."""
    assert looks_like(ENDNOTE_XML)
    assert not looks_like(MARCXML)
    assert not looks_like("<xml><record><x>1</x></record></xml>")


def test_what_no_field_of_a_record_holds_is_kept() -> None:
    """By the names of the elements; what a record says is not said twice."""
    (entry,) = read(
        "<xml><records><record><contributors><authors><author>Falk, G.</author>"
        "<author>et al.</author></authors></contributors><titles><title>T</title>"
        "<secondary-title>Kites</secondary-title><short-title>Short</short-title></titles>"
        "<dates><year>in press</year></dates><urls><related-urls><url>https://example.org/a</url>"
        "<url>https://example.org/b</url></related-urls></urls><label>L</label>"
        "<custom1>One</custom1><notes>PMID: 123</notes><language>engfre</language>"
        "</record></records></xml>",
        "endnote-xml",
    ).entries

    assert (entry.record.venue, entry.record.ids) == ("Kites", {"pmid": "123"})
    assert entry.given == (
        ("authors", "et al."),
        ("short-title", "Short"),
        ("year", "in press"),
        ("url", "https://example.org/b"),
        ("label", "L"),
        ("custom1", "One"),
        ("notes", "PMID: 123"),
        ("language", "engfre"),
    )


def test_the_number_of_a_patent_stands_among_standard_numbers() -> None:
    """As EndNote has it, however it is written."""
    found = record('<ref-type name="Patent">25</ref-type><isbn>US 7,654,321</isbn>')
    assert (found.ids, found.isbn, found.issn) == ({"patent": "US 7,654,321"}, (), ())


def test_an_address_may_stand_where_a_doi_should() -> None:
    """It is the address of the work."""
    found = record("<electronic-resource-num>https://example.org/a</electronic-resource-num>")
    assert (found.url, found.doi) == ("https://example.org/a", None)


def test_all_ranges_of_pages_come_back() -> None:
    """Not the first alone."""
    (back,) = read_back("endnote-xml", hits_of([record("<pages>12-15, 20</pages>")])).records
    assert back.pages == "12-15, 20"
