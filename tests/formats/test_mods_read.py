"""MODS as repositories, libraries, Zotero and bibutils write it."""

from __future__ import annotations

from metasearch.formats.reading import FileReading, read_bytes
from metasearch.record import Author, Record

V3 = "http://www.loc.gov/mods/v3"


def read(*elements: str, name: str = "a.xml") -> FileReading:
    """The reading of a collection of mods elements, given by what is in them."""
    inner = "".join(f"<mods>{one}</mods>" for one in elements)
    text = f'<?xml version="1.0"?>\n<modsCollection xmlns="{V3}">{inner}</modsCollection>'
    reading = read_bytes(text.encode(), name)
    assert reading.format == "mods"
    return reading


def record(element: str) -> Record:
    (found,) = read(f"<titleInfo><title>Mud in wells</title></titleInfo>{element}").records
    return found


def given(element: str) -> tuple[tuple[str, str], ...]:
    (entry,) = read(f"<titleInfo><title>Mud</title></titleInfo>{element}").entries
    return entry.given


def person(*parts: tuple[str, str], role: str = "", kind: str = "personal") -> str:
    names = "".join(f'<namePart type="{one}">{text}</namePart>' for one, text in parts)
    names = names.replace(' type=""', "")
    term = f"<role><roleTerm>{role}</roleTerm></role>" if role else ""
    return f'<name type="{kind}">{names}{term}</name>'


BYRON = (("family", "Byron"), ("given", "Ada"))


def test_names_go_where_their_roles_say() -> None:
    found = record(
        person(*BYRON, role="aut")
        + person(("", "Stone, Ben C., 1950-"), role="Author")
        + person(("family", "Rossi"), ("given", "Paolo"), role="editor")
        + person(("family", "Hofmann"), ("given", "Eva"), role="trl")
    )

    assert [one.name for one in found.authors] == ["Ada Byron", "Ben C. Stone"]
    assert [one.name for one in found.editors] == ["Paolo Rossi"]
    assert [one.name for one in found.translators] == ["Eva Hofmann"]


def test_a_name_without_role_is_an_author_and_one_of_another_role_stays_beside() -> None:
    (entry,) = read(
        "<titleInfo><title>Mud</title></titleInfo>"
        + person(*BYRON)
        + person(("", "Stone, Ben"), role="Thesis advisor")
    ).entries

    assert [one.name for one in entry.record.authors] == ["Ada Byron"]
    assert entry.given == (("name (thesis advisor)", "Ben Stone"),)


def test_parts_of_names() -> None:
    """bibutils writes each initial by itself, the Library of Congress a full stop behind."""
    junior = ("termsOfAddress", "Jr")
    found = record(
        person(("given", "F."), ("given", "W."), ("family", "Cobb"), junior)
        + person(("given", "Tom"), ("family", "Reed"), ("suffix", "III"))
        + person(("family", "Huff"), ("given", "Darrell."))
        + person(("", "World Well Organization"), ("", "Board of Salt."), kind="corporate")
    )

    assert found.authors == (
        Author("F. W. Cobb Jr.", "Cobb", "F. W.", suffix="Jr."),
        Author("Tom Reed III", "Reed", "Tom", suffix="III"),
        Author("Darrell Huff", "Huff", "Darrell"),
        Author("World Well Organization. Board of Salt", collective=True),
    )


def test_orcid_and_affiliation() -> None:
    found = record(
        '<name><namePart type="family">Byron</namePart><namePart type="given">Ada</namePart>'
        '<nameIdentifier type="orcid">https://orcid.org/0000-0002-1825-0097</nameIdentifier>'
        "<affiliation>Well Institute</affiliation></name>"
    )

    assert found.authors == (
        Author("Ada Byron", "Byron", "Ada", "0000-0002-1825-0097", "Well Institute"),
    )


def test_a_title_with_its_article_and_parts() -> None:
    (found,) = read(
        "<titleInfo><nonSort>L'</nonSort><title>eau des puits :</title><subTitle>essai</subTitle>"
        "<partNumber>2</partNumber></titleInfo>"
        '<titleInfo type="translated"><title>Water of wells</title></titleInfo>'
    ).records

    assert (found.title, found.subtitle) == ("L'eau des puits. 2", "essai")
    assert found.titles == ("Water of wells",)


HOST = (
    '<relatedItem type="host"><titleInfo><title>{}</title></titleInfo>{}<part>'
    '<detail type="volume"><number>12</number></detail>'
    '<detail type="issue"><caption>no. 3</caption></detail>'
    '<extent unit="pages"><start>101</start><end>119</end></extent></part></relatedItem>'
)


def test_an_article_in_a_journal() -> None:
    number = '<identifier type="issn">0018-9219</identifier>'
    found = record(HOST.format("Journal of Wells", number) + "<genre>journal article</genre>")

    assert (found.type, found.venue) == ("article", "Journal of Wells")
    assert (found.volume, found.issue, found.pages) == ("12", "no. 3", "101-119")
    assert found.issn == ("0018-9219",)


def test_a_chapter_has_the_editors_and_the_imprint_of_its_book() -> None:
    inside = (
        person(("family", "Rossi"), ("given", "Paolo"), role="editor")
        + '<originInfo><place><placeTerm type="code">enk</placeTerm>'
        '<placeTerm type="text">London :</placeTerm></place><publisher>Harbour Press,</publisher>'
        "<issuance>monographic</issuance><dateIssued>2010-05</dateIssued></originInfo>"
        '<identifier type="isbn">0-306-40615-2</identifier>'
    )
    found = record(person(*BYRON) + HOST.format("Handbook of wells", inside))

    assert (found.type, found.venue) == ("chapter", "Handbook of wells")
    assert [one.name for one in found.editors] == ["Paolo Rossi"]
    assert (found.publisher, found.place) == ("Harbour Press", "London")
    assert (found.year, found.date, found.isbn) == (2010, "2010-05", ("9780306406157",))


def test_the_series_of_a_book_stays_beside() -> None:
    series = (
        '<relatedItem type="series"><titleInfo><title>Wells 7</title></titleInfo></relatedItem>'
    )

    assert record(series).venue is None
    assert given(series) == (("series", "Wells 7"),)


def test_dates_of_publication_are_those_that_are_coded_and_begin_a_span() -> None:
    found = record(
        "<originInfo><dateIssued>c1999, printed 2001</dateIssued>"
        '<dateIssued encoding="marc" point="end">2005</dateIssued>'
        '<dateIssued encoding="marc" point="start">1999</dateIssued></originInfo>'
    )

    assert found.year == 1999


def test_a_thesis_has_its_university() -> None:
    found = record(
        "<genre>Academic theses</genre>"
        + person(("", "Isle University"), role="degree grantor", kind="corporate")
    )

    assert (found.type, found.institution, found.authors) == ("thesis", "Isle University", ())


def test_identifiers_of_known_kinds_and_the_others_beside() -> None:
    (entry,) = read(
        "<titleInfo><title>Mud</title></titleInfo>"
        '<identifier type="doi">https://doi.org/10.1000/mud</identifier>'
        '<identifier type="pmid">123456</identifier><identifier type="pmc">PMC77</identifier>'
        '<identifier type="oclc">ocm00012345</identifier>'
        '<identifier type="isbn" invalid="yes">123</identifier>'
        '<identifier type="local">W-7</identifier>'
    ).entries

    assert entry.record.doi == "10.1000/mud"
    assert entry.record.ids == {"pmid": "123456", "pmcid": "PMC77", "oclc": "12345"}
    assert entry.given == (("identifier local", "W-7"),)


def test_words_of_a_vocabulary_are_subjects() -> None:
    found = record(
        '<subject authority="lcsh"><topic>Wells</topic><geographic>Norway</geographic></subject>'
        "<subject><topic>mud</topic></subject>"
    )

    assert (found.subjects, found.keywords) == (("Wells", "Norway"), ("mud",))


def test_notes_and_conditions_stay_beside() -> None:
    assert given("<note>A remark</note><accessCondition>Ask us</accessCondition>") == (
        ("accessCondition", "Ask us"),
        ("note", "A remark"),
    )


def test_any_prefix_and_any_wrapping() -> None:
    element = "<m:titleInfo><m:title>Mud in wells</m:title></m:titleInfo>"
    wrapped = (
        f'<mets:mets xmlns:mets="urn:m" xmlns:m="{V3}"><mets:dmdSec><mets:mdWrap><mets:xmlData>'
        f"<m:mods>{element}</m:mods></mets:xmlData></mets:mdWrap></mets:dmdSec></mets:mets>"
    )

    reading = read_bytes(wrapped.encode(), "a.xml")

    assert (reading.format, [one.title for one in reading.records]) == ("mods", ["Mud in wells"])
    assert reading.problems == []


def test_a_record_that_is_broken_costs_itself() -> None:
    reading = read(
        "<titleInfo><title>First</title></titleInfo>",
        "<titleInfo><title>Second</titleInfo>",
        "<titleInfo><title>Third &copy; & more</title></titleInfo>",
    )

    assert [one.title for one in reading.records] == ["First", "Third © & more"]
    assert reading.lost == 1


def test_a_comment_that_does_not_end_is_told() -> None:
    """Whatever stands behind it is no markup."""
    reading = read(
        "<titleInfo><title>First</title></titleInfo>",
        "<titleInfo><title>Second</title></titleInfo></mods><!-- <mods>",
    )

    assert [one.title for one in reading.records] == ["First", "Second"]
    assert any("that does not end" in problem.message for problem in reading.problems)


def test_a_role_may_stand_in_its_address_alone() -> None:
    address = "http://id.loc.gov/vocabulary/relators/edt"
    reading = read(
        "<mods><titleInfo><title>Iron</title></titleInfo><name><namePart>Roe, T.</namePart>"
        f'<role><roleTerm valueURI="{address}"/></role></name></mods>',
    )

    assert [author.family for author in reading.records[0].editors] == ["Roe"]
    assert not reading.records[0].authors


def test_what_no_field_holds_stays_beside() -> None:
    """Of related works too, and of those in them; a link to the file is the PDF."""
    reading = read(
        "<mods><titleInfo><title>Iron</title></titleInfo><tableOfContents>Rust</tableOfContents>"
        '<physicalDescription><extent>8 p</extent></physicalDescription><relatedItem type="host">'
        '<titleInfo><title>Mud</title></titleInfo><relatedItem type="series"><titleInfo><title>'
        'Tar</title></titleInfo></relatedItem></relatedItem><relatedItem type="otherVersion">'
        '<titleInfo><title>Ore</title></titleInfo><identifier type="doi">10.1234/ore</identifier>'
        '</relatedItem><location><url access="raw object">https://example.org/1.pdf</url>'
        '<url usage="primary display">https://example.org/1</url></location>'
        '<identifier type="uri">https://example.org/2</identifier></mods>',
    )

    assert set(reading.entries[0].given) == {
        ("tableOfContents", "Rust"),
        ("extent", "8 p"),
        ("series", "Tar"),
        ("relatedItem otherVersion", "Ore; doi:10.1234/ore"),
        ("url", "https://example.org/2"),
    }
    record = reading.records[0]
    assert (record.url, record.pdf_url) == ("https://example.org/1", "https://example.org/1.pdf")
