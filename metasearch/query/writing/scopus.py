"""Scopus (https://service.elsevier.com/app/answers/detail/a_id/11365/supporthub/scopus/):
`TITLE(x)`.
"""

from __future__ import annotations

from metasearch.message import message
from metasearch.query.databases.scopus import SCOPUS
from metasearch.query.writing.style import DOUBLE, Booleans, Style, YearRanges, fields_of

STYLE = Style(
    name="scopus",
    label="Scopus",
    bracketed=True,
    fields=fields_of(SCOPUS, "{CODE}({x})", any="title-abs-key"),
    losses={
        "any": message(
            "Scopus: what is looked for everywhere is looked for in titles, abstracts and keywords"
        )
    },
    booleans=Booleans(without=" AND NOT "),
    reserved=r"w|pre",
    lost=f"[{DOUBLE}*?{{}}]",
    years=YearRanges(
        only=("PUBYEAR = {first}",),
        both=("PUBYEAR > {before}", "PUBYEAR < {after}"),
        since=("PUBYEAR > {before}",),
        until=("PUBYEAR < {after}",),
    ),
    types={
        "article": ("ar", "re"),
        "review": ("re",),
        "conference-paper": ("cp",),
        "proceedings": ("cr",),
        "book": ("bk",),
        "chapter": ("ch",),
        "editorial": ("ed",),
        "letter": ("le",),
        "erratum": ("er",),
        "retraction": ("tb",),
    },
    languages="name",
)
