"""How a query was read, for people: in its normal spelling, word by word, or where it cannot be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.errors import QuerySyntaxError
from metasearch.query import Not, Query, ReadQuery, Term, Years, read, to_text
from metasearch.query.reading import window
from metasearch.query.tree import And, Or
from metasearch.query.values import years_text
from metasearch.server.pages.language import N_, TYPE_WORDS, Language

#: Field of a query -> its name for people, to be translated; in the order of a form.
QUERY_FIELD_WORDS: Mapping[str, str] = {
    "any": N_("Anywhere"),
    "title": N_("Title"),
    "author": N_("Author"),
    "subject": N_("Keyword or subject"),
    "abstract": N_("Abstract"),
    "venue": N_("Journal or book"),
    "doi": "DOI",
    "isbn": "ISBN",
    "issn": "ISSN",
    "type": N_("Type of work"),
    "language": N_("Language"),
    "year": N_("Year"),
}
#: Syntax -> what a reader knows it as, in the order of a form. Names of databases have no
#: translation.
SYNTAX_WORDS: Mapping[str, str] = {
    "auto": N_("Recognise it"),
    "simple": "metasearch",
    "cnki": N_("CNKI, Wanfang, VIP"),
    "pubmed": "PubMed",
    "ovid": "Ovid",
    "scopus": "Scopus",
    "wos": "Web of Science",
    "ebsco": "EBSCOhost",
    "embase": "Embase",
    "cochrane": "Cochrane Library",
    "proquest": "ProQuest",
    "ieee": "IEEE Xplore",
    "cql": N_("CQL (library catalogues)"),
    "ccl": N_("CCL (Z39.50)"),
}
#: Columns of the line that shows a mistake.
_COLUMNS = 64
#: Words of a field that are listed, and characters of each.
_MOST_WORDS, _LONGEST_WORD = 100, 200


@dataclass(frozen=True, slots=True)
class Fault:
    """A query that cannot be read, on one line around the mistake. `marked`: the mistake; "" where
    something is missing at the end. `suggestion`: a query that can be read, or "".
    """

    before: str
    marked: str
    after: str
    reason: str
    suggestion: str
    advice: str

    @classmethod
    def of(cls, error: QuerySyntaxError) -> Fault:
        """From what a reader of queries raised."""
        advice = "" if error.suggestion else error.advice
        return cls(*window(error, _COLUMNS), error.reason, error.suggestion or "", advice)


@dataclass(frozen=True, slots=True)
class FieldWords:
    """What is looked for in one field.

    Attributes:
        field: To be translated.
        words: As they are written: phrases in quotes, beginnings of words with a star.
        excluded: Whether works that have these words are left out.
        more: How many further words there are.
    """

    field: str
    words: Sequence[str]
    excluded: bool
    more: int


@dataclass(frozen=True, slots=True)
class Reading:
    """How a query was read.

    Attributes:
        text: In metasearch's own syntax.
        syntax: To be translated: the syntax that it was read in; "" where that is our own.
        notes: What the text does not say exactly.
    """

    text: str
    syntax: str
    notes: Sequence[str]
    fields: Sequence[FieldWords]

    @classmethod
    def of(cls, query: ReadQuery, language: Language) -> Reading:
        """From a query that was read; `language` has names for types and languages."""
        syntax = "" if query.syntax == "simple" else SYNTAX_WORDS[query.syntax]
        fields = _field_words(query.query, language)
        return cls(to_text(query.query), syntax, query.notes, fields)


def plain_name(syntax: str) -> str:
    """The one of `SYNTAX_WORDS` for one of `metasearch.query.CHOICES`."""
    return "cnki" if syntax == "expert" else syntax


def read_or_fault(text: str, syntax: str) -> ReadQuery | QuerySyntaxError:
    """The query, or why it cannot be read, in linear time. `syntax`: one of `SYNTAX_WORDS`."""
    try:
        return read(text, syntax)
    except QuerySyntaxError as error:
        return error


def _field_words(query: Query, language: Language) -> list[FieldWords]:
    listed: dict[tuple[bool, str], dict[str, None]] = {}
    _gather(query, False, language, listed)
    order = list(QUERY_FIELD_WORDS)
    return [
        FieldWords(
            QUERY_FIELD_WORDS[field],
            list(words)[:_MOST_WORDS],
            excluded,
            max(0, len(words) - _MOST_WORDS),
        )
        for (excluded, field), words in sorted(
            listed.items(), key=lambda each: (each[0][0], order.index(each[0][1]))
        )
    ]


def _gather(
    query: Query,
    excluded: bool,
    language: Language,
    listed: dict[tuple[bool, str], dict[str, None]],
) -> None:
    match query:
        case Term():
            words = listed.setdefault((excluded, query.field), {})
            words |= dict.fromkeys(_words(query, language))
        case Years():
            listed.setdefault((excluded, "year"), {})[years_text(query)] = None
        case And(parts) | Or(parts):
            for part in parts:
                _gather(part, excluded, language, listed)
        case Not(part):
            _gather(part, not excluded, language, listed)


def _words(term: Term, language: Language) -> list[str]:
    if term.field == "type":
        return [language.gettext(TYPE_WORDS.get(term.text, term.text))]
    if term.field == "language":
        return [language.language_name(term.text)]
    if term.phrase:
        return [f"“{term.text[:_LONGEST_WORD]}”"]
    if term.truncated:
        return [f"{term.text[:_LONGEST_WORD]}*"]
    return [word[:_LONGEST_WORD] for word in term.text.split(" ")]
