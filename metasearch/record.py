"""What databases hold about works: `Record` as one source describes it, `Hit` as many do.

All types are frozen, slotted dataclasses, which orjson writes natively. A `Record` is never edited
after it was read; a `Hit` is computed from its records and can be computed again at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, TypeVar, cast, get_args

from metasearch.message import N_

#: The closed vocabulary of `Record.type`.
TYPES = (
    "article",
    "preprint",
    "conference-paper",
    "proceedings",
    "book",
    "chapter",
    "thesis",
    "report",
    "dataset",
    "software",
    "patent",
    "standard",
    "review",
    "editorial",
    "letter",
    "erratum",
    "retraction",
    "reference-entry",
    "journal",
    "map",
    "score",
    "audio",
    "video",
    "image",
    "webpage",
    "other",
)

#: The closed vocabulary of `Record.open_access`: the colours that Unpaywall defined, and "open"
#: where a source says no more than that
#: (https://support.unpaywall.org/support/solutions/articles/44001777288).
OPEN_ACCESS = ("gold", "diamond", "hybrid", "bronze", "green", "open", "closed")

Verdict = Literal["same", "different", "version"]
#: What becomes of the versions of a work: "group" makes one hit that lists them, "separate" a hit
#: of each, "merge" one hit that makes no difference between them.
VersionsMode = Literal["group", "separate", "merge"]
VERSIONS_MODES: tuple[VersionsMode, ...] = get_args(VersionsMode)


@dataclass(frozen=True, slots=True)
class Author:
    """A person or a body, in the order of the title page.

    Attributes:
        name: For display: "Given Family" or a corporate name; never empty.
        family: Family name where the source gives it apart, else None (corporate names have none).
        given: Given names or initials, else None.
        orcid: Sixteen characters with hyphens, without the URL prefix, else None.
        affiliation: The first one that the source gives, as it writes it, else None.
        collective: Whether the source says that this is a body and not a person.
        suffix: "Jr.", "III", behind the name; `name` has it, too.
    """

    name: str
    family: str | None = None
    given: str | None = None
    orcid: str | None = None
    affiliation: str | None = None
    collective: bool = False
    suffix: str | None = None


#: Types of what stands in another work, whose editors are those of that work.
PARTS = frozenset(
    """
    article chapter conference-paper editorial erratum letter preprint reference-entry retraction
    review
""".split()
)

#: What a field holds: a text; one word of a closed list; a web address; a whole number; whether it
#: is so; several texts; persons and bodies; identifiers by scheme.
Kind = Literal["text", "word", "link", "number", "flag", "texts", "people", "ids"]


@dataclass(frozen=True, slots=True)
class Limit:
    """What is kept of a field; docs/decisions/0018 says why.

    Attributes:
        name: One value of the field, in words, for notes: "title".
        text: Characters of the text, or of each text in a list.
        items: Texts or people in the list; 1 where the field is no list.
        whole: Whether a longer text is left out, because a part of it would be another one: of a
            DOI, an address.
    """

    name: str
    text: int
    items: int = 1
    whole: bool = False

    @property
    def names(self) -> str:
        """Several values, in words."""
        return f"{self.name}{'es' if self.name.endswith('s') else 's'}"

    @property
    def before_conversion(self) -> int:
        """Characters of a text before conversion: markup, entities and labels may be most of it."""
        return MARKUP * self.text


#: Characters of a value before conversion for each one that is kept. Of real abstracts, markup is a
#: fifth at most.
MARKUP = 4


@dataclass(frozen=True, slots=True)
class Field:
    """What is declared of one field of a record, for all that read, keep, merge, write or show it.

    Attributes:
        label: What people call it, to be translated; "" where no page shows it by itself.
        words: All that it may hold, where that is a closed list.
    """

    kind: Kind
    limit: Limit
    label: str = ""
    words: tuple[str, ...] = ()


def _field(
    kind: Kind,
    name: str,
    text: int,
    label: str = "",
    *,
    items: int = 1,
    whole: bool = False,
    words: tuple[str, ...] = (),
    default: object = None,
) -> Any:
    """A field of `Record` and what is declared of it; one that holds several is empty by itself."""
    declared = Field(kind, Limit(name, text, items, whole), label, words)
    default = () if kind in ("texts", "people") else default
    return field(default=default, metadata={"field": declared})


# Characters of a title and of a name. The longest real values, which stand behind the fields, were
# measured in the answers of 60 databases, in catalogue records and in exports: catalogues copy
# whole title pages, of 725 characters; bodies are named with all that they belong to, by 134;
# journals, publishers and universities by 221.
_TITLE, _NAME = 4_000, 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One work as one source describes it: only tidied, never completed.

    Attributes:
        source: Name of the source.
        source_id: The source's own identifier; empty where it gives none.
        position: Rank in the source's answer, from 1, over all pages.
        title: Title proper, plain text; empty where the source gives none.
        subtitle: Rest of the title where the source gives it apart.
        original_title: Title in the language of the work, where `title` is a translation of it.
        translated_title: Title in another language, English where there are several, beside the one
            of the work.
        titles: Further titles of the work, plain text.
        authors: In order.
        editors: Of the work, or of the book that contains it, in order.
        translators: Of the work, in order.
        year: Year of publication.
        date: ISO 8601 with the precision that is known: "2020", "2020-03", "2020-03-15".
        venue: Journal, proceedings, book or repository that contains the work.
        place: Of publication, as printed: "Cambridge, Mass.".
        institution: That granted the degree, of a thesis; that issued it, of a report.
        pages: As printed ("123-8", "e1001"); an article number stands here too.
        doi: Bare and lower case: "10.1000/xyz".
        ids: Other identifiers of the work by scheme ("pmid", "pmcid", "arxiv", "openalex",
            "patent", ...), and the registration numbers of its trials ("nct": "NCT01234567,
            NCT07654321"; see `metasearch.bib.trials`), which other works may have, too.
        version: Of a work that has several under one identifier: "v2" (arXiv), "1.0.3" (software).
        isbn: ISBN-13s without hyphens (ISBN-10 is converted); invalid ones as they came.
        issn: "1234-5678" each.
        type: One of `TYPES`, or None where the source has none.
        language: ISO 639 code or the source's word, lower case.
        abstract: Plain text.
        keywords: The authors' own words.
        subjects: Headings and classes from a vocabulary, given by a library or database.
        citations: How often it is cited, as the source counts.
        open_access: One of `OPEN_ACCESS`.
        licence: The URL of the licence, or its name as the source writes it.
        retracted: True where the source says that the work was retracted; None where it says
            nothing.
        funders: Names of those who paid for the work, without the numbers of their awards.
        references: The works that it cites, as the source names them: "doi:10.1000/abc",
            "pmid:1", or a text where it has no identifier. Only citation searches ask for them.
        notices: About the work, in the form of `metasearch.bib.notices`: "retraction 2020-06-04
            10.1000/x".
    """

    source: str = _field("text", "source name", 500, default=MISSING)  # of a file, its name
    source_id: str = _field("text", "record number", 1_000, whole=True, default="")  # 149
    position: int = _field("number", "position", 100, default=0)
    url: str | None = _field("link", "address", 4_000, N_("Address"), whole=True)  # 798
    title: str = _field("text", "title", _TITLE, N_("Title"), default="")
    subtitle: str | None = _field("text", "subtitle", _TITLE)
    original_title: str | None = _field("text", "original title", _TITLE, N_("Original title"))
    translated_title: str | None = _field(
        "text", "translated title", _TITLE, N_("Translated title")
    )
    # 27 of one work
    titles: tuple[str, ...] = _field(
        "texts", "further title", _TITLE, N_("Other titles"), items=200
    )
    # ATLAS and CMS together are 5,154; the longest list known has 15,025
    authors: tuple[Author, ...] = _field("people", "author", _NAME, N_("Authors"), items=20_000)
    editors: tuple[Author, ...] = _field("people", "editor", _NAME, N_("Editors"), items=2_000)
    translators: tuple[Author, ...] = _field(
        "people", "translator", _NAME, N_("Translators"), items=2_000
    )
    year: int | None = _field("number", "year", 500, N_("Year"))
    date: str | None = _field("text", "date", 500, N_("Date"))
    venue: str | None = _field("text", "venue", _NAME, N_("Published in"))
    publisher: str | None = _field("text", "publisher", _NAME, N_("Publisher"))
    place: str | None = _field("text", "place of publication", 500, N_("Place of publication"))
    institution: str | None = _field("text", "institution", _NAME, N_("Institution"))
    edition: str | None = _field("text", "edition", 500, N_("Edition"))  # 78
    volume: str | None = _field("text", "volume", 500, N_("Volume"))  # 108
    issue: str | None = _field("text", "issue", 500, N_("Issue"))  # 159: with a title
    pages: str | None = _field("text", "page range", 500, N_("Pages"))  # 50
    # what Crossref registers at most; 64
    doi: str | None = _field("text", "DOI", 2_048, "DOI", whole=True)
    ids: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"field": Field("ids", Limit("identifier", 1_000, 200, whole=True))},  # 64
    )
    version: str | None = _field("text", "version", 200, N_("Version"))  # 7
    isbn: tuple[str, ...] = _field("texts", "ISBN", 200, "ISBN", items=2_000)  # 111 editions
    issn: tuple[str, ...] = _field("texts", "ISSN", 200, "ISSN", items=200)
    # only what is looked up in a table: 26,745 characters were found for one
    type: str | None = _field("word", "type", 10_000, N_("Type"), words=TYPES)
    language: str | None = _field("text", "language", 500, N_("Language"))  # 65: a sentence
    # 23,675: the notes of a software release
    abstract: str | None = _field("text", "abstract", 50_000)
    # 237 characters, 195 keywords
    keywords: tuple[str, ...] = _field("texts", "keyword", 1_000, N_("Keywords"), items=2_000)
    # 308 characters
    subjects: tuple[str, ...] = _field("texts", "subject", 1_000, N_("Subjects"), items=2_000)
    citations: int | None = _field("number", "citation count", 100, N_("Cited"))
    # 573 before conversion
    open_access: str | None = _field(
        "word", "open access statement", 2_000, N_("Open access"), words=OPEN_ACCESS
    )
    # 394: the licence itself
    licence: str | None = _field("text", "licence", 2_000, N_("Licence"))
    retracted: bool | None = _field("flag", "retraction statement", 2_000, N_("Retracted"))
    pdf_url: str | None = _field("link", "file address", 4_000, "PDF", whole=True)
    funders: tuple[str, ...] = _field("texts", "funder", _NAME, N_("Funders"), items=500)
    references: tuple[str, ...] = _field("texts", "reference", 2_000, items=5_000)
    notices: tuple[str, ...] = _field(
        "texts", "notice", 4_100, N_("Notices"), items=200, whole=True
    )

    @property
    def byline(self) -> tuple[Author, ...]:
        """Who is named under the title: the authors; of a whole work without any, its editors."""
        return self.authors or (() if self.type in PARTS else self.editors)

    @property
    def key(self) -> str:
        """Identifies this record among all: "source:id", or position where the source gives
        no id.
        """
        return (
            f"{self.source}:{self.source_id}"
            if self.source_id
            else f"{self.source}:@{self.position}"
        )


FIELDS: Mapping[str, Field] = {each.name: each.metadata["field"] for each in fields(Record)}
#: Fields that name the copy, and say nothing of the work; and all that do.
NAMES_THE_COPY = ("source", "source_id", "position")
OF_THE_WORK = tuple(name for name in FIELDS if name not in NAMES_THE_COPY)


def fields_of(*kinds: Kind) -> tuple[str, ...]:
    """Names of the fields that hold such values, in the order of the record."""
    return tuple(name for name, each in FIELDS.items() if each.kind in kinds)


def _in_order_of_formats() -> Iterable[str]:
    addresses = fields_of("link")
    for name in OF_THE_WORK:
        if name not in addresses:
            yield name
        if name == "issn":
            yield from addresses


#: Fields of the work in the order of our formats, in which the addresses follow the numbers.
WRITTEN = tuple(_in_order_of_formats())
#: The fields that hold persons and bodies, and those that hold several texts.
PEOPLE, TEXTS = fields_of("people"), fields_of("texts")


def field_counts(records: Iterable[Record]) -> dict[str, int]:
    """Field -> how many of the records have it, in the order of the fields; identifiers as
    "ids.SCHEME".
    """
    names = [
        known.name for known in fields(Record) if known.name not in ("source", "position", "ids")
    ]
    found: dict[str, int] = dict.fromkeys(names, 0)
    for record in records:
        said = [name for name in names if getattr(record, name) not in (None, "", ())]
        for name in [*said, *(f"ids.{scheme}" for scheme in record.ids)]:
            found[name] = found.get(name, 0) + 1
    return {name: count for name, count in found.items() if count}


@dataclass(frozen=True, slots=True)
class Match:
    """Evidence about two records, shown to users as "why merged".

    Attributes:
        matcher: Name of the matcher that gave the verdict.
        verdict: "same", "different", or "version" (preprint and published form of one work).
        score: 0..1, how sure.
        because: In words: "same DOI; titles agree 0.97".
        left: `Record.key` of the one, the smaller of the two.
        right: `Record.key` of the other.
    """

    matcher: str
    verdict: Verdict
    score: float
    because: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Reason:
    """One part of a hit's score.

    Attributes:
        text: In words: "crossref ranks it 3".
        points: What it adds to the score.
        source: The source that it comes from; None for a boost of the whole hit.
    """

    text: str
    points: float
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """The records of a hit that describe one version of the work.

    Attributes:
        kind: "published", "preprint", ...
        records: Their `Record.key`s.
    """

    kind: str
    records: tuple[str, ...]


@dataclass(frozen=True)
class Hit:
    """One work: the merged record, and all that it was made from.

    Attributes:
        id: What the work is called: made from what most of its records say that it is, so that
            other sources and files give it too. No other hit of the answer has it.
        record: The merged record; its `source` names the source that gave the title.
        records: All records, sorted by key; nothing is thrown away.
        provenance: Field of `record` -> name of the source that gave it ("ids.pmid" for an
            identifier).
        matches: One `Match` for each edge that holds the hit together.
        versions: Empty unless the records describe more than one version of the work.
        score: Sum of the points of `reasons`; 0.0 before ranking.
        rank: From 1; 0 before ranking.
        also: Ids that it would have if fewer of its records had been found, or no other hit shared
            its own.
    """

    id: str
    record: Record
    records: tuple[Record, ...]
    provenance: Mapping[str, str]
    matches: tuple[Match, ...] = ()
    versions: tuple[Version, ...] = ()
    score: float = 0.0
    rank: int = 0
    reasons: tuple[Reason, ...] = ()
    also: tuple[str, ...] = ()

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources that gave it, each once, sorted."""
        return tuple(sorted({r.source for r in self.records}))


# Make records, authors, matches, hits and reasons at a third of the usual cost, where very many are
# made. A frozen dataclass sets each of its fields through `object.__setattr__`, which for the
# fields of a `Record` takes longer than reading half of them. Its twin has the same slots and is
# not frozen; when all fields are set, it becomes the frozen class that it is the twin of, and
# cannot be told from one that was made in the usual way.

T = TypeVar("T")


def _twin(frozen: type[T], *, kw_only: bool = False) -> type[T]:
    names: dict[str, Any] = {"frozen": frozen, "missing": MISSING}
    arguments, body = ["self", *["*"] * kw_only], ""
    for own in fields(cast("Any", frozen)):
        name = value = own.name
        if own.default_factory is not MISSING:
            names[f"make_{name}"] = own.default_factory
            value = f"make_{name}() if {name} is missing else {name}"
            name = f"{name}=missing"
        elif own.default is not MISSING:
            names[f"default_{name}"] = own.default
            name = f"{name}=default_{name}"
        arguments.append(name)
        body += f"    self.{own.name} = {value}\n"
    # As a dataclass does, but that one calls another function where it changes its class.
    code = f"def __init__({', '.join(arguments)}):\n{body}    self.__class__ = frozen\n"
    exec(code, names)  # noqa: S102  # the names of our own fields
    namespace = {"__init__": names["__init__"]}
    if "__slots__" in vars(frozen):
        namespace["__slots__"] = vars(frozen)["__slots__"]
    return cast("type[T]", type(frozen.__name__, (), namespace))


#: Take the arguments of `Record`, `Author`, `Match`, `Hit` and `Reason`, and return such.
new_record = _twin(Record, kw_only=True)
new_author = _twin(Author)
new_match = _twin(Match)
new_hit = _twin(Hit)
new_reason = _twin(Reason)
