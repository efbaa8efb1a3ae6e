"""A library catalogue: SRU 1.2 with MARCXML, errors as diagnostics.

It holds books, scores, recordings and theses, and punctuates them as in ISBD.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from metasearch.demo.catalogue import CatalogueWork, Holdings
from metasearch.demo.databases.database import (
    MARC_LANGUAGES,
    Reply,
    SimulatedDatabase,
    element,
    escape,
    full_name,
    number,
    rarely,
)
from metasearch.demo.queries import NotUnderstood, UnknownIndex, cql
from metasearch.message import N_

NAME = "demo-library"
MAX_RECORDS = 100
_LEADERS = {"book": "a", "thesis": "a", "score": "c", "audio": "j"}
_INDEXES = {
    **dict.fromkeys(
        ("serverchoice", "anywhere", "any", "all", "keyword", "allindexes", "text"), "any"
    ),
    "title": "title",
    **dict.fromkeys(("creator", "author", "name", "personalname", "contributor"), "author"),
    "subject": "subject",
    "publisher": "venue",
    **dict.fromkeys(("date", "year", "dateissued"), "year"),
    "isbn": "isbn",
    "issn": "issn",
}
_DIAGNOSTICS = {
    4: "Unsupported operation",
    6: "Unsupported parameter value",
    7: "Mandatory parameter not supplied",
    10: "Query syntax error",
    16: "Unsupported index",
    61: "First record position out of range",
    66: "Unknown schema for retrieval",
}


def fits(work: CatalogueWork) -> bool:
    return work.type in _LEADERS


def tell(work: CatalogueWork) -> CatalogueWork:
    if rarely(NAME, work, "no subtitle", 0.12):
        work = work._replace(subtitle="")
    if work.type == "book" and rarely(NAME, work, "copyright year", 0.05):
        work = work._replace(year=work.year - 1)
    return work


def answer(path: str, params: Mapping[str, str], holdings: Holdings) -> Reply:
    operation = params.get("operation", "searchRetrieve" if "query" in params else "explain")
    if operation == "explain":
        return _explain(holdings)
    if operation != "searchRetrieve":
        return _response(_diagnostic(4, operation))
    if "version" not in params:
        return _response(_diagnostic(7, "version"))
    if not params.get("query", "").strip():
        return _response(_diagnostic(7, "query"))
    if params.get("recordSchema", "marcxml") not in ("marcxml", "info:srw/schema/1/marcxml-v1.1"):
        return _response(_diagnostic(66, params["recordSchema"]))
    try:
        start = number(params, "startRecord", 1, least=1)
        size = min(number(params, "maximumRecords", 10), MAX_RECORDS)
    except ValueError as exc:
        return _response(_diagnostic(6, str(exc)))
    try:
        works = holdings.find(cql(params["query"], _INDEXES))
    except UnknownIndex as exc:
        return _response(_diagnostic(16, str(exc)))
    except NotUnderstood as exc:
        return _response(_diagnostic(10, str(exc)))
    if start > max(1, len(works)):
        return _response(_diagnostic(61, str(start)), len(works))
    page = works[start - 1 : start - 1 + size]
    records = "".join(_record(work, position) for position, work in enumerate(page, start))
    after = start + len(page)
    return _response(
        (f"<zs:records>{records}</zs:records>" if records else "")
        + (element("zs:nextRecordPosition", after) if after <= len(works) else "")
        + "<zs:echoedSearchRetrieveRequest>"
        + element("zs:query", params["query"])
        + "</zs:echoedSearchRetrieveRequest>",
        len(works),
    )


def _response(inner: str, total: int = 0) -> Reply:
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<zs:searchRetrieveResponse '
        'xmlns:zs="http://www.loc.gov/zing/srw/">'
        f"<zs:version>1.2</zs:version><zs:numberOfRecords>{total}</zs:numberOfRecords>{inner}</zs:searchRetrieveResponse>"
    )
    return Reply(body.encode(), content_type="text/xml; charset=utf-8")


def _diagnostic(code: int, details: str) -> str:
    return (
        '<zs:diagnostics xmlns:diag="http://www.loc.gov/zing/srw/diagnostic/"><diag:diagnostic>'
        f"<diag:uri>info:srw/diagnostic/1/{code}</diag:uri>{element('diag:details', details)}"
        f"<diag:message>{_DIAGNOSTICS[code]}</diag:message></diag:diagnostic></zs:diagnostics>"
    )


def _explain(holdings: Holdings) -> Reply:
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<zs:explainResponse '
        'xmlns:zs="http://www.loc.gov/zing/srw/">'
        "<zs:version>1.2</zs:version><zs:record><zs:recordSchema>http://explain.z3950.org/dtd/2.0/</zs:recordSchema>"
        "<zs:recordPacking>xml</zs:recordPacking><zs:recordData><explain "
        'xmlns="http://explain.z3950.org/dtd/2.0/">'
        f'<databaseInfo><title lang="en" primary="true">A simulated library, {len(holdings.works)} '
        f"records</title>"
        "</databaseInfo></explain></zs:recordData></zs:record></zs:explainResponse>"
    )
    return Reply(body.encode(), content_type="text/xml; charset=utf-8")


def _record(work: CatalogueWork, position: int) -> str:
    return (
        "<zs:record><zs:recordSchema>marcxml</zs:recordSchema><zs:recordPacking>xml</zs:recordPacking>"
        f"<zs:recordData><record "
        f'xmlns="http://www.loc.gov/MARC21/slim">{_marc(work)}</record></zs:recordData>'
        f"<zs:recordPosition>{position}</zs:recordPosition></zs:record>"
    )


def _marc(work: CatalogueWork) -> str:
    language = MARC_LANGUAGES.get(work.language, "und")
    fixed = f"010101s{work.year or '':4}    xx            000 0 {language} d"
    names = [full_name(author) for author in work.authors]
    # Chinese headings have no comma.
    persons = [
        name if name.startswith(family) else f"{family}, {given}"
        for name, (family, given) in zip(names, work.authors, strict=True)
    ]
    statement = ", ".join(names)
    title = (work.title + " :", work.subtitle + " /") if work.subtitle else (work.title + " /", "")
    fields = [
        *(_field("020", " ", " ", a=_isbn_text(work, isbn)) for isbn in work.isbn),
        *(_field("100", "1", " ", a=person) for person in persons[:1]),
        _field("245", "1", "0", a=title[0], b=title[1], c=statement and statement + "."),
    ]
    if work.type == "thesis":
        fields.append(_field("502", " ", " ", a=f"Thesis--{work.publisher}, {work.year or 's.a'}."))
    else:
        place = f"{work.place} :" if work.place else "[S.l.] :"
        publisher = f"{work.publisher}," if work.publisher else "[s.n.],"
        fields.append(
            _field("260", " ", " ", a=place, b=publisher, c=f"c{work.year}." if work.year else "")
        )
    if work.abstract:
        fields.append(_field("520", " ", " ", a=work.abstract))
    fields += [_field("650", " ", "0", a=f"{keyword}.") for keyword in work.keywords]
    fields += [_field("700", "1", " ", a=person) for person in persons[1:]]
    return (
        f"<leader>00000n{_LEADERS[work.type]}m a2200000 a 4500</leader>"
        f'<controlfield tag="001">demo-{escape(work.id)}</controlfield><controlfield '
        f'tag="008">{fixed}</controlfield>' + "".join(fields)
    )


def _field(tag: str, first: str, second: str, **subfields: str) -> str:
    told = "".join(
        f'<subfield code="{code}">{escape(text)}</subfield>'
        for code, text in subfields.items()
        if text
    )
    return f'<datafield tag="{tag}" ind1="{first}" ind2="{second}">{told}</datafield>'


def _isbn_text(work: CatalogueWork, isbn: str) -> str:
    """Older books carry the ISBN-10, some with a word on the binding."""
    if work.year < 2007 and re.fullmatch(r"978\d{10}", isbn):
        core = isbn[3:12]
        check = -sum((10 - place) * int(digit) for place, digit in enumerate(core)) % 11
        isbn = core + ("X" if check == 10 else str(check))
    return f"{isbn} (pbk.)" if rarely(NAME, work, "binding", 0.3) else isbn


DATABASE = SimulatedDatabase(
    name=NAME,
    label=N_("Library catalogue, SRU (simulated)"),
    extends="sru",
    path="/catalogue",
    latency=0.25,
    share=0.7,
    fits=fits,
    tell=tell,
    answer=answer,
)
