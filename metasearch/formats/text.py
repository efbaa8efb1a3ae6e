"""The edge at which upstream text becomes output: what no format may let through is removed here.

Databases are not trusted. Their text may hold terminal escapes, control characters that XML
forbids, lone surrogates that UTF-8 cannot carry, and bidirectional controls that make text read as
what it is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from textwrap import wrap as wrap_ascii
from urllib.parse import quote

from metasearch.late_pattern import late_pattern

#: C0 and C1 without tab and newline; bidi embeddings, overrides and isolates; deprecated format
#: characters; the byte order mark; annotation marks; tags, in which text hides; surrogates; the two
#: non-characters that XML refuses.
_UNWANTED = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff\ufffe\uffff"
)
_unwanted = late_pattern(f"[{_UNWANTED}]")
#: Control characters that part words or lines: dropping them would glue their neighbours together.
#: Many a program takes U+2028 and U+2029 for the end of a line, of NDJSON too, where JSON lets them
#: stand.
_line_break = late_pattern("\r\n?|[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")

#: Nearly every address: lower-case scheme, an ASCII host without a user, and none of the characters
#: escaped below.
_plain_url = late_pattern(
    r"https?://[A-Za-z0-9\[][!$-.0-;=A-\[\]_a-z~]*(?:[/?#][!#-;=?-\[\]_a-z~]*)?"
)
_authority_end = late_pattern("[/?#]")
#: What RFC 3987 allows in no address, and every format would have to escape in its own way.
_URL_ESCAPES = str.maketrans({char: f"%{ord(char):02X}" for char in ' "<>\\^`{|}'})


def clean(text: str) -> str:
    r"""The text without control, bidi-control and unencodable characters; tabs and newlines stay.

    >>> clean("Deep\x1b[31m\u202elearning\r\nfor all")
    'Deep[31mlearning\nfor all'
    """
    # Nearly every string is printable throughout, and `isprintable` runs several times faster than
    # the search.
    return text if text.isprintable() else _scrub(text)


def is_clean(text: str) -> bool:
    return text.isprintable() or _unwanted.search(text) is None


def clean_or_none(text: str | None) -> str | None:
    """`clean`, with None for what is absent or empty."""
    if not text or text.isprintable():
        return text or None
    return _scrub(text) or None


def clean_all(texts: Sequence[str]) -> list[str]:
    """`clean` of each; nearly always one look at all of them is enough."""
    if not texts or "".join(texts).isprintable():
        return list(texts)
    return [clean(text) for text in texts]


def clean_map(texts: Mapping[str, str]) -> dict[str, str]:
    if not texts or "".join([*texts, *texts.values()]).isprintable():
        return dict(texts)
    return {clean(name): clean(text) for name, text in texts.items()}


def _scrub(text: str) -> str:
    if _unwanted.search(text) is None:
        return text
    return _unwanted.sub("", _line_break.sub("\n", text))


def line(text: str | None) -> str:
    r"""The text on one line: cleaned, every run of white space one blank, none at the ends; "" for
    None.

    >>> line("Attention\n is all\u2028 you need ")
    'Attention is all you need'
    """
    if not text:
        return ""
    # Of white space, only the blank is printable.
    if text.isprintable() and "  " not in text:
        return text.strip(" ")
    return " ".join(clean(text).split())


def wrap_text(text: str, width: int, indent: str = "") -> list[str]:
    """The text in lines of at most so many columns; those after the first are indented. [] for
    none.

    Wide East Asian characters take two columns, and such text is broken between any two of them.
    """
    if not text:
        return []
    if text.isascii():
        return wrap_ascii(text, width, subsequent_indent=indent, break_on_hyphens=False)
    from wcwidth import wrap

    return wrap(
        text,
        width,
        control_codes="ignore",
        subsequent_indent=indent,
        break_on_hyphens=False,
        propagate_sgr=False,
    )


def web_url(url: str | None) -> str | None:
    """The address if it is one that a browser may be sent to, else None.

    Only http and https with a host pass; a "javascript:" address from upstream never becomes a
    link, nor does one that names a user, whose host reads as another
    ("https://doi.org@example.org"). Blanks, quotes, brackets and braces come back percent-encoded,
    so that no format has to fear them.

    >>> web_url("https://example.org/a b")
    'https://example.org/a%20b'
    >>> web_url("javascript:alert(1)") is None
    True
    """
    if not url or _plain_url.fullmatch(url):
        return url or None
    url = url.strip()
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.lower() not in ("http", "https") or not rest or rest[0] in "/?#\\:":
        return None
    if not {"@", "\\"}.isdisjoint(_authority_end.split(rest, maxsplit=1)[0]):
        return None
    return url.translate(_URL_ESCAPES) if url.isprintable() else None


def ascii_url(url: str) -> str:
    """The address in printable ASCII: others percent-encoded as UTF-8, escapes kept."""
    return url if url.isascii() else quote(url, safe="%/:?#[]@!$&'()*+,;=-._~")


#: Whole numbers beyond this are no longer exact in JSON readers, and orjson refuses those beyond 64
#: bits.
_EXACT = 2**53


def exact_number(value: int | None) -> int | None:
    """The number, if every reader of JSON reads the same; else None."""
    return value if value is not None and -_EXACT < value < _EXACT else None


# XML that is written as text, a record at a time. xml.sax.saxutils loads http.client, and so it is
# imported when an element is written.


def xml_leaf(tag: str, text: str, /, **attributes: str) -> str:
    """An element with this text, which holds no control characters; "" for no text."""
    from xml.sax.saxutils import escape

    return f"<{tag}{_attributes(attributes)}>{escape(text)}</{tag}>" if text else ""


def xml_parent(tag: str, /, *inner: str, **attributes: str) -> str:
    """An element with these in it; "" where all of them are empty."""
    whole = "".join(inner)
    return f"<{tag}{_attributes(attributes)}>{whole}</{tag}>" if whole else ""


def _attributes(values: Mapping[str, str]) -> str:
    return "".join([_attribute(name, value) for name, value in values.items()]) if values else ""


@lru_cache(maxsize=500)  # nearly all are the same in every record
def _attribute(name: str, value: str) -> str:
    from xml.sax.saxutils import quoteattr

    return f" {name}={quoteattr(value)}"
