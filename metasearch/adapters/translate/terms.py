"""The text of one term in a dialect, cleaned, quoted, truncated; and what of a query is lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from metasearch.adapters.spec import Dialect, YearsTemplate
from metasearch.errors import CannotAsk
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query.simple import to_text
from metasearch.query.tree import (
    CODED_FIELDS,
    FIELD_WORDS,
    IDENTIFIERS,
    Not,
    Or,
    Query,
    Term,
    Years,
)
from metasearch.query.values import NARROWER

# The text of one term in a dialect: cleaned, quoted, truncated.
#
# Types and languages become the database's words for them.

# What a full-text index contains: runs of letters and digits, with the signs of "C++" and "C#".
_TOKEN = late_pattern(r"[^\W_]+[+#]*")
# Signs with a meaning; all others that a dialect may have to leave out only separate words.
_MEANT = late_pattern(r"[*^~|&$=@%<>]|(?<=\w)\?(?=\w)")
#: Fields of which a value is one piece.
_EXACT = IDENTIFIERS | CODED_FIELDS
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_NAMES = {
    "title": message("titles"), "author": message("authors"), "venue": message("journals"),
    "abstract": message("abstracts"), "subject": message("subjects"),
    "doi": "DOIs", "isbn": "ISBNs", "issn": "ISSNs",
}  # fmt: skip


def not_alone(field: str) -> str:
    """What is wrong if a field cannot be searched, for a note."""
    return message(
        "cannot search {fields} alone, so all fields are searched", fields=_NAMES.get(field, field)
    )


def cannot_search(term: Term) -> str:
    """What is wrong if a term is not sent at all, for a note."""
    if term.field in CODED_FIELDS:
        return message("cannot search by {field}", field=FIELD_WORDS[term.field])
    if term.field in IDENTIFIERS:
        return message("cannot search by {field}", field=_NAMES[term.field].removesuffix("s"))
    return (
        message("cannot search for the beginnings of words")
        if term.truncated
        else message("cannot be searched for")
    )


def shown(clause: Query) -> str:
    """A clause for a note, at most 60 characters."""
    text = to_text(clause)
    return text if len(text) <= 60 else f"{text[:57]}..."


def has_word(term: Term) -> bool:
    """Whether a term has a letter or digit: without one, no index contains the term."""
    return any(map(str.isalnum, term.text))


def coded_part(query: Query) -> tuple[str, tuple[str, ...]] | None:
    """Returns the coded field ("type" or "language") and the words of a query in it.

    The query is one such term, or an OR of such terms with one field; None for all other queries.
    """
    parts = query.parts if isinstance(query, Or) else (query,)
    coded = [part for part in parts if isinstance(part, Term) and part.field in CODED_FIELDS]
    fields = {term.field for term in coded}
    if len(coded) < len(parts) or len(fields) > 1:
        return None
    return fields.pop(), tuple(term.text for term in coded)


def years_text(template: YearsTemplate, years: Years) -> str:
    """Writes a range of years; "" if the dialect cannot express it."""
    if template.only and years.first == years.last:
        return template.only.format(first=years.first, last=years.last)
    if years.first is not None and years.last is not None:
        return template.both.format(first=years.first, last=years.last)
    if years.first is not None:
        return template.since.format(first=years.first)
    return template.until.format(last=years.last)


class TermWriter:
    """Writes terms. `notes`: takes a sentence for each thing that cannot be written as it
    stands.
    """

    def __init__(self, dialect: Dialect, notes: list[str]) -> None:
        self.dialect = dialect
        self.notes = notes

    def coded(self, field: str, names: Iterable[str]) -> tuple[str, ...] | None:
        """Returns the database's words for types or languages.

        () if all works of the database are of this kind; None if it has no word.
        """
        table = self.dialect.types if field == "type" else self.dialect.languages
        words: list[str] = []
        for name in names:
            if name not in table:
                return None
            narrower = NARROWER.get(name, ()) if field == "type" else ()
            for each in (name, *narrower):
                if table.get(each) == ():
                    return ()
                words += table.get(each, ())
        return tuple(dict.fromkeys(words))

    def truncates(self, term: Term) -> bool:
        """Whether the dialect can write this beginning of a word."""
        return bool(self.dialect.truncated) and len(term.text) >= self.dialect.truncated_least

    def words(self, term: Term, field: str) -> list[str]:
        """Returns the cleaned words of a term in a field, or one text with all of them."""
        text = self.clean(term.text)
        whole = term.phrase or self.dialect.words == "joined" or field in self.dialect.joined
        words = text.split()
        if not term.phrase:
            # A word without a letter or digit ("rock & roll") is in no index: no record would have
            # all the words.
            words = [plain_word(word) for word in words if has_letter(word)]
        return [" ".join(words)] if whole and words else words

    def quoted(self, word: str, *, truncated: bool = False) -> str:
        """Writes a word, or the beginning of one, with the signs of the dialect."""
        return (self.dialect.truncated if truncated else self.dialect.word).format(x=word)

    def text(self, term: Term) -> str:
        """Writes a term as one text: for a parameter, a phrase or an identifier.

        "" if nothing of the term is left after cleaning.
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
            self.note_no_phrase(term)
        if term.truncated:
            return self.quoted(text, truncated=True)
        return self.quoted(text) if self.dialect.style == "expression" else text

    def note_no_phrase(self, term: Term) -> None:
        """Adds a note that a phrase is sent as words."""
        self.notes.append(
            message('cannot search for a phrase: "{text}" is sent as words', text=term.text)
        )

    @staticmethod
    def blanked(text: str, characters: str) -> str:
        """Replaces each of these characters by a blank."""
        if not _has_any(text, characters):
            return text
        return " ".join("".join(" " if c in characters else c for c in text).split())

    def clean(self, text: str, *, identifier: bool = False) -> str:
        """Escapes or blanks the characters that are syntax in the database.

        An identifier keeps its brackets and hyphens, and loses only characters that would end its
        quotes.
        """
        dialect = self.dialect
        strip = '"\\' if identifier and dialect.strip else dialect.strip
        text = self.blanked(text, strip)
        if _has_any(text, dialect.escape):
            text = "".join(f"\\{c}" if c in dialect.escape else c for c in text)
        return text

    # ---------------------------------------------------------------- what is lost in cleaning

    def changed(self, term: Term) -> Term | None:
        """Returns the words of a term that become other words by cleaning, as "C++" becomes "C".

        None if there are no such words.
        """
        if term.field in _EXACT or not _has_any(term.text, self.dialect.strip):
            return None
        words = [word for word in term.text.split() if not self.same_word(word)]
        if not words:
            return None
        return term if term.phrase or term.truncated else replace(term, text=" ".join(words))

    def same_word(self, word: str) -> bool:
        """Whether an index contains the same word before and after cleaning."""
        return _TOKEN.findall(self.blanked(word, self.dialect.strip)) == _TOKEN.findall(word)

    def in_one_piece(self, term: Term) -> bool:
        """Whether cleaning splits no word of a term, and a phrase is sent as a phrase."""
        if term.field in _EXACT:
            return True
        if term.phrase:
            return bool(self.dialect.phrase) or " " not in self.blanked(
                term.text, self.dialect.strip
            )
        return not self.broken(term)

    def broken(self, term: Term) -> list[str]:
        """The words that cleaning splits into several words."""
        strip = self.dialect.strip
        return [
            word
            for word in term.text.split()
            if sum(map(has_letter, self.blanked(word, strip).split())) > 1
        ]

    def note_lost_characters(self, term: Term) -> None:
        """Adds a note about characters that the dialect cannot write."""
        if term.field in _EXACT or not _has_any(term.text, self.dialect.strip):
            return
        signs = dict.fromkeys(c for c in _MEANT.findall(term.text) if c in self.dialect.strip)
        if signs and has_word(term):
            self.notes.append(
                message(
                    'cannot search for {signs}, which is left out of "{text}"',
                    signs=" ".join(signs),
                    text=term.text,
                )
            )


def _has_any(text: str, characters: str) -> bool:
    """Whether one of the characters occurs in a text."""
    return bool(characters) and not set(characters).isdisjoint(text)


def plain_word(word: str) -> str:
    """Writes AND, OR and NOT in small letters: else most databases read them as operators."""
    return word.lower() if word in _OPERATORS else word


def has_letter(word: str) -> bool:
    """Whether a word has a letter or digit."""
    return any(map(str.isalnum, word))


# What of a query is not sent to a source as it stands: the notes, and the clauses to filter by.


class Losses:
    """What one query loses in translation. `notes`: one sentence for each thing that could not be
    expressed. `clauses`: the clauses by which the records have to be filtered afterwards.
    """

    def __init__(self, source: str, dialect: Dialect) -> None:
        self.source = source
        self.policy = dialect.unsupported
        self.notes: list[str] = []
        self.clauses: list[Query] = []

    def check_policy(self, clause: Query, what: str) -> None:
        """Refuses the query if the spec demands this (`unsupported = "refuse"`). Raises CannotAsk:
        with the clause, and what is wrong with it.
        """
        if self.policy == "refuse":
            raise CannotAsk(self.source, to_text(clause), what)

    def add(self, clause: Query, what: str) -> None:
        """Records that a clause is not sent as it stands. `clause`: the clause, which must hold.
        Raises CannotAsk: as `check_policy`.
        """
        self.check_policy(clause, what)
        # The type and the language of a record are known, also if the source's records lack fields.
        is_coded = coded_part(clause.part if isinstance(clause, Not) else clause) is not None
        if self.policy == "filter" or is_coded:
            self.filter_by(clause)
            self.notes.append(
                message(
                    "{what}: {clause} is applied here to the records",
                    what=what,
                    clause=shown(clause),
                )
            )
        else:
            self.notes.append(
                message("{what}: {clause} is not applied", what=what, clause=shown(clause))
            )

    def filter_by(self, clause: Query) -> None:
        """Filters the records by a clause, without a note."""
        if clause not in self.clauses:
            self.clauses.append(clause)
