"""Embase.com (https://www.elsevier.com/support/embase): `(salt AND marsh):ti,ab,kw`, and filters in
square brackets.
"""

from __future__ import annotations

from metasearch.message import message
from metasearch.query.databases.embase import EMBASE
from metasearch.query.writing.style import DOUBLE, SINGLE, Style, YearRanges, fields_of

STYLE = Style(
    name="embase",
    label="Embase",
    fields=fields_of(
        EMBASE,
        "{x}:{code}",
        any="ti,ab,kw",
        title_abstract_subject="ti,ab,kw",
        title_abstract="ti,ab",
        subject="de,kw",
        isbn="",
    )
    | dict.fromkeys(("type", "language"), "[{x}]/lim"),
    losses={
        "any": message(
            "Embase: what is looked for everywhere is looked for in titles, abstracts and keywords"
        )
    },
    single=frozenset({"type", "language"}),
    phrase="'{x}'",
    value="{x}",
    reserved="near|next",
    lost=f"[{DOUBLE}{SINGLE}*?$]",
    years=YearRanges(
        only=("[{first}-{first}]/py",),
        both=("[{first}-{last}]/py",),
        since=("[{first}-3000]/py",),
        until=("[1000-{last}]/py",),
    ),
    types={
        "article": ("article", "review"),
        "review": ("review",),
        "conference-paper": ("conference paper",),
        "proceedings": ("conference review",),
        "editorial": ("editorial",),
        "letter": ("letter",),
        "erratum": ("erratum",),
        "preprint": ("preprint",),
        "chapter": ("chapter",),
    },
    languages="name",
)
