"""The text of a record that is indexed, and the same spelling for the words of a query.

The same rules fold both: `normalise.fold`, simplified Chinese characters, and blanks around every
Chinese, Japanese or Korean character, because such text has no blanks between words. A query for
several of them is a phrase, so any substring is found, even one character; FTS5's trigram tokenizer
finds no substring shorter than three.

An identifier, a type or a language is one word. Its punctuation is moved into Unicode's private use
area, whose characters FTS5 counts as letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from metasearch.bib import identifier_forms, normalise
from metasearch.bib.chinese.characters import is_cjk, simplified
from metasearch.record import Author, Record

#: The columns of the index, with their weights in the ranking (bm25).
COLUMNS = {
    "title": 5.0, "author": 3.0, "venue": 1.0, "abstract": 1.0, "subject": 2.0, "other": 0.5,
    "doi": 1.0, "isbn": 1.0, "issn": 1.0, "type": 0.0, "language": 0.0,
}  # fmt: skip
_PRIVATE = 0xE000
#: The first character of each of these words, so that no plain word equals one.
_MARK = chr(0xF000)
_BETWEEN = f" {chr(0xF001)} "
_FORMS: dict[str, Callable[[str | None], str | None]] = {
    "doi": identifier_forms.doi,
    "isbn": identifier_forms.isbn,
    "issn": identifier_forms.issn,
}
_STRING = re.compile(r'(?:\b(doi|isbn|issn|type|language)\s*:\s*)?"((?:[^"]|"")*)"')


def folded(text: str) -> str:
    """The text as indexed: folded, blanks around each Chinese, Japanese or Korean character."""
    text = simplified(normalise.fold(text))
    if text.isascii():
        return text
    return "".join([f" {char} " if is_cjk(char) else char for char in text])


def exact(value: str) -> str:
    """A value as one word: "10.1000/x" with punctuation as letters in the eyes of FTS5."""
    moved = (
        char if char.isalnum() or ord(char) > 0xFF else chr(_PRIVATE + ord(char))
        for char in value.lower()
    )
    return _MARK + "".join(moved)


def indexed(record: Record) -> tuple[str, ...]:
    """The text of each of `COLUMNS` for a record."""
    titles = (
        record.title,
        record.subtitle,
        record.original_title,
        record.translated_title,
        *record.titles,
    )
    people = (form for person in (*record.authors, *record.editors) for form in _names(person))
    numbers = (record.doi, *record.isbn, *record.issn, *record.ids.values(), record.source_id)
    return (
        _joined(titles),
        _joined(people),
        _joined((record.venue,)),
        _joined((record.abstract,)),
        _joined((*record.keywords, *record.subjects)),
        _joined((record.publisher, record.institution, *numbers)),
        # A DOI is also found by its prefix.
        _exactly((record.doi, record.doi.partition("/")[0]) if record.doi else ()),
        _exactly(record.isbn),
        _exactly(record.issn),
        _exactly((record.type,)),
        _exactly((record.language,)),
    )


def _names(person: Author) -> Iterable[str]:
    """The forms of a name that users search for: whole, without middle names, with initials, and
    with the family name first or last.
    """
    yield person.name
    if person.family and person.given:
        given = re.findall(r"[^\W_]+", person.given) or [person.given]
        for form in (person.given, given[0], " ".join(word[0] for word in given)):
            yield f"{person.family} {form} {person.family}"


def _joined(parts: Iterable[str | None]) -> str:
    """The parts with a word of no query between them, so that no phrase spans two."""
    return _BETWEEN.join(folded(part) for part in parts if part)


def _exactly(values: Iterable[str | None]) -> str:
    return " ".join(exact(value) for value in values if value)


def spelt(expression: str) -> str:
    """An expression of FTS5 whose quoted texts are spelt as in the index."""
    return _STRING.sub(_respelt, expression)


def _respelt(match: re.Match[str]) -> str:
    column, text = match[1], match[2].replace('""', '"')
    if not column:
        return f'"{_quotable(folded(text))}"'
    return f'{column} : "{_quotable(exact(_canonical(column, text)))}"'


def _quotable(text: str) -> str:
    """The text without quotes and NUL, which would end the string; no word holds them."""
    return text.replace('"', " ").replace("\0", " ")


def _canonical(column: str, text: str) -> str:
    """An identifier in the form that records have; the text itself where it is not one."""
    form = _FORMS.get(column)
    return (form(text) if form else None) or text.strip()
