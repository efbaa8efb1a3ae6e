"""Queries in the words of each source that speaks JSON, and the pages that follow."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

import pytest

from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.request import Request, Secret
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import build
from metasearch.adapters.translate.plan import (
    Plan,
    newest_first,
    next_request,
    plan,
    plan_enrichment,
)
from metasearch.errors import CannotAsk, KeyMissing
from metasearch.query.simple import parse, to_text
from metasearch.settings import Settings
from tests.cases import each

REGISTRY = Registry(Settings())
WORDS = {
    "openalex": ("search", "filter"),
    "europepmc": ("query",),
    "semanticscholar": ("query", "year"),
    "dblp": ("q",),
    "datacite": ("query",),
    "crossref": (
        "query.bibliographic",
        "query.title",
        "query.author",
        "query.container-title",
        "filter",
    ),
}


def asked(source: str, text: str) -> Plan:
    return plan(parse(text), REGISTRY.spec(source))


def words(planned: Plan) -> str:
    """What is asked, without the parameters that are always the same."""
    request = planned.request
    if request.source == "doaj":
        return unquote(request.url.rpartition("/")[2])
    return " & ".join(
        f"{name}={value}" for name, value in request.params if name in WORDS[request.source]
    )


TABLE = [
    ("deep learning", {
        "crossref": "query.bibliographic=deep learning",
        "openalex": "search=deep AND learning",
        "europepmc": "query=deep AND learning",
        "semanticscholar": "query=deep learning",
        "dblp": "q=deep learning",
        "doaj": "deep AND learning",
        "datacite": "query=deep AND learning",
    }),
    ('"deep learning"', {
        "crossref": "query.bibliographic=deep learning",
        "openalex": 'search="deep learning"',
        "europepmc": 'query="deep learning"',
        "dblp": "q=deep learning",
        "doaj": '"deep learning"',
    }),
    ("pmid:33301246 OR pmid:33301247", {
        "europepmc": 'query=(EXT_ID:"33301246" AND SRC:MED) OR (EXT_ID:"33301247" AND SRC:MED)',
    }),
    ("pmid:33301246", {
        "openalex": "filter=pmid:33301246",
        "crossref": "query.bibliographic=33301246",
    }),
    ("trial:NCT03456789", {
        "europepmc": "query=NCT03456789",
        "crossref": "query.bibliographic=NCT03456789",
    }),
    ("trial:ChiCTR-TRC-09000543", {
        "europepmc": 'query="ChiCTR-TRC-09000543"',
    }),
    ("PMC7654321", {
        "europepmc": "query=PMCID:PMC7654321",
    }),
    ("arXiv:2104.12255v2", {
        "datacite": 'query=doi:"10.48550/arxiv.2104.12255"',
        "europepmc": "query=2104.12255",
    }),
    ('title:"graph theory" author:smith', {
        "crossref": "query.title=graph theory & query.author=smith",
        "openalex": 'filter=title.search:"graph theory",raw_author_name.search:smith',
        "europepmc": 'query=TITLE:"graph theory" AND AUTH:smith',
        "semanticscholar": "query=graph theory smith",
        "doaj": 'bibjson.title:"graph theory" AND bibjson.author.name:smith',
        "datacite": 'query=titles.title:"graph theory" AND creators.name:smith',
    }),
    ("cancer (lung OR liver) NOT review", {
        "crossref": "query.bibliographic=cancer lung liver",
        "openalex": "search=cancer AND (lung OR liver) NOT review",
        "europepmc": "query=cancer AND (lung OR liver) NOT review",
        "dblp": "q=cancer lung|liver",
        "doaj": "cancer AND (lung OR liver) AND NOT review",
        "datacite": "query=cancer AND (lung OR liver) AND NOT review",
    }),
    ("(machine learning) OR robots", {
        "openalex": "search=(machine AND learning) OR robots",
        "europepmc": "query=(machine AND learning) OR robots",
        "dblp": "q=machine|robots learning|robots",
    }),
    ("malaria year:2019-2021", {
        "crossref": "query.bibliographic=malaria & filter=from-pub-date:2019,until-pub-date:2021",
        "openalex": "search=malaria & filter=publication_year:2019-2021",
        "europepmc": "query=malaria AND PUB_YEAR:[2019 TO 2021]",
        "semanticscholar": "query=malaria & year=2019-2021",
        "dblp": "q=malaria",
        "doaj": "malaria AND bibjson.year:[2019 TO 2021]",
        "datacite": "query=malaria AND publicationYear:[2019 TO 2021]",
    }),
    ("malaria year:2020", {
        "openalex": "search=malaria & filter=publication_year:2020",
        "semanticscholar": "query=malaria & year=2020",
        "dblp": "q=malaria year:2020:",
        "doaj": "malaria AND bibjson.year:2020",
    }),
    ("malaria year:2019-", {
        "crossref": "query.bibliographic=malaria & filter=from-pub-date:2019",
        "openalex": "search=malaria & filter=from_publication_date:2019-01-01",
        "semanticscholar": "query=malaria & year=2019-",
        "datacite": "query=malaria AND publicationYear:[2019 TO *]",
    }),
    ("10.1016/S0140-6736(96)07492-2", {
        "crossref": "filter=doi:10.1016/s0140-6736(96)07492-2",
        "openalex": "filter=doi:10.1016/s0140-6736(96)07492-2",
        "europepmc": 'query=DOI:"10.1016/s0140-6736(96)07492-2"',
        "doaj": r'doi:"10.1016\/s0140\-6736\(96\)07492\-2"',
        "datacite": r'query=doi:"10.1016\/s0140\-6736\(96\)07492\-2"',
    }),
    ("issn:0028-0836 cells", {
        "crossref": "query.bibliographic=cells & filter=issn:0028-0836",
        "openalex": "search=cells & filter=primary_location.source.issn:0028-0836",
        "europepmc": 'query=ISSN:"0028-0836" AND cells',
    }),
    ("pre-training C++ and/or", {
        "europepmc": "query=pre-training AND C++ AND and AND or",
        "semanticscholar": "query=pre training C and/or",
        "dblp": "q=pre training C++ and or",
        "doaj": r"pre\-training AND C\+\+ AND and\/or",
    }),
    ("cats NOT title:dogs", {
        "crossref": "query.bibliographic=cats",
        "openalex": "search=cats",
        "europepmc": "query=cats NOT TITLE:dogs",
        "doaj": "cats AND NOT bibjson.title:dogs",
    }),
    ("title:cats OR author:dogs", {
        "crossref": "query.bibliographic=cats dogs",
        "openalex": "search=cats OR dogs",
        "europepmc": "query=TITLE:cats OR AUTH:dogs",
        "dblp": "q=cats|dogs",
    }),
    ("the \\OR gate", {
        "openalex": "search=the AND or AND gate",
        "doaj": "the AND or AND gate",
    }),
    ("\\<b\\> what? 50\\* [a] {b}", {
        "openalex": "search=b AND what AND 50 AND a AND b",
        "europepmc": "query=<b> AND what AND 50 AND a AND b",
        "doaj": r"b AND what\? AND 50\* AND \[a\] AND \{b\}",
    }),
]  # fmt: skip


@each(
    ("text", "source", "expected"),
    [(text, source, expected) for text, row in TABLE for source, expected in row.items()],
)
def test_translation(text: str, source: str, expected: str) -> None:
    """Each source is asked in its own words."""
    assert expected == words(asked(source, text))


@each(
    ("source", "text", "residual"),
    [
        ("crossref", "cats NOT dogs", "NOT dogs"),
        ("crossref", "abstract:entropy", "abstract:entropy"),
        ("crossref", "title:cats OR author:dogs", "title:cats OR author:dogs"),
        ("crossref", "cats OR (dogs NOT title:birds)", "cats OR dogs AND NOT title:birds"),
        ("openalex", "cats NOT title:dogs", "NOT title:dogs"),
        ("openalex", "title:cats OR author:dogs", "title:cats OR author:dogs"),
        ("openalex", "venue:nature cells", "venue:nature"),
        ("openalex", "doi:10.5555/a doi:10.5555/b", "doi:10.5555/b"),
        ("dblp", "malaria year:2019-2021", "year:2019-2021"),
        ("semanticscholar", "title:cats author:dogs", "title:cats AND author:dogs"),
        ("europepmc", "title:cats OR author:dogs NOT birds", None),
        ("crossref", "cats OR dogs", None),
    ],
)
def test_what_is_filtered_afterwards(source: str, text: str, residual: str | None) -> None:
    """A clause that a source cannot express is applied to its records, as a whole, and the user is
    told."""
    planned = asked(source, text)

    assert residual == (to_text(planned.residual) if planned.residual is not None else None)
    assert residual is None or any("is applied here" in note for note in planned.notes)


def test_notes_without_a_filter() -> None:
    """What is only weaker than asked, such as words for a phrase, is told as well."""
    assert ('cannot search for a phrase: "deep learning" is sent as words',) == asked(
        "crossref", '"deep learning"'
    ).notes
    assert any("OR" in note for note in asked("crossref", "cats OR dogs").notes)


# ---------------------------------------------------------------------- dialects of specs made here


def spec(**query: Any) -> AdapterSpec:
    return build(
        {
            "name": "made",
            "request": {"url": "https://a.org", "params": {"q": "{query}"}},
            "query": {"style": "expression", "fields": {"any": "{x}"}, **query},
            "parse": {"body": "json", "records": "items"},
            "fields": {"title": "title"},
        },
        "made.toml",
    )


def test_refuse() -> None:
    """A source that must not be asked something else refuses what it cannot express."""
    for text in ("title:cats", "cats NOT dogs", "cats OR dogs", "cats year:2020"):
        with pytest.raises(CannotAsk):
            plan(parse(text), spec(unsupported="refuse"))


def test_drop() -> None:
    """A clause may also be dropped, which is told."""
    planned = plan(parse("cats NOT dogs"), spec(unsupported="drop"))

    assert ("cats", None) == (planned.sent, planned.residual)
    assert "is not applied" in planned.notes[0]


def test_no_or_asks_for_the_first_alternative() -> None:
    """Without OR all alternatives together would find less than the first one alone."""
    planned = plan(parse("(a b) OR c"), spec(conjunction=" AND "))

    assert "a AND b" == planned.sent
    assert "only the first alternative" in planned.notes[0]


def test_or_without_brackets_that_grows_too_long() -> None:
    """Alternatives of many words are not multiplied out without end."""
    planned = plan(parse("(a b c d e) OR (f g h i j)"), spec(disjunction="|", group=""))

    assert "a b c d e" == planned.sent


def test_or_without_brackets_loses_what_must_not_be_in_one_alternative() -> None:
    """A NOT would need brackets; what is left of its alternative is asked, and the records are
    filtered."""
    planned = plan(
        parse("cats OR (dogs NOT birds)"), spec(disjunction="|", negation=" -{x}", group="")
    )

    assert planned.sent == "cats|dogs"
    assert planned.residual == parse("cats OR (dogs NOT birds)")


def test_a_year_alone_is_not_asked_for() -> None:
    """All works of a year are no answer: the number that has no field is looked for as a word."""
    years = {"both": "y:{first}-{last}", "since": "y:{first}-", "until": "y:-{last}"}
    planned = plan(parse("doi:10.1000/abc year:2020"), spec(years=years))

    assert planned.sent == "10.1000/abc y:2020-2020"
    assert planned.residual == parse("doi:10.1000/abc")


def test_nothing_can_be_expressed() -> None:
    """A query of which nothing can be sent is not sent as an empty one."""
    with pytest.raises(CannotAsk):
        plan(parse('"???"'), spec(strip="?"))


# --------------------------------------------------------------------------- keys and pages


def test_secrets_are_secrets() -> None:
    """A key travels as a Secret, and is neither in the cache key nor in what is shown."""
    secret = "not-a-real-key"
    with_key = plan(
        parse("cats"), REGISTRY.spec("semanticscholar"), env={"METASEARCH_S2_KEY": f" {secret} "}
    ).request
    without = asked("semanticscholar", "cats").request

    assert (("x-api-key", Secret(secret)),) == with_key.headers
    assert secret not in repr(with_key) + with_key.log_url
    assert page_key(without) == page_key(with_key)
    assert () == without.headers


def test_a_blank_key_is_no_key() -> None:
    """An empty variable is left out: a blank key is often refused where none is not."""
    assert "api_key" not in dict(
        plan(
            parse("cats"), REGISTRY.spec("openalex"), env={"METASEARCH_OPENALEX_KEY": "  "}
        ).request.params
    )


def test_required_key() -> None:
    """A source that cannot do without a key says which variable would hold it."""
    table = {
        "name": "made",
        "request": {"url": "https://a.org", "params": {"q": "{any}"}},
        "auth": {"key": {"env": "MADE_KEY", "required": True}},
        "parse": {"body": "json", "records": "items"},
        "fields": {"title": "title"},
    }

    with pytest.raises(KeyMissing) as raised:
        plan(parse("cats"), build(table, "made.toml"))

    assert "MADE_KEY" in raised.value.advice


def follow(
    source: str, wanted: int, got: int, total: int | None = 5000, cursor: str | None = "next"
) -> list[Request]:
    """The requests of a search in which every page holds `got` records."""
    at = REGISTRY.spec(source)
    requests: list[Request] = [plan(parse("cats"), at, wanted).request]
    while len(requests) < 10:
        following = next_request(
            at,
            requests[-1],
            got=got,
            total=total,
            cursor=f"{cursor}{len(requests)}" if cursor else None,
        )
        if following is None:
            break
        requests.append(following)
    return requests


@each(
    ("source", "name", "values"),
    [
        ("crossref", "offset", ["0", "100", "200"]),
        ("semanticscholar", "offset", ["0", "100", "200"]),
        ("dblp", "f", ["0", "100", "200"]),
        ("doaj", "page", ["1", "2", "3"]),
        ("datacite", "page[number]", ["1", "2", "3"]),
        ("europepmc", "cursorMark", ["*", "next1", "next2"]),
    ],
)
def test_pages(source: str, name: str, values: list[str]) -> None:
    """Each source's pages are asked for in its own way until enough records are there."""
    requests = follow(source, wanted=250, got=100)

    assert values == [dict(request.params)[name] for request in requests]
    assert [0, 100, 200] == [request.start for request in requests]


def test_pages_end() -> None:
    """No page is asked for beyond the hits or the window, after an empty or short page, or without
    a new cursor."""
    assert 2 == len(follow("crossref", wanted=250, got=100, total=150))
    assert 1 == len(follow("crossref", wanted=250, got=0))
    assert 1 == len(follow("openalex", wanted=250, got=70))
    assert 1 == len(follow("europepmc", wanted=250, got=100, cursor=None))
    assert 999 == asked_for("semanticscholar", 100_000)
    assert 1000 == asked_for("doaj", 100_000)


@each("source", ["crossref", "doaj", "europepmc"])
def test_pages_are_as_large_as_a_layer(source: str) -> None:
    """Whoever wants more in the end makes the same requests at first."""
    at = REGISTRY.spec(source)
    shallow, deep = (
        plan(parse("cats"), at, 20).request,
        plan(parse("cats"), at, 500, depth=20).request,
    )

    assert page_key(deep) == page_key(shallow)
    assert (deep.size, deep.wanted) == (20, 500)


def test_no_page_reaches_beyond_the_window() -> None:
    """A source refuses it as a whole: the last page is a short one, or is not asked for where pages
    are numbered."""
    at = REGISTRY.spec("semanticscholar")
    request = plan(parse("cats"), at, 5000, depth=200).request
    sizes = []
    while request is not None:
        sizes.append((request.start, request.size, dict(request.params)["limit"]))
        request = next_request(at, request, got=request.size, total=5000, cursor=None)  # type: ignore[assignment]
    numbered = plan(parse("cats"), REGISTRY.spec("doaj"), 5000, depth=30).request
    starts = []
    while numbered is not None:
        starts.append(numbered.start)
        numbered = next_request(REGISTRY.spec("doaj"), numbered, got=30, total=5000, cursor=None)  # type: ignore[assignment]

    assert sizes[-1] == (900, 99, "99")
    assert starts[-1] == 960


def asked_for(source: str, wanted: int) -> int:
    return plan(parse("cats"), REGISTRY.spec(source), wanted).request.wanted


def test_a_single_work_is_asked_for_by_its_doi() -> None:
    """Percent-encoded, with the contact as a secret; without one it is not asked."""
    spec = REGISTRY.spec("unpaywall")
    request = plan_enrichment(
        "10.1002/(sici)1097<1::aid>3.0.co;2-#/x", spec, {"METASEARCH_CONTACT": "me@example.org"}
    )

    assert request.log_url == (
        "https://api.unpaywall.org/v2/10.1002%2F%28sici%291097%3C1%3A%3Aaid%3E3.0.co%3B2-%23%2Fx"
    )
    assert request.params == (("email", Secret("me@example.org")),)
    assert (request.source, request.method, request.wanted) == ("unpaywall", "GET", 1)
    with pytest.raises(KeyMissing, match="needs a key"):
        plan_enrichment("10.1000/xyz", spec, {})


def test_a_query_that_is_too_long_for_an_address_is_not_cut() -> None:
    """The source says that it cannot be asked, and by how much; one that is asked by POST has no
    such limit."""
    text = " OR ".join(f'"gambling harm {number}"' for number in range(600))

    with pytest.raises(CannotAsk, match=r"too long for this source: [0-9,]+ of 8,000 characters"):
        asked("openalex", text)
    assert asked("openalex", text[:3000].rpartition(" OR ")[0])


# ---------------------------------------------------------------- newest first


NEWEST = {
    "crossref": {"sort": "published", "order": "desc"},
    "chemrxiv": {"sort": "published", "order": "desc"},
    "openalex": {"sort": "publication_date:desc"},
    "arxiv": {"sortBy": "submittedDate", "sortOrder": "descending"},
    "pubmed": {"sort": "pub_date"},
    "europepmc": {"sort": "P_PDATE_D desc"},
    "medrxiv": {"sort": "P_PDATE_D desc"},
    "hal": {"sort": "producedDate_tdate desc"},
    "finna": {"sort": "main_date_str desc"},
}


@each("source", sorted(NEWEST))
def test_a_source_is_asked_for_its_newest_records(source: str) -> None:
    """Its parameters of the order are others, the rest of the request is as ever."""
    spec = REGISTRY.spec(source)

    usual, newest = plan(parse("cats"), spec), plan(parse("cats"), newest_first(spec))

    expected = dict(usual.request.params) | NEWEST[source]
    assert dict(newest.request.params) == expected != dict(usual.request.params)
    assert newest.request.url == usual.request.url
    assert (newest.sent, newest.notes) == (usual.sent, usual.notes)
    assert page_key(newest.request) != page_key(usual.request)


def test_the_newest_records_are_asked_for_in_json() -> None:
    """A body of JSON is another one too, on every page, and has another place in the cache."""
    usual = REGISTRY.spec("figshare")
    spec = newest_first(usual)
    first = plan(parse("cats"), spec, 200).request

    second = next_request(spec, first, got=first.size, total=900, cursor=None)

    assert second is not None
    for request, page in ((first, 1), (second, 2)):
        body = json.loads(request.content)
        assert (body["order"], body["order_direction"]) == ("published_date", "desc")
        assert (body["search_for"], body["page"]) == ("cats", page)
    assert page_key(first) != page_key(plan(parse("cats"), usual, 200).request)


@each("source", ["crossref", "openalex", "europepmc", "trove"])
def test_pages_of_the_newest_records_keep_their_order(source: str) -> None:
    """Offset, number and cursor turn the page, and the order stays."""
    spec = newest_first(REGISTRY.spec(source))
    first = plan(parse("cats"), spec, 500, {"METASEARCH_TROVE_KEY": "x"}).request

    second = next_request(spec, first, got=first.size, total=900, cursor="AoE")

    assert second is not None
    assert spec.newest is not None
    fixed = {name for name, value in spec.newest.params.items() if "{" not in str(value)}
    assert {name: dict(second.params)[name] for name in fixed} == {
        name: dict(first.params)[name] for name in fixed
    }
    assert page_key(second) != page_key(first)


def test_by_date_all_words_must_occur() -> None:
    """arXiv ranks by how many plain words it finds, which the order by date does not show."""
    spec = REGISTRY.spec("arxiv")

    assert plan(parse("deep learning"), spec).sent == "all:deep all:learning"
    newest = plan(parse("deep learning"), newest_first(spec))
    assert (newest.sent, newest.notes) == ("all:deep AND all:learning", ())


def test_a_source_that_cannot_sort_by_date_is_asked_as_ever() -> None:
    """Nothing of its spec is another one."""
    spec = REGISTRY.spec("dblp")

    assert newest_first(spec) is spec
