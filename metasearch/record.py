"""What databases hold about works: `Record` as one source describes it, `Hit` as many do.

All types are frozen, slotted dataclasses, which orjson writes natively. A `Record` is never edited
after it was read; a `Hit` is computed from its records and can be computed again at any time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, TypeVar, cast, get_args

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
    """

    name: str
    family: str | None = None
    given: str | None = None
    orcid: str | None = None
    affiliation: str | None = None
    collective: bool = False


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
        year: Year of publication.
        date: ISO 8601 with the precision that is known: "2020", "2020-03", "2020-03-15".
        venue: Journal, proceedings, book or repository that contains the work.
        institution: That granted the degree, of a thesis; that issued it, of a report.
        pages: As printed ("123-8", "e1001"); an article number stands here too.
        doi: Bare and lower case: "10.1000/xyz".
        ids: Other identifiers of the work by scheme ("pmid", "pmcid", "arxiv", "openalex",
            "patent", ...).
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
    """

    source: str
    source_id: str = ""
    position: int = 0
    url: str | None = None
    title: str = ""
    subtitle: str | None = None
    original_title: str | None = None
    translated_title: str | None = None
    titles: tuple[str, ...] = ()
    authors: tuple[Author, ...] = ()
    editors: tuple[Author, ...] = ()
    year: int | None = None
    date: str | None = None
    venue: str | None = None
    publisher: str | None = None
    institution: str | None = None
    edition: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    doi: str | None = None
    ids: Mapping[str, str] = field(default_factory=dict)
    version: str | None = None
    isbn: tuple[str, ...] = ()
    issn: tuple[str, ...] = ()
    type: str | None = None
    language: str | None = None
    abstract: str | None = None
    keywords: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    citations: int | None = None
    open_access: str | None = None
    licence: str | None = None
    retracted: bool | None = None
    pdf_url: str | None = None

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


def fields_filled(records: Iterable[Record]) -> dict[str, int]:
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


def _twin(frozen: type[T], *, kw_only: bool = False, slots: bool = True) -> type[T]:
    def freeze(made: Any) -> None:
        made.__class__ = frozen

    fields = [
        (
            own.name,
            Any,
            dataclasses.field(default=own.default, default_factory=own.default_factory),
        )
        for own in dataclasses.fields(cast("Any", frozen))
    ]
    # Without a docstring, one would be made of the signature, which takes as long as the rest.
    namespace = {"__post_init__": freeze, "__doc__": frozen.__doc__}
    twin = dataclasses.make_dataclass(
        frozen.__name__,
        fields,
        eq=False,
        repr=False,
        slots=slots,
        kw_only=kw_only,
        namespace=namespace,
    )
    return cast("type[T]", twin)


def fields_getter(names: Iterable[str]) -> Callable[[Record], tuple[Any, ...]]:
    """`operator.attrgetter` of some fields of a record, in a third of the time: the interpreter
    remembers where each slot lies.
    """
    known = [field.name for field in dataclasses.fields(Record)]
    values = "".join(f"record.{known[known.index(name)]}, " for name in names)
    return cast("Callable[[Record], tuple[Any, ...]]", eval(f"lambda record: ({values})"))  # noqa: S307


#: Take the arguments of `Record`, `Author`, `Match`, `Hit` and `Reason`, and return such.
made_record = _twin(Record, kw_only=True)
made_author = _twin(Author)
made_match = _twin(Match)
made_hit = _twin(Hit, slots=False)
made_reason = _twin(Reason)
