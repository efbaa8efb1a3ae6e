"""What stands before a colon in our own syntax: our fields, and those that other programs have for
the same; and how their clauses are put into our brackets.

A name of another program is read where there is no doubt what it means, and `leftovers.py`
says as what. All other names are errors, which name the nearest field.
"""

from __future__ import annotations

import re

from metasearch.late_pattern import late_pattern
from metasearch.query.tree import FIELDS

#: What may stand before a colon -> the field of a term; "year" is read as a range.
FIELD_NAMES = {name: name for name in (*FIELDS, "year")} | {
    "journal": "venue",
    "ti": "title",
    "au": "author",
    "ab": "abstract",
    "doctype": "type",
    "lang": "language",
}

#: Fields with blanks between them -> what DOAJ, Dimensions, ADS, Europe PMC, ACM, OpenAlex, Scopus
#: and Google Scholar call them, in small letters with a hyphen for "_".
_OTHERS = {
    "title": "intitle titl titles article-title document-title dctitle bibjson.title title.search "
    "display-name.search acmdltitle",
    "title abstract": "title-abs title-abstract title-and-abstract tiab titleabs abstitle "
    "title-and-abstract.search title-abstract-only",
    "title abstract subject": "title-abs-key title-abs-kw title-abs-keyword title-abstract-keyword "
    "title-abstract-keywords tak titleabskey",
    "abstract": "abs recordabstract abst abstract.search bibjson.abstract dcdescription",
    "author": "auth authors inauthor contrib dccreator bibjson.author.name first-author "
    "auth-first auth-last raw-author-name.search",
    "venue": "source srctitle jour journal-title journal.title publication-title "
    "publication-name source-title container-title bibjson.journal.title journals.title",
    "subject": "bibjson.keywords author-keyword author-keywords authkey",
    "year": "pub-year pubyear publication-year first-pdate pubdate publication-date pub-date "
    "e-publication-date",
    "type": "pub-type publication-type document-type",
    "language": "languages.code language.code",
    "pmid": "ext-id pubmed pubmed-id pubmedid",
    "pmcid": "pmc pmc-id",
    "arxiv": "eprint arxiv-id arxivid",
    "trial": "nct nctid nct-id trial-id trial-number registration secondary-source-id",
    "any": "allfield allfields all-fields anywhere",
}
#: A name in another program -> fields, with blanks between them.
OTHER_NAMES = {name: fields for fields, names in _OTHERS.items() for name in names.split()}
#: What stands for a field that nothing here holds: a limit to open access, to full texts, to a part
#: of the database, as Europe PMC, ADS and OpenAlex have them.
LIMIT = "limit"
_LIMITS = late_pattern(
    r"open_access(?:\.[a-z_]{2,30})?|(?:has|is|in)_[a-z_]{2,30}|src|license|licence|property|bibgroup"
)
#: Names of Google Scholar that hold for all that follows -> the field.
NAMES_OF_REST = {"allintitle": "title", "allinauthor": "author"}
# Prefixes of identifiers, which people type as words.
IDENTIFIER_SCHEMES = frozenset(
    ("ark", "bibcode", "hdl", "http", "https", "info", "mailto", "oclc", "orcid", "swh", "urn")
)
#: Names in other programs that may mean more than one thing -> the field to propose.
_MEANT = {
    "keyword": "subject", "keywords": "subject", "kw": "subject", "ky": "subject", "su": "subject",
    "topic": "subject", "mesh": "subject",
    "creator": "author", "by": "author",
    "publication": "venue",
    "container": "venue", "date": "year", "published": "year", "py": "year", "yr": "year",
    "all": "any", "text": "any",
    "kind": "type", "pt": "type", "dt": "type", "la": "language", "ln": "language",
}  # fmt: skip


def fields_of(name: str) -> str | None:
    """The fields that a name means, with blanks between them; `LIMIT`, or None for a name that is
    unknown.
    """
    plain = name.lower().replace("_", "-")
    known = FIELD_NAMES.get(plain) or OTHER_NAMES.get(plain)
    return known or (LIMIT if _LIMITS.fullmatch(name.lower()) else None)


def likely_field(name: str) -> str:
    """Returns the field that an unknown name seems to mean; "" where none is near."""
    from difflib import get_close_matches

    low = name.lower()
    if low in _MEANT:
        return _MEANT[low]
    known = [field for field in FIELD_NAMES if len(field) > 2]
    return next(iter(get_close_matches(low[:30], known, 1, 0.7)), "")


# ACM's Digital Library prints each term as a clause in square brackets, [Title: x].
_CLAUSE = late_pattern(r"(?<![^\s(\[])\[([A-Za-z]{1,20}(?:[ -][A-Za-z]{2,20}){0,2}):")
#: As Google and others have words near one another.
_AROUND = late_pattern(
    r'\\.|"(?:[^"\\]|\\.)*(?:"|\Z)'
    r'|(?<=[\w*")] )(?:AROUND|NEAR|WITHIN)\(([0-9]{1,3})\)(?= [\w"(])',
    re.DOTALL,
)
_QUOTED = late_pattern(r'\\.|"(?:[^"\\]|\\.)*(?:"|\Z)', re.DOTALL)
_ROUND = str.maketrans("[]", "()")


def in_round_brackets(text: str) -> str:
    """The text with [Title: x] as Title:( x), and all square brackets round, but for those in
    quotes; as it is where no such clause names a field. AROUND(3) becomes NEAR/3. The length stays,
    so that places in the text do.
    """
    if "(" in text:
        text = _AROUND.sub(_near, text)
    if "[" not in text:
        return text
    pieces: list[str] = []  # every other one stands in quotes, or is a sign with a backslash
    at = 0
    for quoted in _QUOTED.finditer(text):
        pieces += [text[at : quoted.start()], quoted[0]]
        at = quoted.end()
    pieces.append(text[at:])
    if not any(
        map(_names_field, (match for piece in pieces[::2] for match in _CLAUSE.finditer(piece)))
    ):
        return text
    pieces[::2] = [_CLAUSE.sub(_round, piece).translate(_ROUND) for piece in pieces[::2]]
    return "".join(pieces)


def _near(match: re.Match[str]) -> str:
    return match[0] if match[1] is None else f"NEAR/{match[1]}".ljust(len(match[0]))


def _names_field(clause: re.Match[str]) -> bool:
    return fields_of(clause[1].replace(" ", "-")) is not None or clause[1].lower() == "all"


def _round(clause: re.Match[str]) -> str:
    name = clause[1].replace(" ", "-")
    return f"{'any' if name.lower() == 'all' else name}:("
