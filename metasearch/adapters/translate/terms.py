"""The text of one term in a dialect: cleaned, quoted, truncated, or the database's words for types
and languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from metasearch.adapters.spec import Dialect, YearsTemplate
from metasearch.query.ast import FACETS, IDENTIFIERS, Or, Query, Term, Years
from metasearch.query.kinds import NARROWER
from metasearch.query.simple.printer import to_text

# What a full-text index holds: runs of letters and digits, and the signs of "C++" and "C#".
_TOKEN = re.compile(r"[^\W_]+[+#]*")
# Signs that people mean; all others that a dialect may have to leave out only separate words.
_MEANT = re.compile(r"[*^~|&$=@%<>]|(?<=\w)\?(?=\w)")
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_NAMES = {
    "title": "titles", "author": "authors", "venue": "journals", "abstract": "abstracts",
    "subject": "subjects",
    "doi": "DOIs", "isbn": "ISBNs", "issn": "ISSNs",
}  # fmt: skip


def not_alone(field: str) -> str:
    """What is wrong where a field cannot be searched."""
    return f"cannot search {_NAMES.get(field, field)} alone, so everywhere is searched"


def cannot_search(term: Term) -> str:
    """What is wrong where a term is not sent at all."""
    if term.field in FACETS:
        return f"cannot search by {term.field}"
    if term.field in IDENTIFIERS:
        return f"cannot search by {_NAMES[term.field].removesuffix('s')}"
    return (
        "cannot search for the beginnings of words" if term.truncated else "cannot be searched for"
    )


def shown(clause: Query) -> str:
    """A clause for a note, at most 60 characters."""
    text = to_text(clause)
    return text if len(text) <= 60 else f"{text[:57]}..."


def has_word(term: Term) -> bool:
    """Whether an index could hold anything of it."""
    return any(map(str.isalnum, term.text))


def facet_of(query: Query) -> tuple[str, tuple[str, ...]] | None:
    """Field and words of a type or language, or of alternatives that are all of one such field;
    None for all else.
    """
    parts = query.parts if isinstance(query, Or) else (query,)
    found = [part for part in parts if isinstance(part, Term) and part.field in FACETS]
    fields = {term.field for term in found}
    if len(found) < len(parts) or len(fields) > 1:
        return None
    return fields.pop(), tuple(term.text for term in found)


def years_text(template: YearsTemplate, years: Years) -> str:
    """A range of years; "" where the dialect cannot say it."""
    if template.only and years.first == years.last:
        return template.only.format(first=years.first, last=years.last)
    if years.first is not None and years.last is not None:
        return template.both.format(first=years.first, last=years.last)
    if years.first is not None:
        return template.since.format(first=years.first)
    return template.until.format(last=years.last)


class TermWriter:
    """Writes terms.

    Args:
        dialect: The dialect.
        notes: Gets a sentence for what cannot be written as it stands.
    """

    def __init__(self, dialect: Dialect, notes: list[str]) -> None:
        self.dialect = dialect
        self.notes = notes

    def facet(self, field: str, names: Iterable[str]) -> tuple[str, ...] | None:
        """The database's words for types or languages; none where all its works are so, None where
        it has no word.
        """
        table = self.dialect.types if field == "type" else self.dialect.languages
        words: list[str] = []
        for name in names:
            if name not in table:
                return None
            for each in (name, *NARROWER.get(name, ())) if field == "type" else (name,):
                if table.get(each) == ():
                    return ()
                words += table.get(each, ())
        return tuple(dict.fromkeys(words))

    def truncates(self, term: Term) -> bool:
        """Whether the truncated term can be written."""
        return bool(self.dialect.truncated) and len(term.text) >= self.dialect.truncated_least

    def words(self, term: Term, field: str) -> list[str]:
        """What a term is written as in a field: its cleaned words, or all of them in one."""
        text = self.clean(term.text)
        whole = term.phrase or self.dialect.words == "joined" or field in self.dialect.joined
        # A word without a letter or digit ("rock & roll") is in no index, so no record would have
        # all the words.
        words = (
            text.split()
            if term.phrase
            else [plain_word(word) for word in text.split() if has_letter(word)]
        )
        return [" ".join(words)] if whole and words else words

    def quoted(self, word: str, *, truncated: bool = False) -> str:
        return (self.dialect.truncated if truncated else self.dialect.word).format(x=word)

    def text(self, term: Term) -> str:
        """A term as one text, for a parameter, a phrase or an identifier; "" where nothing is left
        of it.
        """
        # Catalogues index an ISBN without hyphens.
        plain = term.text.replace("-", "").replace(" ", "") if term.field == "isbn" else term.text
        text = self.clean(plain, identifier=term.field in IDENTIFIERS)
        if not term.phrase:
            text = " ".join(map(plain_word, text.split(" ")))
        if not text:
            return ""
        if term.phrase and self.dialect.phrase:
            return self.dialect.phrase.format(x=text)
        if term.phrase and " " in text:
            self.no_phrase(term)
        if term.truncated:
            return self.quoted(text, truncated=True)
        return self.quoted(text) if self.dialect.style == "expression" else text

    def no_phrase(self, term: Term) -> None:
        self.notes.append(f'cannot search for a phrase: "{term.text}" is sent as words')

    @staticmethod
    def blanked(text: str, characters: str) -> str:
        if not any(c in characters for c in text):
            return text
        return " ".join("".join(" " if c in characters else c for c in text).split())

    def clean(self, text: str, *, identifier: bool = False) -> str:
        """The words with what the database would take for syntax escaped or blanked.

        The brackets and hyphens of an identifier belong to it; only what would end its quotes is
        taken out.
        """
        dialect = self.dialect
        strip = '"\\' if identifier and dialect.strip else dialect.strip
        text = self.blanked(text, strip)
        if dialect.escape and any(c in dialect.escape for c in text):
            text = "".join(f"\\{c}" if c in dialect.escape else c for c in text)
        return text

    # ---------------------------------------------------------------- what is lost in cleaning

    def changed(self, term: Term) -> Term | None:
        """What of a term is another word to an index after cleaning, as "C++" is another one than
        "C"; or None.
        """
        if term.field in IDENTIFIERS | FACETS or not any(
            c in self.dialect.strip for c in term.text
        ):
            return None
        words = [word for word in term.text.split() if not self.same_word(word)]
        if not words:
            return None
        return term if term.phrase or term.truncated else replace(term, text=" ".join(words))

    def same_word(self, word: str) -> bool:
        return _TOKEN.findall(self.blanked(word, self.dialect.strip)) == _TOKEN.findall(word)

    def in_one_piece(self, term: Term) -> bool:
        """Whether its words are looked for as it has them: none falls into two, and a phrase stays
        one.
        """
        if term.field in IDENTIFIERS | FACETS:
            return True
        if term.phrase:
            return bool(self.dialect.phrase) or " " not in self.blanked(
                term.text, self.dialect.strip
            )
        return not self.broken(term)

    def broken(self, term: Term) -> list[str]:
        """The words that fall into several, each of which is looked for on its own."""
        strip = self.dialect.strip
        return [
            w for w in term.text.split() if sum(map(has_letter, self.blanked(w, strip).split())) > 1
        ]

    def tell_lost(self, term: Term) -> None:
        """Notes on characters that the dialect has no way to write."""
        if term.field in IDENTIFIERS | FACETS or not any(
            c in self.dialect.strip for c in term.text
        ):
            return
        signs = dict.fromkeys(c for c in _MEANT.findall(term.text) if c in self.dialect.strip)
        if signs and has_word(term):
            self.notes.append(
                f'cannot search for {" ".join(signs)}, which is left out of "{term.text}"'
            )


def plain_word(word: str) -> str:
    """A word that reads as an operator is one to most databases, unless it is in small letters."""
    return word.lower() if word in _OPERATORS else word


def has_letter(word: str) -> bool:
    return any(map(str.isalnum, word))
