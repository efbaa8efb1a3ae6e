"""A query in the words of one database: a tree walked once, in the few answers that a `Dialect` gives.

What is sent never finds less than was meant where that can be avoided; what finds more is filtered afterwards, by the
clauses in `Writer.lost`; and everything that is not sent as it stands has its sentence in `Writer.notes`.
"""

from __future__ import annotations

from itertools import product
from math import prod

from metasearch.adapters.spec import Dialect, YearsTemplate
from metasearch.errors import CannotAsk
from metasearch.query.ast import And, Not, Or, Query, Term, Years, conjunction, terms
from metasearch.query.printer import to_text

_IDENTIFIERS = frozenset({"doi", "isbn", "issn"})
_OPERATORS = frozenset({"AND", "OR", "NOT"})
#: More clauses than this are not made out of one OR.
_MOST_CLAUSES = 16


class Writer:
    """Writes one query in the dialect of one source, and remembers what that dialect cannot say.

    Args:
        source: Name of the source, for errors.
        dialect: Its dialect.
        param_fields: The fields that have a parameter of their own.

    Attributes:
        notes: One sentence for each thing that could not be expressed.
        lost: The clauses that the records have to be filtered by afterwards.
    """

    def __init__(self, source: str, dialect: Dialect, param_fields: frozenset[str]) -> None:
        self.source = source
        self.dialect = dialect
        self.param_fields = param_fields
        self.notes: list[str] = []
        self.lost: list[Query] = []

    def residual(self) -> Query | None:
        return conjunction(*self.lost) if self.lost else None

    def write(self, query: Query) -> dict[str, str]:
        """The values of the placeholders."""
        parts = query.parts if isinstance(query, And) else (query,)
        values: dict[str, str] = {}
        if self.dialect.years_in == "params":
            ranges = [p for p in parts if isinstance(p, Years)]
            parts = tuple(p for p in parts if not isinstance(p, Years))
            values["years"] = " ".join(filter(None, (self.years(r) for r in ranges)))
        if self.dialect.style == "expression":
            parts = self.taken_out(parts, values)
        rest = conjunction(*parts) if parts else None
        if rest is None:
            return values
        if self.dialect.style == "expression":
            values["query"] = self.expression(rest)
            if not any(values.values()):
                raise CannotAsk(self.source, to_text(query), "nothing of it can be expressed")
        else:
            values |= self.params(rest)
        return values

    def taken_out(self, parts: tuple[Query, ...], values: dict[str, str]) -> tuple[Query, ...]:
        """The parts without the terms that have a parameter of their own, whose values are set."""
        kept: list[Query] = []
        for part in parts:
            text = ""
            # A second DOI cannot hold beside the first, so it stays and is told as what cannot be asked.
            if (
                isinstance(part, Term)
                and part.field in self.param_fields
                and not (part.field in _IDENTIFIERS and part.field in values)
            ):
                text = self.term_text(part)
            if text and isinstance(part, Term):
                values[part.field] = f"{values[part.field]} {text}" if part.field in values else text
            else:
                kept.append(part)
        return tuple(kept)

    def cannot(self, clause: Query, what: str, *, filterable: bool = True) -> None:
        """Remember that a clause is not sent, by the spec's policy."""
        policy = self.dialect.unsupported
        if policy == "refuse":
            raise CannotAsk(self.source, to_text(clause), what)
        if policy == "filter" and filterable:
            self.lost.append(clause)
            self.notes.append(f"{what}: {_shown(clause)} is applied here to what its records say")
        else:
            self.notes.append(f"{what}: {_shown(clause)} is not applied")

    def years(self, years: Years) -> str:
        written = _years(self.dialect.years, years)
        if not written:
            self.cannot(years, "cannot search by year")
        return written

    # ---------------------------------------------------------------- words in parameters

    def params(self, query: Query) -> dict[str, str]:
        found: dict[str, list[str]] = {}

        def collect(part: Query, *, inside_or: bool = False, anywhere: bool = False) -> None:
            match part:
                case Term():
                    field = "any" if anywhere else part.field
                    if field not in self.param_fields or (field in _IDENTIFIERS and field in found):
                        if field != "any":
                            self.cannot(part, _not_alone(field))
                        field = "any"
                    if text := self.term_text(part):
                        found.setdefault(field, []).append(text)
                case And(parts):
                    for inner in parts:
                        collect(inner, inside_or=inside_or, anywhere=anywhere)
                case Or(parts):
                    fields = {term.field for term in terms(part)}
                    # Parameters hold together, so alternatives in several of them would have to hold all at once.
                    scattered = len(fields) > 1 or not fields <= self.param_fields - _IDENTIFIERS
                    if not inside_or and (scattered or not _only_terms(part)):
                        self.cannot(part, "cannot say OR, so its words are searched everywhere")
                    elif not inside_or:
                        self.notes.append(
                            f"cannot say OR: the words of {_shown(part)} are sent and the best matches come first"
                        )
                    for inner in parts:
                        collect(inner, inside_or=True, anywhere=anywhere or scattered)
                case Not() if not inside_or:
                    self.cannot(part, "cannot say NOT")
                case Years() if not inside_or:
                    self.cannot(part, "cannot search by year in this place")

        collect(query)
        if "any" in found and "any" not in self.param_fields and found:
            self.notes.append("can only search by field")
        return {field: " ".join(texts) for field, texts in found.items()}

    # ---------------------------------------------------------------- one expression

    def expression(self, query: Query) -> str:
        match query:
            case Term():
                return self.term(query)
            case Years():
                return self.years(query)
            case Not():
                self.cannot(query, "cannot say NOT on its own")
                return ""
            case Or():
                return self.alternatives(query)
        positive = [p for p in query.parts if not isinstance(p, Not)]
        written = (self.dialect.conjunction or " ").join(filter(None, (self.grouped(p) for p in positive)))
        for part in query.parts:
            if isinstance(part, Not):
                # What is left out must not be more than was meant, so it is written exactly or not at all.
                exact = self.dialect.negation and written and self.widened(part.part) == part.part
                inner = self.grouped(part.part) if exact else ""
                if inner:
                    written += self.dialect.negation.format(x=inner)
                else:
                    self.cannot(part, "cannot say NOT")
        return written

    def alternatives(self, query: Or) -> str:
        wide = self.widened(query)
        if wide != query:
            self.cannot(query, "cannot ask for one of its alternatives as it stands")
            return self.expression(wide) if wide is not None else ""
        why = "" if self.dialect.disjunction else "cannot say OR"
        if not why and not self.dialect.group and any(self.several(part) for part in query.parts):
            spread = self.spread(query)
            if spread is not None:
                return self.expression(spread)
            why = "cannot put several words into brackets"
        if not why:
            return self.dialect.disjunction.join(filter(None, (self.grouped(p) for p in query.parts)))
        if self.dialect.unsupported == "refuse":
            raise CannotAsk(self.source, to_text(query), why)
        # All alternatives together would find less than each of them.
        self.notes.append(f"{why}: only the first alternative of {_shown(query)} is asked")
        return self.expression(query.parts[0])

    def spread(self, query: Or) -> Query | None:
        """(a b) | c as (a | c) (b | c), for databases whose OR takes single words; None where that grows too long."""
        sides: list[list[Query]] = []
        for part in query.parts:
            words: list[Query] = []
            for piece in part.parts if isinstance(part, And) else (part,):
                if not isinstance(piece, Term):
                    return None
                if piece.phrase and " " in piece.text:
                    self.notes.append(_not_a_phrase(piece))
                words += [Term(word, piece.field) for word in self.blanked(piece.text, self.dialect.strip).split()]
            sides.append(words)
        if not 0 < prod(len(side) for side in sides) <= _MOST_CLAUSES:
            return None
        choices = [tuple(dict.fromkeys(choice)) for choice in product(*sides)]
        return conjunction(*(Or(choice) if len(choice) > 1 else choice[0] for choice in choices))

    def widened(self, query: Query) -> Query | None:
        """The narrowest query that finds no less and can be expressed; None where everything would have to be found."""
        match query:
            case Term():
                return query if query.field in self.dialect.fields else Term(query.text, "any", query.phrase)
            case Years():
                return query if self.dialect.years_in == "expression" and _years(self.dialect.years, query) else None
            case Not(part):
                return query if self.dialect.negation and self.widened(part) == part else None
            case And(parts):
                kept = [wide for part in parts if (wide := self.widened(part)) is not None]
                return conjunction(*kept) if any(not isinstance(part, Not) for part in kept) else None
        sides = [wide for part in query.parts if (wide := self.widened(part)) is not None and not isinstance(wide, Not)]
        return Or(tuple(sides)) if len(sides) == len(query.parts) else None

    def several(self, query: Query) -> bool:
        if not isinstance(query, Term):
            return isinstance(query, And | Or)
        as_words = query.phrase and not self.dialect.phrase
        return len(query.text.split()) > 1 if as_words else len(self.words(query)) > 1

    def grouped(self, query: Query) -> str:
        written = self.expression(query)
        bracket = self.dialect.group and written and self.several(query)
        return self.dialect.group.format(x=written) if bracket else written

    def term(self, term: Term) -> str:
        fields = self.dialect.fields
        field = term.field
        if field not in fields:
            self.cannot(term, _not_alone(field))
            field = "any"
        if term.phrase or field in _IDENTIFIERS:
            text = self.term_text(term)
            template = self.dialect.phrases.get(field) if term.phrase else None
            return (template or fields[field]).format(x=text) if text else ""
        # A word that reads as an operator is one to most databases unless it is in small letters.
        words = (word.lower() if word in _OPERATORS else word for word in self.words(term))
        written = [fields[field].format(x=self.dialect.word.format(x=word)) for word in words]
        if field == "any" and self.dialect.plain and len(written) > 1:
            self.notes.append("ranks by how many of the plain words it finds: write AND between them to require all")
            return self.dialect.plain.join(written)
        return (self.dialect.conjunction or " ").join(written)

    # ---------------------------------------------------------------- text

    def words(self, term: Term) -> list[str]:
        """What a term is written as: its cleaned words, or all of them in one."""
        text = self.clean(term.text)
        if not text:
            return []
        field = term.field if term.field in self.dialect.fields else "any"
        whole = term.phrase or field in _IDENTIFIERS or self.dialect.words == "joined" or field in self.dialect.joined
        # A word without a letter or digit ("rock & roll") is in no index, so no record would have all the words.
        words = [word for word in text.split() if term.phrase or any(c.isalnum() for c in word)]
        return [" ".join(words)] if whole and words else words

    def term_text(self, term: Term) -> str:
        text = self.clean(term.text, identifier=term.field in _IDENTIFIERS)
        if term.field == "isbn":  # catalogues index it without hyphens
            text = text.replace("-", "").replace(" ", "")
        if not text:
            return ""
        if term.phrase:
            if self.dialect.phrase:
                return self.dialect.phrase.format(x=text)
            self.notes.append(_not_a_phrase(term))
        return self.dialect.word.format(x=text) if self.dialect.style == "expression" else text

    @staticmethod
    def blanked(text: str, characters: str) -> str:
        if not any(c in characters for c in text):
            return text
        return " ".join("".join(" " if c in characters else c for c in text).split())

    def clean(self, text: str, *, identifier: bool = False) -> str:
        """The words with what the database would take for syntax escaped or blanked.

        The brackets and hyphens of an identifier belong to it; only what would end its quotes is taken out.
        """
        dialect = self.dialect
        strip = '"\\' if identifier and dialect.strip else dialect.strip
        text = self.blanked(text, strip)
        if dialect.escape and any(c in dialect.escape for c in text):
            text = "".join(f"\\{c}" if c in dialect.escape else c for c in text)
        return text


def _only_terms(query: Query) -> bool:
    if isinstance(query, And | Or):
        return all(_only_terms(part) for part in query.parts)
    return isinstance(query, Term)


def _not_a_phrase(term: Term) -> str:
    return f'cannot search for a phrase: "{term.text}" is sent as words'


def _not_alone(field: str) -> str:
    return f"cannot search {_FIELD_NAMES.get(field, field)} alone, so everywhere is searched"


_FIELD_NAMES = {"title": "titles", "author": "authors", "venue": "journals", "abstract": "abstracts", "doi": "DOIs"}


def _shown(clause: Query) -> str:
    text = to_text(clause)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _years(template: YearsTemplate, years: Years) -> str:
    if template.only and years.first == years.last:
        return template.only.format(first=years.first, last=years.last)
    if years.first is not None and years.last is not None:
        return template.both.format(first=years.first, last=years.last)
    if years.first is not None:
        return template.since.format(first=years.first)
    return template.until.format(last=years.last)
