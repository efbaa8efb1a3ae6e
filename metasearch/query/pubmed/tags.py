"""PubMed's search field tags -> our fields (https://pubmed.ncbi.nlm.nih.gov/help/#search-tags)."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.message import message
from metasearch.query.field_targets import FieldTarget

_ANY_AUTHOR = message("looked for among all authors: sources cannot be asked for their order")
_HEADING = message(
    "looked for among keywords and subject headings; narrower headings are not added"
)
_MAIN = message("{heading}, and it need not be the main topic", heading=_HEADING)
_OTHER_DATE = message("read as the date of publication")
_TABLE: tuple[tuple[str, FieldTarget], ...] = (
    ("ti|title|tt|transliterated title", FieldTarget(("title",))),
    ("tiab|title/abstract", FieldTarget(("title", "abstract"))),
    ("ab|abstract", FieldTarget(("abstract",))),
    ("tw|text word|text words", FieldTarget(("any",))),
    ("all|all fields", FieldTarget(("any",))),
    (
        "au|author|author name|fau|full author name|auid|author - identifier|cn|corporate author",
        FieldTarget(("author",)),
    ),
    ("1au|first author name|author - first", FieldTarget(("author",), _ANY_AUTHOR)),
    ("lastau|last author name|author - last", FieldTarget(("author",), _ANY_AUTHOR)),
    ("ta|journal|jour|jt|journal title", FieldTarget(("venue",))),
    (
        "mh|mesh|mesh terms|mesh:noexp|mh:noexp|mesh terms:noexp",
        FieldTarget(("subject",), _HEADING, heading=True),
    ),
    (
        "majr|mesh major topic|majr:noexp|mesh major topic:noexp",
        FieldTarget(("subject",), _MAIN, heading=True),
    ),
    (
        "sh|mesh subheading|mesh subheadings|subheading",
        FieldTarget(("subject",), _HEADING, heading=True),
    ),
    (
        "nm|supplementary concept|substance name|rn|ec/rn number",
        FieldTarget(("subject",), _HEADING, heading=True),
    ),
    ("ot|other term|other terms|kw|keyword", FieldTarget(("subject",))),
    ("dp|pdat|date - publication|publication date", FieldTarget(("year",))),
    (
        "epdat|date - electronic publication|ppdat|date - print publication",
        FieldTarget(("year",), _OTHER_DATE),
    ),
    (
        "edat|date - entry|entrez date|entry date|crdt|date - create|create date|date - mesh|mhda",
        FieldTarget(("year",), _OTHER_DATE),
    ),
    ("la|lang|language", FieldTarget(("language",))),
    ("pt|ptyp|publication type", FieldTarget(("type",))),
    ("aid|article identifier|lid|location id", FieldTarget(("identifier",))),
    ("doi", FieldTarget(("doi",))),
    ("is|issn", FieldTarget(("issn",))),
    ("isbn", FieldTarget(("isbn",))),
    ("pmid|uid", FieldTarget(("any",), message("looked for everywhere: there is no field for it"))),
    (
        "pmc|pmcid",
        FieldTarget(("any",), message("looked for everywhere: there is no field for it")),
    ),
    (
        (
            "ad|affiliation|gr|grants and funding|grant "
            "number|sb|subset|filter|vi|volume|ip|issue|pg|pagination|page"
        ),
        FieldTarget(()),
    ),
    (
        (
            "pl|place of publication|pubn|publisher|ir|investigator|fir|full investigator "
            "name|ed|editor|ps"
        ),
        FieldTarget(()),
    ),
    ("personal name as subject|si|secondary source id|nlm unique id|jid|cois|lr", FieldTarget(())),
    (
        "date - modification|pa|pharmacological action|book|be|bti|stat|owner|phst|mid|filters",
        FieldTarget(()),
    ),
    (
        "subject - personal name|conflict of interest statements|comment correction type|ci",
        FieldTarget(()),
    ),
    ("dcom|date - completion|completion date|mesh date|modification date", FieldTarget(())),
)

#: FieldTarget in small letters, without its brackets -> where its words are looked for.
TAGS: Mapping[str, FieldTarget] = {name: tag for names, tag in _TABLE for name in names.split("|")}
#: The short tags that can be searched, for messages.
SEARCHED = " ".join(f"[{names.split('|')[0]}]" for names, tag in _TABLE if tag.fields)
