"""The result page."""

from __future__ import annotations

import itertools
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from metasearch.errors import ConnectFailed, TimedOut
from metasearch.record import Author, Match, Reason, Version
from metasearch.server.pages.page import Form
from metasearch.server.pages.results import Results, results_page
from metasearch.server.site import Site
from tests.examples import examples
from tests.server.fake import answer, hit, late, record, report
from tests.server.pages.test_environment import Skeleton, hostile

SITE = Site("http://127.0.0.1:8080")


def page(given_, *, query="gene drive", labels=None, site=SITE, **parameters):
    """The page of an answer as text."""
    form = Form(query, "", ("alpha",))
    return results_page(site, Results(given_, form, labels or {}, {"q": query, **parameters}), ())


def tree(*arguments, **options):
    """The page of an answer as a tree."""
    return html.document_fromstring(page(*arguments, **options))


def filled(text, address):
    """An answer with that text wherever a source can put any, and that address wherever it can put
    one."""
    authors = (Author(text, text, text, text),)
    fields = dict.fromkeys(
        ("title", "subtitle", "venue", "publisher", "edition", "volume", "issue", "pages"), text
    )
    it = record(
        "alpha",
        **fields,
        source_id=text,
        url=address,
        pdf_url=address,
        authors=authors,
        doi=text,
        ids={text: text, "pmid": text},
        isbn=(text,),
        issn=(text,),
        type=text,
        language=text,
        abstract=text,
        keywords=(text,),
        subjects=(text,),
        editors=authors,
        institution=text,
        open_access=text,
        licence=text,
        retracted=True,
        date=text,
    )
    work = replace(
        hit(),
        id=text,
        record=it,
        records=(it,),
        provenance={text: "alpha"},
        matches=(Match("doi", "same", 1.0, text, text, text),),
        versions=(Version(text, (text,)),),
        reasons=(Reason(text, 1.0, "alpha"),),
    )
    error = TimedOut("beta", text, url=text)
    reports = [
        report("alpha", notes=(text,), query=text),
        report("beta", "timeout", error=error, query=text),
    ]
    return answer(work, reports=reports)


@examples(1.5)
@given(hostile, st.sampled_from(["https://example.org/", "http://example.org/"]), hostile)
def test_upstream_text_stays_in_its_place(text, scheme, tail):
    """The page's elements and attributes are the same whatever a source puts into every field it
    can fill."""
    hostile_page = Skeleton(
        page(filled(f"a{text}b", scheme), query=f"a{text}b", labels={"alpha": f"a{text}b"})
    )
    tame_page = Skeleton(page(filled("ab", scheme), query="ab", labels={"alpha": "ab"}))
    with_odd_addresses = Skeleton(page(filled("ab", scheme + tail)))

    assert [it.replace(" lang", "") for it in tame_page.tags] == [
        it.replace(" lang", "") for it in hostile_page.tags
    ]
    for skeleton in (hostile_page, with_odd_addresses):
        addresses = [
            value for name, value in skeleton.attributes if name in ("href", "src", "action")
        ]
        assert all(
            it.startswith(("/", "#", "http://", "https://")) and not it.startswith("//")
            for it in addresses
        )
        assert not [
            name for name, _ in skeleton.attributes if name.startswith("on") or name == "style"
        ]


def test_a_hit_says_what_it_is_and_where_from():
    """Title linked to the DOI, people, container, excerpt, sources with their places, and why."""
    shown = tree(answer(hit()))
    article = shown.find(".//article")
    text = article.text_content()

    assert article.find("h3/a").get("href") == "https://doi.org/10.5555/islands.1"
    for expected in (
        "Gene drives in island mice",
        "Ada Byron, Bo Li",
        "Journal of Islands, 2021, 12(3), p. 101-110",
        "Mice were counted twice.",
        "alpha #1 · beta #2",
        "alpha ranks it 1 +0.0900",
        "2 records are one work because",
        "same DOI",
        "beta: doi",
    ):
        assert expected in text


def test_a_retracted_work_says_so():
    """Before its type; and what may be read freely says that, too."""
    work = replace(
        hit(),
        record=record("alpha", title="Tides", type="article", retracted=True, open_access="gold"),
    )
    badges = tree(answer(work)).xpath(
        "//p[@class='badges']/*[@class='retracted' or @class='type']/text()"
    )

    assert badges == ["Retracted", "article", "open access"]


def test_title_links_elsewhere_without_a_doi():
    """The record's own address comes second, and a title alone is no link."""
    linked = tree(answer(hit(doi=None)))
    bare = tree(answer(hit(doi=None, url="javascript:alert(1)")))

    assert linked.find(".//h3/a").get("href") == "https://alpha.example.org/1"
    assert bare.find(".//h3/a") is None
    assert bare.find(".//h3/span").text == "Gene drives in island mice"


def test_page_head():
    """Browsers find the description document and how many works there are."""
    shown = tree(answer(hit(), hit(2)))
    (search,) = shown.xpath("//link[@rel='search']")
    metas = {it.get("name"): it.get("content") for it in shown.findall(".//meta")}

    assert (
        search.get("type"),
        search.get("title"),
        search.get("href"),
    ) == ("application/opensearchdescription+xml", "metasearch", "/opensearch.xml")
    assert tuple(metas[it] for it in ("totalResults", "startIndex", "itemsPerPage")) == (
        "2",
        "1",
        "2",
    )
    assert shown.findtext(".//title") == "gene drive · metasearch"


def test_page_runs_nothing():
    """No script and no inline style, so that the content security policy has nothing to forbid."""
    shown = tree(answer(hit()))

    assert shown.xpath("//script | //style | //*[@style]") == []


def test_accessible_structure():
    """One main landmark, headings without gaps, labels for every field, ids used once."""
    shown = tree(answer(hit(), hit(2), reports=[report("alpha"), late("beta")]))
    levels = [int(it.tag[1]) for it in shown.xpath("//h1 | //h2 | //h3 | //h4")]
    ids = shown.xpath("//@id")

    assert 1 == len(shown.xpath("//main")) == levels.count(1)
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert len(set(ids)) == len(ids)
    for field in shown.xpath("//input[@type='text' or @type='search']"):
        assert shown.xpath(f"//label[@for='{field.get('id')}']")
    for labelled in shown.xpath("//@aria-labelledby"):
        assert labelled in ids
    assert shown.getroottree().getroot().get("lang") == "en"


def test_incomplete_answer_says_why():
    """A missing source is named with its reason before the hits."""
    shown = tree(
        answer(hit(), reports=[report("alpha"), late("beta")]), labels={"beta": "Beta Library"}
    )
    (box,) = shown.xpath("//*[@class='incomplete']")

    assert "Beta Library: timed out (no whole answer within 15 s)" in box.text_content()
    assert tree(answer(hit())).xpath("//*[@class='incomplete']") == []


def test_each_source_shows_its_outcome():
    """Each source shows the query as it was sent, its notes, its error and what to do; failures lie
    open."""
    reports = [
        report("alpha", query="ti:(gene drive)", notes=("the year was dropped",)),
        late("beta"),
    ]
    fine, failed = tree(answer(hit(), reports=reports)).xpath("//*[@class='reports']/li/details")

    assert "Query sent: ti:(gene drive)" in fine.text_content()
    assert "the year was dropped" in fine.text_content()
    assert "more time" in failed.text_content()
    assert (fine.get("open"), failed.get("open")) == (None, "")


def test_exports_repeat_the_search():
    """The links lead to the same search in other formats, with all its parameters."""
    shown = tree(answer(hit()), query='a & "b"', count=5, sources="alpha,beta")
    links = shown.xpath("//nav[@aria-label='Export']//a/@href")

    assert "/search?q=a%20%26%20%22b%22&count=5&sources=alpha%2Cbeta&format=ris" in links
    assert {"ris", "bibtex", "csv", "json", "atom"} == {it.rpartition("=")[2] for it in links}


def test_nothing_found():
    """An empty list is said in words, and there is nothing to export."""
    shown = tree(answer(reports=[report("alpha", "empty", count=0)]))

    assert "The sources that answered have no work for this query." in shown.text_content()
    assert shown.xpath("//ol | //nav") == []


def test_public_path_is_before_every_local_address():
    """Behind a proxy that serves it under a path, every link stays under that path."""
    shown = tree(answer(hit()), site=Site("https://example.org/lib/search"))
    local = [it for it in shown.xpath("//@href | //@action | //@src") if it.startswith("/")]

    assert local
    assert all(it.startswith("/lib/search/") for it in local)


def test_long_abstract_is_cut_at_a_word():
    """An excerpt ends with a whole word; text without blanks is cut where it stands."""
    words = tree(answer(hit(abstract="word " * 200))).findtext(".//p[@class='abstract']")
    chinese = tree(answer(hit(abstract="乳" * 900))).findtext(".//p[@class='abstract']")

    assert words.endswith("word…")
    assert chinese == "乳" * 320 + "…"


def broken(name):
    """A source that could not be reached."""
    return report(
        name, "error", error=ConnectFailed(name, "no connection can be made"), count=0, total=None
    )


def test_issue_14_10_the_page_says_that_no_source_answered():
    """Where all failed, nobody knows whether there are works; it is not said that there are
    none."""
    text = tree(answer(reports=[broken("alpha"), late("beta")])).text_content()

    assert text.count("No source answered") == 2
    assert "The sources that answered" not in text


def test_issue_14_10_where_nobody_could_be_asked_the_page_says_so():
    """A key that is missing is no failure."""
    assert (
        "No source could be asked."
        in tree(answer(reports=[report("alpha", "skipped", count=0)])).text_content()
    )


def test_issue_14_10_fifteen_equal_failures_are_one_line():
    """Above the hits, with their number and all their names; the list of databases does not open
    each of them."""
    names = [f"s{number}" for number in range(15)]
    shown = tree(
        answer(hit(), reports=[report("alpha"), *map(broken, names)]), labels={"s0": "Source Zero"}
    )
    lines = [it.text_content() for it in shown.xpath("//*[@class='incomplete']//li")]

    assert lines == [
        f"15 sources: failed (no connection can be made): Source Zero, {', '.join(names[1:])}"
    ]
    assert shown.xpath("//*[@class='reports']//details[@open]") == []


def test_issue_14_10_chips_show_labels_and_not_internal_names():
    """Where a hit was found, why it ranks, and the source of each field."""
    shown = tree(answer(hit()), labels={"alpha": "Alpha Index", "beta": "Beta Library"})

    assert shown.xpath("string(//*[@class='found'])") == "Alpha Index #1 · Beta Library #2"
    assert "Alpha Index ranks it 1" in shown.text_content()
    assert "Beta Library: doi" in shown.text_content()


def test_issue_14_10_a_list_that_ends_because_of_per_source_offers_more():
    """A link asks each database for more records; none where the limit ends the list, or the
    sources end."""
    ended = answer(hit(), hit(2), reports=[report("alpha", more=True, count=20)])
    cut = replace(ended, hits=ended.hits[:1])
    whole = answer(hit(), hit(2), reports=[report("alpha", count=20)])
    links = [
        tree(it, count=20).xpath("//nav[@class='pager']/a/@href") for it in (ended, cut, whole)
    ]

    assert links == [["/search?q=gene%20drive&count=20&start=0&per_source=100&format=html"], [], []]


def test_issue_14_10_result_pages_are_not_indexed():
    """Search engines find it in the head of the page."""
    assert tree(answer(hit())).xpath("//meta[@name='robots']/@content") == ["noindex, nofollow"]
