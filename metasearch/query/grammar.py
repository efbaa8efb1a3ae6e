"""The tables that describe the syntax of one database: by `DatabaseGrammar` it is read
(`databases.py`), by `Style` it is written (`writer.py`). Each syntax has a file with its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from metasearch.message import N_, message
from metasearch.query.tree import CODED_FIELDS, FIELDS, IDENTIFIERS, Years


@dataclass(frozen=True, slots=True)
class FieldTarget:
    """Where the words of a field of a foreign syntax are looked for.

    Attributes:
        fields: One or more of `metasearch.query.FIELDS`, or "year"; none where no field here holds
            such words.
        loss: What is lost by that, as the end of a sentence that begins with the foreign field;
            "" for nothing.
        heading: The words are a heading of a vocabulary, so they follow one another.
        beside: Other places that the words may be in instead, each with values of a form or list of
            its own, or where nothing here can look.
    """

    fields: tuple[str, ...]
    loss: str = ""
    heading: bool = False
    beside: tuple[FieldTarget, ...] = ()

    @property
    def of_words(self) -> bool:
        """Whether any words can be looked for there, and not only values of a form or list."""
        values = {"year", *CODED_FIELDS, *IDENTIFIERS}
        return bool(self.fields) and self.fields[0] not in values


def together(tags: Sequence[FieldTarget]) -> FieldTarget:
    """The places of several codes that are named together, at least one."""
    places = list(dict.fromkeys(tags))
    if len(places) == 1:
        return places[0]
    loss = next((tag.loss for tag in places if tag.loss), "")
    of_words = [tag for tag in places if tag.of_words]
    if ANY in of_words:
        return FieldTarget(("any",), loss)
    if not of_words:
        return replace(places[0], beside=tuple(places[1:]))
    return FieldTarget(
        tuple(dict.fromkeys(field for tag in of_words for field in tag.fields)),
        loss,
        heading=all(tag.heading for tag in of_words),
        beside=tuple(tag for tag in places if not tag.of_words),
    )


#: What the tables of databases call a place -> the place. "number": registration numbers and others
#: that have no field here. "nowhere": of what nothing here holds: affiliations, grants, countries.
PLACES: Mapping[str, FieldTarget] = {
    **{name: FieldTarget((name,)) for name in (*FIELDS, "year")},
    "title abstract": FieldTarget(("title", "abstract")),
    "topic": FieldTarget(("title", "abstract", "subject")),
    "first author": FieldTarget(
        ("author",),
        message("looked for among all authors: sources cannot be asked for their order"),
    ),
    "heading": FieldTarget(
        ("subject",), message("looked for among keywords and subject headings"), heading=True
    ),
    "entry date": FieldTarget(("year",), message("read as the date of publication")),
    "everywhere": FieldTarget(("any",), message("looked for everywhere")),
    "number": FieldTarget(("any",), message("looked for everywhere: there is no field for it")),
    "nowhere": FieldTarget(()),
}
ANY, TITLE, ABSTRACT, AUTHOR = (PLACES[name] for name in ("any", "title", "abstract", "author"))
TITLE_ABSTRACT, TOPIC, SUBJECT = (PLACES[name] for name in ("title abstract", "topic", "subject"))
HEADING, ENTRY_DATE, LANGUAGE = (PLACES[name] for name in ("heading", "entry date", "language"))
PMID, PMCID, NUMBER, NOWHERE = (PLACES[name] for name in ("pmid", "pmcid", "number", "nowhere"))
#: Registration numbers; what is none is looked for as any other `NUMBER`.
TRIAL = PLACES["trial"]

Operator = Literal["AND", "OR", "NOT"]
#: A form that all these databases know, or that none takes for a word: it is never searched for as
#: one.
NEAR_ANYWHERE = r"(?:adj[0-9]{1,2}|(?:o?near/?|next/?|pre/|w/|n/|p/)[0-9]{1,3})"

#: What is written round a query of any database: limits to the end of the line, and the order of
#: its results. Capitals and a colon tell it from words to look for.
PRINTED_ANYWHERE = re.compile(
    r"(?:Filters?|Limits?)(?: [Aa]pplied| [Uu]sed)?: ?(?P<limits>[^\n]{1,900})"
    r"|Sort(?:ed)?(?: results)? (?:by|on):[^\n]{0,80}"
    r"|(?:Search )?(?:[Qq]uery|[Ss]tring|[Ss]trategy|[Tt]erms?|[Ss]tatement|Keywords?)\s?:(?=\s)"
    r"|(?:Population|Interventions?|Compar(?:ison|ator)s?|Outcomes?|Exposure|Concept [0-9]):(?=\s)"
)


@dataclass(frozen=True, slots=True)
class DatabaseGrammar:
    """The syntax of one database.

    Attributes:
        name: A key of `metasearch.query.syntaxes.SYNTAXES`.
        codes: Field code in small letters -> where its words are looked for. The first code of a
            place is the usual one, for writing.
        prefix: Matches a code and its sign before what it holds for: group 1 is the code, or
            several with commas. None where there is no such thing.
        suffix: Matches the sign and codes after what they hold for: group 1 is the codes, with
            commas.
        near: Matches a whole word that is an operator of proximity, beside those of
            `NEAR_ANYWHERE`; such an operator is letters, then perhaps a slash and a number.
        distances: Letters of such an operator -> how many words may stand between, where it has no
            number; None for a sentence or paragraph.
        ordered: Letters of those whose words stand in the order in which they are written.
        order: Which operators bind more closely than others, without brackets; the closest first.
        wild: Signs that stand for letters.
        letters: Those of them that stand for a number of letters -> the fewest and the most.
        endless: Those of them that stand at the end of a word for any letters.
        phrases: Whether words side by side follow one another; otherwise all must occur.
        quotes: Opening sign -> closing one, beside double quotes.
        reference: Matches a whole word that names an earlier line: group 1 is its number.
        types: What the database calls a type, in small letters -> a usual name of it.
        limits_by_type: Whether what is neither a type of works nor a kind of study is a limit there
            that cannot be asked, and no words to look for.
        printed: Matches what the platform prints round a query, beside `PRINTED_ANYWHERE`: limits
            of the whole in a group named "limits", or what has no part in the search.
    """

    name: str
    codes: Mapping[str, FieldTarget]
    prefix: re.Pattern[str] | None = None
    suffix: re.Pattern[str] | None = None
    near: re.Pattern[str] = re.compile(NEAR_ANYWHERE, re.IGNORECASE)
    distances: Mapping[str, int | None] = field(default_factory=dict)
    ordered: frozenset[str] = frozenset({"next", "onear", "pre"})
    order: tuple[Operator, ...] = ("NOT", "AND", "OR")
    wild: str = "*?"
    letters: Mapping[str, tuple[int, int]] = field(default_factory=lambda: {"?": (1, 1)})
    endless: str = "*"
    phrases: bool = False
    quotes: Mapping[str, str] = field(default_factory=dict)
    reference: re.Pattern[str] = re.compile(r"#([0-9]{1,4})")
    types: Mapping[str, str] = field(default_factory=dict)
    limits_by_type: bool = False
    default: FieldTarget = ANY
    printed: re.Pattern[str] | None = None


def rows(
    table: str, own: Mapping[str, FieldTarget] | None = None
) -> list[tuple[list[str], FieldTarget]]:
    """The codes of a database by place, out of lines `title: ti tt`; codes with blanks in them have
    bars between them. A place is one of `PLACES`, one that is the database's `own`, or several of
    our fields. A line without a colon goes on with the row above; one that begins with # is a
    comment.
    """
    found: list[tuple[str, str]] = []
    for line in map(str.strip, table.splitlines()):
        place, colon, names = line.partition(": ")
        if not line or line.startswith("#"):
            continue
        if colon:
            found.append((place, names))
        else:
            found[-1] = found[-1][0], f"{found[-1][1]} {line}"
    places = {**PLACES, **(own or {})}
    return [
        (
            list(map(str.strip, names.split("|"))) if "|" in names else names.split(),
            places.get(place) or FieldTarget(tuple(place.split())),
        )
        for place, names in found
    ]


def codes(table: str, own: Mapping[str, FieldTarget] | None = None) -> dict[str, FieldTarget]:
    """The `rows` of a table as code in small letters -> place."""
    return {name.casefold(): tag for names, tag in rows(table, own) for name in names}


def near(*more: str) -> re.Pattern[str]:
    """The operators of proximity of a database, as `DatabaseGrammar.near`."""
    return re.compile("|".join((NEAR_ANYWHERE, *more)), re.IGNORECASE)


#: What PubMed calls types of works, as others do that hold its records.
MEDLINE_TYPES: Mapping[str, tuple[str, ...]] = {
    "article": ("Journal Article",),
    "review": ("Review",),
    "editorial": ("Editorial",),
    "letter": ("Letter",),
    "erratum": ("Published Erratum",),
    "retraction": ("Retraction of Publication",),
    "preprint": ("Preprint",),
}

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


@dataclass(frozen=True, slots=True)
class YearRanges:
    """Templates of a range of years; without one for all cases, the years that a syntax knows best
    stand for the ends, and one year is a range.

    `{first}` and `{last}` are the years of the range, `{before}` the one before the first,
    `{after}` that after the last, each of four digits.

    Attributes:
        both: From one year to another; "" where two conditions say that, `since` and `until`.
        only: One year; "" for a range of this year.
        since: From one year on; "" for a range to `LAST_YEAR`.
        until: Up to one year; "" for a range from `FIRST_YEAR`.
    """

    both: str = ""
    only: str = ""
    since: str = ""
    until: str = ""

    def templates(self, years: Years) -> tuple[str, ...]:
        """Those that together say a range."""
        if years.first == years.last and self.only:
            return (self.only,)
        if years.last is None and self.since:
            return (self.since,)
        if years.first is None and self.until:
            return (self.until,)
        return (self.both,) if self.both else (self.since, self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxStyle:
    """A syntax.

    Attributes:
        name: A key of `metasearch.query.syntaxes.NAMES`.
        fields: Names of one or more of our fields, with blanks between -> a template with the place
            `{x}`. Several names are the alternatives of one term in these fields: "title abstract"
            for `.ti,ab.`.
        losses: Field -> what is lost by its template, as a sentence, which may have the place
            `{label}`; noted when it is used.
        framed: A template takes several terms with AND, OR and NOT between them, and not only one.
        single: Names of fields whose templates take one term all the same.
        bracketed: Its templates have brackets around `{x}` already.
        inner: Between the parts of a group that a template is put around.
        phrase: A template for words that follow one another; also for a word that would be a sign
            when bare.
        bare: Words without any special character stand without quotes.
        truncation: The sign after the beginning of a word; "" where there is none.
        stems_in_phrases: Whether it may stand behind the last word of a phrase in quotes.
        least: Letters and digits that must stand before it.
        reserved: A pattern of further words that would be a sign when they stand bare, in whatever
            case.
        lost: A pattern of what has a meaning even between quotes, or ends them, and cannot be
            escaped.
        years: Ranges of years; None where they cannot be asked.
        types: Type -> the database's own words; an article is also what the database calls a
            review.
        near: What stands between words that are near one another, with the places `{n}`, how many
            words may stand between, and `{next}`, one more; "" where that cannot be said.
        ordered: The same for words in their order.
        adjacent: The same for words in their order that follow one another.
        nearest: The least number that may stand in these.
        near_words: Names of fields -> a template for mere words near one another in them, with the
            places `{x}` and `{n}`, where signs stand within one value or a syntax has none.
        headings: How a heading of a vocabulary is asked for, "exact" and "exploded", with its name
            in the place `{x}`; others are asked for as subjects.
        value: A template for several words of a type or language; "" for that of phrases.
        languages: The attribute of `metasearch.bib.languages.Language` that languages are written
            as; "" for none.
    """

    name: str
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
    stems_in_phrases: bool = True
    least: int = 2
    reserved: str = "(?!)"
    lost: str = r"(?!)"
    years: YearRanges | None = None
    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    languages: str = ""
    near: str = ""
    ordered: str = ""
    adjacent: str = ""
    nearest: int = 0
    near_words: Mapping[str, str] = field(default_factory=dict)
    headings: Mapping[str, str] = field(default_factory=dict)
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


#: `Style.losses` of a database whose widest field holds titles, abstracts and keywords.
BY_TOPIC: Mapping[str, str] = {
    "any": N_(
        "{label}: what is looked for everywhere is looked for in titles, abstracts and keywords"
    )
}


def _key(fields: Iterable[str]) -> str:
    return " ".join(sorted(fields, key=FIELDS.index))
