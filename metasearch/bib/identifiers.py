"""One form for each identifier that databases write in many: DOI, arXiv, ISBN, ISSN, ORCID.

Every function is pure and never raises on odd input: what cannot be normalised is None or "".
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import mul
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

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
