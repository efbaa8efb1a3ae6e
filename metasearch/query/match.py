"""Does a record satisfy a query? For clauses that a database cannot express and that are filtered
here afterwards.

Three answers, combined as in Kleene's strong three-valued logic (Introduction to Metamathematics,
1952, section 64): True, False, and None where the record lacks the field, so that nothing can be
decided. The caller decides what to do with None.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from metasearch.bib import normalise, trials
from metasearch.bib.languages import language_code
from metasearch.bib.normalise import APOSTROPHES, LETTERS, MARKS
from metasearch.late_pattern import late_pattern
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
from metasearch.query.values import NARROWER, bare_doi, bare_number

if TYPE_CHECKING:
    from metasearch.record import Record

# The texts of a record in which words are looked for, folded.

# Runs of letters and digits; the signs make "C++" and "C#" words of their own.
TOKEN = late_pattern(r"[^\W_]+[+#]*")
_NOT_WORD = late_pattern(r"[\W_]+")
CJK = late_pattern(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff]"
)
_MARKS = late_pattern(rf"[{MARKS}]")
_FOLD = str.maketrans({**LETTERS, **APOSTROPHES})


#: Places of a part of a `Near` that are looked at in one text.
_MOST_PLACES = 100


@lru_cache(maxsize=256)
def fold(text: str) -> str:
    """Lower case, one width, no diacritics, no apostrophes.

    It folds less than `bib.normalise.fold`, which makes keys: only what differs between keyboards.
    """
    if not text.isascii():
        # NFC at the end, because NFKD tears Korean syllables and voiced kana apart.
        text = normalise.normalize("NFC", _MARKS.sub("", normalise.normalize("NFKD", text)))
    return text.casefold().translate(_FOLD)


def compact(folded: str) -> str:
    return _NOT_WORD.sub("", folded)


class SearchableText:
    """One folded text, cut into words when it is first asked for."""

    def __init__(self, value: str) -> None:
        self.folded = fold(value)
        self._words: list[str] | None = None
        self._compact: str | None = None

    @property
    def words(self) -> list[str]:
        if self._words is None:
            self._words = TOKEN.findall(self.folded)
        return self._words

    @property
    def compact(self) -> str:
        if self._compact is None:
            self._compact = compact(self.folded)
        return self._compact

    def has(self, wanted: list[str], *, initials: bool = False, open_end: bool = False) -> bool:
        """Whether the words follow one another; "ca2" is found in "Ca2+", but "c++" not in "C".

        With `initials` a single letter, with `open_end` the last word stands for every word that
        begins so.
        """
        words, last = self.words, len(wanted) - 1

        def fits(place: int, word: str) -> bool:
            want = wanted[place]
            if want in (word, word.rstrip("+#")):
                return True
            beginning = (open_end and place == last) or (initials and len(want) == 1)
            return beginning and word.startswith(want)

        first = wanted[0]
        whole = not ((open_end and last == 0) or (initials and len(first) == 1))
        return any(
            # Most words are not the first one: they cost no call.
            (word == first or ((not whole or word[-1] in "+#") and fits(0, word)))
            and all(fits(place, words[start + place]) for place in range(1, len(wanted)))
            for start, word in enumerate(words[: len(words) - last] if last else words)
        )


class SearchableRecord:
    """A record whose fields are folded at most once in an evaluation."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._texts: dict[str, tuple[SearchableText, ...]] = {}
        self._identifiers: frozenset[str] | None = None

    def texts(self, field: str) -> tuple[SearchableText, ...]:
        """The texts of a field; none where the record lacks it."""
        if field not in self._texts:
            self._texts[field] = tuple(self._read(field))
        return self._texts[field]

    @property
    def identifiers(self) -> frozenset[str]:
        if self._identifiers is None:
            record = self.record
            values = [record.doi or "", *record.ids.values(), *record.isbn, *record.issn]
            self._identifiers = frozenset(compact(fold(value)) for value in values if value)
        return self._identifiers

    def _read(self, field: str) -> Iterable[SearchableText]:
        record = self.record
        match field:
            case "title":
                if record.title or record.subtitle:
                    yield SearchableText(f"{record.title} {record.subtitle or ''}")
                yield from map(
                    SearchableText,
                    filter(None, (record.original_title, record.translated_title, *record.titles)),
                )
            case "author":
                for author in record.authors:
                    yield SearchableText(author.name)
                    if author.family and author.given:
                        yield SearchableText(f"{author.family} {author.given}")
            case "venue":
                if record.venue:
                    yield SearchableText(record.venue)
            case "abstract":
                if record.abstract:
                    yield SearchableText(record.abstract)
            case "subject":
                yield from map(SearchableText, (*record.keywords, *record.subjects))
            case _:
                for part in ("title", "author", "venue", "abstract", "subject"):
                    yield from self.texts(part)
                for scheme, value in record.ids.items():
                    yield SearchableText(f"{scheme} {value}")
                yield from map(
                    SearchableText, filter(None, (record.doi, *record.isbn, *record.issn))
                )


def matches(query: Query, record: Record) -> bool | None:
    """Whether the record satisfies the query; None where it lacks what would decide.

    Words are compared whole, without case, diacritics and width; Chinese, Japanese and Korean text
    as substrings, because it has no blanks. The words of a phrase follow one another in one field.
    A DOI matches also by its prefix ("10.1000"), an ISBN-10 its ISBN-13, an author's initial every
    name that begins with it. An author whose name agrees but for initials or middle names gives
    None.

    A truncated word matches every word that begins so, and of a hyphenated one the last part is
    open. A type is that of the record, where a review is an article too; languages are compared as
    ISO 639-1.

    "any" is titles, authors, venue, abstract, keywords, subjects and identifiers. A word that
    occurs in none of them gives False if there is an abstract, else None: the database may have
    found it in a text that the record lacks.
    """
    return evaluate(query, SearchableRecord(record))


def evaluate(query: Query, record: SearchableRecord) -> bool | None:
    """As `matches`, of a record that several queries are compared with."""
    match query:
        case Term():
            return _term(query, record)
        case Years(first, last):
            year = record.record.year
            if year is None:
                return None
            return (first is None or first <= year) and (last is None or year <= last)
        case And(parts):
            return _all(evaluate(part, record) for part in parts)
        case Or(parts):
            return _not(_all(_not(evaluate(part, record)) for part in parts))
        case Near(parts):
            every = _all(evaluate(part, record) for part in parts)
            return _stand_near(query, record) if every else every
        case Not(part):
            return _not(evaluate(part, record))


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _all(values: Iterable[bool | None]) -> bool | None:
    answer: bool | None = True
    for value in values:
        if value is False:
            return False
        if value is None:
            answer = None
    return answer


def _term(term: Term, record: SearchableRecord) -> bool | None:
    if term.field in IDENTIFIERS:
        return _identifier(term, record.record)
    if term.field in CODED_FIELDS:
        return _type_or_language(term, record.record)
    texts = record.texts(term.field)
    if not texts:
        return None
    if term.truncated:
        answer: bool | None = _begins(
            fold(term.text), texts, record if term.field == "any" else None
        )
        return (
            None
            if answer is False and term.field == "any" and not record.record.abstract
            else answer
        )
    wanted = [term.text] if term.phrase else term.text.split()
    answer = _all(_occurs(fold(word), term.field, texts, record) for word in wanted)
    if answer is False and term.field == "author":
        return _similar_name(TOKEN.findall(fold(term.text)), texts)
    return (
        None if answer is False and term.field == "any" and not record.record.abstract else answer
    )


def _stand_near(near: Near, record: SearchableRecord) -> bool | None:
    """Whether parts that all occur stand near one another in one text; None where the record has
    no abstract, or its words have no blanks between them.
    """
    fields = {term.field for term in terms(near)}
    texts = [text for field in fields for text in record.texts(field)]
    if any(CJK.search(term.text) for term in terms(near)):
        return None
    if any(_places(near, text) for text in texts):
        return True
    return False if record.record.abstract else None


def _places(part: Query, text: SearchableText) -> list[tuple[int, int]]:
    """Where a part stands among the words of a text: first word, and the one after its last."""
    match part:
        case Or(parts):
            found = [place for inner in parts for place in _places(inner, text)]
        case Near(parts):
            found = _near_places(part, [_places(inner, text) for inner in parts])
        case _:
            found = [
                (at, at + len(words))
                for term in terms(part)
                if (words := TOKEN.findall(fold(term.text)))
                for at in range(len(text.words) - len(words) + 1)
                if _stands_at(words, text.words, at, open_end=term.truncated)
            ]
    return found[:_MOST_PLACES]


def _near_places(near: Near, places: Sequence[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """Where all parts stand near one another, out of the places of each."""
    ends, *others = places
    for part in others:
        ends = [
            (min(first, begin), max(last, end))
            for first, last in ends
            for begin, end in part
            if 0 <= begin - last <= near.within
            or (not near.ordered and 0 <= first - end <= near.within)
        ][:_MOST_PLACES]
    return ends


def _stands_at(words: Sequence[str], text: Sequence[str], at: int, *, open_end: bool) -> bool:
    *others, last = words
    there = text[at + len(others)]
    return list(text[at : at + len(others)]) == others and (
        there.startswith(last) if open_end else there == last
    )


def _type_or_language(term: Term, record: Record) -> bool | None:
    if term.field == "type":
        return (
            None
            if record.type is None
            else record.type in (term.text, *NARROWER.get(term.text, ()))
        )
    if not record.language:
        return None
    return (language_code(record.language) or record.language.casefold()) == term.text


def _begins(stem: str, texts: Sequence[SearchableText], record: SearchableRecord | None) -> bool:
    """Whether a word of the texts, or an identifier of the record, begins with a folded stem."""
    if CJK.search(stem):
        joined = compact(stem)
        return any(joined in text.compact for text in texts)
    words = TOKEN.findall(stem)
    if not words or any(text.has(words, open_end=True) for text in texts):
        return True
    return record is not None and any(
        identifier.startswith(compact(stem)) for identifier in record.identifiers
    )


def _occurs(
    wanted: str, field: str, texts: Sequence[SearchableText], record: SearchableRecord
) -> bool:
    """Whether a folded text occurs in one; without letters and digits it always does."""
    if CJK.search(wanted):
        joined = compact(wanted)
        return any(joined in text.compact for text in texts)
    words = TOKEN.findall(wanted)
    if not words or any(text.has(words, initials=field == "author") for text in texts):
        return True
    return field == "any" and compact(wanted) in record.identifiers


def _similar_name(words: list[str], texts: Sequence[SearchableText]) -> bool | None:
    """None where one author may be meant: names agree but for order, middle and initials."""
    whole = [word for word in words if len(word) > 1]
    for text in texts:
        one_is_there = any(word in text.words for word in whole)
        if one_is_there and all(_agrees(word, text.words) for word in words):
            return None
    return False


def _agrees(word: str, names: Iterable[str]) -> bool:
    """Whether one of the names is the word, or one of both is the other's initial."""
    for name in names:
        initial = len(word) == 1 or len(name) == 1
        if word == name or (initial and word[0] == name[0]):
            return True
    return False


def _identifier(term: Term, record: Record) -> bool | None:
    wanted = [term.text] if term.phrase else term.text.split()
    if term.field == "doi":
        if not record.doi:
            return None
        doi = record.doi.lower()
        dois = [bare_doi(word) or word.lower() for word in wanted]
        return all(doi == asked or doi.startswith(f"{asked.rstrip('/')}/") for asked in dois)
    if term.field == "trial":
        return _has_registration(wanted, record)
    if term.field not in ("isbn", "issn"):
        return _has_number(term.field, wanted, record)
    known = record.isbn if term.field == "isbn" else record.issn
    keys = {_number_key(number) for number in known}
    return all(_number_key(word) in keys for word in wanted) if keys else None


def _has_registration(wanted: list[str], record: Record) -> bool | None:
    """Whether a record has these registration numbers of trials; it may name them in its texts."""
    numbers = {
        number for scheme, number in trials.each_identifier(record.ids) if scheme in trials.SCHEMES
    }
    texts = f"{record.title} {record.abstract or ''}".lower()
    asked = [bare_number("trial", word) or word for word in wanted]
    if all(number in numbers or number.lower() in texts for number in asked):
        return True
    return False if numbers else None


def _has_number(scheme: str, wanted: list[str], record: Record) -> bool | None:
    """Whether a record has this PMID, PMCID or arXiv number, or arXiv's DOI of it."""
    numbers = {bare_number(scheme, record.ids.get(scheme, ""))}
    if scheme == "arxiv" and record.doi:
        numbers.add(bare_number(scheme, record.doi.lower().removeprefix("10.48550/arxiv.")))
    numbers.discard(None)
    return all(bare_number(scheme, word) in numbers for word in wanted) if numbers else None


def _number_key(value: str) -> str:
    """Digits of an ISBN or ISSN; of an ISBN only the nine that ISBN-10 and ISBN-13 share."""
    digits = "".join(char for char in value.upper() if char in "0123456789X")
    if len(digits) == 10:
        return digits[:9]
    return digits[3:12] if len(digits) == 13 and digits.startswith("978") else digits
