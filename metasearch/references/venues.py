"""Names of journals and conferences, as references and databases write them: whether two mean one.

A name is written out, abbreviated as ISO 4 has it (each word a beginning of the full one's), or
told by letters ("NeurIPS", "PNAS"), with or without what surrounds a conference: its number, year
and publisher.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

from metasearch.bib import normalise, word_list
from metasearch.dedup import imprint
from metasearch.dedup.words import PLACES
from metasearch.late_pattern import late_pattern
from metasearch.record import Record

#: Characters of a name, words and letters of an acronym that are looked at.
LONGEST, MOST_WORDS, LONGEST_ACRONYM = 300, 16, 12
#: Names that are remembered.
KEPT = 2_000
#: Letters by which an English word is known; "euro" and "neuro" stand before many.
_BEGINNING = 5

# Words that tell no venue from another one, where others are left.
_PUBLISHERS = frozenset("ieee acm cvf usenix siam iapr ifip springer sage elsevier mdpi".split())
_KINDS = {
    **dict.fromkeys("conference conf congress meeting symposium symp".split(), "conference"),
    **dict.fromkeys("workshop workshops findings tutorials".split(), "workshop"),
    **dict.fromkeys("journal j transactions trans magazine review letters".split(), "journal"),
}
_AROUND = frozenset(
    """
    proceedings proc chapter companion volume vol part track main long short papers paper abstracts
    series first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
    st nd rd th
""".split()
)
#: The same of conferences alone: the "International Journal of Obesity" is another one.
_AROUND_CONFERENCES = frozenset(
    """
    international intl int annual annu advances adv biennial joint conference conf congress meeting
    symposium symp
""".split()
)
_KIND_OF_JOURNAL = frozenset("journal j transactions trans".split())
_NUMBER = re.compile(
    r"\d+(?:st|nd|rd|th)?|(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)(?:y|ie|een)\w*|[ivx]{2,6}"
)
_SOCIETY = late_pattern(
    r"\bIEEE Comp\w*\.? Soc\w*\.?|\bAssoc\w*\.? (?:for |of )?Comp\w*\.? Mach\w*\.?", re.IGNORECASE
)
# Between a name and its section, its translation, or the congress of a supplement.
_PARTS_END = late_pattern(
    r"[:;,] | [-\u2013=/] |[(\[)\]]|(?<=\w{6})\. |-(?=the )|[.,;]? ?Conference: ", re.IGNORECASE
)
_LOST = late_pattern(r"\w[?\ufffd]\w")
_BRACKETS = late_pattern(r"[(\[（]([^()\[\]（）]*)(?:[)\]）]|$)")
_ACRONYM = late_pattern(r"[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?<!\bII)(?<!\bIII)")
#: Series, publishers and platforms, of which each has many venues.
_SERIES = late_pattern(
    r"\b(?:lecture notes|lncs|lnai|proceedings of machine learning research|pmlr|lipics"
    r"|communications in computer and information science|ceur workshop|openreview"
    r"|international conference proceedings? series|conference series|springer proceedings"
    r"|(?:advances|studies) in (?:intelligent|computational|experimental medicine)"
    r"|\w* ?press|verlag|springer|elsevier|wiley|publish\w*|thesis|dissertation|in press"
    r"|submitted|to appear|under review|accepted|forthcoming|unpublished|manuscript)\b"
)
_SERVERS = frozenset(
    """
    arxiv biorxiv medrxiv chemrxiv psyarxiv socarxiv eartharxiv techrxiv ssrn preprint preprints
    zenodo figshare repec researchgate repository repositorio dspace eprints hal osf chinaxiv
""".split()
)
# What no rule can know: names that share neither words nor letters.
_ALIASES = {
    alias: name
    for name, *aliases in (
        line.split()
        for line in """
        neurips nips neuralinformationprocessingsystems
        theweb www worldwideweb web theworldwideweb
        kdd sigkdd knowledgediscoveryanddatamining knowledgediscoverydatamining
        sigir researchanddevelopmentininformationretrieval researchdevelopmentinformationretrieval
        sigmod managementdata
        sigcomm applicationstechnologiesarchitecturesprotocolscomputercommunication
        infocom computercommunications
        chi humanfactorscomputingsystems
        mlsys sysml
        pami tpami
        sp oakland securityprivacy
        eurocrypt theoryapplicationscryptographictechniques
        jama americanmedicalassociation
        bmj britishmedical
        plosone publiclibraryscienceone
        jmlr machinelearningresearch
""".strip().splitlines()
    )
    for alias in (name, *aliases)
}


class VenueName(NamedTuple):
    """What a name says.

    Attributes:
        words: Folded, without articles and prepositions.
        parts: Those between marks.
        core: Without numbers, proceedings and publishers.
        acronyms: Words of capitals, folded.
        kind: "conference", "workshop", "journal" or "".
        publishers: Who is named beside.
    """

    words: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    core: tuple[str, ...]
    acronyms: frozenset[str]
    kind: str
    publishers: frozenset[str]


def is_server(name: str) -> bool:
    """Whether this is a server of preprints or a repository, where a copy of any work may lie."""
    words = normalise.words(name[:LONGEST])
    return not _SERVERS.isdisjoint(words) or words[:1] == ["corr"]


def is_series(name: str) -> bool:
    """Whether a name is that of a series or a publisher: venues by the hundred."""
    return bool(_SERIES.search(normalise.with_blanks(name[:LONGEST])))


@lru_cache(maxsize=KEPT)
def is_foreign(name: str) -> bool:
    """Whether a name is not English, as far as the beginnings of its words tell: "Dtsch Arztebl",
    "Zhonghua yi xue za zhi". A journal may have another name in English.
    """
    listed = word_list.word_list(1).words
    long = [word for word in read_venue(name).core if len(word) > 2]
    starts = [word[:_BEGINNING] for word in long]
    known = [
        start
        for start in starts
        if "".join(listed[(at := bisect_left(listed, start)) : at + 1]).startswith(start)
    ]
    return len(long) > 1 and 2 * len(known) < len(long) and not _aliases_of(read_venue(name))


@lru_cache(maxsize=KEPT)
def read_venue(name: str) -> VenueName:
    """Returns what the name says."""
    name = name[:LONGEST]
    bare = _SOCIETY.sub(" ", _BRACKETS.sub(" ", name))
    if not normalise.words(bare):
        bare = name
    words = imprint.venue_words(bare)[:MOST_WORDS]
    parts = tuple(
        part for text in _PARTS_END.split(name) if (part := imprint.venue_words(text)[:MOST_WORDS])
    )
    core = tuple(word for word in words if word not in _AROUND and not _NUMBER.fullmatch(word))
    publishers = _PUBLISHERS.intersection(core)
    core = tuple(word for word in core if word not in publishers) or core
    acronyms = {
        acronym
        for found in (() if name.isupper() and len(core) > 1 else _ACRONYM.findall(name))
        if len(acronym := found.lower()) <= LONGEST_ACRONYM and acronym not in _PUBLISHERS
    }
    if len(core) == 1 and core[0].isascii():
        acronyms.add(core[0])
    kinds = {kind for word in words if (kind := _KINDS.get(word))}
    kind = "workshop" if "workshop" in kinds else kinds.pop() if len(kinds) == 1 else ""
    return VenueName(words, parts, core, frozenset(acronyms), kind, publishers)


@lru_cache(maxsize=KEPT)
def relation(one: str, other: str) -> bool | None:
    """Whether two names mean one journal or conference; None where nobody can tell."""
    if is_series(one) or is_series(other):
        return None
    if normalise.has_cjk(one) or normalise.has_cjk(other):
        records = (Record(source="", venue=name[:LONGEST]) for name in (one, other))
        return imprint.venue_relation(*map(imprint.record_venue, records))
    a, b = read_venue(one), read_venue(other)
    if not a.core or not b.core:
        return None
    if "".join(a.words) == "".join(b.words):
        return True
    found = _names_relation(a, b)
    if found is False and "-" in f"{one}{other}":  # "Cardio-thoracic"
        found = _names_relation(*(read_venue(name.replace("-", "")) for name in (one, other)))
    if found and a.kind and b.kind and a.kind != b.kind:
        return None if "workshop" in (a.kind, b.kind) else False
    # A name and its translation, or one that was damaged; a section of a journal.
    if found is False and (
        is_foreign(one) != is_foreign(other) or _parts_agree(a, b) or _LOST.search(f"{one} {other}")
    ):
        return None
    return found


def _names_relation(a: VenueName, b: VenueName) -> bool | None:
    """As `relation`, of names that are written in Latin letters."""
    if not (a.publishers and b.publishers and a.publishers.isdisjoint(b.publishers)):
        if imprint.same_name(a.core, b.core) or imprint.same_name(a.words, b.words):
            return True
        if _aliases_of(a) & _aliases_of(b):
            return True
    if a.acronyms & b.acronyms:
        # "SIGMOD Record", "Findings of ACL": a name within another one
        within = any(len(v.core) > 1 and v.kind in ("journal", "workshop") for v in (a, b))
        return None if within else True
    for short, long in ((a, b), (b, a)):
        if any(
            _spells(each, name) for each in short.acronyms for name in (long.words, *long.parts)
        ):
            # a bare acronym, or one beside its own name
            return True if len(short.core) == 1 or not long.acronyms else None
    return _difference(a, b)


def _aliases_of(name: VenueName) -> set[str]:
    """What the table calls a venue."""
    core = _without(name.core, _AROUND_CONFERENCES | _KIND_OF_JOURNAL)
    return {_ALIASES[part] for part in ("".join(core), *name.acronyms) if part in _ALIASES}


def _without(words: tuple[str, ...], these: frozenset[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word not in these)


def _difference(a: VenueName, b: VenueName) -> bool | None:
    """False where each of two names says another thing; None where one says less of the same, True
    where only the country is left out, or what surrounds the name of a conference.
    """
    short, long = sorted((a.core, b.core), key=len)
    if imprint.same_name(short, long[: len(short)]):
        rest = {*long[len(short) :]}
        if rest <= {"u", "s", "us", "usa", "united", "states", "america"}:
            return True
        if rest <= PLACES or all(len(word) == 1 for word in rest):
            return None
    if imprint.same_name(*(_without(name.core, _AROUND_CONFERENCES) for name in (a, b))):
        # "Advances in Physics" is not "Physics".
        if {"conference", "workshop"} & {a.kind, b.kind}:
            return True
        return False if a.kind == b.kind == "journal" else None
    if len({a.kind, b.kind}) == 2 and imprint.same_name(
        *(_without(name.core, _KIND_OF_JOURNAL) for name in (a, b))
    ):
        return None
    return False


def _parts_agree(a: VenueName, b: VenueName) -> bool:
    """Whether a part of one name is the other, or the beginning of it: "Acta Paediatrica,
    International Journal of Paediatrics".
    """
    return any(
        imprint.same_name(part, other)
        for one, two in ((a, b), (b, a))
        for part in one.parts
        for other in (two.words, *two.parts[:1])
    )


@lru_cache(maxsize=KEPT)
def _spells(acronym: str, words: tuple[str, ...]) -> bool:
    """Whether the letters of an acronym are, in their order, in the words, with the first letter of
    each that says something: "neurips" of "neural information processing systems".
    """
    if not 1 < len(acronym) <= LONGEST_ACRONYM or not acronym.isalpha() or len(words) < 2:
        return False
    ends = {0}  # how many letters may be used up
    says = False
    optional = _AROUND | _AROUND_CONFERENCES | _PUBLISHERS
    for word in words:
        needed = word not in optional and not _NUMBER.fullmatch(word)
        says = says or needed
        after = set() if needed else set(ends)
        for start in ends:
            rest, at = iter(word), start
            while at < len(acronym) and (
                acronym[at] in rest if at > start else next(rest) == acronym[at]
            ):
                at += 1
                after.add(at)
        ends = after
    # The country of a society is left out of letters as well: "PNAS".
    if says and len(acronym) not in ends and {*words[-2:]} & {"america", "u", "usa"}:
        return _spells(acronym, words[: -3 if words[-1] == "america" else -2])
    return says and len(acronym) in ends
