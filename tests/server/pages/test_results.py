"""The result page."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from metasearch.errors import ConnectFailed, TimedOut
from metasearch.events import Paging, Totals
from metasearch.message import join_texts, message
from metasearch.record import Author, Match, Reason, Version
from metasearch.server.pages.results import Results, query_marker, results_page
from tests.examples import examples
from tests.server.fake import answer, hit, late, record, report, running, so_far, visit
from tests.server.pages.test_environment import Skeleton, hostile


def page(
    given_,
    *,
    query="gene drive",
    labels=None,
    reader=None,
    size=20,
    updates="",
    others=0,
    **parameters,
):
    """The page of an answer as text."""
    return results_page(
        Results(
            reader or visit(),
            given_,
            labels or {},
            {"q": query, **parameters},
            size,
            updates,
            marker=query_marker(given_.query),
            others=others,
        )
    )


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

    assert [_bare(tag) for tag in tame_page.tags] == [_bare(tag) for tag in hostile_page.tags]
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


def _bare(tag):
    """Without the language, which text may have."""
    return re.sub(r" ?\blang\b", "", tag).replace("[ ", "[")


def test_page_head():
    """Browsers find the description document and how many works there are."""
    shown = tree(answer(hit(), hit(2)))
    (search,) = shown.xpath("//link[@rel='search']")
    metas = {meta.get("name"): meta.get("content") for meta in shown.findall(".//meta")}

    assert (
        search.get("type"),
        search.get("title"),
        search.get("href"),
    ) == ("application/opensearchdescription+xml", "metasearch", "/opensearch.xml")
    assert (metas["totalResults"], metas["startIndex"], metas["itemsPerPage"]) == ("2", "1", "2")
    assert shown.findtext(".//title") == "gene drive · metasearch"
    assert shown.getroottree().getroot().get("lang") == "en"


def test_the_page_is_in_the_language_of_the_reader():
    """Words and numbers are, records and the query are not; the theme is that of the reader."""
    whole = replace(answer(hit()), counts=replace(answer().counts, unique=1234, received=5678))
    shown = tree(whole, reader=visit(language="zh-Hans", theme="dark"))
    root = shown.getroottree().getroot()

    assert (root.get("lang"), root.get("data-theme")) == ("zh-Hans", "dark")
    assert "1,234" in shown.xpath("string(//h1)")
    assert "篇" in shown.xpath("string(//h1)")
    assert shown.findtext(".//h1/q") == "gene drive"
    assert shown.xpath("string(//h3)") == "Gene drives in island mice"


def test_the_page_runs_our_script_only():
    """One module of this server, and no inline style."""
    shown = tree(answer(hit()))
    (script,) = shown.xpath("//script")

    assert script.get("type") == "module"
    assert script.get("src").startswith("/static/results.js?v=")
    assert not (script.text or "").strip()
    assert shown.xpath("//style | //*[@style] | //@*[starts-with(name(), 'on')]") == []


def test_accessible_structure():
    """One main landmark, headings without gaps, labels for every field, ids used once."""
    shown = tree(answer(hit(), hit(2), reports=[report("alpha"), late("beta")]))
    levels = [int(heading.tag[1]) for heading in shown.xpath("//h1 | //h2 | //h3 | //h4")]
    ids = shown.xpath("//@id")

    assert 1 == len(shown.xpath("//main")) == levels.count(1)
    # The panel stands before the results in the order of the page.
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert len(set(ids)) == len(ids)
    for labelled in shown.xpath("//@aria-labelledby | //@aria-describedby"):
        assert labelled in ids


def test_a_finished_page():
    """Says how many have answered, has no stream to read, and no link for those who wait."""
    shown = tree(answer(hit(), hit(2)))

    assert shown.xpath("string(//*[@role='status'])") == (
        "2 of 2 databases have answered: 2 works from 4 records."
    )
    assert shown.xpath("//noscript") == []
    assert shown.xpath("//*[@data-updates]") == []
    assert shown.xpath("//progress/@hidden") == [""]
    assert shown.xpath("//form[@id='filters']/@aria-busy") == []
    assert len(shown.xpath("//ol[@id='hits']/li")) == 2


def test_a_page_of_a_search_that_goes_on():
    """Says so, tells the script where the rest comes from, and has links for readers without
    script; nothing reloads by itself.
    """
    shown = tree(so_far(hit()), labels={"beta": "Beta Library"}, updates="/updates?q=x", count=5)
    (aside,) = shown.xpath("//noscript")
    links = {link.text: link.get("href") for link in aside.findall(".//a")}

    assert shown.xpath("string(//*[@role='status'])") == (
        "1 of 2 databases have answered: 1 work so far."
    )
    assert "Still being asked: Beta Library." in aside.text_content()
    assert links == {
        "Show what has arrived": "/search?q=gene%20drive&count=5&format=html#results",
        "Wait for all": "/search?q=gene%20drive&count=5&format=html&wait=60",
    }
    (updates,) = shown.xpath("//*[@id='results']/@data-updates")
    assert re.fullmatch(r"/updates\?q=x&seen=[0-9a-f]{8}", updates)
    assert shown.xpath("//meta[@http-equiv]") == []
    assert (shown.xpath("//progress/@value"), shown.xpath("//progress/@max")) == (["1"], ["2"])
    assert shown.xpath("//progress/@hidden") == []
    assert shown.xpath("//form[@id='filters']/@aria-busy") == ["true"]
    assert shown.xpath("//nav[@id='pages']//a") == []


def test_what_the_script_says_is_on_the_page():
    """It knows no words of its own."""
    (button,) = tree(so_far(), updates="/updates").xpath("//*[@id='new-works']/button")

    for name in ("one", "many", "order", "shown", "sorted"):
        assert button.get(f"data-{name}")
    assert "{n}" in button.get("data-many")


def test_incomplete_answer_says_why():
    """A missing source is named before the hits; its reason is in the table of the databases."""
    shown = tree(
        answer(hit(), reports=[report("alpha"), late("beta")]), labels={"beta": "Beta Library"}
    )
    (box,) = shown.xpath("//*[@id='failures']")

    assert "Beta Library: timed out" in box.text_content()
    assert "no whole answer within 15 s" in shown.xpath("string(//*[@id='database-rows'])")
    assert box.xpath(".//a/@href") == ["/search?q=gene%20drive&format=html"]
    assert tree(answer(hit())).xpath("//*[@id='failures']/*") == []


def test_each_source_shows_its_outcome():
    """Each source shows the query as it was sent, its notes, its error and what to do."""
    reports = [
        report("alpha", query="ti:(gene drive)", notes=("the year was dropped",), total=12345),
        late("beta"),
        running("gamma"),
    ]
    rows = tree(answer(hit(), reports=reports)).xpath("//*[@id='database-rows']/tr")
    texts = [" ".join(" ".join(row.itertext()).split()) for row in rows]

    assert texts[0].startswith("alpha answered")
    assert "ti:(gene drive) the year was dropped 1 12,345 0.2" in texts[0]
    assert "timed out" in texts[1]
    assert "more time" in texts[1]
    assert texts[2].startswith("gamma still asking")
    assert texts[2].endswith("–")


def test_exports_repeat_the_search():
    """The links lead to the whole list in other formats, with all other parameters."""
    shown = tree(answer(hit()), query='a & "b"', count=5, start=20, sources="alpha,beta")
    links = shown.xpath("//nav[@class='take']//a/@href")

    assert "/search?q=a%20%26%20%22b%22&sources=alpha%2Cbeta&format=ris" in links
    assert [link.rpartition("=")[2] for link in links] == ["ris", "bibtex", "csv", "json", "atom"]


def test_why_the_list_is_empty():
    """In words, for each reason."""
    nothing = [report("alpha", "empty", count=0)]
    whole = replace(answer(hit()), hits=())
    for given_, words in (
        (answer(reports=nothing), "The databases that answered have no work for this query."),
        (so_far(), "No work has arrived yet."),
        (replace(whole, filter="oa:yes"), "The one work that was received does not pass"),
        (replace(whole, paging=Paging(20, 20)), "The list ends before this page."),
        (answer(reports=[broken("alpha"), late("beta")]), "No database answered."),
        (answer(reports=[report("alpha", "skipped", count=0)]), "No database could be asked."),
    ):
        shown = tree(given_)
        assert words in shown.xpath("string(//*[@id='nothing'])")
        assert shown.xpath("//ol[@id='hits']/li") == []


def offered(shown):
    """The text of each link in place of the list -> the parameters of its address."""
    return {
        link.text: dict(parse_qsl(urlsplit(link.get("href")).query))
        for link in shown.xpath("//*[@id='nothing']//a")
    }


def test_a_list_without_a_work_offers_other_searches():
    """What was asked of whom, known words for misspelt ones, a word less, more databases."""
    none = replace(
        answer(reports=[report("alpha", "empty", count=0, query="ti=(machin lerning zzz)")]),
        query="machin lerning zzz",
    )
    shown = tree(none, query="machin lerning zzz", labels={"alpha": "Alpha Base"}, others=3)
    links = {
        each.text: dict(parse_qsl(urlsplit(each.get("href")).query))
        for each in shown.xpath("//*[@id='nothing']//a")
    }

    assert shown.xpath("normalize-space(//h1)") == "No work found for machin lerning zzz"
    assert links["machine learning zzz"]["q"] == "machine learning zzz"
    assert [text for text in links if text.count(" ") == 1] == [
        "learning zzz",
        "machine zzz",
        "machine learning",
    ]
    assert links["Ask 3 more databases"] == {
        "q": "machin lerning zzz",
        "sources": "all",
        "format": "html",
    }
    assert links["Use OR between words that mean the same"] == {"q": "machin lerning zzz"}
    (row,) = shown.xpath("//*[@id='nothing']//tbody/tr")
    cells = [cell.text_content() for cell in row]
    assert cells == ["Alpha Base", "nothing found", "ti=(machin lerning zzz)"]


def test_filters_that_nothing_passes_are_one_click_away():
    """Each of them, and all; there are no pages, and nothing to export."""
    none = replace(answer(hit()), hits=(), filter="oa:yes,year:1950")
    shown = tree(none, filter=none.filter)
    links = {
        each.text: dict(parse_qsl(urlsplit(each.get("href")).query)).get("filter")
        for each in shown.xpath("//*[@id='nothing']//a")
    }

    assert links == {
        "Without the filter “Open access: yes”": "year:1950",
        "Without the filter “Year: 1950”": "oa:yes",
        "Without any filter: 1 work": None,
    }
    assert shown.xpath("//ul[@class='pages']") == []


def test_an_estimate_names_databases_as_readers_know_them():
    """Not by the names that programs use."""
    basis = join_texts("; ", ["so many", message("incomplete without {names}", names="x-a, beta")])
    given_ = replace(answer(hit()), totals=Totals(1, 1, 9, 5, True, basis))
    shown = tree(given_, labels={"x-a": "Alpha Index", "beta": "Beta Library"})

    assert "so many; incomplete without Alpha Index, Beta Library." in text_of(shown, "about")
    assert "x-a" not in text_of(shown, "main")


def text_of(shown, name):
    return shown.get_element_by_id(name).text_content()


def test_public_path_is_before_every_local_address():
    """Behind a proxy that serves it under a path, every link stays under that path."""
    root = "/lib/search"
    shown = tree(
        so_far(hit()),
        reader=visit(f"https://example.org{root}", here=f"{root}/search?q=x"),
        updates=f"{root}/updates?q=x",
    )
    local = [
        address
        for address in shown.xpath("//@href | //@action | //@src | //@data-updates")
        if address.startswith("/")
    ]

    assert local
    assert all(address.startswith(f"{root}/") for address in local)


def test_the_form_of_the_head_repeats_the_search():
    """Another query is searched in the same way, from its beginning and without its filters."""
    shown = tree(answer(hit()), count=50, sort="date", start=20, filter="oa:yes")
    hidden = shown.xpath("//form[@role='search']/input[@type='hidden']")

    assert [(field.get("name"), field.get("value")) for field in hidden] == [
        ("count", "50"),
        ("sort", "date"),
    ]


def test_the_list_is_a_form_for_the_basket():
    """With a token, the search, and the way back; the works in the basket are counted."""
    shown = tree(answer(hit()), reader=visit(basket=["habcdef012345"]), count=5)
    (form,) = shown.xpath("//form[@id='list']")
    hidden = {
        field.get("name"): field.get("value") for field in form.xpath(".//input[@type='hidden']")
    }

    assert (form.get("method"), form.get("action")) == ("post", "/basket")
    assert len(hidden["token"]) == 64
    assert hidden["search"] == "q=gene%20drive&count=5"
    assert hidden["back"] == "/search?q=gene%20drive&count=5&format=html"
    assert "1 work in the basket" in form.text_content()


def test_totals_notes_and_the_syntax_are_told():
    """How many works there may be in all, how the query was read, and what was noted."""
    totals = Totals(2, 2, 900, 700, True, "databases overlap")
    whole = replace(answer(hit()), totals=totals, syntax="cql", notes=("sortBy <x> is ignored",))
    shown = tree(whole)

    assert "About 700 works in all: databases overlap." in shown.text_content()
    assert "The query was read as cql: gene drive" in " ".join(shown.text_content().split())
    assert shown.xpath("//ul[contains(@class, 'notes')]/li/text()") == ["sortBy <x> is ignored"]


def broken(name):
    """A source that could not be reached."""
    return report(
        name, "error", error=ConnectFailed(name, "no connection can be made"), count=0, total=None
    )


def test_issue_14_10_the_page_says_that_no_source_answered():
    """Where all failed, nobody knows whether there are works; it is not said that there are
    none."""
    text = tree(answer(reports=[broken("alpha"), late("beta")])).text_content()

    assert text.count("No database answered.") == 2
    assert "The databases that answered" not in text


def test_issue_14_10_fifteen_equal_failures_are_one_line():
    """Above the hits, with their number and the first names."""
    names = [f"s{number}" for number in range(15)]
    shown = tree(
        answer(hit(), reports=[report("alpha"), *map(broken, names)]), labels={"s0": "Source Zero"}
    )
    box = shown.xpath("//*[@id='failures']")[0].text_content()

    assert "Source Zero, s1, and s2 and 12 other databases: failed" in box
    assert "s3" not in box
    assert shown.xpath("string(//*[@id='database-rows'])").count("no connection can be made") == 15


def test_issue_14_10_labels_and_not_internal_names_are_shown():
    """Where a hit was found, why it ranks, and the source of each field."""
    shown = tree(answer(hit()), labels={"alpha": "Alpha Index", "beta": "Beta Library"})
    text = shown.xpath("string(//article)")

    assert shown.xpath("//*[@class='found']//li/span[1]/text()") == ["Alpha Index", "Beta Library"]
    assert "Alpha Index ranks it 1" in text
    assert "Beta Library: DOI" in text


def test_issue_14_10_a_list_that_ends_because_of_per_source_offers_more():
    """A link asks each database for more records; none where the limit ends the list, or the
    sources end."""
    ended = answer(hit(), hit(2), reports=[report("alpha", more=True, count=20)])
    cut = replace(ended, hits=ended.hits[:1])
    whole = answer(hit(), hit(2), reports=[report("alpha", count=20)])
    links = [tree(each).xpath("//nav[@id='pages']//a/@href") for each in (ended, cut, whole)]

    assert links[0] == ["/search?q=gene%20drive&format=html&per_source=100"]
    assert links[2] == []
    assert not any("per_source" in link for link in links[1])


def test_issue_14_10_result_pages_are_not_indexed():
    """Search engines find it in the head of the page."""
    assert tree(answer(hit())).xpath("//meta[@name='robots']/@content") == ["noindex, nofollow"]
