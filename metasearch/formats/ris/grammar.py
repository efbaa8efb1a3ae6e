"""Which lines of a RIS file are tags, and where its records begin and end."""

from __future__ import annotations

import re

from metasearch.formats.reading import worktypes
from metasearch.formats.reading.tagged import BLANKS, TagGrammar
from metasearch.formats.reading.text_pieces import DecodedText

#: Tags in use; others count as tags only where they are written exactly as the format wants it.
TAGS = frozenset(
    """
    TY ER A1 A2 A3 A4 AB AD AN AU AV BT C1 C2 C3 C4 C5 C6 C7 C8 CA CN CP CT CY DA DB DI DO DP ED EP
    ET ID IS J1 J2 JA JF JO KW L1 L2 L3 L4 LA LB LK M1 M2 M3 N1 N2 NV OP PB PP PY RI RN RP SE SN SP
    ST T1 T2 T3 TA TI TT U1 U2 U3 U4 U5 UR VL VO Y1 Y2
""".split()
)
#: Fields of running text, in which a line may begin like a tag: "ED - visits", "IS - a".
_PROSE = frozenset("AB N1 N2 TI T1 T2 T3 AD KW".split())
_LINE = re.compile(r"([A-Za-z][A-Za-z0-9])([ \t]{0,8})[-\u2013\u2014](?:[ \t](.*)|(.*))", re.DOTALL)
_TY_LINE = re.compile(
    rf"^[{BLANKS}]*TY([ \t]{{0,8}})[-\u2013\u2014][ \t]*\w{{3,10}}[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
#: Characters of a line that begins a record.
_LONGEST_TY = 200
_NOISE = re.compile(
    r"<?\d+\.?>?$|link to the (?:ovid|external)|provider:|database:|content:|record #?\d+ "
    r"of|scopus$|export date|"
    r"date of search|-{3,}|={3,}|\*{3,}|%%|eof$|\[?\d+ (?:records|references)\]?",
    re.IGNORECASE,
)


def grammar(text: DecodedText) -> TagGrammar:
    """The format as this file writes it: its tags are spaced as its TY lines are."""
    spacings = {
        hit[1] for part in text.stretches(_LONGEST_TY) for hit in _TY_LINE.finditer(part)
    } - {"  "}

    def split(line: str, open_tag: str) -> tuple[str, str] | None:
        if (
            line[2:5] == "  -"
            and (tag := line[:2]).isalnum()
            and tag.isascii()
            and tag.isupper()
            and tag[0].isalpha()
        ):
            return tag, line[5:]
        hit = _LINE.match(line.lstrip(BLANKS))
        if hit is None:
            return None
        tag, spacing, value = hit[1].upper(), hit[2], hit[3] if hit[3] is not None else hit[4]
        if tag not in TAGS:
            return None
        if (
            spacing == "  "
            or spacing in spacings
            or (tag == "TY" and value.strip().upper() in worktypes.RIS)
            or (tag == "ER" and not value.strip())
            or (spacing and hit[1].isupper() and open_tag not in _PROSE)
        ):
            return tag, value
        return None

    return TagGrammar(
        split,
        starts=frozenset(("TY",)),
        ends=frozenset(("ER",)),
        bears=frozenset(("TI", "T1", "CT", "BT", "AU", "A1")),
        once=frozenset(("TI", "T1")),
        noise=_NOISE,
    )
