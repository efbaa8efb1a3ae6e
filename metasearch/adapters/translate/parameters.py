"""A query as words in parameters, for databases without operators: one parameter a field."""

from __future__ import annotations

from collections.abc import Callable

from metasearch.adapters.spec import Dialect
from metasearch.adapters.translate.terms import (
    TermWriter,
    cannot_search,
    facet_of,
    has_word,
    not_alone,
    shown,
)
from metasearch.query.ast import FACETS, IDENTIFIERS, And, Not, Or, Query, Term, Years, terms

#: Remembers that a clause is not sent as it stands, and why.
Cannot = Callable[[Query, str], None]


class ParameterWords:
    """Puts the words of a query into parameters.

    Where the database ranks by the words that it finds (`Dialect.scored`), one word more does no
    harm, so alternatives and stems are sent as words. Where all words must occur, what cannot be
    said is left out, unless nothing else is left to ask for.

    Args:
        dialect: The dialect.
        terms: Writes the terms.
        param_fields: The fields that have a parameter of their own.
        cannot: Remembers that a clause is not sent as it stands.
        must_not_refuse: Raises where the spec would rather not be asked.
    """

    def __init__(
        self,
        dialect: Dialect,
        terms: TermWriter,
        param_fields: frozenset[str],
        cannot: Cannot,
        must_not_refuse: Cannot,
    ) -> None:
        self.dialect = dialect
        self.terms = terms
        self.param_fields = param_fields
        self.cannot = cannot
        self.must_not_refuse = must_not_refuse
        self.found: dict[str, list[str]] = {}
        self.cut = False  # whether the alternative that stands in is itself not asked as a whole

    def values(self, parts: tuple[Query, ...]) -> dict[str, str]:
        """Field -> words."""
        left = [part for part in parts if not self.sent(part)]
        stand_in = None if self.found else next(filter(self.stands_in, left), None)
        for part in left:
            if part is stand_in:
                self.tell_narrowed(part)
            else:
                self.cannot(part, self.why(part))
        return {field: " ".join(texts) for field, texts in self.found.items()}

    def sent(self, part: Query) -> bool:
        """Send a part that must hold; False where it has to be left out."""
        match part:
            case Term() if part.field in FACETS:
                return False
            case Term():
                return self.term(part)
            case And(parts):
                return not [each for each in parts if not self.sent(each)]  # each of them is sent
            case Or():
                return self.alternatives(part)
        return False

    def term(self, term: Term) -> bool:
        field = term.field
        if not has_word(term):
            return True
        if field in IDENTIFIERS and (field not in self.param_fields or field in self.found):
            return False
        if term.truncated and not self.terms.truncates(term):
            if not self.dialect.scored:
                return False
            self.cannot(term, cannot_search(term))
            term = Term(term.text, field)
        if field not in self.param_fields:
            if "any" not in self.param_fields:
                return False
            if field != "any":
                self.cannot(term, not_alone(field))
            field = "any"
        if (changed := self.terms.changed(term)) is not None:
            self.cannot(changed, "cannot search for all signs of a word")
        self.put(field, term)
        return True

    def put(self, field: str, term: Term) -> None:
        self.terms.tell_lost(term)
        if text := self.terms.text(term):
            self.found.setdefault(field, []).append(text)

    def alternatives(self, query: Or) -> bool:
        if not self.dialect.scored or facet_of(query) is not None or "any" not in self.param_fields:
            return False
        fields = {term.field for term in terms(query)}
        # Parameters hold together, so alternatives in several of them would have to hold all at
        # once.
        scattered = len(fields) > 1 or not fields <= self.param_fields - IDENTIFIERS
        plain = _only_terms(query) and not any(self.changed(term) for term in terms(query))
        if scattered or not plain:
            self.cannot(query, "cannot say OR, so its words are searched everywhere")
        else:
            self.must_not_refuse(query, "cannot say OR")
            self.terms.notes.append(
                f"cannot say OR: the words of {shown(query)} are sent and the best matches come "
                f"first"
            )
        for term in terms(query):
            if term.field not in FACETS and has_word(term):
                stem = term.truncated and not self.terms.truncates(term)
                self.put(
                    "any" if scattered else term.field,
                    Term(term.text, term.field) if stem else term,
                )
        return True

    def changed(self, term: Term) -> bool:
        cut = term.truncated and not self.terms.truncates(term)
        return cut or term.field in FACETS or self.terms.changed(term) is not None

    # ---------------------------------------------------------------- what is left out

    def stands_in(self, part: Query) -> bool:
        """Send a word of a part that finds less than was meant, because nothing else is left to ask
        for.
        """
        match part:
            case Term() if part.field not in FACETS and has_word(part):
                text = part.text.replace("-", "") if part.field == "isbn" else part.text
                field = part.field if part.field in self.param_fields - IDENTIFIERS else "any"
                return field in self.param_fields and self.sent(Term(text, field))
            case Or(parts):
                self.cut = not self.sent(parts[0])
                return bool(self.found)
        return False

    def tell_narrowed(self, part: Query) -> None:
        if isinstance(part, Or):
            self.must_not_refuse(part, "cannot say OR")
            self.terms.notes.append(
                f"cannot say OR: only the first alternative of {shown(part)} is asked"
            )
            if self.cut:
                self.cannot(part, "cannot say all of the first one")
        elif isinstance(part, Term) and part.truncated:
            self.must_not_refuse(part, cannot_search(part))
            self.terms.notes.append(
                f"{cannot_search(part)}: of {shown(part)} only {part.text} is looked for"
            )
            if part.field not in self.param_fields:
                self.cannot(part, "searches everywhere")
        elif isinstance(part, Term):
            self.cannot(part, f"{cannot_search(part)}, so it is looked for as a word")

    def why(self, part: Query) -> str:
        match part:
            case Term() if part.field in FACETS | IDENTIFIERS or part.truncated:
                return cannot_search(part)
            case Not():
                return "cannot say NOT"
            case Years():
                return "cannot search by year in this place"
            case Or() if facet_of(part) is None:
                return "cannot say OR"
            case Or():
                return "cannot ask for one of its alternatives as it stands"
        return "can only search by field"


def _only_terms(query: Query) -> bool:
    if isinstance(query, And | Or):
        return all(_only_terms(part) for part in query.parts)
    return isinstance(query, Term)
