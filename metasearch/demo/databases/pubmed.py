"""PubMed's E-utilities: esearch.fcgi gives ids, efetch.fcgi their records in XML.

Titles end in a full stop, page ranges are shortened, journals have both names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from metasearch.demo.catalogue import Holdings, Work, newest_first
from metasearch.demo.databases.faulty import (
    MARC_LANGUAGES,
    Database,
    Reply,
    element,
    json_reply,
    number,
    rarely,
)
from metasearch.demo.queries import NotUnderstood, pubmed

NAME = "demo-pubmed"
MAX_IDS = 10_000
_TAGS = {
    **dict.fromkeys(("ti", "title"), "title"),
    **dict.fromkeys(("tiab", "title/abstract", "tw"), "tiab"),
    "ab": "abstract",
    **dict.fromkeys(("au", "author", "1au", "lastau"), "author"),
    **dict.fromkeys(("ta", "jour", "journal"), "venue"),
    **dict.fromkeys(("mesh", "mh", "majr", "mesh terms", "ot"), "subject"),
    **dict.fromkeys(("dp", "pdat", "edat", "date - publication"), "year"),
    **dict.fromkeys(("doi", "aid", "lid"), "doi"),
    **dict.fromkeys(("is", "issn"), "issn"),
    "isbn": "isbn",
    **dict.fromkeys(("pmid", "uid"), "pmid"),
    **dict.fromkeys(("pt", "publication type"), "type"),
    **dict.fromkeys(("la", "lang", "language"), "language"),
}
_TYPES = {"preprint": "Preprint", "thesis": "Academic Dissertation"}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def fits(work: Work) -> bool:
    return bool(work.pmid)


def tell(work: Work) -> Work:
    if rarely(NAME, work, "no doi", 0.08):
        work = work._replace(doi="")
    if rarely(NAME, work, "next year's issue", 0.04):
        work = work._replace(year=work.year + 1, date="")
    return work


def answer(path: str, params: Mapping[str, str], holdings: Holdings) -> Reply:
    if params.get("db", "pubmed") != "pubmed":
        return json_reply(
            {"esearchresult": {"ERROR": f"Invalid db name specified: {params['db']}"}}
        )
    return (
        _efetch(params, holdings) if path.endswith("/efetch.fcgi") else _esearch(params, holdings)
    )


def _esearch(params: Mapping[str, str], holdings: Holdings) -> Reply:
    term = params.get("term", "").strip()
    if not term:
        return _esearch_reply(params, {"ERROR": "Empty term and query_key - nothing todo"})
    try:
        start, size = number(params, "retstart", 0), number(params, "retmax", 20)
        found = holdings.find(pubmed(term, _TAGS))
    except (NotUnderstood, ValueError) as exc:
        return _esearch_reply(params, {"ERROR": f"Search Backend failed: {exc}"})
    if params.get("sort") == "pub_date":
        found = newest_first(found)
    ids = [work.pmid for work in found[start : start + min(size, MAX_IDS)]]
    result: dict[str, object] = {
        "count": str(len(found)),
        "retmax": str(len(ids)),
        "retstart": str(start),
        "idlist": ids,
        "translationset": [],
        "querytranslation": term,
    }
    if not found:
        result["errorlist"] = {"phrasesnotfound": [term], "fieldsnotfound": []}
    return _esearch_reply(params, result)


def _esearch_reply(params: Mapping[str, str], result: Mapping[str, object]) -> Reply:
    if params.get("retmode") == "json":
        return json_reply(
            {"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result}
        )
    ids = result.get("idlist")
    listed = "".join(element("Id", pmid) for pmid in ids) if isinstance(ids, list) else ""
    names = {"count": "Count", "retmax": "RetMax", "retstart": "RetStart", "ERROR": "ERROR"}
    told = "".join(element(name, str(result[key])) for key, name in names.items() if key in result)
    body = (
        f'<?xml version="1.0" encoding="UTF-8" '
        f"?>\n<eSearchResult>{told}<IdList>{listed}</IdList></eSearchResult>"
    )
    return Reply(body.encode(), content_type="text/xml; charset=UTF-8")


def _efetch(params: Mapping[str, str], holdings: Holdings) -> Reply:
    """The records of the ids, in their order; an unknown id is left out without a word."""
    ids = [part.strip() for part in params.get("id", "").split(",") if part.strip()]
    if not ids:
        return Reply(b'{"error":"Empty id list"}', 400)
    known = {work.pmid: work for work in holdings.works}
    articles = "".join(_article(known[pmid]) for pmid in ids if pmid in known)
    body = f'<?xml version="1.0" ?>\n<PubmedArticleSet>{articles}</PubmedArticleSet>'
    return Reply(body.encode(), content_type="text/xml; charset=UTF-8")


def facets(work: Work) -> Mapping[str, str]:
    """Its words for the type and language of a work."""
    return {
        "type": _TYPES.get(work.type, "Journal Article"),
        "language": MARC_LANGUAGES[work.language],
    }


def _article(work: Work) -> str:
    called = facets(work)
    title = work.full_title if work.full_title.endswith("?") else f"{work.full_title}."
    electronic = element("ELocationID", work.doi, 'EIdType="doi" ValidYN="Y"')
    journal = (
        element("ISSN", work.issn[0] if work.issn else "", 'IssnType="Print"')
        + '<JournalIssue CitedMedium="Print">'
        + element("Volume", work.volume)
        + element("Issue", work.issue)
        + f"<PubDate>{_date(work)}</PubDate></JournalIssue>"
        + element("Title", work.venue)
        + element("ISOAbbreviation", work.abbrev or work.venue)
    )
    pages = element("MedlinePgn", _short(work.pages))
    return (
        '<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM">'
        + element("PMID", work.pmid, 'Version="1"')
        + f'<Article PubModel="Print"><Journal>{journal}</Journal>'
        + element("ArticleTitle", title)
        + (f"<Pagination>{pages}</Pagination>" if pages else "")
        + electronic
        + (
            f"<Abstract>{element('AbstractText', work.abstract)}</Abstract>"
            if work.abstract
            else ""
        )
        + f'<AuthorList CompleteYN="Y">{"".join(map(_author, work.authors))}</AuthorList>'
        + element("Language", called["language"])
        + f"<PublicationTypeList>{element('PublicationType', called['type'])}</PublicationTypeList>"
        + "</Article><MedlineJournalInfo>"
        + element("MedlineTA", work.abbrev or work.venue)
        + "</MedlineJournalInfo></MedlineCitation>"
        + "<PubmedData><PublicationStatus>ppublish</PublicationStatus><ArticleIdList>"
        + element("ArticleId", work.pmid, 'IdType="pubmed"')
        + element("ArticleId", work.doi, 'IdType="doi"')
        + "</ArticleIdList></PubmedData></PubmedArticle>"
    )


def _author(author: tuple[str, str]) -> str:
    family, given = author
    if not given:
        return f'<Author ValidYN="Y">{element("CollectiveName", family)}</Author>'
    letters = "".join(name[0] for name in re.split(r"[\s.-]+", given) if name)
    named = (
        element("LastName", family)
        + element("ForeName", given.replace(".", ""))
        + element("Initials", letters)
    )
    return f'<Author ValidYN="Y">{named}</Author>'


def _date(work: Work) -> str:
    _, month, day = [*work.date.split("-"), "", ""][:3]
    if month and rarely(NAME, work, "medline date", 0.1):
        return element(
            "MedlineDate", f"{work.year} {_MONTHS[int(month) - 1]}-{_MONTHS[int(month) % 12]}"
        )
    return (
        element("Year", work.year)
        + element("Month", _MONTHS[int(month) - 1] if month else "")
        + element("Day", day)
    )


def _short(pages: str) -> str:
    """Page range without repeated digits: "1017-1023" -> "1017-23"."""
    first, _, last = pages.partition("-")
    if not (first.isdigit() and last.isdigit() and len(first) == len(last)):
        return pages
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), len(first))
    return f"{first}-{last[same:]}" if same < len(first) else first


DATABASE = Database(
    name=NAME,
    label="PubMed (simulated)",
    extends="pubmed",
    path="/entrez/eutils/esearch.fcgi",
    latency=0.06,
    share=0.7,
    fits=fits,
    tell=tell,
    answer=answer,
    facets=facets,
)
