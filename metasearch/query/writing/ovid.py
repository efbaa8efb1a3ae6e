"""Ovid, with the fields of MEDLINE (https://ospguides.ovid.com/OSPguides/medline.htm): `(salt and
marsh).ti,ab.`
"""

from __future__ import annotations

from metasearch.message import message
from metasearch.query.databases.ovid import OVID
from metasearch.query.writing.style import DOUBLE, Booleans, Style, YearRanges, fields_of

STYLE = Style(
    name="ovid",
    label="Ovid",
    fields=fields_of(
        OVID, "{x}.{code}.", title_abstract="ti,ab", subject="hw,kf", venue="jw", isbn=""
    ),
    losses={
        "author": message(
            "Ovid looks for whole names among authors: write burt-a.au. for one, or "
            "burt*.au. for all"
        )
    },
    booleans=Booleans(all=" and ", either=" or ", without=" not "),
    reserved=r"near\d*|with|same|use|freq|exp|limit|to",
    lost=f"[{DOUBLE}*$:#?]",
    years=YearRanges(
        only=("{first}.yr.",),
        both=("{first}:{last}.yr.",),
        since=("{first}:3000.yr.",),
        until=("1000:{last}.yr.",),
    ),
    types={
        "article": ("Journal Article",),
        "review": ("Review",),
        "editorial": ("Editorial",),
        "letter": ("Letter",),
        "erratum": ("Published Erratum",),
        "retraction": ("Retraction of Publication",),
        "preprint": ("Preprint",),
        "dataset": ("Dataset",),
    },
    languages="name",
)
