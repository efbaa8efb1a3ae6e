"""EBSCOhost (https://connect.ebsco.com/s/article/Searching-with-Field-Codes): a code before a term,
none for the usual fields: title, subject and abstract.
"""

from __future__ import annotations

from metasearch.query.databases.ebsco import EBSCO
from metasearch.query.writing.style import DOUBLE, Style, YearRanges, fields_of

STYLE = Style(
    name="ebsco",
    label="EBSCOhost",
    fields=fields_of(EBSCO, "{CODE} {x}") | {"any": "{x}"},
    # A word of two letters may be a code.
    reserved=r"[a-z]{2}|[nw]\d+|near|within",
    lost=f"[{DOUBLE}*?#]",
    years=YearRanges(
        only=("DT {first}",),
        both=("DT {first}-{last}",),
        since=("DT {first}-",),
        until=("DT 1000-{last}",),
    ),
    types={
        "article": ("Journal Article",),
        "review": ("Review",),
        "editorial": ("Editorial",),
        "letter": ("Letter",),
        "book": ("Book",),
        "chapter": ("Book Chapter",),
    },
    languages="name",
)
