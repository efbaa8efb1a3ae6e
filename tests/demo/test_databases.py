"""Each simulated database answers in the shape of its kind: records, pages, totals, errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from metasearch.demo.catalogue import works
from metasearch.demo.databases import FAULTY, SOUND, all_holdings
from metasearch.demo.databases.database import Reply
from tests import cases

DATABASES = {database.name: database for database in SOUND + FAULTY}
HOLDINGS = all_holdings(works())
NAMESPACES = {
    "a": "http://www.w3.org/2005/Atom",
    "o": "http://a9.com/-/spec/opensearch/1.1/",
    "zs": "http://www.loc.gov/zing/srw/",
    "m": "http://www.loc.gov/MARC21/slim",
}


def ask(name: str, path: str | None = None, **params: str) -> Reply:
    database = DATABASES[name]
    named = {key.replace("__", "-").replace("_dot_", "."): value for key, value in params.items()}
    return database.answer(path or database.path, named, HOLDINGS[name])


def ask_json(name: str, **params: str) -> Any:
    return json.loads(ask(name, **params).body)


def ask_xml(name: str, path: str | None = None, **params: str) -> Any:
    return etree.fromstring(ask(name, path, **params).body)


def found(root: Any, path: str) -> list[Any]:
    return root.xpath(path, namespaces=NAMESPACES)


def crossref(start: int, size: int) -> tuple[int, list[str]]:
    message = ask_json("demo-crossref", query="gambling", offset=str(start), rows=str(size))[
        "message"
    ]
    return message["total-results"], [item["DOI"] for item in message["items"]]


def openalex(start: int, size: int) -> tuple[int, list[str]]:
    answer = ask_json(
        "demo-openalex", search="gambling", page=str(start // size + 1), per__page=str(size)
    )
    return answer["meta"]["count"], [result["id"] for result in answer["results"]]


def arxiv(start: int, size: int) -> tuple[int, list[str]]:
    feed = ask_xml(
        "demo-arxiv", search_query="all:learning", start=str(start), max_results=str(size)
    )
    return int(found(feed, "string(o:totalResults)")), found(feed, "a:entry/a:id/text()")


def pubmed(start: int, size: int) -> tuple[int, list[str]]:
    result = ask_json(
        "demo-pubmed", term="psilocybin", retmode="json", retstart=str(start), retmax=str(size)
    )
    return int(result["esearchresult"]["count"]), result["esearchresult"]["idlist"]


def library(start: int, size: int) -> tuple[int, list[str]]:
    asked = {"version": "1.2", "operation": "searchRetrieve", "query": "jazz"}
    root = ask_xml("demo-library", **asked, startRecord=str(start + 1), maximumRecords=str(size))
    return int(found(root, "string(zs:numberOfRecords)")), found(
        root, "//m:controlfield[@tag='001']/text()"
    )


def slow(start: int, size: int) -> tuple[int, list[str]]:
    hits = ask_json("demo-slow", q="learning", format="json", f=str(start), h=str(size))["result"][
        "hits"
    ]
    return int(hits["@total"]), [hit["info"]["key"] for hit in hits.get("hit", [])]


@cases.each("page", [crossref, openalex, arxiv, pubmed, library, slow])
def test_pages_give_each_record_once(page: Callable[[int, int], tuple[int, list[str]]]):
    """Pages of seven, put together, are the answer of one large page, and as many as the total
    says."""
    total, all_at_once = page(0, 100)

    paged = [key for start in range(0, total, 7) for key in page(start, 7)[1]]

    assert paged == all_at_once
    assert len(set(paged)) == total >= 10


@cases.each("page", [crossref, openalex, arxiv, pubmed, slow])
def test_behind_the_last_page_there_is_nothing(page: Callable[[int, int], tuple[int, list[str]]]):
    """Asking beyond the end gives no records and the same total."""
    total, _ = page(0, 20)

    assert page(200, 20) == (total, [])


@cases.each("name", ["demo-crossref", "demo-openalex"])
def test_cursors_lead_through_all_works(name: str):
    """Following the cursor from `*` gives every work once and then ends."""
    size = {"demo-crossref": "rows", "demo-openalex": "per__page"}[name]
    cursor: str | None = "*"
    seen: list[str] = []
    while cursor:
        answer = ask_json(name, cursor=cursor, **{size: "50"})
        message = answer.get("message", answer)
        records = message.get("items", message.get("results"))
        seen += [record.get("DOI", record.get("id")) for record in records]
        cursor = answer["meta"]["next_cursor"] if "meta" in answer else message["next-cursor"]
        if not records:
            break

    assert len(seen) == len(set(seen)) == len(HOLDINGS[name].works)


@cases.each("database", SOUND, ids=lambda database: database.name)
def test_a_database_holds_a_part_of_what_fits(database):
    """Each holds between 45 and 85 per cent of the works that fit its kind, the same at every
    start."""
    fitting = [work for work in works() if database.fits(work)]
    held = {work.id for work in HOLDINGS[database.name].works}

    assert 0.45 <= len(held) / len(fitting) <= 0.85
    assert held == {work.id for work in all_holdings(works())[database.name].works}


def test_every_work_is_somewhere_and_many_are_in_several():
    """No work is lost, and half of them are in two or more databases."""
    holders = [
        sum(any(held.id == work.id for held in holdings.works) for holdings in HOLDINGS.values())
        for work in works()
    ]

    assert min(holders) >= 1
    assert sum(count >= 2 for count in holders) >= len(holders) / 2


@cases.each(
    ("fact", "least"), [("subtitle", 10), ("doi", 10), ("year", 5), ("authors", 10), ("venue", 10)]
)
def test_databases_tell_the_same_work_differently(fact: str, least: int):
    """Over the databases, works lack DOIs, subtitles and venues, shorten names, and differ in
    years."""
    told: dict[str, set[object]] = {}
    for holdings in HOLDINGS.values():
        for work in holdings.works:
            told.setdefault(work.id, set()).add(getattr(work, fact))

    assert sum(len(values) > 1 for values in told.values()) >= least


def test_crossref_items():
    """Crossref writes lists of titles, some in capitals or with markup, and the subtitle in one of
    two places."""
    items = ask_json("demo-crossref", rows="1000")["message"]["items"]
    titles = [item["title"][0] for item in items]

    assert len(items) == len(HOLDINGS["demo-crossref"].works)
    assert any(title.isupper() for title in titles)
    assert any("<i>" in title for title in titles)
    assert any("&amp;" in title for title in titles)
    assert any("subtitle" in item for item in items)
    assert all(item["issued"]["date-parts"][0][0] > 1900 for item in items)


def test_pubmed_records():
    """PubMed fetches in the order of the ids and skips unknown ones; titles end in full stops,
    pages are short."""
    ids = [work.pmid for work in HOLDINGS["demo-pubmed"].works]
    path = "/entrez/eutils/efetch.fcgi"
    root = ask_xml("demo-pubmed", path, db="pubmed", id=",".join([*ids, "1"]), retmode="xml")

    assert found(root, "PubmedArticle/MedlineCitation/PMID/text()") == ids
    assert all(title[-1] in ".?" for title in found(root, "//ArticleTitle/text()"))
    assert any(
        "-" in pages and len(pages.split("-")[1]) < len(pages.split("-")[0])
        for pages in found(root, "//MedlinePgn/text()")
    )
    assert 20 < len(found(root, "//Abstract")) < len(ids)


def test_library_records():
    """The library writes ISBD punctuation, family names first, and ISBN-10s for older books."""
    root = ask_xml("demo-library", version="1.2", query="jazz", maximumRecords="100")

    assert all(
        a.endswith((":", "/"))
        for a in found(root, "//m:datafield[@tag='245']/m:subfield[@code='a']/text()")
    )
    assert all(
        ", " in a for a in found(root, "//m:datafield[@tag='100']/m:subfield[@code='a']/text()")
    )
    assert {
        len(n.split()[0])
        for n in found(root, "//m:datafield[@tag='020']/m:subfield[@code='a']/text()")
    } == {10}
    assert all(len(field) == 40 for field in found(root, "//m:controlfield[@tag='008']/text()"))


def test_arxiv_entries_are_preprints():
    """arXiv dates an entry by its posting, also where the work was published in another year."""
    years = {work.arxiv: work.year for work in works() if work.arxiv}
    feed = ask_xml("demo-arxiv", id_list=",".join(years), max_results="100")
    dated = {
        entry.findtext("a:id", namespaces=NAMESPACES).split("/")[-1].split("v")[0]: int(
            entry.findtext("a:published", namespaces=NAMESPACES)[:4]
        )
        for entry in found(feed, "a:entry")
    }

    assert len(dated) == len(HOLDINGS["demo-arxiv"].works)
    assert any(dated[arxiv_id] != years[arxiv_id] for arxiv_id in dated)


@cases.each(
    ("name", "params", "status", "said"),
    [
        ("demo-crossref", {"rows": "1001"}, 400, "integer-not-valid"),
        ("demo-crossref", {"rows": "x"}, 400, "integer-not-valid"),
        ("demo-crossref", {"filter": "smell:roses"}, 400, "filter-not-available"),
        ("demo-crossref", {"cursor": "no cursor"}, 404, "cursor-invalid"),
        ("demo-openalex", {"per-page": "201"}, 400, "per-page parameter"),
        ("demo-openalex", {"filter": "smell:roses"}, 400, "not a valid field"),
        ("demo-openalex", {"search": '"jazz'}, 400, "unbalanced quotes"),
        ("demo-arxiv", {"search_query": "all:x", "start": "-1"}, 400, "api/errors#start"),
        ("demo-arxiv", {"search_query": "(all:x"}, 400, "api/errors#search_query"),
        ("demo-pubmed", {"retmode": "json"}, 200, "Empty term"),
        ("demo-pubmed", {"retmode": "json", "term": '"x'}, 200, "unbalanced quotes"),
        ("demo-library", {"version": "1.2", "operation": "searchRetrieve"}, 200, "diagnostic/1/7<"),
        ("demo-library", {"query": "jazz"}, 200, "diagnostic/1/7<"),
        ("demo-library", {"version": "1.2", "query": "(jazz"}, 200, "diagnostic/1/10<"),
        ("demo-library", {"version": "1.2", "query": "dc.smell = roses"}, 200, "diagnostic/1/16<"),
        (
            "demo-library",
            {"version": "1.2", "query": "jazz", "startRecord": "0"},
            200,
            "diagnostic/1/6<",
        ),
        (
            "demo-library",
            {"version": "1.2", "query": "jazz", "startRecord": "999"},
            200,
            "diagnostic/1/61<",
        ),
        (
            "demo-library",
            {"version": "1.2", "query": "jazz", "recordSchema": "tea"},
            200,
            "diagnostic/1/66<",
        ),
        ("demo-slow", {"q": "jazz", "format": "json", "h": "x"}, 400, "Bad Request"),
        ("demo-failing", {"query": "jazz"}, 400, "fails on purpose"),
    ],
)
def test_errors_are_told_as_their_kind_tells_them(
    name: str, params: Mapping[str, str], status: int, said: str
):
    """A malformed request gets the status and the body that the real database would give."""
    database = DATABASES[name]

    reply = database.answer(database.path, params, HOLDINGS[name])

    assert reply.status == status
    assert said in reply.body.decode()


NAMES = (
    "query",
    "search",
    "search_query",
    "term",
    "q",
    "filter",
    "cursor",
    "rows",
    "start",
    "page",
    "id",
    "version",
    "format",
)


@given(
    st.sampled_from(sorted(DATABASES)),
    st.dictionaries(st.sampled_from(NAMES), st.text(max_size=20)),
)
def test_no_request_breaks_a_database(name: str, params: dict[str, str]):
    """Whatever the parameters hold, there is an answer, and never a 500."""
    database = DATABASES[name]

    for path in (database.path, "/entrez/eutils/efetch.fcgi"):
        assert database.answer(path, params, HOLDINGS[name]).status in (200, 400, 404, 503)


def test_openalex_filters():
    """Filters by title, author, year and DOI narrow the answer; commas between words do not."""
    everything = ask_json("demo-openalex", search="jazz", per__page="100")["meta"]["count"]
    recent = ask_json(
        "demo-openalex", search="jazz", filter="publication_year:1990-", per__page="100"
    )["results"]
    named = ask_json(
        "demo-openalex", filter="title.search:jazz,raw_author_name.search:Williams, Martin"
    )["results"]
    one = ask_json("demo-openalex", filter="doi:https://doi.org/10.1038/s41562-021-01052-5")[
        "meta"
    ]["count"]

    assert 0 < len(recent) < everything
    assert all(result["publication_year"] >= 1990 for result in recent)
    assert all("Williams" in result["authorships"][0]["raw_author_name"] for result in named)
    assert one == sum(
        work.doi == "10.1038/s41562-021-01052-5" for work in HOLDINGS["demo-openalex"].works
    )


def test_dblp_bars_bind_tighter_than_blanks():
    """In dblp's syntax `learning deep|transfer` is learning and one of the two."""
    either = ask_json("demo-slow", q="learning deep|transfer", format="json", h="100")["result"][
        "hits"
    ]["@total"]
    each = [
        ask_json("demo-slow", q=f"learning {word}", format="json", h="100")["result"]["hits"][
            "@total"
        ]
        for word in ("deep", "transfer", "deep transfer")
    ]

    assert int(either) == int(each[0]) + int(each[1]) - int(each[2]) > 1


def test_crossref_filters_by_year():
    """from-pub-date and until-pub-date bound the year, both included."""
    message = ask_json(
        "demo-crossref",
        query="gambling",
        filter="from-pub-date:2019,until-pub-date:2020",
        rows="100",
    )["message"]
    years = {item["issued"]["date-parts"][0][0] for item in message["items"]}

    assert years == {2019, 2020}


def test_the_library_explains_itself():
    """Without a query, SRU answers with an explain record."""
    root = ask_xml("demo-library")

    assert root.tag == "{http://www.loc.gov/zing/srw/}explainResponse"
