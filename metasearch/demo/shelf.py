"""What one simulated database holds, and how it finds works: matching by words, ranked by where the words stand."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from metasearch.demo.catalogue import SUBJECTS, Work
from metasearch.query.ast import And, Not, Or, Query, Term, Years, terms

_RUN = re.compile(r"[\u3400-\u9fff]+|(?:(?![\u3400-\u9fff])[^\W_])+\*?")
# fmt: off
_IGNORED = frozenset((
    "a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with",
    "de", "des", "du", "et", "la", "le", "les",
))
# fmt: on
_WEIGHTS = {"title": 3.0, "author": 2.0, "subject": 1.0, "venue": 1.0}


def dice(*what: str) -> float:
    """A number in 0..1 that depends on the words alone: the same in every process and on every day."""
    raw = hashlib.sha256("\x1f".join(what).encode()).digest()
    return int.from_bytes(raw[:8], "big") / 2**64


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """Words of a text: no case, no accents, no plural s; Chinese stays in runs, `psilo*` keeps its star."""
    folded = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return tuple(_singular(word) for word in _RUN.findall(folded))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] not in "suix" else word


class Shelf:
    """The works of one database, ready to be searched.

    Attributes:
        works: In the database's own order, which ranking falls back to.
    """

    def __init__(self, database: str, works: Iterable[Work]) -> None:
        self.works = tuple(sorted(works, key=lambda work: dice(database, work.id, "order")))
        self._texts = [_texts(work) for work in self.works]

    def find(self, query: Query | None, *, lenient: bool = False) -> list[Work]:
        """The works that match, best first; without a query, all.

        Args:
            query: What to look for.
            lenient: Where no work has all the words, those with at least half of them are found, as in Crossref.
        """
        if query is None:
            return list(self.works)
        asked = [Term(word, term.field) for term in terms(query) for word in words(term.text) if word not in _IGNORED]
        scored: list[tuple[float, int]] = []
        for number, texts in enumerate(self._texts):
            if _matches(query, texts, self.works[number]):
                scored.append((sum(_weight(term, texts) for term in asked), number))
        if not scored and lenient:
            for number, texts in enumerate(self._texts):
                weights = [weight for term in asked if (weight := _weight(term, texts))]
                if weights and len(weights) * 2 >= len(asked):
                    scored.append((10.0 * len(weights) + sum(weights), number))
        return [self.works[number] for _, number in sorted(scored, key=lambda pair: (-pair[0], pair[1]))]


def _texts(work: Work) -> dict[str, str]:
    """Field -> its words, a blank before and after each."""
    raw = {
        "title": work.full_title,
        "author": " ".join(f"{family} {given} {family}{given}" for family, given in work.authors),
        "venue": " ".join((work.venue, work.abbrev, work.publisher, *work.issn)),
        "subject": " ".join((SUBJECTS[work.subject], *work.keywords)),
    }
    texts = {field: f" {' '.join(words(text))} " for field, text in raw.items()}
    texts["any"] = "".join(texts.values()) + f"{work.year} "
    return texts


def _matches(query: Query, texts: dict[str, str], work: Work) -> bool:
    match query:
        case And(parts):
            return all(_matches(part, texts, work) for part in parts)
        case Or(parts):
            return any(_matches(part, texts, work) for part in parts)
        case Not(part):
            return not _matches(part, texts, work)
        case Years(first, last):
            return (first is None or work.year >= first) and (last is None or work.year <= last)
        case Term(text, "doi"):
            return work.doi == text.lower()
        case Term(text, ("isbn" | "issn") as scheme):
            return text.replace("-", "") in (number.replace("-", "") for number in getattr(work, scheme))
        case Term(text, field, phrase):
            text_of_field = texts.get(field, texts["any"])
            if phrase and " ".join(words(text)).isascii():
                return f" {' '.join(words(text))} " in text_of_field
            return all(_has(word, text_of_field) for word in words(text) if word not in _IGNORED)


def _weight(term: Term, texts: dict[str, str]) -> float:
    """How well one word fits: by the best field that has it, a little more in a short title."""
    if term.field not in ("any", "title", "author", "venue", "subject", "abstract"):
        return 1.0
    fields = _WEIGHTS if term.field in ("any", "abstract") else (term.field,)
    best = max((_WEIGHTS[field] for field in fields if _has(term.text, texts[field])), default=0.0)
    return best + 10 / (50 + len(texts["title"])) if best else 0.0


def _has(word: str, text: str) -> bool:
    if word.endswith("*"):
        return f" {word[:-1]}" in text
    if word.isascii():
        return f" {word} " in text
    if word in text:
        return True
    pairs = [word[i : i + 2] for i in range(len(word) - 1)]
    return len(pairs) > 1 and sum(pair in text for pair in pairs) * 3 >= len(pairs) * 2
