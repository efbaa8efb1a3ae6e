"""Which database a record came from, and under which number: what names, links and accession
numbers give away.

An identifier gets a scheme only where its form or the link beside it says whose it is: a bare
number may be the running number of a private library.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from metasearch.bib import converters, web_addresses
from metasearch.formats.reading.values import SHORT, text

#: Characters of a link that are looked at: what tells its database stands at its beginning.
_OF_LINK = 500
#: Ovid's names of its files, as they stand in its links ("&D=med1"), by their beginnings.
_OVID = (
    (re.compile(r"med|prem|ppez|pmnm|mesx|mepd|dowd"), "MEDLINE"),
    (re.compile(r"em[ec]|emed|oemez"), "Embase"),
    (re.compile(r"cctr"), "Cochrane CENTRAL"),
    (re.compile(r"psy"), "APA PsycInfo"),
)
_OVID_LINK = re.compile(r"\bovid\w*\.[^?\s]*\?(?:\S*?&)?D=([a-z0-9]+)", re.IGNORECASE)
_EBSCO_LINK = re.compile(r"\bebscohost\.com/\S*?[?&]db=([a-z0-9]+)", re.IGNORECASE)
_HOSTS = (
    (re.compile(r"//(?:www\.)?scopus\.com/"), "Scopus"),
    (re.compile(r"//(?:www\.|gateway\.)?webof(?:science|knowledge)\.com/"), "Web of Science"),
    (re.compile(r"//(?:www\.)?lens\.org/"), "Lens"),
    (re.compile(r"//(?:www\.|search\.)?proquest\.com/"), "ProQuest"),
    (re.compile(r"//(?:www\.)?embase\.com/"), "Embase"),
    (re.compile(r"//(?:www\.)?cochranelibrary\.com/"), "Cochrane Library"),
    (re.compile(r"//[\w.]*cnki\.net/"), "CNKI"),
    (re.compile(r"//[\w.]*wanfangdata\.com(?:\.cn)?/"), "Wanfang"),
    (re.compile(r"//[\w.]*cqvip\.com/"), "VIP"),
)
_CODE = re.compile(r"[a-z0-9]{2,8}")

_WOS = re.compile(
    r"(WOS|ISI|MEDLINE|CSCD|KJD|SCIELO|RSCI|BCI|BIOSIS|CABI|ZOOREC|PPRN|DIIDW|CCC):\s?(\S+)"
)
_PSYCINFO = re.compile(r"\d{4}-\d{5}-\d{3}")
_CENTRAL = re.compile(r"CN-\d{8}")
_EMBASE = re.compile(r"L(\d{6,})")
_LENS = re.compile(r"lens\.org/(?:lens/)?((?:\d{3}-){4}\d{2}[\dX])")
_SCOPUS = re.compile(r"\beid=(2-s2\.0-\d+)")
_PUBMED = re.compile(r"(?:ncbi\.nlm\.nih\.gov/pubmed|pubmed\.ncbi\.nlm\.nih\.gov)/(\d{1,8})\b")
_PMC = re.compile(r"/PMC(\d{1,9})\b")
_CNKI = re.compile(r"cnki\.net/\S*?[?&]filename=([\w.]+)", re.IGNORECASE)
_WANFANG = re.compile(r"wanfangdata\.com(?:\.cn)?/\S*?[?&]id=([\w-]+)", re.IGNORECASE)
_LABELLED = re.compile(r"(PMID|PMC(?:ID)?)[:\s]*(?:PMC)?(\d{1,9})", re.IGNORECASE)
_OURS = re.compile(r"[a-z][a-z0-9_-]*:[^\s:;][^\s;]*(?:; [a-z][a-z0-9_-]*:[^\s:;][^\s;]*)*")


def database(
    said: Sequence[str], provider: Sequence[str], links: Iterable[str], numbers: Iterable[str]
) -> str | None:
    """The name of the database."""
    names = list(dict.fromkeys(shown for name in said if (shown := text(name[:SHORT]))))
    hosts = list(dict.fromkeys(shown for name in provider if (shown := text(name[:SHORT]))))
    are_codes = bool(names) and all(_CODE.fullmatch(name) for name in names)
    if are_codes and hosts and names != hosts:
        return f"{'; '.join(names)} ({hosts[0]})"  # EBSCOhost names its databases by codes
    if names or hosts:
        return "; ".join(names or hosts[:1])
    for number in numbers:
        if _WOS.match(number):
            return "Web of Science"
    return _of_links(links)


def _of_links(links: Iterable[str]) -> str | None:
    for link in links:
        link = link[:_OF_LINK]
        code = ovid_file(link)
        if code:
            return next((name for known, name in _OVID if known.match(code)), f"Ovid {code}")
        hit = _EBSCO_LINK.search(link)
        if hit:
            return f"{hit[1].lower()} (EBSCOhost)"
        found = next((name for host, name in _HOSTS if host.search(link)), None)
        if found:
            return found
    return None


def ovid_file(link: str) -> str:
    """Ovid's name of the file that a link leads to ("med1", "emexb"); "" for other links."""
    hit = _OVID_LINK.search(link[:_OF_LINK])
    return hit[1].lower() if hit else ""


def identifiers(
    numbers: Iterable[str],
    links: Sequence[str] = (),
    remarks: Iterable[str] = (),
    database: str | None = None,
) -> dict[str, str]:
    """Identifiers by scheme: "pmid", "pmcid", "wos", "scopus", "embase", "psycinfo", "central",
    "lens", "cnki", ...

    `remarks`: fields for anything; only what consists of one labelled identifier is taken.
    `database`: as `database` tells it: says whose a bare number is.
    """
    found: dict[str, str] = {}
    codes = [code for link in links if (code := ovid_file(link))]
    name = (database or "").lower()
    for number in numbers:
        number = number[:SHORT].strip()
        if _OURS.fullmatch(number):
            pairs = (part.partition(":") for part in number.split("; "))
            found |= {scheme: value for scheme, _, value in pairs}
        elif number.isascii() and number.isdecimal() and len(number) < 12:
            ovid = next((name for known, name in _OVID if codes and known.match(codes[0])), "")
            if ovid == "MEDLINE" or name in (
                "pubmed",
                "medline",
                "nlm",
                "ovid medline",
                "ovid medline(r)",
            ):
                found.setdefault("pmid", number.lstrip("0") or "0")
            elif ovid == "Embase" or name == "embase":
                found.setdefault("embase", number)
        else:
            for scheme, value in _by_form(number, name):
                found.setdefault(scheme, value)
    for remark in remarks:
        hit = _LABELLED.fullmatch(remark.strip()) if len(remark) < 40 else None
        if hit:
            pmid = hit[1].upper() == "PMID"
            found.setdefault("pmid" if pmid else "pmcid", hit[2] if pmid else f"PMC{hit[2]}")
    for scheme, value in _by_links(links):
        found.setdefault(scheme, value)
    return found


def _by_form(number: str, database: str) -> Iterable[tuple[str, str]]:
    if hit := _WOS.fullmatch(number):
        yield "wos", hit[2].upper() if hit[1] in ("WOS", "ISI") else f"{hit[1]}:{hit[2]}"
        if hit[1] == "MEDLINE" and hit[2].isdecimal():
            yield "pmid", hit[2]
    elif _PSYCINFO.fullmatch(number):
        yield "psycinfo", number
    elif _CENTRAL.fullmatch(number):
        yield "central", number
    elif (hit := _EMBASE.fullmatch(number)) and database == "embase":
        yield "embase", hit[1]
    elif number.startswith("2-s2.0-"):
        yield "scopus", number
    elif hit := _LABELLED.fullmatch(number):
        pmid = hit[1].upper() == "PMID"
        yield ("pmid", hit[2]) if pmid else ("pmcid", f"PMC{hit[2]}")


def _by_links(links: Sequence[str]) -> Iterable[tuple[str, str]]:
    for link in links:
        link = link[:_OF_LINK]
        for scheme, known in (
            ("pmid", _PUBMED),
            ("scopus", _SCOPUS),
            ("lens", _LENS),
            ("wanfang", _WANFANG),
        ):
            if hit := known.search(link):
                yield scheme, hit[1]
        if hit := _PMC.search(link):
            yield "pmcid", f"PMC{hit[1]}"
        if hit := _CNKI.search(link):
            yield "cnki", hit[1].upper()
    arxiv = converters.arxiv_url([link for link in links if "arxiv.org/" in link.lower()])
    if arxiv:
        yield "arxiv", arxiv


def is_ours(number: str) -> bool:
    """Whether this is our writers' list of identifiers: "pmid:123; wos:000"."""
    return _OURS.fullmatch(number[:SHORT].strip()) is not None


def landing_page(links: Sequence[str]) -> str | None:
    """The first link that is no DOI, else the first: a DOI is compared as one anyway."""
    pages = [link for link in links if web_addresses.url_key(link)]
    return next(iter(pages or links), None)
