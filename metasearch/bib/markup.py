"""Plain text for people: without markup, entities, control characters and needless white space."""

from __future__ import annotations

import html
import re
from html.entities import html5

from metasearch.late_pattern import late_pattern

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
_UNWANTED = late_pattern(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)

#: Characters from which on a text of ASCII is looked at as bytes: `isprintable` takes four times as
#: long for an abstract.
_LONG = 50
_PRINTABLE_ASCII = bytes(range(0x20, 0x7F))


def is_printable(value: str) -> bool:
    """`str.isprintable`, for less."""
    if len(value) > _LONG and value.isascii():
        return not value.encode().translate(None, _PRINTABLE_ASCII)
    return value.isprintable()


def plain(value: str) -> str:
    """Text for people: control characters and surrogates gone, white space single, ends trimmed."""
    if not is_printable(value):
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
        if "!" in value and "<!" in value:  # one character is found in a tenth of the time
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
_ENDLESS_NUMBER = late_pattern(r"&#(?=[xX]?[0-9a-fA-F]{12})[xX]?[0-9a-fA-F]+;?")


# "&EACUTE;": what becomes of an entity where a title was set in capitals. No name in html5 has more
# letters than 31.
_CAPITAL_ENTITY = late_pattern(r"&([A-Z]{2,31});")


def _unescaped(value: str) -> str:
    value = html.unescape(_ENDLESS_NUMBER.sub("\ufffd", value) if "&#" in value else value)
    return _CAPITAL_ENTITY.sub(_capital_entity, value) if "&" in value else value


def _capital_entity(match: re.Match[str]) -> str:
    """The character of an entity in capitals: a capital where it is a letter; else unchanged."""
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
    """The text without what stands between `start` and `end`, in linear time, where closed."""
    before, *pieces = value.split(start)
    out = [before]
    for piece in pieces:
        _, closed, after = piece.partition(end)
        out.append(after if closed else start + piece)
    return "".join(out)
