"""Journals and conferences: their words, their kind, whether two names mean one, and the form in
which a record was published.

Abbreviations follow ISO 4 (each word a beginning of the full one's word) or are initialisms
("JAMA", "VLDB").
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from metasearch.bib import normalise, number_keys
from metasearch.dedup import cjk
from metasearch.late_pattern import late_pattern
from metasearch.record import Record

#: "journal", "conference", or "" where the name does not tell.
VenueKind = Literal["", "journal", "conference"]

_STOP = frozenset(
    "the a an of and for in on de la le les des du der die das und fur et y e el".split()
)
# What surrounds the name of a conference: "Proceedings of the 25th Annual International Conference
# on ... 1999".
_SURROUNDS = frozenset(
    """
    proc proceedings conference conf international intl int annual symposium symp workshop meeting
    congress acm ieee ieeecomputersociety assoc mach comput association computing machinery th st nd
    rd first second third fourth fifth sixth seventh eighth ninth tenth hellip ed eds press vol
""".split()
)
_CONFERENCES = frozenset(
    "conference conf symposium symp workshop workshops congress meeting kongress tagung "
    "colloquium colloque".split()
)
_JOURNALS = frozenset(
    "journal j transactions trans magazine zeitschrift revista revue rivista 学报 杂志".split()
)
# What a series of conferences calls its periodical, beside those: "SIGMOD Record".
_PERIODICALS = _JOURNALS | frozenset("record bulletin newsletter".split())
#: Names that are remembered, with what was made of them: those of a search, and the frequent ones
#: of a file.
KEPT = 2_000
#: An acronym is looked for in names of up to this many words.
_LONGEST_NAME = 14


@lru_cache(maxsize=KEPT)
def venue_words(venue: str) -> tuple[str, ...]:
    """Folded words without articles and prepositions."""
    return tuple(w for w in normalise.words(venue) if w not in _STOP)


@lru_cache(maxsize=KEPT)
def venue_kind(venue: tuple[str, ...]) -> VenueKind:
    """Whether the name speaks of a conference or of a journal; "Proceedings" alone says neither."""
    conference, journal = not _CONFERENCES.isdisjoint(venue), not _JOURNALS.isdisjoint(venue)
    if conference and journal:  # "Journal of Physics: Conference Series"
        return ""
    return "conference" if conference else "journal" if journal else ""


def venue_relation(a: tuple[str, ...], b: tuple[str, ...]) -> bool | None:
    """Whether two names mean one journal or conference.

    None where one is missing, is nothing but "Proceedings of the International Conference", or is
    an acronym that the other one does not spell out: nobody can tell then.
    """
    if not a or not b:
        return None
    return a == b or _names_relation(a, b)


@lru_cache(maxsize=KEPT)
def is_series_and_journal(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether one name is a word and the other its journal: "VLDB", "VLDB J."."""
    if _PERIODICALS.isdisjoint(a) == _PERIODICALS.isdisjoint(b):
        return False
    one, other = (
        tuple(word for word in _core(fingerprint) if word not in _PERIODICALS)
        for fingerprint in (a, b)
    )
    return len(one) == 1 and one == other


@lru_cache(maxsize=KEPT)
def _names_relation(a: tuple[str, ...], b: tuple[str, ...]) -> bool | None:
    if not (a[0].isascii() and b[0].isascii()) and (
        normalise.has_cjk(a[0]) or normalise.has_cjk(b[0])
    ):
        return cjk.same_venue(a, b)
    if "".join(a) == "".join(b) or _abbreviated(a, b):
        return True
    a, b = _core(a), _core(b)
    if not a or not b:
        return None
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) == 1:
        if short[0] in long:
            return True
        if _initialism(short[0], long):
            return True
        return None if _acronym(short[0]) else False
    if len(long) == 1:
        return None if _acronym(long[0]) or _acronym(short[0]) else False
    return _abbreviated(a, b) or (False if not _one_in_common(short, long) else None)


def same_name(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether two names are one word by word, spelt out or not; "VLDB" and "VLDB J." are not."""
    return bool(a) and (a == b or (len(a) == len(b) and all(map(_abbreviates, a, b))))


def _one_in_common(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether most words of the shorter name are in the longer: a series, a section."""
    return 2 * sum(any(_abbreviates(word, other) for other in long) for word in short) > len(short)


@lru_cache(maxsize=KEPT)
def _core(venue: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(w for w in venue if w not in _SURROUNDS and not w[0].isdigit())
    return kept[:_LONGEST_NAME]


def _acronym(word: str) -> bool:
    return len(word) <= 7 and word.isascii()


def _initialism(word: str, long: tuple[str, ...]) -> bool:
    """Whether a word is made of the others' first letters: "pnas", "vldb"."""
    initials = "".join(w[0] for w in long)
    if len(word) < 3:
        return False
    if word in initials:
        return True
    # A name that was cut off ("International Conference on Very Large ...") spells the beginning.
    return len(initials) > 1 and word.startswith(initials) and len(word) <= 2 * len(initials)


def _abbreviated(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether each word of the shorter name begins one of the longer, in order (ISO 4)."""
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) == 1 and len(long) > 1:
        return long[0] == short[0] or short[0] == "".join(word[0] for word in long)
    at = 0
    for word in short:
        while at < len(long) and not _abbreviates(word, long[at]):
            at += 1
        if at == len(long):
            return False
        at += 1
    return True


def _abbreviates(a: str, b: str) -> bool:
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if long.startswith(short):
        return True
    # "Intl" for "International", "Natl" for "National": first letter, then letters in order, then
    # the last one.
    if len(short) < 4 or short[0] != long[0]:
        return False
    rest = iter(long)
    return all(letter in rest for letter in short)


# --------------------------------------------------------------------------- of records

_PREPRINT_DOIS = (
    "10.48550/",
    "10.1101/",
    "10.2139/",
    "10.31219/",
    "10.31234/",
    "10.20944/preprints",
    "10.21203/",
    "10.26434/",
    "10.36227/",
)
_PREPRINT_VENUES = frozenset(
    "arxiv corr biorxiv medrxiv chemrxiv psyarxiv socarxiv ssrn ssrnelectronicjournal "
    "researchsquare preprints "
    "preprintsorg techrxiv osfpreprints eartharxiv arxivorg corrabs".split()
)
_ABSTRACTS = frozenset(("abstracts", "abstract"))
# Embase: "Pediatric Transplantation.Conference: 6th Congress of ...", for the abstracts in a
# journal's supplement.
_SUPPLEMENT = late_pattern(r"[.,;]? ?Conference: .*", re.IGNORECASE | re.DOTALL)
#: In what form a record's work is published; "" where that cannot be known.
Form = Literal["", "preprint", "abstract", "conference", "journal"]


def record_form(record: Record, venue: tuple[str, ...], mark: str) -> Form:
    """The form of a work's publication. `mark`: what a title's affix tells; `affixes.Mark`."""
    if is_preprint(record, venue):
        return "preprint"
    if (
        mark == "abstract"
        or not _ABSTRACTS.isdisjoint(venue)
        or (record.venue and ": " in record.venue and _SUPPLEMENT.search(record.venue))
    ):
        return "abstract"
    paper = record.type == "conference-paper"
    if (
        paper
        and record.volume
        and record.pages
        and len(set(number_keys.pages_key(record.pages))) == 1
    ):
        return "abstract"  # on a page of a journal
    kind = venue_kind(venue)
    if (
        paper
    ):  # the record's own word; a journal that prints it makes it no article of another publication
        return "" if kind == "journal" else "conference"
    return kind


def is_preprint(record: Record, venue: tuple[str, ...]) -> bool:
    """Whether the form of a record is "preprint", as `record_form` has it."""
    if record.type == "preprint" or (record.doi and record.doi.startswith(_PREPRINT_DOIS)):
        return True
    return "".join(venue) in _PREPRINT_VENUES


def record_venue(record: Record) -> tuple[str, ...]:
    """The venue's folded words, as `venue_words`; empty where the record names none."""
    if record.type == "thesis" or (record.venue and normalise.has_cjk(record.venue)):
        said = f"{record.venue or ''}{record.publisher or ''}"
        if normalise.has_cjk(said):
            return cjk.venue(record)
    if not record.venue:
        return ()
    venue = record.venue
    return venue_words((_SUPPLEMENT.sub("", venue) or venue) if ": " in venue else venue)
