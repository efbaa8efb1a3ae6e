"""The texts of a record in which words are looked for, folded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

from metasearch.bib import unicode_forms
from metasearch.bib.folding import APOSTROPHES, LETTERS, MARKS
from metasearch.late_pattern import late_pattern

# Runs of letters and digits; the signs make "C++" and "C#" words of their own.
TOKEN = late_pattern(r"[^\W_]+[+#]*")
_NOT_WORD = late_pattern(r"[\W_]+")
CJK = late_pattern(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff]"
)
_MARKS = late_pattern(rf"[{MARKS}]")
_FOLD = str.maketrans({**LETTERS, **APOSTROPHES})


class Person(Protocol):
    """What is read of an author."""

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str | None: ...
    @property
    def given(self) -> str | None: ...


class Described(Protocol):
    """What is read of a record. A protocol, because records stand on the same floor as queries."""

    @property
    def title(self) -> str: ...
    @property
    def subtitle(self) -> str | None: ...
    @property
    def original_title(self) -> str | None: ...
    @property
    def translated_title(self) -> str | None: ...
    @property
    def titles(self) -> Sequence[str]: ...
    @property
    def authors(self) -> Sequence[Person]: ...
    @property
    def year(self) -> int | None: ...
    @property
    def venue(self) -> str | None: ...
    @property
    def abstract(self) -> str | None: ...
    @property
    def keywords(self) -> Sequence[str]: ...
    @property
    def subjects(self) -> Sequence[str]: ...
    @property
    def doi(self) -> str | None: ...
    @property
    def ids(self) -> Mapping[str, str]: ...
    @property
    def isbn(self) -> Sequence[str]: ...
    @property
    def issn(self) -> Sequence[str]: ...
    @property
    def type(self) -> str | None: ...
    @property
    def language(self) -> str | None: ...


@lru_cache(maxsize=256)
def fold(text: str) -> str:
    """Lower case, one width, no diacritics, no apostrophes.

    It folds less than `bib.normalise.fold`, which makes keys: only what differs between keyboards.
    """
    if not text.isascii():
        # NFC at the end, because NFKD tears Korean syllables and voiced kana apart.
        text = unicode_forms.normalize("NFC", _MARKS.sub("", unicode_forms.normalize("NFKD", text)))
    return text.casefold().translate(_FOLD)


def compact(folded: str) -> str:
    return _NOT_WORD.sub("", folded)


class SearchedText:
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

        return any(
            all(fits(place, words[start + place]) for place in range(len(wanted)))
            for start in range(len(words) - last)
        )


class SearchedRecord:
    """A record whose fields are folded at most once in an evaluation."""

    def __init__(self, record: Described) -> None:
        self.record = record
        self._texts: dict[str, tuple[SearchedText, ...]] = {}
        self._identifiers: frozenset[str] | None = None

    def texts(self, field: str) -> tuple[SearchedText, ...]:
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

    def _read(self, field: str) -> Iterable[SearchedText]:
        record = self.record
        match field:
            case "title":
                if record.title or record.subtitle:
                    yield SearchedText(f"{record.title} {record.subtitle or ''}")
                yield from map(
                    SearchedText,
                    filter(None, (record.original_title, record.translated_title, *record.titles)),
                )
            case "author":
                for author in record.authors:
                    yield SearchedText(author.name)
                    if author.family and author.given:
                        yield SearchedText(f"{author.family} {author.given}")
            case "venue":
                if record.venue:
                    yield SearchedText(record.venue)
            case "abstract":
                if record.abstract:
                    yield SearchedText(record.abstract)
            case "subject":
                yield from map(SearchedText, (*record.keywords, *record.subjects))
            case _:
                for part in ("title", "author", "venue", "abstract", "subject"):
                    yield from self.texts(part)
                for scheme, value in record.ids.items():
                    yield SearchedText(f"{scheme} {value}")
                yield from map(SearchedText, filter(None, (record.doi, *record.isbn, *record.issn)))
