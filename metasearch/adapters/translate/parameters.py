"""A query as words in parameters, one parameter for each field: for databases without operators."""

from __future__ import annotations

from metasearch.adapters.spec import Dialect
from metasearch.adapters.translate.losses import Losses
from metasearch.adapters.translate.terms import (
    TermWriter,
    cannot_search,
    coded_part,
    has_word,
    not_alone,
    shown,
)
from metasearch.message import message
from metasearch.query.ast import CODED_FIELDS, IDENTIFIERS, And, Not, Or, Query, Term, Years, terms


class ParameterWords:
    """Puts the words of a query into parameters.

    If the database ranks by the words that it finds (`Dialect.scored`), one more word does no harm:
    alternatives and beginnings of words are sent as words. If all words must occur, clauses that
    cannot be expressed are left out, unless nothing else is left to send. `param_fields`: the
    fields that have a parameter of their own. `losses`: takes what cannot be expressed.
    """

    def __init__(
        self,
        dialect: Dialect,
        terms: TermWriter,
        param_fields: frozenset[str],
        losses: Losses,
    ) -> None:
        self.dialect = dialect
        self.terms = terms
        self.param_fields = param_fields
        self.losses = losses
        self.sent_texts: dict[str, list[str]] = {}
        #: Whether only a part of the alternative is sent that is sent for a whole OR.
        self.cut = False

    def values(self, parts: tuple[Query, ...]) -> dict[str, str]:
        """Returns field -> words for these parts, all of which must hold."""
        left = [part for part in parts if not self.sent(part)]
        stand_in = None if self.sent_texts else next(filter(self.stands_in, left), None)
        for part in left:
            if part is stand_in:
                self.note_narrowed(part)
            else:
                self.losses.add(part, self.why(part))
        return {field: " ".join(texts) for field, texts in self.sent_texts.items()}

    def sent(self, part: Query) -> bool:
        """Sends a part that must hold. Returns False if a part of it has to be left out."""
        match part:
            case Term() if part.field in CODED_FIELDS:
                return False
            case Term():
                return self.term(part)
            case And(parts):
                # Each part is sent, also after one that has to be left out.
                left_out = [part for part in parts if not self.sent(part)]
                return not left_out
            case Or():
                return self.alternatives(part)
        return False

    def term(self, term: Term) -> bool:
        """Sends a term. Returns False if it has to be left out."""
        field = term.field
        if not has_word(term):
            return True
        if field in IDENTIFIERS and (field not in self.param_fields or field in self.sent_texts):
            return False
        if self.is_stem(term):
            if not self.dialect.scored:
                return False
            self.losses.add(term, cannot_search(term))
            term = Term(term.text, field)
        if field not in self.param_fields:
            if "any" not in self.param_fields:
                return False
            if field != "any":
                self.losses.add(term, not_alone(field))
            field = "any"
        changed = self.terms.changed(term)
        if changed is not None:
            self.losses.add(changed, message("cannot search for all signs of a word"))
        self.put(field, term)
        return True

    def put(self, field: str, term: Term) -> None:
        """Adds a term to the words of a field."""
        self.terms.note_lost_characters(term)
        text = self.terms.text(term)
        if text:
            self.sent_texts.setdefault(field, []).append(text)

    def alternatives(self, query: Or) -> bool:
        """Sends the words of an OR. Returns False if it has to be left out."""
        if (
            not self.dialect.scored
            or coded_part(query) is not None
            or "any" not in self.param_fields
        ):
            return False
        fields = {term.field for term in terms(query)}
        # All parameters must hold, so alternatives in several parameters would all have to hold.
        scattered = len(fields) > 1 or not fields <= self.param_fields - IDENTIFIERS
        plain = _only_terms(query) and not any(self.changed(term) for term in terms(query))
        if scattered or not plain:
            self.losses.add(
                query, message("cannot express OR, so its words are searched in all fields")
            )
        else:
            self.losses.check_policy(query, message("cannot express OR"))
            self.losses.notes.append(
                message(
                    "cannot express OR: the words of {clause} are sent and the best matches "
                    "come first",
                    clause=shown(query),
                )
            )
        for term in terms(query):
            if term.field not in CODED_FIELDS and has_word(term):
                word = Term(term.text, term.field) if self.is_stem(term) else term
                self.put("any" if scattered else term.field, word)
        return True

    def is_stem(self, term: Term) -> bool:
        """Whether a term is the beginning of a word, and the dialect can write only whole words."""
        return term.truncated and not self.terms.truncates(term)

    def changed(self, term: Term) -> bool:
        """Whether a term cannot be sent as it stands."""
        if self.is_stem(term) or term.field in CODED_FIELDS:
            return True
        return self.terms.changed(term) is not None

    # ---------------------------------------------------------------- what is left out

    def stands_in(self, part: Query) -> bool:
        """Sends words of a part that find less than was meant, because nothing else is left.

        Returns False if the part has no such words.
        """
        match part:
            case Term() if part.field not in CODED_FIELDS and has_word(part):
                text = part.text.replace("-", "") if part.field == "isbn" else part.text
                field = part.field if part.field in self.param_fields - IDENTIFIERS else "any"
                return field in self.param_fields and self.sent(Term(text, field))
            case Or(parts):
                self.cut = not self.sent(parts[0])
                return bool(self.sent_texts)
        return False

    def note_narrowed(self, part: Query) -> None:
        """Records that only a part of what was meant is sent."""
        if isinstance(part, Or):
            self.losses.check_policy(part, message("cannot express OR"))
            self.losses.notes.append(
                message(
                    "{why}: only the first alternative of {clause} is asked",
                    why=message("cannot express OR"),
                    clause=shown(part),
                )
            )
            if self.cut:
                self.losses.add(part, message("cannot express all of the first one"))
        elif isinstance(part, Term) and part.truncated:
            self.losses.check_policy(part, cannot_search(part))
            self.losses.notes.append(
                message(
                    "{why}: of {clause} only {part} is looked for",
                    why=cannot_search(part),
                    clause=shown(part),
                    part=part.text,
                )
            )
            if part.field not in self.param_fields:
                self.losses.add(part, message("searches all fields"))
        elif isinstance(part, Term):
            self.losses.add(
                part,
                message(
                    "{why}, so it is looked for as a word",
                    why=cannot_search(part),
                ),
            )

    def why(self, part: Query) -> str:
        """Returns why a part is left out, for a note."""
        match part:
            case Term() if part.field in CODED_FIELDS | IDENTIFIERS or part.truncated:
                return cannot_search(part)
            case Not():
                return message("cannot express NOT")
            case Years():
                return message("cannot search by year in this place")
            case Or() if coded_part(part) is None:
                return message("cannot express OR")
            case Or():
                return message("cannot express one of its alternatives")
        return message("can only search by field")


def _only_terms(query: Query) -> bool:
    """Whether a query has only terms under its operators."""
    if isinstance(query, And | Or):
        return all(_only_terms(part) for part in query.parts)
    return isinstance(query, Term)
