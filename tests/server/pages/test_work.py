"""The page of one work: what people read on it."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from urllib.parse import parse_qsl, quote

import pytest
from hypothesis import example, given
from lxml import html

from metasearch.bib.work_ids import hit_id
from metasearch.dedup.pins import Pins
from metasearch.formats.citations import STYLES
from metasearch.language import language
from metasearch.record import Author, Hit, Match, Version
from metasearch.server.cookies import Cookies
from metasearch.server.pages.metadata import page_links
from metasearch.server.pages.work import OFFERED_OF_WORKS as OFFERED
from metasearch.server.pages.work import WorkPage, work_page
from metasearch.server.pages.work_records import MOST, WorkEvidence, field_rows, pin_line
from metasearch.server.site import Site
from metasearch.server.visit import Changes, Preferences, Visit
from metasearch.settings import Settings
from tests.cases import each
from tests.examples import examples
from tests.server.fake import FakeEngine, answer, hit, record
from tests.server.pages.test_environment import TEMPLATES, Skeleton, hostile

ID = hit_id("one")
SITE = Site("https://search.example.org/meta")
ENGLISH = language("en")


def one(*records, **fields) -> Hit:
    """A work whose id is one of ours."""
    work = replace(hit(1, **fields), id=ID)
    return replace(work, record=records[0], records=records) if records else work


def visit(basket=(), **preferences) -> Visit:
    """A reader's request for a page."""
    return Visit(
        site=SITE,
        preferences=Preferences(**preferences),
        here="/meta/work/x",
        _cookies=Cookies(b"k" * 32),
        _visitor="me",
        _basket=basket,
        _changes=Changes(),
    )


async def page_of(serve, work: Hit, address: str = f"/work/{ID}?q=mice", **settings):
    """The page as a browser has it."""
    client = await serve(FakeEngine(answer(work), settings=Settings(**settings)))
    response = await client.get(address, headers={"Accept": "text/html"})
    assert response.status == 200
    return html.document_fromstring(await response.text())


def rows(page, caption: str) -> dict[str, list[str]]:
    """Head of a row -> its cells, of the table with that caption."""
    return {
        " ".join(row.find("th").text_content().split()): [
            " ".join(cell.text_content().split()) for cell in row.findall("td")
        ]
        for row in page.xpath("//table[caption=$caption]/tbody/tr", caption=caption)
    }


FIELDS = "Fields and sources"


# --------------------------------------------------------------------------- fields


async def test_each_field_says_who_gave_it_and_what_the_others_say(serve):
    """Agreeing, differing and silent sources are told apart."""
    alpha = record("alpha", 1, date="2021-03", volume="12", keywords=("mice",))
    beta = record(
        "beta", 2, date="2020", volume=None, keywords=(), title="Gene Drives in Island Mice."
    )
    gamma = record("gamma", 3, date="2020", volume="12", keywords=())
    work = replace(
        one(alpha, beta, gamma),
        provenance=dict.fromkeys(("title", "date", "volume", "keywords"), "alpha"),
    )
    shown = rows(await page_of(serve, work), FIELDS)

    assert shown["Title"] == ["Gene drives in island mice", "Alpha", ""]
    assert shown["Date"] == ["2021-03", "Alpha", "Beta and Gamma: 2020"]
    assert shown["Volume"] == ["12", "Alpha", "Gamma agrees; Beta has none"]
    assert shown["Keywords"] == ["mice", "Alpha", "Beta and Gamma have none"]


@each(
    ("field", "shown", "other"),
    [
        ("title", "Gene drives in mice", "GENE DRIVES IN MICE."),
        ("pages", "1123-1128", "1123-8"),
        ("date", "2021-03-15", "2021"),
        ("issn", ("1234-5678", "8765-4321"), ("8765-4321",)),
        ("authors", (Author("Ada Byron", "Byron", "Ada"),), (Author("A. Byron", affiliation="X"),)),
    ],
)
def test_values_that_contradict_nothing_agree(field, shown, other):
    """Case, signs, initials and what is left out are no difference."""
    work = one(record("alpha", **{field: shown}), record("beta", **{field: other}))
    names = {row.name: row for row in field_rows(work, str.title, ENGLISH)}
    row = names[{"issn": "ISSN"}.get(field, field.title())]

    assert ("Beta" in row.agree, row.others, row.silent) == (True, [], [])


def test_the_work_of_a_page_is_bounded():
    """A work of very many records and names takes what is shown of it, and says what is not."""
    names = tuple(Author(f"Person {number}") for number in range(5_000))
    records = tuple(record(f"s{number}", 1, venue=f"Venue {number}") for number in range(500))
    work = one(replace(records[0], authors=names), *records)
    shown = {row.name: row for row in field_rows(work, str, ENGLISH)}

    assert (len(shown["Authors"].values), shown["Authors"].rest) == (MOST, 4_800)
    assert len(shown["Published in"].others) == 5
    assert shown["Published in"].more_others == MOST - 1 - 5 - 1


async def test_fields_are_words_of_the_language():
    """Types, languages and numbers are not those of the records' codes."""
    work = one(type="conference-paper", language="fr", citations=1234, open_access="gold")
    english = {row.name: row.values[0][0] for row in field_rows(work, str, ENGLISH)}
    chinese = {row.name: row.values[0][0] for row in field_rows(work, str, language("zh-Hans"))}

    assert english["Type"] == "conference paper"
    assert (english["Language"], chinese["Language"]) == ("French", "法语")
    assert english["Cited"] == "1,234 times"
    assert english["Open access"].startswith("yes")


# --------------------------------------------------------------------------- the head


async def test_a_retraction_comes_first(serve):
    """Before the title, with who says so."""
    work = one(record("alpha"), record("beta", retracted=True))
    work = replace(work, record=replace(work.record, retracted=True))
    page = await page_of(serve, work)
    (notice,) = page.xpath("//*[contains(@class, 'retraction')]")

    assert "Beta says this work was retracted." in notice.text_content()
    assert "Alpha" not in notice.text_content()
    assert page.xpath("//h1/preceding::*[contains(@class, 'retraction')]") == [notice]
    assert page.xpath("//*[contains(@class, 'retraction')]//a/@href") == [
        "https://doi.org/10.5555/islands.1"
    ]


async def test_notices_are_links(serve):
    """Each once, the gravest first; where there is one, nobody is sent to the work for it."""
    said = ("correction 2019 https://a.example/c", "retraction 2020-06 pmid:77", "odd")
    work = one(
        record("alpha", notices=said),
        record("beta", retracted=True, notices=("retraction 2020-06-04 10.5555/n.1",)),
    )
    work = replace(work, record=replace(work.record, retracted=True, notices=said))
    page = await page_of(serve, work)
    shown = page.xpath("//h1/preceding::p[@class='retraction' or @class='note']")

    assert [" ".join(each.text_content().split()) for each in shown[1:]] == [
        "Retraction 2020-06-04 10.5555/n.1",
        "Correction 2019 https://a.example/c",
    ]
    assert [each.xpath("string(a/@href)") for each in shown] == [
        "",
        "https://doi.org/10.5555/n.1",
        "https://a.example/c",
    ]
    values = {row.name: row.values for row in field_rows(work, str, ENGLISH)}["Notices"]
    assert values[1:] == [
        ("retraction 2020-06 pmid:77", "https://pubmed.ncbi.nlm.nih.gov/77/"),
        ("odd", None),
    ]


async def test_the_head(serve):
    """Title with its language, names, venue, traits and ways to the text."""
    versions = (Version("preprint", ("alpha:alpha-1",)), Version("published", ("beta:beta-2",)))
    work = replace(
        one(language="en", open_access="gold", citations=7, pdf_url="https://a.example.org/1.pdf"),
        versions=versions,
        provenance={"citations": "beta", "abstract": "alpha"},
    )
    page = await page_of(serve, work)
    (head,) = page.xpath("//article[@aria-labelledby='title']")
    text = " ".join(head.text_content().split())

    assert page.xpath("//h1/@lang") == ["en"]
    for expected in ("Ada Byron, Bo Li", "Journal of Islands", "Open access", "2 versions"):
        assert expected in text
    assert "cited 7 times (Beta)" in text
    assert head.xpath(".//a[text()='PDF']/@href") == ["https://a.example.org/1.pdf"]
    assert "From Alpha." in page.xpath("//section[@aria-labelledby='abstract']")[0].text_content()
    assert page.xpath("//form//input[@name='q']/@value") == ["mice"]
    assert page.xpath("//*[@class='crumbs']/a/@href") == ["/search?q=mice&format=html"]


async def test_the_basket(serve):
    """A form with a token puts the work into the basket, with the search that finds it again."""
    page = await page_of(serve, one(), f"/work/{ID}?q=mice&year=2020-&sources=alpha,beta")
    (form,) = page.xpath("//form[@method='post']")
    fields = {field.get("name"): field.get("value") for field in form.xpath(".//input")}

    assert form.get("action") == "/basket"
    assert form.xpath(".//button[@name='do']/@value") == ["add"]
    assert (fields["id"], len(fields["token"])) == (ID, 64)
    assert dict(parse_qsl(fields["search"])) == {
        "q": "mice",
        "year": "2020-",
        "sources": "alpha,beta",
    }
    assert fields["back"] == f"/work/{ID}?q=mice&year=2020-&sources=alpha%2Cbeta"


def test_a_work_in_the_basket_can_be_taken_out():
    """The button says so, also where the basket has it under an id that it had before."""
    work = replace(one(), also=(hit_id("before"),))
    for name in (ID, hit_id("before")):
        shown = html.document_fromstring(work_page(visit((name,)), content(work)))
        assert shown.xpath("//button[@name='do']/@value") == ["remove"]


# --------------------------------------------------------------------------- evidence


async def test_why_the_records_are_one_work(serve):
    """Two records by their labels, a verdict in words, and the reason; two records of one source
    have their ids."""
    records = (record("alpha", 1), record("alpha", 2), record("beta", 3))
    matches = (
        Match("doi", "same", 1.0, "same DOI", "alpha:alpha-1", "beta:beta-3"),
        Match("title", "version", 0.9, "titles equal", "alpha:alpha-2", "beta:beta-3"),
    )
    page = await page_of(serve, replace(one(*records), matches=matches))

    assert rows(page, "Evidence for merging") == {
        "Alpha alpha-1 and Beta": ["same work", "same DOI"],
        "Alpha alpha-2 and Beta": ["version of it", "titles equal"],
    }
    shown = rows(page, "The records as the databases have them")
    assert [*shown] == ["Alpha alpha-1", "Alpha alpha-2", "Beta"]
    assert [cells[0].split()[-1] for cells in shown.values()] == ["1", "2", "3"]


async def test_versions(serve):
    """Each with what it is, its own identifier and its sources."""
    versions = (Version("preprint", ("alpha:alpha-1",)), Version("published", ("beta:beta-2",)))
    work = one(
        record("alpha", 1, doi="10.5555/pre", venue="Preprints", open_access="green"),
        record("beta", 2),
    )
    page = await page_of(serve, replace(work, versions=versions))
    texts = [
        " ".join(item.text_content().split()) for item in page.xpath("//ul[@class='versions']/li")
    ]

    assert texts == [
        "preprintPreprints, 101-110, 2021, 10.5555/pre, Open access (Alpha)",
        "publishedJournal of Islands, 101-110, 2021, 10.5555/islands.1 (Beta)",
    ]


@pytest.mark.parametrize("has_pins", [True, False])
async def test_not_the_same(serve, tmp_path, has_pins):
    """The page shows the line that parts two records, and where it goes; it changes nothing
    itself."""
    file = tmp_path / "pins.txt"
    file.write_text("", encoding="utf-8")
    page = await page_of(serve, one(), pins=file if has_pins else None)
    (fold,) = page.xpath("//*[@id='not-same']")

    assert fold.xpath(".//*[contains(@class, 'lines')]/text()") == [
        "different alpha:alpha-1 beta:beta-2"
    ]
    assert ("--pins FILE, or as pins under [dedup]" in fold.text_content()) is not has_pins
    assert ("send the lines to its operator" in fold.text_content()) is has_pins
    assert str(tmp_path) not in html.tostring(page, encoding="unicode")
    assert fold.xpath(".//form") == []


def test_the_lines_part_the_records():
    """A file of the lines is one that `Pins` reads, and it parts the record from each other one."""
    records = tuple(record(name, 1) for name in ("alpha", "beta", "gamma"))
    parting = WorkEvidence(one(*records), str.title).partings()[1]
    pins = Pins.read("\n".join(parting.lines), "pins.txt")

    assert [pin.names for pin in pins.pins] == [
        ("beta:beta-1", "alpha:alpha-1"),
        ("beta:beta-1", "gamma:gamma-1"),
    ]


def test_a_work_of_many_records_shows_a_part_of_the_lines():
    """And says of how many records and lines there are more."""
    evidence = WorkEvidence(one(*(record(f"s{number}") for number in range(100))), str)

    assert (len(evidence.partings()), evidence.more_partings) == (10, 90)
    assert {(len(part.lines), part.more) for part in evidence.partings()} == {(50, 49)}


@each(
    "key",
    ["my export.ris:@17", "a:it's", 'a:"quoted" id', "a:10.1000/x#", "a:x #5", "x:10.1000/Abc"],
)
def test_keys_that_need_quotation_marks(key):
    """The line names exactly the two records."""
    assert shlex.split(pin_line(key, "beta:2"), comments=False)[1:] == [key, "beta:2"]


@each("key", ["a:both ' and \"", "a:two\nlines", "isbn:0-306-40615-2", "a:\u202eb", "a: 5"])
def test_keys_that_no_line_can_name(key):
    """No line is shown that would name other records, or none."""
    assert pin_line(key, "beta:2") == ""


def test_a_record_that_no_line_can_name_is_counted():
    """Nothing is lost silently."""
    odd = replace(record("beta"), source_id="both ' and \"")
    (part,) = WorkEvidence(one(record("alpha"), odd), str).partings()

    assert (part.lines, part.unnamed) == ([], 1)


async def test_a_single_record(serve):
    """There is nothing to part and nothing to compare."""
    page = await page_of(serve, one(record("alpha")))

    assert page.xpath("//*[@id='not-same']") == []
    assert "Only one record describes this work" in page.text_content()
    assert {len(cells) for cells in rows(page, FIELDS).values()} == {2}


# --------------------------------------------------------------------------- citations, exports


@each("style", STYLES)
def test_the_readers_style_comes_first(style):
    """All others stand in a fold, each with a button that a script shows."""
    citations = [(name, f"Cited as {name}") for name in STYLES]
    shown = html.document_fromstring(
        work_page(visit(style=style), replace(content(one()), citations=citations))
    )
    (section,) = shown.xpath("//section[@aria-labelledby='cite']")
    texts = section.xpath(".//*[@class='citation']/text()")

    assert texts[0] == f"Cited as {style}"
    assert sorted(texts) == sorted(text for _, text in citations)
    assert len(section.xpath("./details//*[@class='citation']")) == len(STYLES) - 1
    assert section.xpath(".//button/@data-do") == ["copy"] * len(STYLES)
    assert len(section.xpath(".//button[@hidden][@type='button']")) == len(STYLES)


async def test_exports(serve):
    """Every format has a link that keeps the search."""
    page = await page_of(serve, one())
    addresses = page.xpath("//nav[contains(@class, 'exports')]//a/@href")

    assert f"/work/{ID}?q=mice&format=ris" in addresses
    assert len(addresses) == len(OFFERED) - 1


# --------------------------------------------------------------------------- the document


@each("name", ["work.html", "_work.html", "sources.html"])
def test_only_texts_of_the_template_are_marked_for_translation(name):
    """What `_` returns is finished HTML: a text from elsewhere goes through `translated`."""
    assert re.search(r"\bn?(?:gettext|_)\((?!\")", TEMPLATES[name]) is None


@each("tag", ["en", "zh-Hans"])
async def test_the_document_is_sound(serve, tag):
    """One heading of the page, no id twice, every table with a caption, in both languages."""
    versions = (Version("preprint", ("alpha:alpha-1",)), Version("published", ("beta:beta-2",)))
    page = await page_of(serve, replace(one(), versions=versions), f"/work/{ID}?q=mice&lang={tag}")
    ids = page.xpath("//@id")

    assert page.get("lang") == tag
    assert len(page.xpath("//h1")) == 1
    assert len(ids) == len({*ids})
    assert page.xpath("//table[not(caption)]") == []
    assert page.xpath("//@style") == []


def content(work: Hit, text: str = "mice", address: str = "https://a.example.org/") -> WorkPage:
    """What a page of the work is made from."""
    canonical = SITE.url(f"/work/{ID}")
    return WorkPage(
        hit=work,
        labels={"alpha": text},
        canonical=canonical,
        links=page_links(work.record, canonical, []),
        formats=[("ris", "x/y", "/work/1?format=ris")],
        citations=[("gb7714-2025", text)],
        query=text,
        search={"q": text},
        list_address="/search?q=" + quote(text, errors="replace"),
        resolver=None,
        has_pins=False,
    )


def shown_page(text: str, address: str) -> str:
    """The page of a work with that text in every field and that address in every address."""
    authors = (Author(text, text, text, text, text),)
    names = (
        "title",
        "subtitle",
        "original_title",
        "venue",
        "publisher",
        "edition",
        "volume",
        "pages",
    )
    foul = record(
        "alpha",
        **dict.fromkeys(names, text),
        url=address,
        pdf_url=address,
        licence=address,
        authors=authors,
        editors=authors,
        doi=None,
        ids={"x" + text: text, "pmid": text},
        isbn=(text,),
        type="article",
        abstract=text,
        keywords=(text,),
        language="en",
        retracted=True,
    )
    other = replace(foul, source="beta", title=f"{text} b", volume="other")
    work = replace(
        one(),
        record=foul,
        records=(foul, other),
        provenance={"title": "alpha"},
        matches=(Match("doi", "same", 1.0, text, text, text),),
        versions=(Version(f"k{text}", (foul.key,)),),
    )
    return work_page(visit(), content(work, text, address))


META = "meta[name content]"


@examples(0.5)
@given(hostile)
@example("-->")
def test_upstream_text_stays_in_its_place(text):
    """Elements and attributes are the same whatever a source puts into every field."""
    tame, foul = (
        Skeleton(shown_page(f"a{part}b", "https://a.example.org/")) for part in ("", text)
    )

    # Pages that hold a hyphen have a first and a last one: one more meta element.
    assert len(foul.tags) - len(tame.tags) in (0, 1)
    # Text in Chinese characters has their language.
    besides = [
        [re.sub(r" ?\blang\b", "", tag) for tag in tags if tag != META]
        for tags in (tame.tags, foul.tags)
    ]
    assert besides[0] == besides[1]
    for name, value in foul.attributes:
        assert not name.startswith("on")
        assert name not in ("href", "src", "action") or re.match(r"/(?!/)|#|https?://", value or "")


@examples(0.5)
@given(hostile)
def test_upstream_addresses_lead_to_the_web_or_nowhere(tail):
    """A hostile address is no link, in the head neither."""
    for start in ("", "https://a.example.org/", "javascript:"):
        skeleton = Skeleton(shown_page("ab", start + tail))
        addresses = [value or "" for name, value in skeleton.attributes if name == "href"]
        assert all(re.match(r"/(?!/)|#|https?://", address) for address in addresses)


def test_each_registration_number_leads_to_its_registry() -> None:
    work = hit(ids={"nct": "NCT03456789, NCT01112223", "prospero": "CRD42017054321"})
    shown = {row.name: row.values for row in field_rows(work, str, ENGLISH)}

    assert shown["ClinicalTrials.gov"] == [
        ("NCT03456789", "https://clinicaltrials.gov/study/NCT03456789"),
        ("NCT01112223", "https://clinicaltrials.gov/study/NCT01112223"),
    ]
    assert shown["PROSPERO"][0][0] == "CRD42017054321"
