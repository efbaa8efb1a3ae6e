"""What assistants type where a query is expected, and what is given up where nothing is found."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from metasearch.query import Years
from metasearch.server.protocols.assistant_questions import plain_words, wish
from tests.cases import each
from tests.server.fake import FakeEngine, FakeSearch, answer, hit, report

TODAY = date(2026, 11, 29)


@each(
    "text, query, years",
    [
        ("recent papers (2020-2024) on gambling harm", "gambling harm", Years(2020, 2024)),
        ("latest research on sleep since 2019", "sleep", Years(2019, None)),
        ("papers from the last five years on sleep and memory", "sleep memory", Years(2021, None)),
        ("articles about sleep published before 2010", "sleep", Years(None, 2010)),
        ("I need articles on sleep between 2015 and 2020", "sleep", Years(2015, 2020)),
        ("papers on sleep from 2015 to present", "sleep", Years(2015, None)),
        ("literature about sleep over the past decade", "sleep", Years(2016, None)),
        ("some studies on sleep published in 2021", "sleep", Years(2021, 2021)),
        ("gambling harm (2020-2024)", "gambling harm", Years(2020, 2024)),
        ("papers on gambling harm (2020-)", "gambling harm", Years(2020, None)),
        ("gambling harm (since 2020)", "gambling harm", Years(2020, None)),
        ("gambling harm (2021)", "gambling harm", Years(2021, 2021)),
        ("a list of 10 recent papers on sleep", "sleep", None),
        ("sleep apnea research papers 2021 2022", "sleep apnea", Years(2021, 2022)),
        ("sleep apnea peer-reviewed journal articles pdf", "sleep apnea", None),
        ("What are the effects of coffee on sleep?", "effects coffee sleep", None),
        ("What is cognitive therapy (CBT)?", "cognitive therapy CBT", None),
        ("关于赌博危害的近五年论文有哪些？", "赌博危害", Years(2021, None)),
        ("赌博对青少年的影响是什么？", "赌博 青少年 影响", None),
        ("抑郁和焦虑与睡眠有什么关系", "抑郁 焦虑 睡眠 关系", None),
        ("近三年关于赌博危害的研究", "赌博危害", Years(2023, None)),
        ("请问赌博成瘾2020年以来的最新研究", "赌博成瘾", Years(2020, None)),
        ("2015-2020年赌博成瘾的综述", "赌博成瘾", Years(2015, 2020)),
    ],
)
def test_a_question_names_words_and_years(text: str, query: str, years: Years | None) -> None:
    found = wish(text, today=TODAY)
    assert (found.query, found.years) == (query, years)
    assert found.notes


@each(
    "text",
    [
        "gambling harm",
        "Studies on hysteria",
        "evidence on statins",
        "New evidence for dark matter",
        "Original work in topology",
        "sleep studies 2021",
        "the great depression 1929-1939",
        "New York papers of the 1920s",
        "recent advances in gene therapy",
        "(gambling OR betting) harm",
        'papers on "gene drive"',
        "title:x after a",
        "brain NEAR/3 injury",
        "10.1000/abc",
        "PMID: 33301246",
        "乳腺癌术后护理",
        "mice\nOR rats",
    ],
)
def test_what_is_no_question_stays_as_it_is(text: str) -> None:
    found = wish(text, today=TODAY)
    assert (found.query, found.years, found.notes) == (text, None, ())


def test_what_is_left_out_of_a_question_is_said() -> None:
    assert wish("recent papers on gambling harm", today=TODAY).notes == (
        "Searched for the words that carry the question: gambling harm",
        "Left out of the query: recent, papers, on",
        "'recent' names no years: works of all years are searched for",
    )


# --------------------------------------------------------------------------- web search


@each(
    "text, query, years, said",
    [
        ("site:nature.com gambling filetype:pdf", "gambling", None, 2),
        ("(site:a.com OR site:b.com) gambling", "gambling", None, 2),
        ("gambling site:a.com OR site:b.com harm", "gambling harm", None, 2),
        ("gambling NOT site:a.com AND harm", "gambling AND harm", None, 1),
        ("(gambling OR betting) -inurl:blog", "( gambling OR betting )", None, 1),
        ('"gambling harm" ext:pdf', '"gambling harm"', None, 1),
        ("gambling after:2019", "gambling", Years(2019, None), 1),
        ("gambling after:2015-03 before:2020", "gambling", Years(2015, 2019), 1),
        ("gambling before:2020-06-01", "gambling", Years(None, 2020), 1),
        (":zh-CN !images gambling !!g", "gambling", None, 3),
        ("intext:gambling harm", "gambling harm", None, 0),
        ('title:"gene drive" site:a.com', 'title:"gene drive"', None, 1),
        ("-site:a.com", "", None, 1),
    ],
)
def test_operators_of_web_search_are_no_words(
    text: str, query: str, years: Years | None, said: int
) -> None:
    found = wish(text, today=TODAY)
    assert (found.query, found.years, len(found.notes)) == (query, years, said)


def test_a_site_may_be_a_source() -> None:
    """But not where another one is none: then works of both are meant."""
    names = ["arxiv", "pubmed"]
    assert wish("site:arxiv.org x", names).sources == ("arxiv",)
    assert wish("site:pubmed.ncbi.nlm.nih.gov x", names).sources == ("pubmed",)
    assert wish("site:arxiv.org OR site:nature.com x", names).sources == ()
    assert wish("-site:arxiv.org x", names).sources == ()


@each(
    "piece", ["site:a ", '"', "(", "recent ", "2020-", "(2020-2024) ", "的最新", "a:", "!x ", "OR "]
)
def test_work_and_answers_are_bounded(piece: str) -> None:
    found = wish((piece * 30_000)[:30_000], ["arxiv"], TODAY)
    assert len(found.words) <= 20
    assert len(" ".join(found.notes)) < 5_000
    assert len(plain_words((piece * 30_000)[:30_000])) <= 20


# --------------------------------------------------------------------------- nothing is found


class Sparse(FakeEngine):
    """Finds something only for queries that hold a text, in all years or only where none are."""

    def __init__(self, found_by: str, *, of_years: bool = True) -> None:
        super().__init__(answer(hit(1)))
        self.found_by, self.of_years = found_by, of_years

    def search(self, query: Any, **given: Any) -> FakeSearch:
        full, self.answer = self.answer, answer(reports=[report("alpha", count=0)])
        options = query
        if self.found_by in str(options.query) and (self.of_years or options.years is None):
            self.answer = full
        try:
            return super().search(query, **given)
        finally:
            self.answer = full


@each(
    ("asked", "found_by", "of_years", "note"),
    [
        ("gambling harm youth", "OR", True, "No work has all words"),
        ('"gambling harm" youth', "OR", True, "No work has all words"),
        ("papers on gambling harm since 2024", "OR", False, "No work of these years"),
        ("papers on gambling since 2024", "gambling", False, "No work of these years"),
    ],
)
async def test_where_nothing_is_found_less_is_asked(
    serve: Any, asked: str, found_by: str, of_years: bool, note: str
) -> None:
    client = await serve(Sparse(found_by, of_years=of_years))
    response = await client.get("/searxng/search", params={"q": asked, "format": "json"})
    document = await response.json()

    assert response.status == 200
    assert len(document["results"]) == 1
    assert any(each.startswith(note) for each in document["notes"])


async def test_a_query_is_not_widened(serve: Any) -> None:
    engine = Sparse("nowhere")
    client = await serve(engine)
    for query in ("gambling AND harm", "title:gambling harm", "(gambling harm)"):
        response = await client.get("/searxng/search", params={"q": query, "format": "json"})
        assert (await response.json())["results"] == []
    assert len(engine.asked) == 3


async def test_nothing_is_widened_where_no_source_answered(serve: Any) -> None:
    engine = Sparse("nowhere")
    engine.answer = replace(engine.answer, sources=())
    client = await serve(engine)
    response = await client.get("/searxng/search", params={"q": "only-site", "format": "json"})
    assert (await response.json())["results"] == []
    assert len(engine.asked) == 1


async def test_operators_of_web_search_are_no_bad_request(serve: Any) -> None:
    engine = FakeEngine()
    client = await serve(engine)
    query = "site:nature.com gambling harm filetype:pdf after:2019"
    response = await client.get("/searxng/search", params={"q": query, "format": "json"})
    document = await response.json()

    assert response.status == 200
    assert [engine.asked[0][name] for name in ("query", "years")] == [
        "gambling harm",
        Years(2019, None),
    ]
    assert len(document["notes"]) == 3


@each(
    "text, query, years",
    [
        ("site: nature.com gambling", "gambling", None),
        ("gambling 2015..2019", "gambling", Years(2015, 2019)),
        ("define:gambling", "gambling", None),
        ("foo:bar gambling", "foo bar gambling", None),
        ("topic:gambling", "subject:gambling", None),
        ("请帮我找关于赌博的论文", "赌博", None),
        ("赌博 和 健康 的 研究", "赌博 健康", None),
    ],
)
def test_what_no_program_here_has_is_no_bad_request(
    text: str, query: str, years: Years | None
) -> None:
    """Names that are no field, too: they are words, or the nearest field, and that is said."""
    found = wish(text, today=TODAY)
    assert (found.query, found.years) == (query, years)
    assert found.notes or text.startswith("define")
