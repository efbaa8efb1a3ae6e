"""MARCXML: collections, saved answers of SRU servers, MARC 21 and UNIMARC, by the field rules of
the catalogues."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.formats.marc import looks_like
from metasearch.formats.reading import read_bytes
from metasearch.formats.reading.result import Entry
from metasearch.record import PEOPLE, Author, Record
from metasearch.settings import Settings
from tests.cases import each
from tests.formats.marc.union import ALL, union
from tests.formats.reading.samples import read, told
from tests.formats.reading.structured import ENDNOTE_XML, MARCXML


def field(tag: str, *subfields: str) -> str:
    inner = "".join(f'<subfield code="{it[0]}">{it[1:]}</subfield>' for it in subfields)
    return f'<datafield tag="{tag}" ind1="1" ind2=" ">{inner}</datafield>'


def marc(*fields: str) -> str:
    return f"<record><leader>00000nam a2200000 i 4500</leader>{''.join(fields)}</record>\n"


def test_a_whole_file() -> None:
    """Prefixed elements, lines, and a record with what SRU catalogues give."""
    reading = read(MARCXML)

    assert not reading.problems
    assert [it.line for it in reading.entries] == [3, 9]
    assert reading.records[0] == Record(
        source="a.txt",
        source_id="1",
        position=1,
        title="Eisen in Seen",
        subtitle="ein Überblick",
        authors=(Author("Erika Musterfrau", "Musterfrau", "Erika"),),
        year=2019,
        publisher="Ufer",
        type="book",
    )


def test_unimarc_among_marc_21() -> None:
    """Each record is read by the family in which it has a title."""
    text = (
        "<collection>"
        + marc(field("245", "aA title."))
        + marc(
            field("200", "aUn titre", "esous-titre"),
            field("700", "aDupont", "bJeanne"),
            field("210", "d1999"),
        )
        + marc(field("245", "aAnother"))
        + "</collection>"
    )
    reading = read(text)

    assert [record.title for record in reading.records] == ["A title", "Un titre", "Another"]
    assert reading.records[1].authors == (Author("Jeanne Dupont", "Dupont", "Jeanne"),)


def names(people: tuple[Author, ...]) -> list[str]:
    return [person.name for person in people]


def of(*fields: str) -> Entry:
    """The entry of a file with one record."""
    (entry,) = read(f"<collection>{marc(*fields)}</collection>").entries
    return entry


@each(
    ("first", "second", "title", "other"),
    [
        ("Chuan yu gang", "船与港", "Chuan yu gang", "船与港"),
        (
            "船与港",
            "Chuan yu gang",
        )
        * 2,
    ],
)
def test_880_is_read_with_its_field(first: str, second: str, title: str, other: str) -> None:
    """In both directions: a title in the other script is a further one, a person is one person."""
    entry = of(
        field("245", "6880-02", f"a{first} :", "bx /"),
        field("700", "6880-01", "aFang, Li,", "eeditor."),
        field("880", "6245-02/$1", f"a{second} :", "by /"),
        field("880", "6700-01/$1", "a方丽,", "eeditor."),
    )

    assert (entry.record.title, entry.record.subtitle) == (title, "x")
    assert entry.record.titles == (f"{other} : y",)
    assert (names(entry.record.authors), names(entry.record.editors)) == ([], ["Li Fang"])
    assert entry.given == (("880/700", "$a 方丽, $e editor."),)


def test_880_alone_is_the_field_that_it_means() -> None:
    """The number 00 says so, and so does a number that no other field has; a second title does
    not take the place of the first one.
    """
    alone = of(
        field("880", "6245-00/$1", "a船与港 /"),
        field("880", "6100-00/$1", "a方丽."),
        field("880", "6700-07/$1", "a王力", "4trl"),
        field("880", "6880-01", "ax"),
        field("880", "ano link"),
    ).record
    assert (alone.title, names(alone.authors), names(alone.translators)) == (
        "船与港", ["方丽"], ["王力"],
    )  # fmt: skip
    both = of(field("245", "aBoats"), field("880", "6245-00/(N", "aЛодки")).record
    assert (both.title, both.titles) == ("Boats", ("Лодки",))


def test_a_second_main_entry_in_another_script() -> None:
    """Some catalogues repeat the fields that MARC 21 has once, without a link."""
    found = of(
        field("100", "aФан, Ли,"),
        field("100", "aFang, Li,"),
        field("245", "aЛодки :", "bx"),
        field("245", "aLodki :", "by"),
    ).record

    assert (found.title, found.titles, names(found.authors)) == (
        "Лодки", ("Lodki : y",), ["Ли Фан"],
    )  # fmt: skip


def test_pairs_of_scripts_in_unimarc() -> None:
    """The field is there twice, with one $6; two people have two."""
    entry = of(
        field("200", "6a01", "7ba", "aLodki"),
        field("200", "6a01", "7ca", "aЛодки"),
        field("701", "6a02", "7ba", "aIvanov", "bIvan"),
        field("701", "6a02", "7ca", "aИванов", "bИван"),
        field("701", "6a03", "7ba", "aPetrov", "bPetr"),
    )

    assert (entry.record.title, entry.record.titles) == ("Lodki", ("Лодки",))
    assert names(entry.record.authors) == ["Ivan Ivanov", "Petr Petrov"]
    assert entry.given == (("880/701", "$7 ca $a Иванов $b Иван"),)


@each(
    ("subfields", "role"),
    [
        (("4aut",), "authors"), (("eauthor,", "eillustrator."), "authors"),
        (("4edt",), "editors"), (("eHerausgeber",), "editors"), (("eéd. scientifique",), "editors"),
        (("eéditeur scientifique", "4edt"), "editors"), (("ecurador", "4edt"), "editors"),
        (("eРедактор",), "editors"), (("e編",), "editors"), (("4主编",), "editors"),
        (("4340",), "editors"), (("eeditor and translator.",), "editors"),
        (("4trl",), "translators"), (("eÜbersetzer",), "translators"),
        (("etraductora",), "translators"), (("eпереводчик",), "translators"),
        (("4730",), "translators"), (("4译",), "translators"), (("e訳",), "translators"),
        (("e編訳",), "translators"), (("4编著",), "authors"), (("e옮김",), "translators"),
    ],
)  # fmt: skip
def test_relators(subfields: tuple[str, ...], role: str) -> None:
    """Codes of MARC 21 and UNIMARC, and words in the languages of catalogues."""
    entry = of(field("245", "aBoats"), field("700", "aLee, Ann,", "d1950-", *subfields))

    assert {name for name in PEOPLE if getattr(entry.record, name)} == {role}
    assert names(getattr(entry.record, role)) == ["Ann Lee"]


def test_the_words_beside_the_title_tell_what_people_did() -> None:
    """Where their own fields do not: in MARC 21 and in UNIMARC."""
    found = of(
        field("245", "aBoats /", "cby Bo Li ; edited by Ann Lee ; translated by Eva Stein."),
        field("100", "aLi, Bo."),
        field("700", "aLee, Ann."),
        field("700", "aStein, Eva."),
    ).record
    assert [names(getattr(found, role)) for role in PEOPLE] == [
        ["Bo Li"], ["Ann Lee"], ["Eva Stein"],
    ]  # fmt: skip
    found = of(
        field("200", "aBateaux", "fAnne Blé", "gtraduit de l'anglais par Jean Pré"),
        field("700", "aBlé", "bAnne"),
        field("702", "aPré", "bJean"),
    ).record
    assert [names(getattr(found, role)) for role in PEOPLE] == [["Anne Blé"], [], ["Jean Pré"]]


def test_who_has_no_field_of_a_record_stands_beside() -> None:
    """Illustrators and printers; where a work has nobody else, who illustrated it is its author."""
    entry = of(
        field("245", "aBoats"),
        field("100", "aLi, Bo."),
        field("700", "aLee, Ann,", "4ill"),
        field("710", "aKnot Press,", "eprinter."),
        field("700", "aHull, Eva.", "tRopes."),
    )
    assert entry.given == (("700", "$a Lee, Ann, $4 ill"), ("710", "$a Knot Press, $e printer."))
    entry = of(field("245", "aBoats"), field("700", "aLee, Ann,", "4ill"))
    assert (names(entry.record.authors), entry.given) == (["Ann Lee"], ())


def test_a_chinese_record_names_people_beside_the_title_alone() -> None:
    """200 $f and $g, with what each did."""
    found = of(
        field("200", "a船与港", "f(美) 约翰·史密斯著", "g方丽, 王力译"),
        field("210", "a[北京]", "c[出版者不详]", "d1990"),
    ).record

    assert [names(getattr(found, role)) for role in PEOPLE] == [
        ["约翰·史密斯"], [], ["方丽", "王力"],
    ]  # fmt: skip
    assert (found.place, found.publisher) == ("北京", None)


def test_people_and_bodies_are_subjects() -> None:
    """600, 610 and 611 of MARC 21; 600 and 601 of UNIMARC, which has no punctuation."""
    found = of(
        field("245", "aBoats"),
        field("600", "aLee, Ann,", "cJr.,", "d1950-", "xHealth."),
        field("610", "aKnot Society.", "bRope Section."),
        field("611", "aKnot Days", "n(2nd :", "d2001 :", "cLund)"),
        field("650", "aRopes."),
    ).record
    assert found.subjects == (
        "Lee, Ann, Jr.", "Knot Society. Rope Section", "Knot Days Lund", "Ropes",
    )  # fmt: skip
    found = of(
        field("200", "aBateaux"), field("600", "aBlé", "bAnne", "f1950-"), field("606", "aCordes")
    ).record
    assert found.subjects == ("Blé, Anne", "Cordes")


@each(
    ("a", "place"),
    [
        ("[Lund?] :", "Lund"), ("Cambridge, Mass. :", "Cambridge, Mass."), ("[S.l. :", None),
        ("Lund.", "Lund"), ("Lund :.", "Lund"), ("Lund, Sw.", "Lund, Sw."),
        ("[S.l.] ; [s.n.],", None),
        ("[Place of publication not identified] :", None), ("Köln [u.a.] :", "Köln"),
        ("Paris ;", "Paris"), ("[Kyiv]", "Kyiv"),
    ],
)  # fmt: skip
def test_places_are_without_brackets(a: str, place: str | None) -> None:
    """And none where the catalogue knows none."""
    for tag in ("260", "264"):
        assert of(field("245", "aBoats"), field(tag, f"a{a}")).record.place == place


def test_what_stands_behind_a_name() -> None:
    """ "Jr." belongs to it; years, titles and fuller forms do not."""
    found = of(
        field("245", "aBoats"),
        field("100", "aLee, A. B.", "q(Ann Bo),", "cJr.,", "d1950-2010."),
        field("700", "aStein, Eva,", "cBaroness,", "d1950-"),
    ).record

    assert found.authors == (
        Author("A. B. Lee Jr.", "Lee", "A. B.", suffix="Jr."),
        Author("Eva Stein", "Stein", "Eva"),
    )


def test_a_saved_answer_of_an_sru_server() -> None:
    """Records lie in records there; a damaged one is counted by its envelope."""
    wrapped = "<record><recordData>{}</recordData><recordPosition>1</recordPosition></record>"
    bodies = (
        marc(field("245", "aA")),
        marc(field("245", "aB")).replace("<leader>", "<leeder>"),
        marc(field("245", "aC")),
    )
    records = "".join(map(wrapped.format, bodies))
    text = f"<searchRetrieveResponse><records>{records}</records></searchRetrieveResponse>"
    reading = read(text, "marcxml")

    assert [record.title for record in reading.records] == ["A", "C"]
    assert reading.lost == 1


def test_what_cannot_be_read_is_told_with_its_line() -> None:
    """Broken XML, and a record that says nothing; identifiers are the records' own."""
    text = (
        "<collection>\n" + marc('<controlfield tag="001">x</controlfield>', field("245", "aA"))
        + marc(field("245", "aB</b>")) + marc(field("500",
        "anote")) + marc('<controlfield tag="001">x</controlfield>',
        field("245", "aC &amp; D & E")) + "</collection>"
    )  # fmt: skip
    reading = read(text)

    assert [(record.title, record.source_id) for record in reading.records] == [
        ("A", "x"),
        ("C & D & E", ""),
    ]
    assert [(problem.line, problem.lost) for problem in reading.problems] == [
        (3, 1),
        (4, 1),
        (5, 0),
    ]
    assert told(reading)[2] == (5, "it held characters that are not legal in XML; it was mended")


def test_detection() -> None:
    """Fields by tag give it away."""
    assert looks_like(MARCXML)
    assert not looks_like(ENDNOTE_XML)
    assert not looks_like("TY  - JOUR\n")


@pytest.mark.shared
@pytest.mark.parametrize("count", [200, pytest.param(ALL, marks=pytest.mark.slow)])
def test_real_records_are_read_as_sru_catalogues_give_them(shared: Path, count: int) -> None:
    """Each exactly as the adapter reads it."""
    data = union(shared, count)
    reading = read_bytes(data, "union")
    settings = Settings(
        sources={
            "union": {
                "extends": "sru",
                "url": "http://127.0.0.1:210/x",
                "limits": {"max_bytes": 64_000_000},
            }
        }
    )
    request = Request(source="union", url="http://127.0.0.1:210/x", size=10_000, wanted=10_000)
    parsed = parse(Page(request=request, body=data), Registry(settings).spec("union"))

    assert (len(reading.entries), reading.problems, parsed.unread) == (count, [], ())
    assert [entry.line for entry in reading.entries] == list(range(2, count + 2))
    own = [record.source_id for record in reading.records]
    assert [(r.title, r.authors, r.year, r.ids) for r in reading.records] == [
        (r.title, r.authors, r.year, r.ids) for r in parsed.records
    ]
    assert len({it for it in own if it}) == len([it for it in own if it])


@pytest.mark.shared
@pytest.mark.parametrize(
    "name", ["zebra-marcxml-1.1", "zebra-marcxml-2.0", "zebra-gamma-nonlatin", "zebra-by-id"]
)
def test_saved_answers_of_real_servers(shared: Path, name: str) -> None:
    """As many records as the answer has envelopes."""
    data = (shared / f"data/payloads/sru/{name}.xml").read_bytes()
    reading = read_bytes(data, "answer")

    assert reading.format == "marcxml"
    assert len(reading.entries) == data.count(b"recordData>") // 2 > 0
    assert not reading.lost


def test_uncontrolled_names_are_people_with_their_relators() -> None:
    """720; its first indicator tells a body."""
    body = field("720", "aKite Society").replace('ind1="1"', 'ind1="2"')
    found = of(
        field("245", "aBoats"),
        field("720", "aByron, Ada", "eauthor"),
        field("720", "aLi, Bo", "eeditor"),
        body,
    ).record
    assert [names(getattr(found, role)) for role in PEOPLE] == [
        ["Ada Byron", "Kite Society"],
        ["Bo Li"],
        [],
    ]


def test_series_notes_and_what_a_record_has_one_of_stand_beside() -> None:
    """Further languages, also in one word, and further addresses."""
    entry = of(
        field("041", "aengfre"),
        field("245", "aBoats"),
        field("490", "aRopes ;", "v3"),
        field("500", "aWith an index."),
        field("856", "uhttps://example.org/a"),
        field("856", "uhttps://example.org/b", "yCover"),
    )
    assert (entry.record.language, entry.record.url) == ("en", "https://example.org/a")
    assert entry.given == (
        ("490", "$a Ropes ; $v 3"),
        ("500", "$a With an index."),
        ("041", "$a engfre"),
        ("856", "$u https://example.org/b $y Cover"),
    )
    assert of(field("041", "aeng"), field("245", "aBoats"), field("300", "a3 p.")).given == ()
    note = of(field("200", "aBateaux"), field("300", "aAvec index")).given
    assert note == (("300", "$a Avec index"),)


@each("comment", ["", "<!-- no plain form -->"])
def test_records_with_and_without_a_parser_are_the_same(comment: str) -> None:
    """References, line ends of Windows, fields in another script."""
    text = "<collection>" + marc(
        field("245", "aBoats &amp; ropes"),
        field("700", "6880-01", "aЛи, Бо"),
        field("880", "6700-01", "aLi, Bo"),
    ).replace("</record>", f"\r\n{comment}</record></collection>")
    (entry,) = read(text).entries
    assert (entry.record.title, names(entry.record.authors)) == ("Boats & ropes", ["Бо Ли"])
    assert entry.given == (("880/700", "$a Li, Bo"),)
