"""One form for each identifier that databases write in many: DOI, arXiv, ISBN, ISSN, ORCID.

Every function is pure and never raises on odd input: what cannot be normalised is None or "".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from operator import mul
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from metasearch.bib.texts import first, strings
from metasearch.late_pattern import late_pattern

# Numbers and their divisions are bounded, so that "10.1000.10.1000. ..." is not read again from
# each of its beginnings.
_DOI = late_pattern(r"10\.\d{4,9}(?:\.\d{1,9}){0,9}/\S+")
# As nearly all are written, once in lower case: nothing to strip or unescape. "%" is not among the
# characters, all others that can be seen are.
_PLAIN_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/)?(10\.[0-9]{4,9}/[!-$&-~]*[a-z0-9])")
_DOI_TAIL = ".,;:"
_OPENING = {")": "(", "]": "[", "}": "{"}
_ARXIV = late_pattern(
    r"(?:arxiv(?:\.org)?[:./ "
    r"]*|abs/|pdf/|^)((?:\d{4}\.\d{4,5}|[a-z-]{1,20}(?:\.[a-z]{2})?/\d{7}))(?:v(\d+))?",
    re.IGNORECASE,
)
_PLAIN_ARXIV = late_pattern(r"(?:https?://arxiv\.org/abs/)?([0-9]{4}\.[0-9]{4,5})(?:v[0-9]+)?")
_NOT_ISBN = late_pattern(r"[^0-9Xx]")
_BEHIND_ISBN = late_pattern(r"[(:\s]")
_ISBN10_WEIGHTS, _ISBN13_WEIGHTS = range(10, 0, -1), (1, 3) * 6
_ISSN = re.compile(r"(\d{4})[-\s\u2010-\u2013]?(\d{3}[\dXx])(?!\d)")
#: A country, the number, and the kind of document: "US 1234567 B2", "WO2019/123456A1".
_PATENT = late_pattern(r"[A-Z]{2} ?\d[\d/.,-]{3,20} ?(?:[A-Z]\d?)?")
_ORCID = late_pattern(r"(\d{4}-\d{4}-\d{4}-\d{3}[\dXx])")


def is_patent_number(value: str) -> bool:
    """Whether the text is the number of a patent with its country: "US1234567B2"."""
    return len(value) < 40 and _PATENT.fullmatch(value) is not None


def doi(value: str | None) -> str | None:
    """Bare and lower case, or None: "https://doi.org/10.1000/ABC." -> "10.1000/abc"."""
    if not value or "10." not in value:
        return None
    if plain_one := _PLAIN_DOI.fullmatch(value.lower()):
        return plain_one[1]
    if "%" in value:
        value = unquote(value)
    found = _DOI.search(value)
    if found is None:
        return None
    bare = found.group().lower()
    bare = re.split(r"[\"<>\u200b]\s*$|&lt;$", bare)[0].rstrip(_DOI_TAIL)
    if bare.endswith((")", "]", "}")):
        bare = _without_open_ends(bare)
    return bare if len(bare) > bare.index("/") + 1 else None


def _without_open_ends(bare: str) -> str:
    """A DOI without brackets at its end that do not open in it; in linear time."""
    more = {
        closing: bare.count(closing) - bare.count(opening) for closing, opening in _OPENING.items()
    }
    end = len(bare)
    while end and more.get(bare[end - 1], 0) > 0:
        more[bare[end - 1]] -= 1
        end -= 1
        while end and bare[end - 1] in _DOI_TAIL:
            end -= 1
    return bare[:end]


def arxiv_id(value: str | None) -> str | None:
    """Without its version: "arXiv:2104.12255v1" -> "2104.12255"; old style "cs/0102003"."""
    if not value:
        return None
    if plain_one := _PLAIN_ARXIV.fullmatch(value):
        return plain_one[1]
    found = _ARXIV.search(value.strip())
    return found.group(1).lower() if found else None


def arxiv_doi(number: str) -> str:
    """The DOI that arXiv has registered for a paper, by its number without a version.

    >>> arxiv_doi("1706.03762")
    '10.48550/arxiv.1706.03762'
    """
    return f"10.48550/arxiv.{number.lower()}"


@lru_cache(maxsize=1_000)  # the papers of one volume have the same
def isbn(value: str | None) -> str | None:
    """The ISBN-13 of a valid ISBN-10 or ISBN-13 with whatever stands around it, else None."""
    if not value:
        return None
    digits = value
    if not (value.isascii() and value.isdigit()):
        digits = _NOT_ISBN.sub(
            "", _BEHIND_ISBN.split(value.strip().removeprefix("ISBN").strip(" :"), maxsplit=1)[0]
        )
        digits = digits or _NOT_ISBN.sub("", value)
    if len(digits) == 10:
        if not digits[:9].isdigit():
            return None
        numbers = [*map(int, digits[:9]), 10 if digits[9] in "Xx" else int(digits[9])]
        if sum(map(mul, numbers, _ISBN10_WEIGHTS)) % 11:
            return None
        core = "978" + digits[:9]
        return core + _isbn13_check(core)
    if len(digits) == 13 and digits.isdigit() and digits[:3] in ("978", "979"):
        return digits if _isbn13_check(digits[:12]) == digits[12] else None
    return None


def _isbn13_check(core: str) -> str:
    return str(-sum(map(mul, map(int, core), _ISBN13_WEIGHTS)) % 10)


@lru_cache(maxsize=1_000)
def issn(value: str | None) -> str | None:
    """As "1234-567X", or None; check digits are not judged: catalogues print wrong ones."""
    if not value:
        return None
    found = _ISSN.search(value)
    return f"{found.group(1)}-{found.group(2).upper()}" if found else None


def orcid(value: str | None) -> str | None:
    """Sixteen characters with hyphens, or None; all zeros mean none."""
    found = _ORCID.search(value) if value else None
    return found.group(1).upper() if found and found.group(1).strip("0-") else None


# Web addresses: one that may become a link, and the key by which two are compared. Every function
# is pure and never raises on odd input: what cannot be normalised is None or "".

_NOT_IN_URL = late_pattern(r'[\x00-\x20<>"`{}|\\^\x7f-\x9f]')
_CONTROLS = late_pattern(r"[\x00-\x1f\x7f-\x9f]")
_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][!#-;=?-Z\[\]_a-z~%]*)?")


def web_url(value: str | None) -> str | None:
    """An absolute http(s) URL without user info, else None: nothing else may become a link."""
    if not value:
        return None
    value = value.strip()
    if len(value) > 4000:
        return None
    if _PLAIN_URL.fullmatch(value) and "@" not in value:
        return value
    if not value.lower().startswith(("http://", "https://")):
        return None
    if _NOT_IN_URL.search(value):
        value = _CONTROLS.sub("", value)
        value = _NOT_IN_URL.sub(lambda m: f"%{ord(m.group()):02X}", value)
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    if not host:
        return None
    return (
        parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        if "@" in parts.netloc
        else value
    )


_TRACKING = late_pattern(
    r"^(?:utm_\w+|fbclid|gclid|ref|source|via|casa_token|jsessionid)$", re.IGNORECASE
)
# The usual landing page, for which taking the URL apart and putting it together again changes
# nothing.
_PLAIN_LANDING = re.compile(
    r"https?://(?:www\.)?((?!www\.)[a-z0-9.-]+)((?:/[\w.~-]+)+)/?", re.ASCII
)
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def url_key(value: str | None) -> str | None:
    """The same for every spelling of one address: no scheme, www, default port, fragment, tracking
    or final slash.

    A DOI resolver's URL gives None, because it is a DOI and compared as one; a bare host gives
    None, because it is the landing page of no work.
    """
    if not value:
        return None
    if value.startswith(
        ("https://doi.org/", "http://dx.doi.org/", "https://dx.doi.org/", "http://doi.org/")
    ):
        return None
    plain_one = _PLAIN_LANDING.fullmatch(value)
    if plain_one:
        return plain_one.group(1) + plain_one.group(2)
    try:
        parts = urlsplit(value.strip())
    except ValueError:
        return None
    if parts.scheme.lower() not in ("http", "https") or not parts.netloc:
        return None
    host = (
        parts.netloc.rpartition("@")[2].lower().removesuffix(_DEFAULT_PORTS[parts.scheme.lower()])
    )
    host = host.removeprefix("www.")
    if host in ("doi.org", "dx.doi.org"):
        return None
    path = unquote(parts.path).rstrip("/")
    query = (
        urlencode(sorted((k, v) for k, v in parse_qsl(parts.query) if not _TRACKING.match(k)))
        if parts.query
        else ""
    )
    if not path and not query:
        return None
    return f"{host}{path}?{query}" if query else f"{host}{path}"


# Converters of identifiers and addresses.


def _texts(found: Any) -> Sequence[str]:
    """`strings`, but a blank text stays, of which no identifier is made."""
    return (found,) if type(found) is str else strings(found)


def first_doi(found: Any) -> str | None:
    """The first DOI among the strings, bare and lower case."""
    if type(found) is str:
        return doi(found)
    return next((d for v in strings(found) if (d := doi(v))), None)


def doi_url(found: Any) -> str | None:
    """The DOI of the first URL of a resolver, even behind a library's proxy, and of no other."""
    return first_doi([v for v in strings(found) if "doi.org/" in v.lower()])


def first_url(found: Any) -> str | None:
    if type(found) is str:
        return web_url(found)
    return next((u for v in strings(found) if (u := web_url(v))), None)


def pdf_url(found: Any) -> str | None:
    """The first http(s) URL that may be a file: resolvers of persistent identifiers lead to a page,
    and so does an address that ends with the identifier of a record, behind which files have more.
    """
    links = (u for v in _texts(found) if (u := web_url(v)))
    return next((url for url in links if not _TO_A_PAGE.match(url)), None)


_TO_A_PAGE = late_pattern(
    r"https?://(?:(?:(?:dx\.)?doi\.org|hdl\.handle\.net|(?:www\.)?nbn-resolving\.\w+|urn(?:\.\w+)+"
    r"|n2t\.net|(?:www\.)?purl\.(?:org|oclc\.org)|pubmed\.ncbi\.nlm\.nih\.gov|arxiv\.org/abs)/"
    r"|d-nb\.info/[\dX-]+/?$|[^/]+/(?:\w+/){0,2}(?:handle/[\d.]+/\d+|urn[:-][\w:.-]+|PMC\d+)/?$)",
    re.IGNORECASE,
)


_BETWEEN_ISBNS = late_pattern(r"[;,]|\s(?=97[89])")


def isbns(found: Any) -> tuple[str, ...]:
    """Each ISBN once, as ISBN-13."""
    if type(found) is str and found.isalnum():
        return (only,) if (only := isbn(found)) else ()
    values = [
        part for v in strings(found) for part in ((v,) if v.isalnum() else _BETWEEN_ISBNS.split(v))
    ]
    return tuple(dict.fromkeys([i for v in values if (i := isbn(v))]))


_SEPARATORS = late_pattern(r"[;,]")


def issns(found: Any) -> tuple[str, ...]:
    """Each ISSN once."""
    if type(found) is str and len(found) <= 9:
        return (only,) if (only := issn(found)) else ()
    values = [
        part for v in strings(found) for part in (_SEPARATORS.split(v) if len(v) > 9 else (v,))
    ]
    return tuple(dict.fromkeys([i for v in values if (i := issn(v))]))


def arxiv(found: Any) -> str | None:
    """An arXiv identifier without version."""
    return next((a for v in _texts(found) if (a := arxiv_id(v))), None)


def arxiv_url(found: Any) -> str | None:
    """The arXiv identifier in the first link or DOI that is arXiv's, among others that are not."""
    return next(
        (a for v in _texts(found) if "arxiv" in v.lower() and (a := arxiv_id(v))),
        None,
    )


_ARXIV_VERSION = late_pattern(
    r"(?:\d{4}\.\d{4,5}|[a-z][a-z.-]{0,20}/\d{7})(v\d{1,3})\b", re.IGNORECASE
)
#: What each of them has, and is found sooner.
_VERSION = late_pattern(r"\dv\d", re.IGNORECASE)


def arxiv_version(found: Any) -> str | None:
    """The version behind an arXiv identifier: "v2" of "http://arxiv.org/abs/2104.12255v2"."""
    hits = (_VERSION.search(value) and _ARXIV_VERSION.search(value) for value in _texts(found))
    return next((hit[1].lower() for hit in hits if hit), None)


def pmcid(found: Any) -> str | None:
    """The form "PMC123456", from that, from a link to it, or from its number."""
    value = found if type(found) is str else first(found)
    hit = (
        re.search(r"PMC0*(\d{1,9})|(?:^|/)0*(\d{1,9})/?$", value.strip(), re.IGNORECASE)
        if value
        else None
    )
    return f"PMC{hit[1] or hit[2]}" if hit else None


_PMID = late_pattern(r"(?:^|[^\dC])0*(\d{1,9})/?$")


def pmid(found: Any) -> str | None:
    """A PubMed identifier: the number, "MEDLINE:37689792", "pmid:37689792", or a link to it."""
    value = found if type(found) is str else first(found)
    hit = _PMID.search(value.strip()) if value else None
    return hit[1] if hit else None


def lccn(found: Any) -> str | None:
    """A Library of Congress Control Number as www.loc.gov/marc/lccn-namespace.html has it."""
    value = found if type(found) is str else first(found)
    bare = "".join(value.partition("/")[0].split()).lower() if value else ""
    prefix, hyphen, serial = bare.partition("-")
    bare = prefix + serial.zfill(6) if hyphen else bare
    return bare if re.fullmatch(r"[a-z]{0,3}\d{8,10}", bare) else None


_OCLC = late_pattern(r"(?:\(OCoLC\)\s*+(?:oc[mn]|on)?|oc[mn]|on|OCLC:)\s*+(\d+)", re.IGNORECASE)


def oclc(found: Any) -> str | None:
    """The number of the first "(OCoLC)ocm01234567", "ocn123456789" or "OCLC:1234567"."""
    for value in _texts(found):
        hit = _OCLC.fullmatch(value.strip())
        if hit:
            return hit[1].lstrip("0") or "0"
    return None


def last_segment(found: Any) -> str | None:
    """What follows the last slash: the identifier in "https://openalex.org/W123"."""
    value = found if type(found) is str else first(found)
    return (value.rstrip("/").rpartition("/")[2].strip() or None) if value else None


def identifier(found: Any) -> str | None:
    """An identifier as it stands, white space removed."""
    value = found if type(found) is str else first(found)
    return "".join(value.split()) or None if value else None
