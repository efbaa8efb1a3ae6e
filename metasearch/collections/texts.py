"""What of a record is indexed, and how a query's words are spelt so that they meet it.

Both sides are folded by the same rules: `normalise.fold`, Chinese characters in one form, and every
Chinese, Japanese or Korean character a word of its own, because such text has no blanks. A run of
them is asked for as a phrase, so any substring is found, be it of one character; FTS5's own trigram
tokenizer finds none shorter than three.

An identifier, a type or a language is one word, whatever marks it holds: the marks are moved into
Unicode's private use area, whose characters FTS5 takes for letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from metasearch.bib import normalise
from metasearch.bib.chinese.characters import is_cjk, simplified
from metasearch.record import Author, Record

#: The columns of the index, and what a word in each counts for in the order of hits (bm25).
COLUMNS = {
    "title": 5.0, "author": 3.0, "venue": 1.0, "abstract": 1.0, "subject": 2.0, "other": 0.5,
    "doi": 1.0, "isbn": 1.0, "issn": 1.0, "type": 0.0, "language": 0.0,
}  # fmt: skip
#: Columns of values that are one word each.
EXACT = frozenset({"doi", "isbn", "issn", "type", "language"})
_PRIVATE = 0xE000
#: Begins each of these words, so that plain words never meet them.
_MARK = chr(0xF000)
_BETWEEN = f" {chr(0xF001)} "
_FORMS: dict[str, Callable[[str | None], str | None]] = {
    "doi": normalise.doi,
    "isbn": normalise.isbn,
    "issn": normalise.issn,
}
_STRING = re.compile(r'(?:\b(doi|isbn|issn|type|language)\s*:\s*)?"((?:[^"]|"")*)"')


def folded(text: str) -> str:
    """The text as it is indexed: folded, blanks around every Chinese, Japanese and Korean
    character.
    """
    text = simplified(normalise.fold(text))
    if text.isascii():
        return text
    return "".join([f" {char} " if is_cjk(char) else char for char in text])


def exact(value: str) -> str:
    """A value as one word: "10.1000/x" with its marks moved where FTS5 takes them for letters."""
    moved = (
        char if char.isalnum() or ord(char) > 0xFF else chr(_PRIVATE + ord(char))
        for char in value.lower()
    )
    return _MARK + "".join(moved)


def indexed(record: Record) -> tuple[str, ...]:
    """The text of each of `COLUMNS` for a record."""
    it = record
    titles = (it.title, it.subtitle, it.original_title, it.translated_title, *it.titles)
    people = (form for person in (*it.authors, *it.editors) for form in _names(person))
    numbers = (it.doi, *it.isbn, *it.issn, *it.ids.values(), it.source_id)
    return (
        _joined(titles),
        _joined(people),
        _joined((it.venue,)),
        _joined((it.abstract,)),
        _joined((*it.keywords, *it.subjects)),
        _joined((it.publisher, it.institution, *numbers)),
        # A DOI is found by its registrant's prefix, too.
        _exactly((it.doi, it.doi.partition("/")[0]) if it.doi else ()),
        _exactly(it.isbn),
        _exactly(it.issn),
        _exactly((it.type,)),
        _exactly((it.language,)),
    )


def _names(person: Author) -> Iterable[str]:
    """A name in either order, whole, without middle names, and with initials, as people ask for
    it.
    """
    yield person.name
    if person.family and person.given:
        given = re.findall(r"[^\W_]+", person.given) or [person.given]
        for form in (person.given, given[0], " ".join(word[0] for word in given)):
            yield f"{person.family} {form} {person.family}"


def _joined(parts: Iterable[str | None]) -> str:
    """The parts with a word between them that nobody asks for, so that no phrase reaches from one
    into the next.
    """
    return _BETWEEN.join(folded(part) for part in parts if part)


def _exactly(values: Iterable[str | None]) -> str:
    return " ".join(exact(value) for value in values if value)


def spelt(expression: str) -> str:
    """An expression of FTS5 with the text in its quotes spelt as the index spells it; all else
    stays as it is.
    """
    return _STRING.sub(_respelt, expression)


def _respelt(match: re.Match[str]) -> str:
    column, text = match[1], match[2].replace('""', '"')
    if not column:
        return f'"{_quotable(folded(text))}"'
    return f'{column} : "{_quotable(exact(_canonical(column, text)))}"'


def _quotable(text: str) -> str:
    """Without what would end the quotes or the text: neither is a part of any word."""
    return text.replace('"', " ").replace("\0", " ")


def _canonical(column: str, text: str) -> str:
    """An identifier in the one form that records have it in; as it was typed where it is none."""
    form = _FORMS.get(column)
    return (form(text) if form else None) or text.strip()
