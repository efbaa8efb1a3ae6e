"""PubMed's search field tags -> our fields (https://pubmed.ncbi.nlm.nih.gov/help/#search-tags)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tag:
    """Where the words of a tag are looked for.

    Attributes:
        fields: One or more of `metasearch.query.FIELDS`, or "year"; none where nothing here holds it.
        told: What is lost by that, as the end of a sentence that begins "[tag] is"; "" for nothing.
        heading: The words are a heading of a vocabulary, so they follow one another.
    """

    fields: tuple[str, ...]
    told: str = ""
    heading: bool = False


_ANY_AUTHOR = "looked for among all authors: their order cannot be asked"
_HEADING = "looked for among keywords and subject headings; narrower headings are not added"
_MAIN = f"{_HEADING}, and it need not be the main topic"
_OTHER_DATE = "taken for the date of publication"
_TABLE: tuple[tuple[str, Tag], ...] = (
    ("ti|title|tt|transliterated title", Tag(("title",))),
    ("tiab|title/abstract", Tag(("title", "abstract"))),
    ("ab|abstract", Tag(("abstract",))),
    ("tw|text word|text words", Tag(("any",))),
    ("all|all fields", Tag(("any",))),
    ("au|author|author name|fau|full author name|auid|author - identifier|cn|corporate author", Tag(("author",))),
    ("1au|first author name|author - first", Tag(("author",), _ANY_AUTHOR)),
    ("lastau|last author name|author - last", Tag(("author",), _ANY_AUTHOR)),
    ("ta|journal|jour|jt|journal title", Tag(("venue",))),
    ("mh|mesh|mesh terms|mesh:noexp|mh:noexp|mesh terms:noexp", Tag(("subject",), _HEADING, heading=True)),
    (
        "majr|mesh major topic|majr:noexp|mesh major topic:noexp",
        Tag(("subject",), _MAIN, heading=True),
    ),
    ("sh|mesh subheading|mesh subheadings|subheading", Tag(("subject",), _HEADING, heading=True)),
    ("nm|supplementary concept|substance name|rn|ec/rn number", Tag(("subject",), _HEADING, heading=True)),
    ("ot|other term|other terms", Tag(("subject",))),
    ("dp|pdat|date - publication|publication date", Tag(("year",))),
    ("epdat|date - electronic publication|ppdat|date - print publication", Tag(("year",), _OTHER_DATE)),
    ("edat|date - entry|entrez date|crdt|date - create|create date", Tag(("year",), _OTHER_DATE)),
    ("la|lang|language", Tag(("language",))),
    ("pt|ptyp|publication type", Tag(("type",))),
    ("aid|article identifier|lid|location id", Tag(("identifier",))),
    ("doi", Tag(("doi",))),
    ("is|issn", Tag(("issn",))),
    ("isbn", Tag(("isbn",))),
    ("pmid|uid", Tag(("any",), "looked for everywhere: there is no field for it")),
    ("pmc|pmcid", Tag(("any",), "looked for everywhere: there is no field for it")),
    (
        "ad|affiliation|gr|grants and funding|grant number|sb|subset|filter|vi|volume|ip|issue|pg|pagination|page",
        Tag(()),
    ),
    ("pl|place of publication|pubn|publisher|ir|investigator|fir|full investigator name|ed|editor|ps", Tag(())),
    ("personal name as subject|si|secondary source id|nlm unique id|jid|cois|mhda|date - mesh|lr", Tag(())),
    ("date - modification|pa|pharmacological action|book|be|bti", Tag(())),
)

#: Tag in small letters, without its brackets -> where its words are looked for.
TAGS: Mapping[str, Tag] = {name: tag for names, tag in _TABLE for name in names.split("|")}
#: The short tags that can be searched, for messages.
SEARCHED = " ".join(f"[{names.split('|')[0]}]" for names, tag in _TABLE if tag.fields)

#: PubMed's publication types that have another name here.
TYPES: Mapping[str, str] = {
    "journal article": "article", "clinical trial": "article", "randomized controlled trial": "article",
    "case reports": "article", "comparative study": "article", "multicenter study": "article",
    "observational study": "article", "meta-analysis": "review", "systematic review": "review", "comment": "letter",
    "published erratum": "erratum", "retraction of publication": "retraction",
    "retraction notice": "retraction", "technical report": "report", "academic dissertation": "thesis",
    "congress": "proceedings", "dictionary": "reference-entry", "encyclopedia": "reference-entry",
}  # fmt: skip
