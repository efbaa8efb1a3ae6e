"""Which syntax a text is in. `auto` is conservative: in doubt it is our own.

Ours takes nearly every text, so a text is read in another only where it bears a mark that nobody means literally, and
marks of one kind only. What stands in double quotes is no mark.

- **cnki**: a field with its sign (`TI='...'`, `题名=...`, `题名:(...)`, `YE BETWEEN (`), or a `*` between Chinese
  words, brackets and quotes. A lone `+` is no mark, for 互联网+教育 is a name; nor is a code before plain letters, for
  AB=CD is geometry.
- **cql**: an index with its context set and a relation (`dc.title =`, `bath.isbn any`), a prefix assignment at the
  beginning, or a well-known index with an equals sign where a clause begins (`title = "x"`). `cat and dog` are three
  words, and so is `the relation author=reader`.
- **pubmed**: a tag of PubMed in square brackets, directly after a word or quote and before a blank, bracket or the end.
  So benzo[ab]pyrene has none; nor have [Au] and [Pt], which are gold and platinum.

Each pattern looks at a bounded stretch, so the time is linear in the length of the text.
"""

from __future__ import annotations

import re

from metasearch.query.expert_fields import TARGETS
from metasearch.query.pubmed_tags import TAGS
from metasearch.query.simple import MAX_LENGTH

_QUOTED = re.compile(r'(["＂“„])([^"＂“”„]*)(["＂”“])')
_HAN = re.compile(r"[\u3400-\u9fff]")
_NAMES = "|".join(sorted((name for name in TARGETS if _HAN.match(name)), key=len, reverse=True))
_STAR = re.compile(r"[\u3400-\u9fff)）'’\"”]\s?[*＊]\s?[\u3400-\u9fff(（'‘\"“]")
_EXPERT = (
    re.compile(r"(?<!\w)([A-Z]{2,3})\s?[%％]?[=＝]\s?(?=[(（]{0,20}['‘\"“\u3400-\u9fff])"),
    re.compile(r"(?<!\w)(TI|KY|AU|SU|JN|TKA)[%％]?[=＝](?=[^\W\d_])"),
    re.compile(r"(?<!\w)(YE|PT)\s{1,5}BETWEEN\s{0,5}[(（'‘]", re.IGNORECASE),
    re.compile(r"(?<!\w)(YE|年|年份)\s?[<>=＝]{1,2}\s?['‘]?[12][0-9]{3}"),
    re.compile(rf"(?<!\w)({_NAMES})\s?[%％]?[=＝]"),
    re.compile(rf"(?<!\w)({_NAMES}):\s?[(（\"“'‘]"),
)
_CQL = (
    re.compile(
        r"(?<![\w.])(?:dc|cql|bath|srw|bib|dcterms)\.[A-Za-z]{2,30}\s{0,5}"
        r"(?:[=<>/]|(?:any|all|adj|exact|within|encloses|scr)\b)",
        re.IGNORECASE,
    ),
    re.compile(r"\A\s{0,50}>\s{0,5}\w{1,20}\s{0,5}=\s{0,5}\S"),
    re.compile(
        r"(?:\A|[(]|\b(?:and|or|not|prox)\s)\s{0,5}(?:title|creator|author|subject|isbn|issn|doi)\s{0,5}==?\s{0,5}[\w\"]",
        re.IGNORECASE,
    ),
)
_TAG = re.compile(r"(?<=[\w\"”*.])(\s?)\[([A-Za-z1][A-Za-z /:~0-9-]{0,40})\](?![\w-])")
_ELEMENT = re.compile(r"[A-Z][a-z]")


def detect(text: str) -> str:
    """The syntax that a text is in, a key of `metasearch.query.syntaxes.SYNTAXES`."""
    if len(text) > MAX_LENGTH:
        return "simple"
    bare = _QUOTED.sub(lambda it: f"{it[1]}{'_' * len(it[2])}{it[3]}", text)
    marks = {"cnki": _is_expert(bare, text), "cql": _is_cql(bare), "pubmed": _is_pubmed(bare)}
    marked = [name for name, found in marks.items() if found]
    return marked[0] if len(marked) == 1 else "simple"


def _is_expert(bare: str, text: str) -> bool:
    if _HAN.search(text) and _STAR.search(bare):
        return True
    return any(mark[1].casefold() in TARGETS for pattern in _EXPERT for mark in pattern.finditer(bare))


def _is_cql(bare: str) -> bool:
    return any(pattern.search(bare) for pattern in _CQL)


def _is_pubmed(bare: str) -> bool:
    for found in _TAG.finditer(bare):
        name = found[2].strip()
        spaced = found[1] and bare[found.start() - 1] not in '"”'
        if not spaced and not _ELEMENT.fullmatch(name) and name.casefold().partition(":~")[0] in TAGS:
            return True
    return False
