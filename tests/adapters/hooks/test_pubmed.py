"""hooks/pubmed.py: esearch, then efetch for its ids."""

from __future__ import annotations

import json

import pytest

from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.parse.parse import STEP, PageContent, PageReading, parse
from metasearch.adapters.request import Page, Request, Secret
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.errors import NotParsable, RateLimited, SourceSaysError
from metasearch.query.tree import Term
from metasearch.settings import Settings
from tests import cases


@pytest.fixture(scope="module")
def spec() -> AdapterSpec:
    return Registry(Settings()).spec("pubmed")


def _search(spec: AdapterSpec, wanted: int = 20, **env: str) -> Request:
    return plan(Term("gene expression"), spec, wanted, env).request


def _found(spec: AdapterSpec, request: Request, **result: object) -> PageContent:
    return parse(Page(request=request, body=json.dumps({"esearchresult": result}).encode()), spec)


def _articles(*pmids: int) -> bytes:
    each = "".join(
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>T{pmid}.</ArticleTitle></Article>"
        "</MedlineCitation></PubmedArticle>"
        for pmid in pmids
    )
    return f"<PubmedArticleSet>{each}</PubmedArticleSet>".encode()


def test_the_search_asks_for_all_ids_at_once(spec: AdapterSpec) -> None:
    """Ids are cheap: one esearch for 250 of them, although records come in hundreds."""
    request = _search(spec, 250)

    assert request.step == "esearch"
    assert dict(request.params)["retmax"] == "250"
    assert dict(request.params)["retstart"] == "0"


def test_ids_lead_to_a_request_for_their_records(spec: AdapterSpec) -> None:
    """efetch lies beside esearch and gets its ids, tool, contact and key, but not its term."""
    request = _search(spec, METASEARCH_CONTACT="me@example.org", METASEARCH_NCBI_KEY="k")

    parsed = _found(spec, request, count="42", idlist=["3", "1", "2"])

    assert parsed.records == ()
    assert parsed.total == 42
    assert parsed.next is not None
    assert parsed.next.url == "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi"
    assert dict(parsed.next.params) == {
        "db": "pubmed",
        "tool": "metasearch",
        "email": Secret("me@example.org"),
        "api_key": Secret("k"),
        "id": "3,1,2",
        "retmode": "xml",
    }
    assert parsed.next.step == "efetch"


@cases.each(
    ("url", "expected"),
    [
        ("http://127.0.0.1:9/eutils/esearch.fcgi", "http://127.0.0.1:9/eutils/efetch.fcgi"),
        ("http://127.0.0.1:9/esearch", "http://127.0.0.1:9/efetch"),
        ("http://127.0.0.1:9/entrez/search", "http://127.0.0.1:9/entrez/efetch.fcgi"),
    ],
)
def test_a_configured_url_moves_both_steps(url: str, expected: str) -> None:
    """A mirror or a test server needs one setting."""
    own = Registry(Settings(sources={"pubmed": {"url": url}})).spec("pubmed")

    parsed = _found(own, _search(own), count="1", idlist=["7"])

    assert parsed.next is not None
    assert parsed.next.url == expected


def test_positions_are_the_ranks_of_the_search(spec: AdapterSpec) -> None:
    """Whatever order the records come in, and whichever is missing."""
    fetch = _found(spec, _search(spec), count="4", idlist=["30", "10", "20", "40"]).next
    assert fetch is not None

    parsed = parse(Page(request=fetch, body=_articles(40, 10, 30)), spec)

    assert [(r.source_id, r.position) for r in parsed.records] == [("40", 4), ("10", 2), ("30", 1)]
    assert parsed.next is None


def test_records_are_fetched_page_after_page(spec: AdapterSpec) -> None:
    """What is left of the ids goes from request to request, until none is left or wanted."""
    ids = [str(n) for n in range(1, 251)]
    request: Request | None = _found(spec, _search(spec, 230), count="9000", idlist=ids).next
    seen: list[int] = []
    asked: list[int] = []

    while request is not None:
        asked.append(request.size)
        chunk = [int(pmid) for pmid in str(dict(request.params)["id"]).split(",")]
        parsed = parse(Page(request=request, body=_articles(*chunk)), spec)
        seen += [r.position for r in parsed.records]
        request = parsed.next

    assert asked == [100, 100, 30]
    assert seen == list(range(1, 231))


def test_what_pubmed_left_out_is_told(spec: AdapterSpec) -> None:
    """Unknown phrases, ignored words, messages, and what was searched for in fact."""
    parsed = _found(
        spec,
        _search(spec),
        count="0",
        idlist=[],
        querytranslation="gene[All Fields]",
        errorlist={"phrasesnotfound": ["zzqx"], "fieldsnotfound": []},
        warninglist={
            "phrasesignored": ["the"],
            "quotedphrasesnotfound": ['"a b"'],
            "outputmessages": ["No items found."],
        },
    )

    assert parsed.next is None
    assert parsed.total == 0
    told = "\n".join(parsed.notes)
    for word in ("zzqx", "the", '"a b"', "No items found.", "gene[All Fields]"):
        assert word in told


def test_xml_says_the_same_as_json(spec: AdapterSpec) -> None:
    """Saved esearch answers may be XML."""
    body = (
        b"<?xml version='1.0'?><!DOCTYPE eSearchResult PUBLIC 'x' "
        b"'y'><eSearchResult><Count>2</Count><IdList><Id>5</Id>"
        b"<Id>6</Id></IdList><QueryTranslation>q</QueryTranslation><ErrorList><PhraseNotFound>zz</PhraseNotFound>"
        b"</ErrorList></eSearchResult>"
    )
    parsed = parse(Page(request=_search(spec), body=body), spec)

    assert parsed.total == 2
    assert parsed.next is not None
    assert dict(parsed.next.params)["id"] == "5,6"
    assert any("zz" in note for note in parsed.notes)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b'{"esearchresult":{"ERROR":"Search Backend failed"}}', SourceSaysError),
        (
            (
                b"<eSearchResult><ERROR>Empty term and query_key - nothing "
                b"todo</ERROR></eSearchResult>"
            ),
            SourceSaysError,
        ),
        (b'{"error":"API rate limit exceeded","count":"11"}', RateLimited),
        (b'{"esearchresult":{"ERROR":"API rate limit exceeded"}}', RateLimited),
        (
            b"<eFetchResult><ERROR>Empty id list - nothing todo</ERROR></eFetchResult>",
            SourceSaysError,
        ),
        (b'{"esearchresult":', NotParsable),
        (b"<eSearchResult><Count>1</Count>", NotParsable),
        (b"<eSpellResult><Query>x</Query><ERROR/></eSpellResult>", NotParsable),
        (b"plain words", NotParsable),
    ],
)
def test_errors_in_a_body_are_errors(
    spec: AdapterSpec, body: bytes, error: type[Exception]
) -> None:
    """The status is 200 all the same."""
    with pytest.raises(error):
        parse(Page(request=_search(spec), body=body), spec)


@pytest.mark.parametrize(
    "result",
    [{}, {"idlist": None}, {"count": "many", "idlist": "12"}, {"idlist": [None, {}, "x", ""]}],
)
def test_odd_results_hold_nothing(spec: AdapterSpec, result: dict[str, object]) -> None:
    """Nothing that is not an id is asked for."""
    parsed = _found(spec, _search(spec), **result)

    assert parsed.next is None or set(str(dict(parsed.next.params)["id"]).split(",")) <= {"1", "2"}


def test_no_secret_is_in_what_is_shown_or_stored(spec: AdapterSpec) -> None:
    """Neither step shows the key or the contact."""
    request = _search(spec, METASEARCH_CONTACT="me@example.org", METASEARCH_NCBI_KEY="hidden-key")
    fetch = _found(spec, request, count="1", idlist=["1"]).next
    assert fetch is not None

    for shown in (request.log_url, fetch.log_url, repr(request), repr(fetch)):
        assert "hidden-key" not in shown
        assert "me@example.org" not in shown
    other = _found(spec, _search(spec), count="1", idlist=["1"]).next
    assert other is not None
    assert page_key(fetch) == page_key(other)


def test_a_search_goes_on_layer_by_layer(spec: AdapterSpec) -> None:
    """When the records of the first ids are read, the next ids are asked for, and ranks go on; the
    first search is the same however deep one goes, and nothing reaches beyond the window."""
    search = plan(Term("gene expression"), spec, 5000, {}, 30).request
    fetch = _found(spec, search, count="50", idlist=[str(n) for n in range(1, 31)]).next
    assert fetch is not None
    again = parse(Page(request=fetch, body=_articles(*range(1, 31))), spec).next
    assert again is not None
    rest = _found(spec, again, count="50", idlist=[str(n) for n in range(31, 51)]).next
    assert rest is not None
    last = parse(Page(request=rest, body=_articles(*range(31, 51))), spec)
    edge = plan(Term("x"), spec, 10_000, {}, 3000).request
    for _ in range(3):
        fetched = _found(spec, edge, count="90000", idlist=[str(n) for n in range(edge.size)]).next
        assert fetched is not None
        assert fetched.after is not None
        edge = fetched.after

    assert page_key(search) == page_key(_search(spec, 30))
    assert (again.step, again.start, again.url) == ("esearch", 30, search.url)
    assert (dict(again.params)["retstart"], dict(again.params)["retmax"]) == ("30", "30")
    assert [record.position for record in last.records] == list(range(31, 51))
    assert last.next is None
    assert (dict(edge.params)["retstart"], dict(edge.params)["retmax"]) == ("9000", "999")


def test_records_of_each_stretch_stand_at_the_rank_of_their_id(spec: AdapterSpec) -> None:
    """What is shown while a long page is read has the positions that the page has in the end."""
    pmids = range(1, 3 * STEP)
    request = _found(
        spec, _search(spec, 99), count="99", idlist=[str(pmid) for pmid in reversed(pmids)]
    ).next
    assert request is not None
    reading = PageReading(Page(request=request, body=_articles(*pmids)), spec)

    before = [record for stretch in reading for record in stretch]

    assert len(before) >= 2 * STEP
    assert before == list(reading.parsed.records[: len(before)])
    assert [record.position for record in before] == [len(pmids) - n for n in range(len(before))]
