"""The vocabulary of PubMed: its search field tags, subheadings, and filters by type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from metasearch.message import message
from metasearch.query.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    ENTRY_DATE,
    FIRST_AUTHOR,
    HEADING,
    ISBN,
    ISSN,
    LANGUAGE,
    NOWHERE,
    PMCID,
    PMID,
    SUBJECT,
    TITLE,
    TITLE_ABSTRACT,
    TYPE,
    VENUE,
    YEAR,
    FieldTarget,
    together,
)
from metasearch.query.tree import plain
from metasearch.query.values import STUDIES, TYPE_NAMES, TYPES

# PubMed's search field tags -> our fields (https://pubmed.ncbi.nlm.nih.gov/help/#search-tags):
# those of its help, the names that its builder writes, and those of the Entrez utilities.

#: Headings that are taken with all narrower ones, those of the main topic last.
MESH = "mh|mesh|mesh terms|mesh term|mesh heading|mesh headings"
MAJOR = "majr|mesh major topic|mesh major|major topic"
NO_NUMBER = FieldTarget(
    ("any",), message("looked for everywhere: the term is no DOI, ISBN or ISSN")
)
_ROWS: tuple[tuple[str, FieldTarget], ...] = (
    ("ti|title|titl|tt|transliterated title", TITLE),
    ("tiab|title/abstract|title abstract", TITLE_ABSTRACT),
    ("ab|abstract", ABSTRACT),
    ("tw|text word|text words|text|word", ANY),
    ("all|all fields", ANY),
    (
        (
            "au|author|author name|auth|fau|full author name|author - full|full|auid|"
            "author - identifier|author identifier|cn|corporate author|author - corporate|coln"
        ),
        AUTHOR,
    ),
    (
        (
            "1au|first author name|first author|author - first|faut|lastau|last author name|"
            "last author|author - last|laut"
        ),
        FIRST_AUTHOR,
    ),
    ("ta|journal|jour|jt|journal title|title abbreviation|journal title abbreviation", VENUE),
    (MESH, HEADING),
    (MAJOR, HEADING),
    ("sh|mesh subheading|mesh subheadings|subheading|subheadings|subh", HEADING),
    (
        (
            "nm|supplementary concept|substance name|substance|subs|rn|ec/rn number|ecno|"
            "registry number"
        ),
        HEADING,
    ),
    ("ot|other term|other terms|otrm|kw|keyword|keywords", SUBJECT),
    ("dp|pdat|date - publication|publication date", YEAR),
    (
        (
            "epdat|epdt|date - electronic publication|electronic publication date|ppdat|ppdt|"
            "date - print publication|print publication date"
        ),
        ENTRY_DATE,
    ),
    (
        "edat|date - entry|entrez date|entry date|crdt|date - create|create date|date - mesh|mhda",
        ENTRY_DATE,
    ),
    ("la|lang|language", LANGUAGE),
    ("pt|ptyp|publication type|article type", TYPE),
    ("aid|article identifier|lid|location id|eid|pii", FieldTarget(("identifier",))),
    ("doi", DOI),
    ("is|issn", ISSN),
    ("isbn", ISBN),
    ("pmid|uid", PMID),
    ("pmc|pmcid|pid", PMCID),
    (
        (
            "filter|filt|filters|sb|subset|citation subset|ad|affiliation|affl|gr|"
            "grants and funding|grant number|grnt|vi|volume|vol|ip|issue|iss|pg|pagination|page"
        ),
        NOWHERE,
    ),
    (
        (
            "pl|place of publication|country of publication|cnty|pubn|publisher|ir|investigator|"
            "invr|fir|full investigator name|investigator - full|finv|ed|editor|ps|"
            "personal name as subject|subject - personal name|si|secondary source id|nlm unique id|"
            "jid|cois|conflict of interest statements|conflict of interest statement"
        ),
        NOWHERE,
    ),
    (
        (
            "pa|pharmacological action|papx|book|be|bti|stat|owner|phst|mid|ci|"
            "comment correction type|dso|aucl|publication status|text availability"
        ),
        NOWHERE,
    ),
    (
        (
            "lr|date - modification|modification date|mdat|dcom|date - completion|completion date|"
            "cdat|mesh date"
        ),
        NOWHERE,
    ),
)

#: FieldTarget in small letters, without its brackets -> where its words are looked for.
TAGS: Mapping[str, FieldTarget] = {name: tag for names, tag in _ROWS for name in names.split("|")}
#: The short tags that can be searched, for messages.
SEARCHED = " ".join(f"[{names.split('|')[0]}]" for names, tag in _ROWS if tag.fields)

# What stands at a tag: a distance (`[tiab:~3]`), and whether a heading is taken with narrower ones.
DISTANCE = re.compile(r"(.*):~([0-9]{1,3})")
_EXPLOSION = re.compile(r"(.*): ?(?:no ?)?exp")
FILTERS = frozenset({"filter", "filt", "filters", "sb", "subset", "citation subset"})
#: What may stand after the slash of a heading
#: (https://www.nlm.nih.gov/mesh/topsubscope.html).
SUBHEADINGS = frozenset(
    (
        "abnormalities|administration & dosage|adverse effects|agonists|analogs & derivatives|"
        "analysis|anatomy & histology|antagonists & inhibitors|biosynthesis|blood|blood supply|"
        "cerebrospinal fluid|chemical synthesis|chemically induced|chemistry|classification|"
        "complications|congenital|cytology|deficiency|diagnosis|diagnostic imaging|diet therapy|"
        "drug effects|drug therapy|economics|education|embryology|enzymology|epidemiology|ethics|"
        "ethnology|etiology|genetics|growth & development|history|immunology|injuries|innervation|"
        "instrumentation|isolation & purification|legislation & jurisprudence|metabolism|methods|"
        "microbiology|mortality|nursing|organization & administration|parasitology|pathogenicity|"
        "pathology|pharmacokinetics|pharmacology|physiology|physiopathology|poisoning|"
        "prevention & control|psychology|radiation effects|radiotherapy|rehabilitation|secondary|"
        "secretion|standards|statistics & numerical data|supply & distribution|surgery|"
        "therapeutic use|therapy|toxicity|transmission|transplantation|trends|ultrastructure|"
        "urine|veterinary|virology"
    ).split("|")
)


@cache
def filter_types() -> Mapping[str, str]:
    """Types of works and studies as PubMed writes filters: "randomizedcontrolledtrial"."""
    names = (*TYPES, *STUDIES, *TYPE_NAMES)
    squeezed = {"".join(filter(str.isalpha, name)): name for name in names}
    return squeezed | {"systematic": "systematic review", "booksdocs": "book"}


def tag_named(name: str) -> FieldTarget | None:
    """The tag of that name; None where there is none."""
    name = re.sub(r"\s?/\s?", "/", plain(name).casefold())
    if match := DISTANCE.fullmatch(name):
        return TAGS.get(match[1])
    if match := _EXPLOSION.fullmatch(name):
        tag = TAGS.get(match[1])
        return tag if tag and tag.heading else None
    if name in TAGS:
        return TAGS[name]
    tags = [TAGS.get(part) for part in tags_in(name)]
    several = [tag for tag in tags if tag and tag.of_words]
    return together(several) if 1 < len(several) == len(tags) else None


def tags_in(name: str) -> list[str]:
    """The tags that people write as one, which PubMed does not know so: "ti,ab"."""
    whole = re.sub(r"\s?/\s?", "/", plain(name).casefold().strip("[] "))
    if whole in TAGS or len(whole) > 60:
        return [whole]
    return [part for part in re.split(r"\s?[,/;]\s?|\sor\s|\sand\s|\s(?=ab\Z|ti\Z)", whole) if part]
