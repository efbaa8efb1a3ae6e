"""How one syntax writes what a query says: a table that `writer.py` goes by. Each syntax has a file
with its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from metasearch.query.ast import FIELDS
from metasearch.query.databases.grammar import DatabaseGrammar

#: Characters that are read as a double quote, and as a single one.
DOUBLE, SINGLE = '"“”„＂', "'‘’＇"


#: A pattern of words that one of the databases takes for a sign; none is ever written bare.
SIGNS = r"and|or|not|adj\d{0,2}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Booleans:
    """The words or signs between two parts, with the blanks around them."""

    all: str = " AND "
    either: str = " OR "
    without: str = " NOT "


@dataclass(frozen=True, slots=True, kw_only=True)
class YearRanges:
    """Templates of a range of years; a range of several templates holds where all of them do.

    `{first}` and `{last}` are the years of the range, `{before}` the one before the first,
    `{after}` that after the last, each of four digits.
    """

    only: tuple[str, ...]
    both: tuple[str, ...]
    since: tuple[str, ...]
    until: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """A syntax.

    Attributes:
        name: A key of `metasearch.query.writing.TARGETS`.
        label: What its users call it, for notes.
        fields: Names of one or more of our fields, with blanks between -> a template with the place
            `{x}`. Several names are the alternatives of one term in these fields: "title abstract"
            for `.ti,ab.`.
        losses: Field -> what is lost by its template, as a sentence; noted when it is used.
        framed: A template takes several terms with AND, OR and NOT between them, and not only one.
        single: Names of fields whose templates take one term all the same.
        bracketed: Its templates have brackets around `{x}` already.
        inner: Between the parts of a group that a template is put around.
        phrase: A template for words that follow one another; also for a word that would be a sign
            when bare.
        bare: Words without any special character stand without quotes.
        truncation: The sign after the beginning of a word; "" where there is none.
        least: Letters and digits that must stand before it.
        reserved: A pattern of further words that would be a sign when they stand bare, in whatever
            case.
        lost: A pattern of what has a meaning even between quotes, or ends them, and cannot be
            escaped.
        years: Ranges of years; None where they cannot be asked.
        types: Type -> the database's own words; an article is also what the database calls a
            review.
        value: A template for several words of a type or language; "" for that of phrases.
        languages: The attribute of `metasearch.bib.languages.Language` that languages are written
            as; "" for none.
    """

    name: str
    label: str
    fields: Mapping[str, str]
    losses: Mapping[str, str] = field(default_factory=dict)
    framed: bool = True
    single: frozenset[str] = frozenset()
    bracketed: bool = False
    booleans: Booleans = Booleans()
    inner: Booleans | None = None
    phrase: str = '"{x}"'
    bare: bool = True
    truncation: str = "*"
    least: int = 2
    reserved: str = "(?!)"
    lost: str = r"(?!)"
    years: YearRanges | None = None
    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    languages: str = ""
    value: str = ""

    @property
    def within(self) -> Booleans:
        """What stands between the parts of a framed group."""
        return self.inner or self.booleans

    @property
    def together(self) -> list[tuple[str, ...]]:
        """The fields that one template searches at once, the most first."""
        several = [tuple(names.split()) for names in self.fields if " " in names]
        return sorted(several, key=len, reverse=True)

    def template(self, *fields: str) -> str | None:
        """That of one of our fields, or of several at once."""
        return self.fields.get(_key(fields))


def fields_of(grammar: DatabaseGrammar, template: str, **codes: str) -> dict[str, str]:
    """`Style.fields` out of the table that a database's syntax is read by.

    `grammar`: the table. Of the codes that search just one of our fields, or several, the first is
    written. `template`: with the places `{x}` and `{code}`, or `{CODE}` for capitals. `codes`:
    field -> the code where another is better; "" where the field cannot be asked for in truth.
    Several fields are joined as in `title_abstract`.
    """
    found: dict[str, str] = {}
    for code, tag in grammar.codes.items():
        if tag.fields and tag.fields != ("year",) and not tag.loss:
            found.setdefault(_key(tag.fields), code)
    found |= {_key(names.split("_")): code for names, code in codes.items()}
    return {
        names: template.replace("{code}", code).replace("{CODE}", code.upper())
        for names, code in found.items()
        if code
    }


def _key(fields: Iterable[str]) -> str:
    return " ".join(sorted(fields, key=FIELDS.index))
