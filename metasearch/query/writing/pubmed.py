"""PubMed (https://pubmed.ncbi.nlm.nih.gov/help/): a tag in square brackets after each term."""

from __future__ import annotations

from metasearch.query.writing.style import DOUBLE, Style, YearRanges

STYLE = Style(
    name="pubmed",
    label="PubMed",
    framed=False,
    fields={
        "any": "{x}[tw]",
        "title": "{x}[ti]",
        "abstract": "{x}[ab]",
        "title abstract": "{x}[tiab]",
        "subject": "({x}[mh:noexp] OR {x}[ot])",
        "author": "{x}[au]",
        "venue": "{x}[ta]",
        "doi": "{x}[doi]",
        "isbn": "{x}[isbn]",
        "issn": "{x}[is]",
        "type": "{x}[pt]",
        "language": "{x}[la]",
    },
    lost=f"[{DOUBLE}*]",
    least=4,
    years=YearRanges(
        only=("{first}[dp]",),
        both=("{first}:{last}[dp]",),
        since=("{first}:3000[dp]",),
        until=("1000:{last}[dp]",),
    ),
    # What is a review is a journal article as well.
    types={
        "article": ("Journal Article",),
        "review": ("Review",),
        "editorial": ("Editorial",),
        "letter": ("Letter",),
        "erratum": ("Published Erratum",),
        "retraction": ("Retraction of Publication",),
        "preprint": ("Preprint",),
        "dataset": ("Dataset",),
        "thesis": ("Academic Dissertation",),
        "report": ("Technical Report",),
        "proceedings": ("Congress",),
    },
    languages="bibliographic",
)
