"""ProQuest (https://proquest.libguides.com/proquestplatform/tips): `ti(salt AND marsh)`; `noft` is
all but the full text.
"""

from __future__ import annotations

from metasearch.query.databases.proquest import PROQUEST
from metasearch.query.writing.style import DOUBLE, Style, YearRanges, fields_of

STYLE = Style(
    name="proquest",
    label="ProQuest",
    bracketed=True,
    fields=fields_of(PROQUEST, "{code}({x})", any="noft", title_abstract="ti,ab"),
    reserved="near|pre|n|p|exact|lnk|within",
    lost=f"[{DOUBLE}*?{{}}]",
    years=YearRanges(
        only=("pd({first})",),
        both=("pd({first}-{last})",),
        since=("pd(>={first})",),
        until=("pd(<={last})",),
    ),
    types={
        "article": ("article", "review"),
        "review": ("review",),
        "conference-paper": ("conference paper",),
        "book": ("book",),
        "chapter": ("book chapter",),
        "thesis": ("dissertation",),
        "editorial": ("editorial",),
        "letter": ("letter",),
        "erratum": ("correction",),
        "report": ("report",),
    },
    languages="name",
)
