"""Record -> Fingerprint: everything that dedup compares, normalised once a record.

The four-tuple is that of Hao Hui's cross-database de-duplication for novelty retrieval: {title, journal, year, first author},
each stripped of symbols, width and case, hashed with SHA-1. The signature is Charikar's SimHash (STOC 2002) over the words of title
and abstract.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

from metasearch import normalise
from metasearch.record import Author, Record

#: Words that stand where a title should be, or on thousands of works: such a title identifies nothing.
GENERIC_TITLES = frozenset(
    """abstract abstracts announcement announcements appendix author index authorindex background backmatter bibliography
    bookreview bookreviews booksreceived callforpapers comment commentary comments conclusion conclusions contents contributors
    correction correspondence corrigendum cover discussion editorial editorialboard editorialcomment editorialcomments
    editorialnote editorialnotes editorscomments editorsnote editorsintroduction erratum errata foreword frontmatter
    fromtheeditor fromtheeditors guesteditorial inbrief index inmemoriam inthisissue introduction issueinformation
    letter letters lettertotheeditor letterstotheeditor listofcontributors masthead mastheads miscellany news newsandnotes note
    notes notice obituary openingremarks preface preliminary presidentsmessage proceedings prologue references reply response
    review reviews summary tableofcontents titlepage untitled welcome works 前言 序言 序 目录 编者按 编后记 卷首语 后记 征稿启事
    会议通知 书评 简讯 总目次 投稿须知 勘误""".split()
)

#: Authors that are compared; a collaboration of thousands is told apart by its first ones.
MOST_AUTHORS = 30

_MAY_BREAK = re.compile(r"[:：;；\u2014.?!。？！(（\[【)）\]】=/]|\s[-\u2010-\u2015]|--")  # noqa: RUF001
_BREAKS = re.compile(r"[:：;；]+|\s[-\u2010-\u2015]+\s|\u2014+|--+|[.?!。？！](?=\s)|[(（\[【)）\]】]|\s[/=]\s")  # noqa: RUF001
_SUFFIX = re.compile(
    r"\s*[\[(](?:provisional abstract|review|abstract|conference abstract|proceedings|electronic resource|editorial|letter|comment|"
    r"texte imprimé|book|sound recording|text|elektronische ressource)[\])]\s*\.?\s*$",
    re.IGNORECASE,
)
_NUMBER = r"(?:[ivxl]{1,6}|\d{1,3}[a-z]?|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third)"
_PART = re.compile(
    rf"\b(?:part|parts|pt|teil|tome|vol|volume|band|bd|parte|partie|chapter|phase|study|experiment|lecture|paper|series|no|number)"
    rf"s?\s+({_NUMBER})\b"
)
_PART_WORDS = frozenset(
    "part parts pt pts teil tome vol volume volumes band bd parte partie chapter chapters phase study studys experiment lecture "
    "paper series no number numbers phases experiments lectures papers".split()
)
_ROMANS = frozenset("i ii iii iv v vi vii viii ix x xi xii xiii".split())
_CJK_PART = re.compile(r"[(（]([ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ一二三四五六七八九十上中下\d]{1,3})[)）]|第([一二三四五六七八九十\d]{1,3})[部卷册章期辑]|([ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ])$")
_WORD_NUMBERS = dict(zip("one two three four five six seven eight nine ten".split(), range(1, 11), strict=True))
_WORD_NUMBERS |= {"first": 1, "second": 2, "third": 3}
_WORD_NUMBERS |= dict(zip("一二三四五六七八九十", range(1, 11), strict=True)) | {"上": 1, "中": 2, "下": 3}

_NOTICES = (
    ("erratum", re.compile(r"^(?:errat(?:um|a)|corrigend(?:um|a)|(?:author |publisher )?corrections?)(?: (?:to|for|in)\b|$)|^(?:勘误|更正)")),
    ("retraction", re.compile(r"^(?:retract(?:ion|ed)|withdrawn|withdrawal|expression of concern|notice of retraction)\b|^撤稿")),
    ("reply", re.compile(r"^(?:(?:authors? |the authors? |in )?(?:reply|response|rejoinder|rebuttal)(?: to\b| from\b|$)|re (?=[a-z]))")),
    ("comment", re.compile(r"^(?:(?:a |invited )?comments?(?:ary)? on\b|discussion (?:of|on)\b|letter (?:to|re)\b)")),
    ("addendum", re.compile(r"^(?:addend(?:um|a)|supplement) to\b")),
    ("review", re.compile(r"^(?:book |a )?review of\b|^\[?book review")),
)  # fmt: skip

_NOTICE_WORDS = frozenset(
    "erratum errata corrigendum corrigenda correction corrections author publisher authors the in reply response rejoinder rebuttal re "
    "retraction retracted withdrawn withdrawal expression notice comment comments commentary a invited discussion letter addendum addenda "
    "supplement review book 勘误 更正 撤稿".split()
)
_PREPRINT_DOIS = ("10.48550/", "10.1101/", "10.2139/", "10.31219/", "10.31234/", "10.20944/preprints", "10.21203/", "10.26434/", "10.36227/")
_PREPRINT_VENUES = frozenset(
    "arxiv corr biorxiv medrxiv chemrxiv psyarxiv socarxiv ssrn ssrnelectronicjournal researchsquare preprints preprintsorg techrxiv "
    "osfpreprints eartharxiv arxivorg corrabs mockrxiv".split()
)
_STOP = frozenset("the a an of and for in on de la le les des du der die das und fur et y e el".split())
_EDITION = re.compile(r"(\d{1,3})\s*(?:st|nd|rd|th|e|\.)?\s*(?:ed|aufl|uitg|版)|^(\d{1,3})$")
_EDITION_WORDS = {"second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "zweite": "2", "deuxieme": "2"}


@dataclass(slots=True, eq=False)
class Fingerprint:
    """All compared values of a record; empty or None means that the record does not say.

    Not frozen, because one is made for every record and a frozen one of so many fields costs three times as much; equal only to
    itself, so that it can be a key of caches without hashing all of it. Nobody changes one.

    Attributes:
        words: Folded words of title and subtitle; `text` is the same joined by blanks, `compact` without them.
        breaks: Numbers of words after which a mark ends a part of the title: where a subtitle may begin.
        cut: The title ends in an ellipsis.
        generic: The title stands on many works ("Editorial").
        notice: "erratum", "reply", ... where the record is about another work.
        parts: Numbers of parts in the title ("Part II" -> "2"); `numbers`: all other numbers.
        first: Spellings of the first author's family name, more than one where the name was not split for certain.
        families: The same of all authors.
        venue: Folded words without articles and prepositions.
        pages: First and last page, completed.
        four_tuple: SHA-1 hex, or None where fewer than two of journal, year and first author are known.
        simhash: 64 bits, or None where there is too little text.
    """

    record_key: str
    source: str
    url: str | None
    doi: str | None
    ids: frozenset[str]
    isbn: frozenset[str]
    words: tuple[str, ...]
    text: str
    compact: str
    breaks: frozenset[int]
    cut: bool
    generic: bool
    notice: str
    parts: frozenset[str]
    numbers: frozenset[str]
    edition: str
    first: frozenset[str]
    families: frozenset[str]
    year: int | None
    venue: tuple[str, ...]
    publisher: str
    volume: str
    issue: str
    pages: tuple[str, str]
    type: str | None
    preprint: bool
    four_tuple: str | None
    simhash: int | None


def fingerprint(record: Record) -> Fingerprint:
    """The fingerprint of a record; pure, and a function of the record alone."""
    words, breaks = _title_words(record.title, record.subtitle)
    text = " ".join(words)
    compact = "".join(words)
    people = [_spellings(author.family, author.name) for author in record.authors[:MOST_AUTHORS]]
    first = people[0] if people else _NOBODY
    venue = _venue_words(record.venue) if record.venue else ()
    return Fingerprint(
        record_key=record.key,
        source=record.source,
        url=normalise.url_key(record.url),
        doi=record.doi,
        ids=_identifiers(record),
        isbn=frozenset(record.isbn),
        words=words,
        text=text,
        compact=compact,
        breaks=breaks,
        cut=record.title.endswith(("…", "...", "… ", "... ")),
        generic=compact in GENERIC_TITLES or len(compact) < 2,
        notice=_notice(text, words, breaks),
        parts=_parts(text, words, record.title, record.subtitle),
        numbers=frozenset([w for w in words if w.isdecimal()]),
        edition=_edition(record.edition) if record.edition else "",
        first=first,
        families=first if len(people) < 2 else _NOBODY.union(*people),
        year=record.year,
        venue=venue,
        publisher=_publisher_key(record.publisher) if record.publisher else "",
        volume=normalise.number_key(record.volume),
        issue=normalise.number_key(record.issue),
        pages=normalise.pages_key(record.pages),
        type=record.type,
        preprint=_is_preprint(record, venue),
        four_tuple=four_tuple(compact, venue, record.year, record.authors),
        simhash=_signature(words, record.abstract) if record.abstract else None,
    )


_NOBODY: frozenset[str] = frozenset()


@lru_cache(maxsize=10_000)
def _venue_words(venue: str) -> tuple[str, ...]:
    return tuple(w for w in normalise.words(venue) if w not in _STOP)


@lru_cache(maxsize=10_000)
def _publisher_key(publisher: str) -> str:
    return normalise.compact(publisher)


def four_tuple(title: str, venue: tuple[str, ...], year: int | None, authors: tuple[Author, ...]) -> str | None:
    """SHA-1 of {title, journal, year, first author}.

    None where the title is missing, or more than one of the other three: an empty member would let two works of one
    title meet in "nothing".
    """
    journal, author = "".join(venue), ""
    if authors:
        author = min(_spellings(authors[0].family, authors[0].name), default="")
    if not title or (bool(journal) + (year is not None) + bool(author)) < 2:
        return None
    return hashlib.sha1("\x1f".join((title, journal, str(year or ""), author)).encode(), usedforsecurity=False).hexdigest()


def _identifiers(record: Record) -> frozenset[str]:
    """Every identifier with its scheme; the source's own one too, because a page may repeat a record."""
    found = [f"{scheme}:{value.lower()}" for scheme, value in record.ids.items()]
    if record.source_id:
        found.append(f"record:{record.key}")
    return frozenset(found)


# --------------------------------------------------------------------------- titles


def _title_words(title: str, subtitle: str | None) -> tuple[tuple[str, ...], frozenset[int]]:
    if title.endswith(("]", ")", "].", ").")):
        title = _SUFFIX.sub("", title)
    breaks: list[int] = []
    if _MAY_BREAK.search(title):
        words: list[str] = []
        for part in _BREAKS.split(title):
            found = normalise.words(part)
            if found:
                words += found
                breaks.append(len(words))
    else:
        words = normalise.words(title)
        breaks.append(len(words))
    if subtitle:
        found = normalise.words(subtitle)
        # Some sources repeat the subtitle inside the title.
        if found and words[-len(found) :] != found:
            words += found
            breaks.append(len(words))
    return tuple(words), frozenset(breaks)


def _notice(text: str, words: tuple[str, ...], breaks: frozenset[int]) -> str:
    """What kind of notice about another work the title announces: "Erratum: ...", "Correction to ..."."""
    if not words or (words[0] not in _NOTICE_WORDS and not words[0].startswith(("勘误", "更正", "撤稿"))):
        return ""
    head = " ".join(words[: min(breaks)]) if breaks else text
    return next((name for name, pattern in _NOTICES if pattern.search(text) or pattern.search(head)), "")


def _parts(text: str, words: tuple[str, ...], title: str, subtitle: str | None) -> frozenset[str]:
    found: set[str] = set()
    if not _PART_WORDS.isdisjoint(words):
        found.update(_PART.findall(text))
    if len(words) > 1 and words[-1] in _ROMANS:
        found.add(words[-1])
    if not title.isascii():
        found.update("".join(groups) for groups in _CJK_PART.findall(f"{title}{subtitle or ''}"))
    return frozenset(_number(value) for value in found) if found else _NOBODY


def _number(value: str) -> str:
    value = normalise.fold(value)
    if value in _WORD_NUMBERS:
        return str(_WORD_NUMBERS[value])
    if value and all(c in "ivxl" for c in value):
        return str(normalise.roman(value))
    return value.lstrip("0") or value


@lru_cache(maxsize=2_000)
def _edition(value: str) -> str:
    text = normalise.fold(value).strip(" .[]")
    for word, number in _EDITION_WORDS.items():
        if word in text:
            return number
    found = _EDITION.search(text)
    return (found.group(1) or found.group(2)) if found else ""


# --------------------------------------------------------------------------- people


@lru_cache(maxsize=20_000)
def _spellings(family: str | None, name: str) -> frozenset[str]:
    """What the family name may be: one spelling where it is known, the likely ones where the name is in one piece."""
    if family:
        return frozenset({normalise.family_key(family)})
    if normalise.has_cjk(name):
        return frozenset({normalise.compact(name)})
    words = [w for w in name.replace(".", ". ").split() if normalise.compact(w)]
    if not words:
        return frozenset()
    long = [w for w in words if len(normalise.compact(w)) > 1 and not (w.isupper() and len(w) <= 3)]
    if len(words) > 4 or not long:  # a body, not a person: its whole name counts
        return frozenset({normalise.compact(name)})
    return frozenset(normalise.family_key(w) for w in {long[0], long[-1]})


def _is_preprint(record: Record, venue: tuple[str, ...]) -> bool:
    if record.type == "preprint":
        return True
    if record.doi and record.doi.startswith(_PREPRINT_DOIS):
        return True
    return "".join(venue) in _PREPRINT_VENUES


# --------------------------------------------------------------------------- SimHash

LANES = 64
_LANE_BITS = 16
_ONES = sum(1 << (_LANE_BITS * i) for i in range(LANES))
_TOP = _ONES << (_LANE_BITS - 1)
_BITS = bytes(0x31 if byte & 0x80 else 0x30 for byte in range(256))
#: Fewer words say too little about a text for its signature to mean anything; more than the first ones say little that is new.
MIN_WORDS, MOST_WORDS = 24, 80


class _Spread(dict[str, int]):
    """Word -> the 64 bits of its hash, each in a lane of its own, so that one addition counts all 64 columns."""

    def __missing__(self, word: str) -> int:
        if len(self) > 100_000:
            self.clear()
        digest = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        self[word] = lanes = sum(1 << (_LANE_BITS * i) for i in range(LANES) if digest >> i & 1)
        return lanes


_spread = _Spread()


def simhash(features: list[str]) -> int:
    """SimHash of features (Charikar 2002), 64 bits; a feature weighs as often as it occurs.

    Column sums are kept in lanes of one big integer; a bit is set where more than half of the weight has it set. Of very long
    texts the first 32,767 features count.
    """
    if len(features) >= 1 << (_LANE_BITS - 1):
        features = features[: (1 << (_LANE_BITS - 1)) - 1]
    columns = sum(map(_spread.__getitem__, features))
    # A lane's top bit becomes 1 exactly where its sum exceeds half of the number of features.
    shifted = columns + _ONES * ((1 << (_LANE_BITS - 1)) - len(features) // 2 - 1)
    raw = (shifted & _TOP).to_bytes(LANES * _LANE_BITS // 8, "big")
    return int(raw[::2].translate(_BITS), 2)


def _signature(words: tuple[str, ...], abstract: str) -> int | None:
    features = [*words, *normalise.words(abstract[: 8 * MOST_WORDS])][:MOST_WORDS]
    if not abstract.isascii() and normalise.has_cjk(abstract):
        joined = "".join(features)
        features = [joined[i : i + 2] for i in range(len(joined) - 1)]
    return simhash(features) if len(features) >= MIN_WORDS else None
