"""`/help`: how queries are written, by examples that run, and how a result is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.errors import QuerySyntaxError
from metasearch.query import SYNTAXES, ReadQuery
from metasearch.query.expert.fields import EXPERT_FIELDS
from metasearch.query.simple.field_names import FIELD_NAMES
from metasearch.server.pages.page import page
from metasearch.server.pages.reading import QUERY_FIELD_WORDS, SYNTAX_WORDS, Fault, Reading
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit

#: A query that finds something in the demo, too -> what it means.
EXAMPLES: Mapping[str, str] = {
    "gambling harms": N_("All words must occur, in any order. No operator is needed."),
    '"machine learning"': N_("A phrase: the words follow one another."),
    "psilocybin OR mushrooms": N_("OR: one of the words will do. Operators are in capitals."),
    "gambling NOT advertising": N_(
        "NOT leaves works out; a minus sign before a word does the same."
    ),
    "(gambling OR betting) AND harm*": N_(
        "Brackets group. A star ends the beginning of a word: harm, harms, harmful."
    ),
    "title:jazz year:1980-1995": N_(
        "The word stands in the title, and the work is of these years."
    ),
    "author:Browne gambling": N_("The name of an author, and a word anywhere."),
    "psilocybin year:2015-": N_(
        "From 2015 on; year:-2015 is until then, year:2015 that year alone."
    ),
    "jazz type:book": N_("Only books. Types are article, preprint, thesis, dataset and others."),
    "乳腺癌 language:zh": N_("Only works in Chinese; en, fr, de and other codes likewise."),
    "题名=乳腺癌": N_("The fields of CNKI by their Chinese names; TI= is the same."),
    "TI='乳腺癌'*(诊断+治疗)": N_("The expert syntax of CNKI: * is AND, + is OR, - is NOT."),
    "gambling[ti] AND harm*[tiab]": N_("The syntax of PubMed, recognised by its signs."),
}
#: Field -> what a source searches for it.
_LOOKS_IN: Mapping[str, str] = {
    "any": N_("Everything that a database searches by default; no field needs to be named."),
    "title": N_("Title and subtitle"),
    "author": N_("Names of authors"),
    "subject": N_("Keywords and subject headings"),
    "abstract": N_("Abstract"),
    "venue": N_("Journal, proceedings, book or repository"),
    "doi": N_("The identifier; a DOI needs no field."),
    "isbn": N_("The identifier"),
    "issn": N_("The identifier"),
    "type": N_("What kind of work it is"),
    "language": N_("The language of the work"),
    "year": N_("Year of publication: 2020, 2015-2020, 2015-, -2020"),
}


@dataclass(frozen=True, slots=True)
class FieldHelp:
    """One field of a query.

    Attributes:
        word: Its name, to be translated.
        names: As a query of our own has them, with their colons.
        chinese: As the expert syntax of Chinese databases has them, with their signs.
        looks_in: To be translated.
    """

    word: str
    names: Sequence[str]
    chinese: Sequence[str]
    looks_in: str


def help_page(
    visit: Visit, text: str, syntax: str, found: ReadQuery | QuerySyntaxError | None
) -> str:
    """The whole page.

    `text`: what the reader wants to see read; "" for nothing. `syntax`: of the text, one of
    `SYNTAX_WORDS`. `found`: the text as it was read, or why it cannot be; None where there is none.
    """
    return page(
        "help.html",
        visit,
        visit.language.gettext("Help"),
        current="/help",
        text=text,
        syntax=syntax,
        syntaxes=SYNTAX_WORDS,
        fault=Fault.of(found) if isinstance(found, QuerySyntaxError) else None,
        reading=Reading.of(found, visit.language) if isinstance(found, ReadQuery) else None,
        examples=[(text, _language_of(text), meaning) for text, meaning in EXAMPLES.items()],
        fields=[_field_help(name) for name in QUERY_FIELD_WORDS],
        others=[
            (name, words, SYNTAXES[name].partition(": ")[2])
            for name, words in SYNTAX_WORDS.items()
            if name not in ("auto", "simple")
        ],
    )


def _language_of(text: str) -> str:
    """The tag of a language for fonts and voices."""
    return "zh-Hans" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en"


def _field_help(field: str) -> FieldHelp:
    names = [f"{name}:" for name, meant in FIELD_NAMES.items() if meant == field]
    chinese = [
        name
        for name, target in EXPERT_FIELDS.items()
        if target.fields == (field,) and not target.loss
    ]
    codes = [f"{name.upper()}=" for name in chinese if name.isascii() and len(name) > 1][:1]
    words = [f"{name}=" for name in chinese if not name.isascii()][:1]
    return FieldHelp(QUERY_FIELD_WORDS[field], names, (*words, *codes), _LOOKS_IN[field])
