"""The databases that are not as one would wish: one takes three seconds, one always fails."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from metasearch.demo.catalogue import Holdings, Work
from metasearch.demo.databases.reply import Database, Reply, full_name, json_reply, number, rarely
from metasearch.demo.queries import NotUnderstood, lucene

# A database in dblp's shape that takes three seconds: full stops, abbreviated venues.

NAME = "demo-slow"
MAX_HITS = 1000
_SUBJECTS = frozenset(
    {"information-systems", "machine-learning", "language-processing", "software"}
)
#: As the record tells them; a query has _ for each blank.
_TYPES = {
    "article": "Journal Articles",
    "conference-paper": "Conference and Workshop Papers",
    "preprint": "Informal and Other Publications",
    "book": "Books and Theses",
}
_EITHER = re.compile(r"[^\s|]+(?:\|[^\s|]+)+")  # a b|c is a (b|c)
_WORD = re.compile(r"[^\s|:$*]+(?![^\s|])")  # the beginning of a word, but for word$
_YEAR = re.compile(r"year:(\d{4}):?")
_TYPE = re.compile(r"type:(\w+):?")


def fits(work: Work) -> bool:
    return work.subject in _SUBJECTS


def tell(work: Work) -> Work:
    venue = work.abbrev or work.venue
    if work.type == "preprint":
        return work._replace(
            venue="CoRR", volume=f"abs/{work.arxiv}", doi=f"10.48550/arxiv.{work.arxiv}"
        )
    return work._replace(venue=venue, doi="" if rarely(NAME, work, "no doi", 0.15) else work.doi)


def answer(path: str, params: Mapping[str, str], holdings: Holdings) -> Reply:
    asked = params.get("q", "")
    if params.get("format", "xml") != "json":
        return Reply(
            b"<html><body>the demo speaks format=json only</body></html>", 400, "text/html"
        )
    try:
        size, start = min(number(params, "h", 30), MAX_HITS), number(params, "f", 0)
        years = {int(year) for year in _YEAR.findall(asked)}
        types = {name.replace("_", " ") for name in _TYPE.findall(asked)}
        words = _TYPE.sub(" ", _YEAR.sub(" ", asked)).strip(" |")
        words = _WORD.sub(r"\g<0>*", words)
        words = _EITHER.sub(lambda either: f"({either[0].replace('|', ' OR ')})", words)
        works = (
            holdings.find(lucene(words, {"author": "author", "venue": "venue"}))
            if words or years or types
            else []
        )
    except (NotUnderstood, ValueError):
        return Reply(b"<html><body><h1>400 Bad Request</h1></body></html>", 400, "text/html")
    works = [work for work in works if not years or work.year in years]
    works = [work for work in works if not types or facets(work)["type"] in types]
    page = works[start : start + size]
    hits: dict[str, Any] = {
        "@total": str(len(works)),
        "@computed": str(len(works)),
        "@sent": str(len(page)),
        "@first": str(start),
    }
    if page:
        hits["hit"] = [_hit(work) for work in page]
    result = {
        "query": asked,
        "status": {"@code": "200", "text": "OK"},
        "completions": {"@total": "0"},
        "hits": hits,
    }
    return json_reply({"result": result})


def facets(work: Work) -> Mapping[str, str]:
    """Its words for the type and language of a work."""
    return {"type": _TYPES[work.type], "language": work.language}


def _hit(work: Work) -> dict[str, Any]:
    authors = [
        {
            "@pid": f"demo/{len(full_name(author))}",
            "text": full_name(author) + " 0001" * rarely(NAME, work, "homonym", 0.05),
        }
        for author in work.authors
    ]
    link = (
        f"https://doi.org/{work.doi}"
        if work.doi
        else f"https://arxiv.org/abs/{work.arxiv}"
        if work.arxiv
        else ""
    )
    key = f"demo/{work.id}"
    info = {
        "authors": {"author": authors if len(authors) > 1 else authors[0]},
        "title": work.full_title + "." * (not work.full_title.endswith("?")),
        "venue": work.venue,
        "volume": work.volume,
        "number": work.issue,
        "pages": work.pages,
        "year": str(work.year),
        "type": facets(work)["type"],
        "access": "closed",
        "key": key,
        "doi": work.doi.upper(),
        "ee": link,
        "url": f"https://dblp.org/rec/{key}",
    }
    return {
        "@score": "3",
        "@id": work.id[1:],
        "info": {name: value for name, value in info.items() if value},
    }


SLOW = Database(
    name=NAME,
    label="dblp (simulated, slow)",
    extends="dblp",
    path="/search/publ/api",
    latency=3.0,
    share=0.7,
    fits=fits,
    tell=tell,
    answer=answer,
    facets=facets,
)


# A database that always fails, in Semantic Scholar's shape: an error that says that it is meant.
#
# The answer is a 400, so that each request has it: after one that is overloaded (503) or wants a
# pause (429) the next request would not be sent, and be told as limited.

#: What it answers; the error of the source holds these words.
PURPOSE = "this database of the demo fails on purpose"


def fail(path: str, params: Mapping[str, str], holdings: Holdings) -> Reply:
    return json_reply({"error": PURPOSE}, 400)


def fits_nothing(work: Work) -> bool:
    return False


def tell_as_it_is(work: Work) -> Work:
    return work


FAILING = Database(
    name="demo-failing",
    label="Semantic Scholar (simulated, failing)",
    extends="semanticscholar",
    path="/graph/v1/paper/search",
    latency=0.03,
    share=0.0,
    fits=fits_nothing,
    tell=tell_as_it_is,
    answer=fail,
)
