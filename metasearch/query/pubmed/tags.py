"""PubMed's search field tags -> our fields (https://pubmed.ncbi.nlm.nih.gov/help/#search-tags)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tag:
    """Where the words of a tag are looked for.

    Attributes:
        fields: One or more of `metasearch.query.FIELDS`, or "year"; none where nothing here holds
            it.
        loss: What is lost by that, as the end of a sentence that begins "[tag] is"; "" for nothing.
        heading: The words are a heading of a vocabulary, so they follow one another.
    """

    fields: tuple[str, ...]
    loss: str = ""
    heading: bool = False


_ANY_AUTHOR = "looked for among all authors: sources cannot be asked for their order"
_HEADING = "looked for among keywords and subject headings; narrower headings are not added"
_MAIN = f"{_HEADING}, and it need not be the main topic"
_OTHER_DATE = "read as the date of publication"
_TABLE: tuple[tuple[str, Tag], ...] = (
    ("ti|title|tt|transliterated title", Tag(("title",))),
    ("tiab|title/abstract", Tag(("title", "abstract"))),
    ("ab|abstract", Tag(("abstract",))),
    ("tw|text word|text words", Tag(("any",))),
    ("all|all fields", Tag(("any",))),
    (
        "au|author|author name|fau|full author name|auid|author - identifier|cn|corporate author",
        Tag(("author",)),
    ),
    ("1au|first author name|author - first", Tag(("author",), _ANY_AUTHOR)),
    ("lastau|last author name|author - last", Tag(("author",), _ANY_AUTHOR)),
    ("ta|journal|jour|jt|journal title", Tag(("venue",))),
    (
        "mh|mesh|mesh terms|mesh:noexp|mh:noexp|mesh terms:noexp",
        Tag(("subject",), _HEADING, heading=True),
    ),
    (
        "majr|mesh major topic|majr:noexp|mesh major topic:noexp",
        Tag(("subject",), _MAIN, heading=True),
    ),
    ("sh|mesh subheading|mesh subheadings|subheading", Tag(("subject",), _HEADING, heading=True)),
    (
        "nm|supplementary concept|substance name|rn|ec/rn number",
        Tag(("subject",), _HEADING, heading=True),
    ),
    ("ot|other term|other terms|kw|keyword", Tag(("subject",))),
    ("dp|pdat|date - publication|publication date", Tag(("year",))),
    (
        "epdat|date - electronic publication|ppdat|date - print publication",
        Tag(("year",), _OTHER_DATE),
    ),
    (
        "edat|date - entry|entrez date|entry date|crdt|date - create|create date|date - mesh|mhda",
        Tag(("year",), _OTHER_DATE),
    ),
    ("la|lang|language", Tag(("language",))),
    ("pt|ptyp|publication type", Tag(("type",))),
    ("aid|article identifier|lid|location id", Tag(("identifier",))),
    ("doi", Tag(("doi",))),
    ("is|issn", Tag(("issn",))),
    ("isbn", Tag(("isbn",))),
    ("pmid|uid", Tag(("any",), "looked for everywhere: there is no field for it")),
    ("pmc|pmcid", Tag(("any",), "looked for everywhere: there is no field for it")),
    (
        (
            "ad|affiliation|gr|grants and funding|grant "
            "number|sb|subset|filter|vi|volume|ip|issue|pg|pagination|page"
        ),
        Tag(()),
    ),
    (
        (
            "pl|place of publication|pubn|publisher|ir|investigator|fir|full investigator "
            "name|ed|editor|ps"
        ),
        Tag(()),
    ),
    ("personal name as subject|si|secondary source id|nlm unique id|jid|cois|lr", Tag(())),
    (
        "date - modification|pa|pharmacological action|book|be|bti|stat|owner|phst|mid|filters",
        Tag(()),
    ),
    ("subject - personal name|conflict of interest statements|comment correction type|ci", Tag(())),
    ("dcom|date - completion|completion date|mesh date|modification date", Tag(())),
)

#: Tag in small letters, without its brackets -> where its words are looked for.
TAGS: Mapping[str, Tag] = {name: tag for names, tag in _TABLE for name in names.split("|")}
#: The short tags that can be searched, for messages.
SEARCHED = " ".join(f"[{names.split('|')[0]}]" for names, tag in _TABLE if tag.fields)

#: PubMed's publication types that have another name here.
TYPES: Mapping[str, str] = {
    "journal article": "article", "case reports": "article", "case report": "article",
    "classical article": "article",
    "corrected and republished article": "article", "historical article": "article",
    "introductory journal article":
    "article", "english abstract": "article", "clinical conference": "article",
    "legal case": "article",
    "meta-analysis": "review", "systematic review": "review", "scoping review": "review",
    "review literature": "review", "review, academic": "review", "review, tutorial": "review",
    "comment": "letter", "published erratum": "erratum", "retraction of publication": "retraction",
    "retraction notice": "retraction", "retracted publication": "retraction",
    "expression of concern": "retraction",
    "technical report": "report", "government publication": "report",
    "academic dissertation": "thesis",
    "dissertations & theses": "thesis", "doctoral dissertation": "thesis",
    "congress": "proceedings",
    "congresses": "proceedings", "conference proceeding": "conference-paper",
    "conference paper": "conference-paper",
    "conference abstract": "conference-paper", "meeting abstract": "conference-paper",
    "proceedings paper": "conference-paper", "conference review": "proceedings",
    "dictionary": "reference-entry",
    "encyclopedia": "reference-entry", "textbook": "book", "handbook": "book",
    "book chapter": "chapter",
    "editorial material": "editorial", "news": "other", "newspaper article": "other",
    "note": "letter",
    "short survey": "article", "article in press": "article", "early access": "article",
    "data paper": "article",
    "video-audio media": "video", "webcast": "video", "periodical index": "journal",
    "scholarly journals": "article",
}  # fmt: skip
#: Publication types that say how a study was made: no type of works is so narrow, so they are
#: looked for as keywords.
STUDIES = frozenset(
    (
        "clinical trial|clinical trial, phase i|clinical trial, phase ii|clinical trial, phase iii|"
        "clinical trial, phase iv|clinical trial protocol|clinical trial, veterinary|controlled "
        "clinical trial|"
        "randomized controlled trial|randomized controlled trial, veterinary|adaptive clinical "
        "trial|"
        "equivalence trial|pragmatic clinical trial|comparative study|multicenter "
        "study|observational study|"
        "observational study, veterinary|evaluation study|evaluation studies|validation "
        "study|validation studies|"
        "twin study|network meta-analysis|guideline|practice guideline|consensus development "
        "conference|"
        "consensus development conference, "
        "nih|biography|autobiography|interview|lecture|address|festschrift|"
        "personal narrative|patient education handout|portrait|bibliography|directory|overall|"
        "interactive tutorial|research support, non-u.s. gov't|research support, u.s. gov't, "
        "p.h.s.|"
        "research support, u.s. gov't, non-p.h.s.|research support, n.i.h., extramural|"
        "research support, n.i.h., intramural|preregistration|registered report"
    ).split("|")
)
