"""The text of one term in a dialect, cleaned, quoted, truncated; and what of a query is lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from metasearch.adapters.spec import Dialect, YearsTemplate
from metasearch.errors import CannotAsk
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query.match import CJK
from metasearch.query.simple import to_text
from metasearch.query.tree import (
    CODED_FIELDS,
    FIELD_WORDS,
    IDENTIFIERS,
    IN_TEXTS,
    And,
    Near,
    Not,
    Or,
    Query,
    Term,
    Years,
    conjunction,
    disjunction,
    terms,
)
from metasearch.query.values import NARROWER
from metasearch.query.word_forms import MOST, forms

# The text of one term in a dialect: cleaned, quoted, truncated. Types and languages become the
# database's words for them.

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
    "pmid": "PMIDs", "pmcid": "PMCIDs", "arxiv": message("arXiv numbers"),
    "trial": message("registration numbers"),
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


def clause_text(clause: Query) -> str:
    """A clause for a note, at most 60 characters."""
    text = to_text(clause)
    return text if len(text) <= 60 else f"{text[:57]}..."


def as_words(term: Term) -> Term:
    """The same words anywhere; a number with signs in it stays in one piece."""
    in_one_piece = term.phrase or (term.field in IN_TEXTS and not term.text.isalnum())
    return Term(term.text, "any", in_one_piece, term.truncated)


def has_word(term: Term) -> bool:
    """Whether a term has a letter or digit: without one, no index contains the term."""
    return any(map(str.isalnum, term.text))


def first_word(stem: Term) -> Term:
    """The most usual word that begins so; the beginning as a word where none is known."""
    before, blank, last = stem.text.rpartition(" ")
    return replace(stem, text=f"{before}{blank}{(*forms(last, 1), last)[0]}", truncated=False)


def coded_part(query: Query) -> tuple[str, tuple[str, ...]] | None:
    """The coded field ("type" or "language") and the words of a term in it, or of an OR of such
    terms with one field; None for all other queries.
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

    def coded_words(self, field: str, names: Iterable[str]) -> tuple[str, ...] | None:
        """The database's words for types or languages; () if all its works are of this kind, None
        if it has no word.
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
        template = self.dialect.phrase_truncated if term.phrase else self.dialect.truncated
        last = term.text.rpartition(" ")[2]
        return bool(template) and len(last) >= self.dialect.truncated_least

    def is_stem(self, term: Term) -> bool:
        """Whether it is the beginning of a word, and the dialect can write only whole words."""
        return term.truncated and not self.truncates(term)

    def words(self, term: Term, field: str) -> list[str]:
        """The cleaned words of a term in a field, or one text with all of them."""
        text = self.clean(term.text)
        whole = term.phrase or self.dialect.words == "joined" or field in self.dialect.joined
        words = text.split()
        if not term.phrase:
            # A word without a letter or digit ("rock & roll") is in no index: no record would have
            # all the words.
            words = [plain_word(word) for word in words if has_letter(word)]
        return [" ".join(words)] if whole and words else words

    def quote(self, word: str, *, truncated: bool = False) -> str:
        """Writes a word, or the beginning of one, with the signs of the dialect."""
        return (self.dialect.truncated if truncated else self.dialect.word).format(x=word)

    def text(self, term: Term) -> str:
        """A term as one text: for a parameter, a phrase or an identifier; "" if cleaning leaves
        nothing.
        """
        # Catalogues index an ISBN without hyphens.
        plain = term.text.replace("-", "").replace(" ", "") if term.field == "isbn" else term.text
        text = self.clean(plain, identifier=term.field in IDENTIFIERS)
        if not term.phrase:
            text = " ".join(map(plain_word, text.split(" ")))
        if not text:
            return ""
        if term.phrase and self.dialect.phrase:
            cut = term.truncated and self.truncates(term)
            return (self.dialect.phrase_truncated if cut else self.dialect.phrase).format(x=text)
        if term.phrase and " " in text:
            self.note_no_phrase(term)
        if term.truncated:
            return self.quote(text, truncated=True)
        return self.quote(text) if self.dialect.style == "expression" else text

    def note_no_phrase(self, term: Term) -> None:
        self.notes.append(
            message('cannot search for a phrase: "{text}" is sent as words', text=term.text)
        )

    @staticmethod
    def blank(text: str, characters: str) -> str:
        """Replaces each of these characters by a blank."""
        if not _has_any(text, characters):
            return text
        return " ".join("".join(" " if c in characters else c for c in text).split())

    def clean(self, text: str, *, identifier: bool = False) -> str:
        """Escapes or blanks what is syntax in the database. An identifier keeps its brackets and
        hyphens, and loses only characters that would end its quotes.
        """
        dialect = self.dialect
        strip = '"\\' if identifier and dialect.strip else dialect.strip
        text = self.blank(text, strip)
        if _has_any(text, dialect.escape):
            text = "".join(f"\\{c}" if c in dialect.escape else c for c in text)
        return text

    # ---------------------------------------------------------------- what is lost in cleaning

    def changed_words(self, term: Term) -> Term | None:
        """The words of a term that become other words by cleaning, as "C++" becomes "C"; None if
        there are none.
        """
        if term.field in _EXACT or not _has_any(term.text, self.dialect.strip):
            return None
        words = [word for word in term.text.split() if not self.same_word(word)]
        if not words:
            return None
        return term if term.phrase or term.truncated else replace(term, text=" ".join(words))

    def same_word(self, word: str) -> bool:
        """Whether an index contains the same word before and after cleaning."""
        return _TOKEN.findall(self.blank(word, self.dialect.strip)) == _TOKEN.findall(word)

    def in_one_piece(self, term: Term) -> bool:
        """Whether cleaning splits no word of a term, and a phrase is sent as a phrase."""
        if term.field in _EXACT:
            return True
        if term.phrase:
            return bool(self.dialect.phrase) or " " not in self.blank(term.text, self.dialect.strip)
        return not self.split_words(term)

    def split_words(self, term: Term) -> list[str]:
        strip = self.dialect.strip
        return [
            word
            for word in term.text.split()
            if sum(map(has_letter, self.blank(word, strip).split())) > 1
        ]

    def note_lost_characters(self, term: Term) -> None:
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
    return bool(characters) and not set(characters).isdisjoint(text)


def plain_word(word: str) -> str:
    """Writes AND, OR and NOT in small letters: else most databases read them as operators."""
    return word.lower() if word in _OPERATORS else word


def has_letter(word: str) -> bool:
    return any(map(str.isalnum, word))


#: The most beginnings whose words a note names each.
_NAMED = 4

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
        self._singles: dict[Term, None] = {}

    def check_policy(self, clause: Query, what: str) -> None:
        """Raises CannotAsk: the spec demands it (`unsupported = "refuse"`); with what is wrong with
        the clause.
        """
        if self.policy == "refuse":
            raise CannotAsk(self.source, to_text(clause), what)

    def add(self, clause: Query, what: str) -> None:
        """Records that a clause, which must hold, is not sent as it stands. Raises as
        `check_policy`.
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
                    clause=clause_text(clause),
                )
            )
        else:
            self.notes.append(
                message("{what}: {clause} is not applied", what=what, clause=clause_text(clause))
            )

    def only(self, stem: Term, why: str) -> None:
        """Records that of the words with this beginning a single one is looked for."""
        self.check_policy(stem, why)
        self._singles[stem] = None
        if len(self._singles) <= _NAMED:
            self.notes.append(
                message(
                    "{why}: of {clause} only {part} is looked for",
                    why=why,
                    clause=clause_text(stem),
                    part=first_word(stem).text,
                )
            )
        elif len(self._singles) == _NAMED + 1:
            self.notes.append(
                message("{why}: of each other one only the most usual word is looked for", why=why)
            )

    def filter_by(self, clause: Query) -> None:
        """Filters the records by a clause, without a note."""
        if clause not in self.clauses:
            self.clauses.append(clause)


# What of a query a dialect can express: the narrowest query that finds no less. What this query
# lacks is recorded in `Losses`.

#: The most clauses that one OR becomes.
_MOST_CLAUSES = 16
#: The fewest letters of a beginning whose words are looked for in its place, where there is a
#: choice: more words begin with two letters than can be.
_LEAST = 3
#: The most words of one field, where a database takes plain words without an operator: more are a
#: chain of operators, by which it may find nothing.
LONGEST_CHAIN = 9
#: What is wrong with a template that finds more than was meant.
WIDER = message("finds more than was asked for")


class Capability:
    """What one dialect can express, and what it cannot. `param_fields`: the fields that have a
    parameter of their own. `losses`: what could not be expressed. `most`: the most words that are
    looked for in the place of the beginning of one.
    """

    def __init__(
        self, source: str, dialect: Dialect, param_fields: frozenset[str], *, most: int = MOST
    ) -> None:
        self.source = source
        self.dialect = dialect
        self.param_fields = param_fields
        self.losses = Losses(source, dialect)
        self.terms = TermWriter(dialect, self.losses.notes)
        self.most = most
        #: The beginnings in whose place words are looked for.
        self.spelled_out: dict[Term, Query] = {}
        # `widen` and `exact` call each other for each part of a query. Without these caches, each
        # NOT within a NOT would double the work.
        self._widened: dict[Query, Query | None] = {}
        self._exact: dict[Query, bool] = {}

    def note_cleaning(self, term: Term) -> None:
        """Records what is lost if characters of a term are not sent."""
        self.note_changed_words(term)
        self.terms.note_lost_characters(term)

    def note_changed_words(self, clause: Query) -> None:
        """Records a clause, which must hold, if words of it lose characters and become others."""
        changed: Query | None = None
        if isinstance(clause, Term):
            changed = self.terms.changed_words(clause)
        # One alternative may hold while another does not, so only all together are a filter.
        elif any(map(self.terms.changed_words, terms(clause, negated=True))):
            changed = clause
        if changed is not None:
            self.losses.add(changed, message("cannot search for all signs of a word"))

    def years(self, years: Years) -> str:
        """A range of years as text; "" with a note if it cannot be written."""
        written = years_text(self.dialect.years, years)
        if not written:
            self.losses.add(years, message("cannot search by year"))
        return written

    # ---------------------------------------------------------------- what can be expressed

    def expressible(self, parts: tuple[Query, ...]) -> Query | None:
        """What is sent for these parts, all of which must hold; None if nothing is left. Every
        difference is recorded in `losses`.
        """
        parts = tuple(part for part in parts if not _is_void(part))
        wide = [self.widen(part) for part in parts]
        stand_in: int | None = None
        with_words = [query for query, part in zip(wide, parts, strict=True) if _holds_words(part)]
        if all(query is None for query in with_words):
            # Without a word that must occur, the search would find nothing, or all works of a year
            # or of a type.
            stand_in = next(
                (n for n, part in enumerate(parts) if self.narrow(part) is not None), None
            )
        kept: list[Query] = []
        alone = stand_in is None and not any(wide[n] for n in self.positive(parts))
        for number, (part, asked) in enumerate(zip(parts, wide, strict=True)):
            if number == stand_in:
                asked = self.narrow(part)
                self.note_narrowing(part, asked)
            elif alone and isinstance(part, Not):
                asked = None
                self.losses.add(part, message("cannot express NOT on its own"))
            elif asked != self.spell_out(part):
                self.losses.add(part, self.why(part))
            elif any(term.field in self.dialect.wider for term in terms(part, negated=True)):
                self.losses.add(part, WIDER)
            if asked is not None:
                self.note_changed_words(asked)
                kept.append(asked)
                if number != stand_in:
                    self.spelled_out |= {
                        term: self.words_of(term)
                        for term in terms(part)
                        if self.spell_out(term) != term
                    }
        self.note_words()
        return conjunction(*kept) if kept else None

    # ---------------------------------------------------------------- beginnings of words

    def words_of(self, stem: Term) -> Query:
        """The usual words that begin so, as alternatives; the beginning itself where none is known.
        Of a phrase the last word is the beginning.
        """
        *before, last = stem.text.split(" ")
        texts = (" ".join([*before, word]) for word in forms(last, self.most))
        found = [replace(stem, text=text, truncated=False) for text in texts]
        return disjunction(found) if found else stem

    def spell_out(self, query: Query) -> Query:
        """The query with words in the place of beginnings that cannot be written."""
        match query:
            case Term() if self.terms.is_stem(query):
                last = query.text.rpartition(" ")[2]
                few = len(last) < _LEAST and not CJK.search(last)
                return query if few else self.words_of(query)
            case And(parts):
                return conjunction(*map(self.spell_out, parts))
            case Or(parts) if any(map(self.terms.is_stem, terms(query))):
                return disjunction(map(self.spell_out, parts))
        return query

    def note_words(self) -> None:
        why = message("cannot search for the beginnings of words")
        for stem, words in list(self.spelled_out.items())[:_NAMED]:
            self.losses.check_policy(stem, why)
            self.losses.notes.append(
                message(
                    "{why}: {stem} is looked for as {words}, and other words that begin so are "
                    "not found",
                    why=why,
                    stem=clause_text(stem),
                    words=", ".join(term.text for term in terms(words)),
                )
            )
        if len(self.spelled_out) > _NAMED:
            self.losses.notes.append(
                message(
                    "{why}: {number} more are looked for as the usual words that begin so",
                    why=why,
                    number=len(self.spelled_out) - _NAMED,
                )
            )

    @staticmethod
    def positive(parts: tuple[Query, ...]) -> list[int]:
        return [number for number, part in enumerate(parts) if not isinstance(part, Not)]

    def widen(self, query: Query) -> Query | None:
        """The narrowest query that finds no less and can be expressed; None if the source would
        have to find everything.
        """
        if query not in self._widened:
            self._widened[query] = self._widen_anew(query)
        return self._widened[query]

    def _widen_anew(self, query: Query) -> Query | None:
        match query:
            case Term():
                return self._widen_term(query)
            case Years():
                if self.dialect.years_in != "expression":
                    return None
                return query if years_text(self.dialect.years, query) else None
            case Not(part):
                return query if self.dialect.negation and self.exact(part) else None
            case And(parts):
                kept = [wide for wide in map(self.widen, parts) if wide is not None]
                positive = any(not isinstance(part, Not) for part in kept)
                return conjunction(*kept) if positive else None
            case Near(parts):
                return self._widen_anew(conjunction(*parts))
        return self._widen_or(query)

    def _widen_or(self, query: Or) -> Query | None:
        sides: list[Query] = []
        for part in query.parts:
            wide = self.widen(part)
            if wide is None or isinstance(wide, Not):
                return None
            sides.append(wide)
        # Without brackets, an alternative cannot exclude a word. Without the NOT it can be sent.
        for attempt in (_either(sides), _either([_positive(side) for side in sides])):
            if isinstance(attempt, Or) and not self.why_no_or(attempt):
                return attempt
        return None

    def _widen_term(self, term: Term) -> Query | None:
        fields = self.dialect.fields
        if term.field in CODED_FIELDS:
            words = self.terms.coded_words(term.field, (term.text,))
            if term.field not in fields or not words:
                return None
            return term if len(words) == 1 or self.dialect.disjunction else None
        if not has_word(term):
            return None
        if self.terms.is_stem(term):
            spelled = self.spell_out(term)
            return None if spelled == term else self.widen(spelled)
        if term.field in fields and not self.is_chain(term):
            return term
        # It is not known whether a search in all fields finds identifiers.
        if term.field in IDENTIFIERS - IN_TEXTS:
            return None
        return as_words(term)

    def is_chain(self, term: Term) -> bool:
        """Whether the words of a field would be too long a chain of operators."""
        dialect = self.dialect
        if not dialect.plain or dialect.scored or term.phrase or term.field == "any":
            return False
        return len(term.text.split()) > LONGEST_CHAIN

    def exact(self, query: Query) -> bool:
        """Whether the dialect can express exactly this query, so that NOT excludes no more."""
        if query not in self._exact:
            self._exact[query] = self._is_exact(query)
        return self._exact[query]

    def _is_exact(self, query: Query) -> bool:
        if not self.dialect.group and self.several(query):
            return False  # "-a b" excludes the first word and searches for the second
        if isinstance(query, And | Or):
            return self.widen(query) == query and all(map(self.exact, query.parts))
        if not isinstance(query, Term):
            return self.widen(query) == query
        if self.widen(query) != query or query.field in self.dialect.wider:
            return False
        unchanged = self.terms.changed_words(query) is None and self.terms.in_one_piece(query)
        return unchanged and not self.is_ranked(query)

    def is_ranked(self, term: Term) -> bool:
        """Whether the source also finds records with only some of the words."""
        if not self.dialect.plain or not self.dialect.scored or term.field != "any":
            return False
        return not term.phrase and " " in term.text

    def why(self, part: Query) -> str:
        """Why a part cannot be sent as it stands, for a note."""
        match part:
            case Term():
                return cannot_search(part) if self.widen(part) is None else not_alone(part.field)
            case Years():
                return message("cannot search by year")
            case Not():
                return message("cannot express NOT")
            case Or() if not self.dialect.disjunction:
                return message("cannot express OR")
        return message("cannot express one of its alternatives")

    def why_no_or(self, query: Or) -> str:
        """Why alternatives cannot be sent; "" if they can."""
        if not self.dialect.disjunction:
            return message("cannot express OR")
        if self.dialect.group or not any(map(self.several, query.parts)):
            return ""
        return (
            message("cannot put several words into brackets") if self.spread(query) is None else ""
        )

    def narrow(self, part: Query) -> Query | None:
        """A query that can be expressed and finds a part of what was meant, or None."""
        match part:
            case Term() if self.terms.is_stem(part):
                first = first_word(part)
                return self.widen(self.words_of(part)) or self.widen(first) or first
            case Term() if part.field not in CODED_FIELDS and has_word(part):
                text = part.text.replace("-", "") if part.field == "isbn" else part.text
                return Term(text, part.field if part.field in self.dialect.fields else "any")
            case And(parts):
                sides = [self.widen(each) or self.narrow(each) for each in parts]
                positive = any(side is not None and not isinstance(side, Not) for side in sides)
                return conjunction(*sides) if positive else None
            case Or(parts):
                sides = [
                    self.widen(each) or self.narrow(each)
                    for each in parts
                    if not isinstance(each, Not)
                ]
                usable = [side for side in sides if side is not None]
                if not usable:
                    return None
                every = _either(usable) if len(usable) == len(parts) else usable[0]
                return usable[0] if isinstance(every, Or) and self.why_no_or(every) else every
        return None

    def note_narrowing(self, part: Query, asked: Query | None) -> None:
        """Records that only a part of what was meant is sent."""
        if isinstance(part, Term) and not part.truncated:
            self.losses.add(
                part, message("{why}, so it is looked for as a word", why=cannot_search(part))
            )
            return
        why = cannot_search(part) if isinstance(part, Term) else self.why(part)
        if isinstance(part, Or) and self.why_no_or(part):
            why = self.why_no_or(part)
        self.losses.check_policy(part, why)
        if isinstance(part, Or) and asked in (part.parts[0], self.widen(part.parts[0])):
            self.losses.notes.append(
                message(
                    "{why}: only the first alternative of {clause} is asked",
                    why=why,
                    clause=clause_text(part),
                )
            )
        else:
            self.losses.notes.append(
                message(
                    "{why}: of {clause} only {part} is looked for",
                    why=why,
                    clause=clause_text(part),
                    part=clause_text(asked or part),
                )
            )
        if any(term.field not in self.dialect.fields for term in terms(part)):
            self.losses.add(part, message("searches all fields"))
        # The source may also find more than this part of what was meant.
        elif self.dialect.unsupported == "filter":
            self.losses.filter_by(part)

    def spread(self, query: Or) -> Query | None:
        """(a b) | c as (a | c) (b | c), for databases whose OR takes single words; None if this
        becomes too long.
        """
        sides: list[list[Query]] = []
        for part in query.parts:
            words: list[Query] = []
            for piece in part.parts if isinstance(part, And) else (part,):
                if not isinstance(piece, Term):
                    return None
                if piece.field in CODED_FIELDS | IDENTIFIERS:
                    words.append(piece)
                    continue
                texts = self.terms.blank(piece.text, self.dialect.strip).split()
                last = len(texts) - 1
                words += [
                    Term(text, piece.field, truncated=piece.truncated and number == last)
                    for number, text in enumerate(texts)
                    if has_word(Term(text))
                ]
            sides.append(words)
        if not 0 < prod(len(side) for side in sides) <= _MOST_CLAUSES:
            return None
        choices = [tuple(dict.fromkeys(choice)) for choice in product(*sides)]
        return conjunction(*(Or(choice) if len(choice) > 1 else choice[0] for choice in choices))

    def several(self, query: Query) -> bool:
        """Whether a query is written as more than one word or clause."""
        if not isinstance(query, Term):
            return isinstance(query, And | Or)
        if query.field in IDENTIFIERS:
            return False
        if query.field in CODED_FIELDS:
            return len(self.terms.coded_words(query.field, (query.text,)) or ()) > 1
        if query.phrase and not self.dialect.phrase:
            return not self.terms.in_one_piece(query)
        return len(self.terms.words(query, query.field)) > 1


def _is_void(part: Query) -> bool:
    return isinstance(part, Term) and part.field not in CODED_FIELDS and not has_word(part)


def _holds_words(part: Query) -> bool:
    """Whether a part has words to search for: a year, a type, a language or a NOT has none."""
    return not isinstance(part, Not | Years) and coded_part(part) is None


def _positive(query: Query) -> Query:
    """A conjunction without its NOTs; at least one part is left."""
    if not isinstance(query, And):
        return query
    return conjunction(*(part for part in query.parts if not isinstance(part, Not)))


def _either(sides: Sequence[Query]) -> Query:
    """The alternatives as one OR, each once; alternatives that are an OR are taken apart."""
    flat: list[Query] = []
    for side in sides:
        flat += side.parts if isinstance(side, Or) else (side,)
    unique = tuple(dict.fromkeys(flat))
    return Or(unique) if len(unique) > 1 else unique[0]
