"""One form for things that databases write in many: identifiers, URLs, titles, names, venues.

Every function is pure and never raises on odd input: what cannot be normalised gives None or "".
Two groups: identifiers and display text (used when a record is read), and comparison keys (used
once a record, when its fingerprint is made).
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from html.entities import html5
from operator import mul
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from metasearch.bib import unicode_forms
from metasearch.bib.folding import APOSTROPHES, LETTERS, MARKS
from metasearch.bib.names.words import PARTICLES

# --------------------------------------------------------------------------- identifiers

# Numbers and their divisions are bounded, so that "10.1000.10.1000. ..." is not read again from
# each of its beginnings.
_DOI = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,9}/\S+")
# As nearly all are written, once in lower case: nothing to strip or unescape.
_PLAIN_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/)?(10\.[0-9]{4,9}/[a-z0-9._/-]*[a-z0-9])")
_DOI_TAIL = ".,;:"
_OPENING = {")": "(", "]": "[", "}": "{"}
_ARXIV = re.compile(
    r"(?:arxiv(?:\.org)?[:./ "
    r"]*|abs/|pdf/|^)((?:\d{4}\.\d{4,5}|[a-z-]{1,20}(?:\.[a-z]{2})?/\d{7}))(?:v(\d+))?",
    re.IGNORECASE,
)
_PLAIN_ARXIV = re.compile(r"(?:https?://arxiv\.org/abs/)?([0-9]{4}\.[0-9]{4,5})(?:v[0-9]+)?")
_NOT_ISBN = re.compile(r"[^0-9Xx]")
_BEHIND_ISBN = re.compile(r"[(:\s]")
_ISBN10_WEIGHTS, _ISBN13_WEIGHTS = range(10, 0, -1), (1, 3) * 6
_ISSN = re.compile(r"(\d{4})[-\s\u2010-\u2013]?(\d{3}[\dXx])(?!\d)")
_ORCID = re.compile(r"(\d{4}-\d{4}-\d{4}-\d{3}[\dXx])")


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
    """A DOI without brackets at its end that do not open in it; each kind is counted once, in
    linear time.
    """
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
    """As "1234-567X", or None; the check digit is not judged, because catalogues print wrong
    ones.
    """
    if not value:
        return None
    found = _ISSN.search(value)
    return f"{found.group(1)}-{found.group(2).upper()}" if found else None


def orcid(value: str | None) -> str | None:
    """Sixteen characters with hyphens, or None; all zeros mean none."""
    found = _ORCID.search(value) if value else None
    return found.group(1).upper() if found and found.group(1).strip("0-") else None


_NOT_IN_URL = re.compile(r'[\x00-\x20<>"`{}|\\^\x7f-\x9f]')
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
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


_TRACKING = re.compile(
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
    None, because it is nobody's landing page.
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


# --------------------------------------------------------------------------- display text

_TAG = re.compile(r"</?([a-zA-Z][\w:.-]*)(?:\s[^<>]*)?/?>")
_BLOCKS = frozenset(
    "p div br title sec section li ul ol h1 h2 h3 h4 h5 h6 tr td th table hr label abstract "
    "abstracttext".split()
)
# A "<" that opens none of these is mathematics: "for n<m and m>k". Namespaced and hyphenated names
# are JATS or MathML.
_ELEMENTS = _BLOCKS | frozenset(
    "a abbr annotation article b bdi bdo big blockquote body bold break caption center cite code "
    "dd del dfn dl dt "
    "em figure fn font footer graphic h head header html i img inf ins italic kbd kwd label link "
    "list main mark "
    "math media mfenced mfrac mi mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle "
    "msub msubsup msup "
    "mtable mtd mtext mtr munder munderover nav object overline paragraph pre q roman s samp sans "
    "sc scp "
    "semantics small span strike strong sub subtitle sup svg tbody tex thead title tt u ul "
    "underline uri var wbr "
    "xref".split()
)
_UNWANTED = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def plain(value: str) -> str:
    """Text for people: control characters and surrogates gone, white space single, ends trimmed."""
    if not value.isprintable():
        value = value.replace("\n", " ").replace("\r", " ").replace("\t", " ")
        if not value.isprintable():  # few strings: no other blank than " " is printable
            value = _UNWANTED.sub("", value).replace("\ufeff", " ").replace("\u200b", " ")
            return " ".join(value.split())
    return " ".join(value.split()) if "  " in value else value.strip()


def without_markup(value: str) -> str:
    """Plain text of a string that may hold HTML, JATS or MathML tags and (doubly) escaped entities.

    Block elements become blanks, inline elements vanish without one ("CO<sub>2</sub>" -> "CO2"),
    and a "<" that opens no tag stays ("p < 0.05", "n<m and m>k"). A formula that is given in TeX
    too is read once.
    """
    if "&" in value:
        once = _unescaped(value)
        value = _unescaped(once) if "&" in once and once != value else once
    if "<" in value:
        if "<!" in value:
            value = _cut(value, "<!--", "-->").replace("<![CDATA[", "").replace("]]>", "")
        if "math" in value:
            for name in ("annotation", "mml:annotation", "tex-math", "jats:tex-math"):
                if f"<{name}" in value and (
                    name.endswith("annotation") or "<mml:math" in value or "<math" in value
                ):
                    value = _cut(value, f"<{name}", f"</{name}>")
        value = _TAG.sub(_tag, value)
    return plain(value)


# No character has a number of so many digits, and Python refuses to read more than some thousand.
_ENDLESS_NUMBER = re.compile(r"&#(?=[xX]?[0-9a-fA-F]{12})[xX]?[0-9a-fA-F]+;?")


# "&EACUTE;": what becomes of an entity where a title was set in capitals. No name in html5 has more
# letters than 31.
_CAPITAL_ENTITY = re.compile(r"&([A-Z]{2,31});")


def _unescaped(value: str) -> str:
    value = html.unescape(_ENDLESS_NUMBER.sub("\ufffd", value) if "&#" in value else value)
    return _CAPITAL_ENTITY.sub(_capital_entity, value) if "&" in value else value


def _capital_entity(match: re.Match[str]) -> str:
    """The character of an entity in capitals: a capital where it is a letter; what names none
    stays.
    """
    name = f"{match[1].lower()};"
    found = html5.get(name)
    if found is None:
        return match.group()
    return (html5.get(name.capitalize()) or found.upper()) if found.isalpha() else found


def _tag(match: re.Match[str]) -> str:
    name = match.group(1).lower()
    local = name.rpartition(":")[2]
    if local in _BLOCKS:
        return " "
    return "" if local in _ELEMENTS or local != name or "-" in name else match.group()


def _cut(value: str, start: str, end: str) -> str:
    """The text without what stands from `start` to `end`, in linear time; what is never closed
    stays.
    """
    before, *pieces = value.split(start)
    out = [before]
    for piece in pieces:
        _, closed, after = piece.partition(end)
        out.append(after if closed else start + piece)
    return "".join(out)


# --------------------------------------------------------------------------- comparison keys

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi",
    "ρ": "rho", "σ": "sigma",
    "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_FOLD = str.maketrans(
    {**LETTERS, **APOSTROPHES, "ß": "ss", "ħ": "h", "&": " and ", "ʹ": "", "ʺ": "", "`": ""}
)
_FOLDED = re.compile("[" + "".join(map(chr, _FOLD)) + "]")
# The letter comes first in the pattern, because the rest of the text is then passed over quickly.
_SYMBOL_GREEK = re.compile(r"[\u03b1-\u03c9](?<![\u0370-\u03ff].)(?![\u0370-\u03ff])")
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_MARKS = re.compile(rf"[{MARKS}\ufe20-\ufe2f]")
# One pass over bytes for ASCII, which is nearly all text: lower case, apostrophes gone, everything
# that is no letter or digit a blank.
_ASCII_WORDS = bytes(i if chr(i).isalnum() else 32 for i in range(128)).lower() + bytes(128)
_ASCII_APOSTROPHES = b"'`"


def fold(value: str) -> str:
    """Lower case, one width, no diacritics, a lone Greek letter by its name; everything else
    stays.
    """
    value = (
        value.lower()
        if value.isascii()
        else _MARKS.sub("", unicode_forms.normalize("NFKD", value).lower())
    )
    if not value.isascii():
        value = _SYMBOL_GREEK.sub(lambda m: _GREEK.get(m.group(), m.group()), value)
        # NFC, because NFKD tears Korean syllables apart.
        value = unicode_forms.normalize("NFC", value)
    return value.translate(_FOLD) if _FOLDED.search(value) else value


def words(value: str) -> list[str]:
    """The folded words: runs of letters and digits."""
    if not value.isascii():
        value = fold(value)
        if not value.isascii():
            return _WORD.findall(value)
    if "&" in value:
        value = value.replace("&", " and ")
    return value.encode().translate(_ASCII_WORDS, _ASCII_APOSTROPHES).decode().split()


def compact(value: str) -> str:
    """Letters and digits only, folded: two spellings of one title give one string."""
    return "".join(words(value))


def has_cjk(value: str) -> bool:
    """Whether Chinese, Japanese or Korean characters occur."""
    return not value.isascii() and _CJK.search(value) is not None


def family_key(name: str) -> str:
    """The folded family name, without particles: "van der Berg" -> "berg", "O'Neill" ->
    "oneill".
    """
    parts = words(name)
    kept = [p for p in parts if p not in PARTICLES] or parts
    return "".join(kept)


_ROMAN = re.compile(r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


_DIGITS = re.compile(r"\d+")


def number_key(value: str | None) -> str:
    """A volume or issue as a number where it is one: "Vol. 012" -> "12", "41(1)" -> "41", "XIV" ->
    "14"; else text.
    """
    if not value:
        return ""
    if value.isdecimal() and value.isascii():
        return value.lstrip("0") or "0"
    digits = _DIGITS.search(value)
    if digits:
        return unicode_forms.normalize("NFKC", digits.group()).lstrip("0") or "0"
    text = compact(value)
    bare = text.removeprefix("vol").removeprefix("volume").removeprefix("no")
    return str(roman(bare)) if bare and _ROMAN.fullmatch(bare) else text


def roman(text: str) -> int:
    """The value of a Roman numeral in lower case; the caller has checked that it is one."""
    values = [_ROMAN_VALUES[c] for c in text]
    return sum(-v if v < nxt else v for v, nxt in zip(values, [*values[1:], 0], strict=True))


# Letters before a number are bounded: a long word is not read again from each of its letters.
_PAGES = re.compile(
    r"([a-z]{0,20})(\d+)([a-z]*)(?:\s*(?:-|–|—|−|to|/)+\s*([a-z]*)(\d+))?", re.IGNORECASE
)


_SPREADSHEET_DATE = re.compile(
    r"(?:\d{1,2}-)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:-\d{2,4})?", re.IGNORECASE
)


_NO_PAGES = ("", "")
# One dash before the first digit: "-331", "xii-331" say where an article ends; "No-C-93" has two,
# and is a page.
_ONLY_LAST = re.compile(
    r"[^\d\u2010-\u2015\u2212-]*[\u2010-\u2015\u2212-]+[^\d\u2010-\u2015\u2212-]*"
)


@lru_cache(maxsize=500)  # a pair is asked for its pages more than once
def pages_key(value: str | None) -> tuple[str, str]:
    """First and last page, the last one completed: "123-8" -> ("123", "128"); ("", "") where there
    are none.

    "08-Aug" is what a spreadsheet makes of "8-8": it says nothing. Neither does a range whose part
    before the dash has no digit: "xii-331".
    """
    if not value:
        return _NO_PAGES
    prefix = ""
    first, _, last = value.partition("-")
    if not (first.isdecimal() and last.isdecimal() and value.isascii()):
        found = _PAGES.search(value)
        if found is None or _SPREADSHEET_DATE.fullmatch(value):
            return _NO_PAGES
        if found.start(2) and _ONLY_LAST.fullmatch(value, 0, found.start(2)):
            return _NO_PAGES
        prefix, first, _, _, last = found.groups()
    first = first.lstrip("0") or "0"
    if last and len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    return (prefix.lower() + first, prefix.lower() + (last or first).lstrip("0"))
