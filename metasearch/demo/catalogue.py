"""The works behind the demo, and what each simulated database holds and finds of them."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

import orjson

from metasearch.message import message
from metasearch.query.tree import (
    CODED_FIELDS,
    IDENTIFIERS,
    And,
    Near,
    Not,
    Or,
    Query,
    Term,
    Years,
    terms,
)

# The works behind the demo, one line each in catalogue.jsonl. They are real, and what says what
# they are about is ours; only the works on lakes are invented, for the example of a novelty search.
# Their journals and publishers are called 示例 or "Example", and their DOIs begin with 10.5555, the
# prefix that Crossref keeps for examples.


class CatalogueWork(NamedTuple):
    """What is known of a work.

    Attributes:
        id: "w001".
        subject: A key of `SUBJECTS`, or other words.
        type: One of `metasearch.record.TYPES`.
        authors: (family, given) each; given is "" where a body or a single name is meant.
        year: Of the published form; for a preprint alone, of its posting; 0 if it is not known.
        date: ISO 8601 with the precision that is known, "" where only the year is.
        posted: The day on which the arXiv preprint was posted.
        abbrev: Abbreviated title of the journal.
        isbn: ISBN-13s without hyphens.
        keywords: Subject headings of a library.
        notices: As in `metasearch.record.Record`.
        language: ISO 639-1.
        abstract: One to three sentences of our own, not the publisher's; "" for works that have
            none here.
        number: Its place in a catalogue that somebody gives, from 1; 0 in the built-in one.
    """

    id: str
    subject: str
    type: str
    title: str
    authors: tuple[tuple[str, str], ...]
    year: int
    language: str
    subtitle: str = ""
    date: str = ""
    posted: str = ""
    venue: str = ""
    abbrev: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    place: str = ""
    doi: str = ""
    issn: tuple[str, ...] = ()
    isbn: tuple[str, ...] = ()
    arxiv: str = ""
    category: str = ""
    pmid: str = ""
    keywords: tuple[str, ...] = ()
    funders: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    abstract: str = ""
    number: int = 0

    @property
    def full_title(self) -> str:
        return f"{self.title}: {self.subtitle}" if self.subtitle else self.title

    @property
    def openalex(self) -> str:
        """Its id in the OpenAlex-like database."""
        return f"W{9_000_000_000 + self.number}" if self.number else f"W90000{self.id[1:]}"


#: Subject -> the words that databases index its works under, besides those of the title.
SUBJECTS: Mapping[str, str] = {
    "gambling": "gambling harms betting",
    "psychedelics": "psychedelics hallucinogens magic mushrooms",
    "breast-cancer": "breast cancer",
    "forests": "forest conservation forestry deforestation",
    "information-systems": "information systems",
    "machine-learning": "machine learning artificial intelligence",
    "language-processing": "natural language processing text mining",
    "software": "software engineering programming",
    "jazz": "jazz music",
    "french-history": "French history, histoire de France, histoire française",
    "chinese": "中文 Chinese",
    "lakes": "freshwater ecology, lakes, 湖泊生态学",
}

#: The subjects in words.
COVERAGE = message(
    "gambling harms, psychedelics, breast cancer, forest conservation, information systems, "
    "machine learning, "
    "language processing, software engineering, jazz, French history, freshwater ecology, and "
    "works in Chinese on many things"
)
#: For the start page of a server that runs the demo.
NOTICE = message(
    "This is a demonstration: the databases are simulated on this machine, one is slow and one "
    "fails, and nothing is sent elsewhere. They hold some five hundred works about {subjects}; all "
    "are real but for those on freshwater ecology. Which of them cite which is made up.",
    subjects=COVERAGE,
)

#: Queries that find works in at least two of the databases, for help texts and the start page.
EXAMPLE_QUERIES = (
    "gambling harms",
    "psilocybin depression",
    "magic mushrooms",
    "breast cancer",
    "乳腺癌",
    "community forest management",
    "information security",
    "outsourcing",
    "machine learning",
    "reinforcement learning",
    "sentiment analysis",
    "software testing",
    "open source software",
    "jazz improvisation",
    "Miles Davis",
    "Napoléon",
    '"treatment-resistant depression" AND psilocybin',
    "author:Browne gambling",
    "title:jazz year:1980-1995",
    "中国农村",
    "沉水植物 水质",
)


@cache
def works() -> tuple[CatalogueWork, ...]:
    lines = Path(__file__).with_name("catalogue.jsonl").read_bytes().splitlines()
    return tuple(_work(orjson.loads(line)) for line in lines)


def _work(facts: dict[str, object]) -> CatalogueWork:
    """Lists become tuples, so that a work can be a key."""
    return CatalogueWork(**{key: _frozen(value) for key, value in facts.items()})  # type: ignore[arg-type]


def _frozen(value: object) -> object:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


_RUN = re.compile(r"[\u3400-\u9fff]+|(?:(?![\u3400-\u9fff])[^\W_])+\*?")
#: The same for small letters and figures of ASCII, of which most texts consist, five times as fast.
_ASCII_RUN = re.compile(r"[a-z0-9]+\*?")
#: The last s of an ASCII word, where `_singular` takes it off. The s comes first in the pattern,
#: because the rest of the text is then passed over quickly.
_ASCII_PLURAL = re.compile(r"s(?![a-z0-9])(?<=[a-z0-9]{2}[a-hj-rtvwyz0-9]s)")
# fmt: off
_IGNORED = frozenset((
    "a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with",
    "de", "des", "du", "et", "la", "le", "les",
))
# fmt: on
#: What a word is worth in the field that holds it; a work in which it stands in several fields is
#: more about it.
_WEIGHTS = {
    "title": 3.0,
    "author": 2.0,
    "keyword": 1.5,
    "abstract": 1.0,
    "venue": 0.5,
    "topic": 0.25,
}
#: What it adds that the words of a query follow one another in the title, and that the title begins
#: with them.
_TOGETHER, _FIRST = 2.0, 0.5


def dice(*what: str) -> float:
    """A number in 0..1 that depends on the words alone, in every process, on every day."""
    raw = hashlib.sha256("\x1f".join(what).encode()).digest()
    return int.from_bytes(raw[:8], "big") / 2**64


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """Words without case, accents, plural s; Chinese in runs, `psilo*` with its star."""
    folded = text.casefold()
    if not folded.isascii():
        folded = unicodedata.normalize("NFKD", folded).translate(_WITHOUT_MARKS)
    if folded.isascii():
        return tuple(_ASCII_RUN.findall(_ASCII_PLURAL.sub("", folded)))
    return tuple(map(_singular, _RUN.findall(folded)))


class _CombiningMarks(dict[int, int | None]):
    """For `str.translate`: combining marks are left out. Each character is looked up once."""

    def __missing__(self, code: int) -> int | None:
        self[code] = None if unicodedata.combining(chr(code)) else code
        return self[code]


_WITHOUT_MARKS = _CombiningMarks()


def _singular(word: str) -> str:
    if word.endswith("*"):  # texts are in the singular
        return f"{_singular(word[:-1])}*"
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] not in "suix" else word


class KnownCitations(Protocol):
    """What a database knows of who cites whom."""

    @property
    def citing(self) -> Mapping[str, list[CatalogueWork]]:
        """Id of a work -> the works that cite it."""

    def references(self, work: CatalogueWork) -> list[CatalogueWork]:
        """The works that one cites."""


class Holdings:
    """The works of one database, ready to be searched.

    `facets`: the type and language of a work as the database calls them; our own words if it is
    left out. `works`: in the database's own order, which ranking falls back to. `citations`: what
    it knows of them.
    """

    def __init__(
        self,
        database: str,
        works: Iterable[CatalogueWork],
        facets: Callable[[CatalogueWork], Mapping[str, str]] | None = None,
        citations: KnownCitations | None = None,
    ) -> None:
        self._citations = citations
        self.works = tuple(sorted(works, key=lambda work: dice(database, work.id, "order")))
        self._texts = [_texts(work) for work in self.works]
        for work, texts in zip(self.works, self._texts, strict=True):
            called = facets(work) if facets else {"type": work.type, "language": work.language}
            texts |= {name: word.casefold() for name, word in called.items()}

    def find(self, query: Query | None, *, lenient: bool = False) -> list[CatalogueWork]:
        """The works that match, best first; without a query, all. `lenient`: where no work has all
        the words, those with at least half of them are found, as in Crossref.
        """
        if query is None:
            return list(self.works)
        asked = [
            Term(word, term.field)
            for term in terms(query)
            if term.field not in CODED_FIELDS and term.field not in _NUMBERS
            for word in words(term.text)
            if word not in _IGNORED
        ]
        scored: list[tuple[float, int]] = []
        for number in self._index.candidates(query):
            texts = self._texts[number]
            if _matches(query, texts, self.works[number]):
                weight = sum(_weight(term, texts) for term in asked)
                scored.append((weight + _in_title(query, texts), number))
        if not scored and lenient:
            for number in self._index.with_half(asked):
                texts = self._texts[number]
                weights = [weight for term in asked if (weight := _weight(term, texts))]
                if weights and len(weights) * 2 >= len(asked):
                    scored.append((10.0 * len(weights) + sum(weights), number))
        return [
            self.works[number] for _, number in sorted(scored, key=lambda pair: (-pair[0], pair[1]))
        ]

    def references(self, work: CatalogueWork) -> list[CatalogueWork]:
        """The works that one cites, as far as the database knows."""
        return [] if self._citations is None else self._citations.references(work)

    def citing(self, work: CatalogueWork) -> list[CatalogueWork]:
        """Those that cite it."""
        return [] if self._citations is None else self._citations.citing.get(work.id, [])

    @cached_property
    def _index(self) -> _WordIndex:
        return _WordIndex(self.works, self._texts)


class _WordIndex:
    """Which works may match a query, so that not all are looked at: those that do are among
    them.
    """

    def __init__(self, works: Sequence[CatalogueWork], texts: Sequence[Mapping[str, str]]) -> None:
        self._all = range(len(works))
        #: Words, and the characters and pairs of characters of those that are not ASCII.
        self._words: dict[str, list[int]] = {}
        self._numbers: dict[tuple[str, str], list[int]] = {}
        for place, (work, of_work) in enumerate(zip(works, texts, strict=True)):
            there = set(of_work["any"].split())
            for word in [word for word in there if not word.isascii()]:
                there.update(word[at : at + size] for size in (1, 2) for at in range(len(word)))
            for word in there:
                self._words.setdefault(word, []).append(place)
            for scheme in _NUMBERS:
                value = getattr(work, scheme)
                for number in filter(None, (value,) if isinstance(value, str) else value):
                    self._numbers.setdefault(_number(scheme, number), []).append(place)

    def candidates(self, query: Query) -> Collection[int]:
        match query:
            case And(parts) | Near(parts):
                return self._fewest(map(self.candidates, parts))
            case Or(parts):
                return set[int]().union(*map(self.candidates, parts))
            case Term(text, field) if field in _NUMBERS:
                return self._numbers.get(_number(field, text), ())
            case Term(text, field, phrase) if field not in CODED_FIELDS:
                asked = words(text)
                if not (phrase and " ".join(asked).isascii()):
                    asked = tuple(word for word in asked if word not in _IGNORED)
                return self._fewest(map(self._with, asked))
            case _:
                return self._all

    def _fewest(self, found: Iterable[Collection[int]]) -> Collection[int]:
        """Whoever has all of the words has the rarest one."""
        return min(found, key=len, default=self._all)

    def with_half(self, asked: Sequence[Term]) -> Collection[int]:
        """The works that may have at least half of some words."""
        return _often(map(self.candidates, asked), len(asked) / 2)

    def _with(self, word: str) -> Collection[int]:
        """The works that may have a word, as `_has` means it."""
        if word.endswith("*"):
            first = bisect_left(self._sorted, word[:-1])
            after = bisect_left(self._sorted, f"{word[:-1]}\U0010ffff")
            return set[int]().union(*map(self._words.__getitem__, self._sorted[first:after]))
        if word.isascii():
            return self._words.get(word, ())
        if any(map(str.isascii, word)):
            return self._all
        parts = [word[at : at + 2] for at in range(len(word) - 1)] or [word]
        return _often((self._words.get(part, ()) for part in parts), len(parts) * 2 / 3)

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._words)


#: Fields of a work that a number finds.
_NUMBERS = ("openalex", "doi", "pmid", "arxiv", "isbn", "issn")


def _number(scheme: str, value: str) -> tuple[str, str]:
    """As numbers are compared: DOIs without case, those of books and journals without hyphens."""
    if scheme == "doi":
        return scheme, value.lower()
    return scheme, value.replace("-", "") if scheme in ("isbn", "issn") else value


def _often(found: Iterable[Collection[int]], least: float) -> Collection[int]:
    counts = Counter(place for places in found for place in places)
    return [place for place, count in counts.items() if count >= least]


def newest_first(works: Iterable[CatalogueWork]) -> list[CatalogueWork]:
    """The works by their dates; equal ones stay in their order."""
    return sorted(works, key=lambda work: work.date or str(work.year), reverse=True)


def _texts(work: CatalogueWork) -> dict[str, str]:
    """Field -> its words between blanks; "tiab": title or abstract, "topic": the subject."""
    texts = {
        "title": _text(work.full_title),
        "author": _text(*(f"{family} {given} {family}{given}" for family, given in work.authors)),
        "venue": _text(work.venue, work.abbrev, work.publisher, *work.issn),
        "topic": _text(SUBJECTS.get(work.subject, work.subject)),
        "keyword": _text(*work.keywords),
        "abstract": _text(work.abstract),
    }
    texts["any"] = "".join(texts.values()) + f"{work.year or ''} "
    texts["subject"] = texts["topic"] + texts["keyword"]
    texts["tiab"] = texts["title"] + texts["abstract"]
    return texts


def _text(*parts: str) -> str:
    """The words of all parts; two blanks between two parts, so that no phrase reaches over both."""
    return "".join(_part(part) for part in parts if part)


@lru_cache(maxsize=4096)  # several databases hold each work
def _part(text: str) -> str:
    return f" {' '.join(words(text.replace('*', ' ')))} "  # a star is a sign of queries


def _matches(query: Query, texts: dict[str, str], work: CatalogueWork) -> bool:
    match query:
        case And(parts) | Near(parts):
            return all(_matches(part, texts, work) for part in parts)
        case Or(parts):
            return any(_matches(part, texts, work) for part in parts)
        case Not(part):
            return not _matches(part, texts, work)
        case Years(first, last):
            return (first or 1) <= work.year and (last is None or work.year <= last)
        case Term(text, ("isbn" | "issn") as scheme):
            asked = _number(scheme, text)
            return asked in (_number(scheme, number) for number in getattr(work, scheme))
        case Term(text, field) if field in _NUMBERS:
            return bool(text) and _number(field, getattr(work, field)) == _number(field, text)
        case Term(text, ("type" | "language") as facet):
            return texts.get(facet) == text.casefold()
        case Term(text, field, phrase):
            text_of_field = texts.get(field, texts["any"])
            if phrase and " ".join(words(text)).isascii():
                begins = f" {' '.join(words(text))} "
                return begins.removesuffix("* ").replace("*", "") in text_of_field
            return all(_has(word, text_of_field) for word in words(text) if word not in _IGNORED)


def _weight(term: Term, texts: dict[str, str]) -> float:
    """How well one word fits: by the fields that hold it, a little more in a short title."""
    if term.field in IDENTIFIERS:
        return 1.0
    fields = {
        "any": tuple(_WEIGHTS),
        "tiab": ("title", "abstract"),
        "subject": ("keyword", "topic"),
    }
    found = [
        field for field in fields.get(term.field, (term.field,)) if _has(term.text, texts[field])
    ]
    return sum(_WEIGHTS[field] for field in found) + (
        10 / (50 + len(texts["title"])) if "title" in found else 0.0
    )


def _in_title(query: Query, texts: dict[str, str]) -> float:
    """What it adds that the query's plain words follow one another in the title, or begin it."""
    asked = " ".join(
        word
        for term in terms(query)
        if term.field in ("any", "title", "tiab")
        for word in words(term.text)
    )
    if not asked:
        return 0.0
    title = texts["title"]
    together = _TOGETHER if " " in asked and f" {asked} " in title else 0.0
    return together + (
        _FIRST if title.startswith((f" {asked} ", f" the {asked} ", f" a {asked} ")) else 0.0
    )


def _has(word: str, text: str) -> bool:
    if word.endswith("*"):
        return f" {word[:-1]}" in text
    if word.isascii():
        return f" {word} " in text
    if word in text:
        return True
    pairs = [word[i : i + 2] for i in range(len(word) - 1)]
    return len(pairs) > 1 and sum(pair in text for pair in pairs) * 3 >= len(pairs) * 2
