"""What a simulated database answers, what all of them need to say it, and one that fails."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from metasearch.bib.languages import languages
from metasearch.demo.catalogue import CatalogueWork, Holdings, dice
from metasearch.demo.queries import NotUnderstood, lucene
from metasearch.message import N_

#: ISO 639-1 -> the codes of MARC, which PubMed has, too.
MARC_LANGUAGES = {code: language.bibliographic for code, language in languages().items()}


@dataclass(frozen=True, slots=True)
class Reply:
    body: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


def json_reply(value: Any, status: int = 200) -> Reply:
    """A JSON body; characters outside ASCII stay as they are."""
    return Reply(json.dumps(value, ensure_ascii=False).encode(), status)


def own_words(work: CatalogueWork) -> Mapping[str, str]:
    """Type and language in our own words, as a database has them that has no others."""
    return {"type": work.type, "language": work.language}


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedDatabase:
    """One simulated database.

    Attributes:
        name: As users see it: "demo-crossref".
        extends: The shipped adapter spec that reads its answers.
        path: Path of the URL that the spec asks; may hold the spec's placeholders.
        latency: Seconds that an answer takes.
        share: Part of the works that fit which it holds.
        fits: Whether this kind of database would hold the work at all.
        tell: The work as this database has it: what it lacks is gone, what it has wrong is wrong.
        answer: (path, parameters, holdings) -> the reply.
        facets: The type and language of a work in the database's words, by "type" and "language".
        cites: Part of the references of its works that it has.
    """

    name: str
    label: str
    extends: str
    path: str
    latency: float
    share: float
    fits: Callable[[CatalogueWork], bool]
    tell: Callable[[CatalogueWork], CatalogueWork]
    answer: Callable[[str, Mapping[str, str], Holdings], Reply]
    facets: Callable[[CatalogueWork], Mapping[str, str]] = own_words
    cites: float = 0.0

    def holds(self, work: CatalogueWork) -> bool:
        """Whether the work is among its share."""
        return self.fits(work) and dice(self.name, work.id, "held") < self.share


def escape(text: str) -> str:
    """The text, as XML has it. Not by xml.sax.saxutils, which loads an HTTP client."""
    return html.escape(text, quote=False)


def element(name: str, text: str | int, attributes: str = "") -> str:
    """`<name attributes>text</name>`, or nothing for an empty text."""
    if text == "":
        return ""
    return f"<{name}{' ' * bool(attributes)}{attributes}>{escape(str(text))}</{name}>"


def rarely(database: str, work: CatalogueWork, habit: str, share: float) -> bool:
    """Whether a database's habit shows in this work: always the same, about `share` of all. In a
    catalogue that somebody gives, `spelling.py` decides.
    """
    return not work.number and dice(database, work.id, habit) < share


def number(params: Mapping[str, str], name: str, default: int, least: int = 0) -> int:
    """A whole number among the parameters. Raises ValueError: with the parameter's name, where the
    value is no whole number from `least` up.
    """
    raw = params.get(name, "").strip()
    if not raw:
        return default
    if not re.fullmatch(r"\d{1,9}", raw) or int(raw) < least:
        raise ValueError(name)
    return int(raw)


def cursor_after(position: int) -> str:
    """An opaque cursor for the records from `position` on."""
    return base64.urlsafe_b64encode(str(position).encode()).decode()


def cursor_position(cursor: str) -> int:
    """Where a cursor leads; "*" is the start. Raises ValueError: it is no cursor of ours."""
    if cursor == "*":
        return 0
    position = base64.b64decode(cursor, altchars="-_", validate=True).decode("ascii")
    return number({"cursor": position}, "cursor", 0)


def full_name(author: tuple[str, str]) -> str:
    """Given and family name; Chinese names without a blank, family first."""
    family, given = author
    if "\u3400" <= family[:1] <= "\u9fff":
        return family + given
    return f"{given} {family}".strip()


def initials(given: str) -> str:
    """The first letter of each name: "Roland R." -> "R. R."."""
    return " ".join(f"{name[0]}." for name in re.split(r"[\s.]+", given) if name)


def date_parts(date: str) -> list[int]:
    """As Crossref writes dates: "2020-03" -> [2020, 3]."""
    return [int(part) for part in date.split("-")]


# The databases that are not as one would wish: one takes three seconds, one always fails.

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
    "thesis": "Books and Theses",
    "chapter": "Parts in Books or Collections",
}
_EITHER = re.compile(r"[^\s|]+(?:\|[^\s|]+)+")  # a b|c is a (b|c)
_WORD = re.compile(r"[^\s|:$*]+(?![^\s|])")  # the beginning of a word, but for word$
_YEAR = re.compile(r"year:(\d{4}):?")
_TYPE = re.compile(r"type:(\w+):?")


def fits(work: CatalogueWork) -> bool:
    return bool(work.number) or work.subject in _SUBJECTS


def tell(work: CatalogueWork) -> CatalogueWork:
    venue = work.venue if work.number else work.abbrev or work.venue
    if work.type == "preprint" and work.arxiv:
        doi = work.doi * bool(work.number) or f"10.48550/arxiv.{work.arxiv}"
        return work._replace(venue="CoRR", volume=f"abs/{work.arxiv}", doi=doi)
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


def facets(work: CatalogueWork) -> Mapping[str, str]:
    return {"type": _TYPES.get(work.type, "Journal Articles"), "language": work.language}


def _hit(work: CatalogueWork) -> dict[str, Any]:
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
        "authors": {"author": authors if len(authors) > 1 else authors[0]} if authors else None,
        "title": work.full_title + "." * (not work.full_title.endswith((".", "?"))),
        "venue": work.venue,
        "volume": work.volume,
        "number": work.issue,
        "pages": work.pages,
        "year": str(work.year or ""),
        "type": facets(work)["type"],
        "access": "closed",
        "key": key,
        "doi": work.doi.upper(),
        "ee": link,
        "url": f"https://dblp.org/rec/{key}",
    }
    return {
        "@score": "3",
        "@id": str(work.number or work.id[1:]),
        "info": {name: value for name, value in info.items() if value},
    }


SLOW = SimulatedDatabase(
    name=NAME,
    label=N_("dblp (simulated, slow)"),
    extends="dblp",
    path="/search/publ/api",
    latency=3.0,
    share=0.7,
    fits=fits,
    tell=tell,
    answer=answer,
    facets=facets,
)

#: The same in front of a catalogue that somebody gives.
DBLP = replace(SLOW, name="demo-dblp", label=N_("dblp (simulated)"), latency=0.1)


# A database that always fails, in Semantic Scholar's shape: an error that says that it is meant.
# The answer is a 400, so that each request has it: after one that is overloaded (503) or wants a
# pause (429) the next request would not be sent, and be told as limited.

#: What it answers; the error of the source holds these words.
PURPOSE = "this database of the demo fails on purpose"


def fail(path: str, params: Mapping[str, str], holdings: Holdings) -> Reply:
    return json_reply({"error": PURPOSE}, 400)


def fits_nothing(work: CatalogueWork) -> bool:
    return False


def tell_as_it_is(work: CatalogueWork) -> CatalogueWork:
    return work


FAILING = SimulatedDatabase(
    name="demo-failing",
    label=N_("Semantic Scholar (simulated, failing)"),
    extends="semanticscholar",
    path="/graph/v1/paper/search",
    latency=0.03,
    share=0.0,
    fits=fits_nothing,
    tell=tell_as_it_is,
    answer=fail,
)
