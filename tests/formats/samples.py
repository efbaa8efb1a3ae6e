"""Hits and answers for the tests of the formats, and text as hostile as upstream can send it."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from metasearch.errors import TimedOut
from metasearch.events import Answer, Counts, SourceReport
from metasearch.record import TYPES, Author, Hit, Match, Reason, Record, Version
from tests.examples import examples


def hit(hit_id: str = "crossref:1", *, rank: int = 0, score: float = 0.0, **fields: Any) -> Hit:
    """A hit made of one record with these fields."""
    record = Record(**{"source": "crossref", "source_id": "1", "position": 1} | fields)
    return Hit(hit_id, record, (record,), {"title": record.source}, rank=rank, score=score)


def answer(*hits: Hit, complete: bool = True) -> Answer:
    """A finished answer of these hits from two sources, the second of which failed where it is not
    complete."""
    failed = SourceReport(
        "dblp", "timeout", seconds=8.0, error=TimedOut("dblp", "no whole answer within 8 s")
    )
    reports = (SourceReport("crossref", "ok", len(hits), 1234, 0.25, "query=attention"),)
    counts = Counts(len(hits) + 2, len(hits), 2)
    return Answer(
        "attention", complete, counts, hits, reports if complete else (*reports, failed), 0.5
    )


_PUBLISHED = Record(
    source="crossref",
    source_id="10.1109/5.771073",
    position=3,
    url="https://example.org/works/5.771073",
    title="Toward unique identifiers",
    authors=(
        Author("Norman Paskin", "Paskin", "Norman", "0000-0002-1825-0097"),
        Author("IEEE Standards Committee"),
    ),
    year=1999,
    date="1999-07",
    venue="Proceedings of the IEEE",
    publisher="IEEE",
    volume="87",
    issue="7",
    pages="1208-27",
    doi="10.1109/5.771073",
    ids={"openalex": "W2147152072", "arxiv": "9907.00001"},
    issn=("0018-9219",),
    type="article",
    language="en",
    abstract="Names for things,\nand things that last.",
    keywords=("identifiers", "DOI & handles"),
    citations=40,
    pdf_url="https://example.org/works/5.771073.pdf",
)
_PREPRINT = Record(
    source="arxiv",
    source_id="9907.00001",
    position=1,
    url="https://arxiv.org/abs/9907.00001",
    title="Unique identifiers",
)

#: One work from two sources, with everything that a hit can have.
MERGED = Hit(
    id="arxiv:9907.00001",
    record=_PUBLISHED,
    records=(_PREPRINT, _PUBLISHED),
    provenance={"title": "crossref", "ids.arxiv": "arxiv", "year": "crossref"},
    matches=(Match("title", "version", 0.93, "titles agree 0.93", _PREPRINT.key, _PUBLISHED.key),),
    versions=(Version("preprint", (_PREPRINT.key,)), Version("published", (_PUBLISHED.key,))),
    score=0.0323,
    rank=1,
    reasons=(
        Reason("crossref ranks it 3", 0.0159, "crossref"),
        Reason("arxiv ranks it 1", 0.0164, "arxiv"),
    ),
)

#: For all properties: many hits are built from many strings, and a busy machine is no failure.
properties = examples(0.6)

#: Every code point, lone surrogates included, and what the formats' own syntax is made of.
hostile = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=30),
    st.lists(
        st.sampled_from(
            ["\r\n", "\n", "ER  - ", "TY  - JOUR", "\x1b[2J", "\x1b]8;;http://x\x07", "\x9b31m",
            "{", "}", "\\", '"',
             ",", "@misc{x,", "@comment(", "\n@", "%", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)",
             "\t", "]]>", "<b>",
             "&amp;", "\x00", "\u202e", "\u2028", "\ud800", "\ufffe", " and ", "others", "word",
             "Ünï", "中文", "--",
             "$", "_", "http://x/", "javascript:alert(1)", "DNA", "A", ":", ";", "'", "~", "^", "#"]
        ),
        max_size=6,
    ).map("".join),
)  # fmt: skip
_maybe = st.none() | hostile
_authors = st.builds(
    Author,
    name=hostile.filter(bool),
    family=_maybe,
    given=_maybe,
    orcid=st.none() | st.just("0000-0002-1825-0097"),
)
_few = st.lists(hostile, max_size=3).map(tuple)
_records = st.builds(
    Record,
    source=st.sampled_from(["arxiv", "crossref", "pubmed"]),
    source_id=hostile,
    position=st.integers(0, 99),
    url=_maybe,
    title=hostile,
    subtitle=_maybe,
    authors=st.lists(_authors, max_size=3).map(tuple),
    year=st.none() | st.integers(-5, 12_000) | st.just(10**30),
    date=st.none()
    | hostile
    | st.sampled_from(["2020", "2020-03", "2020-03-15", "2020-02-31", "0000-13-00"]),
    venue=_maybe,
    publisher=_maybe,
    edition=_maybe,
    volume=_maybe,
    issue=_maybe,
    pages=_maybe | st.sampled_from(["1-9", "123-8", "e12"]),
    doi=_maybe,
    ids=st.dictionaries(st.sampled_from(["arxiv", "pmid"]) | hostile, hostile, max_size=2),
    isbn=_few,
    issn=_few,
    type=st.none() | st.sampled_from(TYPES),
    language=_maybe,
    abstract=_maybe,
    keywords=_few,
    citations=st.none() | st.integers(),
    pdf_url=_maybe,
)
_matches = st.builds(
    Match,
    st.just("doi"),
    st.sampled_from(["same", "version"]),
    st.floats(0, 1),
    hostile,
    hostile,
    hostile,
)


@st.composite
def hostile_hits(draw: st.DrawFn) -> Hit:
    """A hit all of whose upstream text is hostile."""
    records = tuple(draw(st.lists(_records, min_size=1, max_size=2)))
    return Hit(
        id=draw(hostile),
        record=records[0],
        records=records,
        provenance=draw(st.dictionaries(hostile, st.just("crossref"), max_size=2)),
        matches=tuple(draw(st.lists(_matches, max_size=1))),
        score=draw(st.floats(0, 10)),
        rank=draw(st.integers(0, 300)),
        reasons=(Reason(draw(hostile), 0.5, "crossref"),),
    )
