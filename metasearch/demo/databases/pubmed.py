"""PubMed's E-utilities: esearch.fcgi gives ids, elink.fcgi those of citations, efetch.fcgi their
records in XML.

Titles end in a full stop, page ranges are shortened, journals have both names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from metasearch.bib import notices
from metasearch.demo.catalogue import CatalogueWork, Holdings, newest_first
from metasearch.demo.databases.database import (
    MARC_LANGUAGES,
    Reply,
    SimulatedDatabase,
    element,
    json_reply,
    number,
    rarely,
)
from metasearch.demo.queries import NotUnderstood, pubmed
from metasearch.message import N_
from metasearch.query.tree import Term

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
_NOTICES = {"concern": "ExpressionOfConcernIn", "correction": "ErratumIn"}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def fits(work: CatalogueWork) -> bool:
    return bool(work.pmid)


def tell(work: CatalogueWork) -> CatalogueWork:
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
    if path.endswith("/elink.fcgi"):
        return _elink(params, holdings)
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
        return json_reply({"header": _header("esearch"), "esearchresult": result})
    ids = result.get("idlist")
    listed = "".join(element("Id", pmid) for pmid in ids) if isinstance(ids, list) else ""
    names = {"count": "Count", "retmax": "RetMax", "retstart": "RetStart", "ERROR": "ERROR"}
    told = "".join(element(name, str(result[key])) for key, name in names.items() if key in result)
    body = (
        f'<?xml version="1.0" encoding="UTF-8" '
        f"?>\n<eSearchResult>{told}<IdList>{listed}</IdList></eSearchResult>"
    )
    return Reply(body.encode(), content_type="text/xml; charset=UTF-8")


def _elink(params: Mapping[str, str], holdings: Holdings) -> Reply:
    """The ids at the other end of citations; in JSON, which alone is asked for here."""
    ends = {
        "pubmed_pubmed_refs": holdings.references,
        "pubmed_pubmed_citedin": holdings.citing,
    }
    name, asked = params.get("linkname", ""), params.get("id", "")
    if name not in ends:
        return json_reply({"header": _header("elink"), "ERROR": f"Invalid linkname: {name}"})
    works = holdings.find(Term(asked, "pmid"))
    links = [end.pmid for work in works for end in ends[name](work) if end.pmid]
    found: dict[str, object] = {"dbfrom": "pubmed", "ids": [asked]}
    if links:
        found["linksetdbs"] = [{"dbto": "pubmed", "linkname": name, "links": links}]
    return json_reply({"header": _header("elink"), "linksets": [found]})


def _header(kind: str) -> dict[str, str]:
    return {"type": kind, "version": "0.3"}


def _efetch(params: Mapping[str, str], holdings: Holdings) -> Reply:
    """The records of the ids, in their order; an unknown id is left out without a word."""
    ids = [part.strip() for part in params.get("id", "").split(",") if part.strip()]
    if not ids:
        return Reply(b'{"error":"Empty id list"}', 400)
    found = (work for pmid in ids for work in holdings.find(Term(pmid, "pmid"))[:1])
    articles = "".join(map(_article, found))
    body = f'<?xml version="1.0" ?>\n<PubmedArticleSet>{articles}</PubmedArticleSet>'
    return Reply(body.encode(), content_type="text/xml; charset=UTF-8")


def facets(work: CatalogueWork) -> Mapping[str, str]:
    return {
        "type": _TYPES.get(work.type, "Journal Article"),
        "language": MARC_LANGUAGES.get(work.language, "und"),
    }


def _article(work: CatalogueWork) -> str:
    called = facets(work)
    title = work.full_title if work.full_title.endswith((".", "?")) else f"{work.full_title}."
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
        + f"</MedlineJournalInfo>{_corrections(work)}</MedlineCitation>"
        + "<PubmedData><PublicationStatus>ppublish</PublicationStatus><ArticleIdList>"
        + element("ArticleId", work.pmid, 'IdType="pubmed"')
        + element("ArticleId", work.doi, 'IdType="doi"')
        + "</ArticleIdList></PubmedData></PubmedArticle>"
    )


def _corrections(work: CatalogueWork) -> str:
    told = ""
    for notice in filter(None, map(notices.read, work.notices)):
        year, month, day = [*notice.date.split("-"), "", ""][:3]
        date = " ".join(
            filter(None, (year, _MONTHS[int(month) - 1] if month else "", day.lstrip("0")))
        )
        doi = f" doi: {notice.link}." if notice.link.startswith("10.") else ""
        place = f"{work.abbrev or work.venue}. {date};1(1):1.{doi}"
        kind = _NOTICES.get(notice.kind, "RetractionIn")
        told += (
            f'<CommentsCorrections RefType="{kind}">{element("RefSource", place)}'
            "</CommentsCorrections>"
        )
    return f"<CommentsCorrectionsList>{told}</CommentsCorrectionsList>" if told else ""


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


def _date(work: CatalogueWork) -> str:
    _, month, day = [*work.date.split("-"), "", ""][:3]
    if month and rarely(NAME, work, "medline date", 0.1):
        return element(
            "MedlineDate", f"{work.year} {_MONTHS[int(month) - 1]}-{_MONTHS[int(month) % 12]}"
        )
    return (
        element("Year", work.year or "")
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


DATABASE = SimulatedDatabase(
    name=NAME,
    label=N_("PubMed (simulated)"),
    extends="pubmed",
    path="/entrez/eutils/esearch.fcgi",
    latency=0.06,
    share=0.7,
    fits=fits,
    tell=tell,
    answer=answer,
    facets=facets,
    cites=0.95,
)
