"""Web of Science (https://webofscience.help.clarivate.com/en-us/Content/advanced-search.html):
`TS=(salt AND marsh)`
"""

from __future__ import annotations

from metasearch.message import message
from metasearch.query.databases.wos import WOS
from metasearch.query.writing.style import DOUBLE, Style, YearRanges, fields_of

STYLE = Style(
    name="wos",
    label="Web of Science",
    bracketed=True,
    fields=fields_of(WOS, "{CODE}=({x})", any="ts", isbn="is"),
    losses={
        "any": message(
            "Web of Science: what is looked for everywhere is looked for in titles, abstracts "
            "and keywords"
        )
    },
    reserved="near|same",
    lost=f"[{DOUBLE}*?$]",
    least=3,
    years=YearRanges(
        only=("PY=({first})",),
        both=("PY=({first}-{last})",),
        since=("PY=({first}-3000)",),
        until=("PY=(1000-{last})",),
    ),
    types={
        "article": ("Article", "Review"),
        "review": ("Review",),
        "conference-paper": ("Proceedings Paper",),
        "book": ("Book",),
        "chapter": ("Book Chapter",),
        "editorial": ("Editorial Material",),
        "letter": ("Letter",),
        "erratum": ("Correction",),
        "retraction": ("Retraction",),
    },
    languages="name",
)
